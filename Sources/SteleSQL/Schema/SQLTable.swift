import SteleModel

/// The table of an inheritance tree of entities, with its columns in Core Data's order.
package struct SQLTable: Sendable {
    /// A column after Z_PK, Z_ENT and Z_OPT.
    package struct Column: Sendable, Hashable {
        /// The name, such as `ZNAME`.
        package let name: String
        /// The declared type: INTEGER, FLOAT, TIMESTAMP, DECIMAL, VARCHAR or BLOB.
        package let type: String
        let kind: ColumnKind
    }

    /// The index of the root entity.
    let root: Int
    /// The name, such as `ZPERSON`.
    package let name: String
    package let columns: [Column]

    /// The CREATE TABLE statement, with Core Data's spacing.
    var creation: String {
        let rest = columns.map { ", \($0.name) \($0.type)" }.joined()
        return
            "CREATE TABLE \(name) ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER\(rest) )"
    }
}

/// The columns of one entity's properties, as indexes into `SQLTable.columns`.
package struct EntityMapping: Sendable {
    /// The column of each slot; -1 for none.
    let slotColumns: [Int]
    /// For each slot, the column with the concrete entity of a to-one destination that has
    /// subentities; -1 for none.
    let entityColumns: [Int]
}

/// The storage of a to-many relationship's links.
package enum ToManyStorage: Sendable, Hashable {
    /// In the members' rows: a column with the owner's key, and one with the order. `isInverse` is
    /// false for a relationship without an inverse, whose column belongs to it alone.
    case column(table: String, owner: String, order: String?, isInverse: Bool)
    /// In a join table.
    case join(JoinTable)

    /// The table of the links, and its columns.
    var links: (table: String, owner: String, member: String, order: String?) {
        switch self {
        case .column(let table, let owner, let order, _): (table, owner, "Z_PK", order)
        case .join(let it): (it.name, it.ownerColumn, it.memberColumn, it.orderColumn)
        }
    }
}

/// A join table, seen from one of its two relationships.
package struct JoinTable: Sendable, Hashable {
    package let name: String
    /// The column with the owner's key.
    package let ownerColumn: String
    /// The column with the member's key.
    package let memberColumn: String
    /// The column with the member's order in this relationship.
    let orderColumn: String?
    /// The column with the owner's order in the inverse relationship.
    let inverseOrderColumn: String?
    /// Whether the relationship is its own inverse, and each link is two rows.
    package let isReflexive: Bool
    /// Whether the table has the name of this relationship.
    package let isOwningSide: Bool
}
