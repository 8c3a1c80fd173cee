// The options of a service.

import SteleFeed
import SteleRequests

extension Service {
    /// How a service is set up.
    public struct Options: Sendable {
        /// What stands before every path, such as `/api`; empty at the root.
        public var basePath = ""
        /// Names beside IP addresses and `localhost` that `Host` and `Origin` may hold.
        public var allowedHosts: [String] = []
        /// The bearer token that every request but a health check must bring; nil for none.
        public var token: String?
        /// The most bytes of a value that is streamed into a file.
        public var uploadBytes = 1 << 30
        /// The bounds that it works within.
        public var limits = Limits()
        /// Seconds between two heartbeats of an event stream.
        public var heartbeatSeconds = 15.0
        /// Seconds that a save is kept in the history; nil without a limit.
        public var historySeconds: Double? = 7 * 86_400
        /// About how many bytes the history may take; nil for any number.
        public var historyBytes: Int? = 1 << 30
        /// Whether answers say in `Server-Timing` what they took, step by step.
        public var serverTiming = true
        /// What editing contexts expire by: seconds since 2001-01-01T00:00:00Z, never going back;
        /// nil is the time.
        public var clock: (@Sendable () -> Double)?

        /// The options as `Config/stele.yaml` has them.
        public init() {}

        /// What of them concerns event streams.
        var feed: ChangeFeed.Options {
            var feed = ChangeFeed.Options()
            feed.basePath = basePath
            feed.heartbeatSeconds = heartbeatSeconds
            feed.historySeconds = historySeconds
            feed.historyBytes = historyBytes
            return feed
        }
    }
}
