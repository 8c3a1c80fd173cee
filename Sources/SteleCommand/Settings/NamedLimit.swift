/// Every limit by its name: what the setting `limit` and Docs/Limits.md are held to.

import SteleHTTP
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests
import SteleSQLite

/// All limits of a service.
struct LimitSet: Sendable {
    var service = Limits()
    var server = HTTPServer.Configuration()
    var statementSeconds = StatementTime.standard
    var sortBytes = SQLiteStore.sortBytes
    var logBytes = SQLiteStore.logBytes
}

/// One limit, as `--limit NAME=NUMBER` sets it.
struct NamedLimit: Sendable {
    let name: String
    let range: ClosedRange<Double>
    /// What it limits, in one line, with its unit.
    let meaning: String
    private let isWhole: Bool
    private let get: @Sendable (LimitSet) -> Double
    private let set: @Sendable (inout LimitSet, Double) -> Void

    /// Its value in a set, as text.
    func text(in limits: LimitSet) -> String {
        let value = get(limits)
        return value == value.rounded() ? String(Int(value)) : String(value)
    }

    /// Sets limits from texts such as `include-depth=4`.
    /// - Throws: `Failure` with what is wrong.
    static func apply(_ texts: [String], to limits: inout LimitSet) throws {
        var given: Set<String> = []
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard let limit = all.first(where: { $0.name == parts.first }) else {
                let hint = Nearest.hint(to: parts.first ?? "", among: all.map(\.name))
                throw Failure(
                    "limit: there is no limit \(parts.first ?? text)"
                        + (hint.map { " (\($0))" } ?? "; Docs/Limits.md has them all"),
                    setting: "limit")
            }
            guard parts.count == 2, let number = Double(parts[1]), limit.range.contains(number),
                !limit.isWhole || number == number.rounded()
            else {
                let (low, high) = (limit.range.lowerBound, limit.range.upperBound)
                let kind = limit.isWhole ? "whole number" : "number"
                throw Failure(
                    "limit: \(limit.name) must be a \(kind) from \(short(low)) to \(short(high)), "
                        + "not \(parts.count == 2 ? parts[1] : "nothing")", setting: "limit")
            }
            guard given.insert(limit.name).inserted else {
                throw Failure("limit: \(limit.name) is given twice", setting: "limit")
            }
            limit.set(&limits, number)
        }
    }

    private static func short(_ number: Double) -> String {
        number == number.rounded() ? String(Int(number)) : String(number)
    }

    private init(
        _ name: String, _ path: any WritableKeyPath<LimitSet, Int> & Sendable,
        _ range: ClosedRange<Int>, _ meaning: String
    ) {
        (self.name, self.meaning, isWhole) = (name, meaning, true)
        self.range = Double(range.lowerBound)...Double(range.upperBound)
        get = { Double($0[keyPath: path]) }
        set = { $0[keyPath: path] = Int($1) }
    }

    private init(
        _ name: String, _ path: any WritableKeyPath<LimitSet, Double> & Sendable,
        _ range: ClosedRange<Double>, _ meaning: String
    ) {
        (self.name, self.meaning, isWhole) = (name, meaning, false)
        self.range = range
        get = { $0[keyPath: path] }
        set = { $0[keyPath: path] = $1 }
    }

    private static let day = 86_400.0
    private static let many = 1_000_000_000
    private static let bytes = 1 << 40

    static let all: [NamedLimit] = [
        // Clients.
        NamedLimit(
            "requests-per-second", \.service.requestsPerSecond, 0...many,
            "requests of a client in a second; 0 is no limit"),
        NamedLimit(
            "connections-per-address", \.server.connectionsPerAddress, 0...many,
            "connections of an address; 0 is no limit"),
        NamedLimit(
            "head-seconds", \.server.headSeconds, 0...day,
            "seconds for the head of a request or a TLS handshake; 0 is no limit"),
        NamedLimit(
            "body-bytes-per-second", \.server.bodyBytesPerSecond, 0...many,
            "bytes a second of a body on average, after head-seconds"),
        NamedLimit(
            "connection-memory", \.server.connectionMemoryLimit, (8 << 10)...(1 << 20),
            "bytes of a connection's buffer; the head of a request has 4,096 less"),
        NamedLimit(
            "backlog", \.server.backlog, 1...65_535,
            "connections that wait to be accepted"),
        // Requests.
        NamedLimit("query-bytes", \.service.queryBytes, 256...(1 << 20), "bytes of a query string"),
        NamedLimit("parameters", \.service.parameters, 1...100_000, "parameters of a request"),
        NamedLimit(
            "columns", \.service.columns, 1...1_900,
            "columns of select, and keys of sort and groupBy"),
        NamedLimit("include-paths", \.service.includePaths, 1...10_000, "paths of include"),
        NamedLimit(
            "include-depth", \.service.includeDepth, 1...64, "relationships in a path of include"),
        NamedLimit(
            "included-objects", \.service.includedObjects, 1...many,
            "objects that include embeds in one answer"),
        NamedLimit(
            "included-objects-in-all", \.service.includedObjectsInAll, 1...many,
            "objects that include embeds in all answers that are being sent"),
        NamedLimit(
            "values-per-body", \.service.valuesPerBody, 1_000...many,
            "values in a JSON body, and those it copies; an array or object counts as ten"),
        NamedLimit(
            "objects-per-body", \.service.objectsPerBody, 1...many,
            "objects in one body, nested ones and operations included"),
        NamedLimit("body-depth", \.service.bodyDepth, 1...60, "the nesting of objects in a body"),
        NamedLimit(
            "objects-per-part", \.service.objectsPerPart, 1...many,
            "objects in memory at a time in a write of all that match"),
        NamedLimit(
            "write-attempts", \.service.writeAttempts, 1...100,
            "runs of a write that loses its race; the last is on the writer's thread"),
        NamedLimit(
            "kept-answer-bytes", \.service.keptAnswerBytes, 0...(16 << 20),
            "bytes of an answer that is kept for an Idempotency-Key"),
        // Time and queues.
        NamedLimit(
            "statement-seconds", \.statementSeconds, 0.001...day,
            "seconds of a statement, of a predicate in memory, and of planning a predicate"),
        NamedLimit(
            "sort-bytes", \.sortBytes, (1 << 20)...(1 << 30),
            "bytes of a sort in memory; a larger one uses temporary files"),
        NamedLimit(
            "log-bytes", \.logBytes, (32 << 20)...many,
            "bytes of the store's log from which on long answers are broken off"),
        NamedLimit(
            "short-reading-milliseconds", \.service.shortReading.milliseconds, 1...86_400_000,
            "milliseconds of a read before it moves to the threads of long ones"),
        NamedLimit(
            "short-reading-steps", \.service.shortReading.steps, 1_000...many,
            "SQLite's instructions of a read before it moves there; 30,000 are about 1 ms"),
        NamedLimit(
            "short-query-bytes", \.service.shortQueryBytes, 0...(1 << 30),
            "bytes of a query in a body before it moves there"),
        NamedLimit(
            "short-planning-steps", \.service.shortPlanningSteps, 0...many,
            "nodes of predicates that are planned before a read moves there"),
        NamedLimit(
            "brief-reading-milliseconds", \.service.briefReading.milliseconds, 1...10_000,
            "milliseconds of a read on the thread of its connection"),
        NamedLimit(
            "brief-reading-steps", \.service.briefReading.steps, 1...many,
            "SQLite's instructions of a read on the thread of its connection"),
        NamedLimit(
            "brief-rows", \.service.briefRows, 0...100_000,
            "rows of a list that is read on the thread of its connection"),
        NamedLimit(
            "brief-body-bytes", \.service.briefBodyBytes, 0...(1 << 20),
            "bytes of a body that is read on the thread of its connection"),
        NamedLimit(
            "brief-objects", \.service.briefObjects, 0...100_000,
            "objects in a body that is read on the thread of its connection"),
        NamedLimit(
            "brief-query-bytes", \.service.briefQueryBytes, 0...(1 << 20),
            "bytes of a query string, or of the parameters of a query in a body, that is read on "
                + "the thread of its connection"),
        NamedLimit(
            "brief-planning-steps", \.service.briefPlanningSteps, 0...many,
            "nodes of predicates that are planned on the thread of its connection"),
        NamedLimit(
            "readers", \.server.readers, 1...1_024, "threads of requests that read"),
        NamedLimit(
            "slow-readers", \.server.slowReaders, 1...1_024, "threads of long reads"),
        NamedLimit(
            "slow-queue", \.server.slowQueueOfClient, 1...many,
            "long reads of one client that wait"),
        NamedLimit(
            "queue", \.server.workerQueue, 1...many, "requests that wait for a thread of each kind"),
        // Answers.
        NamedLimit(
            "whole-answer-bytes", \.service.wholeAnswerBytes, 1...(1 << 30),
            "bytes of an answer in one piece; a longer one is streamed"),
        NamedLimit(
            "piece-bytes", \.service.streamPieceBytes, 1_024...(16 << 20),
            "bytes of each piece of a streamed answer"),
        NamedLimit(
            "piece-buffer-bytes", \.server.streamBufferBytes, 1_024...(1 << 30),
            "bytes by which a streamed answer may be ahead of its client"),
        NamedLimit(
            "batch-rows", \.service.streamBatchRows, 1...1_000_000,
            "rows that a list without a maximum reads at a time"),
        NamedLimit(
            "unbounded-lists", \.service.streams, 1...96,
            "lists without a maximum at a time"),
        NamedLimit(
            "streamed-answers", \.server.streamWorkers, 1...10_000,
            "answers that are streamed at a time"),
        NamedLimit(
            "stall-seconds", \.server.stallLimit, 0.1...day,
            "seconds for which a client takes nothing of a streamed answer"),
        NamedLimit(
            "longest-answer-seconds", \.server.longestStream, 1...(30 * day),
            "seconds of a streamed answer"),
        NamedLimit(
            "compression-bytes", \.service.compressionThreshold, 0...many,
            "bytes from which an answer is compressed"),
        // Event streams and live queries.
        NamedLimit(
            "event-buffer-bytes", \.service.eventBufferBytes, (64 << 10)...(1 << 30),
            "bytes of events that wait for a client; a slower one is disconnected"),
        NamedLimit("live-rows", \.service.liveRows, 1...many, "rows of a live query"),
        NamedLimit(
            "live-rows-in-all", \.service.liveRowsInAll, 1...many,
            "rows of all live queries together; 250 bytes of an answer are a row at least"),
        NamedLimit("live-queries", \.service.liveQueries, 1...1_000_000, "different live queries"),
        NamedLimit(
            "live-queries-per-stream", \.service.liveQueriesPerStream, 1...1_000,
            "live queries on one stream"),
        NamedLimit(
            "live-streams", \.service.liveStreams, 1...1_000_000, "streams of live queries"),
        NamedLimit(
            "live-idle-seconds", \.service.liveIdleSeconds, 0...day,
            "seconds for which a live query without streams is kept"),
        NamedLimit(
            "live-retry-seconds", \.service.liveRetrySeconds, 0...day,
            "seconds for which a live query that cannot be read is retried"),
        NamedLimit(
            "feed-judging-milliseconds", \.service.feedJudging.milliseconds, 1...600_000,
            "milliseconds of judging a filter on the feed's thread in one turn; "
                + "a slower one is judged apart"),
        NamedLimit(
            "slow-feed-judging-milliseconds", \.service.slowFeedJudging.milliseconds, 1...600_000,
            "milliseconds of judging a slow filter for one save; "
                + "beyond it the stream ends, and its client comes back"),
        NamedLimit(
            "live-judging-milliseconds", \.service.liveJudging.milliseconds, 1...600_000,
            "milliseconds of following a live query in one round; "
                + "a slower one is followed apart"),
        NamedLimit(
            "slow-live-judging-milliseconds", \.service.slowLiveJudging.milliseconds, 1...600_000,
            "milliseconds of following a slow live query in one round; "
                + "beyond it the query ends"),
        // Editing contexts.
        NamedLimit(
            "context-depth", \.service.contextDepth, 1...64, "editing contexts in a chain"),
        NamedLimit(
            "context-bytes", \.service.contextBytes, 1_024...bytes,
            "bytes of changes in one editing context, about"),
        NamedLimit(
            "all-contexts-bytes", \.service.allContextsBytes, 1_024...bytes,
            "bytes of changes in all editing contexts, about"),
        NamedLimit(
            "context-evaluation", \.service.contextEvaluation, 1...many,
            "objects that an editing context with changes evaluates one by one"),
        NamedLimit(
            "context-turn-seconds", \.service.contextTurnSeconds, 0.01...day,
            "seconds that a request waits for its turn with an editing context"),
        NamedLimit(
            "context-turn-places", \.service.contextTurnPlaces, 1...10_000,
            "requests that wait for one editing context"),
        NamedLimit(
            "undo-levels", \.service.undoLevels, 0...1_000_000,
            "undo groups of an editing context, unless it sets another number"),
        NamedLimit(
            "maximum-undo-levels", \.service.maximumUndoLevels, 0...1_000_000,
            "the most undo groups that an editing context can set"),
    ]

    /// Limits that have a setting of their own, by their names in code.
    static let ofSettings = [
        "defaultListLimit": "default-limit", "maximumListLimit": "maximum-limit",
        "contexts": "contexts", "contextSeconds": "context-lifetime",
        "contextObjects": "context-objects", "maximumBodyBytes": "body-limit",
        "workers": "workers", "contextTurnPlacesInAll": "workers", "threads": "http-threads",
        "eventStreamThreads": "http-threads", "connectionLimit": "connections",
        "idleTimeout": "idle-timeout",
    ]
}

extension JudgingLimits {
    /// The processor time for a save of any size, in milliseconds.
    fileprivate var milliseconds: Int {
        get { Int(nanoseconds / 1_000_000) }
        set { nanoseconds = UInt64(newValue) * 1_000_000 }
    }
}

extension ReadBudget {
    /// The elapsed time in milliseconds.
    fileprivate var milliseconds: Int {
        get { Int(nanoseconds / 1_000_000) }
        set { nanoseconds = UInt64(newValue) * 1_000_000 }
    }
}
