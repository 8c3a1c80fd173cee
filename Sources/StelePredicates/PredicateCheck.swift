import SteleModel

/// Checks predicates and expressions against an entity of a model.
///
/// A checked predicate means the same on every store: its key paths exist, it has no free
/// variables, and its constants have the types that they are compared with. Checking it again
/// changes nothing.
public struct PredicateCheck: Sendable {
    /// The model.
    public let model: Model
    /// The entity whose objects the predicate is evaluated on.
    public let entity: Entity
    /// The values of variables, by name. They are converted to the type that they are compared
    /// with.
    public var variables: [String: VariableValue]
    /// Checked expressions by name, known in addition to properties: the columns of `select`, for
    /// `sort` and `having`.
    public var aliases: [String: Expression] = [:]
    /// Whether aggregates over rows, such as `count()` and `sum(x)`, are allowed: in `select`,
    /// `sort` and `having` of a grouped request, not in `where`.
    public var allowsRowAggregates = false
    /// Reads the temporary id of an unsaved object in a family of entities, such as `t1`: its key, or
    /// that which a save has given it; nil for any other text. Nil where objects have no such ids.
    package var temporaryKey: (@Sendable (_ text: String, _ root: Int) -> Int64?)?
    /// Whether `+` also joins texts. Only evaluation in memory can do that.
    package var joinsTexts = false
    /// Whether a variable may be without a value. The types of comparisons with such a variable are
    /// not checked.
    var hasOpenVariables = false
    /// The identifier of the store that is queried. If it is set, the URI of an object in another
    /// store is an error.
    package var storeIdentifiers: [String] = []

    /// Creates a check for the objects of an entity.
    public init(model: Model, entity: Entity, variables: [String: VariableValue] = [:]) {
        self.model = model
        self.entity = entity
        self.variables = variables
    }

    /// Checks a predicate.
    ///
    /// - Throws: `PredicateError` with code `predicate.unknown-key`, `predicate.type`,
    ///   `predicate.variable`, `predicate.unsupported`, `predicate.pattern` or `predicate.limit`.
    ///   `located(in:)` finds its position.
    public func check(_ predicate: Predicate) throws(PredicateError) -> Predicate {
        try check(predicate, Scope())
    }

    private func check(_ predicate: Predicate, _ scope: Scope) throws(PredicateError) -> Predicate {
        PlanningWork.begin()
        let result = try checked(predicate, scope)
        var patterns = PatternCheck()
        try patterns.check(result)
        return result
    }

    /// Checks the predicate of a fetched property, in which `$FETCH_SOURCE` is an object of the
    /// entity with the index `source`.
    ///
    /// - Throws: `PredicateError` as without a source.
    public func check(_ predicate: Predicate, source: Int) throws(PredicateError) -> Predicate {
        try check(predicate, Scope(variables: [(FetchSource.variable, source)]))
    }

    /// Checks an expression and finds its type.
    ///
    /// - Throws: `PredicateError` as for a predicate.
    public func check(
        _ expression: Expression
    ) throws(PredicateError) -> (Expression, ExpressionType) {
        PlanningWork.begin()
        let typed = try settled(checked(expression, Scope()))
        var patterns = PatternCheck()
        try patterns.check(typed.expression)
        return (typed.expression, typed.type)
    }

    /// Whether the expression contains an aggregate over rows, such as `sum(salary)`. An aggregate
    /// over a collection of one row, such as `sum(players.salary)`, does not count.
    ///
    /// - Throws: `PredicateError` if the expression does not fit the model.
    package func isAggregate(_ expression: Expression) throws(PredicateError) -> Bool {
        var open = self
        open.allowsRowAggregates = true
        return try open.checked(expression, Scope()).isAggregate
    }

    // MARK: Inside

    /// The variables of the enclosing SUBQUERYs, innermost last, and the entities of their objects.
    struct Scope {
        var variables: [(name: String, entity: Int)] = []
        var isInAggregate = false
        /// The depth of the expression or condition in the whole predicate.
        var depth = 0
        /// The aliases that have been checked.
        let aliases = CheckedAliases()

        func entity(of name: String) -> Int? { variables.last { $0.name == name }?.entity }
    }

    /// A checked expression and what is known about it.
    struct Typed {
        var expression: Expression
        var type: ExpressionType
        /// The value of a variable that has not met the type that it is compared with.
        var pending: VariableValue?
        /// Whether it is the value of a variable, or an element of one.
        var isOfVariable = false
        var isAggregate = false
        /// The root of the objects whose ids the expression gives, as `team._id` does; nil for any
        /// other expression.
        var idRoot: Int?
        /// Whether a collection has an order: a list, an ordered relationship, or a key path over
        /// one.
        var isOrdered = false
        /// The elements of a list; nil for other expressions.
        var list: [Typed]?
        var items: [Typed] { list ?? [] }
        /// The two values of a TERNARY; empty for other expressions.
        var branches: [Typed] = []
        /// The types that the literals in the branches have been converted to, so that each is
        /// converted once, however many TERNARYs are around it.
        var met: Set<ExpressionType> = []

        /// Whether the expression takes the type that it is compared with.
        var isLiteral: Bool {
            if pending != nil { return true }
            if case .constant = expression { return true }
            return false
        }
    }

    /// The aliases of one predicate or expression, by name, with their sizes as `PlanningWork` counts
    /// them. An alias is checked once, however often it is used.
    final class CheckedAliases {
        var known: [String: (typed: Typed, size: Int)] = [:]
    }

    /// Enters what is within the scope.
    /// - Throws: `PredicateError` with code `predicate.limit` if that is too deep, for the language
    ///   or for the stack, or planning takes too long.
    private func inside(_ outer: Scope) throws(PredicateError) -> Scope {
        var scope = outer
        scope.depth += 1
        guard scope.depth <= PredicateLimits.height else {
            throw .tooDeep(
                "more than \(PredicateLimits.height) conditions and operators are nested in one "
                    + "another", hint: "AND and OR need no parentheses")
        }
        if scope.depth & 7 == 0, !StackBound.hasRoom { throw StackBound.error }
        try PlanningWork.step()
        return scope
    }

    func checked(_ predicate: Predicate, _ outer: Scope) throws(PredicateError) -> Predicate {
        let scope = try inside(outer)
        switch predicate {
        case .constant: return predicate
        case .comparison(let comparison):
            if let plain = plain(predicate, comparison) { return plain }
            return try checked(comparison, scope)
        case .and(let parts): return .and(try checked(parts, scope))
        case .or(let parts): return .or(try checked(parts, scope))
        case .not(let inner): return .not(try checked(inner, scope))
        }
    }

    private func checked(
        _ parts: [Predicate], _ scope: Scope
    ) throws(PredicateError) -> [Predicate] {
        var result: [Predicate] = []
        result.reserveCapacity(parts.count)
        for part in parts { result.append(try checked(part, scope)) }
        return result
    }

    func checked(_ expression: Expression, _ outer: Scope) throws(PredicateError) -> Typed {
        if case .constant(let value) = expression {
            return Typed(expression: expression, type: .init(of: value))
        }
        let scope = try inside(outer)
        switch expression {
        case .constant(let value): return Typed(expression: expression, type: .init(of: value))
        case .evaluatedObject: return Typed(expression: expression, type: .object(entity.index))
        case .variable(let name): return try variable(name, scope)
        case .keyPath(let operand, let path): return try keyPath(operand, path, scope)
        case .function(let name, let arguments): return try function(name, arguments, scope)
        case .aggregate(let items): return try list(items, scope)
        case .subquery(let collection, let variable, let predicate):
            return try subquery(collection, variable: variable, predicate, scope)
        case .conditional(let predicate, let yes, let no):
            return try conditional(predicate, yes: yes, no: no, scope)
        case .set(let operation, let left, let right):
            return try set(operation, of: left, and: right, scope)
        case .index(let collection, let position): return try index(collection, position, scope)
        case .anyKey:
            throw PredicateError(
                .unsupported, "ANYKEY is not supported", near: "ANYKEY",
                hint: "name the keys and join the comparisons with OR")
        case .assignment(let name, _):
            throw PredicateError(.unsupported, "a predicate cannot assign to $\(name)", near: name)
        }
    }

    private func variable(_ name: String, _ scope: Scope) throws(PredicateError) -> Typed {
        if let index = scope.entity(of: name) {
            return Typed(expression: .variable(name), type: .object(index))
        }
        if let value = variables[name] {
            try PlanningWork.use(value.bytes)
            return Typed(expression: .variable(name), type: .value(.undefined), pending: value)
        }
        if hasOpenVariables {
            return Typed(expression: .variable(name), type: .value(.undefined))
        }
        let known = Array(variables.keys) + scope.variables.map(\.name)
        let near = Nearest.name(to: name, among: known) ?? (known.count == 1 ? known[0] : nil)
        throw PredicateError(
            .variable, "$\(name) has no value", near: "$" + name,
            hint: near.map { "did you mean $\($0)?" } ?? "give it one: var.\(name)=…")
    }

    private func subquery(
        _ collection: Expression, variable: String, _ predicate: Predicate, _ scope: Scope
    ) throws(PredicateError) -> Typed {
        let over = try checked(collection, scope)
        guard case .collection(.object(let index)) = over.type else {
            throw PredicateError(
                .type,
                "SUBQUERY needs a to-many relationship, and \(collection.description) is "
                    + over.type.noun, near: collection.description)
        }
        var inner = scope
        inner.variables.append((variable, index))
        let condition = try checked(predicate, inner)
        return Typed(
            expression: .subquery(over.expression, variable: variable, condition), type: over.type,
            isOrdered: over.isOrdered)
    }

    private func conditional(
        _ predicate: Predicate, yes: Expression, no: Expression, _ scope: Scope
    ) throws(PredicateError) -> Typed {
        let condition = try checked(predicate, scope)
        var a = try checked(yes, scope)
        var b = try checked(no, scope)
        let (first, second) = (a.type, b.type)
        if a.type.kind != .any || a.pending != nil || b.type.kind != .any || b.pending != nil {
            (a, b) = try unified(a, b)
        }
        var type = Self.either(a.type, b.type)
        if isFixedPoint(a) && isWhole(b) || isFixedPoint(b) && isWhole(a) { type = .value(.double) }
        let branches = [widened(a, from: first, to: type), widened(b, from: second, to: type)]
        return Typed(
            expression: .conditional(condition, branches[0].expression, branches[1].expression),
            type: type, isAggregate: a.isAggregate || b.isAggregate,
            idRoot: a.idRoot ?? b.idRoot, branches: branches)
    }

    /// A branch converted to the common number type, so that the result does not depend on which
    /// branch an object takes: half of it is not an integer for some objects and a fraction for
    /// others.
    private func widened(_ typed: Typed, from old: ExpressionType, to type: ExpressionType) -> Typed
    {
        // The value of a variable has a type since it has met the other branch.
        let old = old.kind == .any ? typed.type : old
        guard old.kind == .number, case .value(let kind) = old, case .value(let wide) = type,
            kind != wide, kind != .double, kind != .float
        else { return typed }
        func made(_ expression: Expression) -> Typed {
            Typed(expression: expression, type: type, isAggregate: typed.isAggregate)
        }
        if case .constant(let value) = typed.expression {
            return made(.constant(Self.number(value, as: wide)))
        }
        switch wide {
        case .integer64 where kind == .boolean:
            return made(.function("add:to:", [typed.expression, .constant(.int(0))]))
        case .double:
            return made(.function("multiply:by:", [typed.expression, .constant(.double(1))]))
        case .decimal: return made(.asDecimal(typed.expression))
        default: return typed
        }
    }

    /// A list whose numbers all have one type, as an index can select any of them, and an aggregate
    /// is of all: Doubles if one is, otherwise Decimals if one is.
    /// - Parameter keepsWide: whether integers of 64 bits keep their digits among Doubles.
    func alike(
        _ list: Typed, _ element: ExpressionType, keepsWide: Bool = true
    ) -> Expression {
        guard case .aggregate = list.expression, element.kind == .number else {
            return list.expression
        }
        return .aggregate(
            list.items.map { item in
                if keepsWide, element == .value(.double), isWide(item) { return item.expression }
                return widened(item, from: item.type, to: element).expression
            })
    }

    /// Whether it is an integer that a Double may not hold.
    private func isWide(_ item: Typed) -> Bool {
        if case .constant(.int(let it)) = item.expression { return Double(exactly: it) == nil }
        return item.type == .value(.integer64)
    }

    /// Whether the index looks like options of an operator, such as the `[c]` of `name[c] == "x"`.
    private func isOptions(_ position: Expression.IndexPosition) -> Bool {
        guard case .at(.keyPath(.evaluatedObject, let path)) = position, path.count == 1 else {
            return false
        }
        return path[0].lowercased().allSatisfy { "cdnl".contains($0) }
    }

    /// Checks an element of a collection, or its size.
    private func index(
        _ collection: Expression, _ position: Expression.IndexPosition, _ scope: Scope
    ) throws(PredicateError) -> Typed {
        let base = try checked(collection, scope)
        guard case .collection(let element) = base.type else {
            throw PredicateError(
                .type, "\(collection.description) is not a collection, so it has no index",
                near: collection.description,
                hint: isOptions(position) ? "options follow an operator: ==[cd]" : nil)
        }
        if case .size = position {
            return Typed(expression: .index(base.expression, .size), type: .value(.integer64))
        }
        guard base.isOrdered else {
            throw PredicateError(
                .type, "\(collection.description) has no order, so it has no first, last or n-th",
                near: collection.description, hint: "only an ordered relationship has one")
        }
        let list = alike(base, element)
        guard case .at(let number) = position else {
            return Typed(expression: .index(list, position), type: element, isOrdered: true)
        }
        let place = try computable(settled(checked(number, scope)))
        guard place.type.kind == .number else {
            throw PredicateError(
                .type, "an index is a number, and \(number.description) is \(place.type.noun)",
                near: number.description)
        }
        return Typed(
            expression: .index(list, .at(place.expression)), type: element,
            isOrdered: true)
    }
}
