/// How far a migration has come.
public struct MigrationProgress: Sendable, Hashable {
    /// The steps of a migration, in order.
    public enum Phase: Int, Sendable, Hashable, CaseIterable {
        /// Destination objects are made of source objects.
        case instances
        /// Destination objects are linked.
        case relationships
        /// Policies validate, and the destination objects are validated.
        case validation
        /// The destination store commits.
        case saving
    }

    /// The current step.
    public var phase = Phase.instances
    /// The name of the entity mapping that is carried out; nil between mappings.
    public var mapping: String?
    /// What is done so far. By a mapping model: source objects, each counted once in each of the
    /// first two steps. In place: rows, each counted each time that it is written, and for each new
    /// index of its table.
    public var done = 0
    /// The value of `done` at the end; 0 where nothing is written.
    public var total = 0

    /// Creates a progress.
    public init(done: Int = 0, total: Int = 0) {
        self.done = done
        self.total = total
    }

    /// The part that is done, from 0 to 1 (`migrationProgress`).
    public var fraction: Double { total == 0 ? 0 : min(1, Double(done) / Double(total)) }
}
