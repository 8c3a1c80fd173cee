import SteleModel
import StelePersistence

/// How the columns of a table are searched for foreign contents.
private struct ForeignTests {
    /// A column whose contents are looked at row by row. The table has the alias `t`.
    struct Content {
        let column: String
        /// What the contents are to be; nil where the expression is a condition that none fulfils.
        let kind: ColumnKind?
        let expression: String
    }

    /// A column with keys of rows. Its distinct keys are looked at, which its index has in order.
    struct Key {
        let column: String
        /// The condition that a key `k` is of no row.
        let isOfNoRow: String
        /// Whether each row has to have a key.
        let isMandatory: Bool
    }

    let table: String
    var contents: [Content] = []
    var keys: [Key] = []
}

extension SQLSchema {
    fileprivate func foreignTests() -> [ForeignTests] {
        storedTables.map(tests)
            + linkTables().map { links in
                ForeignTests(
                    table: links.table,
                    keys: links.ends.map { key($0.column, of: $0.entity, isMandatory: true) })
            }
    }

    private func tests(of table: SQLTable) -> ForeignTests {
        var tests = ForeignTests(table: table.name)
        let numbers = numbers(of: table.root)
        tests.contents = [
            .init(
                column: "Z_ENT", kind: nil,
                expression: "t.Z_ENT IS NULL OR t.Z_ENT NOT IN (\(numbers))"),
            .init(column: "Z_OPT", kind: nil, expression: "typeof(t.Z_OPT) <> 'integer'"),
        ]
        for column in table.columns {
            if let end = end(of: column) {
                tests.keys.append(key(column.name, of: end, isMandatory: false))
            } else if attribute(of: column) != nil {
                tests.contents.append(content(column))
            }
        }
        return tests
    }

    private func content(_ column: SQLTable.Column) -> ForeignTests.Content {
        switch column.kind {
        case .data, .external, .marked:
            // The bytes are not read.
            .init(
                column: column.name, kind: nil,
                expression: "typeof(t.\(column.name)) NOT IN ('null', 'blob')")
        case .integer, .key, .boolean, .double, .float, .date, .decimal, .text, .uuid:
            .init(column: column.name, kind: column.kind, expression: "t.\(column.name)")
        }
    }

    private func key(_ column: String, of entity: Int, isMandatory: Bool) -> ForeignTests.Key {
        // A search in the keys of a whole table takes half the time of one for a row.
        let isOfNoRow =
            model.entities[entity].parent == nil
            ? "(k < 1 OR k NOT IN (SELECT Z_PK FROM \(table(of: entity).name)))"
            : "NOT EXISTS (\(row(of: entity, withKey: "k")))"
        return .init(column: column, isOfNoRow: isOfNoRow, isMandatory: isMandatory)
    }
}

extension ForeignValues {
    /// The rows, and the keys, that are read at once: so few that a view of the store ends soon.
    private static let rowsAtOnce = 2_000
    private static let keysAtOnce = 100_000
    /// The rows of all small tables together.
    private static let rowsAtFirst: Int64 = 50_000

    /// Reads all rows, the smallest tables first, some rows at a time and each time in a view of its
    /// own.
    /// - Parameters:
    ///   - smallAreDone: called with what was found in the small tables and their names, where
    ///     there are others.
    ///   - goesOn: asked after some rows.
    /// - Returns: what was found; nil where it was to end.
    /// - Throws: the errors of a statement.
    package static func find(
        in schema: SQLSchema, _ connection: any SQLConnection,
        smallAreDone: (_ found: ForeignValues, _ tables: Set<String>) -> Void,
        while goesOn: @escaping () -> Bool
    ) throws(StoreError) -> ForeignValues? {
        var sized: [(tests: ForeignTests, rows: Int64)] = []
        for tests in schema.foreignTests() {
            let last = SQLText("SELECT MAX(rowid) FROM \(tests.table)")
            sized.append((tests, max(try connection.integer(last) ?? 0, 0)))
        }
        sized.sort { $0.rows < $1.rows }
        var rows: Int64 = 0
        let small = sized.prefix {
            rows = rows.addingReportingOverflow($0.rows).partialValue
            return (0...rowsAtFirst).contains(rows)
        }
        var search = Search(connection: connection, goesOn: goesOn)
        // At once for all tables: it takes a search each, and keys below 1 are those of new objects.
        for (tests, _) in sized where !tests.contents.isEmpty { try search.readKeys(tests.table) }
        for (tests, _) in small where try !search.read(tests) { return nil }
        if small.count == sized.count { return search.found }
        smallAreDone(search.found, Set(small.map(\.tests.table)))
        for (tests, _) in sized[small.count...] where try !search.read(tests) { return nil }
        return search.found
    }

    private struct Search {
        let connection: any SQLConnection
        let goesOn: () -> Bool
        var found = ForeignValues()

        /// Reads a table.
        /// - Returns: whether it has read all of it.
        mutating func read(_ tests: ForeignTests) throws(StoreError) -> Bool {
            for key in tests.keys where try !read(key, tests.table) { return false }
            guard !tests.contents.isEmpty else { return true }
            let next = SQLText(
                "SELECT rowid FROM \(tests.table) WHERE rowid > ?1 ORDER BY rowid "
                    + "LIMIT 1 OFFSET \(rowsAtOnce - 1)")
            var last: Int64 = .min
            while true {
                guard goesOn() else { return false }
                let end = try connection.integer(next, [.int(last)])
                try read(tests, after: last, through: end ?? .max)
                guard let end else { return true }
                last = end
            }
        }

        /// Finds out whether a table has keys below 1.
        mutating func readKeys(_ table: String) throws(StoreError) {
            let first = SQLText("SELECT MIN(Z_PK) FROM \(table)")
            if let key = try connection.integer(first), key < 1 { add("Z_PK", table) }
        }

        private mutating func add(_ column: String, _ table: String) {
            found.columns[table, default: []].insert(column)
        }

        private func isFound(_ column: String, _ table: String) -> Bool {
            found.columns[table]?.contains(column) ?? false
        }

        private mutating func read(
            _ tests: ForeignTests, after first: Int64, through last: Int64
        ) throws(StoreError) {
            let open = tests.contents.filter { !isFound($0.column, tests.table) }
            for start in stride(from: 0, to: open.count, by: SQLFunctions.mostForeignColumns) {
                let some = open[start..<min(start + SQLFunctions.mostForeignColumns, open.count)]
                let kinds = some.map { SQLFunctions.letter($0.kind) }.joined()
                let list = some.map(\.expression).joined(separator: ", ")
                let sql = SQLText(
                    "SELECT \(SQLFunctions.foreignColumns.name)('\(kinds)', \(list)) "
                        + "FROM \(tests.table) t WHERE t.rowid > ?1 AND t.rowid <= ?2")
                let bits = try connection.integer(sql, [.int(first), .int(last)]) ?? 0
                for (place, it) in some.enumerated() where bits & 1 << Int64(place) != 0 {
                    add(it.column, tests.table)
                }
            }
        }

        private mutating func read(
            _ key: ForeignTests.Key, _ table: String
        ) throws(StoreError) -> Bool {
            if key.isMandatory {
                let empty = SQLText(
                    "SELECT 1 FROM \(table) t WHERE t.\(key.column) IS NULL LIMIT 1")
                if try connection.integer(empty) != nil { add(key.column, table) }
            }
            // The keys begin with the last one of the keys before them.
            let sql = SQLText(
                "SELECT MAX(typeof(k) <> 'integer' OR \(key.isOfNoRow)), COUNT(*), MAX(k) "
                    + "FROM (SELECT DISTINCT t.\(key.column) AS k FROM \(table) t "
                    + "WHERE t.\(key.column) >= ?1 ORDER BY t.\(key.column) LIMIT \(keysAtOnce))")
            // A number may be below all integers.
            var first = Value.double(-.infinity)
            while !isFound(key.column, table) {
                guard goesOn() else { return false }
                let row =
                    try connection.rows(
                        sql, [first], [.integer, .integer, .integer]
                    ).first ?? []
                guard row.count == 3, let count = row[1].integer, count > 0 else { break }
                if row[0].integer != 0 { add(key.column, table) }
                guard count == keysAtOnce, let last = row[2].integer else { break }
                first = .int(last)
            }
            return true
        }
    }
}
