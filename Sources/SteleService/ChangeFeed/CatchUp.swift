/// A stream that reads the stored history before it goes on live, or again where more was told at
/// once than it shall have in its queue.

import SteleHTTP
import StelePersistence
import SteleMutex

/// One stream's way through the history, page by page; on one worker or with the feed's thread,
/// never with both.
final class CatchUp: Sendable {
    struct State: Sendable {
        /// The last transaction whose events are sent or pending.
        var position: Int64
        /// Events that wait for room.
        var pending: ArraySlice<SharedBuffer> = []
        var step = HistoryStretch.firstStep
        /// How much waited in the stream's queue when it was last looked at.
        var queued = 0
        /// Since when it has been so, on the alarm's clock.
        var movedAt: UInt64
    }

    let stream: EventStream
    let filter: ChangeFilter
    let state: Mutex<State>

    /// - Parameter pending: events up to that position that are to be sent first.
    init(
        _ stream: EventStream, _ filter: ChangeFilter, position: Int64,
        pending: ArraySlice<SharedBuffer> = []
    ) {
        self.stream = stream
        self.filter = filter
        state = Mutex(State(position: position, pending: pending, movedAt: Alarm.now()))
    }

    /// For how long the client has taken nothing of what waits for it, in nanoseconds, as far as those
    /// know who ask now and then: nothing is added meanwhile.
    func nanosecondsStill(_ now: UInt64) -> UInt64 {
        let queued = stream.queuedBytes
        return state.withLock { state in
            if queued != state.queued || now < state.movedAt {
                state.queued = queued
                state.movedAt = now
            }
            return now - state.movedAt
        }
    }

    /// How it went.
    enum Outcome {
        /// All that the store has is sent.
        case caughtUp(position: Int64)
        /// What comes next has been deleted meanwhile.
        case purged
        /// The stream has no room now.
        case full
        /// The connection has gone, or has not taken what it had room for.
        case ended
    }

    /// Sends pages until the history ends or the stream is full.
    /// - Throws: `StoreError` when the history cannot be read.
    func advance(
        _ pages: HistoryPages, renderer: ChangeRenderer, room: Int, store: any PersistentStore
    ) throws(StoreError) -> Outcome {
        var state = self.state.withLock { $0 }
        defer { self.state.withLock { $0 = state } }
        while true {
            while let buffer = state.pending.first {
                if stream.isClosed { return .ended }
                // Only with room to spare, so that a refusal means that the stream has ended, or
                // that what another program has put into the history is more than it ever holds.
                guard stream.queuedBytes < room else { return .full }
                guard stream.send(buffer) else { return .ended }
                state.pending.removeFirst()
            }
            if stream.isClosed { return .ended }
            let page = try pages.page(
                after: state.position, step: state.step, filter, renderer: renderer,
                store: store)
            if page.isPurged { return .purged }
            state.pending = page.buffers[...]
            state.position = page.last
            state.step = page.nextStep
            if page.isLast, state.pending.isEmpty { return .caughtUp(position: state.position) }
        }
    }
}
