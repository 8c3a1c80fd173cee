/// What other threads pass to the feed's thread, beside saves.

import SteleHTTP

/// A stream that has all saves up to a position and is to join the live streams.
package struct Arrival: Sendable {
    package let stream: EventStream
    package let filter: ChangeFilter
    package let position: Int64
}

/// Streams for the feed's thread.
package struct FeedLetters: Sendable {
    package var arrivals: [Arrival] = []
    /// Streams that read the history and wait for room.
    package var waiting: [CatchUp] = []
    /// Streams that no queue reads for any longer.
    var returned: [CatchUp] = []
}
