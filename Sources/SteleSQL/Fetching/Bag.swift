import SteleModel
import StelePersistence
import StelePredicates

/// The elements of a collection as the inside of a subselect, one for each way that leads to them.
struct Bag {
    /// The link to the object outside; nil for a collection that does not depend on it.
    struct Link {
        /// The SQL of the owner's key outside of the subselect.
        let owner: String
        /// The column inside that equals it.
        let column: String
        /// Whether many objects outside may have the same owner, as the players of a team have.
        let isShared: Bool

        var condition: Condition { Condition("\(column) = \(owner)") }
    }

    var link: Link?
    let scope: Scope
    /// The object that the path leads to; nil for plain values.
    var element: Position?
    /// The conditions of SUBQUERY on the elements.
    var conditions: [Condition] = []
    /// Whether the conditions do not refer to anything outside, so that owners can be found from
    /// elements.
    var isLoose = true
    /// Whether each value counts once.
    var isDistinct = false
    /// The order of the elements; empty for none.
    var order: [String] = []
    /// The value of an element: an attribute, or its key.
    var value: Operand

    /// FROM and WHERE, with the link.
    func source(_ more: [Condition] = []) -> String {
        source(where: (link.map { [$0.condition] } ?? []) + conditions + more)
    }

    /// FROM and WHERE, without the link.
    var ownSource: String { source(where: conditions) }

    private func source(where all: [Condition]) -> String {
        all.isEmpty ? scope.from : "\(scope.from) WHERE \(Condition.all(all).sql)"
    }
}

extension Translation {
    /// Returns the bag of an expression; nil for a single value.
    /// - Parameter ordered: whether the order is needed.
    func bag(
        _ expression: Expression, _ env: Environment, ordered: Bool = false
    ) throws(StoreError) -> Bag? {
        switch expression {
        case .keyPath(let base, let path):
            if path.contains(where: { isSign($0) && !isUnion($0) }) { return nil }
            let keys = path.filter { !isUnion($0) }
            guard var bag = try bag(base, keys: keys, env, ordered: ordered) else { return nil }
            if path.contains(where: { $0.hasPrefix("@distinct") }) { bag.isDistinct = true }
            return bag
        case .subquery(let collection, let variable, let predicate):
            return try subquery(
                over: collection, variable: variable, where: predicate, env, ordered: ordered)
        case .function(EachValue.function, let arguments):
            return try EachValue(arguments).map { each throws(StoreError) in
                try values(each, env, ordered: ordered)
            }
        case .aggregate, .set, .function(PredicateFunction.mode.rawValue, _):
            return try derived(expression, env, ordered)
        default: return nil
        }
    }

    private func bag(
        _ base: Expression, keys: [String], _ env: Environment, ordered: Bool
    ) throws(StoreError) -> Bag? {
        if isCollection(base, env) {
            guard var bag = try bag(base, env, ordered: ordered) else { return nil }
            if bag.isDistinct, !keys.isEmpty {
                throw .unsupported("keys of a collection of distinct values")
            }
            if !keys.isEmpty { try follow(keys, &bag) }
            return bag
        }
        guard let entity = elementEntity(base, env), crossesToMany(keys, from: entity),
            let start = try object(base, env)
        else { return nil }
        return try cross(keys, from: start, env)
    }

    /// Returns whether a key is a collection operator.
    func isSign(_ key: String) -> Bool { key.utf8.first == UInt8(ascii: "@") }

    /// Returns whether a key is an operator that returns a collection.
    func isUnion(_ key: String) -> Bool {
        switch key {
        case "@unionOfObjects", "@unionOfArrays", "@distinctUnionOfObjects",
            "@distinctUnionOfArrays", "@distinctUnionOfSets", "@unionOfSets":
            true
        default: false
        }
    }

    private func subquery(
        over collection: Expression, variable: String, where predicate: Predicate,
        _ env: Environment, ordered: Bool
    ) throws(StoreError) -> Bag {
        try enter()
        defer { leave() }
        guard var bag = try bag(collection, env, ordered: ordered), let element = bag.element
        else { throw .unsupported("SUBQUERY over values that are not objects") }
        var inner = env
        inner.variables[variable] = element
        inner.innermost = element.scope
        if element.isNullable {
            // A variable refers to an object, so elements without one are excluded.
            bag.conditions.append(Condition("\(element.key) IS NOT NULL"))
        }
        inner.isInner = true
        bag.conditions.append(try condition(predicate, inner, holds: true))
        bag.isLoose = bag.isLoose && Reach.isInside(predicate, [variable])
        return bag
    }

    /// Returns the values of an expression for each element of a collection.
    private func values(
        _ each: EachValue, _ env: Environment, ordered: Bool
    ) throws(StoreError) -> Bag {
        try enter()
        defer { leave() }
        guard var bag = try bag(each.collection, env, ordered: ordered), let element = bag.element
        else { throw .unsupported("values of what are not objects") }
        var inner = env
        inner.variables[each.variable] = element
        inner.innermost = element.scope
        inner.isInner = true
        var value = try operand(each.value, inner)
        value.content = .sql(sql(value))
        if element.isNullable {
            value.content = .sql("CASE WHEN \(element.key) IS NOT NULL THEN \(sql(value)) END")
        }
        bag.value = value
        bag.element = elementEntity(each.value, inner).map {
            Position(scope: element.scope, key: sql(value), entity: $0, isNullable: true)
        }
        bag.isLoose = bag.isLoose && Reach.isInside(each.value, [each.variable])
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
        throw .invalid("\(path.joined(separator: ".")) has no to-many relationship")
    }

    /// Crosses the first to-many relationship, into a new scope.
    private func enter(
        _ it: Relationship, from owner: Position, _ env: Environment
    ) throws(StoreError) -> Bag {
        if env.isGrouped, owner.scope === env.object.scope,
            !env.groups.values.contains(where: {
                if case .sql(owner.key) = $0.content { true } else { false }
            })
        {
            throw .invalid(
                "\(it.name) is a collection of each object, but rows are grouped: use it inside "
                    + "an aggregate of rows, or group by its owner")
        }
        let alias = makeAlias()
        let storage = try schema.links(of: it)
        let scope = Scope(translator.source(storage.table), alias)
        let key = "\(alias).\(storage.member)"
        if storage.member == "Z_PK" { scope.setRow(key, alias) }
        let element = Position(
            scope: scope, key: key, entity: model.destination(of: it), isNullable: false)
        return Bag(
            link: Bag.Link(
                owner: owner.key,
                column: "\(alias).\(translator.owners(storage.owner, in: storage.table))",
                isShared: !owner.key.hasSuffix(".Z_PK")),
            scope: scope, element: element,
            order: storage.order.map { ["\(alias).\($0)", key] } ?? [key],
            value: .column(key, .key, isNullable: false))
    }

    /// Follows the rest of the path within the bag's scope.
    private func follow(_ path: [String], _ bag: inout Bag) throws(StoreError) {
        for (index, key) in path.enumerated() {
            guard let element = bag.element else {
                throw .unsupported("a key of a value that is not an object")
            }
            guard case .relationship(let it)? = element.entity.property(named: key) else {
                bag.value = try value(path[index...], of: element)
                return
            }
            var next: Position
            if it.isToMany {
                let alias = makeAlias()
                let storage = try schema.links(of: it)
                let owner = translator.owners(storage.owner, in: storage.table)
                bag.scope.join(
                    translator.source(storage.table), alias,
                    on: "\(alias).\(owner) = \(element.key)", outer: false)
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
}
