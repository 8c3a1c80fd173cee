/// Live queries that move from one thread to the other.

import SteleHTTP
import StelePersistence
import SteleRequests
import SteleSystem

extension LiveLoop {
    /// Goes on with a query that took too long: on the thread for slow ones, or to its end.
    /// - Parameter isLost: whether its result is not valid any more, and is read again there.
    func slowDown(_ query: LiveQuery, isLost: Bool) {
        guard lane == .shared else {
            let most = hub.limits.slowLiveJudging.nanoseconds / 1_000_000
            return fail(
                query,
                Problem(
                    .busy, "following the query took more than \(most) ms at once",
                    hint: "come back later, or with a where that takes less, or a limit: MATCHES "
                        + "may take long, CONTAINS and BEGINSWITH do not"))
        }
        hub.slow.note(query.plan.key)
        if isLost {
            query.loss = LiveLoss(
                StoreError.overBudget, after: query.loss, retryNanoseconds: 0,
                seconds: hub.limits.liveRetrySeconds)
        }
        move(query)
    }

    /// Hands a query back that takes long no longer.
    func speedUp(_ query: LiveQuery) {
        // A stream of several queries stays with all of them.
        guard !query.members.contains(where: { $0.parts.count > 1 }) else { return }
        move(query)
    }

    /// Hands a query over to the other thread, with its streams and those that wait for it. Streams
    /// that have other queries, too, are ended: their clients come back, and all of their queries
    /// are followed there.
    private func move(_ query: LiveQuery) {
        let key = query.plan.key
        for member in query.members where member.parts.count > 1 {
            member.stream.finish()
            remove(member)
        }
        for member in query.members { members[ObjectIdentifier(member)] = nil }
        queries[key] = nil
        // Before a stream can arrive there that would have it built.
        if !hub.inbox(of: lane.other).put({ $0.moved.append(query) }) {
            for member in query.members { member.stream.finish() }
        }
        hub.note(followed: key, on: lane.other)
        hub.forget(key, on: lane)
        passOn(key)
    }

    /// Hands over the streams that wait for a query.
    func passOn(_ key: String) {
        let isWaiting: (LiveArrival) -> Bool = { $0.keys.contains(key) }
        let waiting = pending.filter(isWaiting)
        guard !waiting.isEmpty else { return }
        pending.removeAll(where: isWaiting)
        for arrival in waiting {
            hub.expect(arrival)
            hub.send(arrival, to: lane.other)
        }
    }

    /// Takes a query from the other thread.
    func takeOver(_ query: LiveQuery) {
        guard queries[query.plan.key] == nil else {
            // It is followed here already, from another save on: its clients come back.
            for member in query.members { member.stream.finish() }
            return
        }
        queries[query.plan.key] = query
        if query.members.isEmpty { query.idleSince = MonotonicClock.now }
        if members.isEmpty {
            heartbeatAt = MonotonicClock.now &+ hub.options.heartbeatNanoseconds
        }
        for member in query.members { members[ObjectIdentifier(member)] = member }
    }
}
