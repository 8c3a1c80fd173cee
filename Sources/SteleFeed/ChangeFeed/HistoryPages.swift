/// A cache of pages of the stored history as events: after a restart all streams ask for the same
/// pages.

import SteleHTTP
import StelePersistence
import SteleSystem

/// Reads and renders pages of the history.
package final class HistoryPages: Sendable {
    /// The events of some saves for one filter.
    package struct Page: Sendable {
        let buffers: [[UInt8]]
        /// The last transaction of the page, matching or not.
        package let last: Int64
        /// Whether the next transactions are deleted; the page is empty then.
        var isPurged = false
        /// Whether the store had no later transactions.
        var isLast: Bool
        /// As `HistoryStretch.nextStep`.
        var nextStep = HistoryStretch.firstStep
        /// As `ChangeRenderer.Events.isOver`.
        var isOver = false

        package var bytes: Int { buffers.reduce(0) { $0 + $1.count } }
    }

    private struct Key: Hashable, Sendable {
        package let filter: ChangeFilter
        package let after: Int64
    }

    /// The newest last. At most one is large: a large save must not be read again each time that a
    /// client reconnects for it.
    private let kept = Mutex<[(key: Key, page: Page)]>([])

    private let pagesKept: Int
    private static let largeBytes = 1 << 20
    /// The most saves of a page of a slow filter.
    private static let savesOfSlow = 32

    /// - Parameter count: how many pages are kept.
    init(keeping count: Int) { pagesKept = count }

    /// The page after a transaction.
    /// - Parameters:
    ///   - step: as in `HistoryStretch`.
    ///   - time: what judging may take; a page ends with its turn.
    /// - Throws: as reading and judging.
    func page(
        after position: Int64, step: Int, _ filter: ChangeFilter, renderer: ChangeRenderer,
        store: any PersistentStore, in time: JudgingTime
    ) throws(StoreError) -> Page {
        let key = Key(filter: filter, after: position)
        if let page = kept.withLock({ $0.first { $0.key == key }?.page }) { return page }
        guard let next = try stretch(after: position, step: step, filter, store, in: time) else {
            return Page(buffers: [], last: position, isPurged: true, isLast: true)
        }
        let events = try renderer.events(of: next.saves, filter, in: time)
        let end = next.saves.last?.number ?? position
        let page = Page(
            buffers: events.buffers, last: events.last ?? position,
            isLast: next.isLast && (events.last ?? position) == end,
            nextStep: next.nextStep, isOver: events.isOver)
        // What is visible of a save may depend on what the store has now.
        if !next.saves.isEmpty, filter.sight == nil { keep(page, key) }
        return page
    }

    /// The saves after a transaction; nil where they are deleted. Of a slow filter few saves are
    /// judged in a turn.
    private func stretch(
        after position: Int64, step: Int, _ filter: ChangeFilter, _ store: any PersistentStore,
        in time: JudgingTime
    ) throws(StoreError) -> HistoryStretch? {
        let most = time.isShared ? HistoryStretch.mostSaves : Self.savesOfSlow
        let reader = try store.reader(forHistoryAfter: position, limit: min(step, most))
        defer { reader.close() }
        if try reader.lacksHistory(after: position) { return nil }
        return try HistoryStretch(
            reader, after: position, atMost: most, values: filter.needsValues, step: step)
    }

    /// The history does not change, so a page stays valid; only later transactions may be added.
    private func keep(_ page: Page, _ key: Key) {
        var page = page
        page.isLast = false
        let isLarge = page.bytes > Self.largeBytes
        kept.withLock { kept in
            kept.removeAll { $0.key == key || isLarge && $0.page.bytes > Self.largeBytes }
            if kept.count == pagesKept { kept.removeFirst() }
            kept.append((key, page))
        }
    }
}
