// The options of a service.

import SteleFeed
import SteleModel
import SteleRequests

extension Service {
    /// The settings of a service.
    public struct Options: Sendable {
        /// The prefix of every path, such as `/api`; empty at the root.
        public var basePath = ""
        /// The name of the model, which all its versions share; nil for the name of its version.
        public var modelName: String?
        /// All versions of the model that can be read, in their order; empty for the served one
        /// alone.
        public var modelVersions: [Model] = []
        /// The first segment of the addresses of the page's files; empty for no page.
        public var page = "page"
        /// Names that `Host` and `Origin` may hold besides IP addresses and `localhost`.
        public var allowedHosts: [String] = []
        /// The origins whose pages may call the service, such as `https://app.example`; `*` for all.
        public var origins: [String] = []
        /// A bearer token with all rights; nil for none. With it, or with rights, every request
        /// except a health check needs a token.
        public var token: String?
        /// Whether a `Server` may listen on an address that other machines reach without a token.
        public var isInsecure = false
        /// The roles and tokens of the setting `rights`; nil for none.
        package var rights: RightsFile?
        /// The maximum size in bytes of a value that is streamed into a file.
        public var uploadBytes = 1 << 30
        /// The limits within which the service works.
        public var limits = Limits()
        /// Seconds between the heartbeats of an event stream.
        public var heartbeatSeconds = 15.0
        /// Seconds for which a save is kept in the history; nil for no limit.
        public var historySeconds: Double? = 7 * 86_400
        /// The approximate maximum size in bytes of the history; nil for no limit.
        public var historyBytes: Int? = 1 << 30
        /// The folder in which backups are made; nil for a store that has no file.
        public var backupFolder: String?
        /// Has a line for each request; nil for none. Its owner closes it.
        public var requestLog: RequestLog?
        /// Whether answers have a `Server-Timing` header with the time of each step.
        public var serverTiming = true
        /// The clock of editing contexts: seconds since 2001-01-01T00:00:00Z, never going back; nil
        /// for the clock of the system.
        public var clock: (@Sendable () -> Double)?

        /// The options of `Config/stele.yaml`.
        public init() {}

        /// The options of event streams.
        var feed: ChangeFeed.Options {
            var feed = ChangeFeed.Options()
            feed.basePath = basePath
            feed.bufferBytes = limits.eventBufferBytes
            feed.heartbeatSeconds = heartbeatSeconds
            feed.historySeconds = historySeconds
            feed.historyBytes = historyBytes
            return feed
        }
    }
}
