/// The events that the live queries' thread sends.

import SteleHTTP
import SteleJSON
import SteleRequests
import SteleSystem

extension LiveLoop {
    /// Adds waiting streams whose queries are all built.
    package func admit() {
        let isReady: (LiveArrival) -> Bool = { [queries, isUneven] arrival in
            arrival.parts.allSatisfy { part in
                guard let query = queries[part.plan.key], query.loss == nil else { return false }
                // A round that has ended early may have left it as it was before.
                if isUneven, query.token < arrival.since { return false }
                return query.plan.sight == nil || !query.needsSnapshot
            }
        }
        let ready = pending.filter(isReady)
        pending.removeAll(where: isReady)
        for arrival in ready {
            let member = LiveMember(
                arrival.stream,
                arrival.parts.map { .init(key: $0.plan.key, prefix: $0.prefix) },
                capacity: hub.options.bufferBytes)
            guard member.greet(greeting(arrival, member)) else { continue }
            if members.isEmpty {
                heartbeatAt = MonotonicClock.now &+ hub.options.heartbeatNanoseconds
            }
            members[ObjectIdentifier(member)] = member
            // One stream may show a query under several names.
            for key in Set(member.parts.map(\.key)) {
                queries[key]?.members.append(member)
                queries[key]?.idleSince = nil
            }
        }
    }

    /// The first events of a stream: missed changes, or a snapshot with the changes after it.
    private func greeting(_ arrival: LiveArrival, _ member: LiveMember) -> [[UInt8]] {
        var buffers = [text("retry: \(hub.options.retryMilliseconds)\n\n")]
        let known = arrival.known.flatMap {
            $0.isOf(generations: generations(of: member), keys: arrival.keys, hub.coordinator)
                ? $0 : nil
        }
        let missed = member.parts.enumerated().map { index, part -> [LiveEvent]? in
            guard let query = queries[part.key],
                let token = known?.number(at: index, of: member.parts.count), token <= query.token,
                let events = query.log.events(after: token)
            else { return nil }
            member.told[index] = token
            return events
        }
        for (index, part) in member.parts.enumerated() {
            guard let query = queries[part.key] else { continue }
            var events = missed[index]
            if events == nil, let snapshot = query.snapshot {
                buffers += [head(snapshot, member, index), snapshot.data]
                events = query.log.events(after: snapshot.token)
            }
            for event in events ?? [] {
                var rendered: [String: [UInt8]] = [:]
                buffers.append(self.event(event, to: member, part: index, sharing: &rendered))
            }
        }
        buffers.append(place(of: member))
        return buffers
    }

    /// Sends the whole result to all listeners.
    func resend(_ query: LiveQuery) {
        guard let snapshot = query.snapshot else { return }
        for member in query.members {
            for (index, part) in member.parts.enumerated() where part.key == query.plan.key {
                let head = head(snapshot, member, index)
                if !member.greetAgain([head, snapshot.data]) { remove(member) }
            }
        }
    }

    /// The event of a change for a stream, which counts as sent.
    /// - Parameter rendered: buffers for streams with the same names and positions.
    package func event(
        _ event: LiveEvent, to member: LiveMember, part index: Int,
        sharing rendered: inout [String: [UInt8]]
    ) -> [UInt8] {
        member.told[index] = event.token
        // Streams of this query alone have the same event.
        let key = member.isShared ? "\(member.parts[index].prefix)\(id(of: member).text)" : ""
        if let known = rendered[key] { return known }
        let head = Array(head("change", member, index).utf8)
        let buffer = head + event.data
        rendered[key] = buffer
        return buffer
    }

    /// The text before a snapshot's data; the snapshot counts as sent.
    private func head(
        _ snapshot: (data: [UInt8], token: Int64), _ member: LiveMember, _ index: Int
    ) -> [UInt8] {
        member.told[index] = snapshot.token
        return text(head("snapshot", member, index))
    }

    /// The text before an event's data. Its id includes this event, so that a client that resumes
    /// with it is sent no event twice, of whichever query the next one is.
    private func head(_ name: String, _ member: LiveMember, _ index: Int) -> String {
        "event: \(member.parts[index].prefix)\(name)\n\(line(id(of: member)))data: "
    }

    // MARK: Places

    private func mark(of member: LiveMember) -> String {
        LiveID.mark(generations: generations(of: member), keys: member.parts.map(\.key))
    }

    private func generations(of member: LiveMember) -> [String] {
        member.parts.compactMap { queries[$0.key]?.generation }
    }

    private func id(of member: LiveMember) -> LiveID {
        LiveID(mark: mark(of: member), numbers: member.told)
    }

    private func line(_ id: LiveID) -> String { "id: \(id.text)\n" }

    /// A comment with the position of a stream's queries.
    private func place(of member: LiveMember) -> [UInt8] {
        for (index, part) in member.parts.enumerated() {
            // Not all changes of a lost query were sent.
            guard let query = queries[part.key], query.loss == nil else { continue }
            member.told[index] = query.token
        }
        return text(":\n\(line(id(of: member)))\n")
    }

    /// Sends all streams their positions.
    func sendPlaces() {
        for query in queries.values {
            let alone = query.members.filter { !$0.isShared }
            // They have the same queries, so one buffer is for all.
            guard let place = alone.first.map({ place(of: $0) }) else { continue }
            for member in alone {
                if query.loss == nil { member.told = [query.token] }
                if !member.send(place) { remove(member) }
            }
        }
        sendPlacesShared()
    }

    /// Sends streams of several queries their position, after the changes of all queries.
    func sendPlacesShared() {
        for member in members.values where member.isShared && !member.send(place(of: member)) {
            remove(member)
        }
    }

    // MARK: Errors

    /// The event with the reason why a stream ends.
    package func error(_ problem: Problem, prefix: String) -> [UInt8] {
        var writer = ByteWriter(capacity: 256)
        writer.write("event: \(prefix)error\ndata: ")
        problem.json(basePath: hub.options.basePath).write(to: &writer)
        writer.raw("\n\n")
        return writer.take()
    }

    private func text(_ text: String) -> [UInt8] { Array(text.utf8) }
}
