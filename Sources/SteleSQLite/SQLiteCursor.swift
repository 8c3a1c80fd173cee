/// One statement stepped through batch by batch, within its reader's transaction.

import SteleModel
import StelePersistence
import SteleSQL

/// A long fetch of an SQLite reader. Its statement is its own, for other reading on the connection
/// goes on between two batches.
final class SQLiteCursor: FetchCursor {
    /// How a row is read.
    enum Rows {
        case objects(RowShape)
        case values([ColumnKind])
    }

    private var statement: Statement?
    private let rows: Rows
    // Both are the reader's, and gone with it: a deadline that outlived it would take the next
    // reader's off the connection.
    private var connection: Connection?
    private var deadline: Deadline?
    private var isAtEnd = false

    init(
        _ fetch: FetchStatement, _ rows: Rows, _ connection: Connection, _ deadline: Deadline?
    ) throws(StoreError) {
        let statement = try Statement(
            fetch.sql, on: connection.handle, folder: connection.externalFolder)
        try statement.bind(fetch.bindings)
        self.statement = statement
        self.rows = rows
        self.connection = connection
        self.deadline = deadline
    }

    /// Ends the statement; nothing comes any more.
    func end() {
        statement = nil
        deadline = nil
        connection = nil
    }

    /// Each batch has the time of a statement of its own: between two of them the client is waited
    /// for.
    func next(_ count: Int) throws(StoreError) -> FetchedRows {
        guard let statement else { throw .closed }
        deadline?.start()
        connection?.beginMatching()
        switch rows {
        case .objects(let shape):
            var batch: [Snapshot] = []
            batch.reserveCapacity(count)
            while batch.count < count, try step(statement) {
                if let snapshot = statement.snapshot(shape, from: 0) { batch.append(snapshot) }
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

    /// A statement that has ended would begin anew.
    private func step(_ statement: Statement) throws(StoreError) -> Bool {
        if isAtEnd { return false }
        if try statement.step() { return true }
        isAtEnd = true
        return false
    }
}
