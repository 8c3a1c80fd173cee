import SteleModel
import StelePredicates

/// Weaves what a reader may see into a fetch: its own objects fulfil the rule of their entity, and
/// each step across a relationship leads to the objects that are seen. A store evaluates the result
/// as any other fetch, so the rules have one meaning on every store.
///
/// A path over to-one relationships becomes `TERNARY(rules, path, nil)` with the rules of all its
/// steps, and a to-many step `SUBQUERY(players, $seen, rule)`. Behind a to-many step such a path is
/// evaluated for each element, so an object that is not seen is a null there as well. The size of
/// the result is that of the request and of one rule for each step.
struct SightWeaver {
    private let sight: Sight
    /// The number of variables around the expression that is woven. It numbers the variables of the
    /// rules, so equal expressions in one place become equal ones: a column is still the key by
    /// which rows are grouped or sorted.
    private var variables = 0

    init(_ sight: Sight) { self.sight = sight }

    var model: Model { sight.model }

    /// The entities of the objects that expressions begin with.
    private struct Scope {
        var own: Entity
        var source: Entity?
        var variables: [String: Entity] = [:]
    }

    /// Returns a checked fetch of what is seen.
    mutating func woven(_ request: FetchRequest) -> FetchRequest {
        var woven = request
        let scope = Scope(
            own: request.entity, source: request.source.map { model.entities[$0.entity] })
        let asked = request.predicate.map { predicate($0, scope) }
        if let rule = sight.rule(of: request.entity) {
            woven.predicate = asked.map { guarded($0, on: .evaluatedObject, by: rule) } ?? rule
        } else {
            woven.predicate = asked
        }
        woven.sortDescriptors = request.sortDescriptors.map {
            SortDescriptor(
                expression($0.expression, scope), ascending: $0.ascending, options: $0.options)
        }
        woven.propertiesToFetch = request.propertiesToFetch.map {
            ExpressionDescription(name: $0.name, expression: expression($0.expression, scope))
        }
        woven.propertiesToGroupBy = request.propertiesToGroupBy.map { expression($0, scope) }
        woven.havingPredicate = request.havingPredicate.map { predicate($0, scope) }
        woven.isChecked = true
        woven.asked = AskedRequest(request)
        return woven
    }

    /// Returns a checked expression of what is seen.
    mutating func woven(_ expression: Expression, of entity: Entity) -> Expression {
        self.expression(expression, Scope(own: entity))
    }

    private mutating func predicate(_ predicate: Predicate, _ scope: Scope) -> Predicate {
        let around = variables
        defer { variables = around }
        switch predicate {
        case .constant: return predicate
        case .comparison(var it):
            if case .keyPath(let operand, _) = it.left,
                let members = overMembers(it, of: objects(of: operand, scope)?.entity)
            {
                return self.predicate(members, scope)
            }
            it.left = expression(it.left, scope)
            it.right = expression(it.right, scope)
            return .comparison(it)
        case .and(let parts): return .and(self.parts(parts, scope))
        case .or(let parts): return .or(self.parts(parts, scope))
        case .not(let inner): return .not(self.predicate(inner, scope))
        }
    }

    private mutating func parts(_ parts: [Predicate], _ scope: Scope) -> [Predicate] {
        var woven: [Predicate] = []
        woven.reserveCapacity(parts.count)
        for part in parts { woven.append(predicate(part, scope)) }
        return woven
    }

    private mutating func expression(_ expression: Expression, _ scope: Scope) -> Expression {
        let around = variables
        defer { variables = around }
        switch expression {
        case .constant, .evaluatedObject, .variable, .anyKey: return expression
        case .keyPath(let operand, let path):
            let start = self.expression(operand, scope)
            guard let (entity, isMany) = objects(of: operand, scope) else {
                // Of values there are only totals. Whatever else it is, it leads to nothing.
                let isTotal = path.allSatisfy { $0.utf8.first == UInt8(ascii: "@") }
                return isTotal ? .keyPath(start, path) : .constant(.null)
            }
            return steps(
                path[...], from: start, of: entity, isMany: isMany, named: named(operand, entity))
        case .function(let name, let arguments):
            return .function(name, expressions(arguments, scope))
        case .aggregate(let items): return .aggregate(expressions(items, scope))
        case .subquery(let collection, let variable, let predicate):
            var inner = scope
            let entity = objects(of: collection, scope)?.entity
            inner.variables[variable] = entity
            var condition = self.predicate(predicate, inner)
            if condition.mayFail, let rule = entity.flatMap({ sight.rule(of: $0) }) {
                condition = guarded(condition, on: .variable(variable), by: rule)
            }
            var over = self.expression(collection, scope)
            if let entity, let rule = named(collection, entity) { over = seen(over, rule, []) }
            return .subquery(over, variable: variable, condition)
        case .conditional(let predicate, let yes, let no):
            return .conditional(
                self.predicate(predicate, scope), self.expression(yes, scope),
                self.expression(no, scope))
        case .set(let operation, let left, let right):
            return .set(operation, self.expression(left, scope), self.expression(right, scope))
        case .index(let collection, .at(let place)):
            return .index(self.expression(collection, scope), .at(self.expression(place, scope)))
        case .index(let collection, let place):
            return .index(self.expression(collection, scope), place)
        case .assignment(let name, let value):
            return .assignment(name, self.expression(value, scope))
        }
    }

    private mutating func expressions(
        _ expressions: [Expression], _ scope: Scope
    ) -> [Expression] {
        var woven: [Expression] = []
        woven.reserveCapacity(expressions.count)
        for it in expressions { woven.append(expression(it, scope)) }
        return woven
    }

    // MARK: Key paths

    /// The rule of objects that an expression names by their ids, as `{SELF, 2}` does; nil where it
    /// names none, and so has only objects that are seen, or where all are seen.
    private func named(_ expression: Expression, _ entity: Entity) -> Predicate? {
        Self.hasIDs(expression) ? sight.rule(of: model.entities[entity.root]) : nil
    }

    private static func hasIDs(_ expression: Expression) -> Bool {
        switch expression {
        case .constant(let value): !value.isNull
        case .aggregate(let items), .function(_, let items): items.contains(where: hasIDs)
        case .set(_, let left, let right), .conditional(_, let left, let right):
            hasIDs(left) || hasIDs(right)
        case .index(let collection, _), .subquery(let collection, _, _): hasIDs(collection)
        case .keyPath(let operand, let path):
            hasIDs(operand)
                && path.allSatisfy { $0.utf8.first == UInt8(ascii: "@") || $0 == "SELF" }
        case .evaluatedObject, .variable, .anyKey, .assignment: false
        }
    }

    /// The entity of the objects that an expression gives, and whether there may be several; nil
    /// for one that gives no objects.
    private func objects(
        of expression: Expression, _ scope: Scope
    ) -> (entity: Entity, isMany: Bool)? {
        switch expression {
        case .evaluatedObject: return (scope.own, false)
        case .variable(let name):
            if let entity = scope.variables[name] { return (entity, false) }
            return name == FetchSource.variable ? scope.source.map { ($0, false) } : nil
        case .keyPath(let operand, let path):
            guard var (entity, isMany) = objects(of: operand, scope) else { return nil }
            for key in path {
                if key.utf8.first == UInt8(ascii: "@") || key == "SELF" { continue }
                guard case .relationship(let it) = entity.property(named: key) else { return nil }
                entity = model.destination(of: it)
                isMany = isMany || it.isToMany
            }
            return (entity, isMany)
        case .subquery(let collection, _, _):
            return objects(of: collection, scope).map { ($0.entity, true) }
        case .conditional(_, let yes, let no):
            return objects(of: yes, scope) ?? objects(of: no, scope)
        case .set(_, let left, let right):
            return (objects(of: left, scope) ?? objects(of: right, scope)).map {
                ($0.entity, true)
            }
        case .index(let collection, _):
            return objects(of: collection, scope).map { ($0.entity, false) }
        case .aggregate(let items):
            return items.lazy.compactMap { objects(of: $0, scope) }.first.map { ($0.entity, true) }
        // Those of objects take one collection, and give objects of it.
        case .function(let name, let arguments):
            guard arguments.count == 1, let found = objects(of: arguments[0], scope) else {
                return nil
            }
            return (found.entity, found.isMany && name == PredicateFunction.mode.rawValue)
        case .constant, .anyKey, .assignment: return nil
        }
    }

    /// Weaves the steps of a key path.
    /// - Parameter named: the rule of the objects that it begins with; nil where they are seen.
    private mutating func steps(
        _ path: ArraySlice<String>, from start: Expression, of entity: Entity, isMany: Bool,
        named: Predicate?
    ) -> Expression {
        var walk = Walk(reached: start, isMany: isMany)
        var entity = entity
        if !isMany, !Self.isName(start) {
            let variable = newVariable()
            (walk.computed, walk.reached) = ((variable, start), .variable(variable))
        }
        if let named, isMany { walk.reached = seen(start, named, []) }
        if let named, !isMany { walk.rules.append(onObject(walk.reached, named)) }
        // Collection operators may stand before keys, which they apply to.
        var operators: [String] = []
        var rest: ArraySlice<String> = []
        for (place, key) in zip(path.indices, path) {
            if key.utf8.first == UInt8(ascii: "@") {
                operators.append(key)
                continue
            }
            guard case .relationship(let it) = entity.property(named: key) else {
                rest = path[place...]
                break
            }
            entity = model.destination(of: it)
            cross(it, sight.rule(of: entity), &walk)
        }
        walk.nameObject()
        guard let each = walk.each else {
            let all = operators + rest
            let value = all.isEmpty ? walk.reached : Self.path(walk.reached, all)
            return walk.rules.isEmpty
                ? value : .conditional(Self.all(walk.rules), value, .constant(.null))
        }
        operators += rest.filter { $0.utf8.first == UInt8(ascii: "@") }
        let keys = rest.filter { $0.utf8.first != UInt8(ascii: "@") }
        let value = keys.isEmpty ? walk.reached : Self.path(walk.reached, keys)
        let values = EachValue(
            of: .conditional(Self.all(walk.rules), value, .constant(.null)),
            forEach: each.variable, in: each.collection
        ).expression
        return operators.isEmpty ? values : .keyPath(values, operators)
    }

    /// A key path on its way.
    private struct Walk {
        /// What it has led to.
        var reached: Expression
        /// Whether it has crossed a to-many relationship.
        var isMany: Bool
        /// The rules of the to-one steps, for which nothing is woven in yet.
        var rules: [Predicate] = []
        /// The collection from each of whose elements the to-one steps with rules lead on, and the
        /// variable for an element, which `reached` begins with. Nil before such a step.
        var each: (collection: Expression, variable: String)?
        /// The variable that `reached` begins with for an object that is computed, so that it is
        /// computed once and not for each rule. Nil for a named one, and behind a to-many.
        var computed: (variable: String, object: Expression)?

        /// Puts the computed object in the place of its variable: where there are rules, the first
        /// of those that fulfil them, which are none or one.
        mutating func nameObject() {
            guard let (variable, object) = computed else { return }
            let seen =
                rules.isEmpty
                ? object
                : .index(
                    .subquery(
                        .aggregate([object]), variable: variable, SightWeaver.all(rules)), .first)
            (computed, rules) = (nil, [])
            guard case .keyPath(_, let keys) = reached else { return reached = seen }
            reached = SightWeaver.path(seen, keys)
        }
    }

    /// Whether an expression names an object, and does not compute it.
    private static func isName(_ expression: Expression) -> Bool {
        switch expression {
        case .evaluatedObject, .variable: true
        case .keyPath(let operand, _): isName(operand)
        default: false
        }
    }

    /// Weaves a step across a relationship, whose destination has a rule or none.
    private mutating func cross(_ it: Relationship, _ rule: Predicate?, _ walk: inout Walk) {
        if it.isToMany {
            // What is not seen has no members, and neither has a null.
            if let each = walk.each, case .keyPath(_, let keys) = walk.reached {
                let seen = Expression.subquery(
                    each.collection, variable: each.variable, Self.all(walk.rules))
                walk.reached = Self.path(seen, keys)
                (walk.each, walk.rules) = (nil, [])
            }
            walk.reached = Self.path(walk.reached, [it.name])
            walk.nameObject()
            walk.reached = seen(walk.reached, rule, walk.rules)
            (walk.isMany, walk.rules) = (true, [])
            return
        }
        if rule != nil, walk.isMany, walk.each == nil {
            let variable = newVariable()
            walk.each = (walk.reached, variable)
            walk.reached = .variable(variable)
        }
        walk.reached = Self.path(walk.reached, [it.name])
        if let rule { walk.rules.append(onObject(walk.reached, rule)) }
    }

    /// The elements of a collection that are seen, if other rules hold.
    private mutating func seen(
        _ collection: Expression, _ rule: Predicate?, _ others: [Predicate]
    ) -> Expression {
        let variable = newVariable()
        let own = rule.map { [onObject(.variable(variable), $0)] } ?? []
        let all = own + others
        return all.isEmpty
            ? collection : .subquery(collection, variable: variable, Self.all(all))
    }

    /// A rule for an object. Its variables get names that no request can have, so that they do not
    /// take those of the request, in which the rule is woven.
    mutating func onObject(_ object: Expression, _ rule: Predicate) -> Predicate {
        variables += 1
        return rule.renamingVariables("#\(variables)").onObject(object)
    }

    private static func all(_ parts: [Predicate]) -> Predicate {
        parts.count == 1 ? parts[0] : .and(parts)
    }

    mutating func newVariable() -> String {
        variables += 1
        return "seen#\(variables)"
    }

    /// A key path as the check writes it: one list of keys.
    static func path(_ start: Expression, _ keys: some Sequence<String>) -> Expression {
        if case .keyPath(let operand, let path) = start { return .keyPath(operand, path + keys) }
        return .keyPath(start, Array(keys))
    }
}

extension Predicate {
    /// The same condition, in which the variables of SUBQUERYs end in a text.
    fileprivate func renamingVariables(_ ending: String) -> Predicate {
        mapExpressions { $0.renamingVariables(ending) }
    }

    /// The same condition on another object than the evaluated one.
    fileprivate func onObject(_ object: Expression) -> Predicate {
        mapExpressions { $0.onObject(object) }
    }
}

extension Expression {
    /// The same expression, in which the variables of SUBQUERYs end in a text. A checked rule has no
    /// other variables.
    fileprivate func renamingVariables(_ ending: String) -> Expression {
        switch self {
        case .variable(let name): return .variable(name + ending)
        case .subquery(let collection, let variable, let predicate):
            return .subquery(
                collection.renamingVariables(ending), variable: variable + ending,
                predicate.renamingVariables(ending))
        default:
            return mapParts(
                { $0.renamingVariables(ending) }, { $0.renamingVariables(ending) })
        }
    }

    fileprivate func onObject(_ object: Expression) -> Expression {
        switch self {
        case .evaluatedObject: return object
        case .keyPath(.evaluatedObject, let path):
            if case .keyPath(let operand, let start) = object {
                return .keyPath(operand, start + path)
            }
            return .keyPath(object, path)
        default: return mapParts({ $0.onObject(object) }, { $0.onObject(object) })
        }
    }
}
