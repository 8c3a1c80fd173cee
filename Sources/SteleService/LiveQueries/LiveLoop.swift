/// The live queries' thread: follows the saves for all queries and tells their streams.

import SteleGraph
import SteleHTTP
import SteleJSON
import StelePersistence

/// What the thread alone has in hand. Between two rounds all queries know the same last save,
/// `position`.
final class LiveLoop {
    let hub: LiveQueries
    var queries: [String: LiveQuery] = [:]
    var position: Int64 = 0
    /// Streams whose queries are not there yet.
    var pending: [LiveArrival] = []
    var members: [ObjectIdentifier: LiveMember] = [:]
    private var heartbeatAt: UInt64 = 0
    private var pollAt: UInt64 = 0
    /// Whether the store has more than was told, which could not be read.
    private var isBehind = false

    private var idleNanoseconds: UInt64 { UInt64(max(hub.limits.liveIdleSeconds, 0) * 1e9) }

    init(_ hub: LiveQueries) { self.hub = hub }

    /// Whom it was made for may be gone, or be refused for another query: so nobody listens yet.
    private func follow(_ query: LiveQuery) {
        query.idleSince = Alarm.now()
        queries[query.plan.key] = query
    }

    private var isWatched: Bool { !queries.isEmpty || !pending.isEmpty }

    func run() {
        while turn() { hub.inbox.alarm.sleep(until: nextTime()) }
    }

    /// One round; false when the thread has ended.
    private func turn() -> Bool {
        let mail = hub.inbox.take(isWatched: isWatched)
        pending += mail.arrivals
        if mail.isStopping {
            for arrival in pending { arrival.stream.finish() }
            for member in members.values { member.stream.finish() }
            return false
        }
        for key in mail.failed {
            for arrival in pending where arrival.parts.contains(where: { $0.plan.key == key }) {
                arrival.stream.finish()
            }
            pending.removeAll { arrival in arrival.parts.contains { $0.plan.key == key } }
        }
        let isFirst = queries.isEmpty
        for query in mail.built where queries[query.plan.key] == nil {
            follow(query)
        }
        if isFirst { position = queries.values.map(\.token).max() ?? max(position, mail.told.latest) }
        buildMissing()
        follow(mail)
        if !isBehind { admit() }
        let now = Alarm.now()
        if now >= pollAt {
            pollAt = now &+ hub.options.pollNanoseconds
            if isWatched { _ = hub.coordinator.store.noticesForeignChange() }
        }
        if now >= heartbeatAt {
            beat(now)
            heartbeatAt = now &+ hub.options.heartbeatNanoseconds
        }
        hub.note(rows: queries.values.reduce(0) { $0 + $1.weight })
        return true
    }

    private func nextTime() -> UInt64? { isWatched ? min(heartbeatAt, pollAt) : nil }

    /// A query that was let go between a request and its arrival here is built again.
    private func buildMissing() {
        for plan in pending.flatMap(\.parts).map(\.plan)
        where queries[plan.key] == nil && !hub.isBeingBuilt(plan.key) {
            do {
                let query = try hub.made(plan)
                follow(query)
                hub.note(followed: plan.key)
                if queries.count == 1 { position = query.token }
            } catch {
                for arrival in pending
                where arrival.parts.contains(where: { $0.plan.key == plan.key }) {
                    arrival.stream.finish()
                }
                pending.removeAll { arrival in arrival.parts.contains { $0.plan.key == plan.key } }
                _ = hub.problem(error)
            }
        }
    }

    // MARK: Following

    private func follow(_ mail: LiveInbox.Mail) {
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
        } catch {
            hub.logger.error("live queries cannot read the store: \(error)")
            isBehind = true
            pollAt = Alarm.now() &+ hub.options.pollNanoseconds
        }
    }

    /// Whether a stream that waits shows a query whose snapshot has to be made anew.
    func wantsSnapshot(_ query: LiveQuery) -> Bool {
        query.needsSnapshot
            && pending.contains { $0.parts.contains { $0.plan.key == query.plan.key } }
    }

    /// Ends a query that failed, and its streams with the reason.
    func fail(_ query: LiveQuery, _ error: any Error) {
        let problem = hub.problem(error)
        let listeners = query.members
        end(query)
        for member in listeners {
            for part in member.parts where part.key == query.plan.key {
                var writer = ByteWriter(capacity: 256)
                writer.write("event: \(part.prefix)error\ndata: ")
                problem.json(basePath: hub.options.basePath).write(to: &writer)
                writer.raw("\n\n")
                _ = member.send(SharedBuffer(writer.take()))
            }
            member.stream.finish()
            remove(member)
        }
    }

    private func end(_ query: LiveQuery) {
        queries[query.plan.key] = nil
        hub.forget(query.plan.key)
    }

    func remove(_ member: LiveMember) {
        members[ObjectIdentifier(member)] = nil
        for part in member.parts {
            guard let query = queries[part.key] else { continue }
            query.members.removeAll { $0 === member }
            if query.members.isEmpty { query.idleSince = Alarm.now() }
        }
    }

    // MARK: Streams

    /// Lets those listen whose queries are all there.
    private func admit() {
        let (ready, rest) = (
            pending.filter { $0.parts.allSatisfy { queries[$0.plan.key] != nil } },
            pending.filter { !$0.parts.allSatisfy { queries[$0.plan.key] != nil } }
        )
        pending = rest
        for arrival in ready {
            let member = LiveMember(
                arrival.stream,
                arrival.parts.map { .init(key: $0.plan.key, prefix: $0.prefix) },
                capacity: hub.options.bufferBytes)
            guard member.greet(greeting(arrival, member)) else { continue }
            if members.isEmpty { heartbeatAt = Alarm.now() &+ hub.options.heartbeatNanoseconds }
            members[ObjectIdentifier(member)] = member
            // One stream may show a query under several names.
            for key in Set(member.parts.map(\.key)) {
                queries[key]?.members.append(member)
                queries[key]?.idleSince = nil
            }
        }
    }

    /// What a stream begins with: what it has missed, or the whole and what came after.
    private func greeting(_ arrival: LiveArrival, _ member: LiveMember) -> [SharedBuffer] {
        var buffers = [text("retry: \(hub.options.retryMilliseconds)\n\n")]
        let known = arrival.lastEventID.flatMap(hub.number).flatMap { $0 <= position ? $0 : nil }
        for part in member.parts {
            guard let query = queries[part.key] else { continue }
            if let known, let missed = query.log.events(after: known) {
                for event in missed { buffers.append(self.event(event, part)) }
                continue
            }
            guard let snapshot = query.snapshot else { continue }
            let id = part.prefix.isEmpty ? "id: \(hub.token(snapshot.token))\n" : ""
            buffers += [text("event: \(part.prefix)snapshot\n\(id)data: "), snapshot.data]
            for event in query.log.events(after: snapshot.token) ?? [] {
                buffers.append(self.event(event, part))
            }
        }
        buffers.append(place)
        return buffers
    }

    /// Sends the whole result to all who listen to it.
    func resend(_ query: LiveQuery) {
        guard let snapshot = query.snapshot else { return }
        for member in query.members {
            for part in member.parts where part.key == query.plan.key {
                let id = part.prefix.isEmpty ? "id: \(hub.token(snapshot.token))\n" : ""
                let head = text("event: \(part.prefix)snapshot\n\(id)data: ")
                if !member.greetAgain([head, snapshot.data]) { remove(member) }
            }
        }
    }

    /// A change as a stream is told it.
    func event(_ event: LiveEvent, _ part: LiveMember.Part) -> SharedBuffer {
        let id = part.prefix.isEmpty ? "id: \(hub.token(event.token))\n" : ""
        let head = Array("event: \(part.prefix)change\n\(id)data: ".utf8)
        return SharedBuffer(head + event.data.bytes)
    }

    /// A comment with the place that all queries have come to.
    var place: SharedBuffer { text(":\nid: \(hub.token(position))\n\n") }

    private func text(_ text: String) -> SharedBuffer { SharedBuffer(Array(text.utf8)) }

    /// Keeps the lines, finds out who has gone, and lets go of what nobody listens to.
    private func beat(_ now: UInt64) {
        let place = place
        for member in members.values where !member.send(place) { remove(member) }
        for query in queries.values {
            guard let since = query.idleSince, now > since, now - since > idleNanoseconds
            else { continue }
            end(query)
        }
    }
}
