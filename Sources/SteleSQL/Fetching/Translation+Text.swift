/// CONTAINS, BEGINSWITH, ENDSWITH and LIKE.

import SteleModel
import StelePredicates

extension Translation {
    /// A text operator; false where a side is null or what is looked for is empty.
    func text(
        _ text: Operand, _ type: Comparison.Operator, _ pattern: Operand,
        _ options: ComparisonOptions, holds: Bool
    ) -> Condition {
        if text.isNull || pattern.isNull { return .constant(!holds) }
        let options = options.ofEquality
        if case .string(let literal)? = pattern.value, type != .like {
            if literal.isEmpty { return .constant(!holds) }
            if !options.folds {
                return plain(text, type, literal).turned(holds)
            }
        }
        let function =
            switch type {
            case .beginsWith: SQLFunctions.beginsWith
            case .endsWith: SQLFunctions.endsWith
            case .like: SQLFunctions.like
            default: SQLFunctions.contains
            }
        let bits = options.folds ? options.rawValue : 0
        return Condition("\(function.name)(\(sql(text)), \(sql(pattern)), \(bits))").turned(holds)
    }

    /// With a literal that is taken as it is, SQL's own means serve.
    private func plain(
        _ text: Operand, _ type: Comparison.Operator, _ literal: String
    ) -> Condition {
        switch type {
        case .beginsWith where text.isColumn: prefix(sql(text), literal)
        case .beginsWith:
            Condition(
                "\(SQLFunctions.beginsWith.name)(\(sql(text)), \(bind(.string(literal))), 0)")
        case .endsWith:
            ending(sql(text), bind(.string(literal)))
        default:
            Condition("INSTR(\(sql(text)), \(bind(.string(literal)))) > 0")
        }
    }

    private func ending(_ text: String, _ literal: String) -> Condition {
        Condition("SUBSTR(\(text), -LENGTH(\(literal))) = \(literal)")
    }

    private func prefix(_ column: String, _ literal: String) -> Condition {
        if literal.utf8.count > 1 { findsFew = true }
        let from = "\(column) >= \(bind(.string(literal)))"
        guard let next = TextPrefix.next(after: literal) else { return Condition(from) }
        return Condition("\(from) AND \(column) < \(bind(.string(next)))", .and)
    }
}

/// Texts that begin alike, as a range: UTF-8's byte order is the order of Unicode scalars.
enum TextPrefix {
    /// The least text above all that begin with the prefix, or nil where there is none.
    static func next(after prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            guard last.value < 0x10FFFF else { continue }
            // No scalars lie between U+D7FF and U+E000.
            let value = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let next = Unicode.Scalar(value) else { return nil }
            scalars.append(next)
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            return String(text)
        }
        return nil
    }
}
