/// A live queries' thread: follows the saves for its queries, and sends the changes to their
/// streams.

import SteleGraph
import SteleHTTP
import StelePersistence
import SteleRequests
import SteleSystem

/// The state of the thread. Between two rounds all queries know the same last save, `position`,
/// except where a round has found many slow ones.
package final class LiveLoop {
    let hub: LiveQueries
    let lane: LiveLane
    private var inbox: SavesInbox<LiveLetters> { hub.inbox(of: lane) }
    var queries: [String: LiveQuery] = [:]
    package var position: Int64 = 0
    /// Streams that wait for their queries.
    package var pending: [LiveArrival] = []
    package var members: [ObjectIdentifier: LiveMember] = [:]
    var heartbeatAt: UInt64 = 0
    /// The next heartbeat within a round.
    private var aliveAt: UInt64 = 0
    private var pollAt: UInt64 = 0
    /// Whether the last round has ended before all queries were at the same save.
    var isUneven = false
    /// Whether the store has later saves, which could not be read.
    private var isBehind = false

    private var idleNanoseconds: UInt64 { UInt64(max(hub.limits.liveIdleSeconds, 0) * 1e9) }

    init(_ hub: LiveQueries, _ lane: LiveLane) {
        self.hub = hub
        self.lane = lane
    }

    var isStopping: Bool { inbox.isStopping }

    /// Adds a query. It has no listeners yet: its stream may be closed, or refused for another
    /// query.
    private func takeIn(_ query: LiveQuery) {
        query.idleSince = MonotonicClock.now
        queries[query.plan.key] = query
    }

    private var isWatched: Bool { !queries.isEmpty || !pending.isEmpty }

    package func run() {
        while turn() { inbox.wait(until: nextTime()) }
    }

    /// One turn; false when the thread ends.
    private func turn() -> Bool {
        let mail = inbox.take(isWatched: isWatched)
        pending += mail.letters.arrivals
        for arrival in mail.letters.arrivals { hub.welcome(arrival) }
        defer { for room in mail.letters.waiting { room.alarm.ring() } }
        if mail.isStopping {
            for arrival in pending { arrival.stream.finish() }
            for member in members.values { member.stream.finish() }
            for member in mail.letters.moved.flatMap(\.members) { member.stream.finish() }
            return false
        }
        for (plan, error) in mail.letters.failed { refuse(plan, error) }
        let isFirst = queries.isEmpty
        for query in mail.letters.built where queries[query.plan.key] == nil {
            takeIn(query)
        }
        let received = mail.letters.built.reduce(0) { $0 + $1.arrivingRows }
        hub.note(rows: rows, received: received, on: lane)
        for query in mail.letters.moved { takeOver(query) }
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
            makeRoom(for: mail.letters.waiting)
        }
        hub.note(rows: rows, on: lane)
        return true
    }

    private func nextTime() -> UInt64? {
        if isUneven { return 0 }
        return isWatched ? min(heartbeatAt, pollAt) : nil
    }

    /// Builds queries again that were released between a request and its arrival here.
    private func buildMissing() {
        let wanted = Dictionary(
            pending.flatMap(\.parts).map { ($0.plan.key, $0.plan) }, uniquingKeysWith: { $1 })
        for (key, plan) in wanted where queries[key] == nil && !hub.isBeingBuilt(key, on: lane) {
            do {
                let time = JudgingTime(shared: hub.limits.liveJudging)
                let query = try hub.made(
                    plan, for: pending, within: lane == .shared ? time.reading(changes: 0) : nil)
                if !hub.takes(query, on: lane) {
                    makeRoom(for: [LiveRoom(rows: query.weight)])
                    hub.note(rows: rows, on: lane)
                    guard hub.takes(query, on: lane) else { throw hub.tooManyRows(query) }
                }
                takeIn(query)
                if queries.count == 1 { position = query.token }
            } catch {
                hub.forget(key, on: lane)
                if lane == .shared, lane.isTooLong(error) {
                    hub.slow.note(key)
                    passOn(key)
                } else {
                    refuse(plan, error)
                }
            }
        }
    }

    /// Ends the streams that wait for a query that cannot be built, with the reason.
    private func refuse(_ plan: LivePlan, _ error: any Error) {
        let isWaiting: (LiveArrival) -> Bool = { $0.parts.contains { $0.plan.key == plan.key } }
        let waiting = pending.filter(isWaiting)
        guard !waiting.isEmpty else { return }
        pending.removeAll(where: isWaiting)
        let problem = hub.problem(error, of: plan)
        for arrival in waiting {
            for part in arrival.parts where part.plan.key == plan.key {
                _ = arrival.stream.send(self.error(problem, prefix: part.prefix))
            }
            arrival.stream.finish()
        }
    }

    // MARK: Following

    private func follow(_ mail: SavesInbox<LiveLetters>.Mail) {
        isUneven = false
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
            // Another program has written during the round: read all queries again at once.
            isBehind = true
            pollAt = MonotonicClock.now
        } catch StoreError.gone(let text) where hub.coordinator.store.isOfSeveralNodes {
            // A file may come back, and a store that was migrated does not: the clients find another
            // node.
            for query in Array(queries.values) { fail(query, StoreError.gone(text)) }
        } catch {
            hub.logger.error("live queries cannot read the store: \(error)")
            isBehind = true
            pollAt = MonotonicClock.now &+ hub.options.pollNanoseconds
        }
    }

    /// Whether a valid query was read in another cache generation.
    func isStale(in generation: String) -> Bool {
        queries.values.contains { $0.loss == nil && $0.generation != generation }
    }

    /// Whether a stream waits for the query, and a new snapshot of it is needed.
    func wantsSnapshot(_ query: LiveQuery) -> Bool {
        query.loss == nil && query.needsSnapshot
            && pending.contains { $0.parts.contains { $0.plan.key == query.plan.key } }
    }

    /// Marks a query whose result could not be read, so that a later round reads it again; ends it
    /// where the reason is permanent.
    func lose(_ query: LiveQuery, _ error: any Error) {
        // Nobody wanted it any longer.
        if isStopping { return }
        if lane.isTooLong(error) { return slowDown(query, isLost: true) }
        query.loss = LiveLoss(
            error, after: query.loss, retryNanoseconds: hub.options.pollNanoseconds,
            seconds: hub.limits.liveRetrySeconds)
        if query.loss == nil { fail(query, error) }
    }

    /// Ends a failed query, and its streams with the reason.
    func fail(_ query: LiveQuery, _ error: any Error) {
        let problem = hub.problem(error, of: query.plan)
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
        hub.forget(query.plan.key, on: lane)
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

    /// Releases queries without listeners where the bounds are nearly reached, those first whose
    /// last listener left first.
    /// - Parameter waiting: requests that have found no room.
    private func makeRoom(for waiting: [LiveRoom]) {
        let limits = hub.limits
        let others = hub.load(of: lane.other)
        let rowsToCome = waiting.reduce(0) { $0 + $1.rows }
        let isNearlyFull = { (part: Int) in
            self.queries.count + others.queries + waiting.count
                >= limits.liveQueries - limits.liveQueries / part
                || self.rows + others.rows + rowsToCome
                    >= limits.liveRowsInAll - limits.liveRowsInAll / part
        }
        guard isNearlyFull(8) else { return }
        for member in members.values where member.stream.isClosed { remove(member) }
        let wanted = hub.expectedKeys.union(pending.flatMap(\.keys))
        let idle = queries.values.filter { $0.members.isEmpty && !wanted.contains($0.plan.key) }
        for query in idle.sorted(by: { $0.idleSince ?? 0 < $1.idleSince ?? 0 }) {
            guard isNearlyFull(4) else { break }
            end(query)
        }
    }

    /// Sends heartbeats within a round, which may take long on the thread for slow queries.
    func keepAlive() {
        let now = MonotonicClock.now
        guard now >= aliveAt else { return }
        aliveAt = now &+ hub.options.heartbeatNanoseconds
        guard lane == .slow else { return }
        let comment = Array(":\n\n".utf8)
        for arrival in pending { _ = arrival.stream.send(comment) }
        for member in members.values { _ = member.stream.send(comment) }
    }

    /// Sends comments, which keep connections open and find closed ones, and releases queries that
    /// have had no listeners for too long.
    private func beat(_ now: UInt64) {
        let comment = Array(":\n\n".utf8)
        pending.removeAll { !$0.stream.send(comment) }
        sendPlaces()
        for query in queries.values {
            guard let since = query.idleSince, now > since, now - since > idleNanoseconds
            else { continue }
            end(query)
        }
    }
}
