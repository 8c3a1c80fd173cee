/// Archived NSExpression and NSPredicate objects, as expressions and predicates.

import SteleModel
import StelePredicates

/// Why an archive cannot be read: what an archive does, such as "contains an object of the class
/// NSFoo". The message follows the name of the archive.
package struct ArchiveError: Error, Sendable, Hashable {
    /// The end of a sentence.
    package var message: String

    /// Creates an error.
    package init(_ message: String) { self.message = message }
}

extension Expression {
    /// Reads an archived NSExpression.
    ///
    /// A function that is not of the language is a function of its receiver and its arguments:
    /// `FUNCTION($manager, 'a:', $source.b)` is `.function("a:", [$manager, $source.b])`. A fetch
    /// is a function named `FETCH` of its request, its context and whether it only counts.
    ///
    /// - Throws: `ArchiveError` for bytes that are not such an archive, for an object that refers
    ///   to itself or is nested too deeply, and for a class that is not known, with its name.
    package init(archive bytes: [UInt8]) throws(ArchiveError) {
        var unarchiver = PredicateUnarchiver(try KeyedArchive(reading: bytes))
        self = try unarchiver.expression(.uid(unarchiver.archive.root))
    }
}

extension Predicate {
    /// Reads an archived NSPredicate.
    ///
    /// - Throws: `ArchiveError` as for an expression.
    package init(archive bytes: [UInt8]) throws(ArchiveError) {
        var unarchiver = PredicateUnarchiver(try KeyedArchive(reading: bytes))
        self = try unarchiver.predicate(.uid(unarchiver.archive.root))
    }
}

extension KeyedArchive {
    /// Reads an archive.
    /// - Throws: `ArchiveError` for bytes that are not one.
    package init(reading bytes: [UInt8]) throws(ArchiveError) {
        do { self = try KeyedArchive(bytes) } catch .malformed {
            throw ArchiveError("is not a binary keyed archive")
        } catch {
            throw ArchiveError("is a property list, but not a keyed archive")
        }
    }
}

/// Reads the objects of an archive. References are places in it; a reference to the first place,
/// and no reference, stand for nil.
package struct PredicateUnarchiver {
    /// The archive.
    package let archive: KeyedArchive
    private var budget: PropertyList.Budget
    /// The places of the objects that are being read, the innermost last.
    private var open: [Int] = []

    /// Creates a reader of an archive's objects.
    package init(_ archive: KeyedArchive) {
        self.archive = archive
        budget = archive.budget
    }

    /// Whether a reference stands for nil.
    package func isNil(_ reference: PropertyList?) -> Bool { reference?.uid ?? 0 == 0 }

    /// Reads the object that a reference names with a closure, which gets its values and its class.
    package mutating func object<Result>(
        _ reference: PropertyList?,
        _ body: (inout PredicateUnarchiver, PropertyList, String) throws(ArchiveError) -> Result
    ) throws(ArchiveError) -> Result {
        guard let place = reference?.uid, place != 0, let object = archive[place] else {
            throw ArchiveError("lacks an object that it needs")
        }
        guard !open.contains(place) else {
            throw ArchiveError("contains an object that refers to itself")
        }
        guard open.count < PredicateLimits.nesting, budget.spend(bytes: object.size) else {
            throw ArchiveError(
                "is nested more than \(PredicateLimits.nesting) deep, or is too large")
        }
        guard let name = archive.className(of: object) else {
            throw ArchiveError("contains an object without a class")
        }
        open.append(place)
        defer { open.removeLast() }
        return try body(&self, object, name)
    }

    /// The text that a reference names.
    package mutating func text(_ reference: PropertyList?) throws(ArchiveError) -> String {
        let stored = reference?.uid.flatMap { archive[$0] }
        guard let text = stored.flatMap({ archive.text($0) }), budget.spend(bytes: text.utf8.count)
        else { throw ArchiveError("lacks a text that it needs") }
        return text
    }

    /// The references in a list of an array or a set.
    package mutating func list(_ reference: PropertyList?) throws(ArchiveError) -> [PropertyList] {
        try object(reference) { unarchiver, object, name throws(ArchiveError) in
            guard Self.collections.contains(name), let list = object["NS.objects"]?.array else {
                throw ArchiveError("contains an object of the class \(name) in place of a list")
            }
            return list
        }
    }

    private static let collections = [
        "NSArray", "NSMutableArray", "NSSet", "NSMutableSet", "NSOrderedSet",
        "NSMutableOrderedSet",
    ]

    // MARK: Predicates

    /// The predicate that a reference names.
    package mutating func predicate(_ reference: PropertyList?) throws(ArchiveError) -> Predicate {
        try object(reference) { unarchiver, object, name throws(ArchiveError) in
            switch name {
            case "NSTruePredicate": return .constant(true)
            case "NSFalsePredicate": return .constant(false)
            case "NSComparisonPredicate": return .comparison(try unarchiver.comparison(object))
            case "NSCompoundPredicate":
                var parts: [Predicate] = []
                for part in try unarchiver.list(object["NSSubpredicates"]) {
                    parts.append(try unarchiver.predicate(part))
                }
                switch object["NSCompoundPredicateType"]?.integer {
                case 0 where parts.count == 1: return .not(parts[0])
                case 1: return .and(parts)
                case 2: return .or(parts)
                default: throw ArchiveError("contains a compound predicate of an unknown kind")
                }
            default: throw ArchiveError.unknown(name, "a predicate")
            }
        }
    }

    private mutating func comparison(_ object: PropertyList) throws(ArchiveError) -> Comparison {
        let left = try expression(object["NSLeftExpression"])
        let right = try expression(object["NSRightExpression"])
        let fields = try self.object(object["NSPredicateOperator"]) { _, object, _ in object }
        guard
            let type = fields["NSOperatorType"]?.integer.flatMap({
                Comparison.Operator(rawValue: $0)
            }),
            let modifier = Comparison.Modifier(rawValue: fields["NSModifier"]?.integer ?? 0)
        else { throw ArchiveError("contains a comparison with an operator that is not known") }
        let options = fields["NSOptions"]?.integer ?? fields["NSFlags"]?.integer ?? 0
        return Comparison(
            left, type, right, modifier: modifier,
            options: ComparisonOptions(rawValue: options & 0xF))
    }
}

extension ArchiveError {
    /// The error for a class that is not known, in place of a kind of object.
    package static func unknown(_ name: String, _ kind: String) -> ArchiveError {
        ArchiveError(
            "contains an object of the class \(name.prefix(100)), which is not \(kind) that can "
                + "be read")
    }
}

extension PropertyList {
    /// The number; nil for other values.
    package var integer: Int? { if case .integer(let it) = self { Int(exactly: it) } else { nil } }
}
