/// How many requests a client may send in a second.

import SteleHTTP
import SteleSystem

/// A bucket for each client (token bucket): it holds the requests of a second, and fills in a
/// second.
package final class RequestRate: Sendable {
    private struct Bucket {
        var requests: Double
        /// When it was last filled, in nanoseconds of `MonotonicClock`.
        var at: UInt64
    }

    /// The most buckets that are kept; full ones are forgotten first.
    private static let most = 100_000

    private let perSecond: Double
    private let buckets = Mutex<[String: Bucket]>([:])

    /// Nil for no limit.
    /// - Parameter perSecond: 0 is no limit.
    package init?(perSecond: Int) {
        guard perSecond > 0 else { return nil }
        self.perSecond = Double(perSecond)
    }

    /// Takes a request from a client's bucket.
    /// - Returns: nil, or the seconds until the bucket has one.
    func take(_ client: String, at now: UInt64 = MonotonicClock.now) -> Double? {
        buckets.withLock { buckets in
            var bucket = buckets[client] ?? Bucket(requests: perSecond, at: now)
            bucket.requests = min(
                perSecond, bucket.requests + Double(now &- bucket.at) / 1e9 * perSecond)
            bucket.at = now
            let hasOne = bucket.requests >= 1
            if hasOne { bucket.requests -= 1 }
            if buckets.count >= Self.most, buckets[client] == nil {
                buckets = buckets.filter { now &- $0.value.at < 1_000_000_000 }
                // So many clients in a second: better no limit for a moment than no room.
                if buckets.count >= Self.most { buckets = [:] }
            }
            buckets[client] = bucket
            return hasOne ? nil : (1 - bucket.requests) / perSecond
        }
    }

    /// Takes a request; health checks are not counted.
    /// - Throws: `Problem`, 429.
    package func admit(_ request: Request, _ gate: Gate) throws(Problem) {
        guard !gate.isHealthCheck(request) else { return }
        guard let seconds = take(gate.access.client(of: request)) else { return }
        throw Problem(
            .rate, "this client has sent more than \(Int(perSecond)) requests in a second",
            headers: [("Retry-After", String(Int(seconds.rounded(.up))))])
    }
}
