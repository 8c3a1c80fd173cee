/// The live queries' thread: follows the saves for all queries and tells their streams.

import SteleGraph
import SteleHTTP
import StelePersistence
import SteleSystem

/// What the thread alone has in hand. Between two rounds all queries know the same last save,
/// `position`.
package final class LiveLoop {
    let hub: LiveQueries
    var queries: [String: LiveQuery] = [:]
    package var position: Int64 = 0
    /// Streams whose queries are not there yet.
    package var pending: [LiveArrival] = []
    package var members: [ObjectIdentifier: LiveMember] = [:]
    var heartbeatAt: UInt64 = 0
    private var pollAt: UInt64 = 0
    /// Whether the store has more than was told, which could not be read.
    private var isBehind = false

    private var idleNanoseconds: UInt64 { UInt64(max(hub.limits.liveIdleSeconds, 0) * 1e9) }

    package init(_ hub: LiveQueries) { self.hub = hub }

    /// Whom it was made for may be gone, or be refused for another query: so nobody listens yet.
    private func takeIn(_ query: LiveQuery) {
        query.idleSince = MonotonicClock.now
        queries[query.plan.key] = query
    }

    private var isWatched: Bool { !queries.isEmpty || !pending.isEmpty }

    package func run() {
        while turn() { hub.inbox.wait(until: nextTime()) }
    }

    /// One round; false when the thread has ended.
    private func turn() -> Bool {
        let mail = hub.inbox.take(isWatched: isWatched)
        pending += mail.letters.arrivals
        defer { for room in mail.letters.waiting { room.alarm.ring() } }
        if mail.isStopping {
            for arrival in pending { arrival.stream.finish() }
            for member in members.values { member.stream.finish() }
            return false
        }
        for (key, error) in mail.letters.failed { refuse(key, error) }
        let isFirst = queries.isEmpty
        for query in mail.letters.built where queries[query.plan.key] == nil {
            takeIn(query)
        }
        if isFirst {
            position = queries.values.map(\.token).max() ?? max(position, mail.told.latest)
        }
        buildMissing()
        follow(mail)
        if !isBehind { admit() }
        let now = MonotonicClock.now
        if now >= pollAt {
            pollAt = now &+ hub.options.pollNanoseconds
            if isWatched { _ = hub.coordinator.store.noticesForeignChange() }
        }
        if now >= heartbeatAt {
            beat(now)
            heartbeatAt = now &+ hub.options.heartbeatNanoseconds
        }
        if !mail.letters.built.isEmpty || !mail.letters.waiting.isEmpty {
            makeRoom(for: mail.letters.waiting, keeping: mail.letters.built)
        }
        hub.note(rows: rows)
        return true
    }

    private func nextTime() -> UInt64? { isWatched ? min(heartbeatAt, pollAt) : nil }

    /// A query that was let go between a request and its arrival here is built again.
    private func buildMissing() {
        let wanted = Dictionary(
            pending.flatMap(\.parts).map { ($0.plan.key, $0.plan) }, uniquingKeysWith: { $1 })
        for (key, plan) in wanted where queries[key] == nil && !hub.isBeingBuilt(key) {
            do {
                let query = try hub.made(plan, for: pending)
                takeIn(query)
                hub.note(followed: key)
                if queries.count == 1 { position = query.token }
            } catch {
                hub.forget(key)
                refuse(key, error)
            }
        }
    }

    /// Ends the streams that wait for a query that cannot be built, with the reason.
    private func refuse(_ key: String, _ error: any Error) {
        let isWaiting: (LiveArrival) -> Bool = { $0.parts.contains { $0.plan.key == key } }
        let waiting = pending.filter(isWaiting)
        guard !waiting.isEmpty else { return }
        pending.removeAll(where: isWaiting)
        let problem = hub.problem(error)
        for arrival in waiting {
            for part in arrival.parts where part.plan.key == key {
                _ = arrival.stream.send(self.error(problem, prefix: part.prefix))
            }
            arrival.stream.finish()
        }
    }

    // MARK: Following

    private func follow(_ mail: SavesInbox<LiveLetters>.Mail) {
        guard !queries.isEmpty else {
            position = max(position, mail.told.latest)
            return
        }
        if !mail.told.saves.isEmpty {
            AnswersFirst.wait(since: mail.told.latestAt, streams: members.count)
        }
        let round = LiveRound(self, mail, isBehind: isBehind)
        defer { round.close() }
        do {
            try round.run()
            isBehind = false
        } catch StoreError.moved {
            // It turned out in the midst that another program has written: at once again, all anew.
            isBehind = true
            pollAt = MonotonicClock.now
        } catch {
            hub.logger.error("live queries cannot read the store: \(error)")
            isBehind = true
            pollAt = MonotonicClock.now &+ hub.options.pollNanoseconds
        }
    }

    /// Whether a query that is of use was read in another cache generation than that.
    func isStale(in generation: String) -> Bool {
        queries.values.contains { $0.loss == nil && $0.generation != generation }
    }

    /// Whether a stream that waits shows a query whose snapshot has to be made anew.
    func wantsSnapshot(_ query: LiveQuery) -> Bool {
        query.loss == nil && query.needsSnapshot
            && pending.contains { $0.parts.contains { $0.plan.key == query.plan.key } }
    }

    /// Has a query whose result could not be read or moved on, and is of no use now, read anew in a
    /// later round; ends it where the reason does not pass.
    func lose(_ query: LiveQuery, _ error: any Error) {
        query.loss = LiveLoss(
            error, after: query.loss, retryNanoseconds: hub.options.pollNanoseconds,
            seconds: hub.limits.liveRetrySeconds)
        if query.loss == nil { fail(query, error) }
    }

    /// Ends a query that failed, and its streams with the reason.
    private func fail(_ query: LiveQuery, _ error: any Error) {
        let problem = hub.problem(error)
        let listeners = query.members
        end(query)
        for member in listeners {
            for part in member.parts where part.key == query.plan.key {
                _ = member.send(self.error(problem, prefix: part.prefix))
            }
            member.stream.finish()
            remove(member)
        }
    }

    private func end(_ query: LiveQuery) {
        queries[query.plan.key] = nil
        hub.forget(query.plan.key)
    }

    package func remove(_ member: LiveMember) {
        members[ObjectIdentifier(member)] = nil
        for part in member.parts {
            guard let query = queries[part.key] else { continue }
            query.members.removeAll { $0 === member }
            if query.members.isEmpty { query.idleSince = MonotonicClock.now }
        }
    }

    private var rows: Int { queries.values.reduce(0) { $0 + $1.weight } }

    /// Lets go of queries that nobody listens to any more before they take the places of others:
    /// those first that were left first.
    /// - Parameters:
    ///   - waiting: who has found no room.
    ///   - new: whose streams may yet come.
    private func makeRoom(for waiting: [LiveRoom], keeping new: [LiveQuery]) {
        let limits = hub.limits
        let rowsToCome = waiting.reduce(0) { $0 + $1.rows }
        let isNearlyFull = { (part: Int) in
            self.queries.count + waiting.count >= limits.liveQueries - limits.liveQueries / part
                || self.rows + rowsToCome >= limits.liveRowsInAll - limits.liveRowsInAll / part
        }
        guard isNearlyFull(8) else { return }
        for member in members.values where member.stream.isClosed { remove(member) }
        var wanted = Set(pending.flatMap(\.parts).map(\.plan.key) + new.map(\.plan.key))
        wanted.formUnion(waiting.flatMap(\.keys))
        let idle = queries.values.filter { $0.members.isEmpty && !wanted.contains($0.plan.key) }
        for query in idle.sorted(by: { $0.idleSince ?? 0 < $1.idleSince ?? 0 }) {
            guard isNearlyFull(4) else { break }
            end(query)
        }
    }

    /// Keeps the lines, finds out who has gone, and lets go of what nobody listens to.
    private func beat(_ now: UInt64) {
        let comment = SharedBuffer(Array(":\n\n".utf8))
        pending.removeAll { !$0.stream.send(comment) }
        sendPlaces()
        for query in queries.values {
            guard let since = query.idleSince, now > since, now - since > idleNanoseconds
            else { continue }
            end(query)
        }
    }
}
