/// The FROM of one SELECT in the making, and the objects that key paths come to in it.

import SteleModel
import StelePredicates

/// The tables of one SELECT; each row that a key path needs is joined once.
final class Scope {
    /// The first of them, and what it is called.
    let table: String
    let alias: String
    private(set) var from: String
    /// The alias of each joined row, by the SQL of its key.
    /// Few, so that going through them is quicker than hashing.
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

    /// Says that the row with that key is there under that alias.
    func setRow(_ key: String, _ alias: String) { rows.append((key, alias)) }

    func join(_ table: String, _ alias: String, on condition: String, outer: Bool) {
        from += outer ? " LEFT JOIN " : " JOIN "
        from += SQLWords.joined(table, " ", alias, " ON ", condition)
    }
}

/// An object that a key path has come to: its key is known; its row is joined when asked for.
struct Position {
    let scope: Scope
    /// The SQL of its key.
    let key: String
    let entity: Entity
    /// Whether there may be no object: past an optional to-one.
    let isNullable: Bool
    /// Whether it is the object that a request's rows are, whose columns are known by their text.
    var isFirst = false
}

/// What an expression's names mean where it stands.
struct Environment {
    /// `SELF`, and what plain key paths begin at.
    let object: Position
    /// The elements that SUBQUERY's variables stand for.
    var variables: [String: Position] = [:]
    /// The SELECT of the innermost SUBQUERY around; from there everything outside can be named.
    var innermost: Scope?
    /// Whether `sum`, `count` and their like take the rows of a group.
    var isGrouped = false
    /// Where the rows of a group are totalled in parts first.
    var partials: Partials?
    /// What the groups are made by, translated.
    var groups: [Expression: Operand] = [:]
    /// Whether other conditions leave few rows, so that a to-many is best looked up for each.
    var isNarrow = false
    /// Whether it is asked of a collection's elements, each of which is looked at once.
    var isInner = false
}
