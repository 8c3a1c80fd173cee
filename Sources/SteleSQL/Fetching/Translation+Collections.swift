import SteleModel
import StelePersistence
import StelePredicates

/// Collections other than the members of a relationship: lists, sets and modes; and access by
/// index.
extension Translation {
    /// Returns whether an expression is a collection.
    func isCollection(_ expression: Expression, _ env: Environment) -> Bool {
        switch expression {
        case .aggregate, .subquery, .set, .function(PredicateFunction.mode.rawValue, _),
            .function(EachValue.function, _):
            return true
        case .keyPath(_, let path) where path.contains(where: { isSign($0) && !isUnion($0) }):
            return false
        case .keyPath(let base, let path):
            if isCollection(base, env) { return true }
            guard let entity = elementEntity(base, env) else { return false }
            return crossesToMany(path, from: entity)
        default: return false
        }
    }

    /// Returns whether a key path from an entity crosses a to-many relationship.
    func crossesToMany(_ path: [String], from entity: Entity) -> Bool {
        var entity = entity
        for key in path where !isSign(key) {
            guard case .relationship(let it)? = entity.property(named: key) else { return false }
            if it.isToMany { return true }
            entity = model.destination(of: it)
        }
        return false
    }

    /// Returns the entity of an expression's object or of a collection's elements; nil where it has
    /// none.
    func elementEntity(_ expression: Expression, _ env: Environment) -> Entity? {
        switch expression {
        case .evaluatedObject: return env.object.entity
        case .variable(let name): return env.variables[name]?.entity
        case .subquery(let over, _, _), .index(let over, _): return elementEntity(over, env)
        case .set(_, let a, let b), .conditional(_, let a, let b):
            return elementEntity(a, env) ?? elementEntity(b, env)
        case .function(EachValue.function, let arguments):
            guard let each = EachValue(arguments),
                let entity = elementEntity(each.collection, env)
            else { return nil }
            var inner = env
            inner.variables[each.variable] = Position(
                scope: env.object.scope, key: env.object.key, entity: entity, isNullable: true)
            return elementEntity(each.value, inner)
        case .function(_, let arguments):
            guard arguments.count == 1, let only = arguments.first else { return nil }
            return elementEntity(only, env)
        case .aggregate(let items): return items.first.flatMap { elementEntity($0, env) }
        case .keyPath(let base, let path):
            guard var entity = elementEntity(base, env) else { return nil }
            for key in path where !isUnion(key) {
                guard case .relationship(let it)? = entity.property(named: key) else {
                    return key == "SELF" ? entity : nil
                }
                entity = model.destination(of: it)
            }
            return entity
        default: return nil
        }
    }

    /// What a key path begins with.
    enum Start {
        case object(Position)
        /// There is never an object, as behind the end of a list.
        case null
    }

    /// Returns the object of an expression; nil where it is not an object, or never one.
    func object(_ expression: Expression, _ env: Environment) throws(StoreError) -> Position? {
        if case .object(let position)? = try start(expression, env) { position } else { nil }
    }

    /// Returns the object of an expression; nil where it is not an object.
    ///
    /// The expression is translated once, also where that gives null: again at each level of what
    /// is nested would take exponential time.
    func start(_ expression: Expression, _ env: Environment) throws(StoreError) -> Start? {
        switch expression {
        case .evaluatedObject: return .object(env.object)
        case .variable(let name): return env.variables[name].map { .object($0) }
        case .keyPath(let base, let path):
            guard case .object(var position)? = try start(base, env) else { return nil }
            for key in path {
                guard case .relationship(let it)? = position.entity.property(named: key),
                    !it.isToMany
                else { return nil }
                position = try toOne(it, of: position)
            }
            return .object(position)
        case .index, .conditional:
            guard let entity = elementEntity(expression, env) else { return nil }
            let key = try operand(expression, env)
            if key.isNull { return .null }
            return .object(
                Position(
                    scope: env.innermost ?? env.object.scope, key: sql(key), entity: entity,
                    isNullable: true))
        default: return nil
        }
    }

    // MARK: Derived tables

    /// Returns a list, a set or a mode as a derived table.
    func derived(
        _ expression: Expression, _ env: Environment, _ ordered: Bool
    ) throws(StoreError) -> Bag {
        table(
            of: try rows(of: expression, env, numbered: ordered), elementEntity(expression, env),
            ordered)
    }

    private func table(
        of rows: (sql: String, value: Operand), _ entity: Entity?, _ ordered: Bool
    ) -> Bag {
        let alias = makeAlias()
        let scope = Scope("(\(rows.sql))", alias)
        var operand = rows.value
        operand.content = .sql("\(alias).v")
        operand.isNullable = true
        let element = entity.map {
            Position(scope: scope, key: "\(alias).v", entity: $0, isNullable: true)
        }
        return Bag(
            link: nil, scope: scope, element: element, isLoose: false,
            order: ordered ? ["\(alias).n"] : [], value: operand)
    }

    /// Returns a SELECT of a collection's values as `v`, and if requested their indexes as `n`.
    private func rows(
        of expression: Expression, _ env: Environment, numbered: Bool
    ) throws(StoreError) -> (sql: String, value: Operand) {
        switch expression {
        case .aggregate(let items): return try listed(items, env, numbered: numbered)
        case .set(let operation, let left, let right):
            return try joined(operation, left, with: right, env, numbered: numbered)
        case .function(PredicateFunction.mode.rawValue, let arguments):
            let (argument, isDistinct) = (arguments.first ?? .aggregate([])).withoutDistinct
            let value = isDistinct ? "DISTINCT v" : "v"
            let (text, operand) = try rows(of: argument, env, numbered: true)
            return (
                "SELECT v, n FROM (SELECT v, MIN(n) AS n, COUNT(\(value)) AS c, "
                    + "MAX(COUNT(\(value))) OVER () AS m FROM (\(text)) r WHERE v IS NOT NULL "
                    + "GROUP BY v) c WHERE c = m", operand
            )
        default:
            guard let bag = try bag(expression, env, ordered: numbered) else {
                throw .unsupported("a collection operation on a single value")
            }
            return try rows(of: bag, numbered: numbered)
        }
    }

    private func rows(
        of bag: Bag, numbered: Bool
    ) throws(StoreError) -> (sql: String, value: Operand) {
        let value = try unaffected(
            bag.value, as: bag.value.kind, isMixed: bag.value.isMixed)
        guard numbered else {
            let distinct = bag.isDistinct ? "DISTINCT " : ""
            return ("SELECT \(distinct)\(value) AS v FROM \(bag.source())", bag.value)
        }
        let order = bag.order.isEmpty ? "" : "ORDER BY \(bag.order.joined(separator: ", "))"
        let text = "SELECT \(value) AS v, ROW_NUMBER() OVER (\(order)) AS n FROM \(bag.source())"
        return (
            bag.isDistinct ? "SELECT v, MIN(n) AS n FROM (\(text)) r GROUP BY v" : text, bag.value
        )
    }

    private func listed(
        _ items: [Expression], _ env: Environment, numbered: Bool
    ) throws(StoreError) -> (sql: String, value: Operand) {
        var operands: [Operand] = []
        for item in items { operands.append(try operand(item, env)) }
        guard let value = try Self.together(operands, isTyped: schema.dialect.isTyped) else {
            return ("SELECT \(sql(.constant(.null))) AS v, 0 AS n WHERE FALSE", .constant(.null))
        }
        if items.count > Self.longestUnion, let list = try boundList(operands, value) {
            let place = numbered ? ", key AS n" : ""
            return ("SELECT \(list.item) AS v\(place) FROM json_each(\(list.text))", value)
        }
        var rows: [String] = []
        for (index, operand) in operands.enumerated() {
            let isFirst = index % Self.longestUnion == 0
            let place = numbered ? ", \(index)\(isFirst ? " AS n" : "")" : ""
            let plain = try unaffected(operand, as: value.kind, isMixed: value.isMixed)
            let text = try asOne(plain, operand, of: value)
            rows.append("SELECT " + text + (isFirst ? " AS v" : "") + place)
        }
        // VALUES would be shorter, but cannot refer to outer columns.
        let union = " UNION ALL "
        if rows.count <= Self.longestUnion { return (rows.joined(separator: union), value) }
        let parts = stride(from: 0, to: rows.count, by: Self.longestUnion).map { start in
            let part = rows[start..<min(start + Self.longestUnion, rows.count)]
            return "SELECT v\(numbered ? ", n" : "") FROM (\(part.joined(separator: union))) r"
        }
        return (parts.joined(separator: union), value)
    }

    /// Binds literals as one text, and returns it with the expression for an item; nil where one is
    /// not a literal or is null.
    private func boundList(
        _ operands: [Operand], _ whole: Operand
    ) throws(StoreError) -> (text: String, item: String)? {
        if schema.dialect.isTyped { return nil }
        var values = operands.compactMap(\.value)
        guard values.count == operands.count else { return nil }
        if whole.isLongDecimal, whole.kind == .decimal {
            values = values.map {
                if case .double = $0 { return Self.amongDecimals($0) }
                let decimal = PredicateCalls.cast($0, to: .decimal)
                return decimal.isNull ? $0 : decimal
            }
        }
        guard let (list, isWritten) = JSONList.text(values) else { return nil }
        let item = isWritten ? try call(SQLFunctions.literal, "value") : "value"
        return (bind(.string(list)), item)
    }

    /// Returns a value's SQL without the affinity of its column, or of a CAST or a subselect. The first
    /// SELECT of a compound, or of a derived table, would give all numbers its type, and round those
    /// of 64 bits.
    private func unaffected(
        _ operand: Operand, as kind: ColumnKind, isMixed: Bool
    ) throws(StoreError) -> String {
        let text = try sql(operand, as: kind)
        let hasAffinity = operand.isColumn || isMixed && operand.value == nil
        return hasAffinity ? schema.dialect.plain(text) : text
    }

    /// Returns the common type of the values of a collection; nil for no values.
    /// - Throws: `.unsupported` for values of several types, unless all are numbers: SQLite compares
    ///   these whatever their types are.
    private static func together(
        _ operands: [Operand], isTyped: Bool
    ) throws(StoreError) -> Operand? {
        guard let first = operands.first else { return nil }
        let known = operands.filter { !$0.isNull }
        var value = Operand.computed("", known.first?.kind ?? first.kind)
        value.isLongDecimal = known.contains(where: \.isLongDecimal)
        for operand in known {
            if operand.family != value.family {
                guard operand.isComparable(with: value), !isTyped else { throw mixed }
                value.isMixed = true
            }
            value.isMixed = value.isMixed || operand.isMixed
            value.kind = common(value.kind, operand.kind)
            value.bits = max(value.bits, operand.bits)
        }
        if value.kind == .decimal, known.contains(where: \.mayBeDouble) {
            value.isLongDecimal = true
        }
        return value
    }

    /// Returns a value's SQL in the form that makes equal values identical: where Decimals may have
    /// more digits than a double, all numbers become Decimals, but for those that no Decimal holds.
    /// A Double has all its digits then.
    private func asOne(
        _ text: String, _ operand: Operand, of whole: Operand
    ) throws(StoreError) -> String {
        guard !schema.dialect.isTyped, whole.isLongDecimal, whole.kind == .decimal,
            operand.kind != .decimal,
            !operand.isNull
        else { return text }
        return try call(SQLFunctions.exactDecimal, text)
    }

    /// Returns each value once, if requested in the order of the left side and then the right.
    private func joined(
        _ operation: Expression.SetOperation, _ left: Expression, with right: Expression,
        _ env: Environment, numbered: Bool
    ) throws(StoreError) -> (sql: String, value: Operand) {
        var (a, x) = try rows(of: left, env, numbered: numbered)
        var (b, y) = try rows(
            of: right, env, numbered: numbered && operation == .union)
        let value = try Self.together([x, y], isTyped: schema.dialect.isTyped) ?? x
        let (u, v) = (try member(x, of: value), try member(y, of: value))
        let (m, n) = (numbered ? ", n" : "", numbered && operation == .union ? ", n" : "")
        if u != "v" { a = "SELECT \(u) AS v\(m) FROM (\(a)) r" }
        if v != "v" { b = "SELECT \(v) AS v\(n) FROM (\(b)) r" }
        guard numbered else {
            let word =
                switch operation {
                case .union: "UNION"
                case .intersect: "INTERSECT"
                case .minus: "EXCEPT"
                }
            return ("SELECT v FROM (\(a)) a \(word) SELECT v FROM (\(b)) b", value)
        }
        if operation == .union {
            return (
                "SELECT v, MIN(n) AS n FROM (SELECT v, n FROM (\(a)) a UNION ALL "
                    + "SELECT v, n + 4294967296 FROM (\(b)) b) r GROUP BY v", value
            )
        }
        let alias = makeAlias()
        let word = operation == .minus ? "NOT EXISTS" : "EXISTS"
        let same = schema.dialect.same
        return (
            "SELECT \(alias).v AS v, MIN(\(alias).n) AS n FROM (\(a)) \(alias) WHERE \(word) "
                + "(SELECT 1 FROM (\(b)) o WHERE o.v\(same)\(alias).v) GROUP BY \(alias).v", value
        )
    }

    /// Returns the values `v` of one side of a set in the type of both.
    private func member(_ side: Operand, of whole: Operand) throws(StoreError) -> String {
        var value = side
        value.content = .sql("v")
        return try asOne(sql(value, as: whole.kind), side, of: whole)
    }

    // MARK: By index

    /// Returns the element at an index; null beyond the end.
    func indexed(
        _ collection: Expression, _ place: Expression.IndexPosition, _ env: Environment
    ) throws(StoreError) -> Operand {
        if case .size = place {
            return try operand(
                Total(aggregate: .count, isDistinct: false, collection: collection), env)
        }
        if case .aggregate(let items) = collection,
            let it = Self.number(of: place, of: items.count)
        {
            let isInside = it >= 0 && it < Int64(items.count)
            var found = Operand.constant(.null)
            // Within a group each item must have a single value.
            for (index, item) in items.enumerated() {
                let isFound = isInside && index == Int(it)
                guard isFound || env.isGrouped else { continue }
                let operand = try operand(item, env)
                if isFound { found = operand }
            }
            return found
        }
        guard var bag = try bag(collection, env, ordered: true), !bag.order.isEmpty else {
            throw .unsupported("an index into a collection without an order")
        }
        // The bag is reused, because translating a nested collection again would take exponential
        // time.
        if bag.isDistinct {
            bag = table(of: try rows(of: bag, numbered: true), elementEntity(collection, env), true)
        }
        var operand = Operand.computed("", bag.value.kind)
        operand.isLongDecimal = bag.value.isLongDecimal
        operand.bits = bag.value.bits
        operand.isMixed = bag.value.isMixed
        if case .at(let expression) = place, !isConstant(expression) {
            // LIMIT and OFFSET cannot refer to columns.
            let (text, _) = try rows(of: bag, numbered: true)
            let place = try self.operand(expression, env).ofKnownType
            // One of many digits is a text.
            if place.isLongDecimal { throw Self.mixed }
            let number =
                schema.dialect.isTyped
                ? try sql(place, as: .integer) : "CAST(\(sql(place)) AS INTEGER)"
            operand.content = .sql(
                "(SELECT v FROM (SELECT v, ROW_NUMBER() OVER (ORDER BY n) AS p FROM (\(text)) r) o "
                    + "WHERE p - 1 = \(number))")
            return operand
        }
        var end = " LIMIT 1"
        var order = bag.order
        switch place {
        case .last: order = order.map { "\($0) DESC" }
        case .at(.constant(let value)):
            guard let it = PredicateCalls.index(value), it >= 0 else { return .constant(.null) }
            end += " OFFSET \(bind(.int(it)))"
        case .first, .size, .at: break
        }
        operand.content = .sql(
            "(SELECT \(sql(bag.value)) FROM \(bag.source()) "
                + "ORDER BY \(order.joined(separator: ", "))\(end))")
        return operand
    }

    /// Returns a constant index into a list of that many items; nil where it depends on the object.
    private static func number(of place: Expression.IndexPosition, of count: Int) -> Int64? {
        switch place {
        case .first: 0
        case .last: Int64(count) - 1
        case .at(.constant(let value)): PredicateCalls.index(value) ?? -1
        case .at, .size: nil
        }
    }

    private func isConstant(_ expression: Expression) -> Bool {
        if case .constant = expression { true } else { false }
    }

    // SQLite joins at most 500 SELECTs.
    private static let longestUnion = 200
}
