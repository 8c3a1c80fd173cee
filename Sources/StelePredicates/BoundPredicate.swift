/// The form of a predicate that is evaluated in memory: names are resolved once, not for each row.

import SteleModel

indirect enum BoundPredicate {
    case constant(Bool)
    case comparison(BoundComparison)
    case and([BoundPredicate])
    case or([BoundPredicate])
    case not(BoundPredicate)
}

struct BoundComparison {
    let left: BoundExpression
    let right: BoundExpression
    let type: Comparison.Operator
    let modifier: Comparison.Modifier
    let text: TextComparison
    let options: ComparisonOptions
}

indirect enum BoundExpression {
    case constant(Value)
    case object
    /// The object of an enclosing SUBQUERY, counted from the outermost.
    case variable(Int)
    case attribute(Attribute)
    case path(BoundExpression, [KeyPathStep], operators: [String], isMany: Bool)
    /// A sum of Doubles or Decimals. The sum of no values is a zero of that type.
    case sum(BoundExpression, ofNone: Value)
    case call(PredicateFunction, [BoundExpression])
    case cast(BoundExpression, CastType)
    /// An aggregate over a collection of one row.
    case collect(PredicateFunction, BoundExpression, isDistinct: Bool)
    /// An aggregate over the rows of a group; without an operand, their count.
    case rows(PredicateFunction, BoundExpression?, isDistinct: Bool)
    case list([BoundExpression])
    case subquery(BoundExpression, BoundPredicate)
    /// The values of the second for each object of the first, which is the innermost variable.
    case each(BoundExpression, BoundExpression)
    case conditional(BoundPredicate, BoundExpression, BoundExpression)
    case set(Expression.SetOperation, BoundExpression, BoundExpression)
    case first(BoundExpression)
    case last(BoundExpression)
    case size(BoundExpression)
    case at(BoundExpression, BoundExpression)
}

/// Resolves the names of a checked predicate.
struct Binder {
    let model: Model
    let entity: Entity

    typealias Scope = [(name: String, entity: Int)]

    func bind(_ predicate: Predicate, _ scope: Scope = []) throws(PredicateError) -> BoundPredicate
    {
        switch predicate {
        case .constant(let value): return .constant(value)
        case .not(let inner): return .not(try bind(inner, scope))
        case .and(let parts): return .and(try bind(parts, scope))
        case .or(let parts): return .or(try bind(parts, scope))
        case .comparison(let it):
            return .comparison(
                BoundComparison(
                    left: try bind(it.left, scope).0, right: try bind(it.right, scope).0,
                    type: it.type, modifier: it.modifier, text: TextComparison(it.options),
                    options: it.options))
        }
    }

    private func bind(
        _ parts: [Predicate], _ scope: Scope
    ) throws(PredicateError) -> [BoundPredicate] {
        var result: [BoundPredicate] = []
        for part in parts { result.append(try bind(part, scope)) }
        return result
    }

    func bind(
        _ expression: Expression, _ scope: Scope
    ) throws(PredicateError) -> (BoundExpression, ExpressionType) {
        switch expression {
        case .constant(let value): return (.constant(value), .init(of: value))
        case .evaluatedObject: return (.object, .object(entity.index))
        case .variable(let name):
            guard let slot = scope.lastIndex(where: { $0.name == name }) else {
                throw PredicateError(.variable, "$\(name) has no value", near: "$" + name)
            }
            return (.variable(slot), .object(scope[slot].entity))
        case .keyPath(let operand, let path):
            let (bound, type) = try keyPath(operand, path, scope)
            return path.contains("@sum") ? (sum(bound, type), type) : (bound, type)
        case .function(PredicateFunction.sum.rawValue, let arguments):
            let (bound, type) = try aggregate(.sum, arguments.first, scope)
            return (sum(bound, type), type)
        case .function(EachValue.function, let arguments): return try each(arguments, scope)
        case .function(let name, let arguments): return try function(name, arguments, scope)
        case .aggregate(let items):
            var bound: [BoundExpression] = []
            var types: [ExpressionType] = []
            for item in items {
                let (expression, type) = try bind(item, scope)
                bound.append(expression)
                types.append(type)
            }
            return (.list(bound), .collection(element(of: types)))
        case .subquery(let collection, let variable, let predicate):
            let (over, type) = try bind(collection, scope)
            guard case .collection(.object(let index)) = type else {
                throw PredicateError(.type, "SUBQUERY needs a to-many relationship")
            }
            return (.subquery(over, try bind(predicate, scope + [(variable, index)])), type)
        case .conditional(let predicate, let yes, let no):
            let (a, type) = try bind(yes, scope)
            let (b, other) = try bind(no, scope)
            return (
                .conditional(try bind(predicate, scope), a, b), PredicateCheck.either(type, other)
            )
        case .set(let operation, let left, let right):
            let (a, type) = try bind(left, scope)
            let (b, other) = try bind(right, scope)
            guard case .collection(let x) = type, case .collection(let y) = other else {
                return (.set(operation, a, b), type)
            }
            return (.set(operation, a, b), .collection(PredicateCheck.either(x, y)))
        case .index(let collection, let position): return try index(collection, position, scope)
        case .anyKey, .assignment:
            throw PredicateError(.unsupported, "\(expression.description) cannot be evaluated")
        }
    }

    /// The type of a list's elements: objects where all are, else that of the values.
    private func element(of types: [ExpressionType]) -> ExpressionType {
        let entities = types.compactMap { if case .object(let index) = $0 { index } else { nil } }
        guard let first = entities.first, entities.count == types.count else {
            return entities.isEmpty ? PredicateCheck.element(of: types) : .value(.undefined)
        }
        return .object(entities.allSatisfy { $0 == first } ? first : model.entities[first].root)
    }

    private func keyPath(
        _ operand: Expression, _ path: [String], _ scope: Scope
    ) throws(PredicateError) -> (BoundExpression, ExpressionType) {
        let (base, type) = try bind(operand, scope)
        var resolver = KeyPathResolver(model: model, path: path, from: type, of: operand)
        var steps = try resolver.steps()
        if case .object = base, steps.count == 1, case .attribute(let attribute) = steps[0] {
            return (.attribute(attribute), resolver.type)
        }
        var operators: [String] = []
        while case .collectionOperator(let name)? = steps.last {
            operators.insert(name, at: 0)
            steps.removeLast()
        }
        let path = BoundExpression.path(base, steps, operators: operators, isMany: resolver.isMany)
        return (path, resolver.type)
    }

    private func each(
        _ arguments: [Expression], _ scope: Scope
    ) throws(PredicateError) -> (BoundExpression, ExpressionType) {
        guard let each = EachValue(arguments),
            case (let over, .collection(.object(let index))) = try bind(each.collection, scope)
        else { throw PredicateError(.type, "values need a collection of objects") }
        let (value, type) = try bind(each.value, scope + [(each.variable, index)])
        return (.each(over, value), .collection(type))
    }

    private func function(
        _ name: String, _ arguments: [Expression], _ scope: Scope
    ) throws(PredicateError) -> (BoundExpression, ExpressionType) {
        guard let function = PredicateFunction(rawValue: name) else {
            throw PredicateError(.unsupported, "there is no function \(name)", near: name)
        }
        if function.isAggregate { return try aggregate(function, arguments.first, scope) }
        guard arguments.count == function.arity else {
            throw PredicateError(.syntax, "\(name) takes \(function.arity) arguments", near: name)
        }
        var bound: [BoundExpression] = []
        var types: [ExpressionType] = []
        for argument in arguments {
            let (it, type) = try bind(argument, scope)
            bound.append(it)
            types.append(type)
        }
        if function == .cast {
            guard case .constant(.string(let name)) = arguments[1],
                let target = CastType(rawValue: name)
            else { throw PredicateError(.unsupported, "CAST needs the name of a known type") }
            return (.cast(bound[0], target), PredicateCheck.type(of: types[0], castTo: target))
        }
        let check = PredicateCheck(model: model, entity: entity)
        return (.call(function, bound), check.type(of: function, arguments, types))
    }

    /// A sum of its own type, so that later arithmetic is the same whether or not there are values.
    private func sum(_ bound: BoundExpression, _ type: ExpressionType) -> BoundExpression {
        switch type {
        case .value(.double), .value(.float): .sum(bound, ofNone: .double(0))
        case .value(.decimal): .sum(bound, ofNone: .decimal(0))
        default: bound
        }
    }

    private func aggregate(
        _ function: PredicateFunction, _ argument: Expression?, _ scope: Scope
    ) throws(PredicateError) -> (BoundExpression, ExpressionType) {
        guard let argument else {
            return (.rows(function, nil, isDistinct: false), .value(.integer64))
        }
        let isDistinct = argument.distinctOperand != nil
        let (bound, type) = try bind(argument.distinctOperand ?? argument, scope)
        guard case .collection(let element) = type else {
            return (
                .rows(function, bound, isDistinct: isDistinct),
                PredicateCheck.type(of: function, over: type)
            )
        }
        return (
            .collect(function, bound, isDistinct: isDistinct),
            PredicateCheck.type(of: function, over: element)
        )
    }

    private func index(
        _ collection: Expression, _ position: Expression.IndexPosition, _ scope: Scope
    ) throws(PredicateError) -> (BoundExpression, ExpressionType) {
        let (base, type) = try bind(collection, scope)
        var element = ExpressionType.value(.undefined)
        if case .collection(let inner) = type { element = inner }
        switch position {
        case .first: return (.first(base), element)
        case .last: return (.last(base), element)
        case .size: return (.size(base), .value(.integer64))
        case .at(let index): return (.at(base, try bind(index, scope).0), element)
        }
    }
}
