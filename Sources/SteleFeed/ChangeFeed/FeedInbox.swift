/// What other threads hand to the feed's thread: saves, streams that join, and the word to stop.

import SteleHTTP
import StelePersistence
import SteleSystem

/// A stream that has all up to a position and shall go on live.
package struct Arrival: Sendable {
    package let stream: EventStream
    package let filter: ChangeFilter
    package let position: Int64
}

/// The feed's letter box. Bounded: saves that do not fit are read from the history instead.
final class FeedInbox: Sendable {
    package struct Mail: Sendable {
        package var told = SavesToTell()
        var isChangedElsewhere = false
        var arrivals: [Arrival] = []
        /// Streams that catch up and wait for room.
        package var waiting: [CatchUp] = []
        /// Those that no worker has any more.
        var returned: [CatchUp] = []
        var isStopping = false
    }

    private struct State: Sendable {
        var mail = Mail()
        /// Whether the thread has someone to tell; without, saves are not kept and wake nobody.
        var isWatched = false
    }

    private let state = Mutex(State())
    let alarm = Alarm()

    package func put(_ saves: [HistoryTransaction]) {
        if saves.isEmpty { return }
        let isWatched = state.withLock { state in
            state.mail.told.add(saves, isKept: state.isWatched)
            return state.isWatched
        }
        if isWatched { alarm.ring() }
    }

    func putChangedElsewhere() {
        let isWatched = state.withLock { state in
            state.mail.isChangedElsewhere = true
            return state.isWatched
        }
        if isWatched { alarm.ring() }
    }

    /// False when the feed has stopped: the stream is the caller's to finish.
    /// - Parameter from: what it has caught up by, if it had to.
    package func put(_ arrival: Arrival, from one: CatchUp? = nil) -> Bool {
        let taken = state.withLock { state in
            guard !state.mail.isStopping else { return false }
            state.mail.arrivals.append(arrival)
            if let one { state.mail.returned.append(one) }
            state.isWatched = true
            return true
        }
        if taken { alarm.ring() }
        return taken
    }

    /// As for an arrival: a stream that is to read the history when it has room.
    package func put(waiting: CatchUp) -> Bool {
        let taken = state.withLock { state in
            guard !state.mail.isStopping else { return false }
            state.mail.waiting.append(waiting)
            state.mail.returned.append(waiting)
            state.isWatched = true
            return true
        }
        if taken { alarm.ring() }
        return taken
    }

    /// One whose stream is over with.
    package func put(returned one: CatchUp) {
        state.withLock { $0.mail.returned.append(one) }
        alarm.ring()
    }

    package func stop() {
        state.withLock { $0.mail.isStopping = true }
        alarm.ring()
    }

    var isStopping: Bool { state.withLock { $0.mail.isStopping } }

    /// Takes what has come. `isWatched` is what the thread knows; mail that needs it wins.
    package func take(isWatched: Bool) -> Mail {
        state.withLock { state in
            let mail = state.mail
            state.mail = Mail()
            state.mail.told = mail.told.emptied
            state.mail.isStopping = mail.isStopping
            state.isWatched = isWatched || !mail.arrivals.isEmpty || !mail.waiting.isEmpty
            return mail
        }
    }
}
