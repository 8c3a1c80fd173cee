/// The history as pages of JSON.

import SteleAnswers
import SteleHTTP
import SteleJSON
import StelePersistence

extension ChangeFeed {
    /// The JSON form: transactions from the call's place on, or the last ones up to its `until`, with
    /// a link to the next page.
    /// - Throws: `Problem` for a token that cannot be used, `StoreError`.
    package func page(
        _ call: ChangesCall, of request: Request, within budget: ReadBudget?
    ) throws -> Response {
        let limit = min(call.limit ?? options.defaultLimit, options.maximumLimit)
        if let until = call.until {
            let end = try number(until: until)
            let page = try render(
                until: end, limit: limit, call.filter, request, within: budget)
            let link = NextLink.text(
                request, replacing: [.until], by: "until=\(renderer.token(page.place))")
            return response(page, link: link)
        }
        var call = call
        if call.start == nil { call.since = "0" }
        let start: HistoryPosition
        switch try place(call) {
        case .at(let position): start = position
        case .expired(let problem, _): throw problem
        }
        guard
            let page = try render(after: start, limit: limit, call.filter, request, within: budget)
        else {
            // The transactions were deleted since `place` looked.
            guard case .expired(let problem, _) = try place(call) else {
                return try self.page(call, of: request, within: budget)
            }
            throw problem
        }
        let token = renderer.token(page.place)
        let link = NextLink.text(request, replacing: [.since], by: "since=\(token)")
        return response(page, link: link, position: token)
    }

    /// - Parameters:
    ///   - link: to the next page, if there is one.
    ///   - position: the position that was read, for `Last-Event-ID`.
    private func response(_ page: Page, link: String, position: String? = nil) -> Response {
        var headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        if let position { headers.append(("Last-Event-ID", position)) }
        if page.hasMore { headers.append(("Link", link)) }
        return Response(status: 200, headers: headers, body: .bytes(page.body))
    }

    private struct Page {
        let body: [UInt8]
        /// Where the next page begins: after this position, or with `until`, at it.
        let place: HistoryPosition
        /// Whether transactions beyond the place may match.
        let hasMore: Bool
    }

    /// The page after a position; nil where the next transactions are deleted.
    /// - Throws: `StoreError`; `Problem` where what is visible of a save is not known in time.
    private func render(
        after start: HistoryPosition, limit: Int, _ filter: ChangeFilter, _ request: Request,
        within budget: ReadBudget?
    ) throws -> Page? {
        let reader = try store.reader(budget: budget)
        defer { reader.close() }
        let position = start.change == nil ? start.save : start.save - 1
        if try reader.lacksHistory(after: position) { return nil }
        let newest = try reader.token
        let entries = SaveEntries(self, filter, request, reader, within: budget)
        var page = ForwardPage(after: start, limit: limit, filter, options)
        if let change = start.change,
            let entry = try entries.entry(of: start.save, after: change), !page.take(entry)
        {
            return Page(body: page.end(), place: page.place, hasMore: true)
        }
        var last = start.save
        var looked = 0
        var step = HistoryStretch.firstStep
        while true {
            let next = try HistoryStretch(
                reader, after: last, atMost: limit + 1, changes: filter.changesToRead,
                values: filter.needsValues, step: step)
            step = next.nextStep
            for save in next.saves {
                if page.isFull(before: save) {
                    return Page(body: page.end(), place: page.place, hasMore: true)
                }
                guard let entry = try entries.entry(of: save) else {
                    let place = HistoryPosition(after: save.number - 1)
                    return Page(body: page.end(), place: place, hasMore: true)
                }
                if !page.take(entry) {
                    return Page(body: page.end(), place: page.place, hasMore: true)
                }
                looked += entry.looked
            }
            guard !next.isLast, let end = next.saves.last else { break }
            last = end.number
            // A page ends after so many saves even where few of them match.
            if entries.saves >= options.pageSaves || looked >= options.pageLooked {
                return Page(
                    body: page.end(), place: HistoryPosition(after: last), hasMore: true)
            }
        }
        return Page(body: page.end(), place: HistoryPosition(after: newest), hasMore: false)
    }

    /// The page of the last matching transactions up to one, the oldest of them first.
    /// - Throws: as the page after a position.
    private func render(
        until end: Int64, limit: Int, _ filter: ChangeFilter, _ request: Request,
        within budget: ReadBudget?
    ) throws -> Page {
        let reader = try store.reader(budget: budget)
        defer { reader.close() }
        let oldest = try reader.oldestTransaction() ?? .max
        let entries = SaveEntries(self, filter, request, reader, within: budget, isBackward: true)
        // The newest first.
        var written: [[UInt8]] = []
        var size = (bytes: 0, changes: 0)
        var looked = 0
        var place = end
        var step = HistoryStretch.firstStep
        func page() -> Page {
            var writer = ByteWriter(capacity: size.bytes + written.count + 2)
            writer.byte(UInt8(ascii: "["))
            for (index, entry) in written.reversed().enumerated() {
                if index > 0 { writer.byte(UInt8(ascii: ",")) }
                writer.raw(entry)
            }
            writer.byte(UInt8(ascii: "]"))
            return Page(
                body: writer.take(), place: HistoryPosition(after: place),
                hasMore: place >= oldest)
        }
        while place >= oldest, entries.saves < options.pageSaves, looked < options.pageLooked {
            let (saves, bytes) = try saves(
                reader, after: max(oldest - 1, place - Int64(step)), through: place,
                changes: filter.changesToRead, values: filter.needsValues)
            if saves.isEmpty { break }
            for save in saves.reversed() {
                guard let entry = try entries.entry(of: save) else { return page() }
                if entry.isTold {
                    let isFull =
                        written.count == limit || size.bytes >= options.pageBytes
                        || filter.changeLimit == nil && !written.isEmpty
                            && size.changes + entry.changes > options.pageChanges
                    if isFull { return page() }
                    size.bytes += entry.bytes.count
                    size.changes += entry.changes
                    written.append(entry.bytes)
                }
                looked += entry.looked
                place = save.number - 1
            }
            step = HistoryStretch.step(after: step, saves: saves.count, bytes: bytes)
        }
        return page()
    }

    /// All saves after a transaction through another one, with their approximate size in memory. Of
    /// a save with too many changes they have the first.
    private func saves(
        _ reader: any StoreReader, after start: Int64, through end: Int64, changes: Int,
        values: Bool
    ) throws(StoreError) -> ([HistoryTransaction], bytes: Int) {
        var saves: [HistoryTransaction] = []
        var last = start
        while last < end {
            let count = Int(end - last)
            let next = try HistoryStretch(
                reader, after: last, atMost: count, changes: changes, values: values, step: count)
            guard let number = next.saves.last?.number else { break }
            saves += next.saves
            last = number
        }
        return (saves, saves.reduce(0) { $0 + $1.bytes })
    }
}

/// A page that begins at a position.
private struct ForwardPage {
    private let limit: Int
    private let changeLimit: Int?
    private let options: ChangeFeed.Options
    private var writer = ByteWriter(capacity: 4096)
    private var count = 0
    private var changes = 0
    /// Where the page that follows begins if this one ends.
    private(set) var place: HistoryPosition

    init(
        after start: HistoryPosition, limit: Int, _ filter: ChangeFilter,
        _ options: ChangeFeed.Options
    ) {
        self.limit = limit
        changeLimit = filter.changeLimit
        self.options = options
        place = start
    }

    /// Whether the page ends before a save that has more changes than are read at once.
    func isFull(before save: HistoryTransaction) -> Bool {
        save.rest != nil && changeLimit == nil && count > 0
    }

    /// Adds an entry; one without changes is not shown.
    /// - Returns: false where the page ends at `place`, before the entry or within its save.
    mutating func take(_ entry: SaveEntry) -> Bool {
        if entry.changes > 0 {
            let hasRoom =
                count < limit && writer.count < options.pageBytes
                && (changeLimit != nil || count == 0
                    || changes + entry.changes <= options.pageChanges)
            guard hasRoom else { return false }
            writer.raw(count == 0 ? "[" : ",")
            writer.raw(entry.bytes)
            count += 1
            changes += entry.changes
            place = HistoryPosition(after: entry.save)
        }
        guard let rest = entry.rest, changeLimit == nil || entry.isBroken else { return true }
        place = HistoryPosition(after: entry.save, change: rest)
        return false
    }

    /// The body.
    mutating func end() -> [UInt8] {
        writer.raw(count == 0 ? "[]" : "]")
        return writer.take()
    }
}
