/// The limits of the service.

import StelePersistence

/// The limits within which the service works. Each can be set.
public struct Limits: Sendable, Hashable {
    /// Requests of a client in a second; 0 is no limit. A client is a token, else an address.
    public var requestsPerSecond = 0
    /// Rows of a list without `limit`.
    public var defaultListLimit = 100
    /// The maximum of `limit` in JSON.
    public var maximumListLimit = 10_000
    /// Bytes up to which an answer is made in one piece; a longer one is streamed.
    public var wholeAnswerBytes = 1 << 20
    /// Bytes of each piece of a streamed answer.
    public var streamPieceBytes = 64 << 10
    /// Rows that a list without a bound reads at a time.
    public var streamBatchRows = 500
    /// Lists without a bound at a time; each keeps a reader of the store.
    public var streams = 32
    /// Rows of a live query, and the maximum of its `limit`.
    public var liveRows = 100_000
    /// Rows of all live queries together.
    public var liveRowsInAll = 2_000_000
    /// Different live queries at a time.
    public var liveQueries = 1_000
    /// Live queries on one stream.
    public var liveQueriesPerStream = 16
    /// Seconds for which a live query without streams is kept for clients that reconnect.
    public var liveIdleSeconds = 30.0
    /// Seconds for which a live query that cannot be read is retried.
    public var liveRetrySeconds = 10.0
    /// Streams of live queries at a time.
    public var liveStreams = 20_000
    /// Bytes of events that wait for a client; a slower one is disconnected.
    public var eventBufferBytes = 4 << 20
    /// Bytes from which an answer is compressed.
    public var compressionThreshold = 1024
    /// Attempts of a write that loses races. The last one runs on the writer's thread.
    public var writeAttempts = 5
    /// Objects in one body, nested ones included.
    public var objectsPerBody = 100_000
    /// Values in a JSON body; an array or object counts as ten, and takes as much memory. The stored
    /// values that the body copies have the same limit.
    public var valuesPerBody = 3_000_000
    /// Bytes up to which the body of an answer is kept for an `Idempotency-Key`.
    public var keptAnswerBytes = 16 << 10
    /// Objects in memory at a time in a write of all that match.
    public var objectsPerPart = 1_000
    /// The nesting of objects in a body.
    public var bodyDepth = 32
    /// Paths of `include`.
    public var includePaths = 32
    /// Relationships in one path of `include`.
    public var includeDepth = 8
    /// Objects that the paths of `include` embed in one answer.
    public var includedObjects = 250_000
    /// Objects that all answers embed that are being sent.
    public var includedObjectsInAll = 1_000_000
    /// Columns of `select`, and keys of `sort` and `groupBy`.
    public var columns = 256
    /// Bytes of a query string. `HTTPServer` takes hardly longer ones, because the head of a
    /// request must fit into its buffer.
    public var queryBytes = 24 << 10
    /// Parameters of one request.
    public var parameters = 256

    /// Editing contexts, children included.
    public var contexts = 1_000
    /// Seconds without a request after which an editing context expires.
    public var contextSeconds = 900.0
    /// Objects with unsaved changes in one editing context.
    public var contextObjects = 10_000
    /// Approximate bytes of changes in one editing context.
    public var contextBytes = 64 << 20
    /// Approximate bytes of changes in all editing contexts together.
    public var allContextsBytes = 512 << 20
    /// Objects that an editing context with unsaved changes evaluates one by one, for aggregates
    /// and for lists without a bound.
    public var contextEvaluation = 10_000
    /// The nesting of editing contexts.
    public var contextDepth = 8
    /// Undo groups of an editing context, unless it sets another number.
    public var undoLevels = 100
    /// The maximum number of undo groups that an editing context can set.
    public var maximumUndoLevels = 1_000
    /// Seconds that a request waits for its turn with an editing context.
    public var contextTurnSeconds = 10.0
    /// Requests that wait for one editing context.
    public var contextTurnPlaces = 16
    /// Requests that wait for any editing context: fewer than there are workers.
    public var contextTurnPlacesInAll = 32

    /// The budget of reading on the thread of a connection, where other connections wait for it.
    /// A request that needs more goes to a worker.
    public var briefReading = ReadBudget(steps: 40_000, nanoseconds: 20_000_000)
    /// What a request that reads may cost before it is left to the workers for long requests; it
    /// begins again there.
    public var shortReading = ReadBudget(
        steps: 1_500_000, nanoseconds: 250_000_000, mayWait: true, beginsElsewhere: true)
    /// Bytes of a query in a body before it is left to those workers.
    public var shortQueryBytes = 64 << 10
    /// Nodes that planning looks at before a request is left to them: about 20 milliseconds.
    public var shortPlanningSteps = 100_000
    /// Rows of a list that is read on the thread of a connection.
    public var briefRows = 250
    /// Bytes of a body that is read on the thread of a connection.
    public var briefBodyBytes = 16 << 10
    /// Objects in a body that is read on the thread of a connection.
    public var briefObjects = 50
    /// Bytes of a query string, or of the parameters of a query in a body, that are read on the
    /// thread of a connection.
    public var briefQueryBytes = 2 << 10
    /// Nodes of predicates and expressions that planning on the thread of a connection looks at,
    /// those of rules and templates among them: about a millisecond.
    public var briefPlanningSteps = 5_000

    /// What judging a filter of the change feed may take on the feed's thread, in one turn. A
    /// filter that needs more is judged on a thread for slow filters.
    public var feedJudging = JudgingLimits(
        nanoseconds: 2_000_000, nanosecondsAChange: 50_000, matchNanoseconds: 2_000_000)
    /// What judging a slow filter may take for one save. Beyond it the stream is ended, and its
    /// client comes back.
    public var slowFeedJudging = JudgingLimits(
        nanoseconds: 1_000_000_000, nanosecondsAChange: 1_000_000, matchNanoseconds: 200_000_000)

    /// What advancing a live query may take on the thread of all live queries, in one round. A
    /// query that needs more moves to a thread for slow ones.
    public var liveJudging = JudgingLimits(
        nanoseconds: 10_000_000, nanosecondsAChange: 50_000, matchNanoseconds: 10_000_000)
    /// What advancing a slow live query may take in one round. Beyond it the query ends.
    public var slowLiveJudging = JudgingLimits(
        nanoseconds: 1_000_000_000, nanosecondsAChange: 1_000_000, matchNanoseconds: 200_000_000)

    /// The limits of `Config/stele.yaml`.
    public init() {}
}
