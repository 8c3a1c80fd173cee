/// `GET /metrics`: the figures of the service in the text format of Prometheus.

import SteleFeed
import SteleGraph
import SteleHTTP
import SteleJSON
import StelePersistence
import SteleRequests
import SteleSystem

/// Writes metric families (text format 0.0.4).
struct MetricsText {
    enum Kind: String { case counter, gauge, histogram }

    private(set) var text = ByteWriter(capacity: 16 << 10)

    /// Begins a family. Its samples follow.
    mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        text.write("# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
    }

    /// A sample. Values of labels are escaped.
    mutating func sample(_ name: String, _ labels: [(String, String)] = [], _ value: Double) {
        text.write(name)
        for (index, label) in labels.enumerated() {
            text.write(index == 0 ? "{" : ",")
            text.write("\(label.0)=\"\(Self.escaped(label.1))\"")
        }
        if !labels.isEmpty { text.write("}") }
        let isWhole = value == value.rounded() && abs(value) < 1e15
        text.write(isWhole ? " \(Int64(value))\n" : " \(value)\n")
    }

    /// A family of one sample without labels.
    mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        family(name, kind, help)
        sample(name, [], value)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n")
    }
}

/// The page, which is made for each request.
struct MetricsPage {
    let service: Service

    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    var bytes: [UInt8] {
        var text = MetricsText()
        text.family("stele_build_info", .gauge, "The version and the build of the program.")
        text.sample(
            "stele_build_info", [("version", Service.version), ("build", Service.build)], 1)
        writeRequests(to: &text)
        writeServer(to: &text)
        writeFeed(to: &text)
        writeCache(to: &text)
        writeStore(to: &text)
        ProcessFigures.now?.write(to: &text)
        var writer = text.text
        return writer.take()
    }

    private func writeRequests(to text: inout MetricsText) {
        let all = service.meter.series
        func labels(_ key: RequestMeter.Key) -> [(String, String)] {
            [("method", key.methodName), ("route", key.routeName)]
        }
        let count = "stele_http_requests_total"
        text.family(count, .counter, "Answered requests.")
        for (key, series) in all {
            for (status, number) in series.statuses.sorted(by: { $0.key < $1.key }) {
                text.sample(count, labels(key) + [("status", String(status))], Double(number))
            }
        }
        let time = "stele_http_request_duration_seconds"
        text.family(time, .histogram, "From the first line of a request until its answer is made.")
        for (key, series) in all {
            var total = 0
            for (index, number) in series.buckets.enumerated() {
                total += number
                let bound =
                    index < RequestMeter.bounds.count
                    ? "\(Double(RequestMeter.bounds[index]) / 1e6)" : "+Inf"
                text.sample(time + "_bucket", labels(key) + [("le", bound)], Double(total))
            }
            text.sample(time + "_sum", labels(key), Double(series.nanoseconds) / 1e9)
            text.sample(time + "_count", labels(key), Double(total))
        }
        if let log = service.requestLog {
            text.single(
                "stele_request_log_dropped_total", .counter,
                "Lines of the request log that could not be written.", Double(log.dropped))
        }
    }

    private func writeServer(to text: inout MetricsText) {
        guard let figures = service.serverFigures.withLock({ $0 })?() else { return }
        let gauges: [(String, String, Int)] = [
            ("connections", "Open connections.", figures.connections),
            ("connections_limit", "The most connections at once.", figures.connectionLimit),
            (
                "requests_in_progress", "Requests without a whole answer.",
                figures.requestsInProgress
            ),
            ("event_streams", "Open event streams.", figures.eventStreams),
            ("streamed_responses", "Responses being streamed.", figures.streamedResponses),
        ]
        for (name, help, value) in gauges {
            text.single("stele_http_" + name, .gauge, help, Double(value))
        }
        let workers = "stele_http_worker_requests"
        text.family(workers, .gauge, "Requests that wait for a worker or run on one.")
        text.sample(workers, [("workers", "waiting")], Double(figures.waitingWork))
        text.sample(workers, [("workers", "reading")], Double(figures.readingWork))
        text.sample(workers, [("workers", "slow")], Double(figures.slowWork))
    }

    private func writeFeed(to text: inout MetricsText) {
        let live = service.liveQueries.figures
        text.single(
            "stele_live_queries", .gauge, "Different live queries.", Double(live.queries))
        text.single(
            "stele_live_streams", .gauge, "Streams of live queries.", Double(live.streams))
        text.single(
            "stele_live_rows", .gauge, "Rows that live queries hold.", Double(live.rows))
        text.single(
            "stele_editing_contexts", .gauge, "Editing contexts.", Double(service.contexts.count))
    }

    private func writeCache(to text: inout MetricsText) {
        let figures = service.coordinator.rowCacheFigures
        text.single(
            "stele_row_cache_hits_total", .counter,
            "Lookups that found the object in the row cache.",
            Double(figures.hits))
        text.single(
            "stele_row_cache_misses_total", .counter, "Lookups that did not find it.",
            Double(figures.misses))
        text.single("stele_row_cache_rows", .gauge, "Cached rows.", Double(figures.rows))
        text.single(
            "stele_row_cache_bytes", .gauge, "Approximate memory of cached rows.",
            Double(figures.bytes))
    }

    private func writeStore(to text: inout MetricsText) {
        let coordinator = service.coordinator
        text.single(
            "stele_store_transaction", .gauge, "The number of the last transaction.",
            Double(coordinator.currentToken))
        let name = "stele_store_file_bytes"
        text.family(name, .gauge, "Sizes of the store's files.")
        for path in coordinator.persistentStores.flatMap(\.filePaths) {
            guard let bytes = FileSize.bytes(of: path) else { continue }
            text.sample(name, [("file", path)], Double(bytes))
        }
        if let figures = coordinator.store.databaseFigures { write(figures, to: &text) }
    }

    private func write(_ figures: DatabaseFigures, to text: inout MetricsText) {
        let name = "stele_database_connections"
        text.family(name, .gauge, "Connections for reading.")
        text.sample(name, [("state", "in use")], Double(figures.connectionsInUse))
        text.sample(name, [("state", "idle")], Double(figures.connectionsIdle))
        let gauges: [(String, String, Double)] = [
            (
                "connections_limit", "The most connections for reading.",
                Double(figures.connectionLimit)
            ),
            ("waiting", "Requests that wait for a connection.", Double(figures.waiting)),
            ("lag_seconds", "Since the number of commits was last read.", figures.lag),
        ]
        for (name, help, value) in gauges {
            text.single("stele_database_" + name, .gauge, help, value)
        }
        let counters: [(String, String, Int)] = [
            ("connections_made", "Connections that were made.", figures.connectionsMade),
            ("retries", "Reads and saves begun again after a loss.", figures.retries),
            ("commits_asked_for", "Commits whose answer was lost.", figures.commitsAskedFor),
            ("evaluated", "Requests that the node evaluated itself.", figures.evaluated),
            ("foreign_commits", "Notices of commits of other nodes.", figures.foreignCommits),
            ("replica_reads", "Views and objects read from the replica.", figures.replicaReads),
            ("replica_misses", "Those it was behind for.", figures.replicaMisses),
        ]
        for (name, help, value) in counters {
            text.single("stele_database_\(name)_total", .counter, help, Double(value))
        }
    }
}
