import SteleModel
import StelePersistence
import StelePredicates

/// The inner SELECT of a request that groups by attributes of to-one destinations, such as
/// `team.name`: rows are first totalled per destination, by the index on its key, and the few
/// totals are then grouped by name.
final class Partials {
    let alias: String
    /// The tables that are joined to the inner SELECT.
    let scope: Scope
    private(set) var keys: [String] = []
    private(set) var totals: [String] = []

    init(_ alias: String) {
        self.alias = alias
        scope = Scope("", alias)
    }

    /// Adds a key that the inner SELECT groups by, and returns its name outside.
    func key(_ sql: String) -> String { "\(alias).k\(Self.place(of: sql, in: &keys))" }

    /// Adds a total of the inner SELECT, and returns its name outside.
    func total(_ sql: String) -> String { "\(alias).a\(Self.place(of: sql, in: &totals))" }

    private static func place(of sql: String, in list: inout [String]) -> Int {
        if let known = list.firstIndex(of: sql) { return known }
        list.append(sql)
        return list.count - 1
    }

    /// The columns of the inner SELECT.
    var columns: String {
        let named =
            keys.enumerated().map { "\($0.element) AS k\($0.offset)" }
            + totals.enumerated().map { "\($0.element) AS a\($0.offset)" }
        return named.joined(separator: ", ")
    }

    /// Returns a total of Decimals, whose parts are exact, so that it is rounded once.
    private func decimals(_ whole: SQLFunction, _ value: String) -> String {
        "\(whole.name)(\(total("\(SQLFunctions.decimalPart.name)(\(value))")))"
    }

    /// Returns the outer SQL for an aggregate of an inner value.
    func made(_ aggregate: Aggregate, _ value: String, _ operand: Operand) -> String {
        let isDecimal = operand.kind == .decimal
        switch aggregate {
        case .count: return "SUM(\(total("COUNT(\(value))")))"
        case .sum where isDecimal:
            return decimals(SQLFunctions.decimalSumOfParts, value)
        case .sum where operand.kind == .double || operand.kind == .float:
            // TOTAL is 0 for a part without values. Parts beyond both ends are null together.
            return Translation.finite("SUM(\(total("TOTAL(\(value))")))")
        case .sum: return "COALESCE(SUM(\(total("SUM(\(value))"))), 0)"
        case .average where isDecimal:
            return decimals(SQLFunctions.decimalAverageOfParts, value)
        case .average:
            let mean = "SUM(\(total("TOTAL(\(value))"))) / SUM(\(total("COUNT(\(value))")))"
            return operand.kind == .integer ? mean : Translation.finite(mean)
        case .minimum where operand.isLongDecimal:
            let least = SQLFunctions.decimalMinimum.name
            return "\(least)(\(total("\(least)(\(value))")))"
        case .maximum where operand.isLongDecimal:
            let most = SQLFunctions.decimalMaximum.name
            return "\(most)(\(total("\(most)(\(value))")))"
        case .minimum: return "MIN(\(total("MIN(\(value))")))"
        default: return "MAX(\(total("MAX(\(value))")))"
        }
    }
}

extension Select {
    /// Returns whether rows are grouped by attributes of to-one destinations, and everything else
    /// can be computed from partial totals.
    func isMadeOfParts(_ env: Environment) -> Bool {
        guard !request.propertiesToGroupBy.isEmpty else { return false }
        var crosses = false
        for case .keyPath(.evaluatedObject, let path) in request.propertiesToGroupBy {
            if translation.crossesToMany(path, from: request.entity) { return false }
            if path.count > 1 { crosses = true }
        }
        func isPlain(_ group: Expression) -> Bool {
            if case .keyPath(.evaluatedObject, let path) = group {
                return request.entity.property(named: path[0]) != nil
            }
            return false
        }
        guard crosses, request.propertiesToGroupBy.allSatisfy(isPlain) else { return false }
        let expressions =
            request.propertiesToFetch.map(\.expression) + request.sortDescriptors.map(\.expression)
        return expressions.allSatisfy { isOfParts($0, env) }
            && request.havingPredicate.map { isOfParts($0, env) } ?? true
    }

    private func isOfParts(_ it: Expression, _ env: Environment) -> Bool {
        if translation.total(it, env) != nil { return false }
        switch it {
        case .constant, .keyPath(.evaluatedObject, _): return true
        case .aggregate(let items): return items.allSatisfy { isOfParts($0, env) }
        case .function(let name, let arguments):
            guard let aggregate = Aggregate(function: name) else {
                return arguments.allSatisfy { isOfParts($0, env) }
            }
            if case .function("distinct:", _)? = arguments.first { return false }
            if aggregate == .sum || aggregate == .average,
                arguments.allSatisfy({ isPerhapsWide($0, computed: false) })
            {
                return false
            }
            return aggregate.isMadeOfParts
        default: return false
        }
    }

    /// Returns whether an expression may be integers whose sum exceeds 64 bits. Such a sum is exact
    /// only where all rows are summed at once.
    /// - Parameter computed: whether the expression is part of arithmetic, whose results may be
    ///   wide.
    private func isPerhapsWide(_ it: Expression, computed: Bool) -> Bool {
        switch it {
        case .constant(.double), .constant(.decimal), .constant(.date): return false
        case .function(let name, let arguments):
            switch PredicateFunction(rawValue: name) {
            case .add, .subtract, .multiply, .divide:
                return arguments.allSatisfy { isPerhapsWide($0, computed: true) }
            default: return true
            }
        case .keyPath(.evaluatedObject, let path):
            let steps = try? KeyPathResolution.resolve(
                path, from: request.entity, in: translation.model)
            guard case .attribute(let attribute)? = steps?.last else { return true }
            switch attribute.type {
            case .double, .float, .decimal, .date: return false
            case .integer16, .integer32: return computed
            default: return true
            }
        default: return true
        }
    }

    private func isOfParts(_ it: Predicate, _ env: Environment) -> Bool {
        switch it {
        case .constant: true
        case .not(let part): isOfParts(part, env)
        case .and(let parts), .or(let parts): parts.allSatisfy { isOfParts($0, env) }
        case .comparison(let it):
            it.modifier == .direct && isOfParts(it.left, env) && isOfParts(it.right, env)
        }
    }

    /// Returns a group's key outside of the inner SELECT.
    func group(
        _ path: [String], by partials: Partials, _ env: Environment
    ) throws(StoreError) -> Operand {
        guard path.count > 1,
            case .relationship(let it)? = request.entity.property(named: path[0])
        else {
            var operand = try translation.value(path[...], of: env.object)
            operand.content = .sql(partials.key(translation.sql(operand)))
            return operand
        }
        let inner = try translation.toOne(it, of: env.object)
        let outer = Position(
            scope: partials.scope, key: partials.key(inner.key), entity: inner.entity,
            isNullable: true)
        return try translation.value(path.dropFirst(), of: outer)
    }

    /// Returns the statement around the inner SELECT.
    func statement(
        _ list: String, of partials: Partials, _ conditions: [Condition], tail: String,
        kinds: [ColumnKind]
    ) -> FetchStatement {
        let filter = conditions.isEmpty ? "" : " WHERE \(Condition.all(conditions).sql)"
        let inner =
            "SELECT \(partials.columns) FROM \(scope.from)\(filter) "
            + "GROUP BY \(partials.keys.joined(separator: ", "))"
        return FetchStatement(
            "SELECT \(list) FROM (\(inner))\(partials.scope.from)\(tail)", of: translation,
            kinds: kinds)
    }
}
