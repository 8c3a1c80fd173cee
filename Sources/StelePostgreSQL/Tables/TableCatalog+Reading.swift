import SteleModel
import StelePersistence
import SteleSQL

/// Reads tables from the database's catalog.

extension CatalogTable {
    /// Reads the tables of a schema that objects can be kept in, sorted by name.
    /// - Parameter schema: nil for the first one of the search path.
    /// - Returns: no table where the schema does not exist; and notes on what is left out, and why.
    /// - Throws: errors of statements.
    static func read(
        schema: String?, _ connection: Connection
    ) throws(StoreError) -> (tables: [CatalogTable], notes: [String]) {
        // Before the reading, which has a search path of its own.
        guard let name = try named(schema, connection) else {
            return ([], [])
        }
        return try CatalogReader.read(connection) { reader throws(StoreError) in
            let found = try reader.relations("n.nspname = ?1", [.string(name)])
            let (relations, notes) = CatalogRelation.mappable(found, in: name)
            let tables = try reader.tables(relations)
            let unkeyed = tables.filter(\.key.isEmpty).map {
                "the table \($0.name) is left out: it has no primary key, and no UNIQUE over "
                    + "columns that are NOT NULL"
            }
            return (tables.filter { !$0.key.isEmpty }, notes + unkeyed)
        }
    }

    /// Reads tables by name. One that does not exist, is no table or that the user may not read is
    /// left out.
    /// - Throws: errors of statements.
    static func read(
        _ names: [TableName], _ connection: Connection
    ) throws(StoreError) -> [TableName: CatalogTable] {
        if names.isEmpty { return [:] }
        return try CatalogReader.read(connection) { reader throws(StoreError) in
            let pairs = names.indices.map { "(?\(2 * $0 + 1), ?\(2 * $0 + 2))" }
            let relations = try reader.relations(
                "(n.nspname, c.relname) IN (\(pairs.joined(separator: ", ")))",
                names.flatMap { [.string($0.schema), .string($0.name)] })
            let tables = try reader.tables(relations.filter { $0.isTable && $0.isReadable })
            return Dictionary(
                tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// The schema, or else the first one of the search path that exists; nil where there is none.
    static func named(
        _ schema: String?, _ connection: Connection
    ) throws(StoreError) -> String? {
        if let schema { return schema }
        // One with a store of Stele is that of the role, and has no tables of another program.
        let rows = try connection.queryOnce(
            "SELECT coalesce((SELECT s::text FROM unnest(current_schemas(false)) WITH ORDINALITY "
                + "AS p(s, place) WHERE NOT EXISTS (SELECT FROM pg_class "
                + "WHERE relname = 'z_metadata' AND relnamespace = quote_ident(s)::regnamespace) "
                + "ORDER BY place LIMIT 1), current_schema()::text)")
        return rows.text(0, 0)
    }

    /// The schemas with tables that the user may use, sorted by name.
    static func schemas(_ connection: Connection) throws(StoreError) -> [String] {
        let rows = try connection.queryOnce(
            "SELECT DISTINCT n.nspname::text FROM pg_class c "
                + "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p') "
                + "AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' "
                + "AND has_schema_privilege(n.oid, 'USAGE') ORDER BY 1")
        return (0..<rows.count).compactMap { rows.text($0, 0) }
    }

    /// Whether a schema exists.
    static func hasSchema(_ name: String, _ connection: Connection) throws(StoreError) -> Bool {
        try connection.queryOnce(
            "SELECT 1 FROM pg_namespace WHERE nspname = ?1", [.string(name)]
        ).count > 0
    }
}

/// A table, view or foreign table.
struct CatalogRelation {
    let oid: Int64
    let name: TableName
    /// pg_class.relkind.
    let kind: String
    /// Whether the user may read it.
    let isReadable: Bool
    /// Whether it inherits from another table, or one from it, and neither is a partition.
    let isChild: Bool

    var isTable: Bool { kind == "r" || kind == "p" }

    /// The relations of a schema that can be entities, and notes on the others.
    static func mappable(
        _ all: [CatalogRelation], in schema: String
    ) -> (relations: [CatalogRelation], notes: [String]) {
        let hasStore = all.contains { $0.name.name.lowercased() == "z_metadata" }
        let others = hasStore ? all.filter { !$0.isOfStore } : all
        var notes: [String] = []
        if hasStore {
            notes.append("the tables of the Stele store in the schema \(schema) are left out")
        }
        func leaveOut(_ kind: String, _ left: [CatalogRelation], _ reason: (Bool) -> String) {
            guard !left.isEmpty else { return }
            let names = left.map(\.name.description).joined(separator: ", ")
            let isOne = left.count == 1
            notes.append(
                "the \(kind)\(isOne ? "" : "s") \(names) \(isOne ? "is" : "are") left out: "
                    + reason(isOne))
        }
        leaveOut("view", others.filter { $0.kind == "v" || $0.kind == "m" }) { _ in
            "a model has tables alone"
        }
        leaveOut("foreign table", others.filter { $0.kind == "f" }) { isOne in
            "the database does not keep \(isOne ? "its" : "their") rows"
        }
        let tables = others.filter(\.isTable)
        leaveOut("table", tables.filter { !$0.isReadable }) { isOne in
            "the user needs SELECT on \(isOne ? "it" : "them"), and USAGE on the schema"
        }
        leaveOut("table", tables.filter { $0.isReadable && $0.isChild }) { isOne in
            "\(isOne ? "it inherits" : "they inherit") from another table, or one from "
                + "\(isOne ? "it" : "them")"
        }
        return (tables.filter { $0.isReadable && !$0.isChild }, notes)
    }

    /// Whether it belongs to a store of Stele, in a schema that has one.
    private var isOfStore: Bool {
        let name = name.name.lowercased()
        return ["z", "stele", "atransaction", "achange"].contains { name.hasPrefix($0) }
    }
}

extension Rows {
    /// A column of text; nil for a null, and for a row that there is not.
    func text(_ row: Int, _ column: Int32) -> String? {
        guard row < count, case .string(let text) = value(row, column, .text) else { return nil }
        return text
    }

    /// A column of booleans; false for a null.
    func flag(_ row: Int, _ column: Int32) -> Bool { integer(row, column) != 0 }
}
