/// What the live queries' thread sends: what a stream begins with, changes, and places.

import SteleHTTP
import SteleJSON

extension LiveLoop {
    /// Lets those listen whose queries are all there.
    func admit() {
        let isReady: (LiveArrival) -> Bool = { [queries] arrival in
            arrival.parts.allSatisfy { part in
                queries[part.plan.key].map { $0.loss == nil } ?? false
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
        for part in member.parts {
            guard let query = queries[part.key] else { continue }
            if let token = arrival.known?.token(of: query), token <= query.token,
                let missed = query.log.events(after: token)
            {
                for event in missed { buffers.append(self.event(event, of: query, part)) }
                continue
            }
            guard let snapshot = query.snapshot else { continue }
            buffers += [head("snapshot", of: query, part, snapshot.token), snapshot.data]
            for event in query.log.events(after: snapshot.token) ?? [] {
                buffers.append(self.event(event, of: query, part))
            }
        }
        buffers.append(place(of: member))
        return buffers
    }

    /// Sends the whole result to all who listen to it.
    func resend(_ query: LiveQuery) {
        guard let snapshot = query.snapshot else { return }
        for member in query.members {
            for part in member.parts where part.key == query.plan.key {
                let head = head("snapshot", of: query, part, snapshot.token)
                if !member.greetAgain([head, snapshot.data]) { remove(member) }
            }
        }
    }

    /// A change as a stream is told it.
    func event(_ event: LiveEvent, of query: LiveQuery, _ part: LiveMember.Part) -> SharedBuffer {
        let head = head("change", of: query, part, event.token)
        return SharedBuffer(head.bytes + event.data.bytes)
    }

    /// What stands before an event's data. On a stream of several queries an id comes by itself,
    /// when all of them are told.
    private func head(
        _ name: String, of query: LiveQuery, _ part: LiveMember.Part, _ token: Int64
    ) -> SharedBuffer {
        let id = part.prefix.isEmpty ? line(LiveID(mark: query.mark, number: token)) : ""
        return text("event: \(part.prefix)\(name)\n\(id)data: ")
    }

    // MARK: Places

    /// A comment with the place that those queries have come to; without, where they are not at the
    /// same one, for then the stream has been told more of one than of another.
    private func place(of queries: [LiveQuery]) -> SharedBuffer {
        guard let first = queries.first,
            queries.allSatisfy({
                $0.token == first.token && $0.mark == first.mark && $0.loss == nil
            })
        else { return text(":\n\n") }
        return text(":\n\(line(LiveID(mark: first.mark, number: first.token)))\n")
    }

    private func line(_ id: LiveID) -> String { "id: \(id.text)\n" }

    private func place(of member: LiveMember) -> SharedBuffer {
        place(of: member.parts.compactMap { queries[$0.key] })
    }

    /// Tells all streams their place.
    func sendPlaces() {
        for query in queries.values {
            let place = place(of: [query])
            for member in query.members where !member.isShared && !member.send(place) {
                remove(member)
            }
        }
        sendPlacesShared()
    }

    /// Tells those their place that show several queries: it comes when all of them are told.
    func sendPlacesShared() {
        var places: [String: SharedBuffer] = [:]
        for member in members.values where member.isShared {
            let place = places[member.keys] ?? place(of: member)
            places[member.keys] = place
            if !member.send(place) { remove(member) }
        }
    }

    // MARK: Errors

    /// Why a stream ends.
    func error(_ problem: Problem, prefix: String) -> SharedBuffer {
        var writer = ByteWriter(capacity: 256)
        writer.write("event: \(prefix)error\ndata: ")
        problem.json(basePath: hub.options.basePath).write(to: &writer)
        writer.raw("\n\n")
        return SharedBuffer(writer.take())
    }

    private func text(_ text: String) -> SharedBuffer { SharedBuffer(Array(text.utf8)) }
}
