import StelePersistence
import SteleSQL

/// A cursor of a PostgreSQL reader: one of the server, in the reader's transaction.
final class PostgreSQLCursor: FetchCursor {
    /// The form of the rows.
    enum Form {
        case objects(RowShape)
        case values([ColumnKind])
    }

    private let name: String
    private let form: Form
    /// Its connection is another reader's after it has closed.
    private weak var reader: PostgreSQLReader?

    init(
        _ statement: FetchStatement, _ form: Form, of reader: PostgreSQLReader,
        on connection: Connection
    ) throws(StoreError) {
        name = connection.makeCursorName()
        self.form = form
        self.reader = reader
        _ = try connection.queryOnce(
            "DECLARE \(name) NO SCROLL CURSOR FOR \(statement.sql.string)", statement.bindings)
        try connection.keepCursors()
    }

    func next(_ count: Int) throws(StoreError) -> FetchedRows {
        guard let connection = reader?.connection else { throw .closed }
        let rows = try connection.queryOnce("FETCH FORWARD \(max(0, count)) FROM \(name)")
        return switch form {
        case .objects(let shape): .objects(try connection.snapshots(of: rows, shape))
        case .values(let kinds): .values(try connection.values(rows, kinds))
        }
    }
}
