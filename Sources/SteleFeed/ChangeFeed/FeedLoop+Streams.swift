/// Streams that join, wait and are kept open; on the feed's thread.

import SteleHTTP

extension FeedLoop {
    package func admit(_ arrival: Arrival) {
        if groups.isEmpty, arrival.position > position { leap(to: arrival.position) }
        if arrival.position < position {
            guard !feed.isSlow(arrival.filter), let missed = recent.saves(after: arrival.position),
                !arrival.filter.needsHistory(of: missed)
            else {
                return readOn(
                    CatchUp(
                        arrival.stream, arrival.filter, position: arrival.position,
                        on: .lagging))
            }
            guard send(missed: missed, to: arrival) else { return }
        } else if !arrival.stream.send([]) {
            return
        }
        let skip = max(position, arrival.position)
        groups[arrival.filter, default: Group()].members.append(
            Member(stream: arrival.stream, skipThrough: skip))
    }

    /// Has a stream read what follows a save in the history.
    func judgeApart(
        _ stream: EventStream, _ filter: ChangeFilter, after save: Int64, on road: CatchUp.Road
    ) {
        readOn(CatchUp(stream, filter, position: save, on: road))
    }

    private func readOn(_ one: CatchUp) {
        reading[ObjectIdentifier(one)] = one
        feed.catchUp(one)
    }

    /// Has it read on where its queue has room; false where it has none.
    func goOn(_ one: CatchUp) -> Bool {
        guard one.stream.queuedBytes < feed.options.roomBytes / 2 else { return false }
        readOn(one)
        return true
    }

    /// Has streams read on whose queues have room again, and drops those that have taken nothing
    /// for too long.
    func goOnWithWaiting(_ now: UInt64) {
        roomAt = now &+ 20_000_000
        waiting.removeAll { one in
            if one.stream.isClosed || goOn(one) { return true }
            guard one.nanosecondsStill(now) > feed.options.stallNanoseconds else { return false }
            one.stream.drop()
            return true
        }
    }

    /// Sends a comment, which keeps connections open and finds closed ones. Filtered streams get
    /// the position with it. Streams that read old history get theirs from `CatchUp`, which knows
    /// it.
    func beat() {
        let plain = Array(":\n\n".utf8)
        let positioned = feed.renderer.place(position)
        for one in reading.values where one.stream.queuedBytes == 0 { one.stream.send(plain) }
        for (filter, group) in groups {
            let left = group.members.filter { member in
                let isMoving = filter.isPartial && member.skipThrough <= position
                return send([isMoving ? positioned : plain], to: member.stream)
            }
            groups[filter]?.members = left
            if left.isEmpty { groups[filter] = nil }
        }
    }
}
