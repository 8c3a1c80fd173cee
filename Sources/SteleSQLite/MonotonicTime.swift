/// Clocks: one that only runs forward, and the wall's.

import Glibc

/// Time since some start, which no change of the clock touches.
enum MonotonicTime {
    static var nanoseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// The time of day as Core Data counts it.
enum ReferenceDate {
    /// Seconds from 1970-01-01 to 2001-01-01.
    private static let offset = 978_307_200.0

    /// Seconds since 2001-01-01T00:00:00Z, now.
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) - offset + Double(time.tv_nsec) / 1e9
    }
}
