/// Evaluation of conditions and expressions in memory.

import SteleModel

struct Evaluation<Object: EvaluatedObject> {
    let model: Model
    let now: Double
    private let matcher = PatternMatcher()
    private let work = EvaluationWork()

    typealias Result = Evaluated<Object>

    /// Sets the limits of MATCHES, and resets the time that it has used.
    func beginMatching(_ limits: MatchLimits) {
        matcher.limits = limits
        matcher.begin()
    }

    // MARK: Conditions

    func holds(_ predicate: BoundPredicate, _ frame: Frame<Object>) throws(PredicateError) -> Bool {
        switch predicate {
        case .constant(let value): return value
        case .not(let inner): return try !holds(inner, frame)
        case .and(let parts):
            for part in parts where try !holds(part, frame) { return false }
            return true
        case .or(let parts):
            for part in parts where try holds(part, frame) { return true }
            return false
        case .comparison(let comparison): return try holds(comparison, frame)
        }
    }

    private func holds(
        _ comparison: BoundComparison, _ frame: Frame<Object>
    ) throws(PredicateError) -> Bool {
        let left = try value(comparison.left, frame)
        let right = try value(comparison.right, frame)
        switch comparison.modifier {
        case .direct: return try holds(comparison, left, right)
        case .any:
            for item in left.items where try holds(comparison, item, right) { return true }
            return false
        case .all:
            for item in left.items where try !holds(comparison, item, right) { return false }
            return true
        }
    }

    private func holds(
        _ comparison: BoundComparison, _ left: Result, _ right: Result
    ) throws(PredicateError) -> Bool {
        let text = comparison.text
        switch comparison.type {
        case .equal: return Self.equal(left, right, text)
        case .notEqual: return !Self.equal(left, right, text)
        case .lessThan: return Self.order(left, right, text).map { $0 < 0 } ?? false
        case .lessThanOrEqual: return Self.order(left, right, text).map { $0 <= 0 } ?? false
        case .greaterThan: return Self.order(left, right, text).map { $0 > 0 } ?? false
        case .greaterThanOrEqual: return Self.order(left, right, text).map { $0 >= 0 } ?? false
        case .between:
            guard case .collection(let bounds) = right, bounds.count == 2,
                let low = Self.order(left, bounds[0], text),
                let high = Self.order(left, bounds[1], text)
            else { return false }
            return low >= 0 && high <= 0
        case .in: return Self.member(left, right, text)
        case .contains: return Self.member(right, left, text)
        case .beginsWith, .endsWith, .like, .matches:
            guard case .string(let a) = left.value, case .string(let b) = right.value else {
                return false
            }
            switch comparison.type {
            case .beginsWith: return text.beginsWith(a, b)
            case .endsWith: return text.endsWith(a, b)
            case .like: return try text.like(a, b)
            default: return try matcher.matches(a, b, comparison.options)
            }
        }
    }

    /// Whether a collection contains an element, or a text contains another.
    private static func member(_ item: Result, _ whole: Result, _ text: TextComparison) -> Bool {
        switch whole {
        case .collection(let items):
            if case .value(.null) = item { return false }
            return items.contains { equal(item, $0, text) }
        default:
            guard case .string(let part) = item.value, case .string(let all) = whole.value else {
                return false
            }
            return text.contains(all, part)
        }
    }

    private static func equal(_ a: Result, _ b: Result, _ text: TextComparison) -> Bool {
        switch (a, b) {
        case (.collection(let x), .collection(let y)):
            x.count == y.count && zip(x, y).allSatisfy { equal($0, $1, text) }
        case (.collection, _), (_, .collection): false
        default: ValueOrder.equal(a.value, b.value, text)
        }
    }

    private static func order(_ a: Result, _ b: Result, _ text: TextComparison) -> Int? {
        ValueOrder.order(a.value, b.value, text)
    }

    // MARK: Expressions

    func value(_ expression: BoundExpression, _ frame: Frame<Object>) throws(PredicateError)
        -> Result
    {
        switch expression {
        case .constant(let value): return .value(value)
        case .attribute(let attribute):
            return .value(frame.object?.value(of: attribute) ?? .null)
        case .object: return frame.object.map { .object($0) } ?? .null
        case .variable(let slot): return .object(frame.variables[slot])
        case .path(let base, let steps, let operators, let isMany):
            let start = try value(base, frame)
            let result = isMany ? .collection(try many(start, steps)) : single(start, steps)
            return operators.reduce(result) { Aggregation.apply($1, to: $0) }
        case .call(let function, let arguments): return try call(function, arguments, frame)
        case .cast(let operand, let target):
            return .value(Arithmetic.cast(try value(operand, frame).value, to: target))
        case .sum(let sum, let none):
            let result = try value(sum, frame)
            if case .value(.int(0)) = result { return .value(none) }
            return result
        case .collect(let function, let operand, let isDistinct):
            let items = try value(operand, frame).items
            return Aggregation.apply(function, to: items, isDistinct: isDistinct)
        case .rows(let function, let operand, let isDistinct):
            return try rows(function, of: operand, isDistinct: isDistinct, frame)
        case .list(let items):
            var result: [Result] = []
            result.reserveCapacity(items.count)
            for item in items { result.append(try value(item, frame)) }
            return .collection(result)
        case .subquery(let collection, let predicate):
            return try subquery(collection, predicate, frame)
        case .each(let collection, let value): return try each(collection, value, frame)
        case .conditional(let predicate, let yes, let no):
            return try value(try holds(predicate, frame) ? yes : no, frame)
        case .set(let operation, let left, let right):
            return Aggregation.join(
                operation, try value(left, frame).items, try value(right, frame).items)
        case .first(let base): return try value(base, frame).items.first ?? .null
        case .last(let base): return try value(base, frame).items.last ?? .null
        case .size(let base): return .value(.int(Int64(try value(base, frame).items.count)))
        case .at(let base, let position):
            let items = try value(base, frame).items
            guard let place = Arithmetic.integer(try value(position, frame).value),
                place >= 0, place < items.count
            else { return .null }
            return items[Int(place)]
        }
    }

    private func subquery(
        _ collection: BoundExpression, _ predicate: BoundPredicate, _ frame: Frame<Object>
    ) throws(PredicateError) -> Result {
        var inner = frame
        var kept: [Result] = []
        for item in try value(collection, frame).items {
            guard case .object(let object) = item else { continue }
            inner.variables.append(object)
            if try holds(predicate, inner) { kept.append(item) }
            inner.variables.removeLast()
        }
        return .collection(kept)
    }

    private func each(
        _ collection: BoundExpression, _ value: BoundExpression, _ frame: Frame<Object>
    ) throws(PredicateError) -> Result {
        var inner = frame
        var values: [Result] = []
        for item in try self.value(collection, frame).items {
            guard case .object(let object) = item else {
                values.append(.null)
                continue
            }
            inner.variables.append(object)
            values.append(try self.value(value, inner))
            inner.variables.removeLast()
        }
        return .collection(values)
    }

    private func rows(
        _ function: PredicateFunction, of operand: BoundExpression?, isDistinct: Bool,
        _ frame: Frame<Object>
    ) throws(PredicateError) -> Result {
        guard let operand else { return .value(.int(Int64(frame.group.count))) }
        var inner = frame
        var items: [Result] = []
        for object in frame.group {
            inner.object = object
            items.append(try value(operand, inner))
        }
        return Aggregation.apply(function, to: items, isDistinct: isDistinct, countsNull: false)
    }

    // MARK: Key paths

    /// Follows to-one relationships. After a null one everything is null.
    private func single(_ start: Result, _ steps: [KeyPathStep]) -> Result {
        guard case .object(var object) = start else { return .null }
        for step in steps {
            guard case .toOne(let relationship) = step else {
                return .value(last(step, of: object))
            }
            guard let next = object.toOne(relationship) else { return .null }
            object = next
        }
        return .object(object)
    }

    private func last(_ step: KeyPathStep, of object: Object) -> Value {
        switch step {
        case .attribute(let attribute): return object.value(of: attribute)
        // The id of an unsaved object is no number.
        case .id: return object.key < 0 ? .key(object.key) : .int(object.key)
        case .version: return .int(object.version)
        case .entityName:
            return model.entities.indices.contains(object.entityIndex)
                ? .string(model.entities[object.entityIndex].name) : .null
        case .toOne, .toMany, .collectionOperator: return .null
        }
    }

    /// Follows to-many relationships and collects everything reached. A null to-one relationship
    /// contributes a null; a to-many relationship of a null object contributes nothing.
    private func many(_ start: Result, _ steps: [KeyPathStep]) throws(PredicateError) -> [Result] {
        if steps.isEmpty { return start.items }
        var bag: [Result] = []
        for item in start.items {
            if case .object(let object) = item {
                try collect(object, steps[...], into: &bag)
            } else {
                try collect(nil, steps[...], into: &bag)
            }
        }
        return bag
    }

    private func collect(
        _ object: Object?, _ steps: ArraySlice<KeyPathStep>, into bag: inout [Result]
    ) throws(PredicateError) {
        try work.take(bag.count)
        guard let step = steps.first else {
            bag.append(object.map { .object($0) } ?? .null)
            return
        }
        switch step {
        case .toOne(let relationship):
            try collect(object?.toOne(relationship), steps.dropFirst(), into: &bag)
        case .toMany(let relationship):
            for next in object?.toMany(relationship) ?? [] {
                try collect(next, steps.dropFirst(), into: &bag)
            }
        default:
            bag.append(.value(object.map { last(step, of: $0) } ?? .null))
        }
    }
}
