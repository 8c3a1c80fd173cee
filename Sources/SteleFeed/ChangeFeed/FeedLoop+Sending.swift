/// Saves on their way to the live streams; on the feed's thread.

import SteleHTTP
import StelePersistence

extension FeedLoop {
    /// Events, cut in two where a stream shall have no more of them in its queue at once.
    package struct Share {
        package let now: ArraySlice<SharedBuffer>
        /// What follows when there is room again; most often nothing.
        package let later: ArraySlice<SharedBuffer>

        /// - Parameter room: how many bytes may go at once.
        package init(of buffers: [SharedBuffer], room: Int) {
            var bytes = 0
            let end = buffers.firstIndex { buffer in
                bytes += buffer.count
                return bytes > room
            }
            now = buffers[..<(end ?? buffers.endIndex)]
            later = buffers[(end ?? buffers.endIndex)...]
        }
    }

    /// What is told at once in a turn takes half of a stream's buffer at most. Who has no room for
    /// that has left as much of what was told before: he is slow, and not only told much.
    private var mostAtOnce: Int { feed.options.bufferBytes / 2 }

    /// Sends saves to a filter's streams, and gives those back that are live still.
    package func sweep(
        _ saves: [HistoryTransaction], _ filter: ChangeFilter, _ members: [Member]
    ) -> [Member] {
        guard let first = saves.first?.number, let last = saves.last?.number else { return members }
        let room = mostAtOnce - told[filter, default: 0]
        let buffers = feed.renderer.events(of: saves, filter)
        told[filter, default: 0] += buffers.reduce(0) { $0 + $1.count }
        let events = Share(of: buffers, room: room)
        var late: [Int64: Share] = [:]
        return members.filter { member in
            var share = events
            if member.skipThrough >= first {
                share =
                    late[member.skipThrough]
                    ?? {
                        let missed = saves.filter { $0.number > member.skipThrough }
                        return Share(of: feed.renderer.events(of: missed, filter), room: room)
                    }()
                late[member.skipThrough] = share
            }
            return send(share, to: member.stream, filter, through: last)
        }
    }

    /// Sends a stream that is about to be live what it has missed.
    /// - Returns: as `send`.
    package func send(missed saves: [HistoryTransaction], to arrival: Arrival) -> Bool {
        let told =
            arrival.filter.needsValues
            ? feed.completed(saves, after: arrival.position) : saves
        let buffers = feed.renderer.events(of: told, arrival.filter)
        return send(
            Share(of: buffers, room: mostAtOnce), to: arrival.stream, arrival.filter,
            through: position)
    }

    /// Sends what may go at once. Where there is more the stream waits for room, reads on in the
    /// history, and joins again.
    /// - Parameter position: the save that all of it leads up to.
    /// - Returns: whether the stream is live still. Where it has ended, or is too slow, it is
    ///   broken off: its client comes back by its token.
    private func send(
        _ share: Share, to stream: EventStream, _ filter: ChangeFilter, through position: Int64
    ) -> Bool {
        guard send(share.now, to: stream) else { return false }
        if share.later.isEmpty { return true }
        waiting.append(
            CatchUp(
                stream, filter, position: position, on: feed.lagging, pending: share.later))
        return false
    }

    /// False where the stream did not take all, and is broken off.
    package func send(_ buffers: ArraySlice<SharedBuffer>, to stream: EventStream) -> Bool {
        for buffer in buffers where !stream.send(buffer) {
            stream.drop()
            return false
        }
        return true
    }
}
