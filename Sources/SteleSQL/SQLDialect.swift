import SteleMigration

/// What the SQL of one database has of its own. The statements of all SQL stores are the same but
/// for these parts.
public struct SQLDialect: Sendable {
    /// Returns a table whose column `value` has the keys of a `KeyList`, which a parameter has.
    package var keys: @Sendable (_ parameter: String) -> String
    /// Returns the condition, without its left side, that a key is one of a `KeyList`, which a
    /// parameter has.
    package var isOneOf: @Sendable (_ parameter: String) -> String
    /// The same for a list of some hundred keys at most.
    package var isOneOfFew: @Sendable (_ parameter: String) -> String
    /// Returns a table whose columns `key` and `value` have the members of a JSON object of
    /// integers, which a parameter has.
    package var members: @Sendable (_ parameter: String) -> String
    /// A join that reads the left side first.
    package var orderedJoin: String
    /// The beginning of an INSERT of many rows.
    package var insertAll: String
    /// The beginning of an INSERT that leaves out rows whose keys are there.
    package var insertMissing: String
    /// The end of such an INSERT.
    package var insertMissingEnd: String
    /// Whether two values are the same, where null is the same as null; with spaces.
    package var same: String
    /// Whether they are not.
    package var different: String
    /// Returns the condition that a text has another one within it.
    package var contains: @Sendable (_ text: String, _ literal: String) -> String
    /// Returns the condition that a text ends with another one, which is not empty.
    package var endsWith: @Sendable (_ text: String, _ literal: String) -> String
    /// The LIMIT of a statement that only skips rows.
    package var unlimited: String
    /// What follows a sort key in ascending order, so that null is first.
    package var ascending: String
    /// What follows a sort key in descending order, so that null is last.
    package var descending: String
    /// Returns a name of a table or a column, whatever characters it has, for a statement.
    package var name: @Sendable (_ name: String) -> String
    /// The unique indexes of a table, which the first parameter names, as a SELECT of their names and
    /// columns.
    package var uniqueColumns: String
    /// Returns the number of tables of a name, as a SELECT.
    package var tableCount: @Sendable (_ name: String) -> String
    /// The names and columns of all tables, in the order of the columns.
    package var columns: String
    /// A SELECT of the names of all indexes.
    package var indexNames: String
    /// Returns binary data that is written with two hexadecimal digits a byte.
    package var data: @Sendable (_ digits: String) -> String
    /// Returns the literal of a text, without its characters, of which some have a meaning in SQL.
    /// `data` is the literal of its UTF-8.
    package var text: @Sendable (_ text: String, _ data: String) -> String
    /// A statement that returns the encoding of the database's texts; nil where that is always UTF-8.
    package var encoding: String?
    /// Whether texts that are compared by their bytes have the order of their Unicode scalars, so that
    /// those with a common prefix are a range.
    package var sortsByScalars: Bool
    /// Returns binary data that is one byte, and other data after it.
    package var concatenation: @Sendable (_ byte: String, _ data: String) -> String
    /// Returns a CREATE statement, which has Core Data's words, in those of the database.
    package var creation: @Sendable (_ statement: String) -> String
    /// Whether the database compares Decimals of 38 digits itself, so that none is long.
    package var hasExactDecimals: Bool
    /// Whether all programs that write to the database keep its counters as Stele does, because they
    /// are nodes of Stele.
    package var isKeptByNodes: Bool
    /// Whether each expression has one type, so that values of different types must be made one
    /// before they are compared or listed, and an overflow is an error.
    package var isTyped: Bool
    /// Returns the name of the type of a column.
    package var typeName: @Sendable (ColumnKind) -> String
    /// Returns a table with a column `value`, which has the items of a JSON array of texts that a
    /// parameter has; nil where `json_each` is used.
    package var items: (@Sendable (_ parameter: String) -> String)?
    /// Returns a text that is compared by its bytes.
    package var binary: @Sendable (_ text: String) -> String
    /// Returns a number with the type and the index of no column.
    package var plain: @Sendable (_ number: String) -> String
    /// Returns the aggregate that is 1 where a value of the rows is null, and 0 elsewhere.
    package var hasNull: @Sendable (_ value: String) -> String
    /// Returns the call of one of Stele's functions; nil where the database has none with its
    /// meaning.
    package var call: @Sendable (SQLFunction, _ arguments: [String]) -> String?
    /// Whether ALTER TABLE changes the type of a column.
    package var altersTypes: Bool
    /// Returns how the numbers of a column become those of another type.
    package var numbers: @Sendable (NumericChange, _ column: String) -> NumericColumn
    /// The number of rows that a failed INSERT of many rows has inserted, as a SELECT; nil where it
    /// has inserted none.
    package var insertedBeforeFailure: String?

    /// The dialect of SQLite. Another one is made by changing it.
    public static let sqlite = SQLDialect(
        keys: { "json_each(\($0))" },
        isOneOf: { "IN (SELECT value FROM json_each(\($0)))" },
        isOneOfFew: { "IN (SELECT value FROM json_each(\($0)))" },
        members: { "json_each(\($0))" },
        orderedJoin: "CROSS JOIN",
        // SQLite copies no page that a statement of many rows changes in order to undo all of it.
        insertAll: "INSERT OR FAIL INTO",
        insertMissing: "INSERT OR IGNORE INTO", insertMissingEnd: "",
        same: " IS ", different: " IS NOT ",
        contains: { SQLWords.joined(["INSTR(", $0, ", ", $1, ") > 0"]) },
        // The length of a text ends at U+0000, that of its bytes does not.
        endsWith: { text, literal in
            let end = SQLWords.joined(["CAST(", literal, " AS BLOB)"])
            return SQLWords.joined([
                "SUBSTR(CAST(", text, " AS BLOB), -LENGTH(", end, ")) = ", end,
            ])
        },
        unlimited: "-1",
        ascending: "", descending: " DESC",
        name: sqlName,
        uniqueColumns: "SELECT l.name, i.name FROM pragma_index_list(?1) l, "
            + "pragma_index_info(l.name) i WHERE l.\"unique\" = 1 AND l.partial = 0",
        tableCount: { name in
            "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = '\(name)'"
        },
        columns: "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c "
            + "WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY m.name, c.cid",
        indexNames: "SELECT name FROM sqlite_master WHERE type = 'index'",
        data: { "X'\($0)'" },
        // The cast takes the bytes as they are in a file in UTF-8; `init(of:)` is for others. An
        // expression of many parts would be too deep for SQLite.
        text: { "CAST(\($1) AS TEXT)" },
        encoding: "PRAGMA encoding",
        sortsByScalars: true,
        concatenation: { "CAST(\($0) || \($1) AS BLOB)" },
        creation: { $0 },
        hasExactDecimals: false,
        isKeptByNodes: false,
        isTyped: false,
        typeName: { $0 == .text ? "TEXT" : $0 == .data || $0 == .uuid ? "BLOB" : "REAL" },
        items: nil,
        binary: { $0 },
        plain: { "+" + $0 },
        hasNull: { "MAX(\($0) IS NULL)" },
        call: { function, arguments in
            SQLWords.joined([function.name, "(", SQLWords.joined(arguments, by: ", "), ")"])
        },
        altersTypes: false,
        numbers: { NumericColumn($0, sqlite: $1) },
        insertedBeforeFailure: "SELECT changes()")
}
