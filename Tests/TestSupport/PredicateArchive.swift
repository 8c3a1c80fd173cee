// Keyed archives of expressions, predicates and made-up objects.

import SteleModel
import SteleModelFiles
import StelePredicates

/// Collects the objects of an archive.
package struct PredicateArchive {
    private var archiver = PredicateArchiver()

    package init() {}

    /// The bytes of the archive.
    package func bytes(root: PropertyList) -> [UInt8] { archiver.archive.bytes(root: root) }

    /// The archive of an expression.
    package static func bytes(_ expression: Expression) throws -> [UInt8] {
        var archive = PredicateArchive()
        let root = try archive.add(expression)
        return archive.bytes(root: root)
    }

    /// The archive of a predicate.
    package static func bytes(_ predicate: Predicate) throws -> [UInt8] {
        var archive = PredicateArchive()
        let root = try archive.add(predicate)
        return archive.bytes(root: root)
    }

    /// Adds a text, a number, a Boolean or bytes.
    package mutating func add(_ value: PropertyList) -> PropertyList {
        archiver.archive.scalar(value)
    }

    package mutating func constant(_ value: Value) -> PropertyList { archiver.add(value) }

    package mutating func add(_ predicate: Predicate) throws -> PropertyList {
        try archiver.add(predicate)
    }

    package mutating func add(_ expression: Expression) throws -> PropertyList {
        try archiver.add(expression)
    }

    /// Adds an object of a class.
    package mutating func object(
        _ name: String, _ fields: KeyValuePairs<String, PropertyList>
    ) -> PropertyList { object(name, fields: fields.map { ($0.key, $0.value) }) }

    package mutating func object(
        _ name: String, fields: [(String, PropertyList)]
    ) -> PropertyList { archiver.object(name, fields) }

    package mutating func list(_ references: [PropertyList]) -> PropertyList {
        archiver.list(references)
    }

    package mutating func dictionary(_ entries: [(String, PropertyList)]) -> PropertyList {
        let keys = entries.map { add(.string($0.0)) }
        return object(
            "NSDictionary", ["NS.keys": .array(keys), "NS.objects": .array(entries.map(\.1))])
    }
}
