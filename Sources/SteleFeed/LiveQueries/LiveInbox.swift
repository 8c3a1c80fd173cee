/// What other threads hand to the live queries' thread.

import SteleGraph
import SteleHTTP
import StelePersistence
import SteleRequests
import SteleSystem

/// A stream that waits for its queries.
package struct LiveArrival: Sendable {
    package let stream: EventStream
    package let parts: [LivePart]
    /// `Last-Event-ID`, where it is one of a live stream.
    package let known: LiveID?

    package var keys: [String] { parts.map(\.plan.key) }

    /// The last transaction that the client knows of a query; nil where it knows none that was told in
    /// that cache generation, or one that it goes on from.
    package func number(
        of key: String, in generation: String, _ coordinator: PersistentStoreCoordinator
    ) -> Int64? {
        guard let known, let index = keys.firstIndex(of: key),
            known.isOf(generations: [generation], keys: keys, coordinator)
        else { return nil }
        return known.number(at: index, of: keys.count)
    }
}

/// A request that waits until the thread has let go of queries that nobody listens to.
package struct LiveRoom: Sendable {
    /// The queries that it is for, which are not let go of.
    package let keys: [String]
    /// How many rows more there are to be.
    package let rows: Int
    /// Is rung when the thread has looked.
    let alarm = Alarm()
}

/// The thread's letter box. Bounded: saves that do not fit are read from the history instead.
package final class LiveInbox: Sendable {
    package struct Mail: Sendable {
        package var told = SavesToTell()
        var built: [LiveQuery] = []
        /// The keys of queries that could not be built, and why.
        package var failed: [(key: String, error: any Error)] = []
        var arrivals: [LiveArrival] = []
        package var waiting: [LiveRoom] = []
        var isStopping = false
    }

    private struct State: Sendable {
        var mail = Mail()
        /// Whether the thread has something to follow; without, saves are not kept and wake nobody.
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

    /// Another program has changed the store: the thread sees by their cache generations which
    /// queries were read before.
    func putChangedElsewhere() {
        if state.withLock({ $0.isWatched }) { alarm.ring() }
    }

    package func put(built query: LiveQuery) {
        change { $0.built.append(query) }
    }

    package func put(failed key: String, _ error: any Error) {
        change { $0.failed.append((key, error)) }
    }

    /// False when the thread is stopping.
    package func put(_ arrival: LiveArrival) -> Bool {
        change { $0.arrivals.append(arrival) }
    }

    /// False when the thread is stopping.
    package func put(_ room: LiveRoom) -> Bool {
        change { $0.waiting.append(room) }
    }

    package func stop() {
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
    package func take(isWatched: Bool) -> Mail {
        state.withLock { state in
            let mail = state.mail
            state.mail = Mail()
            state.mail.told = mail.told.emptied
            state.mail.isStopping = mail.isStopping
            state.isWatched = isWatched || !mail.built.isEmpty || !mail.arrivals.isEmpty
            return mail
        }
    }
}
