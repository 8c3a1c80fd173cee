/// The figures of a store in a database since its opening, for the metrics of a service.
public struct DatabaseFigures: Sendable, Hashable {
    /// Connections for reading that requests use now.
    public var connectionsInUse = 0
    /// Connections for reading that are open and not used.
    public var connectionsIdle = 0
    /// The most connections for reading.
    public var connectionLimit = 0
    /// Requests that wait for a connection.
    public var waiting = 0
    /// Connections that were made for reading, and for saving after a loss.
    public var connectionsMade = 0
    /// Reads and saves that were begun again because their connection was lost.
    public var retries = 0
    /// Commits whose answer was lost, so that the server was asked for their outcome.
    public var commitsAskedFor = 0
    /// Requests that this program has evaluated, because the database has no equal of its own.
    public var evaluated = 0
    /// Times at which commits of other nodes were noticed.
    public var foreignCommits = 0
    /// Views and single objects that a replica has answered.
    public var replicaReads = 0
    /// Those for which it was behind or out of reach, so that the database itself was read.
    public var replicaMisses = 0
    /// The seconds since the number of commits was last read: what the feed is behind at most.
    public var lag = 0.0

    /// Creates figures that are all 0.
    public init() {}
}
