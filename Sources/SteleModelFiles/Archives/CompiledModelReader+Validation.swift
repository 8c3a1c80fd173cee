/// Archived validation predicates and default values.

import SteleModel
import StelePredicates

extension CompiledModelReader {
    /// Reads the predicates that the compiler makes of bounds and regular expressions. Others are
    /// noted: a model file has no place for them.
    mutating func readValidation(
        _ reference: PropertyList?, into attribute: inout AttributeDescription
    ) throws(ArchiveError) {
        if unarchiver.isNil(reference) { return }
        for element in try unarchiver.list(reference) {
            let predicate = try unarchiver.predicate(element)
            let parts = if case .and(let parts) = predicate { parts } else { [predicate] }
            for part in parts where !attribute.take(part) {
                findings.note(
                    place,
                    "its validation \(part.predicateFormat.prefix(200)) is none that a "
                        + "model file has, and is not checked")
            }
        }
    }
}

extension AttributeDescription {
    /// Takes a bound or a regular expression from a validation predicate.
    /// - Returns: false for a predicate that is neither, or repeats one.
    fileprivate mutating func take(_ predicate: Predicate) -> Bool {
        guard case .comparison(let comparison) = predicate, comparison.modifier == .direct else {
            return predicate == .constant(true)
        }
        if comparison.type == .matches {
            guard comparison.left == .evaluatedObject, comparison.options.isEmpty,
                regularExpression == nil, case .constant(.string(let text)) = comparison.right,
                !text.isEmpty, text.isInXML
            else { return false }
            regularExpression = text
            return true
        }
        guard let bound = bound(comparison) else { return false }
        if case .date(let seconds) = bound, !Value.isDate(seconds) { return false }
        switch comparison.type {
        case .greaterThanOrEqual where minimum.isNull: minimum = bound
        case .lessThanOrEqual where maximum.isNull: maximum = bound
        default: return false
        }
        return true
    }

    /// The bound that a comparison sets on the value, or on the length of a text.
    private func bound(_ comparison: Comparison) -> Value? {
        if type == .string {
            guard
                comparison.left == .keyPath(.evaluatedObject, ["length"])
                    || comparison.left
                        == .function(PredicateFunction.length.rawValue, [.evaluatedObject]),
                case .constant(let value) = comparison.right,
                case .int(let length)? = ArchivedNumber.value(value, .integer64), length >= 0
            else { return nil }
            return .int(length)
        }
        guard type.isNumeric || type == .date, comparison.left == .evaluatedObject else {
            return nil
        }
        switch comparison.right {
        case .constant(let value):
            return ArchivedNumber.value(value, type.isInteger ? .integer64 : type)
        case .function(PredicateFunction.cast.rawValue, let arguments)
        where type == .date && arguments.count == 2
            && arguments[1] == .constant(.string("NSDate")):
            guard case .constant(let value) = arguments[0],
                case .double(let seconds)? = ArchivedNumber.value(value, .double)
            else { return nil }
            return .date(seconds)
        default: return nil
        }
    }
}

/// Archived values as values of attributes: an NSNumber has no type of its own.
enum ArchivedNumber {
    /// Returns an archived value as a value of the type; nil if the type cannot have it.
    static func value(_ value: Value, _ type: AttributeType) -> Value? {
        switch type {
        case .integer16, .integer32, .integer64:
            integer(value).flatMap { type.integerRange.contains($0) ? .int($0) : nil }
        case .boolean:
            switch value {
            case .bool: value
            case .int(0): .bool(false)
            case .int(1): .bool(true)
            default: nil
            }
        case .decimal: decimal(value).map { .decimal($0) }
        case .double: double(value).map { .double($0) }
        case .float:
            double(value).flatMap { number in
                let float = Float(number)
                return float.isFinite ? .double(Double(float)) : nil
            }
        case .string, .uri: if case .string = value { value } else { nil }
        case .date: if case .date = value { value } else { nil }
        case .binary: if case .data = value { value } else { nil }
        case .uuid: if case .uuid = value { value } else { nil }
        case .undefined, .transformable, .objectID, .composite: nil
        }
    }

    private static func integer(_ value: Value) -> Int64? {
        switch value {
        case .bool(let it): it ? 1 : 0
        case .int(let it): it
        case .double(let it): Int64(exactly: it)
        case .decimal(let it): Int64(it.description)
        default: nil
        }
    }

    private static func double(_ value: Value) -> Double? {
        switch value {
        case .bool(let it): it ? 1 : 0
        case .int(let it): Double(it)
        case .double(let it): it.isFinite ? it : nil
        case .decimal(let it): Double(it.description)
        default: nil
        }
    }

    private static func decimal(_ value: Value) -> Decimal? {
        switch value {
        case .bool(let it): it ? 1 : 0
        case .int(let it): Decimal(it)
        case .double(let it): DecimalText.parse(it.description.utf8)
        case .decimal(let it): it
        default: nil
        }
    }
}
