/// What a collection is: the inside of a subselect.

import SteleModel
import StelePersistence
import StelePredicates

/// The elements of a collection, one for each way that leads to them.
struct Bag {
    /// How they hang together with the object outside; nil for what stands by itself.
    struct Link {
        /// The SQL outside of the subselect that is the owner's key.
        let owner: String
        /// The column inside that must equal it.
        let column: String
        /// Whether many objects outside may have the same owner, as people have a team.
        let isShared: Bool

        var condition: Condition { Condition("\(column) = \(owner)") }
    }

    var link: Link?
    let scope: Scope
    /// The object that the path has come to; nil where the elements are plain values.
    var element: Position?
    /// What SUBQUERY asks of the elements.
    var conditions: [Condition] = []
    /// Whether they name nothing outside of the bag, so that owners can be found from elements.
    var isLoose = true
    /// Whether each value counts once.
    var isDistinct = false
    /// What the elements are ordered by; empty where they have no order.
    var order: [String] = []
    /// What each element is worth: an attribute, or else its key.
    var value: Operand

    /// What must hold of a row in it.
    var filter: [Condition] { (link.map { [$0.condition] } ?? []) + conditions }

    /// FROM and WHERE.
    func source(_ more: [Condition] = []) -> String {
        let all = filter + more
        return all.isEmpty ? scope.from : "\(scope.from) WHERE \(Condition.all(all).sql)"
    }
}

extension Translation {
    /// The bag that an expression is, or nil where it is one value.
    /// - Parameter ordered: whether its order matters.
    func bag(
        _ expression: Expression, _ env: Environment, ordered: Bool = false
    ) throws(StoreError) -> Bag? {
        switch expression {
        case .keyPath(let base, let path):
            if path.contains(where: { isSign($0) && !isUnion($0) }) { return nil }
            let keys = path.filter { !isUnion($0) }
            guard var bag = try bag(base, keys, env, ordered) else { return nil }
            if path.contains(where: { $0.hasPrefix("@distinct") }) { bag.isDistinct = true }
            return bag
        case .subquery(let collection, let variable, let predicate):
            return try subquery(collection, variable, predicate, env, ordered)
        case .aggregate, .set, .function(PredicateFunction.mode.rawValue, _):
            return try derived(expression, env, ordered)
        default: return nil
        }
    }

    private func bag(
        _ base: Expression, _ keys: [String], _ env: Environment, _ ordered: Bool
    ) throws(StoreError) -> Bag? {
        if isCollection(base, env) {
            guard var bag = try bag(base, env, ordered: ordered) else { return nil }
            if bag.isDistinct, !keys.isEmpty {
                throw .unsupported("keys of a collection without its doubles")
            }
            if !keys.isEmpty { try follow(keys, &bag) }
            return bag
        }
        guard let entity = elementEntity(base, env), crossesToMany(keys, from: entity),
            let start = try object(base, env)
        else { return nil }
        return try cross(keys, from: start, env)
    }

    /// Whether it is a collection operator.
    func isSign(_ key: String) -> Bool { key.utf8.first == UInt8(ascii: "@") }

    /// Operators that give collections: with doubles, or without.
    func isUnion(_ key: String) -> Bool {
        switch key {
        case "@unionOfObjects", "@unionOfArrays", "@distinctUnionOfObjects",
            "@distinctUnionOfArrays", "@distinctUnionOfSets", "@unionOfSets":
            true
        default: false
        }
    }

    private func subquery(
        _ collection: Expression, _ variable: String, _ predicate: Predicate, _ env: Environment,
        _ ordered: Bool
    ) throws(StoreError) -> Bag {
        try enter()
        defer { leave() }
        guard var bag = try bag(collection, env, ordered: ordered), let element = bag.element
        else { throw .unsupported("SUBQUERY over what are no objects") }
        var inner = env
        inner.variables[variable] = element
        inner.innermost = element.scope
        if element.isNullable {
            // A variable stands for an object: those that lead to none are left out.
            bag.conditions.append(Condition("\(element.key) IS NOT NULL"))
        }
        inner.isInner = true
        bag.conditions.append(try condition(predicate, inner, holds: true))
        bag.isLoose = bag.isLoose && Reach.isInside(predicate, [variable])
        return bag
    }

    // MARK: Crossing

    private func cross(
        _ path: [String], from start: Position, _ env: Environment
    ) throws(StoreError) -> Bag {
        var position = start
        for (index, key) in path.enumerated() {
            guard case .relationship(let it)? = position.entity.property(named: key) else { break }
            guard it.isToMany else {
                position = try toOne(it, of: position)
                continue
            }
            var bag = try enter(it, from: position, env)
            try follow(Array(path[(index + 1)...]), &bag)
            return bag
        }
        throw .invalid("\(path.joined(separator: ".")) crosses no to-many relationship")
    }

    /// The first crossing: a scope of its own.
    private func enter(
        _ it: Relationship, from owner: Position, _ env: Environment
    ) throws(StoreError) -> Bag {
        if env.isGrouped, owner.scope === env.object.scope,
            !env.groups.values.contains(where: { $0.isText(owner.key) })
        {
            throw .invalid(
                "the collection \(it.name) is of each object, and rows are grouped: an aggregate "
                    + "of it stands in one of rows, or its owner is grouped by")
        }
        let alias = makeAlias()
        let storage = try storage(of: it)
        let scope = Scope(storage.table, alias)
        let key = "\(alias).\(storage.member)"
        if storage.member == "Z_PK" { scope.setRow(key, alias) }
        let element = Position(
            scope: scope, key: key, entity: model.destination(of: it), isNullable: false)
        return Bag(
            link: Bag.Link(
                owner: owner.key, column: "\(alias).\(storage.owner)",
                isShared: !owner.key.hasSuffix(".Z_PK")),
            scope: scope, element: element,
            order: storage.order.map { ["\(alias).\($0)", key] } ?? [key],
            value: .column(key, .key, isNullable: false))
    }

    /// The rest of the path, inside the bag's scope.
    private func follow(_ path: [String], _ bag: inout Bag) throws(StoreError) {
        for (index, key) in path.enumerated() {
            guard let element = bag.element else {
                throw .unsupported("a key of what is no object")
            }
            guard case .relationship(let it)? = element.entity.property(named: key) else {
                bag.value = try value(path[index...], of: element)
                return
            }
            var next: Position
            if it.isToMany {
                let alias = makeAlias()
                let storage = try storage(of: it)
                bag.scope.join(
                    storage.table, alias, on: "\(alias).\(storage.owner) = \(element.key)",
                    outer: false)
                let key = "\(alias).\(storage.member)"
                if storage.member == "Z_PK" { bag.scope.setRow(key, alias) }
                bag.order += storage.order.map { ["\(alias).\($0)", key] } ?? [key]
                next = Position(
                    scope: bag.scope, key: key, entity: model.destination(of: it),
                    isNullable: false)
            } else {
                next = try toOne(it, of: element)
            }
            bag.element = next
            bag.value = .column(next.key, .key, isNullable: next.isNullable)
        }
    }

    /// The table with a to-many's links, and its columns for owner, member and order.
    private func storage(
        of it: Relationship
    ) throws(StoreError) -> (table: String, owner: String, member: String, order: String?) {
        switch schema.toManys[it.index] {
        case .column(let table, let owner, let order, _)?: return (table, owner, "Z_PK", order)
        case .join(let join)?:
            return (join.name, join.ownerColumn, join.memberColumn, join.orderColumn)
        case nil: throw .unsupported("the relationship \(it.name) is not in this store")
        }
    }
}
