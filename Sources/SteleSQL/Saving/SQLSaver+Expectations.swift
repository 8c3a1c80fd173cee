import SteleModel
import StelePersistence

extension SQLSaver {

    /// Checks a request's expectations in the writer's transaction.
    /// - Throws: `.moved` for one that does not hold.
    func check(_ expectations: [Expectation]) throws(StoreError) {
        for expectation in expectations {
            let holds =
                switch expectation {
                case .exists(let entity, let key): try exists(schema.model.entities[entity], key)
                case .members(let relationship, let owner, let keys):
                    try members(of: relationship, owner) == Set(keys)
                case .owners(let relationship, let member, let keys):
                    try owners(by: schema.model.relationships[relationship], of: member)
                        == Set(keys)
                }
            guard holds else { throw expectation.failure(in: schema.model) }
        }
    }

    private func exists(_ entity: Entity, _ key: Int64) throws(StoreError) -> Bool {
        let sql = statements.text(
            "SELECT Z_ENT FROM \(schema.table(of: entity.index).name) WHERE Z_PK = ?1")
        guard let number = try connection.integer(sql, [.int(key)]) else { return false }
        let root = schema.model.root(of: entity)
        let found = schema.entity(numbered: number).map { schema.model.entities[$0] } ?? root
        return entity.isKind((found.root == entity.root ? found : root).index)
    }

    private func members(of relationship: Int, _ owner: Int64) throws(StoreError) -> Set<Int64> {
        guard let links = schema.toManys[relationship]?.links else { return [] }
        return try keys(
            "SELECT \(links.member) FROM \(source(links.table)) l WHERE \(links.owner) = ?1",
            of: owner)
    }

    private func owners(
        by relationship: Relationship, of member: Int64
    ) throws(StoreError) -> Set<Int64> {
        if let links = schema.toManys[relationship.index]?.links {
            return try keys(
                "SELECT \(links.owner) FROM \(source(links.table)) l "
                    + "WHERE \(links.member) = ?1 AND \(links.owner) IS NOT NULL", of: member)
        }
        let owner = relationship.owner
        guard let column = schema.column(of: relationship.slot, in: owner) else { return [] }
        let table = schema.table(of: owner).name
        let searched =
            foreign().isEmpty ? column : derivingTranslator().owners(column, in: table)
        return try keys("SELECT Z_PK FROM \(source(table)) o WHERE \(searched) = ?1", of: member)
    }

    private func keys(_ sql: String, of key: Int64) throws(StoreError) -> Set<Int64> {
        var found = Set<Int64>()
        for row in try connection.rows(statements.text(sql), [.int(key)], [.integer]) {
            if case .int(let key) = row[0], key > 0 { found.insert(key) }
        }
        return found
    }
}
