// The same migrations in a database of PostgreSQL.

import Foundation
import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import StelePostgreSQL
import StelePredicates
import TestSupport
import Testing

/// A store in a schema of the tests' server, which was filled and migrated by the inferred mapping
/// model.
final class MigratedDatabase: GraphFixture {
    let coordinator: PersistentStoreCoordinator
    private let url: String

    /// Nil where the tests do not run on PostgreSQL.
    init?(
        _ source: Model, to destination: Model, _ fill: (any GraphFixture) throws -> Void
    ) throws {
        guard let url = try databaseURL() else { return nil }
        self.url = url
        try DatabaseFixture(url, source, fill).close()
        #expect(
            try PostgreSQLStore.migrate(
                url: url, from: source, to: destination,
                by: try .inferred(from: source, to: destination)))
        coordinator = PersistentStoreCoordinator(
            store: try PostgreSQLStore.open(url: url, model: destination))
    }

    deinit { coordinator.store.close() }

    /// The error of a migration, with its code; nil where the tests do not run on PostgreSQL.
    static func refusal(
        _ source: Model, to destination: Model, _ fill: (any GraphFixture) throws -> Void
    ) throws -> String? {
        guard let url = try databaseURL() else { return nil }
        let before = try DatabaseFixture(url, source, fill)
        let contents = try before.contents()
        before.close()
        var found = "none"
        do {
            try PostgreSQLStore.migrate(
                url: url, from: source, to: destination,
                by: try .inferred(from: source, to: destination))
        } catch StoreError.incompatible(let code, let text) {
            found = "\(code) \(text)"
        }
        let after = try DatabaseFixture(url, source) { _ in }
        #expect(try after.contents() == contents)
        after.close()
        return found
    }

    /// The tables, columns and indexes.
    func schemaLines() throws -> [String] { try databaseSchemaLines(url) }
}

/// A store in a database with its coordinator.
private final class DatabaseFixture: GraphFixture {
    let coordinator: PersistentStoreCoordinator

    init(_ url: String, _ model: Model, _ fill: (any GraphFixture) throws -> Void) throws {
        coordinator = PersistentStoreCoordinator(
            store: try PostgreSQLStore.open(url: url, model: model))
        try fill(self)
    }

    func close() { coordinator.store.close() }
}

/// The URL of an empty schema; nil where the tests do not run on PostgreSQL.
private func databaseURL() throws -> String? {
    guard StoreKind.allCases == [.postgresql] else { return nil }
    return try PostgreSQLServer.shared?.url(path: UUID().uuidString)
}

/// The tables, columns and indexes of a new store in a database.
func freshSchemaLines(of model: Model) throws -> [String] {
    let url = try #require(try databaseURL())
    try PostgreSQLStore.open(url: url, model: model).close()
    return try databaseSchemaLines(url)
}

private func databaseSchemaLines(_ url: String) throws -> [String] {
    let server = try #require(PostgreSQLServer.shared)
    let schema = String(url.split(separator: "%3D").last ?? "")
    return try server.sql(
        "SELECT table_name || '.' || column_name || ' ' || data_type || ' ' "
            + "|| coalesce(collation_name, '-') || ' ' || is_nullable "
            + "FROM information_schema.columns WHERE table_schema = '\(schema)' ORDER BY 1",
        schema: schema)
        // The index of a primary key keeps the name of the table before.
        + server.sql(
            "SELECT tablename || ' ' || replace(replace(indexdef, '\(schema).', ''), "
                + "CASE WHEN indexname LIKE '%_pkey' THEN indexname ELSE '' END, 'key') "
                + "FROM pg_indexes WHERE schemaname = '\(schema)' ORDER BY 1", schema: schema)
        + server.sql(
            "SELECT z_ent || ' ' || z_name || ' ' || z_super FROM z_primarykey ORDER BY z_ent",
            schema: schema)
}

extension GraphFixture {
    /// All objects, links and changes of the history, but for times.
    func contents() throws -> [String] {
        try read { reader in
            var lines: [String] = []
            for entity in model.storedEntities where entity.parent == nil {
                for row in try reader.fetch(FetchRequest(entity: entity)) {
                    let own = model.entities[row.entity]
                    let values = zip(own.slots, row.values).filter { !$0.0.isOfTime }.map {
                        "\($0.0.name) \(text($0.1))"
                    }
                    lines.append("\(own.name) \(row.key) \(row.version) \(values)")
                }
            }
            for it in model.relationships where it.isToMany {
                let owner = model.entities[it.owner]
                let keys = try reader.fetch(FetchRequest(entity: owner)).map(\.key)
                for (key, members) in try reader.members(of: it, owners: keys)
                    .sorted(by: { $0.key < $1.key }) where !members.isEmpty
                {
                    lines.append("\(owner.name).\(it.name) \(key) \(members)")
                }
            }
            for transaction in try reader.history(after: 0, limit: 1_000, values: false) {
                for it in transaction.changes {
                    lines.append(
                        "\(transaction.number) \(it.kind) \(model.entities[it.entity].name) "
                            + "\(it.key) \(it.version ?? -1) \(it.before.map { "\($0)" } ?? "-")")
                }
            }
            return lines
        }
    }

    /// A value of either store, those of external files with their bytes.
    private func text(_ value: Value) -> String {
        if case .external(let file) = value { return "\(Value.data(file.bytes ?? []))" }
        return "\(value)"
    }
}

extension Property {
    /// Whether it is derived from the time of the migration.
    fileprivate var isOfTime: Bool {
        guard case .attribute(let it) = self else { return false }
        return it.declaration.derivationExpression?.contains("now") ?? false
    }
}
