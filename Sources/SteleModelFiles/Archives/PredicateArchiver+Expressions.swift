/// Archiving expressions.

import SteleModel
import StelePredicates

extension PredicateArchiver {
    /// Adds an expression.
    /// - Returns: a reference to it.
    /// - Throws: `ArchiveError` for one that is nested too deeply to be read again, and for a
    ///   function that is neither of the language nor has a receiver.
    package mutating func add(
        _ expression: Expression
    ) throws(ArchiveError) -> PropertyList {
        try nested { archiver throws(ArchiveError) in try archiver.plain(expression) }
    }

    private mutating func plain(_ expression: Expression) throws(ArchiveError) -> PropertyList {
        switch expression {
        case .constant(let value):
            return self.expression(
                "NSConstantValueExpression", 0, [("NSConstantValue", add(value))])
        case .evaluatedObject: return selfExpression()
        case .anyKey: return self.expression("NSAnyKeyExpression", 15, [])
        case .variable(let name): return variable(name)
        case .keyPath(let operand, let keys): return try keyPath(operand, keys)
        case .function(let name, let arguments): return try call(name, arguments)
        case .aggregate(let items):
            let all = try list(items)
            return self.expression("NSAggregateExpression", 14, [("NSCollection", all)])
        case .index(let collection, let position):
            let arguments = [try add(collection), try add(position)]
            return function("objectFrom:withIndex:", of: language(), arguments)
        case .set(let operation, let left, let right):
            let sides = (try add(left), try add(right))
            return self.expression(
                "NSSetExpression", Int64(operation.rawValue),
                [("NSLeftExpression", sides.0), ("NSRightExpression", sides.1)])
        case .conditional(let predicate, let yes, let no):
            let parts = (try add(predicate), try add(yes), try add(no))
            return self.expression(
                "NSTernaryExpression", 20,
                [
                    ("NSPredicate", parts.0), ("NSTrueExpression", parts.1),
                    ("NSFalseExpression", parts.2),
                ])
        case .subquery(let collection, let name, let predicate):
            let parts = (try add(collection), text(name), try add(predicate))
            return self.expression(
                "NSSubqueryExpression", 13,
                [
                    ("NSExpression", parts.0), ("NSVariable", parts.1),
                    ("NSSubpredicate", parts.2),
                ])
        case .assignment(let name, let value):
            let parts = (variable(name), try add(value))
            return self.expression(
                "NSVariableAssignmentExpression", 12,
                [("NSAssignmentVariable", parts.0), ("NSSubexpression", parts.1)])
        }
    }

    /// Adds an object of a class of expressions.
    /// - Parameter type: its NSExpression.ExpressionType.
    private mutating func expression(
        _ name: String, _ type: Int64, _ fields: [(String, PropertyList)]
    ) -> PropertyList { object(name, [("NSExpressionType", .integer(type))] + fields) }

    private mutating func variable(_ name: String) -> PropertyList {
        expression("NSVariableExpression", 2, [("NSVariable", text(name))])
    }

    private mutating func list(_ expressions: [Expression]) throws(ArchiveError) -> PropertyList {
        var all: [PropertyList] = []
        for element in expressions { all.append(try add(element)) }
        return list(all)
    }

    // MARK: Functions and key paths

    /// A key path is a call of `valueForKey:` of SELF, or else of `valueForKeyPath:`.
    private mutating func keyPath(
        _ operand: Expression, _ keys: [String]
    ) throws(ArchiveError) -> PropertyList {
        let isPlain = operand == .evaluatedObject
        let receiver = try add(operand)
        let path = expression(
            "NSKeyPathSpecifierExpression", 10,
            [("NSKeyPath", text(keys.joined(separator: ".")))])
        return expression(
            "NSKeyPathExpression", isPlain ? 3 : 4,
            [
                ("NSOperand", receiver),
                (
                    "NSSelectorName",
                    text(isPlain && keys.count == 1 ? "valueForKey:" : "valueForKeyPath:")
                ),
                ("NSArguments", list([path])),
            ])
    }

    private mutating func call(
        _ name: String, _ arguments: [Expression]
    ) throws(ArchiveError) -> PropertyList {
        if PredicateFunction(rawValue: name) != nil {
            var all: [PropertyList] = []
            for argument in arguments { all.append(try add(argument)) }
            return function(name, of: language(), all)
        }
        guard let receiver = arguments.first else {
            throw ArchiveError("calls \(name.prefix(100)), which has no receiver")
        }
        let owner = try add(receiver)
        var all: [PropertyList] = []
        for argument in arguments.dropFirst() { all.append(try add(argument)) }
        return function(name, of: owner, all)
    }

    private mutating func function(
        _ selector: String, of operand: PropertyList, _ arguments: [PropertyList]
    ) -> PropertyList {
        expression(
            "NSFunctionExpression", 4,
            [
                ("NSOperand", operand), ("NSSelectorName", text(selector)),
                ("NSArguments", list(arguments)),
            ])
    }

    /// The class that has the functions of the language.
    private mutating func language() -> PropertyList {
        expression(
            "NSConstantValueExpression", 0,
            [("NSConstantValueClassName", text("_NSPredicateUtilities"))])
    }

    private mutating func add(
        _ position: Expression.IndexPosition
    ) throws(ArchiveError) -> PropertyList {
        let token: String
        switch position {
        case .first: token = "FIRST"
        case .last: token = "LAST"
        case .size: token = "SIZE"
        case .at(let index): return try add(index)
        }
        return expression("NSSymbolicExpression", 11, [("NSToken", text(token))])
    }

    // MARK: Values

    /// Adds a value.
    /// - Returns: a reference to it; to nil for null, and for what is only in a store.
    package mutating func add(_ value: Value) -> PropertyList {
        switch value {
        case .null, .key, .external: return KeyedArchiveWriter.null
        case .bool(let it): return archive.scalar(.bool(it))
        case .int(let it): return archive.scalar(.integer(it))
        case .double(let it): return archive.scalar(.real(it))
        case .string(let it): return text(it)
        case .data(let it): return object("NSData", [("NS.data", .data(it))])
        case .date(let it): return object("NSDate", [("NS.time", .real(it))])
        case .uuid(let it):
            let bytes = withUnsafeBytes(of: it.uuid) { [UInt8]($0) }
            return object("NSUUID", [("NS.uuidbytes", .data(bytes))])
        case .decimal(let it): return decimal(it)
        }
    }

    private mutating func decimal(_ value: Decimal) -> PropertyList {
        guard let parts = DecimalText.parts(value) else { return KeyedArchiveWriter.null }
        var mantissa: [UInt8] = []
        for place in 0..<16 {
            mantissa.append(UInt8(truncatingIfNeeded: parts.significand >> (8 * place)))
        }
        // The length counts the words of 16 bits; 1 is the byte order, little-endian.
        let words = (143 - parts.significand.leadingZeroBitCount) / 16
        return object(
            "NSDecimalNumberPlaceholder",
            [
                ("NS.mantissa", .data(mantissa)), ("NS.negative", .bool(parts.isNegative)),
                ("NS.exponent", .integer(Int64(parts.exponent))), ("NS.mantissa.bo", 1),
                ("NS.length", .integer(Int64(words))), ("NS.compact", false),
            ])
    }
}
