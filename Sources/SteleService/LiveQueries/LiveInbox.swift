/// What other threads hand to the live queries' thread.

import SteleHTTP
import SteleMutex
import StelePersistence

/// A stream that waits for its queries.
struct LiveArrival: Sendable {
    /// A query of the stream, and what stands before its events' names.
    struct Part: Sendable {
        let plan: LivePlan
        let prefix: String
    }

    let stream: EventStream
    let parts: [Part]
    /// `Last-Event-ID`.
    let lastEventID: String?
}

/// The thread's letter box. Bounded: saves that do not fit are read from the history instead.
final class LiveInbox: Sendable {
    struct Mail: Sendable {
        var saves: [HistoryTransaction] = []
        /// The last transaction told, also where `saves` has let it go.
        var latest: Int64 = 0
        /// When the last of `saves` came, on the alarm's clock.
        var latestAt: UInt64 = 0
        var isChangedElsewhere = false
        var built: [LiveQuery] = []
        /// The keys of queries that could not be built.
        var failed: [String] = []
        var arrivals: [LiveArrival] = []
        var isStopping = false
        fileprivate var changeCount = 0
    }

    private struct State: Sendable {
        var mail = Mail()
        /// Whether the thread has something to follow; without, saves are not kept and wake nobody.
        var isWatched = false
    }

    private let state = Mutex(State())
    let alarm = Alarm()

    func put(_ saves: [HistoryTransaction]) {
        guard let last = saves.last else { return }
        let isWatched = state.withLock { state in
            state.mail.latest = max(state.mail.latest, last.number)
            guard state.isWatched else { return false }
            state.mail.saves += saves
            state.mail.latestAt = Alarm.now()
            state.mail.changeCount += saves.reduce(0) { $0 + $1.changes.count }
            if state.mail.saves.count > FeedInbox.maximumSaves
                || state.mail.changeCount > FeedInbox.maximumChanges
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
            state.mail.isChangedElsewhere = state.isWatched
            return state.isWatched
        }
        if isWatched { alarm.ring() }
    }

    func put(built query: LiveQuery) {
        change { $0.built.append(query) }
    }

    func put(failed key: String) {
        change { $0.failed.append(key) }
    }

    /// False when the thread is stopping.
    func put(_ arrival: LiveArrival) -> Bool {
        change { $0.arrivals.append(arrival) }
    }

    func stop() {
        change { $0.isStopping = true }
    }

    @discardableResult
    private func change(_ body: (inout Mail) -> Void) -> Bool {
        let taken = state.withLock { state in
            guard !state.mail.isStopping else { return false }
            body(&state.mail)
            state.isWatched = true
            return true
        }
        if taken { alarm.ring() }
        return taken
    }

    /// Takes what has come. `isWatched` is what the thread knows; mail that needs it wins.
    func take(isWatched: Bool) -> Mail {
        state.withLock { state in
            let mail = state.mail
            state.mail = Mail()
            state.mail.latest = mail.latest
            state.mail.isStopping = mail.isStopping
            state.isWatched = isWatched || !mail.built.isEmpty || !mail.arrivals.isEmpty
            return mail
        }
    }
}
