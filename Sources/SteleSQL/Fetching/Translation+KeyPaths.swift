/// Key paths over attributes and to-one relationships as columns, with the joins that they take.

import SteleModel
import StelePersistence
import StelePredicates

extension Translation {
    /// The object at the other end of a to-one relationship; nothing is joined yet. Where the key
    /// may lead to nothing it is the one of the row that is there, which is joined.
    func toOne(_ it: Relationship, of owner: Position) throws(StoreError) -> Position {
        let end = try link(it, of: owner)
        guard model.mayDangle(it) else { return end }
        let alias = try row(of: end)
        let key = "\(alias).Z_PK"
        if end.scope.row(key) == nil { end.scope.setRow(key, alias) }
        return Position(scope: end.scope, key: key, entity: end.entity, isNullable: true)
    }

    /// The same by the key as it is in the owner's row.
    func link(_ it: Relationship, of owner: Position) throws(StoreError) -> Position {
        guard let column = schema.column(of: it.slot, in: owner.entity.index) else {
            throw .unsupported("the relationship \(it.name) is not in this store")
        }
        let alias = try row(of: owner)
        return Position(
            scope: owner.scope, key: SQLWords.joined(alias, ".", column),
            entity: model.destination(of: it),
            isNullable: true)
    }

    /// What a key path over to-ones gives: an attribute's column, or a relationship's key.
    func value(_ path: ArraySlice<String>, of start: Position) throws(StoreError) -> Operand {
        var position = start
        for (index, key) in zip(path.indices, path) {
            switch position.entity.property(named: key) {
            case .relationship(let it)?:
                if it.isToMany {
                    throw .unsupported(
                        "the to-many relationship \(it.name) where one value is asked for")
                }
                position = try toOne(it, of: position)
            case .attribute(let it)?:
                if index < path.endIndex - 1 {
                    throw .unsupported("the attributes within \(it.name) in a store of this kind")
                }
                return try column(it, of: position)
            case .fetchedProperty?:
                throw .unsupported("the fetched property \(key) in a predicate")
            case nil:
                return try special(key, of: position)
            }
        }
        return .column(position.key, .key, isNullable: position.isNullable)
    }

    func column(_ it: Attribute, of owner: Position) throws(StoreError) -> Operand {
        if it.type == .composite { throw .unsupported("comparing \(it.name), a composite") }
        let column =
            owner.isFirst
            ? translator.firstColumn(it, of: owner.entity)
            : translator.column(it, of: owner.entity, behind: try row(of: owner))
        guard let column else {
            throw .unsupported("\(it.name) is transient and not in the store")
        }
        return column.operand
    }

    private func special(_ key: String, of owner: Position) throws(StoreError) -> Operand {
        switch key {
        case "SELF", "self": return .column(owner.key, .key, isNullable: owner.isNullable)
        case "_id": return .column(owner.key, .integer, isNullable: owner.isNullable)
        case "_version":
            let alias = try row(of: owner)
            return .column("\(alias).Z_OPT", .integer, isNullable: owner.isNullable)
        case "_entity":
            _ = try row(of: owner)
            return Operand(
                content: .entityName(owner), kind: .text, isNullable: owner.isNullable)
        default: throw .invalid("\(owner.entity.name) has no property \(key)")
        }
    }
}
