import SteleModel
import StelePersistence

extension FetchTranslator {
    /// Returns the SELECT of one object by key (?1).
    public func snapshotByKey(root: Int) -> SQLText {
        selectsByKey[root] ?? SQLText(select(root, Self.isKey))
    }

    /// Returns the SELECT of objects by a JSON array of keys (?1, `KeyList`).
    public func snapshotsByKey(root: Int) -> SQLText {
        SQLText(select(root, "t0.Z_PK \(schema.dialect.isOneOf("?1"))"))
    }

    /// The condition of `snapshotByKey`.
    static let isKey = "\(firstKey) = ?1"

    func select(_ root: Int, _ condition: String, also: String = "") -> String {
        "SELECT \(selectLists[root] ?? "NULL")\(also) "
            + "FROM \(schema.tables[root].map { source($0.name) } ?? "NULL") t0 "
            + "WHERE \(condition)"
    }

    /// Returns the SELECT of objects outside a view, with one more column: by a key (?1), or by a
    /// JSON array of some hundred keys at most.
    /// - Parameter column: an expression of the table `t0`.
    package func newest(
        root: Int, ofOne: Bool, with column: String
    ) -> SQLText {
        let condition = ofOne ? "= ?1" : schema.dialect.isOneOfFew("?1")
        return SQLText(select(root, "t0.Z_PK \(condition)", also: ", \(column)"))
    }

    /// Returns the SELECT of a to-many relationship's links: owner and member, in the
    /// relationship's order, or by key.
    /// - Throws: `StoreError.unsupported` for a to-one relationship.
    public func members(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> FetchStatement {
        let links = try links(of: relationship, owners)
        return FetchStatement(
            "SELECT \(links.owner), \(links.member) FROM \(links.table) t0 \(links.tail)",
            links.bindings, kinds: [.key, .key])
    }

    /// Returns the same with the members' rows: owner, then the columns of the member.
    /// - Throws: as `members`.
    public func memberSnapshots(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> FetchStatement {
        let links = try links(of: relationship, owners)
        let table = schema.table(of: relationship.destination)
        let isOwnRow = links.member == "t0.Z_PK"
        let list =
            isOwnRow ? selectLists[table.root] ?? "" : schema.selectList(of: table, alias: "t1")
        let join = isOwnRow ? "" : "JOIN \(source(table.name)) t1 ON t1.Z_PK = \(links.member) "
        return FetchStatement(
            "SELECT \(links.owner), \(list) FROM \(links.table) t0 \(join)\(links.tail)",
            links.bindings)
    }

    /// Returns the table and columns of the links, with WHERE and ORDER BY as `tail`.
    private func links(
        of relationship: Relationship, _ owners: [Int64]
    ) throws(StoreError) -> (
        table: String, owner: String, member: String, tail: String, bindings: [Value]
    ) {
        let (table, column, member, order) = try schema.links(of: relationship)
        let owner = self.owners(column, in: table)
        let isOne = owners.count == 1
        let condition = isOne ? "= ?1" : "\(schema.dialect.isOneOf("?1"))"
        let sorted = order.map { "t0.\($0), " } ?? ""
        return (
            source(table), "t0.\(owner)", "t0.\(member)",
            "WHERE t0.\(owner) \(condition) ORDER BY t0.\(owner), \(sorted)t0.\(member)",
            [isOne ? .key(owners[0]) : .string(KeyList.json(owners))]
        )
    }
}
