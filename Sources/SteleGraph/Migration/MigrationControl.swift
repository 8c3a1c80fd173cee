import SteleSystem

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
    /// The source objects handled so far; each counts once in each of the first two steps.
    public var done = 0
    /// The value of `done` at the end.
    public var total = 0

    /// The part that is done, from 0 to 1 (`migrationProgress`).
    public var fraction: Double { total == 0 ? 0 : min(1, Double(done) / Double(total)) }
}

/// Progress and cancellation of a migration, for other threads.
public final class MigrationControl: Sendable {
    private struct State {
        var progress = MigrationProgress()
        var error: (any Error)?
    }

    private let state = Mutex(State())

    /// Creates a control.
    public init() {}

    /// The progress; that of a new migration after the end.
    public var progress: MigrationProgress { state.withLock { $0.progress } }

    /// Ends the migration with an error at the next batch of objects
    /// (`cancelMigrationWithError`). The destination is left as it was before.
    public func cancel(with error: any Error) { state.withLock { $0.error = error } }

    func set(_ progress: MigrationProgress) { state.withLock { $0.progress = progress } }

    /// - Throws: the error of `cancel`.
    func check() throws {
        if let error = state.withLock({ $0.error }) { throw error }
    }

    /// Prepares for a new migration.
    func reset() { state.withLock { $0 = State() } }
}
