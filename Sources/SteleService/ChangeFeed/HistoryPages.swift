/// Pages of the stored history as bytes, the last few kept: after a restart all streams ask for the
/// same ones.

import SteleHTTP
import StelePersistence
import SteleMutex

/// Reads and renders the history, page by page.
final class HistoryPages: Sendable {
    /// Some saves, as one filter tells them.
    struct Page: Sendable {
        let buffers: [SharedBuffer]
        /// The last transaction that is in it, told or not.
        let last: Int64
        /// Whether what comes next has been deleted; then nothing is in it.
        var isPurged = false
        /// Whether the store had no more when it was read.
        let isLast: Bool
        /// As `HistoryStretch.nextStep`.
        var nextStep = HistoryStretch.firstStep
    }

    private struct Key: Hashable, Sendable {
        let filter: ChangeFilter
        let after: Int64
    }

    /// Newest last.
    private let kept = Mutex<[(key: Key, page: Page)]>([])

    private static let pagesKept = 8
    private static let largestKept = 1 << 20

    /// The page after a transaction.
    /// - Parameter step: as `HistoryStretch` has it.
    func page(
        after position: Int64, step: Int, _ filter: ChangeFilter, renderer: ChangeRenderer,
        store: any PersistentStore
    ) throws(StoreError) -> Page {
        let key = Key(filter: filter, after: position)
        if let page = kept.withLock({ $0.first { $0.key == key }?.page }) { return page }
        let reader = try store.reader()
        defer { reader.close() }
        if try reader.lacksHistory(after: position) {
            return Page(buffers: [], last: position, isPurged: true, isLast: true)
        }
        let next = try HistoryStretch(
            reader, after: position, values: filter.needsValues, step: step)
        let page = Page(
            buffers: renderer.events(of: next.saves, filter),
            last: next.saves.last?.number ?? position, isLast: next.isLast,
            nextStep: next.nextStep)
        // What is in the history never changes, so a full page stays right.
        if !page.isLast, page.buffers.reduce(0, { $0 + $1.count }) <= Self.largestKept {
            kept.withLock { kept in
                if kept.count == Self.pagesKept { kept.removeFirst() }
                kept.append((key, page))
            }
        }
        return page
    }
}
