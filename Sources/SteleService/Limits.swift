/// Every bound of the service, each with its name and its reason's size.

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
    /// Bytes from which an answer is worth compressing.
    public var compressionThreshold = 1024
    /// How often a write that lost its race is run, the last time on the writer's own thread.
    public var writeAttempts = 5
    /// The most objects that one body may hold, nested ones included.
    public var objectsPerBody = 100_000
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
    /// The most bytes of a query string.
    public var queryBytes = 64 << 10
    /// The most parameters of one request.
    public var parameters = 256

    /// Requests at work up to which an object that the row cache lacks is read on the connection's
    /// own thread; with more, a reader might have to be waited for.
    public var workersBesideInlineReads = 8

    /// The limits as `Config/stele.yaml` has them.
    public init() {}
}
