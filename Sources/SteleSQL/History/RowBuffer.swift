/// Rows that wait to be inserted together, many with one statement.

import SteleModel
import StelePersistence

/// Rows of one table on their way into it.
///
/// A statement of many rows keeps its cursors open: where keys only grow, the next one goes beside
/// the last, in the table and in each of its indexes, without a search from the root.
struct RowBuffer {
    private let width: Int
    /// The statements for the most rows, for fewer, … and for one.
    private let inserts: [(rows: Int, sql: SQLText)]
    private var values: [Value] = []

    /// Places of one statement; SQLite has 32,766.
    private static let places = 4_096

    /// - Parameters:
    ///   - columns: the columns that differ from row to row.
    ///   - constants: the others' names and what each row has there, as SQL.
    init(table: String, columns: [String], constants: [(name: String, sql: String)] = []) {
        width = columns.count
        let names = (columns + constants.map(\.name)).joined(separator: ", ")
        let fixed = constants.map { ", \($0.sql)" }.joined()
        let counts = [512, 64, 32, 16, 8, 4, 2, 1]
        let fitting = counts.filter { $0 == 1 || $0 * columns.count <= Self.places }
        inserts = fitting.map { count in
            // Without numbers: SQLite looks each numbered place up among all before it.
            let row = "(\(columns.map { _ in "?" }.joined(separator: ", "))\(fixed))"
            let rows = Array(repeating: row, count: count).joined(separator: ", ")
            return (count, SQLText("INSERT INTO \(table) (\(names)) VALUES \(rows)"))
        }
    }

    /// The most rows that one statement inserts.
    var most: Int { inserts.first?.rows ?? 1 }

    /// How many rows wait.
    var count: Int { values.count / width }

    /// Adds a row's next value; a row has one a column, in their order.
    mutating func append(_ value: Value) { values.append(value) }

    /// Drops all rows but the first `count`.
    mutating func keep(_ count: Int) {
        if count < self.count { values.removeLast((self.count - count) * width) }
    }

    /// Inserts those that wait.
    mutating func write(to connection: any SQLConnection) throws(StoreError) {
        var rest = values[...]
        while !rest.isEmpty {
            for (rows, sql) in inserts where rest.count >= rows * width {
                let isAll = values.count == rows * width
                try connection.execute(sql, isAll ? values : Array(rest.prefix(rows * width)))
                rest = rest.dropFirst(rows * width)
                break
            }
        }
        values.removeAll(keepingCapacity: true)
    }
}
