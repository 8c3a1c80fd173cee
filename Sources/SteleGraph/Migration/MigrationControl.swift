import SteleMigration
import SteleSystem

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
