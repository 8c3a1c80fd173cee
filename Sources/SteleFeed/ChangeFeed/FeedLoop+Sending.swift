/// Sending saves to the live streams; on the feed's thread.

import SteleHTTP
import StelePersistence

extension FeedLoop {
    /// Events in two parts, the second for when a stream's queue has room again.
    package struct Share {
        package let now: ArraySlice<[UInt8]>
        /// Mostly empty.
        package let later: ArraySlice<[UInt8]>
        /// How many bytes both have.
        let bytes: Int

        /// - Parameter room: the most bytes of the first part.
        package init(of buffers: [[UInt8]], room: Int) {
            var bytes = 0
            let end = buffers.firstIndex { buffer in
                bytes += buffer.count
                return bytes > room
            }
            now = buffers[..<(end ?? buffers.endIndex)]
            later = buffers[(end ?? buffers.endIndex)...]
            self.bytes = buffers.reduce(0) { $0 + $1.count }
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
        let whole: Reading = events(of: saves, filter, room: room)
        if case .events(let share) = whole { told[filter, default: 0] += share.bytes }
        var late: [Int64: Reading] = [:]
        return members.filter { member in
            var reading = whole
            if member.skipThrough >= first {
                let missed = saves.filter { $0.number > member.skipThrough }
                reading = late[member.skipThrough] ?? events(of: missed, filter, room: room)
                late[member.skipThrough] = reading
            }
            let known = max(position, member.skipThrough)
            return send(reading, to: member.stream, filter, after: known, through: last)
        }
    }

    /// The events of saves, as far as this thread has them.
    private enum Reading {
        case events(Share)
        /// They are judged on the road for slow filters.
        case slow
        /// The store cannot be read.
        case failed
    }

    private func events(
        of saves: [HistoryTransaction], _ filter: ChangeFilter, room: Int
    ) -> Reading {
        defer { time.end() }
        do throws(StoreError) {
            let events = try feed.renderer.events(of: saves, filter, in: time)
            // A stream that is not told all of them must not go on as if it were.
            guard events.last == saves.last?.number else { return .slow }
            return .events(Share(of: events.buffers, room: room))
        } catch {
            if case .overBudget = error, filter.isJudged {
                time.endAsSlow()
                feed.slow.note(filter)
                return .slow
            }
            feed.logger.error("the change feed cannot read the store: \(error)")
            return .failed
        }
    }

    /// Sends the missed saves to a stream that joins.
    /// - Returns: as `send`.
    package func send(missed saves: [HistoryTransaction], to arrival: Arrival) -> Bool {
        let told =
            arrival.filter.needsValues
            ? feed.completed(saves, after: arrival.position) : saves
        return send(
            events(of: told, arrival.filter, room: mostAtOnce),
            to: arrival.stream, arrival.filter, after: arrival.position, through: position)
    }

    /// Sends what there is for a stream between two saves.
    /// - Returns: whether it stays live. Where the store cannot be read it is dropped, and its
    ///   client resumes with its token.
    private func send(
        _ reading: Reading, to stream: EventStream, _ filter: ChangeFilter, after start: Int64,
        through end: Int64
    ) -> Bool {
        switch reading {
        case .events(let share): return send(share, to: stream, filter, through: end)
        case .slow: judgeApart(stream, filter, after: start, on: .slow)
        case .failed: stream.drop()
        }
        return false
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
                stream, filter, position: position, on: .lagging, pending: share.later))
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
