/// What the live queries' thread sends: what a stream begins with, changes, and places.

import SteleHTTP
import SteleJSON
import SteleRequests
import SteleSystem

extension LiveLoop {
    /// Lets those listen whose queries are all there.
    package func admit() {
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

    /// What a stream begins with: what it has missed, or the whole and what came after.
    private func greeting(_ arrival: LiveArrival, _ member: LiveMember) -> [SharedBuffer] {
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
                var rendered: [String: SharedBuffer] = [:]
                buffers.append(self.event(event, member, index, &rendered))
            }
        }
        buffers.append(place(of: member))
        return buffers
    }

    /// Sends the whole result to all who listen to it.
    func resend(_ query: LiveQuery) {
        guard let snapshot = query.snapshot else { return }
        for member in query.members {
            for (index, part) in member.parts.enumerated() where part.key == query.plan.key {
                let head = head(snapshot, member, index)
                if !member.greetAgain([head, snapshot.data]) { remove(member) }
            }
        }
    }

    /// A change as a stream is told it, and notes that it is.
    /// - Parameter rendered: the same for streams of the same names and places.
    package func event(
        _ event: LiveEvent, _ member: LiveMember, _ index: Int,
        _ rendered: inout [String: SharedBuffer]
    ) -> SharedBuffer {
        member.told[index] = event.token
        // Alone on its stream, a query is told all of them alike.
        let key = member.isShared ? "\(member.parts[index].prefix)\(id(of: member).text)" : ""
        if let known = rendered[key] { return known }
        let head = Array(head("change", member, index).utf8)
        let buffer = SharedBuffer(head + event.data.bytes)
        rendered[key] = buffer
        return buffer
    }

    /// What stands before a snapshot's data; notes that it is sent.
    private func head(
        _ snapshot: (data: SharedBuffer, token: Int64), _ member: LiveMember, _ index: Int
    ) -> SharedBuffer {
        member.told[index] = snapshot.token
        return text(head("snapshot", member, index))
    }

    /// What stands before an event's data. The id is of what the client has been told with it: who
    /// comes back by it is told nothing twice, whichever query the next event would have been of.
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

    /// A comment with the place that a stream's queries have come to.
    private func place(of member: LiveMember) -> SharedBuffer {
        for (index, part) in member.parts.enumerated() {
            // Of one that was lost the client has not been told all.
            guard let query = queries[part.key], query.loss == nil else { continue }
            member.told[index] = query.token
        }
        return text(":\n\(line(id(of: member)))\n")
    }

    /// Tells all streams their place.
    func sendPlaces() {
        for query in queries.values {
            let alone = query.members.filter { !$0.isShared }
            // All of them show the same, so that one line is for all.
            guard let place = alone.first.map({ place(of: $0) }) else { continue }
            for member in alone {
                if query.loss == nil { member.told = [query.token] }
                if !member.send(place) { remove(member) }
            }
        }
        sendPlacesShared()
    }

    /// Tells those their place that show several queries: it comes when all of them are told.
    func sendPlacesShared() {
        for member in members.values where member.isShared && !member.send(place(of: member)) {
            remove(member)
        }
    }

    // MARK: Errors

    /// Why a stream ends.
    package func error(_ problem: Problem, prefix: String) -> SharedBuffer {
        var writer = ByteWriter(capacity: 256)
        writer.write("event: \(prefix)error\ndata: ")
        problem.json(basePath: hub.options.basePath).write(to: &writer)
        writer.raw("\n\n")
        return SharedBuffer(writer.take())
    }

    private func text(_ text: String) -> SharedBuffer { SharedBuffer(Array(text.utf8)) }
}
