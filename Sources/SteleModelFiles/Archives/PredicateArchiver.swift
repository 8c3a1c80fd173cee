/// Archiving predicates and expressions.

import SteleModel
import StelePredicates

/// Adds predicates and expressions to an archive, as objects of the framework's classes.
package struct PredicateArchiver {
    /// The archive.
    package var archive = KeyedArchiveWriter()
    /// The object of SELF, of which an archive has one.
    private var evaluatedObject: PropertyList?
    /// How many predicates and expressions are open. A reader allows a number of open objects.
    private var depth = 0

    /// An archiver with an empty archive.
    package init() {}

    /// Adds a predicate.
    /// - Returns: a reference to it.
    /// - Throws: `ArchiveError` for one that is nested too deeply to be read again.
    package mutating func add(_ predicate: Predicate) throws(ArchiveError) -> PropertyList {
        try nested { archiver throws(ArchiveError) in
            switch predicate {
            case .constant(let isTrue):
                return archiver.object(isTrue ? "NSTruePredicate" : "NSFalsePredicate", [])
            case .and(let parts): return try archiver.compound(1, parts)
            case .or(let parts): return try archiver.compound(2, parts)
            case .not(let inner): return try archiver.compound(0, [inner])
            case .comparison(let it): return try archiver.comparison(it)
            }
        }
    }

    private mutating func compound(
        _ type: Int64, _ parts: [Predicate]
    ) throws(ArchiveError) -> PropertyList {
        var all: [PropertyList] = []
        for part in parts { all.append(try add(part)) }
        return object(
            "NSCompoundPredicate",
            [("NSCompoundPredicateType", .integer(type)), ("NSSubpredicates", list(all))])
    }

    private mutating func comparison(_ it: Comparison) throws(ArchiveError) -> PropertyList {
        let sides = (try add(it.left), try add(it.right))
        return object(
            "NSComparisonPredicate",
            [
                ("NSLeftExpression", sides.0), ("NSRightExpression", sides.1),
                ("NSPredicateOperator", operation(it)),
            ])
    }

    /// The object of a comparison's operator. Its class and its keys depend on the operator.
    private mutating func operation(_ it: Comparison) -> PropertyList {
        let options = PropertyList.integer(Int64(it.options.rawValue))
        let (name, own): (String, [(String, PropertyList)]) =
            switch it.type {
            case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
                (
                    "NSComparisonPredicateOperator",
                    [("NSVariant", .integer(Int64(it.type.rawValue))), ("NSOptions", options)]
                )
            case .equal, .notEqual:
                (
                    "NSEqualityPredicateOperator",
                    [("NSNegate", .bool(it.type == .notEqual)), ("NSOptions", options)]
                )
            case .matches: ("NSMatchingPredicateOperator", [("NSFlags", options)])
            case .like: ("NSLikePredicateOperator", [("NSFlags", options)])
            case .beginsWith:
                ("NSSubstringPredicateOperator", [("NSFlags", options), ("NSPosition", 0)])
            case .endsWith:
                ("NSSubstringPredicateOperator", [("NSFlags", options), ("NSPosition", 1)])
            case .in, .contains: ("NSInPredicateOperator", [("NSFlags", options)])
            case .between: ("NSBetweenPredicateOperator", [])
            }
        return object(
            name,
            [
                ("NSOperatorType", .integer(Int64(it.type.rawValue))),
                ("NSModifier", .integer(Int64(it.modifier.rawValue))),
            ] + own)
    }

    // MARK: Objects

    /// Adds the parts of a predicate or an expression, unless it is nested too deeply.
    mutating func nested(
        _ body: (inout PredicateArchiver) throws(ArchiveError) -> PropertyList
    ) throws(ArchiveError) -> PropertyList {
        guard depth < Self.depthLimit else {
            throw ArchiveError("is nested more than \(Self.depthLimit) deep")
        }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }

    /// A reader also counts the objects around and inside a predicate.
    private static let depthLimit = PredicateLimits.nesting - 10

    /// The object of SELF.
    mutating func selfExpression() -> PropertyList {
        if let evaluatedObject { return evaluatedObject }
        let made = object("NSSelfExpression", [("NSExpressionType", 1)])
        evaluatedObject = made
        return made
    }

    /// Adds an object of a class of the framework.
    package mutating func object(
        _ name: String, _ fields: [(String, PropertyList)]
    ) -> PropertyList {
        archive.object(ArchivedClass.hierarchy(of: name), fields)
    }

    /// Adds a text.
    package mutating func text(_ text: String) -> PropertyList { archive.scalar(.string(text)) }

    /// Adds an NSArray.
    package mutating func list(_ references: [PropertyList]) -> PropertyList {
        object("NSArray", [("NS.objects", .array(references))])
    }
}
