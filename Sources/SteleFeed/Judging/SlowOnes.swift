/// Filters and live queries that are known to be slow.

import SteleSystem

/// Remembers what took too long for a thread that others wait for. It is tried again there after a
/// second, and each further time after twice as long, up to some minutes: so one slow object does not
/// make a filter slow for good. What is noted again on a thread for slow ones is not tried.
final class SlowOnes<Key: Hashable & Sendable>: Sendable {
    private struct Entry {
        var seconds: Double
        /// When it is tried again, on the monotonic clock.
        var until: UInt64
    }

    /// How many are remembered at most.
    static var most: Int { 10_000 }
    private static var firstSeconds: Double { 1 }
    private static var mostSeconds: Double { 300 }

    private let entries = Mutex<[Key: Entry]>([:])

    /// Whether it is known to be slow.
    func has(_ key: Key) -> Bool {
        entries.withLock { entries in
            guard let entry = entries[key] else { return false }
            return entry.until > MonotonicClock.now
        }
    }

    /// Notes that it took too long.
    func note(_ key: Key) {
        entries.withLock { entries in
            let now = MonotonicClock.now
            if entries.count >= Self.most {
                entries = entries.filter { $0.value.until > now }
                if entries.count >= Self.most { entries = [:] }
            }
            var seconds = Self.firstSeconds
            // After a long time without a note it begins anew.
            if let last = entries[key], now < last.until &+ Self.nanoseconds(Self.mostSeconds) {
                // Several threads may find it slow at the same time, and a slow one is noted again
                // and again: it counts in the second half of its time.
                if now &+ Self.nanoseconds(last.seconds / 2) < last.until { return }
                seconds = min(2 * last.seconds, Self.mostSeconds)
            }
            entries[key] = Entry(seconds: seconds, until: now &+ Self.nanoseconds(seconds))
        }
    }

    private static func nanoseconds(_ seconds: Double) -> UInt64 { UInt64(seconds * 1e9) }
}
