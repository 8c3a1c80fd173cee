// Keyed archives of expressions and predicates, as Apple's framework makes them.

import SteleModel
import StelePredicates

/// Collects the objects of an archive.
package struct PredicateArchive {
    private var objects: [PropertyList] = [.string("$null")]

    package init() {}

    /// The bytes of the archive.
    package func bytes(root: PropertyList) -> [UInt8] {
        BinaryPropertyListWriter.bytes(
            .dictionary([
                .init(key: "$version", value: .integer(100_000)),
                .init(key: "$archiver", value: .string("NSKeyedArchiver")),
                .init(key: "$top", value: .dictionary([.init(key: "root", value: root)])),
                .init(key: "$objects", value: .array(objects)),
            ]))
    }

    /// The archive of an expression.
    package static func bytes(_ expression: Expression) -> [UInt8] {
        var archive = PredicateArchive()
        let root = archive.add(expression)
        return archive.bytes(root: root)
    }

    /// The archive of a predicate.
    package static func bytes(_ predicate: Predicate) -> [UInt8] {
        var archive = PredicateArchive()
        let root = archive.add(predicate)
        return archive.bytes(root: root)
    }

    /// The object that a reference names; nil if there is none.
    package subscript(reference: PropertyList) -> PropertyList? {
        reference.uid.flatMap { objects.indices.contains($0) ? objects[$0] : nil }
    }

    /// Adds a value, and returns a reference to it.
    package mutating func add(_ value: PropertyList) -> PropertyList {
        objects.append(value)
        return .uid(objects.count - 1)
    }

    /// Adds an object of a class, and returns a reference to it.
    package mutating func object(
        _ name: String, _ fields: KeyValuePairs<String, PropertyList>
    ) -> PropertyList {
        let its = add(
            .dictionary([
                .init(key: "$classname", value: .string(name)),
                .init(key: "$classes", value: .array([.string(name), .string("NSObject")])),
            ]))
        return add(
            .dictionary(
                fields.map { .init(key: $0.key, value: $0.value) }
                    + [.init(key: "$class", value: its)]))
    }

    package mutating func list(_ references: [PropertyList]) -> PropertyList {
        object("NSArray", ["NS.objects": .array(references)])
    }

    package mutating func dictionary(_ entries: [(String, PropertyList)]) -> PropertyList {
        let keys = entries.map { add(.string($0.0)) }
        return object(
            "NSDictionary", ["NS.keys": .array(keys), "NS.objects": .array(entries.map(\.1))])
    }

    package mutating func add(_ predicate: Predicate) -> PropertyList {
        switch predicate {
        case .constant(let it): return object(it ? "NSTruePredicate" : "NSFalsePredicate", [:])
        case .and(let parts): return compound(1, parts)
        case .or(let parts): return compound(2, parts)
        case .not(let inner): return compound(0, [inner])
        case .comparison(let it):
            let sides = (add(it.left), add(it.right))
            let type = object(
                "NSPredicateOperator",
                [
                    "NSOperatorType": .integer(Int64(it.type.rawValue)),
                    "NSModifier": .integer(Int64(it.modifier.rawValue)),
                    "NSOptions": .integer(Int64(it.options.rawValue)),
                ])
            return object(
                "NSComparisonPredicate",
                [
                    "NSLeftExpression": sides.0, "NSRightExpression": sides.1,
                    "NSPredicateOperator": type,
                ])
        }
    }

    private mutating func compound(_ type: Int64, _ parts: [Predicate]) -> PropertyList {
        let all = list(parts.map { add($0) })
        return object(
            "NSCompoundPredicate",
            ["NSCompoundPredicateType": .integer(type), "NSSubpredicates": all])
    }

    package mutating func add(_ expression: Expression) -> PropertyList {
        switch expression {
        case .constant(let value):
            return object("NSConstantValueExpression", ["NSConstantValue": constant(value)])
        case .evaluatedObject: return object("NSSelfExpression", [:])
        case .anyKey: return object("NSAnyKeyExpression", [:])
        case .variable(let name):
            return object("NSVariableExpression", ["NSVariable": add(.string(name))])
        case .keyPath(let operand, let path):
            let keys = object(
                "NSKeyPathSpecifierExpression",
                ["NSKeyPath": add(.string(path.joined(separator: ".")))])
            return function(
                "NSKeyPathExpression", "valueForKeyPath:", add(operand), [keys])
        case .function("FETCH", let parts) where parts.count == 3:
            return object(
                "NSFetchRequestExpression",
                ["NSFRExpression": add(parts[0]), "NSMOCExpression": add(parts[1])])
        case .function(let name, let arguments):
            return call(name, arguments)
        case .aggregate(let items):
            let all = list(items.map { add($0) })
            return object("NSAggregateExpression", ["NSCollection": all])
        case .index(let collection, let position):
            let index =
                switch position {
                case .first: symbol("FIRST")
                case .last: symbol("LAST")
                case .size: symbol("SIZE")
                case .at(let it): add(it)
                }
            return function(
                "NSFunctionExpression", "objectFrom:withIndex:", language(),
                [add(collection), index])
        default: return composed(expression)
        }
    }

    private mutating func composed(_ expression: Expression) -> PropertyList {
        switch expression {
        case .set(let operation, let left, let right):
            let sides = (add(left), add(right))
            return object(
                "NSSetExpression",
                [
                    "NSExpressionType": .integer(Int64(operation.rawValue)),
                    "NSLeftExpression": sides.0, "NSRightExpression": sides.1,
                ])
        case .conditional(let predicate, let yes, let no):
            let parts = (add(predicate), add(yes), add(no))
            return object(
                "NSTernaryExpression",
                [
                    "NSPredicate": parts.0, "NSTrueExpression": parts.1,
                    "NSFalseExpression": parts.2,
                ])
        case .subquery(let collection, let variable, let predicate):
            let parts = (add(collection), add(.string(variable)), add(predicate))
            return object(
                "NSSubqueryExpression",
                ["NSExpression": parts.0, "NSVariable": parts.1, "NSSubpredicate": parts.2])
        case .assignment(let name, let value):
            let parts = (add(Expression.variable(name)), add(value))
            return object(
                "NSVariableAssignmentExpression",
                ["NSAssignmentVariable": parts.0, "NSSubexpression": parts.1])
        default: return .uid(0)
        }
    }

    private mutating func call(_ name: String, _ arguments: [Expression]) -> PropertyList {
        if PredicateFunction(rawValue: name) != nil {
            return function(
                "NSFunctionExpression", name, language(), arguments.map { add($0) })
        }
        guard let receiver = arguments.first else { return .uid(0) }
        return function(
            "NSFunctionExpression", name, add(receiver), arguments.dropFirst().map { add($0) })
    }

    private mutating func language() -> PropertyList {
        object(
            "NSConstantValueExpression",
            ["NSConstantValueClassName": add(.string("_NSPredicateUtilities"))])
    }

    private mutating func symbol(_ token: String) -> PropertyList {
        object("NSSymbolicExpression", ["NSToken": add(.string(token))])
    }

    private mutating func function(
        _ name: String, _ selector: String, _ operand: PropertyList, _ arguments: [PropertyList]
    ) -> PropertyList {
        object(
            name,
            [
                "NSSelectorName": add(.string(selector)), "NSOperand": operand,
                "NSArguments": list(arguments),
            ])
    }

    package mutating func constant(_ value: Value) -> PropertyList {
        switch value {
        case .null, .key, .external: return .uid(0)
        case .bool(let it): return add(.bool(it))
        case .int(let it): return add(.integer(it))
        case .double(let it): return add(.real(it))
        case .string(let it): return add(.string(it))
        case .data(let it): return object("NSData", ["NS.data": .data(it)])
        case .date(let it): return object("NSDate", ["NS.time": .real(it)])
        case .uuid(let it):
            return object(
                "NSUUID", ["NS.uuidbytes": .data(withUnsafeBytes(of: it.uuid) { [UInt8]($0) })])
        case .decimal(let it):
            guard let parts = DecimalText.parts(it) else { return .uid(0) }
            var mantissa: [UInt8] = []
            for place in 0..<16 {
                mantissa.append(UInt8(truncatingIfNeeded: parts.significand >> (8 * place)))
            }
            return object(
                "NSDecimalNumber",
                [
                    "NS.exponent": .integer(Int64(parts.exponent)),
                    "NS.negative": .bool(parts.isNegative), "NS.mantissa.bo": .integer(1),
                    "NS.mantissa": .data(mantissa),
                ])
        }
    }
}
