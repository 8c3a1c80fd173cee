// Predicates made at random print as text that reads as the same predicate.

import SteleModel
import StelePredicates
import TestSupport
import Testing

struct RoundTripTests {
    @Test("what is printed reads as the same predicate, whatever it is")
    func roundTrips() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var maker = RandomPredicates(seed)
        for _ in 0..<5_000 {
            let predicate = maker.predicate(4)
            let text = predicate.predicateFormat
            let again = try Predicate(format: text)
            #expect(again == predicate, "seed \(seed): \(text) reads as \(again)")
        }
        print("RoundTripTests: seed \(seed)")
    }

    @Test("a number prints as what reads as the same, whatever its digits and its exponent")
    func numbers() throws {
        let digits = Array("30000000000000001234567890123456789012345678")
        for count in 1...digits.count {
            for exponent in stride(from: -330 - count, through: 308 - count, by: 3) {
                let text = "a == \(String(digits[..<count]))e\(exponent)"
                let predicate = try Predicate(format: text)
                let printed = predicate.predicateFormat
                #expect(try Predicate(format: printed) == predicate, "\(text) as \(printed)")
            }
        }
    }
}

/// Predicates of every construct, of those that a text can say.
struct RandomPredicates {
    private var random: SeededNumbers
    init(_ seed: UInt64) { random = SeededNumbers(seed: seed) }

    private mutating func pick<T>(_ items: [T]) -> T { items[number(items.count)] }
    private mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    mutating func predicate(_ depth: Int) -> Predicate {
        switch depth == 0 ? number(4) : number(8) {
        case 0: return .constant(number(2) == 0)
        case 4: return .not(predicate(depth - 1))
        case 5: return .and((0..<(2 + number(3))).map { _ in predicate(depth - 1) })
        case 6: return .or((0..<(2 + number(3))).map { _ in predicate(depth - 1) })
        default: return .comparison(comparison(depth))
        }
    }

    private mutating func comparison(_ depth: Int) -> Comparison {
        let operators: [Comparison.Operator] = [
            .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .equal, .notEqual,
            .matches, .like, .beginsWith, .endsWith, .in, .contains, .between,
        ]
        let type = pick(operators)
        let left = expression(depth)
        let right =
            type == .between
            ? .aggregate([expression(depth - 1), expression(depth - 1)]) : expression(depth)
        return Comparison(
            left, type, right,
            modifier: pick([.direct, .direct, .any, .all]),
            options: ComparisonOptions(rawValue: number(3) == 0 ? number(16) : 0))
    }

    private mutating func expression(_ depth: Int) -> Expression {
        guard depth > 0 else { return leaf() }
        switch number(14) {
        case 0...4: return leaf()
        case 5: return path(over: expression(depth - 1))
        case 6, 7: return call(depth)
        case 8: return .aggregate((0..<number(4)).map { _ in expression(depth - 1) })
        case 9: return .subquery(expression(depth - 1), variable: "x", predicate(depth - 1))
        case 10:
            return .conditional(
                predicate(depth - 1), expression(depth - 1), expression(depth - 1))
        case 11:
            return .set(
                pick([.union, .intersect, .minus]), expression(depth - 1), expression(depth - 1))
        case 12:
            let places: [Expression.IndexPosition] = [
                .first, .last, .size, .at(expression(depth - 1)),
            ]
            return .index(expression(depth - 1), pick(places))
        default: return .assignment("v", expression(depth - 1))
        }
    }

    private mutating func path(over operand: Expression) -> Expression {
        let keys = (0..<(1 + number(3))).map { _ in key() }
        switch operand {
        case .keyPath(let inner, let before): return .keyPath(inner, before + keys)
        default: return .keyPath(operand, keys)
        }
    }

    private mutating func key() -> String {
        pick([
            "a", "b", "team", "like", "SIZE", "größe", "@count", "@sum", "_id", "order", "distinct",
            "$a", "$in", "sum", "self",
        ])
    }

    private mutating func call(_ depth: Int) -> Expression {
        let functions = PredicateFunction.allCases.filter { $0 != .distinct && $0 != .cast }
        let function = pick(functions)
        if number(8) == 0 {
            let casts = CastType.allCases.filter { $0 != .uuid && $0 != .date }
            return .function(
                PredicateFunction.cast.rawValue,
                [expression(depth - 1), .constant(.string(pick(casts).rawValue))])
        }
        return .function(
            function.rawValue, (0..<function.arity).map { _ in expression(depth - 1) })
    }

    private mutating func leaf() -> Expression {
        switch number(5) {
        case 0, 1: return path(over: .evaluatedObject)
        case 2: return pick([.evaluatedObject, .variable("x"), .variable("LongName_1")])
        default: return .constant(constant())
        }
    }

    private mutating func constant() -> Value {
        switch number(8) {
        case 0: return .null
        case 1: return .int(Int64(number(2000) - 1000))
        case 2: return .int(pick([.max, .min, 0, -1]))
        case 3: return .decimal(Decimal(string: "\(number(2000) - 1000).\(number(1000))") ?? 0)
        case 4: return .decimal(pick([Decimal(string: "12345678901234567890.123") ?? 0, 0, 2]))
        case 5: return .double(pick([1e200, 3.5e-180, -1e150 * 1e50]))
        case 6: return .date(Double(number(1_000_000_000)) / 7)
        default:
            let parts = [
                "a", "\"", "'", "\\", "\n", "é", "日", "😀", " ", "\t", "\u{7}", "AND", "%@", "0",
            ]
            return .string((0..<number(6)).map { _ in pick(parts) }.joined())
        }
    }
}
