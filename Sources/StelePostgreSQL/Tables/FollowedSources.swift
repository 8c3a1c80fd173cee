import StelePersistence
import SteleSQL

/// What tells the tables that a store follows from others that have their names later: their OIDs,
/// the triggers, and the columns that the store has.
///
/// A table that is dropped and made again, or changed for another one by its name, has no triggers:
/// what is written to it would not be followed, and saves would be written to it. So each
/// transaction of a writer looks at the tables before it reads what other programs have written,
/// and again when its own rows are written, after which their locks keep the tables as they are.
struct FollowedSources: Sendable {
    private let names: [TableName]
    /// A scalar subselect that is null where all tables are as they were.
    let difference: String

    /// The number of triggers of a table by which the store of the connection's schema follows it.
    /// - Parameter id: an expression of the table's OID.
    static func triggers(of id: String) -> String {
        "(SELECT COUNT(*) FROM pg_trigger g JOIN pg_proc p ON p.oid = g.tgfoid "
            + "WHERE g.tgrelid = \(id) AND g.tgenabled IN ('O', 'A') "
            + "AND p.pronamespace = \(PostgreSQLWords.ownSchema))"
    }

    /// Reads how the tables are.
    /// - Parameter sources: the tables and the columns of each.
    init(
        _ sources: [(table: CatalogTable, columns: Set<String>)], _ connection: Connection
    ) throws(StoreError) {
        names = sources.map(\.table.name)
        var parts: [String] = []
        for (place, source) in sources.enumerated() {
            let id = String(source.table.oid)
            let columns = "(a.attname, a.atttypid::bigint, a.atttypmod)"
            let rows = try connection.queryOnce(
                "SELECT format('(%L, %s, %s)', a.attname, a.atttypid::bigint, a.atttypmod) "
                    + "FROM pg_attribute a WHERE a.attrelid = \(id) "
                    + "AND a.attname IN (\(source.columns.sorted().literals))")
            let forms = (0..<rows.count).compactMap { rows.text($0, 0) }
            let name = source.table.name
            let isThere =
                "EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                + "WHERE c.oid = \(id) AND c.relname = \(name.name.quotedText) "
                + "AND n.nspname = \(name.schema.quotedText))"
            let same =
                "(SELECT COUNT(*) FROM pg_attribute a WHERE a.attrelid = \(id) "
                + "AND \(columns) IN (\(forms.joined(separator: ", "))))"
            parts.append(
                "SELECT \(4 * place) + CASE WHEN NOT \(isThere) THEN 1 "
                    + "WHEN \(Self.triggers(of: id)) <> 2 THEN 2 "
                    + "WHEN \(same) <> \(source.columns.count) THEN 3 END")
        }
        difference =
            "(SELECT MIN(f.code)::bigint FROM (\(parts.joined(separator: " UNION ALL "))) AS f(code))"
    }

    /// Checks what `difference` has given.
    /// - Parameter code: its value; 0 for null.
    /// - Throws: `.unavailable`.
    func check(_ code: Int64, _ connection: Connection) throws(StoreError) {
        let (place, kind) = (Int(code / 4), code % 4)
        guard kind > 0, place < names.count else { return }
        let followed = "which the store in \(connection.place) follows,"
        switch kind {
        case 1:
            throw .unavailable(
                "the table \(names[place]), \(followed) was renamed, dropped or made again: give "
                    + "the table that the store was made with its name back, and the store goes on; "
                    + "otherwise make the store again in an empty schema")
        case 2:
            throw .unavailable(
                "the table \(names[place]), \(followed) lacks its triggers, or they are disabled, so "
                    + "that what is written to it is not noticed: enable them, and the store goes "
                    + "on; where anything was written meanwhile, make the store again in an empty "
                    + "schema")
        default:
            throw .unavailable(
                "the columns of the table \(names[place]), \(followed) are not as the model has "
                    + "them: change them back, and the store goes on; otherwise make the model and "
                    + "the store again")
        }
    }
}
