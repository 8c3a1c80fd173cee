import SteleModel
import StelePersistence

/// Rows of one table that are collected and inserted together.
///
/// A statement of many rows keeps its cursors open. Where keys ascend, SQLite appends each row to
/// the table and its indexes without a search from the root.
struct RowBuffer {
    private let table: String
    private let width: Int
    /// The statements by number of rows, the most first.
    private let inserts: [(rows: Int, sql: SQLText)]
    private var values: [Value] = []

    /// The most parameters of a statement; SQLite allows 32,766.
    private static let places = 4_096

    /// - Parameters:
    ///   - columns: the columns with a value in each row.
    ///   - constants: the other columns, and their constant as SQL.
    init(
        table: String, columns: [String], constants: [(name: String, sql: String)] = [],
        _ dialect: SQLDialect
    ) {
        self.table = table
        width = columns.count
        let names = (columns + constants.map(\.name)).joined(separator: ", ")
        let fixed = constants.map { ", \($0.sql)" }.joined()
        let counts = [512, 64, 32, 16, 8, 4, 2, 1]
        let fitting = counts.filter { $0 == 1 || $0 * columns.count <= Self.places }
        inserts = fitting.map { count in
            // Plain ? parameters, because SQLite searches all earlier parameters for each numbered
            // one.
            let row = "(\(columns.map { _ in "?" }.joined(separator: ", "))\(fixed))"
            let rows = Array(repeating: row, count: count).joined(separator: ", ")
            return (count, SQLText("\(dialect.insertAll) \(table) (\(names)) VALUES \(rows)"))
        }
    }

    /// How many rows a statement must insert; nil where that is not asked, because a server's results
    /// come later.
    static func count(_ rows: Int, _ connection: any SQLConnection) -> Int? {
        connection.dialect.isTyped ? nil : rows
    }

    /// The most rows of one statement.
    var most: Int { inserts.first?.rows ?? 1 }

    /// The number of waiting rows.
    var count: Int { values.count / width }

    /// Adds the next value of a row, in the order of the columns.
    mutating func append(_ value: Value) { values.append(value) }

    /// Drops all waiting rows but the first `count`.
    mutating func keep(_ count: Int) {
        if count < self.count { values.removeLast((self.count - count) * width) }
    }

    /// Inserts the waiting rows. If one violates a constraint, the rows before it are inserted, and
    /// it and the rest still wait.
    /// - Parameter isGuarded: whether the transaction goes on after such an error.
    mutating func write(
        to connection: any SQLConnection, isGuarded: Bool = false
    ) throws(StoreError) {
        var rest = values[...]
        while !rest.isEmpty {
            for (rows, sql) in inserts where rest.count >= rows * width {
                let isAll = values.count == rows * width
                do throws(StoreError) {
                    let bindings = isAll ? values : Array(rest.prefix(rows * width))
                    let isWhole = try connection.write(
                        sql, bindings, changing: Self.count(rows, connection), isGuarded: isGuarded)
                    guard isWhole else { throw try connection.leftOut(of: table) }
                } catch {
                    var inserted = 0
                    if case .constraint = error, let text = connection.dialect.insertedBeforeFailure
                    {
                        inserted = Int(try connection.integer(SQLText(text)) ?? 0)
                    }
                    values = Array(rest.dropFirst(inserted * width))
                    throw error
                }
                rest = rest.dropFirst(rows * width)
                break
            }
        }
        values.removeAll(keepingCapacity: true)
    }
}
