import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence

/// The error of a step of a migration. The store is as it was.
package struct FailedMigrationStep: Error {
    /// The step.
    package let step: MigrationPlan.Step
    /// The error of the data, of a policy or of a store.
    package let error: any Error
}

extension MigrationPlan {
    /// Whether an error of a migration says that the store was not as planned: another program has
    /// it open, or it is of another version.
    package static func isOutdated(by error: any Error) -> Bool {
        switch error as? StoreError {
        case .busy?, .incompatible(code: 134100, _)?: true
        default: false
        }
    }

    /// Makes the store of the last version from that of the first: each step makes one of its
    /// version from that of the step before.
    /// - Parameters:
    ///   - old: the store of the first version.
    ///   - policies: the policies of the mapping models, by the names that these have for them.
    ///   - classes: the classes of the last version's objects in policies, by entity name.
    ///   - report: called with the progress of each step.
    ///   - make: makes an empty store for a step.
    /// - Returns: the store of the last version, which is open; those between are closed. Nil for a
    ///   plan without steps.
    /// - Throws: `FailedMigrationStep`; the errors of `make`.
    @discardableResult
    package func carryOut(
        on old: any PersistentStore, policies: [String: EntityMigrationPolicy.Type] = [:],
        classes: [String: ManagedObject.Type] = [:],
        _ report: @escaping (MigrationProgress) -> Void,
        make: (_ index: Int, _ step: Step) throws -> any PersistentStore
    ) throws -> (any PersistentStore)? {
        var last: (any PersistentStore)?
        var isDone = false
        defer { if !isDone { last?.close() } }
        for (index, step) in steps.enumerated() {
            let next = try make(index, step)
            let source = last ?? old
            do {
                // The classes are of the last version.
                let manager = MigrationManager(
                    from: source, to: next, mappingModel: step.mappingModel, policies: policies,
                    destinationClasses: index == steps.count - 1 ? classes : [:])
                manager.didAdvance = report
                try manager.migrate()
                try next.adoptMetadata(of: source)
            } catch {
                next.close()
                throw FailedMigrationStep(step: step, error: error)
            }
            last?.close()
            last = next
        }
        isDone = true
        return last
    }
}
