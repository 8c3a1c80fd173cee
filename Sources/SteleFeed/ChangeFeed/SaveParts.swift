/// The parts of a save: of at most so many changes and bytes.

import SteleJSON
import StelePersistence

/// Divides the changes of a save into parts. Where a filter has a limit of changes, there is one
/// part, and what does not fit into it is not told.
struct SaveParts {
    private let renderer: ChangeRenderer
    private let values: Bool
    private let changeLimit: Int?
    /// Whether the changes are kept, for events.
    private let isKept: Bool
    /// Whether all changes are one part: its end is known.
    private let isBoundless: Bool

    /// The changes of each part, separated by `separator`.
    private(set) var parts: [[UInt8]] = []
    /// The position of the last change of each part.
    private(set) var ends: [Int64] = []
    /// The position of the last change in the answer, if a limit leaves others out.
    private(set) var rest: Int64?
    private var open = ByteWriter(capacity: 1024)
    private var scratch = ByteWriter(capacity: 256)
    private var count = 0
    private var bytes = 0
    private var last: Int64 = 0

    /// - Parameters:
    ///   - isKept: whether the parts are wanted; else only their ends and the first one.
    ///   - isBoundless: whether all changes are one part, because its end is known.
    init(
        _ renderer: ChangeRenderer, _ filter: ChangeFilter, isKept: Bool = true,
        isBoundless: Bool = false
    ) {
        self.isBoundless = isBoundless
        self.renderer = renderer
        values = filter.values
        changeLimit = filter.changeLimit
        self.isKept = isKept
    }

    /// Each change is on a line of its own: many clients read a line at a time and refuse long ones.
    private static let separator: StaticString = ",\ndata: "
    private var between: Int { Self.separator.utf8CodeUnitCount }

    /// Whether a limit leaves out what follows.
    var isFull: Bool { rest != nil }

    /// Adds the next change of the save.
    mutating func add(_ change: ToldChange) {
        if isFull { return }
        scratch.bytes.removeAll(keepingCapacity: true)
        renderer.write(change, values: values, to: &scratch)
        if scratch.count > renderer.bytesPerPart {
            scratch.bytes.removeAll(keepingCapacity: true)
            renderer.write(change, values: values, isTooLarge: true, to: &scratch)
        }
        if count > 0, !isBoundless {
            let most = changeLimit ?? renderer.changesPerPart
            if count >= most || bytes + between + scratch.count > renderer.bytesPerPart {
                if changeLimit != nil {
                    rest = last
                    return
                }
                close()
            }
        }
        let isWanted = isKept || ends.isEmpty
        if isWanted, count > 0 { open.raw(Self.separator) }
        if isWanted { open.raw(scratch.bytes) }
        bytes += scratch.count + (count > 0 ? between : 0)
        count += 1
        last = change.change.position
    }

    /// Ends the last part.
    mutating func end() { if count > 0 { close() } }

    private mutating func close() {
        if isKept || ends.isEmpty { parts.append(open.take()) }
        ends.append(last)
        (count, bytes) = (0, 0)
    }

    /// The only part of a save that has no other.
    var only: [UInt8]? { ends.count == 1 ? parts.first : nil }

    /// Forgets the first part of a save that has others.
    mutating func forgetFirst() { if ends.count > 1 { parts = [] } }
}
