/// One table of entity rows: a root entity with all its family.

import SteleModel

/// The table of a family of entities, with its columns in Core Data's order.
public struct SQLTable: Sendable {
    /// One column after Z_PK, Z_ENT and Z_OPT.
    public struct Column: Sendable, Hashable {
        /// `ZNAME`.
        public let name: String
        /// The declared type: INTEGER, FLOAT, TIMESTAMP, DECIMAL, VARCHAR or BLOB.
        public let type: String
        public let kind: ColumnKind
    }

    /// The index of the root entity.
    public let root: Int
    /// `ZPERSON`.
    public let name: String
    public let columns: [Column]

    /// The statement that makes it, in Core Data's own spacing.
    public var creation: String {
        let rest = columns.map { ", \($0.name) \($0.type)" }.joined()
        return
            "CREATE TABLE \(name) ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER\(rest) )"
    }
}

/// Where one entity's properties are in its family's table, as indexes into `SQLTable.columns`.
public struct EntityMapping: Sendable {
    /// By slot.
    public let slotColumns: [Int]
    /// By slot: the column that holds a to-one's concrete entity, where the destination has
    /// subentities; -1 elsewhere.
    public let entityColumns: [Int]
}

/// Where a to-many relationship's links are.
public enum ToManyStorage: Sendable, Hashable {
    /// In the destination's rows: a column with the owner's key, and for an ordered one its order.
    /// `isInverse` is false where the relationship has no inverse and owns the column alone.
    case column(table: String, owner: String, order: String?, isInverse: Bool)
    /// In a table of pairs.
    case join(JoinTable)
}

/// A table of pairs, seen from one of its two relationships.
public struct JoinTable: Sendable, Hashable {
    public let name: String
    /// The column with the keys of this side's owners.
    public let ownerColumn: String
    /// The column with the keys of the members.
    public let memberColumn: String
    /// The column with the members' order within an owner.
    public let orderColumn: String?
    /// The other side's, which is a member's order of owners.
    public let inverseOrderColumn: String?
    /// Whether the relationship is its own inverse: each link is two rows.
    public let isReflexive: Bool
    /// Whether this side's name is the table's.
    public let isOwningSide: Bool
}
