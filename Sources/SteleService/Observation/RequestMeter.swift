/// The figures of answered requests, for `/metrics`.

import Glibc
import SteleRequests
import SteleSystem

/// Counts answers by route, method and status, and the time until each was made.
///
/// Threads count in different shards, so they hardly ever wait for each other.
final class RequestMeter: Sendable {
    /// What is counted together.
    struct Key: Hashable, Comparable {
        /// Nil for an address that is no route.
        let route: RoutePattern?
        /// Nil for a method that no route has.
        let method: Method?

        var routeName: String { route?.rawValue ?? "none" }
        var methodName: String { method?.rawValue ?? "other" }

        static func < (a: Key, b: Key) -> Bool {
            (a.routeName, a.methodName) < (b.routeName, b.methodName)
        }
    }

    /// The figures of a route and method.
    struct Series {
        /// Answers by their status.
        var statuses: [Int: Int] = [:]
        /// Answers by their time: one bucket for each bound, and one for all that took longer.
        var buckets = [Int](repeating: 0, count: RequestMeter.bounds.count + 1)
        /// The sum of all times.
        var nanoseconds: UInt64 = 0

        mutating func count(_ status: Int, _ bucket: Int, _ time: UInt64) {
            statuses[status, default: 0] += 1
            buckets[bucket] += 1
            nanoseconds &+= time
        }

        mutating func add(_ other: Series) {
            statuses.merge(other.statuses) { $0 + $1 }
            for index in buckets.indices { buckets[index] += other.buckets[index] }
            nanoseconds &+= other.nanoseconds
        }
    }

    /// The upper bounds of the buckets, in microseconds.
    static let bounds: [UInt64] = [
        100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
        1_000_000, 2_500_000, 5_000_000, 10_000_000,
    ]

    private final class Shard: Sendable {
        let series = Mutex<[Key: Series]>([:])
    }

    private let shards = (0..<16).map { _ in Shard() }

    /// Counts an answer.
    /// - Parameter nanoseconds: the time from the request's first line until the answer was made.
    func count(_ route: RoutePattern?, _ method: String, status: Int, nanoseconds: UInt64) {
        let key = Key(route: route, method: Method(rawValue: method))
        let bucket = Self.bounds.firstIndex { nanoseconds <= $0 * 1_000 } ?? Self.bounds.count
        // Threads' handles are addresses of pages.
        let shard = shards[Int(truncatingIfNeeded: UInt(pthread_self()) >> 12) & 15]
        shard.series.withLock { all in
            all[key, default: Series()].count(status, bucket, nanoseconds)
        }
    }

    /// The figures since the start, in the order of the routes' names.
    var series: [(key: Key, value: Series)] {
        var all: [Key: Series] = [:]
        for shard in shards {
            shard.series.withLock { part in
                for (key, series) in part { all[key, default: Series()].add(series) }
            }
        }
        return all.sorted { $0.key < $1.key }
    }
}
