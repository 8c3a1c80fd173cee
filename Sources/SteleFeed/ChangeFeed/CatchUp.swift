/// Reading the stored history for a stream: before it becomes live, or where an event is larger
/// than its queue may hold.

import SteleHTTP
import StelePersistence
import SteleSystem

/// One stream's progress through the history, a page at a time. One road or the feed's thread has
/// it, never both.
package final class CatchUp: Sendable {
    /// Where it takes its turns with other streams.
    package enum Road {
        /// For streams that begin in the history.
        case resuming
        /// For streams that were live.
        case lagging
        /// For streams whose filter takes too long on the others.
        case slow
    }

    package struct State: Sendable {
        /// The last transaction whose events are sent or pending.
        package var position: Int64
        /// Events that wait for room.
        package var pending: ArraySlice<[UInt8]> = []
        package var step = HistoryStretch.firstStep
        /// The save after the position that is sent in parts; nil for none.
        package var large: LargeSave?
        /// How many bytes waited in the stream's queue when last looked at.
        var queued = 0
        /// How many bytes the client had acknowledged when last asked.
        package var taken: UInt64
        /// When either was last found changed, and when the second was last asked for, on the
        /// monotonic clock.
        var movedAt: UInt64
        var askedAt: UInt64
        /// When the client was last given an id, on the monotonic clock.
        var placedAt: UInt64
        var road: Road
        /// Whether the stream ends after the pending events.
        var isEnding = false
    }

    package let stream: EventStream
    package let filter: ChangeFilter
    package let state: Mutex<State>

    /// - Parameter pending: events up to that position, which are sent first.
    package convenience init(
        _ stream: EventStream, _ filter: ChangeFilter, position: Int64, on road: Road,
        pending: ArraySlice<[UInt8]> = []
    ) {
        self.init(
            stream, filter, at: HistoryPosition(after: position), on: road, pending: pending)
    }

    init(
        _ stream: EventStream, _ filter: ChangeFilter, at place: HistoryPosition, on road: Road,
        pending: ArraySlice<[UInt8]> = []
    ) {
        // A stream that begins within a save first sends the rest of that save.
        let position = place.change == nil ? place.save : place.save - 1
        let large = place.change.map { LargeSave(place.save, after: $0) }
        self.stream = stream
        self.filter = filter
        let now = MonotonicClock.now
        state = Mutex(
            State(
                position: position, pending: pending, large: large, taken: stream.takenBytes,
                movedAt: now, askedAt: now, placedAt: now, road: road))
    }

    /// The road; once slow, it stays slow.
    var road: Road {
        get { state.withLock { $0.road } }
        set { state.withLock { $0.road = newValue } }
    }

    /// Ends the stream with an event, after the pending ones.
    func end(with event: [UInt8]) {
        state.withLock { state in
            state.pending.append(event)
            state.isEnding = true
        }
    }

    /// For how long the client has taken nothing of the waiting bytes, in nanoseconds. It is asked
    /// for from time to time, while nothing is added to the queue.
    func nanosecondsStill(_ now: UInt64) -> UInt64 {
        let queued = stream.queuedBytes
        return state.withLock { state in
            var isMoving = queued != state.queued || now < state.movedAt
            // The client first takes what the system holds for it.
            if now &- state.askedAt >= Self.askNanoseconds {
                state.askedAt = now
                let taken = stream.takenBytes
                isMoving = isMoving || taken != state.taken
                state.taken = taken
            }
            if isMoving {
                state.queued = queued
                state.movedAt = now
            }
            return now - state.movedAt
        }
    }

    /// How often the system is asked for the acknowledged bytes.
    private static let askNanoseconds: UInt64 = 1_000_000_000

    /// The result of a turn.
    package enum Outcome {
        /// There may be more; it is another stream's turn.
        case more
        /// The whole stored history is sent.
        case caughtUp(position: Int64)
        /// The next transactions were deleted meanwhile.
        case purged
        /// The stream's queue is full.
        case full
        /// The connection is closed, or an event did not fit although there was room.
        case ended
        /// The last event is sent.
        case finished
    }

    /// One turn: reads a page of the history and sends it as far as there is room.
    /// - Throws: `StoreError` when the history cannot be read, and as judging.
    func advance(for feed: ChangeFeed) throws(StoreError) -> Outcome {
        var state = self.state.withLock { $0 }
        defer { self.state.withLock { $0 = state } }
        if let outcome = sendPending(&state, room: feed.options.roomBytes) { return outcome }
        let page = try feed.page(
            after: state.position, step: state.step, state.large, filter, on: state.road)
        if page.isPurged { return .purged }
        state.pending = page.buffers[...]
        state.position = page.last
        state.step = page.nextStep
        state.large = page.large
        if page.isOver {
            state.pending.append(feed.tooSlow(filter, at: page.last))
            state.isEnding = true
        }
        if page.isLast, state.pending.isEmpty { return .caughtUp(position: state.position) }
        let now = MonotonicClock.now
        if !state.pending.isEmpty {
            state.placedAt = now
        } else if now &- state.placedAt >= feed.options.heartbeatNanoseconds {
            // So that the client resumes there. All events of saves up to that one are sent.
            state.placedAt = now
            let place = state.large?.place ?? HistoryPosition(after: state.position)
            state.pending = [feed.renderer.place(place)]
        }
        return sendPending(&state, room: feed.options.roomBytes) ?? .more
    }

    /// Sends what is pending; nil when all of it is sent.
    private func sendPending(_ state: inout State, room: Int) -> Outcome? {
        while let buffer = state.pending.first {
            if stream.isClosed { return .ended }
            // There is room to spare, so a refusal means that the stream has ended, or that another
            // program has written a change larger than the whole queue.
            guard stream.queuedBytes < room else { return .full }
            guard stream.send(buffer) else { return .ended }
            state.pending.removeFirst()
        }
        if stream.isClosed { return .ended }
        return state.isEnding ? .finished : nil
    }
}
