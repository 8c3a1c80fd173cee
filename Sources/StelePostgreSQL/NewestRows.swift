import SteleModel
import StelePersistence
import SteleSQL

/// Reads objects outside a view, in one statement: what is newest when it runs.
///
/// A view finds out by the row of the commit counter whether the store is the one that was opened.
/// Here each row tells it, by the OID of its table.
struct NewestRows: Sendable {
    private let schema: SQLSchema
    private let translator: FetchTranslator
    private let readers: ReaderPool
    /// The OID of each family's table; nil for one whose rows are in others, as those of partitions.
    private let tables: [Int: Int64]

    init(_ schema: SQLSchema, _ translator: FetchTranslator, _ readers: ReaderPool) {
        self.schema = schema
        self.translator = translator
        self.readers = readers
        let known = readers.access.identity.tables
        tables = schema.tables.compactMapValues { known[PostgreSQLWords.stored($0.name)] }
    }

    /// Returns the objects of a family that exist.
    /// - Parameter keys: some hundred at most.
    /// - Throws: `.gone` where the tables are those of another store; the errors of statements.
    func read(root: Int, _ keys: [Int64]) throws(StoreError) -> [Snapshot] {
        guard let shape = schema.shapes[root] else { return [] }
        let isOne = keys.count == 1
        let statement = translator.newest(
            root: root, ofOne: isOne, with: "t0.tableoid::bigint")
        let bindings: [Value] = isOne ? [.int(keys[0])] : [.string(KeyList.json(keys))]
        return try readers.read { connection throws(StoreError) in
            let rows = try connection.query(statement, bindings)
            if rows.count == 0 {
                // No row tells of the table.
                try readers.access.identity.check(connection)
            } else if let table = tables[root], rows.integer(0, rows.lastColumn) != table {
                throw StoreIdentity.madeAgain(connection)
            }
            return try connection.snapshots(of: rows, shape)
        }
    }
}
