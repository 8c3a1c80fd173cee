/// What a request was made from and no version guards, looked at again.

import SteleModel
import StelePersistence

/// Checks a request's expectations in the writer's transaction.
struct ExpectationCheck {
    let schema: SQLSchema
    let connection: any SQLConnection

    /// - Throws: `.moved` with a sentence where one does not hold.
    func check(
        _ expectations: [Expectation], statements: inout SaveStatements
    ) throws(StoreError) {
        for expectation in expectations {
            let holds =
                switch expectation {
                case .exists(let entity, let key):
                    try exists(schema.model.entities[entity], key, &statements)
                case .members(let relationship, let owner, let keys):
                    try members(schema.model.relationships[relationship], owner, keys, &statements)
                case .owners(let relationship, let member, let keys):
                    try owners(schema.model.relationships[relationship], member, keys, &statements)
                }
            guard holds else { throw expectation.failure(in: schema.model) }
        }
    }

    private func exists(
        _ entity: Entity, _ key: Int64, _ statements: inout SaveStatements
    ) throws(StoreError) -> Bool {
        guard let table = schema.table(of: entity.index) else { return true }
        let sql = statements.text("SELECT Z_ENT FROM \(table.name) WHERE Z_PK = ?1")
        let rows = try connection.rows(sql, [.int(key)], [.integer])
        guard case .int(let number)? = rows.first?.first else { return false }
        return entity.isKind(Int(number) &- 1)
    }

    private func members(
        _ relationship: Relationship, _ owner: Int64, _ keys: [Int64],
        _ statements: inout SaveStatements
    ) throws(StoreError) -> Bool {
        guard let storage = schema.toManys[relationship.index] else { return true }
        let sql: String
        switch storage {
        case .column(let table, let column, _, _):
            sql = "SELECT Z_PK FROM \(table) WHERE \(column) = ?1"
        case .join(let table):
            sql = "SELECT \(table.memberColumn) FROM \(table.name) WHERE \(table.ownerColumn) = ?1"
        }
        return try self.keys(statements.text(sql), of: owner) == Set(keys)
    }

    private func owners(
        _ relationship: Relationship, _ member: Int64, _ keys: [Int64],
        _ statements: inout SaveStatements
    ) throws(StoreError) -> Bool {
        let sql: String
        if case .column(let table, let column, _, _)? = schema.toManys[relationship.index] {
            sql = "SELECT \(column) FROM \(table) WHERE Z_PK = ?1 AND \(column) IS NOT NULL"
        } else if !relationship.isToMany, let table = schema.table(of: relationship.owner),
            let column = schema.column(of: relationship.slot, in: relationship.owner)
        {
            sql = "SELECT Z_PK FROM \(table.name) WHERE \(column) = ?1"
        } else {
            return true
        }
        return try self.keys(statements.text(sql), of: member) == Set(keys)
    }

    private func keys(_ sql: SQLText, of key: Int64) throws(StoreError) -> Set<Int64> {
        var found = Set<Int64>()
        for row in try connection.rows(sql, [.int(key)], [.integer]) {
            if case .int(let key) = row[0] { found.insert(key) }
        }
        return found
    }
}
