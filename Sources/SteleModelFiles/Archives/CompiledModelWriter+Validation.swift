/// Archiving bounds and regular expressions.

import SteleModel
import StelePredicates

extension CompiledModelWriter {
    /// The predicates on the values of an attribute, each with the text of its error.
    mutating func validation(
        _ it: AttributeDescription, flags: inout Int64
    ) throws(ArchiveError) -> [(String, PropertyList)] {
        let isText = it.type == .string
        let subject = isText ? Expression.key("length") : .evaluatedObject
        let what = isText ? "The length of \(it.name)" : "The value of \(it.name)"
        var checks: [(Predicate, String)] = []
        if !it.minimum.isNull {
            let bound = Comparison(subject, .greaterThanOrEqual, .constant(it.minimum))
            checks.append((.comparison(bound), "\(what) is below its minimum."))
        }
        if !it.maximum.isNull {
            let bound = Comparison(subject, .lessThanOrEqual, .constant(it.maximum))
            checks.append((.comparison(bound), "\(what) is above its maximum."))
        }
        if let pattern = it.regularExpression {
            let match = Comparison(
                .evaluatedObject, .matches,
                .constant(.string(try CompiledModelReader.checked(pattern))))
            checks.append(
                (.comparison(match), "The value of \(it.name) does not match its pattern."))
        }
        if checks.isEmpty { return [] }
        flags &= ~PropertyFlags.withoutValidation
        var (predicates, warnings): ([PropertyList], [PropertyList]) = ([], [])
        for (predicate, warning) in checks {
            predicates.append(try archiver.add(predicate))
            warnings.append(try text(warning))
        }
        return [
            ("NSValidationPredicates", archiver.list(predicates)),
            ("NSValidationWarnings", archiver.list(warnings)),
        ]
    }
}
