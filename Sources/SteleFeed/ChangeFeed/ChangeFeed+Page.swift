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
        let start: Int64
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
        /// Where the next page begins: after this transaction, or with `until`, at it.
        let place: Int64
        /// Whether transactions beyond the place may match.
        let hasMore: Bool
    }

    /// Judges the saves of a page, in any order.
    private struct PageJudge {
        private let time: JudgingTime
        private let judge: ChangeJudge
        private let isJudged: Bool
        private let budget: ReadBudget?
        private var isFirst = true

        init(
            _ filter: ChangeFilter, _ request: Request, _ reader: any StoreReader,
            _ feed: ChangeFeed, within budget: ReadBudget?
        ) {
            // Within a budget other requests wait for the thread, and what takes longer is begun
            // again on one for long reads.
            time = JudgingTime(
                slow: feed.limits.slowFeedJudging.within(nanoseconds: budget?.nanoseconds ?? .max),
                beyond: feed.limits.feedJudging,
                turn: budget?.nanoseconds ?? feed.options.pageNanoseconds
            ) { !request.clientHasGone }
            judge = ChangeJudge(filter, model: feed.store.model, reader, time)
            isJudged = filter.isJudged
            self.budget = budget
        }

        /// The matching changes of a save; nil where the page has no time for it.
        /// - Throws: `StoreError`; `.overBudget` for the first save of a page, or within a budget.
        mutating func told(of save: HistoryTransaction) throws(StoreError) -> [ToldChange]? {
            defer { isFirst = false }
            if isJudged, time.isTurnOver, !isFirst {
                if budget != nil { throw .overBudget }
                return nil
            }
            judge.begin(changes: save.changes.count)
            do throws(StoreError) {
                let changes = try judge.told(of: save)
                if budget != nil, time.isOver { throw .overBudget }
                return changes
            } catch {
                guard case .overBudget = error, budget == nil, !isFirst else { throw error }
                return nil
            }
        }
    }

    /// The page after a transaction; nil where the next transactions are deleted.
    /// - Throws: `StoreError`; `Problem` where what is visible of a save is not known in time.
    private func render(
        after start: Int64, limit: Int, _ filter: ChangeFilter, _ request: Request,
        within budget: ReadBudget?
    ) throws -> Page? {
        let reader = try store.reader(budget: budget)
        defer { reader.close() }
        if try reader.lacksHistory(after: start) { return nil }
        let newest = try reader.token
        var writer = ByteWriter(capacity: 4096)
        var judge = PageJudge(filter, request, reader, self, within: budget)
        var position = start
        var last = start
        var count = 0
        var looked = 0
        var step = HistoryStretch.firstStep
        var hasMore = false
        while true {
            let next = try HistoryStretch(
                reader, after: position, atMost: limit + 1, values: filter.needsValues, step: step)
            step = next.nextStep
            for save in next.saves {
                guard
                    let changes = try told(
                        of: save, by: &judge, orGoOn: "since=\(renderer.token(save.number))",
                        within: budget)
                else {
                    writer.raw(count == 0 ? "[]" : "]")
                    return Page(body: writer.take(), place: save.number - 1, hasMore: true)
                }
                if changes.isEmpty { continue }
                if count == limit || writer.count >= options.pageBytes {
                    writer.byte(UInt8(ascii: "]"))
                    return Page(body: writer.take(), place: last, hasMore: true)
                }
                writer.raw(count == 0 ? "[" : ",")
                renderer.entry(save, changes, values: filter.values, to: &writer)
                count += 1
                last = save.number
            }
            guard !next.isLast, let end = next.saves.last else { break }
            position = end.number
            looked += next.saves.count
            // A page ends after so many saves even where few of them match.
            if looked >= options.pageSaves {
                hasMore = true
                break
            }
        }
        if count == 0 { writer.byte(UInt8(ascii: "[")) }
        writer.byte(UInt8(ascii: "]"))
        return Page(
            body: writer.take(), place: hasMore ? position : newest, hasMore: hasMore)
    }

    /// The page of the last matching transactions up to one, the oldest of them first.
    /// - Throws: as the page after a transaction.
    private func render(
        until end: Int64, limit: Int, _ filter: ChangeFilter, _ request: Request,
        within budget: ReadBudget?
    ) throws -> Page {
        let reader = try store.reader(budget: budget)
        defer { reader.close() }
        let oldest = try reader.oldestTransaction() ?? .max
        var judge = PageJudge(filter, request, reader, self, within: budget)
        // The newest first.
        var entries: [[UInt8]] = []
        var bytes = 0
        var place = end
        var looked = 0
        var step = HistoryStretch.firstStep
        func page() -> Page {
            var writer = ByteWriter(capacity: bytes + entries.count + 2)
            writer.byte(UInt8(ascii: "["))
            for (index, entry) in entries.reversed().enumerated() {
                if index > 0 { writer.byte(UInt8(ascii: ",")) }
                writer.raw(entry)
            }
            writer.byte(UInt8(ascii: "]"))
            return Page(body: writer.take(), place: place, hasMore: place >= oldest)
        }
        while place >= oldest, looked < options.pageSaves {
            let (saves, size) = try saves(
                reader, after: max(oldest - 1, place - Int64(step)), through: place,
                values: filter.needsValues)
            if saves.isEmpty { break }
            for save in saves.reversed() {
                guard
                    let changes = try told(
                        of: save, by: &judge, orGoOn: "until=\(renderer.token(save.number - 1))",
                        within: budget)
                else { return page() }
                if !changes.isEmpty {
                    if entries.count == limit || bytes >= options.pageBytes { return page() }
                    var writer = ByteWriter(capacity: 512)
                    renderer.entry(save, changes, values: filter.values, to: &writer)
                    bytes += writer.count
                    entries.append(writer.take())
                }
                place = save.number - 1
            }
            looked += saves.count
            step = HistoryStretch.step(after: step, saves: saves.count, bytes: size)
        }
        return page()
    }

    /// All saves after a transaction through another one, with their approximate size in memory.
    private func saves(
        _ reader: any StoreReader, after start: Int64, through end: Int64, values: Bool
    ) throws(StoreError) -> ([HistoryTransaction], bytes: Int) {
        var saves: [HistoryTransaction] = []
        var last = start
        while last < end {
            let count = Int(end - last)
            let next = try HistoryStretch(
                reader, after: last, atMost: count, values: values, step: count)
            guard let number = next.saves.last?.number else { break }
            saves += next.saves
            last = number
        }
        return (saves, saves.reduce(0) { $0 + $1.bytes })
    }

    /// - Parameter wayOut: the parameter of a request that leaves the save out.
    /// - Throws: `Problem` for the first save of a page, if what is visible of it is not known.
    private func told(
        of save: HistoryTransaction, by judge: inout PageJudge,
        orGoOn wayOut: @autoclosure () -> String, within budget: ReadBudget?
    ) throws -> [ToldChange]? {
        do throws(StoreError) { return try judge.told(of: save) } catch {
            guard case .overBudget = error, budget == nil else { throw error }
            throw tooSlow(
                after: renderer.token(save.number - 1),
                hint: "ask again later; to leave that save out, go on with \(wayOut())")
        }
    }
}
