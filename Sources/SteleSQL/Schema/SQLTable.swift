import SteleModel

/// The table of an inheritance tree of entities, with its columns in Core Data's order.
package struct SQLTable: Sendable {
    /// A column after Z_PK, Z_ENT and Z_OPT.
    package struct Column: Sendable, Hashable {
        /// The name, such as `ZNAME`.
        package let name: String
        /// The declared type: INTEGER, FLOAT, TIMESTAMP, DECIMAL, VARCHAR or BLOB.
        package let type: String
        package let kind: ColumnKind
        /// What the column has.
        let role: ColumnRole

        /// The column under another name.
        func named(_ other: String) -> Column {
            Column(name: other, type: type, kind: kind, role: role)
        }
    }

    /// The index of the root entity.
    let root: Int
    /// The name, such as `ZPERSON`.
    package let name: String
    package let columns: [Column]

    /// The CREATE TABLE statement, with Core Data's spacing.
    /// - Parameters:
    ///   - other: another name for the table.
    ///   - constraints: the columns of each uniqueness constraint in the statement.
    func creation(named other: String? = nil, constraints: [[String]] = []) -> String {
        let list = columns.map { ", \($0.name) \($0.type)" }.joined()
        let unique = constraints.map { names in
            ", CONSTRAINT \(names.joined(separator: "_")) UNIQUE "
                + "(\(names.joined(separator: ", ")))"
        }.joined()
        return "CREATE TABLE \(other ?? name) ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, "
            + "Z_OPT INTEGER\(list)\(unique.isEmpty ? " " : unique))"
    }
}

/// What a column of an entity's table has.
package enum ColumnRole: Sendable, Hashable {
    /// The values of an attribute, or the keys of a to-one relationship's destinations, by the
    /// entity that declares it.
    case slot(entity: Int, slot: Int)
    /// The Z_ENT of a to-one relationship's destinations.
    case destinationEntity(entity: Int, slot: Int)
    /// The order keys of an ordered to-many relationship, by its index.
    case order(relationship: Int)
    /// The owners' keys of a to-many relationship without an inverse, by its index.
    case owner(relationship: Int)
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

/// An index of a table.
package struct SQLIndex: Sendable, Hashable {
    /// The name.
    package let name: String
    /// The name of the table.
    let table: String
    /// The names of the columns.
    let columns: [String]
    /// What follows each column's name, such as ` COLLATE BINARY ASC`.
    let orders: [String]
    /// Whether no two rows may have the same values.
    let isUnique: Bool

    /// Creates the index of columns in SQLite's own order.
    init(_ name: String, on table: String, _ columns: [String]) {
        self.init(name, on: table, columns, orders: columns.map { _ in "" })
    }

    init(
        _ name: String, on table: String, _ columns: [String], orders: [String],
        isUnique: Bool = false
    ) {
        self.name = name
        self.table = table
        self.columns = columns
        self.orders = orders
        self.isUnique = isUnique
    }

    /// The name in a statement: a model names an index as it likes, and one of a constraint on a part
    /// of a composite attribute has a point.
    var quotedName: String {
        let isPlain = name.unicodeScalars.allSatisfy {
            switch $0 {
            case "a"..."z", "A"..."Z", "0"..."9", "_": true
            default: !$0.isASCII
            }
        }
        return isPlain ? name : sqlName(name)
    }

    /// The CREATE INDEX statement.
    var creation: String {
        let list = zip(columns, orders).map { $0 + $1 }.joined(separator: ", ")
        return "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(quotedName) ON \(table) (\(list))"
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
