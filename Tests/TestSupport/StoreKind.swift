// The stores that tests run on.

import SteleModel
import StelePersistence
import SteleSQLite

package enum StoreKind: String, CaseIterable, Sendable {
    case memory, sqlite

    /// A store of this kind.
    /// - Parameter path: the file of an SQLite store.
    package func open(_ model: Model, at path: String) throws -> any PersistentStore {
        switch self {
        case .memory: InMemoryStore(model: model)
        case .sqlite: try SQLiteStore.open(path: path, model: model)
        }
    }
}
