/// Whether the rights of a file still hold.

import SteleSystem

/// Shared by all rights that were made from one reading of a rights file.
package final class Validity: Sendable {
    private let ended = Atomic<Bool>(false)

    package init() {}

    /// Whether the file has been replaced by another one.
    package var isOver: Bool { ended.load(ordering: .acquiring) }

    /// The file is replaced: what was granted by it ends.
    func end() { ended.store(true, ordering: .releasing) }
}
