/// The clocks: one for durations and deadlines, and the time of day.

import Glibc

/// The system's monotonic clock (CLOCK_MONOTONIC), which setting the time of day does not change.
public enum MonotonicClock {
    /// Nanoseconds since an arbitrary moment before the process began.
    public static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// The moment that is so many seconds after `now`; NaN and negative numbers count as 0, and
    /// more than 1e9 as 1e9.
    public static func deadline(in seconds: Double) -> UInt64 {
        now &+ UInt64(min(max(seconds.isNaN ? 0 : seconds, 0), 1e9) * 1e9)
    }
}

/// The processor time of the caller's thread (CLOCK_THREAD_CPUTIME_ID): unlike elapsed time, it is
/// not that of other threads on a busy machine. A look at it takes about ten times as long as one at
/// `MonotonicClock`.
public enum ThreadClock {
    /// Nanoseconds of processor time since the thread began.
    public static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}

/// The time of day as Core Data counts it.
public enum ReferenceDate {
    /// Seconds since 2001-01-01T00:00:00Z (`Date.timeIntervalSinceReferenceDate`).
    public static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec - 978_307_200) + Double(time.tv_nsec) / 1e9
    }
}
