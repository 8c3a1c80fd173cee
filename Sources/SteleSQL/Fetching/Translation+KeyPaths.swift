import SteleModel
import StelePersistence
import StelePredicates

extension Translation {
    /// Returns the destination of a to-one relationship, without joining it. Where the key may
    /// refer to a deleted row, the row is joined and its own key is used.
    func toOne(_ it: Relationship, of owner: Position) throws(StoreError) -> Position {
        let end = try link(it, of: owner)
        guard model.mayDangle(it) else { return end }
        let alias = try row(of: end)
        let key = "\(alias).Z_PK"
        if end.scope.row(key) == nil { end.scope.setRow(key, alias) }
        return Position(scope: end.scope, key: key, entity: end.entity, isNullable: true)
    }

    /// Returns the destination by the key in the owner's row, which may refer to a deleted row.
    func link(_ it: Relationship, of owner: Position) throws(StoreError) -> Position {
        guard let column = schema.column(of: it.slot, in: owner.entity.index) else {
            throw .unsupported("the relationship \(it.name) in this store")
        }
        let alias = try row(of: owner)
        return Position(
            scope: owner.scope, key: SQLWords.joined([alias, ".", column]),
            entity: model.destination(of: it),
            isNullable: true)
    }

    /// Returns the value of a key path over to-one relationships: a column of an attribute, or a
    /// key.
    func value(_ path: ArraySlice<String>, of start: Position) throws(StoreError) -> Operand {
        var position = start
        for (index, key) in zip(path.indices, path) {
            switch position.entity.property(named: key) {
            case .relationship(let it)?:
                if it.isToMany {
                    throw .unsupported(
                        "the to-many relationship \(it.name) as a single value")
                }
                position = try toOne(it, of: position)
            case .attribute(let it)?:
                if index < path.endIndex - 1 {
                    throw .unsupported("key paths into the value of \(it.name)")
                }
                return try column(it, of: position)
            case .fetchedProperty?:
                throw .unsupported("the fetched property \(key) in a predicate")
            case .transientRelationship?:
                throw .unsupported("the transient relationship \(key) in a predicate")
            case nil:
                return try special(key, of: position)
            }
        }
        return .column(position.key, .key, isNullable: position.isNullable)
    }

    func column(_ it: Attribute, of owner: Position) throws(StoreError) -> Operand {
        if it.type == .composite { throw .unsupported("the composite \(it.name) as a value") }
        let column =
            owner.isFirst
            ? translator.firstColumn(it, of: owner.entity)
            : Column(
                it, of: owner.entity, behind: try row(of: owner), schema, translator.longDecimals)
        guard let column else {
            throw .unsupported("the transient attribute \(it.name) in this store")
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
