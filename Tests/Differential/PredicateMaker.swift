/// Random predicates over any model, as text: typed, so that nearly all of them can be asked.

import SteleModel
import StelePredicates
import TestSupport

/// Makes predicates and expressions.
struct PredicateMaker {
    /// What key paths begin at: the object itself, and the variables of SUBQUERYs around.
    struct Start {
        var prefix: String
        var entity: Entity
    }

    let model: Model
    var numbers: SeededNumbers
    /// The innermost last.
    var starts: [Start] = []
    private var variables = 0

    init(_ model: Model, _ numbers: SeededNumbers) {
        self.model = model
        self.numbers = numbers
    }

    // MARK: Conditions

    /// A predicate of one entity.
    mutating func predicate(of entity: Entity) -> String {
        starts = [Start(prefix: "", entity: entity)]
        return predicate(depth: 1 + numbers.below(3))
    }

    mutating func predicate(depth: Int) -> String {
        if depth <= 0 { return condition(1) }
        switch numbers.below(12) {
        case 0, 1: return "(\(predicate(depth: depth - 1)) AND \(predicate(depth: depth - 1)))"
        case 2: return "(\(predicate(depth: depth - 1)) || \(predicate(depth: depth - 1)))"
        case 3: return "NOT (\(predicate(depth: depth - 1)))"
        case 4: return "!(\(predicate(depth: depth - 1)))"
        default: return condition(depth)
        }
    }

    mutating func condition(_ depth: Int) -> String {
        switch numbers.below(24) {
        case 0: return numbers.pick("TRUEPREDICATE", "FALSEPREDICATE")
        case 1...4: return numeric(depth)
        case 5...7: return textual(depth)
        case 8, 9: return temporal(depth)
        case 10: return unique(depth)
        case 11, 12: return objectual(depth)
        case 13...17: return quantified(depth)
        case 18, 19: return membership(depth)
        case 20: return lists(depth)
        case 21: return present()
        default: return counted(depth)
        }
    }

    mutating func order() -> String {
        numbers.pick("==", "=", "!=", "<>", "<", "<=", "=<", ">", ">=", "=>")
    }

    mutating func options() -> String {
        numbers.pick("", "", "", "[c]", "[d]", "[cd]", "[l]", "[cl]", "[n]", "[cdl]", "[dn]")
    }

    private mutating func numeric(_ depth: Int) -> String {
        let left = number(depth)
        if numbers.one(in: 5) {
            return "\(left) BETWEEN {\(number(depth - 1)), \(number(depth - 1))}"
        }
        return "\(left) \(order()) \(numbers.one(in: 12) ? "nil" : number(depth - 1))"
    }

    private mutating func textual(_ depth: Int) -> String {
        let left = text(depth)
        switch numbers.below(10) {
        case 0...2: return "\(left) \(order())\(options()) \(text(depth - 1))"
        case 3: return "\(left) BETWEEN\(options()) {\(text(depth - 1)), \(text(0))}"
        case 4: return "\(left) LIKE\(options()) \(pattern())"
        case 5:
            return "\(left) MATCHES\(options()) \(expressionText())"
        case 6: return "\(text(0)) IN\(options()) \(left)"
        case 7: return "\(left) == nil"
        default:
            let word = numbers.pick("CONTAINS", "BEGINSWITH", "ENDSWITH", "contains")
            return "\(left) \(word)\(options()) \(text(depth - 1))"
        }
    }

    private mutating func pattern() -> String {
        numbers.one(in: 4) ? text(0) : Self.quoted(numbers.pick(SampleValues.patterns, or: ""))
    }

    private mutating func expressionText() -> String {
        "\"\(numbers.pick(SampleValues.expressions, or: ""))\""
    }

    private mutating func temporal(_ depth: Int) -> String {
        if numbers.one(in: 12) {
            let other =
                numbers.one(in: 2) ? "now()" : "(now() - \(numbers.pick("0", "0.5", "nil")))"
            return "\(numbers.one(in: 2) ? "now()" : date(0)) \(order()) \(other)"
        }
        if numbers.one(in: 4), let path = path(to: .date) {
            let day = "\"\(numbers.pick(SampleValues.isoDates, or: ""))\""
            return "\(path) \(order()) \(day)"
        }
        if numbers.one(in: 5) { return "\(date(depth)) BETWEEN {\(date(0)), \(date(0))}" }
        return "\(date(depth)) \(order()) \(numbers.one(in: 8) ? "nil" : date(depth - 1))"
    }

    private mutating func unique(_ depth: Int) -> String {
        guard let path = path(to: .uuid) else { return numeric(depth) }
        let literal = "\"\(numbers.pick(SampleValues.uuids, or: ""))\""
        switch numbers.below(3) {
        case 0: return "\(path) \(order()) \(literal)"
        case 1: return "\(path) IN {\(literal), nil, \(literal)}"
        default: return "\(path) \(order()) \(self.path(to: .uuid) ?? literal)"
        }
    }

    private mutating func objectual(_ depth: Int) -> String {
        let (left, entity) = object()
        switch numbers.below(6) {
        case 0: return "\(left) == nil"
        case 1: return "\(left) \(numbers.pick("==", "!=")) \(1 + numbers.below(9))"
        case 2: return "\(left) IN {\(1 + numbers.below(5)), \(numbers.pick("nil", "3")), 7}"
        case 3:
            return "\(left) \(numbers.pick("==", "!=")) \"/\(entity.name)/\(1 + numbers.below(5))\""
        default:
            let other = object(of: entity) ?? "nil"
            return "\(left) \(numbers.pick("==", "!=")) \(other)"
        }
    }

    private mutating func present() -> String {
        let start = anyStart()
        let names = start.entity.slots.compactMap { slot in
            if case .attribute(let it) = slot { it.name } else { nil }
        }
        let key = numbers.pick(names, or: "_id")
        return "\(joined(start, [key])) \(numbers.pick("==", "!=")) \(numbers.pick("nil", "NULL"))"
    }

    private mutating func lists(_ depth: Int) -> String {
        switch numbers.below(8) {
        case 7: return several()
        case 5: return given()
        case 6: return "\(mixed()) \(order()) \(number(0))"
        case 3:
            guard let values = values(.integer, depth - 1) else { return condition(0) }
            return "\(number(0)) IN mode(\(values))"
        case 4:
            guard let a = values(.integer, 0), let b = values(.integer, 0) else {
                return condition(0)
            }
            let word = numbers.pick("UNION", "INTERSECT", "MINUS")
            let other =
                numbers.one(in: 20)
                ? longList() : numbers.one(in: 3) ? "{1, 2, nil, \(number(0))}" : b
            return numbers.one(in: 2)
                ? "count(\(a) \(word) \(other)) \(order()) \(numbers.below(3))"
                : "\(number(0)) IN (\(a) \(word) \(other))"
        case 0:
            return "\(numbers.pick("ANY", "ALL", "NONE")) {\(number(0)), \(number(0))} "
                + "\(order()) \(number(depth - 1))"
        case 1:
            let places = ["0", "1", "FIRST", "LAST", "2", "-1", "1.5", path(to: .integer) ?? "0"]
            let items = (0...numbers.below(3)).map { _ in number(0) }.joined(separator: ", ")
            return "{\(items)}[\(numbers.pick(places, or: "0"))] \(order()) \(number(0))"
        default: return "{1, 2} == {1, \(1 + numbers.below(2))}"
        }
    }

    /// So many items that they are not written out one by one: literals, and now and then a key of
    /// the object itself, for each of which beyond a to-one the store would join another row.
    mutating func longList() -> String {
        let entity = starts[starts.count - 1].entity
        let key = numbers.one(in: 2) ? attribute(of: entity, .integer) : nil
        let own = joined(starts[starts.count - 1], [key ?? "_id"])
        let count = 201 + numbers.below(220)
        let items = (0..<count).map { index in
            key != nil && index % 3 == 0 ? own : "\(numbers.below(40) - 4)"
        }
        return "{\(items.joined(separator: ", "))}"
    }

    // MARK: Text of literals

    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\" + String(scalar)
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    mutating func variable() -> String {
        variables += 1
        return "$v\(variables)"
    }
}
