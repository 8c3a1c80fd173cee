/// Imports objects from files, in one transaction of the history.

import SteleGraph
import SteleModel
import StelePersistence

/// Imports files of objects, which refer to one another by keys or ids, in any order.
///
/// All records are inserted first, batch by batch, with the links that can be made. Links to
/// objects of later records are made afterwards. All batches are one save: after an error nothing
/// is saved.
public final class Import {
    /// The progress of an import, and its result.
    public struct Summary: Sendable {
        /// The number of objects inserted, by entity name.
        public var objects: [String: Int] = [:]
        /// The number of records that updated an object of the store or of an earlier record, by
        /// entity name.
        public var updated: [String: Int] = [:]
        /// The number of records left out: of objects in the store, or with missing links.
        public var skipped = 0
        /// The links to objects that do not exist.
        public var missing = MissingLinks()
        /// The files left out because they were imported before.
        public var filesSkipped: [String] = []
        /// The seeds that were loaded.
        var seeds: [String] = []
        /// The bytes read so far.
        public var bytesRead = 0
        /// The size of all files in bytes.
        public var bytesTotal = 0
        /// Whether all records are inserted and the remaining links are being made.
        public var isLinking = false

        /// The number of objects inserted.
        public var total: Int { objects.values.reduce(0, +) }
    }

    /// The end of a dry run, which rolls the save back.
    private struct DryRun: Error {}

    private let coordinator: PersistentStoreCoordinator
    private let plan: ImportPlan
    /// The progress, also after an error.
    public private(set) var summary = Summary()

    /// An import of a plan's files into the store of a coordinator.
    public init(_ coordinator: PersistentStoreCoordinator, _ plan: ImportPlan) {
        self.coordinator = coordinator
        self.plan = plan
    }

    /// Imports all files. While it runs, other saves to the store wait.
    /// - Parameter progress: called after each batch.
    /// - Throws: `ImportError` that names file, line and key, or lists all missing links;
    ///   `StoreError`. Nothing is saved then.
    @discardableResult
    public func run(progress: @escaping (Summary) -> Void = { _ in }) throws -> Summary {
        var failure: (any Error)?
        do {
            _ = try coordinator.store.save(inParts: { save in
                let run = ImportRun(coordinator, plan, save, progress)
                defer { summary = run.summary }
                do {
                    try run.run()
                    if plan.options.isDryRun { throw DryRun() }
                } catch {
                    failure = error
                    // After any other error the store would repeat the save.
                    throw StoreError.failed("the import is rolled back")
                }
            })
        } catch {
            guard let failure else { throw error }
            if !(failure is DryRun) { throw failure }
        }
        return summary
    }
}
