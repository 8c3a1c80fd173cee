// A store of either kind with its coordinator, and short names for reading it.

import SteleModel
import StelePersistence
import SteleSQLite
import SteleSystem
import TestSupport
import Testing

@testable import SteleGraph

/// A store and its coordinator.
final class Fixture: GraphFixture {
    let coordinator: PersistentStoreCoordinator
    /// The counting store, where `isCounting`.
    let counter: CountingStore?
    /// Where the store's files are; nil for one in memory.
    let folder: TemporaryFolder?

    init(_ model: Model, rowCacheBytes: Int = 1 << 20) {
        (counter, folder) = (nil, nil)
        coordinator = PersistentStoreCoordinator(
            store: InMemoryStore(model: model), rowCacheBytes: rowCacheBytes)
    }

    /// - Parameters:
    ///   - isCounting: whether `counter` counts what is read.
    ///   - classes: as `PersistentStoreCoordinator.init`.
    init(
        _ model: Model, _ kind: StoreKind, rowCacheBytes: Int = 1 << 20, isCounting: Bool = false,
        classes: [String: ManagedObject.Type] = [:]
    ) throws {
        folder = kind == .memory ? nil : try TemporaryFolder()
        let store = try kind.open(model, at: folder?.store ?? "")
        counter = isCounting ? CountingStore(store) : nil
        coordinator = PersistentStoreCoordinator(
            store: counter ?? store, rowCacheBytes: rowCacheBytes, classes: classes)
    }

    deinit { store.close() }

    var store: any PersistentStore { coordinator.store }

    static func league() throws -> Fixture { Fixture(try makeLeague()) }

    /// A to-one as the store has it.
    func stored(_ path: String, of key: Int64) throws -> Int64? {
        let relationship = try relationship(path)
        let reader = try store.reader()
        defer { reader.close() }
        let root = model.entities[relationship.owner].root
        let row = try #require(try reader.snapshot(ObjectID(root: root, key: key)))
        if case .key(let key) = row.values[relationship.slot] { return key }
        return nil
    }

    func version(_ name: String, _ key: Int64) throws -> Int64? {
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.snapshot(ObjectID(root: try entity(name).root, key: key))?.version
    }

    /// The last transaction.
    func lastSave() throws -> HistoryTransaction {
        let reader = try store.reader()
        defer { reader.close() }
        return try #require(try reader.history(after: 0, limit: .max, values: true).last)
    }
}
