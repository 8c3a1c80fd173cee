/// Archived expressions.

import SteleModel
import StelePredicates

extension PredicateUnarchiver {
    /// The expression that a reference names.
    package mutating func expression(_ reference: PropertyList?) throws(ArchiveError) -> Expression
    {
        try object(reference) { unarchiver, object, name throws(ArchiveError) in
            try unarchiver.expression(object, name)
        }
    }

    private mutating func expression(
        _ object: PropertyList, _ name: String
    ) throws(ArchiveError) -> Expression {
        switch name {
        case "NSConstantValueExpression":
            if !isNil(object["NSConstantValueClassName"]) {
                throw ArchiveError("contains a class in place of a value")
            }
            return try constant(object["NSConstantValue"])
        case "NSSelfExpression": return .evaluatedObject
        case "NSAnyKeyExpression": return .anyKey
        case "NSVariableExpression": return .variable(try text(object["NSVariable"]))
        case "NSKeyPathSpecifierExpression":
            return .keyPath(.evaluatedObject, try keys(object["NSKeyPath"]))
        case "NSKeyPathExpression", "NSFunctionExpression": return try function(object)
        case "NSAggregateExpression": return .aggregate(try expressions(object["NSCollection"]))
        case "NSSetExpression":
            guard
                let operation = object["NSExpressionType"]?.integer.flatMap({
                    Expression.SetOperation(rawValue: $0)
                })
            else { throw ArchiveError("contains a set operation that is not known") }
            return .set(
                operation, try expression(object["NSLeftExpression"]),
                try expression(object["NSRightExpression"]))
        case "NSTernaryExpression":
            return .conditional(
                try predicate(object["NSPredicate"]), try expression(object["NSTrueExpression"]),
                try expression(object["NSFalseExpression"]))
        case "NSSubqueryExpression":
            return .subquery(
                try expression(object["NSExpression"]), variable: try text(object["NSVariable"]),
                try predicate(object["NSSubpredicate"]))
        case "NSVariableAssignmentExpression":
            guard case .variable(let name) = try expression(object["NSAssignmentVariable"]) else {
                throw ArchiveError("contains an assignment without a variable")
            }
            return .assignment(name, try expression(object["NSSubexpression"]))
        case "NSFetchRequestExpression":
            return .function(
                Self.fetch,
                [
                    try expression(object["NSFRExpression"]),
                    try expression(object["NSMOCExpression"]),
                    .constant(.bool(object["NSCountOnlyFlag"] == .bool(true))),
                ])
        default: throw ArchiveError.unknown(name, "an expression")
        }
    }

    /// The name of the function that stands for a fetch.
    package static let fetch = "FETCH"

    private mutating func expressions(
        _ reference: PropertyList?
    ) throws(ArchiveError) -> [Expression] {
        var all: [Expression] = []
        for element in try list(reference) { all.append(try expression(element)) }
        return all
    }

    // MARK: Functions and key paths

    private mutating func function(_ object: PropertyList) throws(ArchiveError) -> Expression {
        let selector = try text(object["NSSelectorName"])
        let arguments = isNil(object["NSArguments"]) ? [] : try list(object["NSArguments"])
        if selector == "valueForKeyPath:" || selector == "valueForKey:" {
            let operand = try expression(object["NSOperand"])
            return Self.keyPath(operand, try keys(ofArgument: arguments.first))
        }
        if try isLanguage(object["NSOperand"]) { return try call(selector, arguments) }
        let operand = try expression(object["NSOperand"])
        var all = [operand]
        for argument in arguments { all.append(try expression(argument)) }
        return .function(PredicateFunction.bySelector[selector]?.rawValue ?? selector, all)
    }

    /// Whether an operand is the class that has the functions of the language.
    private mutating func isLanguage(_ reference: PropertyList?) throws(ArchiveError) -> Bool {
        try object(reference) { unarchiver, object, name throws(ArchiveError) in
            guard name == "NSConstantValueExpression",
                !unarchiver.isNil(object["NSConstantValueClassName"])
            else { return false }
            let owner = try unarchiver.text(object["NSConstantValueClassName"])
            guard owner == "_NSPredicateUtilities" else {
                throw ArchiveError(
                    "calls a function of the class \(owner.prefix(100)), which does not exist here")
            }
            return true
        }
    }

    private mutating func call(
        _ selector: String, _ arguments: [PropertyList]
    ) throws(ArchiveError) -> Expression {
        if selector == "objectFrom:withIndex:", arguments.count == 2 {
            return .index(try expression(arguments[0]), try position(arguments[1]))
        }
        guard PredicateFunction(rawValue: selector) != nil else {
            throw ArchiveError(
                "calls \(selector.prefix(100)), which is not a function of the language")
        }
        var all: [Expression] = []
        for argument in arguments { all.append(try expression(argument)) }
        return .function(selector, all)
    }

    private mutating func position(
        _ reference: PropertyList
    ) throws(ArchiveError) -> Expression.IndexPosition {
        let symbol = try object(reference) { unarchiver, object, name throws(ArchiveError) in
            name == "NSSymbolicExpression" ? try unarchiver.text(object["NSToken"]) : nil
        }
        switch symbol {
        case "FIRST": return .first
        case "LAST": return .last
        case "SIZE": return .size
        case nil: return .at(try expression(reference))
        case let symbol?: throw ArchiveError("has the unknown position \(symbol.prefix(100))")
        }
    }

    /// A key path of an operand, which may be a key path itself.
    private static func keyPath(_ operand: Expression, _ keys: [String]) -> Expression {
        if case .keyPath(let base, let first) = operand { return .keyPath(base, first + keys) }
        return .keyPath(operand, keys)
    }

    private mutating func keys(
        ofArgument reference: PropertyList?
    ) throws(ArchiveError) -> [String] {
        try object(reference) { unarchiver, object, name throws(ArchiveError) in
            switch name {
            case "NSKeyPathSpecifierExpression": try unarchiver.keys(object["NSKeyPath"])
            case "NSConstantValueExpression": try unarchiver.keys(object["NSConstantValue"])
            default: throw ArchiveError.unknown(name, "a key path")
            }
        }
    }

    private mutating func keys(_ reference: PropertyList?) throws(ArchiveError) -> [String] {
        let path = try text(reference)
        let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !keys.contains("") else {
            throw ArchiveError("contains the key path '\(path.prefix(100))', which has no key")
        }
        return keys
    }

    // MARK: Constants

    /// The value that a reference names.
    mutating func value(_ reference: PropertyList?) throws(ArchiveError) -> Value {
        guard case .constant(let value) = try constant(reference) else {
            throw ArchiveError("contains a collection in place of a value")
        }
        return value
    }

    private mutating func constant(_ reference: PropertyList?) throws(ArchiveError) -> Expression {
        guard let place = reference?.uid, place != 0 else { return .constant(.null) }
        switch archive[place] {
        case .bool(let it)?: return .constant(.bool(it))
        case .integer(let it)?: return .constant(.int(it))
        case .real(let it)? where it.isFinite: return .constant(.double(it))
        case .date(let it)? where it.isFinite: return .constant(.date(it))
        case .string?: return .constant(.string(try text(reference)))
        case .dictionary?: break
        case .data(let it)?: return .constant(.data(it))
        default: throw ArchiveError("contains a value that cannot be read")
        }
        return try object(reference) { unarchiver, object, name throws(ArchiveError) in
            try unarchiver.constant(object, name, at: reference)
        }
    }

    private mutating func constant(
        _ object: PropertyList, _ name: String, at reference: PropertyList?
    ) throws(ArchiveError) -> Expression {
        switch name {
        case "NSNull": return .constant(.null)
        case "NSString", "NSMutableString": return .constant(.string(try text(reference)))
        case "NSDate":
            if case .real(let seconds)? = object["NS.time"], seconds.isFinite {
                return .constant(.date(seconds))
            }
        case "NSData", "NSMutableData":
            if case .data(let bytes)? = object["NS.data"] { return .constant(.data(bytes)) }
        case "NSUUID":
            if case .data(let bytes)? = object["NS.uuidbytes"], bytes.count == 16 {
                var uuid = UUID().uuid
                withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
                return .constant(.uuid(UUID(uuid: uuid)))
            }
        case "NSDecimalNumber", "NSDecimalNumberPlaceholder":
            if let value = Self.decimal(object) { return .constant(.decimal(value)) }
        case "NSURL":
            if isNil(object["NS.base"]) {
                return .constant(.string(try text(object["NS.relative"])))
            }
        case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet":
            var elements: [Expression] = []
            for element in object["NS.objects"]?.array ?? [] {
                elements.append(try constant(element))
            }
            return .aggregate(elements)
        default: throw ArchiveError.unknown(name, "a value")
        }
        throw ArchiveError("contains an object of the class \(name) that cannot be read")
    }

    private static func decimal(_ object: PropertyList) -> Decimal? {
        guard case .data(let bytes)? = object["NS.mantissa"], bytes.count == 16,
            let exponent = object["NS.exponent"]?.integer
        else { return nil }
        // Byte order 2 is big-endian, of archives made on old machines.
        let isBig = object["NS.mantissa.bo"]?.integer == 2
        var digits: UInt128 = 0
        for pair in stride(from: 14, through: 0, by: -2) {
            let (low, high) = isBig ? (pair + 1, pair) : (pair, pair + 1)
            digits = digits << 16 | UInt128(bytes[high]) << 8 | UInt128(bytes[low])
        }
        let sign = object["NS.negative"] == .bool(true) ? "-" : ""
        return DecimalText.parse("\(sign)\(digits)e\(exponent)".utf8)
    }
}
