/// Prints expressions in the format language; parsing the text gives the same expression.

import SteleModel

extension Expression: CustomStringConvertible {
    /// The expression in the format language.
    public var description: String {
        var text = ""
        write(to: &text, above: 0)
        return text
    }

    /// The precedence of the outermost operator: 0 assignment, 1 to 5 as in the parser, 6 no
    /// operator.
    private var precedence: Int {
        switch self {
        case .set: 1
        case .assignment: 0
        case .function(let name, let arguments) where arguments.count == 2:
            PredicateFunction(rawValue: name)?.infix?.precedence ?? 6
        default: 6
        }
    }

    /// Writes the expression, in parentheses if its operator binds less tightly than `least`.
    func write(to text: inout String, above least: Int) {
        let needsParentheses = precedence < least
        if needsParentheses { text += "(" }
        writeBare(to: &text)
        if needsParentheses { text += ")" }
    }

    private func writeBare(to text: inout String) {
        switch self {
        case .constant(let value): text += value.literal
        case .evaluatedObject: text += "SELF"
        case .variable(let name): text += "$" + name
        case .keyPath(let operand, let path): Self.write(path, of: operand, to: &text)
        case .function(let name, let arguments): Self.write(name, arguments, to: &text)
        case .aggregate(let items):
            text += "{"
            Self.write(list: items, to: &text)
            text += "}"
        case .subquery(let collection, let variable, let predicate):
            text += "SUBQUERY("
            collection.write(to: &text, above: 0)
            text += ", $\(variable), "
            predicate.write(to: &text)
            text += ")"
        case .conditional(let predicate, let yes, let no):
            text += "TERNARY("
            predicate.write(to: &text)
            text += ", "
            Self.write(branch: yes, to: &text)
            text += ", "
            Self.write(branch: no, to: &text)
            text += ")"
        case .set(let operation, let left, let right):
            left.write(to: &text, above: 1)
            text += " \(operation.sign) "
            right.write(to: &text, above: 2)
        case .index(let collection, let position):
            Self.write(operand: collection, to: &text)
            Self.write(position, to: &text)
        case .anyKey: text += "ANYKEY"
        case .assignment(let name, let value):
            text += "$\(name) := "
            value.write(to: &text, above: 0)
        }
    }

    private static func write(list: [Expression], to text: inout String) {
        for (number, item) in list.enumerated() {
            if number > 0 { text += ", " }
            item.write(to: &text, above: 0)
        }
    }

    /// Writes a Boolean as YES or NO, which TERNARY reads as a Boolean.
    private static func write(branch: Expression, to text: inout String) {
        if case .constant(.bool(let it)) = branch {
            text += it ? "YES" : "NO"
        } else {
            branch.write(to: &text, above: 0)
        }
    }

    private static func write(_ path: [String], of operand: Expression, to text: inout String) {
        var needsPoint = false
        if operand != .evaluatedObject {
            write(operand: operand, to: &text)
            needsPoint = true
        }
        for key in path {
            if needsPoint { text += "." }
            needsPoint = true
            if Keywords.isReserved(key) || key.utf8.first == UInt8(ascii: "$") { text += "#" }
            text += key
        }
    }

    /// Writes the operand of a key or an index, in parentheses unless it is a closed form.
    private static func write(operand: Expression, to text: inout String) {
        let isClosed =
            switch operand {
            case .constant, .assignment, .set: false
            case .function: operand.precedence == 6
            default: true
            }
        if !isClosed { text += "(" }
        operand.write(to: &text, above: 0)
        if !isClosed { text += ")" }
    }

    private static func write(_ position: IndexPosition, to text: inout String) {
        switch position {
        case .first: text += "[FIRST]"
        case .last: text += "[LAST]"
        case .size: text += "[SIZE]"
        case .at(let index):
            text += "["
            index.write(to: &text, above: 0)
            text += "]"
        }
    }

    private static func write(_ name: String, _ arguments: [Expression], to text: inout String) {
        guard let function = PredicateFunction(rawValue: name) else {
            text += name + "("
            write(list: arguments, to: &text)
            text += ")"
            return
        }
        if arguments.count == 2, let (sign, precedence) = function.infix {
            arguments[0].write(to: &text, above: precedence)
            text += " \(sign) "
            arguments[1].write(to: &text, above: precedence + 1)
            return
        }
        switch function {
        case .cast: text += "CAST("
        case .distinct:
            var argument = ""
            write(list: arguments, to: &argument)
            // A minus could be that between a key named `distinct` and another operand.
            text += "distinct " + (argument.hasPrefix("-") ? "(\(argument))" : argument)
            return
        default: text += function.shortName + "("
        }
        write(list: arguments, to: &text)
        text += ")"
    }
}

extension Expression.SetOperation {
    /// The operator as it is written.
    public var sign: String {
        switch self {
        case .union: "UNION"
        case .intersect: "INTERSECT"
        case .minus: "MINUS"
        }
    }
}

extension Value {
    /// The value as a literal of the format language.
    var literal: String {
        switch self {
        case .null: "nil"
        case .bool(let it): it ? "1" : "0"
        case .int(let it), .key(let it): String(it)
        case .double(let it): "\(it)"
        case .decimal(let it): Self.literal(it)
        case .string(let it): Self.quoted(it)
        case .date(let it): "CAST(\(Self.seconds(it)), \"NSDate\")"
        case .uuid(let it): "CAST(\"\(it.uuidString)\", \"NSUUID\")"
        case .external: "<a file>"
        case .data(let it):
            "CAST(\"\(it.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())"
                + "\", \"NSData\")"
        }
    }

    /// With a decimal point if the text would otherwise read as an integer.
    private static func literal(_ decimal: Decimal) -> String {
        let text = decimal.description
        return Int64(text) == nil ? text : text + ".0"
    }

    /// With six fraction digits, or more if six do not read back as the same value.
    private static func seconds(_ value: Double) -> String {
        guard value.magnitude < 1e12 else { return "\(value)" }
        let micros = Int64((value.magnitude * 1e6).rounded())
        let digits = String(micros % 1_000_000)
        let text =
            (value < 0 ? "-" : "") + String(micros / 1_000_000) + "."
            + String(repeating: "0", count: 6 - digits.utf8.count) + digits
        return Double(text) == value ? text : "\(value)"
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}":
                // A terminal would interpret them.
                let digits = String(scalar.value, radix: 16, uppercase: true)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
