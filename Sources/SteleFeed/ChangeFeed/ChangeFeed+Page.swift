/// The history as pages of JSON.

import SteleAnswers
import SteleHTTP
import SteleJSON
import StelePersistence

extension ChangeFeed {
    /// The JSON form: transactions from the call's place on, with a link to the next page.
    /// - Throws: `Problem` for a token that cannot be used, `StoreError`.
    package func page(
        _ call: ChangesCall, of request: Request, within budget: ReadBudget?
    ) throws -> Response {
        var call = call
        if call.start == nil { call.since = "0" }
        let start: Int64
        switch try place(call) {
        case .at(let position): start = position
        case .expired(let problem, _): throw problem
        }
        let limit = min(call.limit ?? options.defaultLimit, options.maximumLimit)
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
        var headers = [
            ("Content-Type", "application/json"), ("Cache-Control", "no-store"),
            ("Last-Event-ID", token),
        ]
        if page.hasMore {
            let link = NextLink.text(request, replacing: [.since], by: "since=\(token)")
            headers.append(("Link", link))
        }
        return Response(status: 200, headers: headers, body: .bytes(page.body))
    }

    private struct Page {
        package let body: [UInt8]
        /// All matching transactions up to here are in this page or an earlier one.
        package let place: Int64
        /// Whether later transactions may match.
        let hasMore: Bool
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
        var position = start
        var last = start
        var count = 0
        var looked = 0
        // Within a budget other requests wait for the thread, and what takes longer is begun again
        // on one for long reads.
        let time = JudgingTime(
            slow: limits.slowFeedJudging.within(nanoseconds: budget?.nanoseconds ?? .max),
            beyond: limits.feedJudging,
            turn: budget?.nanoseconds ?? options.pageNanoseconds
        ) { !request.clientHasGone }
        let judge = ChangeJudge(filter, model: store.model, reader, time)
        var step = HistoryStretch.firstStep
        var hasMore = false
        /// A page ends before a save for which there is no time, and the next one begins with it.
        func page(before save: HistoryTransaction) -> Page {
            writer.raw(count == 0 ? "[]" : "]")
            return Page(body: writer.take(), place: save.number - 1, hasMore: true)
        }
        while true {
            let next = try HistoryStretch(
                reader, after: position, atMost: limit + 1, values: filter.needsValues, step: step)
            step = next.nextStep
            for save in next.saves {
                if filter.isJudged, time.isTurnOver, save.number > start + 1 {
                    if budget != nil { throw StoreError.overBudget }
                    return page(before: save)
                }
                judge.begin(changes: save.changes.count)
                let changes: [ToldChange]
                do throws(StoreError) { changes = try judge.told(of: save) } catch {
                    guard case .overBudget = error, budget == nil else { throw error }
                    if save.number > start + 1 { return page(before: save) }
                    throw tooSlow(
                        after: renderer.token(save.number - 1), next: renderer.token(save.number))
                }
                if budget != nil, time.isOver { throw StoreError.overBudget }
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
}
