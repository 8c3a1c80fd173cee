import SteleModel
import StelePersistence
import SteleSQL

/// A cursor of an SQLite reader. It has its own statement, because the reader may run others
/// between two batches.
final class SQLiteCursor: FetchCursor {
    /// The form of the rows.
    enum Rows {
        case objects(RowShape)
        case values([ColumnKind])
    }

    private var statement: Statement?
    private let rows: Rows
    // Both belong to the reader and end with it. A deadline that outlived the reader would remove
    // the next reader's deadline from the connection.
    private var connection: Connection?
    private var deadline: Deadline?
    private let damage: StoreDamage?
    private var isAtEnd = false

    init(
        _ fetch: FetchStatement, rows: Rows, on connection: Connection, deadline: Deadline?,
        damage: StoreDamage?
    ) throws(StoreError) {
        let statement = try Statement(
            fetch.sql, on: connection.handle, folder: connection.externalFolder)
        try statement.bind(fetch.bindings)
        self.statement = statement
        self.rows = rows
        self.connection = connection
        self.deadline = deadline
        self.damage = damage
    }

    /// Ends the statement.
    func end() {
        statement = nil
        deadline = nil
        connection = nil
    }

    /// Returns the next batch. Each batch has the time limit of a statement, because the time
    /// between two batches is the client's.
    func next(_ count: Int) throws(StoreError) -> FetchedRows {
        guard let statement else { throw .closed }
        deadline?.start()
        connection?.beginMatching()
        switch rows {
        case .objects(let shape):
            var batch: [Snapshot] = []
            batch.reserveCapacity(count)
            while batch.count < count, try step(statement) {
                batch.append(statement.snapshot(shape, from: 0))
            }
            return .objects(batch)
        case .values(let kinds):
            var batch: [[Value]] = []
            batch.reserveCapacity(count)
            while batch.count < count, try step(statement) {
                batch.append(
                    kinds.enumerated().map { statement.computed(Int32($0.offset), $0.element) })
            }
            return .values(batch)
        }
    }

    /// Steps the statement. Another step after its end would restart it.
    private func step(_ statement: Statement) throws(StoreError) -> Bool {
        if isAtEnd { return false }
        do { if try statement.step() { return true } } catch {
            throw damage?.noting(error) ?? error
        }
        isAtEnd = true
        return false
    }
}
