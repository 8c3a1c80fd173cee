/// Delaying the events of a save until its response has gone out.

import Glibc
import SteleSystem

/// How long a sweep over many streams waits after its save.
///
/// A sweep wakes every thread that carries streams, and the response to the save would wait for a
/// core among ten thousand events. So the sweep begins later, by a fiftieth of its own duration at
/// most; with few streams, or where the save has waited already, it begins at once.
enum AnswersFirst {
    private static let nanosecondsAStream: UInt64 = 200
    private static let most: UInt64 = 5_000_000
    /// A shorter sleep is not worth its wake-up.
    private static let least: UInt64 = 100_000

    /// Nanoseconds from a save to a sweep over so many streams.
    static func pause(streams: Int) -> UInt64 {
        let counted = min(UInt64(clamping: streams), most / nanosecondsAStream)
        let wanted = counted * nanosecondsAStream
        return wanted < least ? 0 : wanted
    }

    /// Sleeps until a save that came at that time of the monotonic clock may be sent.
    package static func wait(since told: UInt64, streams: Int) {
        let (now, end) = (MonotonicClock.now, told &+ pause(streams: streams))
        if end > now { usleep(UInt32(clamping: (end - now) / 1_000)) }
    }
}
