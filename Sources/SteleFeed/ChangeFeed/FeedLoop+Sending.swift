/// Sending saves to the live streams; on the feed's thread.

import SteleHTTP
import StelePersistence

extension FeedLoop {
    /// Events in two parts, the second for when a stream's queue has room again.
    package struct Share {
        package let now: ArraySlice<[UInt8]>
        /// Mostly empty.
        package let later: ArraySlice<[UInt8]>

        /// - Parameter room: the most bytes of the first part.
        package init(of buffers: [[UInt8]], room: Int) {
            var bytes = 0
            let end = buffers.firstIndex { buffer in
                bytes += buffer.count
                return bytes > room
            }
            now = buffers[..<(end ?? buffers.endIndex)]
            later = buffers[(end ?? buffers.endIndex)...]
        }
    }

    /// The most bytes for a stream in one turn: half of its queue. A stream without room for that
    /// has not taken earlier events, so its client is slow.
    private var mostAtOnce: Int { feed.options.bufferBytes / 2 }

    /// Sends saves to a filter's streams, and returns those that stay live.
    package func sweep(
        _ saves: [HistoryTransaction], _ filter: ChangeFilter, _ members: [Member]
    ) -> [Member] {
        guard let first = saves.first?.number, let last = saves.last?.number else { return members }
        let room = mostAtOnce - told[filter, default: 0]
        guard let buffers = events(of: saves, filter) else {
            for member in members { member.stream.drop() }
            return []
        }
        told[filter, default: 0] += buffers.reduce(0) { $0 + $1.count }
        let whole = Share(of: buffers, room: room)
        var late: [Int64: Share] = [:]
        return members.filter { member in
            var share: Share? = whole
            if member.skipThrough >= first {
                share = late[member.skipThrough]
                if share == nil {
                    let missed = saves.filter { $0.number > member.skipThrough }
                    share = events(of: missed, filter).map { Share(of: $0, room: room) }
                }
                late[member.skipThrough] = share
            }
            guard let share else {
                member.stream.drop()
                return false
            }
            return send(share, to: member.stream, filter, through: last)
        }
    }

    /// The events of saves; nil where the store cannot be read. The streams are dropped then, and
    /// their clients resume with their tokens.
    private func events(
        of saves: [HistoryTransaction], _ filter: ChangeFilter
    ) -> [[UInt8]]? {
        do throws(StoreError) { return try feed.renderer.events(of: saves, filter) } catch {
            feed.logger.error("the change feed cannot read the store: \(error)")
            return nil
        }
    }

    /// Sends the missed saves to a stream that joins.
    /// - Returns: as `send`.
    package func send(missed saves: [HistoryTransaction], to arrival: Arrival) -> Bool {
        let told =
            arrival.filter.needsValues
            ? feed.completed(saves, after: arrival.position) : saves
        guard let buffers = events(of: told, arrival.filter) else {
            arrival.stream.drop()
            return false
        }
        return send(
            Share(of: buffers, room: mostAtOnce), to: arrival.stream, arrival.filter,
            through: position)
    }

    /// Sends the first part. Where there is a second, the stream waits for room, reads on in the
    /// history, and joins again.
    /// - Parameter position: the last save of the events.
    /// - Returns: whether the stream stays live. A stream that is too slow is dropped: its client
    ///   resumes with its token.
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

    /// Sends buffers; where one does not fit the stream is dropped, and the result false.
    package func send(_ buffers: ArraySlice<[UInt8]>, to stream: EventStream) -> Bool {
        for buffer in buffers where !stream.send(buffer) {
            stream.drop()
            return false
        }
        return true
    }
}
