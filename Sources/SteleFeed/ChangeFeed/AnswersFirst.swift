/// Saves are answered before they are told to thousands of streams.

import Glibc
import SteleSystem

/// How long a sweep over many streams waits after its save.
///
/// A sweep wakes every thread that carries streams, and the answer to the save that it tells would
/// wait for a core among ten thousand events. So it begins a moment later: by a fiftieth or
/// less of what the sweep itself takes, and not at all where few listen or saves are waiting.
enum AnswersFirst {
    private static let nanosecondsAStream: UInt64 = 200
    private static let most: UInt64 = 5_000_000
    /// What is shorter is no sleep worth its wake-up.
    private static let least: UInt64 = 100_000

    /// Nanoseconds from a save to the beginning of a sweep over so many streams.
    static func pause(streams: Int) -> UInt64 {
        let counted = min(UInt64(clamping: streams), most / nanosecondsAStream)
        let wanted = counted * nanosecondsAStream
        return wanted < least ? 0 : wanted
    }

    /// Sleeps until a save of that time of the monotonic clock may be told.
    package static func wait(since told: UInt64, streams: Int) {
        let (now, end) = (MonotonicClock.now, told &+ pause(streams: streams))
        if end > now { usleep(UInt32(clamping: (end - now) / 1_000)) }
    }
}
