/// Streams that read the stored history: each on one of three roads, a page at a time.

import SteleHTTP
import SteleJSON
import StelePersistence
import SteleRequests

extension ChangeFeed {
    /// Whether the filter is judged on a thread for slow filters.
    func isSlow(_ filter: ChangeFilter) -> Bool { filter.isJudged && slow.has(filter) }

    /// The time after which a slow filter leaves its thread to the next one, with the save that it
    /// has begun.
    private static let slowTurnNanoseconds: UInt64 = 50_000_000

    /// A page of the history for a turn of a road.
    /// - Throws: as `HistoryPages.page`.
    func page(
        after position: Int64, step: Int, _ large: LargeSave?, _ filter: ChangeFilter,
        on road: CatchUp.Road
    ) throws(StoreError) -> HistoryPages.Page {
        func page(
            _ pages: HistoryPages, in time: JudgingTime
        ) throws(StoreError) -> HistoryPages.Page {
            if let large {
                return try pages.page(
                    of: large, filter, renderer: renderer, store: store, in: time)
            }
            return try pages.page(
                after: position, step: step, filter, renderer: renderer, store: store, in: time)
        }
        guard road == .slow else {
            return try page(pages, in: JudgingTime(shared: limits.feedJudging))
        }
        let inbox = inbox
        let time = JudgingTime(
            slow: limits.slowFeedJudging, beyond: limits.feedJudging,
            turn: Self.slowTurnNanoseconds
        ) { !inbox.isStopping }
        defer { if time.isSlow { slow.note(filter) } }
        return try page(slowPages, in: time)
    }

    func wait(_ one: CatchUp) {
        let isTaken = inbox.put { letters in
            letters.waiting.append(one)
            letters.returned.append(one)
        }
        if !isTaken { one.stream.finish() }
    }

    /// Reads on in the history, after the other streams of its road.
    func catchUp(_ one: CatchUp) {
        if one.road != .slow, isSlow(one.filter) { one.road = .slow }
        switch one.road {
        case .resuming: resuming.async { [self] in advance(one) }
        case .lagging: lagging.async { [self] in advance(one) }
        case .slow:
            if !judging.submit(SlowTurn(self, one)) { one.stream.finish() }
        }
    }

    /// A turn on the slow road. Filters are served in turn, however many streams each has.
    private final class SlowTurn: Job {
        private let feed: ChangeFeed
        private let one: CatchUp
        let client: String

        init(_ feed: ChangeFeed, _ one: CatchUp) {
            self.feed = feed
            self.one = one
            client = String(one.filter.hashValue)
        }

        func run() { feed.advance(one) }
        func abandon() { one.stream.finish() }
    }

    private func advance(_ one: CatchUp) {
        if inbox.isStopping { return one.stream.finish() }
        do throws(StoreError) {
            switch try one.advance(for: self) {
            case .more: catchUp(one)
            case .caughtUp(let position):
                join(one.stream, one.filter, position: position, from: one)
            case .purged: try expire(one)
            case .full: wait(one)
            case .ended: end(one)
            case .finished:
                one.stream.finish()
                inbox.put { $0.returned.append(one) }
            }
        } catch {
            if inbox.isStopping { return one.stream.finish() }
            if case .overBudget = error, one.filter.isJudged { return slowDown(one) }
            logger.error("the change feed cannot read the history: \(error)")
            end(one)
        }
    }

    /// Goes on with a stream whose filter took too long: on the slow road, or to its end.
    private func slowDown(_ one: CatchUp) {
        if one.road == .slow {
            one.end(with: tooSlow(one.filter, after: one.state.withLock { $0.position }))
        } else {
            slow.note(one.filter)
            one.road = .slow
        }
        catchUp(one)
    }

    /// Ends a stream that reads the history.
    private func end(_ one: CatchUp) {
        one.stream.drop()
        inbox.put { $0.returned.append(one) }
    }

    /// Reports that the next transactions are deleted, and continues with the newest.
    private func expire(_ one: CatchUp) throws(StoreError) {
        var call = ChangesCall()
        call.since = renderer.token(one.state.withLock { $0.position })
        call.isStream = true
        guard case .expired(let problem, let now) = try place(call) else { return catchUp(one) }
        greet(one.stream, position: HistoryPosition(after: now), expired: problem)
        join(one.stream, one.filter, position: now, from: one)
    }

    // MARK: Filters that take too long

    /// The last event of a stream whose `where` took too long on a save, which is told.
    func tooSlow(_ filter: ChangeFilter, at save: Int64) -> [UInt8] {
        last(
            Problem(
                .busy,
                "where=\(filter.condition?.text.prefix(200) ?? "") took more than \(most) on the "
                    + "changes of \(renderer.token(save)), so those that were left are reported",
                hint: "come back with Last-Event-ID, and with a where that takes less: MATCHES may "
                    + "take long, CONTAINS and BEGINSWITH do not"))
    }

    /// The last event of a stream for which the visible changes of the next save are not known.
    private func tooSlow(_ filter: ChangeFilter, after save: Int64) -> [UInt8] {
        last(
            tooSlow(
                after: renderer.token(save),
                hint: "come back later with Last-Event-ID; to leave that save out, read the lists "
                    + "anew and go on with since=\(renderer.token(save + 1))"))
    }

    /// The problem of a save whose visible changes are not known.
    func tooSlow(after token: String, hint: String) -> Problem {
        Problem(
            .busy,
            "the rules of the role took more than \(most) on the save after \(token), so what is "
                + "visible of it is not known",
            hint: hint)
    }

    /// The last event of a stream whose store another node has migrated.
    func storeIsGone(_ reason: String) -> [UInt8] {
        last(Problem(.storeGone, reason, hint: "come back with Last-Event-ID to another node"))
    }

    private var most: String { "\(limits.slowFeedJudging.nanoseconds / 1_000_000) ms" }

    private func last(_ problem: Problem) -> [UInt8] {
        var writer = ByteWriter(capacity: 256)
        write("error", problem, to: &writer)
        writer.raw("\n")
        return writer.take()
    }
}
