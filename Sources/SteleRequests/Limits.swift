/// Every bound of the service, each with its name and its reason's size.

import StelePersistence

/// The bounds within which the service works; all can be set, none is without end.
public struct Limits: Sendable, Hashable {
    /// Rows of a list where `limit` says nothing.
    public var defaultListLimit = 100
    /// The most rows that `limit` may ask for in JSON.
    public var maximumListLimit = 10_000
    /// Bytes up to which an answer is made in one piece; beyond, it is streamed.
    public var wholeAnswerBytes = 1 << 20
    /// Bytes of each piece of a streamed answer.
    public var streamPieceBytes = 64 << 10
    /// Rows that a list without a bound reads at a time.
    public var streamBatchRows = 500
    /// Lists without a bound that are under way at once; each keeps a reader of the store.
    public var streams = 32
    /// The most rows of a live query, and the most that its `limit` may ask for.
    public var liveRows = 100_000
    /// Rows that all live queries hold together.
    public var liveRowsInAll = 2_000_000
    /// Different live queries that are followed at once.
    public var liveQueries = 1_000
    /// Live queries on one stream.
    public var liveQueriesPerStream = 16
    /// Seconds that a live query is followed that nobody listens to, for who comes back.
    public var liveIdleSeconds = 30.0
    /// Seconds that a live query which cannot be read is tried again.
    public var liveRetrySeconds = 10.0
    /// Streams of live queries that are open at once.
    public var liveStreams = 20_000
    /// Bytes from which an answer is worth compressing.
    public var compressionThreshold = 1024
    /// How often a write that lost its race is run, the last time on the writer's own thread.
    public var writeAttempts = 5
    /// The most objects that one body may hold, nested ones included.
    public var objectsPerBody = 100_000
    /// Bytes of an answer's body up to which it is kept for an `Idempotency-Key`.
    public var keptAnswerBytes = 16 << 10
    /// Objects of a write of all that match that are in memory at once.
    public var objectsPerPart = 1_000
    /// How deep objects may be nested in a body.
    public var bodyDepth = 32
    /// The most paths that `include` may name.
    public var includePaths = 32
    /// The most relationships in one `include` path.
    public var includeDepth = 8
    /// The most objects that all `include` paths of one answer may embed.
    public var includedObjects = 1_000_000
    /// The most columns that `select` may name, and keys that `sort` and `groupBy` may.
    public var columns = 256
    /// The most bytes of a query string. `HTTPServer` takes hardly longer ones: the head of a request
    /// has to fit into its buffer.
    public var queryBytes = 24 << 10
    /// The most parameters of one request.
    public var parameters = 256

    /// The most editing contexts that are kept, children among them.
    public var contexts = 1_000
    /// Seconds after which an editing context that is left alone expires.
    public var contextSeconds = 900.0
    /// The most objects with unsaved changes in one editing context.
    public var contextObjects = 10_000
    /// About the most bytes of changes that one editing context holds on to, and that all do together.
    public var contextBytes = 64 << 20
    public var allContextsBytes = 512 << 20
    /// The most objects that an editing context with unsaved changes looks at one by one, for
    /// aggregates and for lists without a bound.
    public var contextEvaluation = 10_000
    /// How many contexts may stand one below another.
    public var contextDepth = 8
    /// Groups that an editing context can take back where nothing else is said, and the most.
    public var undoLevels = 100
    public var maximumUndoLevels = 1_000
    /// Seconds that a request waits for its turn with an editing context, and how many wait at once.
    public var contextTurnSeconds = 10.0
    public var contextTurnPlaces = 16
    /// How many requests wait for their turn with any: fewer than there are workers.
    public var contextTurnPlacesInAll = 32

    /// What reading a request may cost on the thread that carries its connection, where the others
    /// of that thread wait for it; with more, a worker begins it anew.
    public var briefReading = ReadBudget(steps: 40_000, nanoseconds: 20_000_000)
    /// Rows of a list up to which it is tried there.
    public var briefRows = 250
    /// Bytes of a body up to which it is read there, and the most objects that it may hold.
    public var briefBodyBytes = 16 << 10
    public var briefObjects = 50
    /// Bytes of a query string up to which it is read there.
    public var briefQueryBytes = 2 << 10

    /// The limits as `Config/stele.yaml` has them.
    public init() {}
}
