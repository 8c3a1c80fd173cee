import SteleModel
import StelePersistence
import SteleSQL

/// Reads pg_catalog in one transaction, with a search path that makes the server qualify the names
/// of all that is in other schemas.
struct CatalogReader {
    private let connection: Connection

    /// Reads the catalog. The settings of the connection are the same afterwards.
    /// - Throws: what the closure throws, and errors of statements.
    static func read<T>(
        _ connection: Connection, _ body: (CatalogReader) throws(StoreError) -> T
    ) throws(StoreError) -> T {
        let isOwn = !connection.isInTransaction
        let begin =
            isOwn ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "SAVEPOINT catalog"
        let end = isOwn ? "ROLLBACK" : "ROLLBACK TO catalog; RELEASE catalog"
        try connection.run(begin)
        do {
            try connection.run("SET LOCAL search_path = pg_catalog")
            let result = try body(CatalogReader(connection: connection))
            try connection.run(end)
            return result
        } catch {
            if !connection.isLost { _ = try? connection.run(end) }
            throw error
        }
    }

    /// Returns tables, views and foreign tables without partitions, sorted by name.
    /// - Parameter condition: on pg_class as `c` and pg_namespace as `n`.
    func relations(
        _ condition: String, _ bindings: [Value]
    ) throws(StoreError) -> [CatalogRelation] {
        let rows = try connection.queryOnce(
            "SELECT c.oid::bigint, n.nspname::text, c.relname::text, c.relkind::text, "
                + "has_table_privilege(c.oid, 'SELECT') "
                + "AND has_schema_privilege(n.oid, 'USAGE'), "
                + "EXISTS (SELECT 1 FROM pg_inherits i WHERE i.inhrelid = c.oid "
                + "OR c.relkind = 'r' AND i.inhparent = c.oid) "
                + "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                + "WHERE \(condition) AND NOT c.relispartition "
                + "AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY n.nspname, c.relname",
            bindings)
        return (0..<rows.count).compactMap { row in
            guard let schema = rows.text(row, 1), let name = rows.text(row, 2) else { return nil }
            return CatalogRelation(
                oid: rows.integer(row, 0), name: TableName(schema: schema, name: name),
                kind: rows.text(row, 3) ?? "", isReadable: rows.flag(row, 4),
                isChild: rows.flag(row, 5))
        }
    }

    /// Returns tables, in the order of the relations.
    func tables(_ relations: [CatalogRelation]) throws(StoreError) -> [CatalogTable] {
        if relations.isEmpty { return [] }
        let list = relations.map { String($0.oid) }.joined(separator: ", ")
        let columns = try columns(of: list)
        let uniques = try uniques(of: list)
        let foreignKeys = try foreignKeys(of: list)
        return relations.map { relation in
            let own = columns[relation.oid] ?? []
            let required = Set(own.filter(\.isRequired).map(\.name))
            let lists = uniques[relation.oid] ?? []
            let primary = lists.first(where: \.isPrimary)?.columns
            return CatalogTable(
                oid: relation.oid, name: relation.name, columns: own,
                key: primary ?? lists.map(\.columns).first(where: required.isSuperset) ?? [],
                uniques: lists.filter { !$0.isPrimary }.map(\.columns),
                foreignKeys: foreignKeys[relation.oid] ?? [])
        }
    }

    // MARK: Columns

    /// A domain of a domain has the modifier, the default and the NOT NULL of the one that has it.
    private static let columns =
        "WITH RECURSIVE below(relation, place, type, modifier, required, fallback) AS ("
        + "SELECT attrelid, attnum, atttypid, atttypmod, attnotnull, NULL::text COLLATE \"C\" "
        + "FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped AND attrelid IN (TABLES) "
        + "UNION ALL SELECT relation, place, typbasetype, "
        + "CASE WHEN typtypmod <> -1 THEN typtypmod ELSE modifier END, "
        + "required OR typnotnull, coalesce(fallback, pg_get_expr(typdefaultbin, 0)) "
        + "FROM below JOIN pg_type ON oid = type AND typtype = 'd') "
        + "SELECT a.attrelid::bigint, a.attname::text, format_type(a.atttypid, a.atttypmod), "
        // A type of another schema may have the name of one that has a form of its own.
        + "CASE WHEN t.typnamespace <> 'pg_catalog'::regnamespace "
        + "AND EXISTS (SELECT 1 FROM pg_type o WHERE o.typname = t.typname "
        + "AND o.typnamespace = 'pg_catalog'::regnamespace) "
        + "THEN format_type(t.oid, NULL) ELSE t.typname::text END, t.oid::bigint, "
        + "CASE WHEN t.typname IN ('varchar', 'bpchar') AND b.modifier > 4 "
        + "THEN b.modifier - 4 END, b.required, "
        + "CASE WHEN a.attgenerated <> '' THEN NULL "
        + "WHEN a.attidentity <> '' THEN 'nextval(' || quote_literal(pg_get_serial_sequence("
        + "quote_ident(n.nspname) || '.' || quote_ident(c.relname), a.attname::text)) "
        + "|| '::regclass)' "
        + "ELSE coalesce(pg_get_expr(d.adbin, d.adrelid), b.fallback) END, "
        + "a.attgenerated <> '', a.attidentity = 'a' "
        + "FROM below b JOIN pg_type t ON t.oid = b.type AND t.typtype <> 'd' "
        + "JOIN pg_attribute a ON a.attrelid = b.relation AND a.attnum = b.place "
        + "JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace "
        + "LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum "
        + "ORDER BY a.attrelid, a.attnum"

    private func columns(of tables: String) throws(StoreError) -> [Int64: [CatalogColumn]] {
        let rows = try connection.queryOnce(Self.columns.replacing("TABLES", with: tables))
        let labels = try labels(of: Set((0..<rows.count).map { rows.integer($0, 4) }))
        var columns: [Int64: [CatalogColumn]] = [:]
        for row in 0..<rows.count {
            let length = Int(rows.integer(row, 5))
            columns[rows.integer(row, 0), default: []].append(
                CatalogColumn(
                    name: rows.text(row, 1) ?? "", type: rows.text(row, 2) ?? "",
                    baseType: rows.text(row, 3) ?? "", labels: labels[rows.integer(row, 4)] ?? [],
                    length: length > 0 ? length : nil, isRequired: rows.flag(row, 6),
                    defaultExpression: rows.text(row, 7), isGenerated: rows.flag(row, 8),
                    isIdentityAlways: rows.flag(row, 9)))
        }
        return columns
    }

    /// Returns the labels of enums.
    private func labels(of types: Set<Int64>) throws(StoreError) -> [Int64: [String]] {
        if types.isEmpty { return [:] }
        let list = types.map(String.init).joined(separator: ", ")
        let rows = try connection.queryOnce(
            "SELECT enumtypid::bigint, enumlabel::text FROM pg_enum WHERE enumtypid IN (\(list)) "
                + "ORDER BY enumtypid, enumsortorder")
        var labels: [Int64: [String]] = [:]
        for row in 0..<rows.count {
            labels[rows.integer(row, 0), default: []].append(rows.text(row, 1) ?? "")
        }
        return labels
    }

    // MARK: Constraints

    /// The columns of a primary key, of a UNIQUE constraint or of an index that is as one.
    private struct Unique {
        let isPrimary: Bool
        var columns: [String]
    }

    private func uniques(of tables: String) throws(StoreError) -> [Int64: [Unique]] {
        let rows = try connection.queryOnce(
            "SELECT i.indrelid::bigint, i.indexrelid::bigint, i.indisprimary, a.attname::text "
                + "FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
                + "CROSS JOIN LATERAL unnest(i.indkey::int2[]) "
                + "WITH ORDINALITY AS k(number, place) "
                + "JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number "
                + "WHERE i.indrelid IN (\(tables)) AND i.indisunique AND i.indisvalid "
                + "AND NOT i.indisexclusion AND i.indpred IS NULL AND i.indexprs IS NULL "
                + "AND k.place <= i.indnkeyatts "
                + "ORDER BY i.indrelid, c.relname, i.indexrelid, k.place")
        var uniques: [Int64: [Unique]] = [:]
        var last: Int64 = 0
        for row in 0..<rows.count {
            let table = rows.integer(row, 0)
            var own = uniques[table] ?? []
            if rows.integer(row, 1) != last {
                own.append(Unique(isPrimary: rows.flag(row, 2), columns: []))
            }
            last = rows.integer(row, 1)
            own[own.count - 1].columns.append(rows.text(row, 3) ?? "")
            uniques[table] = own
        }
        return uniques
    }

    private func foreignKeys(
        of tables: String
    ) throws(StoreError) -> [Int64: [CatalogForeignKey]] {
        // One to a partitioned table has others, to each of the partitions.
        let rows = try connection.queryOnce(
            "SELECT f.conrelid::bigint, f.oid::bigint, f.conname::text, n.nspname::text, "
                + "c.relname::text, f.confdeltype::text, a.attname::text, o.attname::text "
                + "FROM pg_constraint f JOIN pg_class c ON c.oid = f.confrelid "
                + "JOIN pg_namespace n ON n.oid = c.relnamespace "
                + "CROSS JOIN LATERAL unnest(f.conkey, f.confkey) "
                + "WITH ORDINALITY AS k(own, other, place) "
                + "JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.own "
                + "JOIN pg_attribute o ON o.attrelid = f.confrelid AND o.attnum = k.other "
                + "WHERE f.contype = 'f' AND f.conparentid = 0 AND f.conrelid IN (\(tables)) "
                + "ORDER BY f.conrelid, f.conname, f.oid, k.place")
        var keys: [Int64: [CatalogForeignKey]] = [:]
        var start = 0
        while start < rows.count {
            let key = rows.integer(start, 1)
            var end = start
            while end < rows.count, rows.integer(end, 1) == key { end += 1 }
            let places = start..<end
            keys[rows.integer(start, 0), default: []].append(
                CatalogForeignKey(
                    name: rows.text(start, 2) ?? "", columns: places.map { rows.text($0, 6) ?? "" },
                    table: TableName(
                        schema: rows.text(start, 3) ?? "", name: rows.text(start, 4) ?? ""),
                    referenced: places.map { rows.text($0, 7) ?? "" },
                    onDelete: .init(rawValue: rows.text(start, 5) ?? "") ?? .none))
            start = end
        }
        return keys
    }
}
