/// Numbers, texts and dates: literals, keys, arithmetic, functions, CAST and TERNARY.

import SteleModel

extension PredicateMaker {
    mutating func number(_ depth: Int) -> String {
        if depth <= 0 { return numbers.one(in: 2) ? literal() : key() }
        switch numbers.below(17) {
        case 0...4: return key()
        case 5: return literal()
        case 6, 7:
            let sign = numbers.pick("+", "-", "*", "/", "**")
            return "(\(number(depth - 1)) \(sign) \(number(depth - 1)))"
        case 8: return bits(depth)
        case 9: return function(depth)
        case 10: return "TERNARY(\(condition(depth - 1)), \(number(depth - 1)), \(number(0)))"
        case 11:
            let type = numbers.pick("NSNumber", "NSDecimalNumber")
            return
                "CAST(\(numbers.one(in: 3) && type == "NSNumber" ? date(0) : key()), \"\(type)\")"
        case 12: return "length(\(text(depth - 1)))"
        case 13:
            let difference = "(\(date(depth - 1)) - \(date(depth - 1)))"
            return numbers.one(in: 2)
                ? "\(difference) / \(numbers.pick("4", "3", "0.5"))" : difference
        case 14: return "-\(key())"
        case 15: return listed(depth)
        default: return total(depth) ?? key()
        }
    }

    /// A key path to a number, `_id` and `_version` among them.
    mutating func key() -> String {
        switch numbers.below(9) {
        case 0:
            let start = anyStart()
            var (keys, entity) = ([String](), start.entity)
            steps(&keys, &entity, most: 1)
            return joined(start, keys + [numbers.pick("_id", "_version")])
        case 1: return path(to: .boolean) ?? "_id"
        case 2, 3: return path(to: .real) ?? "_id"
        case 4, 5: return path(to: .decimal) ?? "_id"
        default: return path(to: .integer) ?? "_version"
        }
    }

    private mutating func literal() -> String {
        switch numbers.below(10) {
        case 0: return numbers.pick("YES", "NO", "TRUE", "false")
        case 1: return numbers.pick("0.5", "1.5", "0.1", "2.50", "-1.25", "0.3", "99.99")
        case 2:
            return numbers.pick(
                "32767", "-32768", "2147483648", "9223372036854775807", "-9223372036854775808",
                "9223372036854775808", "9007199254740993", "1e308", "5e-324", "-0.0",
                "12345678901234567890123456789012345678", "0.30000000000000001", "1e16")
        case 3: return numbers.pick("0x1F", "0o17", "0b101")
        case 4: return numbers.pick("$one", "$plus", "$point", "$tenth", "$half", "$vast", "$tiny")
        default: return numbers.pick("0", "1", "2", "3", "-1", "4", "5", "7", "10", "-2")
        }
    }

    private mutating func bits(_ depth: Int) -> String {
        let sign = numbers.pick("&", "|", "^", "<<", ">>", "~")
        let left = path(to: .integer) ?? "_id"
        if sign == "~" { return "(~\(left))" }
        let right =
            numbers.one(in: 3)
            ? (path(to: .integer) ?? "1") : numbers.pick("1", "3", "0", "2", "-1", "64", "63")
        return "(\(left) \(sign) \(right))"
    }

    private mutating func function(_ depth: Int) -> String {
        let name = numbers.pick(
            "abs", "floor", "ceiling", "trunc", "sqrt", "exp", "ln", "log", "modulus", "noindex",
            "distance")
        switch name {
        case "modulus": return "modulus(\(number(depth - 1)), \(number(0)))"
        case "distance":
            return "distanceToLocation:fromLocation:({\(key()), 8.5}, {47, \(number(0))})"
        default: return "\(name)(\(number(depth - 1)))"
        }
    }

    // MARK: Text

    mutating func text(_ depth: Int) -> String {
        if depth <= 0 { return numbers.one(in: 2) ? string() : textKey() }
        switch numbers.below(12) {
        case 0...5: return textKey()
        case 6: return string()
        case 7, 8:
            return "\(numbers.pick("uppercase", "lowercase", "canonical"))(\(text(depth - 1)))"
        case 9: return "TERNARY(\(condition(depth - 1)), \(text(0)), \(textKey()))"
        case 10:
            let key = numbers.one(in: 4) ? (path(to: .uuid) ?? key()) : key()
            return "CAST(\(key), \"NSString\")"
        default:
            guard let values = values(.text, depth - 1) else { return textKey() }
            return "\(numbers.pick("min", "max"))(\(values))"
        }
    }

    private mutating func textKey() -> String {
        if numbers.one(in: 10) { return joined(anyStart(), ["_entity"]) }
        return path(to: .text) ?? joined(anyStart(), ["_entity"])
    }

    private mutating func string() -> String {
        if numbers.one(in: 12) {
            return Self.quoted(numbers.pick(model.entities, or: model.entities[0]).name)
        }
        return Self.quoted(numbers.pick(SampleValues.texts, or: ""))
    }

    // MARK: Dates

    mutating func date(_ depth: Int) -> String {
        if depth <= 0 {
            if numbers.one(in: 2), let path = path(to: .date) { return path }
            return dateLiteral()
        }
        switch numbers.below(8) {
        case 0: return dateLiteral()
        case 1:
            guard let path = path(to: .date) else { return dateLiteral() }
            return "(\(path) \(numbers.pick("+", "-")) \(numbers.pick("1", "0.5", "86400", "nil")))"
        case 2: return "TERNARY(\(condition(depth - 1)), \(date(0)), \(dateLiteral()))"
        case 3: return "CAST(\(key()), \"NSDate\")"
        case 4:
            guard let values = values(.date, depth - 1) else { return dateLiteral() }
            return "\(numbers.pick("min", "max"))(\(values))"
        default: return path(to: .date) ?? dateLiteral()
        }
    }

    private mutating func dateLiteral() -> String {
        let seconds = numbers.pick(SampleValues.dates, or: 0)
        return numbers.one(in: 4)
            ? "CAST(\"\(numbers.pick(SampleValues.isoDates, or: ""))\", \"NSDate\")"
            : "CAST(\(seconds), \"NSDate\")"
    }
}
