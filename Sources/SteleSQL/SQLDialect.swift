/// What the SQL of one database has of its own. The statements of all SQL stores are the same but
/// for these parts.
public struct SQLDialect: Sendable {
    /// Returns a table whose column `value` has the keys of a `KeyList`, which a parameter has.
    package var keys: @Sendable (_ parameter: String) -> String
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
    /// Returns the number of tables of a name, as a SELECT.
    package var tableCount: @Sendable (_ name: String) -> String
    /// The names and columns of all tables, in the order of the columns.
    package var columns: String
    /// Returns a CREATE statement, which has Core Data's words, in those of the database.
    package var creation: @Sendable (_ statement: String) -> String
    /// Whether the database compares Decimals of 38 digits itself, so that none is long.
    package var hasExactDecimals: Bool
    /// Whether long lists of literals are bound as one text.
    package var bindsLists: Bool
    /// The number of rows that a failed INSERT of many rows has inserted, as a SELECT; nil where it
    /// has inserted none.
    package var insertedBeforeFailure: String?

    /// The dialect of SQLite. Another one is made by changing it.
    public static let sqlite = SQLDialect(
        keys: { "json_each(\($0))" },
        members: { "json_each(\($0))" },
        orderedJoin: "CROSS JOIN",
        // SQLite copies no page that a statement of many rows changes in order to undo all of it.
        insertAll: "INSERT OR FAIL INTO",
        insertMissing: "INSERT OR IGNORE INTO", insertMissingEnd: "",
        same: " IS ", different: " IS NOT ",
        contains: { SQLWords.joined(["INSTR(", $0, ", ", $1, ") > 0"]) },
        endsWith: { SQLWords.joined(["SUBSTR(", $0, ", -LENGTH(", $1, ")) = ", $1]) },
        unlimited: "-1",
        ascending: "", descending: " DESC",
        tableCount: { name in
            "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = '\(name)'"
        },
        columns: "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c "
            + "WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY m.name, c.cid",
        creation: { $0 },
        hasExactDecimals: false, bindsLists: true,
        insertedBeforeFailure: "SELECT changes()")
}
