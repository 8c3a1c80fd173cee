/// What a to-many key path leads to: the inside of a subselect.

import SteleModel
import StelePersistence
import StelePredicates

/// The elements beyond a to-many relationship, one for each way that leads to them.
struct Bag {
    /// The SQL outside of the subselect that is the owner's key.
    let owner: String
    /// The column inside that must equal it.
    let ownerColumn: String
    let scope: Scope
    /// The object that the path has come to.
    var element: Position
    /// What SUBQUERY asks of the elements.
    var conditions: [Condition] = []
    /// Whether they name nothing outside of the bag, so that owners can be found from elements.
    var isLoose = true
    /// What each element is worth: an attribute, or else its key.
    var value: Operand
}

extension Translation {
    /// Whether a key path from an entity crosses a to-many relationship.
    func crossesToMany(_ path: [String], from entity: Entity) -> Bool {
        var entity = entity
        for key in path where !isSign(key) {
            guard case .relationship(let it)? = entity.property(named: key) else { return false }
            if it.isToMany { return true }
            entity = model.destination(of: it)
        }
        return false
    }

    /// The bag that an expression is, or nil where it is one value.
    func bag(_ expression: Expression, _ env: Environment) throws(StoreError) -> Bag? {
        switch expression {
        case .keyPath(.subquery(let collection, let variable, let predicate), let path):
            var bag = try subquery(collection, variable, predicate, env)
            try follow(path.filter { !isUnion($0) }, &bag)
            return bag
        case .keyPath(let base, let path):
            guard let start = object(base, env) else { return nil }
            if path.contains(where: { isSign($0) && !isUnion($0) }) { return nil }
            let keys = path.filter { !isUnion($0) }
            guard crossesToMany(keys, from: start.entity) else { return nil }
            return try cross(keys, from: start)
        case .subquery(let collection, let variable, let predicate):
            return try subquery(collection, variable, predicate, env)
        default: return nil
        }
    }

    /// Whether it is a collection operator.
    func isSign(_ key: String) -> Bool { key.utf8.first == UInt8(ascii: "@") }

    /// Operators that change nothing where only membership is asked for.
    func isUnion(_ key: String) -> Bool {
        switch key {
        case "@unionOfObjects", "@unionOfArrays", "@distinctUnionOfObjects",
            "@distinctUnionOfArrays", "@distinctUnionOfSets", "@unionOfSets":
            true
        default: false
        }
    }

    private func subquery(
        _ collection: Expression, _ variable: String, _ predicate: Predicate, _ env: Environment
    ) throws(StoreError) -> Bag {
        guard var bag = try bag(collection, env) else {
            throw .unsupported("SUBQUERY over what is no to-many relationship")
        }
        var inner = env
        inner.variables[variable] = bag.element
        if bag.element.isNullable {
            // A variable stands for an object: those that lead to none are left out.
            bag.conditions.append(Condition("\(bag.element.key) IS NOT NULL"))
        }
        inner.isNarrow = true
        bag.conditions.append(try condition(predicate, inner, holds: true))
        bag.isLoose = bag.isLoose && Reach.isInside(predicate, [variable])
        return bag
    }

    /// The object that an expression stands for, where it is a plain one.
    func object(_ expression: Expression, _ env: Environment) -> Position? {
        switch expression {
        case .evaluatedObject: env.object
        case .variable(let name): env.variables[name]
        default: nil
        }
    }

    private func cross(_ path: [String], from start: Position) throws(StoreError) -> Bag {
        var position = start
        for (index, key) in path.enumerated() {
            guard case .relationship(let it)? = position.entity.property(named: key) else { break }
            guard it.isToMany else {
                position = try toOne(it, of: position)
                continue
            }
            var bag = try enter(it, from: position)
            try follow(Array(path[(index + 1)...]), &bag)
            return bag
        }
        throw .invalid("\(path.joined(separator: ".")) crosses no to-many relationship")
    }

    /// The first crossing: a scope of its own.
    private func enter(_ it: Relationship, from owner: Position) throws(StoreError) -> Bag {
        let alias = makeAlias()
        let (table, ownerColumn, memberColumn) = try storage(of: it, alias)
        let scope = Scope(table, alias)
        let key = "\(alias).\(memberColumn)"
        if memberColumn == "Z_PK" { scope.setRow(key, alias) }
        let element = Position(
            scope: scope, key: key, entity: model.destination(of: it), isNullable: false)
        return Bag(
            owner: owner.key, ownerColumn: "\(alias).\(ownerColumn)", scope: scope,
            element: element, value: .column(key, .key, isNullable: false))
    }

    /// The rest of the path, inside the bag's scope.
    private func follow(_ path: [String], _ bag: inout Bag) throws(StoreError) {
        for (index, key) in path.enumerated() {
            guard case .relationship(let it)? = bag.element.entity.property(named: key) else {
                bag.value = try value(Array(path[index...]), of: bag.element)
                return
            }
            if it.isToMany {
                let alias = makeAlias()
                let (table, ownerColumn, memberColumn) = try storage(of: it, alias)
                bag.scope.join(
                    table, alias, on: "\(alias).\(ownerColumn) = \(bag.element.key)", outer: false)
                let key = "\(alias).\(memberColumn)"
                if memberColumn == "Z_PK" { bag.scope.setRow(key, alias) }
                bag.element = Position(
                    scope: bag.scope, key: key, entity: model.destination(of: it),
                    isNullable: false)
            } else {
                bag.element = try toOne(it, of: bag.element)
            }
            bag.value = .column(bag.element.key, .key, isNullable: bag.element.isNullable)
        }
    }

    /// The table with a to-many's links, and its columns for the owner and the member.
    private func storage(
        of it: Relationship, _ alias: String
    ) throws(StoreError) -> (table: String, owner: String, member: String) {
        switch schema.toManys[it.index] {
        case .column(let table, let owner, _, _)?: return (table, owner, "Z_PK")
        case .join(let join)?: return (join.name, join.ownerColumn, join.memberColumn)
        case nil: throw .unsupported("the relationship \(it.name) is not in this store")
        }
    }

    /// The condition that a bag has an element that meets one, or that it has none.
    /// - Parameter isLoose: whether `condition` names nothing outside of the bag, either, and the
    ///   owners shall be found from the elements.
    func exists(
        _ bag: Bag, _ condition: Condition?, isLoose: Bool, holds: Bool
    ) -> Condition {
        let inner = bag.conditions + (condition.map { [$0] } ?? [])
        if isLoose && bag.isLoose && !inner.isEmpty {
            let filter = Condition.all(inner).sql
            let set =
                "\(bag.owner) IN (SELECT \(bag.ownerColumn) FROM \(bag.scope.from) WHERE \(filter))"
            return Condition(set).turned(holds)
        }
        let link = Condition("\(bag.ownerColumn) = \(bag.owner)")
        let filter = Condition.all([link] + inner).sql
        return Condition(
            "\(holds ? "" : "NOT ")EXISTS (SELECT 1 FROM \(bag.scope.from) WHERE \(filter))")
    }

    /// One value made of a bag's elements, as a subselect.
    func scalar(_ bag: Bag, _ aggregate: (sql: String, operand: Operand)) -> Operand {
        let link = Condition("\(bag.ownerColumn) = \(bag.owner)")
        let filter = Condition.all([link] + bag.conditions).sql
        var operand = aggregate.operand
        operand.content = .sql("(SELECT \(aggregate.sql) FROM \(bag.scope.from) WHERE \(filter))")
        return operand
    }
}
