/// What other threads hand to the feed's thread: saves, streams that join, and the word to stop.

import SteleHTTP
import StelePersistence
import SteleMutex

/// A stream that has all up to a position and shall go on live.
struct Arrival: Sendable {
    let stream: EventStream
    let filter: ChangeFilter
    let position: Int64
}

/// The feed's letter box. Bounded: saves that do not fit are read from the history instead.
final class FeedInbox: Sendable {
    struct Mail: Sendable {
        var saves: [HistoryTransaction] = []
        /// The last transaction told, also where `saves` has let it go.
        var latest: Int64 = 0
        /// When the last of `saves` came, on the alarm's clock.
        var latestAt: UInt64 = 0
        var isChangedElsewhere = false
        var arrivals: [Arrival] = []
        /// Streams that catch up and wait for room.
        var waiting: [CatchUp] = []
        /// Streams that were catching up and are over with.
        var returned = 0
        var isStopping = false
        fileprivate var changeCount = 0
    }

    private struct State: Sendable {
        var mail = Mail()
        /// Whether the thread has someone to tell; without, saves are not kept and wake nobody.
        var isWatched = false
    }

    private let state = Mutex(State())
    let alarm = Alarm()

    static let maximumSaves = 256
    static let maximumChanges = 5_000

    func put(_ saves: [HistoryTransaction]) {
        guard let last = saves.last else { return }
        let isWatched = state.withLock { state in
            state.mail.latest = max(state.mail.latest, last.number)
            guard state.isWatched else { return false }
            state.mail.saves += saves
            state.mail.latestAt = Alarm.now()
            state.mail.changeCount += saves.reduce(0) { $0 + $1.changes.count }
            if state.mail.saves.count > Self.maximumSaves
                || state.mail.changeCount > Self.maximumChanges
            {
                state.mail.saves = []
                state.mail.changeCount = 0
            }
            return true
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
    func put(_ arrival: Arrival, returned: Bool = false) -> Bool {
        let taken = state.withLock { state in
            guard !state.mail.isStopping else { return false }
            state.mail.arrivals.append(arrival)
            state.mail.returned += returned ? 1 : 0
            state.isWatched = true
            return true
        }
        if taken { alarm.ring() }
        return taken
    }

    /// As for an arrival.
    func put(waiting: CatchUp, returned: Bool) -> Bool {
        let taken = state.withLock { state in
            guard !state.mail.isStopping else { return false }
            state.mail.waiting.append(waiting)
            state.mail.returned += returned ? 1 : 0
            state.isWatched = true
            return true
        }
        if taken { alarm.ring() }
        return taken
    }

    func putReturned() {
        state.withLock { $0.mail.returned += 1 }
        alarm.ring()
    }

    func stop() {
        state.withLock { $0.mail.isStopping = true }
        alarm.ring()
    }

    var isStopping: Bool { state.withLock { $0.mail.isStopping } }

    /// Takes what has come. `isWatched` is what the thread knows; mail that needs it wins.
    func take(isWatched: Bool) -> Mail {
        state.withLock { state in
            let mail = state.mail
            state.mail = Mail()
            state.mail.latest = mail.latest
            state.mail.isStopping = mail.isStopping
            state.isWatched = isWatched || !mail.arrivals.isEmpty || !mail.waiting.isEmpty
            return mail
        }
    }
}
