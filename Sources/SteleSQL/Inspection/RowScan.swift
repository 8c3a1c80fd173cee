import SteleModel
import StelePersistence

/// Counts the rows of a table for which conditions hold. The table has the alias `t`.
///
/// SQLite calls one function for each row that looks at all columns at once. The conditions are
/// evaluated where it finds something.
struct RowScan {
    /// What the function looks at: it finds something wherever the condition of the fault holds.
    enum Look: Hashable {
        /// A column with values of a kind (`SQLFunctions.foreignColumns`).
        case column(ColumnKind, String)
        case condition(String)

        fileprivate var letter: String {
            switch self {
            case .column(let kind, _): SQLFunctions.letter(kind)
            case .condition: SQLFunctions.letter(nil)
            }
        }

        fileprivate var expression: String {
            switch self {
            case .column(_, let text), .condition(let text): text
            }
        }
    }

    /// A condition that no row should fulfil.
    private struct Fault {
        let condition: String
        let column: String
        let meaning: String
        let look: Look
    }

    private let table: String
    /// The columns that identify a row in messages.
    private let key: [String]
    private var totals: [String] = []
    private var faults: [Fault] = []

    /// The most expressions in one statement; SQLite allows 2,000.
    private static let expressionsAStatement = 500

    init(_ table: String, key: [String] = ["Z_PK"]) {
        self.table = table
        self.key = key
    }

    /// Adds an aggregate function with an integer result.
    mutating func add(total: String) { totals.append(total) }

    /// Adds a condition that no row should fulfil.
    /// - Parameters:
    ///   - column: the column that the message names.
    ///   - meaning: what is so in the rows, and what follows from it.
    ///   - look: what is looked at first in SQLite; nil for the condition itself.
    mutating func add(
        fault condition: String, in column: String, _ meaning: String, look: Look? = nil
    ) {
        faults.append(
            Fault(
                condition: condition, column: column, meaning: meaning,
                look: look ?? .condition(condition)))
    }

    /// Reads the table.
    /// - Returns: the totals in their order, nil for NULL, and a sentence for each condition that
    ///   holds for a row.
    func run(
        _ connection: any SQLConnection
    ) throws(StoreError) -> (totals: [Int64?], differences: [String]) {
        let looks = connection.dialect.isTyped ? [] : looks()
        let firsts = looks.map { some in
            "\(SQLFunctions.foreignColumns.name)('\(some.map(\.letter).joined())', "
                + "\(some.map(\.expression).joined(separator: ", ")))"
        }
        let read = try values(totals + firsts, connection)
        var found = Set(faults.map(\.look))
        for (some, bits) in zip(looks, read.dropFirst(totals.count)) {
            for (bit, look) in some.enumerated() where (bits ?? 0) & 1 << Int64(bit) == 0 {
                found.remove(look)
            }
        }
        let open = faults.filter { found.contains($0.look) }
        let counts = try values(
            open.map { "COUNT(CASE WHEN \($0.condition) THEN 1 END)" }, connection)
        var differences: [String] = []
        for (fault, count) in zip(open, counts) {
            guard let count, count > 0 else { continue }
            let first = try first(fault, connection)
            differences.append(
                "\(table).\(fault.column): in \(count) \(count == 1 ? "row" : "rows")"
                    + (first.map { " (first: \($0))" } ?? "") + " \(fault.meaning)")
        }
        return (Array(read.prefix(totals.count)), differences)
    }

    /// What is looked at, each once, as many together as the function takes.
    private func looks() -> [[Look]] {
        var known: Set<Look> = []
        let all = faults.map(\.look).filter { known.insert($0).inserted }
        return stride(from: 0, to: all.count, by: SQLFunctions.mostForeignColumns).map {
            Array(all[$0..<min($0 + SQLFunctions.mostForeignColumns, all.count)])
        }
    }

    /// Returns the results of aggregate functions.
    private func values(
        _ all: [String], _ connection: any SQLConnection
    ) throws(StoreError) -> [Int64?] {
        var found: [Int64?] = []
        for start in stride(from: 0, to: all.count, by: Self.expressionsAStatement) {
            let some = all[start..<min(start + Self.expressionsAStatement, all.count)]
            let sql = SQLText(
                "SELECT \(some.joined(separator: ", ")) FROM \(connection.dialect.name(table)) t")
            let row = try connection.rows(sql, [], some.map { _ in .integer }).first ?? []
            found += row.map(\.integer)
        }
        return found
    }

    /// Names the first row of a fault.
    private func first(
        _ fault: Fault, _ connection: any SQLConnection
    ) throws(StoreError) -> String? {
        let name = connection.dialect.name
        let columns = key.map { "CAST(t.\(name($0)) AS TEXT)" }.joined(separator: ", ")
        let sql = SQLText(
            "SELECT \(columns) FROM \(name(table)) t WHERE \(fault.condition) LIMIT 1")
        guard let row = try connection.rows(sql, [], key.map { _ in .text }).first else {
            return nil
        }
        return zip(key, row).map { "\($0) \($1.text ?? "NULL")" }.joined(separator: ", ")
    }
}

/// A name in a statement of SQLite, as a file may have it.
@Sendable
package func sqlName(_ name: String) -> String {
    "\"\(name.replacing("\"", with: "\"\""))\""
}

extension Value {
    /// The number; nil for a value that is no integer.
    var integer: Int64? { if case .int(let it) = self { it } else { nil } }
    /// The text; nil for a value that is none.
    var text: String? { if case .string(let it) = self { it } else { nil } }
}
