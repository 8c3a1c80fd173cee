/// What other threads pass to the live queries' thread, beside saves.

import SteleGraph
import SteleHTTP
import SteleRequests
import SteleSystem

/// A stream that waits for its queries.
package struct LiveArrival: Sendable {
    package let stream: EventStream
    package let parts: [LivePart]
    /// The `Last-Event-ID`, where it is one of a live stream.
    package let known: LiveID?
    /// The last transaction before the stream was opened. The stream begins with no earlier state.
    package let since: Int64

    package var keys: [String] { parts.map(\.plan.key) }

    /// The last transaction that the client knows of a query; nil where it knows none of that cache
    /// generation, or of one that this generation continues.
    package func number(
        of key: String, in generation: String, _ coordinator: PersistentStoreCoordinator
    ) -> Int64? {
        guard let known, let index = keys.firstIndex(of: key),
            known.isOf(generations: [generation], keys: keys, coordinator)
        else { return nil }
        return known.number(at: index, of: keys.count)
    }
}

/// A request that waits until the thread has released queries without listeners.
package struct LiveRoom: Sendable {
    /// How many more rows are to be held.
    package let rows: Int
    /// Rung when the thread has released what it could.
    let alarm = Alarm()
}

/// Queries and streams for the live queries' thread.
package struct LiveLetters: Sendable {
    var built: [LiveQuery] = []
    /// Queries that the other thread has handed over, with their listeners.
    var moved: [LiveQuery] = []
    /// Queries that could not be built, with the reason.
    package var failed: [(plan: LivePlan, error: any Error)] = []
    package var arrivals: [LiveArrival] = []
    package var waiting: [LiveRoom] = []
}
