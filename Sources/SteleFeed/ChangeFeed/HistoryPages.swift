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
        /// The save after `last` that is sent in parts, and its progress; nil for none.
        var large: LargeSave?

        package var bytes: Int { buffers.reduce(0) { $0 + $1.count } }
    }

    private struct Key: Hashable, Sendable {
        let filter: ChangeFilter
        let after: Int64
        /// The part of the large save that follows; nil for a page of saves.
        var part: Int?
        /// The position at which its telling begins.
        var start: Int64 = 0
    }

    /// The newest last. At most one is large: a large save must not be read again each time that a
    /// client reconnects for it.
    private let kept = Mutex<[(key: Key, page: Page)]>([])

    /// How far finding the parts of large saves is, the newest last: all streams need the same.
    private let counted = Mutex<[(key: Key, large: LargeSave)]>([])

    private let pagesKept: Int
    /// The most large saves whose parts are kept.
    private static let mostCounted = 8
    private static let largeBytes = 1 << 20
    /// The most bytes of all pages, of which one may have more.
    private static let mostBytes = 4 << 20
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
        if let cut = next.cut {
            return Page(
                buffers: [], last: position, isLast: false, nextStep: next.nextStep,
                large: LargeSave(cut.number))
        }
        let events = try renderer.events(of: next.saves, filter, in: time)
        let end = next.saves.last?.number ?? position
        let page = Page(
            buffers: events.buffers, last: events.last ?? position,
            isLast: next.isLast && (events.last ?? position) == end,
            nextStep: next.nextStep, isOver: events.isOver, large: events.large)
        // What is visible of a save may depend on what the store has now.
        if !next.saves.isEmpty, filter.sight == nil { keep(page, key) }
        return page
    }

    /// The next part of a large save, or the next turn of finding its parts.
    /// - Throws: as reading and judging.
    func page(
        of large: LargeSave, _ filter: ChangeFilter, renderer: ChangeRenderer,
        store: any PersistentStore, in time: JudgingTime
    ) throws(StoreError) -> Page {
        var large = large
        let before = large.number - 1
        let isShared = filter.sight == nil
        var key = Key(filter: filter, after: before, start: large.start)
        if isShared, let known = counted.withLock({ $0.first { $0.key == key }?.large }),
            large.isBehind(known)
        {
            large = known
        }
        key.part = large.sent
        let isKnown = large.isCounted || filter.changeLimit != nil
        if isShared, isKnown, let page = kept.withLock({ $0.first { $0.key == key }?.page }) {
            return page
        }
        let reader = try store.reader()
        defer { reader.close() }
        if try reader.lacksHistory(after: before) {
            return Page(buffers: [], last: before, isPurged: true, isLast: true)
        }
        let pieces = PieceReading(
            reader: reader, judge: ChangeJudge(filter, renderer, reader, time),
            filter: filter, time: time)
        if filter.changeLimit != nil {
            let (event, isOver) = try renderer.beginning(
                of: large.number, after: large.start, pieces)
            let page = Page(
                buffers: event.map { [$0] } ?? [], last: large.number, isLast: false,
                isOver: isOver)
            if isShared { keep(page, key) }
            return page
        }
        guard large.isCounted else {
            do throws(StoreError) { try renderer.count(&large, pieces) } catch {
                // The pieces before the one that took too long count.
                if isShared { note(large, key) }
                throw error
            }
            if isShared { note(large, key) }
            return Page(buffers: [], last: before, isLast: false, large: large)
        }
        let part = try renderer.nextPart(of: &large, pieces)
        let isAll = large.isTold || part == nil && !large.isWithinPart
        let page = Page(
            buffers: part.map { [$0] } ?? [], last: isAll ? large.number : before, isLast: false,
            isOver: isAll && large.isOver, large: isAll ? nil : large)
        if isShared, !large.isWithinPart { keep(page, key) }
        return page
    }

    private func note(_ large: LargeSave, _ key: Key) {
        var key = key
        key.part = nil
        counted.withLock { counted in
            if let index = counted.firstIndex(where: { $0.key == key }) {
                if !counted[index].large.isBehind(large) { return }
                counted.remove(at: index)
            }
            if counted.count == Self.mostCounted { counted.removeFirst() }
            counted.append((key, large))
        }
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
            while kept.count > 1, kept.reduce(0, { $0 + $1.page.bytes }) > Self.mostBytes {
                kept.removeFirst()
            }
        }
    }
}
