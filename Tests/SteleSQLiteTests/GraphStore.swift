// An SQLite store with its coordinator.

import SteleGraph
import SteleModel
import SteleSQLite
import TestSupport

/// A store in a folder of its own, with its coordinator.
final class GraphStore: GraphFixture, Sendable {
    let folder: TemporaryFolder
    let store: SQLiteStore
    let coordinator: PersistentStoreCoordinator

    /// - Parameter folder: where a store may be already; nil for one of its own.
    init(_ model: Model, in folder: TemporaryFolder? = nil) throws {
        self.folder = try folder ?? TemporaryFolder()
        store = try SQLiteStore.open(path: self.folder.store, model: model)
        coordinator = PersistentStoreCoordinator(store: store)
    }

    convenience init(_ entities: [EntityMaker]) throws { try self.init(makeModel(entities)) }

    deinit { store.close() }
}
