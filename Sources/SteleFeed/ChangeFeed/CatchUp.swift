/// A stream that reads the stored history before it goes on live, or again where more was told at
/// once than it shall have in its queue.

import Dispatch
import SteleAnswers
import SteleHTTP
import StelePersistence
import SteleSystem

/// One stream's way through the history, a page in each of its turns; on one worker or with the
/// feed's thread, never with both.
package final class CatchUp: Sendable {
    package struct State: Sendable {
        /// The last transaction whose events are sent or pending.
        package var position: Int64
        /// Events that wait for room.
        package var pending: ArraySlice<SharedBuffer> = []
        package var step = HistoryStretch.firstStep
        /// How much waited in the stream's queue when it was last looked at.
        var queued = 0
        /// How much the client had taken when that was last asked.
        package var taken: UInt64
        /// When either was found to be another, and when they were last asked, on the monotonic
        /// clock.
        var movedAt: UInt64
        var askedAt: UInt64
        /// When the client was last given an id, on the monotonic clock.
        var placedAt: UInt64
    }

    package let stream: EventStream
    package let filter: ChangeFilter
    /// Where it has its turns, one behind the other with those of its like.
    let queue: DispatchQueue
    package let state: Mutex<State>

    /// - Parameter pending: events up to that position that are to be sent first.
    package init(
        _ stream: EventStream, _ filter: ChangeFilter, position: Int64, on queue: DispatchQueue,
        pending: ArraySlice<SharedBuffer> = []
    ) {
        self.stream = stream
        self.filter = filter
        self.queue = queue
        let now = MonotonicClock.now
        state = Mutex(
            State(
                position: position, pending: pending, taken: stream.takenBytes, movedAt: now,
                askedAt: now, placedAt: now))
    }

    /// For how long the client has taken nothing of what waits for it, in nanoseconds, as far as
    /// those know who ask now and then: nothing is added meanwhile.
    func nanosecondsStill(_ now: UInt64) -> UInt64 {
        let queued = stream.queuedBytes
        return state.withLock { state in
            var isMoving = queued != state.queued || now < state.movedAt
            // What the system holds for it is taken before more is asked for.
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

    /// How often the system is asked what the client has taken.
    private static let askNanoseconds: UInt64 = 1_000_000_000

    /// How a turn went.
    package enum Outcome {
        /// There may be more; others come first.
        case more
        /// All that the store has is sent.
        case caughtUp(position: Int64)
        /// What comes next has been deleted meanwhile.
        case purged
        /// The stream has no room now.
        case full
        /// The connection has gone, or has not taken what it had room for.
        case ended
    }

    /// One turn: reads a page of the history and sends it, as far as there is room.
    /// - Parameter heartbeat: nanoseconds after which a client that is told nothing is given the
    ///   place that was reached, so that it comes back there.
    /// - Throws: `StoreError` when the history cannot be read.
    func advance(
        _ pages: HistoryPages, renderer: ChangeRenderer, room: Int, heartbeat: UInt64,
        store: any PersistentStore
    ) throws(StoreError) -> Outcome {
        var state = self.state.withLock { $0 }
        defer { self.state.withLock { $0 = state } }
        if let outcome = sendPending(&state, room: room) { return outcome }
        let page = try pages.page(
            after: state.position, step: state.step, filter, renderer: renderer, store: store)
        if page.isPurged { return .purged }
        state.pending = page.buffers[...]
        state.position = page.last
        state.step = page.nextStep
        if page.isLast, state.pending.isEmpty { return .caughtUp(position: state.position) }
        let now = MonotonicClock.now
        if !state.pending.isEmpty {
            state.placedAt = now
        } else if now &- state.placedAt >= heartbeat {
            state.placedAt = now
            // No event of a save before it is still to come.
            state.pending = [renderer.place(state.position)]
        }
        return sendPending(&state, room: room) ?? .more
    }

    /// Sends what is pending; nil when all of it is sent.
    private func sendPending(_ state: inout State, room: Int) -> Outcome? {
        while let buffer = state.pending.first {
            if stream.isClosed { return .ended }
            // Only with room to spare, so that a refusal means that the stream has ended, or that
            // what another program has put into the history is more than it ever holds.
            guard stream.queuedBytes < room else { return .full }
            guard stream.send(buffer) else { return .ended }
            state.pending.removeFirst()
        }
        return stream.isClosed ? .ended : nil
    }
}
