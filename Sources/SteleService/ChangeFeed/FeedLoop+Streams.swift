/// Streams that join, wait and are kept alive; all on the feed's thread.

import SteleHTTP
import SteleJSON

extension FeedLoop {
    func admit(_ arrival: Arrival) {
        if groups.isEmpty, arrival.position > position { leap(to: arrival.position) }
        if arrival.position < position {
            guard let missed = recent.saves(after: arrival.position) else {
                outstanding += 1
                feed.catchUp(
                    CatchUp(arrival.stream, arrival.filter, position: arrival.position),
                    isCounted: true)
                return
            }
            guard send(missed: missed, to: arrival) else { return }
        } else if !arrival.stream.send(SharedBuffer([])) {
            return
        }
        if groups.isEmpty { heartbeatAt = Alarm.now() &+ feed.options.heartbeatNanoseconds }
        let skip = max(position, arrival.position)
        groups[arrival.filter, default: []].append(
            Member(stream: arrival.stream, skipThrough: skip))
    }

    /// Lets those go on that have room again, and drops those that have not moved for too long.
    func goOnWithWaiting(_ now: UInt64) {
        roomAt = now &+ 20_000_000
        waiting.removeAll { one in
            if one.stream.isClosed { return true }
            if one.stream.queuedBytes < feed.options.roomBytes / 2 {
                outstanding += 1
                feed.catchUp(one, isCounted: true)
                return true
            }
            guard one.nanosecondsStill(now) > feed.options.stallNanoseconds else { return false }
            one.stream.drop()
            return true
        }
    }

    /// A comment keeps the line and finds out who has gone; partial streams get their position.
    func beat() {
        let plain = SharedBuffer(Array(":\n\n".utf8))
        var writer = ByteWriter(capacity: 64)
        writer.raw(":\n")
        feed.renderer.idLine(position, to: &writer)
        writer.byte(UInt8(ascii: "\n"))
        let positioned = SharedBuffer(writer.take())
        for (filter, members) in groups {
            let left = members.filter { member in
                let isMoving = filter.isPartial && member.skipThrough <= position
                return send([isMoving ? positioned : plain], to: member.stream)
            }
            groups[filter] = left.isEmpty ? nil : left
        }
    }
}
