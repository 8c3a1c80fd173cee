/// Prints predicates in the format language, as NSPredicate does.

extension Predicate: CustomStringConvertible {
    /// The predicate in the format language; parsing it gives the same predicate
    /// (`predicateFormat`).
    public var predicateFormat: String {
        var text = ""
        write(to: &text)
        return text
    }

    /// The same as `predicateFormat`.
    public var description: String { predicateFormat }

    func write(to text: inout String) {
        switch self {
        case .constant(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): comparison.write(to: &text)
        case .and(let parts): Self.write(parts, joined: " AND ", empty: "TRUEPREDICATE", to: &text)
        case .or(let parts): Self.write(parts, joined: " OR ", empty: "FALSEPREDICATE", to: &text)
        case .not(let inner):
            text += "NOT "
            inner.writePart(to: &text)
        }
    }

    private static func write(
        _ parts: [Predicate], joined sign: String, empty: String, to text: inout String
    ) {
        if parts.isEmpty { text += empty }
        for (number, part) in parts.enumerated() {
            if number > 0 { text += sign }
            part.writePart(to: &text)
        }
    }

    /// Writes an operand of a compound, in parentheses if it is a compound itself.
    private func writePart(to text: inout String) {
        let isCompound =
            switch self {
            case .constant, .comparison: false
            case .and(let parts), .or(let parts): !parts.isEmpty
            case .not: true
            }
        if isCompound { text += "(" }
        write(to: &text)
        if isCompound { text += ")" }
    }
}

extension Comparison {
    func write(to text: inout String) {
        switch modifier {
        case .direct: break
        case .any: text += "ANY "
        case .all: text += "ALL "
        }
        left.write(to: &text, above: 0)
        text += " "
        text += type.sign
        if !options.isEmpty {
            text += "["
            if options.contains(.caseInsensitive) { text += "c" }
            if options.contains(.diacriticInsensitive) { text += "d" }
            if options.contains(.normalized) { text += "n" }
            if options.contains(.localeSensitive) { text += "l" }
            text += "]"
        }
        text += " "
        right.write(to: &text, above: 0)
    }
}

extension Comparison.Operator {
    /// The operator as it is printed.
    public var sign: String {
        switch self {
        case .lessThan: "<"
        case .lessThanOrEqual: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqual: ">="
        case .equal: "=="
        case .notEqual: "!="
        case .matches: "MATCHES"
        case .like: "LIKE"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .in: "IN"
        case .contains: "CONTAINS"
        case .between: "BETWEEN"
        }
    }
}
