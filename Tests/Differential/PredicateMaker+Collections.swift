/// What is asked of many: ANY and ALL, IN and CONTAINS, counts and other aggregates.

import SteleModel

extension PredicateMaker {
    mutating func quantified(_ depth: Int) -> String {
        let word = numbers.pick("ANY", "SOME", "ALL", "NONE")
        switch numbers.below(7) {
        case 0, 1:
            guard let left = values(.text, depth - 1) else { return condition(0) }
            let sign = numbers.pick("BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", order())
            return "\(word) \(left) \(sign)\(options()) \(text(depth - 1))"
        case 2:
            guard let left = values(.date, depth - 1) else { return condition(0) }
            return "\(word) \(left) \(order()) \(date(0))"
        case 3:
            guard let (left, entity) = collection(depth - 1) else { return condition(0) }
            if numbers.one(in: 3) { return "\(word) \(left) == nil" }
            let right = object(of: entity) ?? "\(1 + numbers.below(6))"
            return "\(word) \(left) \(numbers.pick("==", "!=")) \(right)"
        case 4:
            guard let left = values(.integer, depth - 1) else { return condition(0) }
            if numbers.one(in: 2) { return "\(word) \(left) BETWEEN {\(number(0)), \(number(0))}" }
            return "\(word) \(left) IN {\(number(0)), 1, \(number(0))}"
        default:
            let goal = numbers.pick([Goal.integer, .real, .decimal, .boolean], or: .integer)
            guard let left = values(goal, depth - 1) else { return condition(0) }
            let right = numbers.one(in: 6) ? "nil" : number(depth - 1)
            return "\(word) \(left) \(order()) \(right)"
        }
    }

    mutating func membership(_ depth: Int) -> String {
        if numbers.one(in: 60) { return "\(number(0)) IN \(longList())" }
        switch numbers.below(7) {
        case 0:
            guard let values = values(.integer, depth - 1) else { return condition(0) }
            return "\(number(depth - 1)) IN \(values)"
        case 1:
            guard let values = values(.text, depth - 1) else { return condition(0) }
            return "\(values) CONTAINS\(options()) \(text(0))"
        case 2:
            guard let (bag, entity) = collection(depth - 1) else { return condition(0) }
            return "\(object(of: entity) ?? "2") IN \(bag)"
        case 3:
            guard let (bag, _) = collection(depth - 1) else { return condition(0) }
            return "\(bag) CONTAINS \(1 + numbers.below(6))"
        case 4:
            let items = (0..<numbers.below(12)).map { _ in text(0) }.joined(separator: ", ")
            return "\(text(depth - 1)) IN\(options()) {\(items)}"
        case 5:
            let items = (0..<(1 + numbers.below(12))).map { _ in date(0) }.joined(separator: ", ")
            return "\(date(depth - 1)) IN {\(items)}"
        default:
            let items = (0..<numbers.below(12)).map { _ in number(0) }.joined(separator: ", ")
            return "\(number(depth - 1)) IN {\(items)}"
        }
    }

    /// A variable that is a list, or a text that is no number.
    mutating func given() -> String {
        let list = numbers.pick("$pair", "$empty")
        switch numbers.below(6) {
        case 0: return "nil \(order()) \(list)"
        case 1: return "\(list) \(order()) {1, 2}"
        case 2: return "\(list) IN \(numbers.pick("$pair", "$empty"))"
        case 3: return "\(number(0)) == $hexadecimal + 0"
        case 4: return "\(numbers.pick("ANY", "ALL")) \(list) \(order()) \(number(0))"
        default: return "\(number(0)) IN \(list)"
        }
    }

    /// An aggregate of a Decimal and a Double, which perhaps no Decimal holds.
    mutating func mixed() -> String {
        let name = numbers.pick("min", "max", "sum", "average", "median", "count")
        let decimal = path(to: .decimal) ?? "1.5"
        let double =
            numbers.one(in: 2)
            ? path(to: .real) ?? "1e300" : numbers.pick("1e300", "$vast", "$tiny", "5e-324")
        return numbers.one(in: 2)
            ? "\(name)({\(decimal), \(double)})" : "\(name)({\(double), \(decimal)})"
    }

    /// A number of a list with numbers of several types, by an aggregate or a place.
    mutating func listed(_ depth: Int) -> String {
        let count = 2 + numbers.below(2)
        let isExact = numbers.one(in: 3)
        let items = (0..<count).map { _ in
            if isExact { return path(to: .mean) ?? "2" }
            return numbers.one(in: 4) ? number(depth - 1) : key()
        }.joined(separator: ", ")
        if isExact { return "\(numbers.pick("sum", "average", "median"))({\(items)})" }
        switch numbers.below(4) {
        case 0: return "{\(items)}[\(place(of: count))]"
        case 1: return "({\(items)} UNION {\(key())})[\(place(of: count))]"
        default: return "\(numbers.pick("min", "max"))({\(items)})"
        }
    }

    private mutating func place(of count: Int) -> String {
        switch numbers.below(4) {
        case 0: return numbers.pick("FIRST", "LAST")
        case 1: return "_id - \(1 + numbers.below(3))"
        case 2: return numbers.one(in: 3) ? key() : "_version - 1"
        default: return "\(numbers.below(count + 1))"
        }
    }

    /// A comparison with a list of numbers, texts and dates.
    mutating func several() -> String {
        let items = (0..<(2 + numbers.below(3))).map { _ in
            switch numbers.below(4) {
            case 0: return text(0)
            case 1: return date(0)
            default: return number(0)
            }
        }.joined(separator: ", ")
        let other = numbers.one(in: 3) ? text(0) : number(0)
        switch numbers.below(5) {
        case 0: return "\(numbers.pick("ANY", "ALL")) {\(items)} \(order()) \(other)"
        case 1: return "{\(items)}[\(place(of: 3))] \(order()) \(other)"
        case 2: return "\(other) IN ({\(items)} UNION {\(number(0))})"
        case 3: return "mode({\(items)}) CONTAINS \(other)"
        default: return "count(distinct {\(items)}) \(order()) \(numbers.below(4))"
        }
    }

    mutating func counted(_ depth: Int) -> String {
        guard let (bag, _) = collection(depth) else { return condition(0) }
        let count = numbers.pick("\(bag).@count", "count(\(bag))", "\(bag)[SIZE]")
        return "\(count) \(order()) \(numbers.one(in: 4) ? number(0) : "\(numbers.below(4))")"
    }

    /// One number made of many.
    mutating func total(_ depth: Int) -> String? {
        switch numbers.below(6) {
        case 0:
            guard let (bag, _) = collection(depth - 1) else { return nil }
            return "\(bag).@count"
        case 1:
            let name = numbers.pick("sum", "average")
            guard let values = values(name == "sum" ? .exact : .mean, depth - 1) else { return nil }
            return "\(name)(\(values))"
        case 2:
            guard let values = values(.mean, depth - 1) else { return nil }
            return "\(values).\(numbers.pick("@sum", "@avg", "@min", "@max"))"
        case 3:
            let goal = numbers.pick([Goal.integer, .real, .decimal], or: .integer)
            guard let values = values(goal, depth - 1) else { return nil }
            let name = numbers.pick("min", "max", "count", "count(distinct")
            return name == "count(distinct" ? "count(distinct \(values))" : "\(name)(\(values))"
        case 4:
            guard let (bag, entity) = bag(), let key = attribute(of: entity, .mean) else {
                return nil
            }
            return "\(bag).\(numbers.pick("@sum", "@avg", "@min", "@max")).\(key)"
        default:
            guard let values = values(.mean, depth - 1) else { return nil }
            return "\(numbers.pick("median", "stddev"))(\(values))"
        }
    }
}
