import SteleModel
import StelePredicates

/// The FROM clause of a SELECT. Each row that key paths need is joined once.
final class Scope {
    /// The first table and its alias.
    let table: String
    let alias: String
    private(set) var from: String
    // The alias of each joined row, by the SQL of its key. They are few, so a linear search is
    // faster than hashing.
    private var rows: [(key: String, alias: String)] = []

    init(_ table: String, _ alias: String) {
        self.table = table
        self.alias = alias
        from = table + " " + alias
    }

    func row(_ key: String) -> String? {
        for row in rows where row.key == key { return row.alias }
        return nil
    }

    /// Records the alias of a joined row.
    func setRow(_ key: String, _ alias: String) { rows.append((key, alias)) }

    func join(_ table: String, _ alias: String, on condition: String, outer: Bool) {
        from += outer ? " LEFT JOIN " : " JOIN "
        from += SQLWords.joined([table, " ", alias, " ON ", condition])
    }
}

/// An object that a key path leads to. Its row is joined when it is needed.
struct Position {
    let scope: Scope
    /// The SQL of the object's key.
    let key: String
    let entity: Entity
    /// Whether there may be no object: after an optional to-one relationship.
    let isNullable: Bool
    /// Whether it is the object of the request's rows, whose columns have fixed texts.
    var isFirst = false
}

/// The meaning of names in an expression.
struct Environment {
    /// `SELF`, where plain key paths begin.
    let object: Position
    /// The elements that SUBQUERY variables refer to.
    var variables: [String: Position] = [:]
    /// The innermost SELECT of a SUBQUERY. SQL there can refer to all outer SELECTs.
    var innermost: Scope?
    /// Whether aggregates are over the rows of a group.
    var isGrouped = false
    /// The partial totals, where groups are totalled in two steps.
    var partials: Partials?
    /// The translated expressions that rows are grouped by.
    var groups: [Expression: Operand] = [:]
    /// Whether other conditions leave few rows, so that a to-many relationship is best read per
    /// row.
    var isNarrow = false
    /// Whether the expression is evaluated for the elements of a collection, each of which is read
    /// once.
    var isInner = false
}
