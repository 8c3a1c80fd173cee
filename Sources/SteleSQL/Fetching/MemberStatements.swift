/// What is read by key: objects, and the members of to-many relationships.

import SteleModel
import StelePersistence

extension FetchTranslator {
    /// One object of a family; `?1` is its key.
    public func snapshotByKey(root: Int) -> SQLText {
        SQLText(select(root, "t0.Z_PK = ?1"))
    }

    /// Those objects of a family that exist; `?1` is a JSON array of keys (`keyList`).
    public func snapshotsByKey(root: Int) -> SQLText {
        SQLText(select(root, "t0.Z_PK IN (SELECT value FROM json_each(?1))"))
    }

    /// Keys as what statements for many of them take.
    public func keyList(_ keys: [Int64]) -> Value { .string(KeyList.json(keys)) }

    private func select(_ root: Int, _ condition: String) -> String {
        "SELECT \(selectLists[root] ?? "NULL") FROM \(schema.tables[root]?.name ?? "NULL") t0 "
            + "WHERE \(condition)"
    }

    /// The members of a to-many relationship: columns owner and member, in the relationship's
    /// order, else by key.
    public func members(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> FetchStatement {
        let links = try links(of: relationship, owners)
        return FetchStatement(
            "SELECT \(links.owner), \(links.member) FROM \(links.table) t0 \(links.tail)",
            links.bindings, [.key, .key])
    }

    /// The same with the members' rows: the owner, and then the family's select list.
    public func memberSnapshots(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> FetchStatement {
        let links = try links(of: relationship, owners)
        guard let table = schema.table(of: relationship.destination) else {
            throw .unsupported("the relationship \(relationship.name) is not in this store")
        }
        if links.member == "t0.Z_PK" {
            let list = selectLists[table.root] ?? ""
            return FetchStatement(
                "SELECT \(links.owner), \(list) FROM \(links.table) t0 \(links.tail)",
                links.bindings)
        }
        let list = schema.selectList(of: table, alias: "t1")
        return FetchStatement(
            "SELECT \(links.owner), \(list) FROM \(links.table) t0 "
                + "JOIN \(table.name) t1 ON t1.Z_PK = \(links.member) \(links.tail)",
            links.bindings)
    }

    private struct Links {
        var table: String
        var owner: String
        var member: String
        /// WHERE and ORDER BY.
        var tail: String
        var bindings: [Value]
    }

    private func links(
        of relationship: Relationship, _ owners: [Int64]
    ) throws(StoreError) -> Links {
        let (table, owner, member, order): (String, String, String, String?)
        switch schema.toManys[relationship.index] {
        case .column(let name, let column, let sorted, _)?:
            (table, owner, member, order) = (name, "t0.\(column)", "t0.Z_PK", sorted)
        case .join(let join)?:
            (table, owner) = (join.name, "t0.\(join.ownerColumn)")
            (member, order) = ("t0.\(join.memberColumn)", join.orderColumn)
        case nil:
            throw .unsupported("the relationship \(relationship.name) is not in this store")
        }
        let isOne = owners.count == 1
        let condition = isOne ? "= ?1" : "IN (SELECT value FROM json_each(?1))"
        let sorted = order.map { "t0.\($0), " } ?? ""
        return Links(
            table: table, owner: owner, member: member,
            tail: "WHERE \(owner) \(condition) ORDER BY \(owner), \(sorted)\(member)",
            bindings: [isOne ? .key(owners[0]) : keyList(owners)])
    }
}
