// The stores that tests run on.

import FoundationEssentials
import SteleFiles
import SteleModel
import StelePersistence
import StelePostgreSQL
import SteleSQLite

package enum StoreKind: String, CaseIterable, Sendable {
    case memory, sqlite, binary, text, xml
    /// An SQLite store and one in memory, which both have all entities.
    case group
    /// A schema of the tests' server.
    case postgresql

    /// Those that tests run on. `make test` runs the tests again on PostgreSQL alone, where it is
    /// installed: STELE_STORES=postgresql.
    package static let allCases: [StoreKind] =
        !isOnPostgreSQL
        ? [.memory, .sqlite, .binary, .text, .xml, .group]
        : PostgreSQLServer.shared == nil ? [] : [.postgresql]

    private static let isOnPostgreSQL =
        ProcessInfo.processInfo.environment["STELE_STORES"] == "postgresql"

    /// The stores that are one store. Migrations and copies are made between them.
    package static let single =
        (isOnPostgreSQL ? [.sqlite] : []) + allCases.filter { $0 != .group }
    /// The whole-file stores.
    package static let files: [StoreKind] = [.binary, .text, .xml]

    private func postgreSQLServer() throws -> PostgreSQLServer {
        struct NotInstalled: Error {}
        return try PostgreSQLServer.shared ?? { throw NotInstalled() }()
    }

    /// A store of this kind.
    /// - Parameter path: the file of a store that has one.
    package func open(_ model: Model, at path: String) throws -> any PersistentStore {
        switch self {
        case .memory: InMemoryStore(model: model)
        case .sqlite: try SQLiteStore.open(path: path, model: model)
        case .binary:
            try AtomicStore.open(path: path, model: model, format: BinaryFormat())
        case .text: try AtomicStore.open(path: path, model: model, format: TextFormat())
        case .xml: try AtomicStore.open(path: path, model: model, format: XMLFormat())
        case .postgresql:
            try PostgreSQLStore.open(url: postgreSQLServer().url(path: path), model: model)
        case .group:
            try StoreGroup(
                [SQLiteStore.open(path: path, model: model), InMemoryStore(model: model)],
                model: model)
        }
    }
}
