/// JSON values as an attribute's type reads them, without loss.

import SteleJSON
import SteleModel

/// Reads the values of attributes in bodies.
package enum ValueReader {
    /// The value of an attribute in a body.
    /// - Parameter keepsDigits: whether a bare number has all its digits, so that a Decimal takes
    ///   more than 15. A number of a request may have been rounded by the sender's JSON library.
    /// - Throws: `Problem`, 422, that names the attribute, its type and the value; 1610 or 1620 for
    ///   an integer that no Integer attribute holds.
    package static func read(
        _ node: JSONNode, for attribute: Attribute, of entity: Entity, keepsDigits: Bool = false
    ) throws -> Value {
        if node.kind == .null { return .null }
        do {
            return try read(node, attribute, keepsDigits)
        } catch let mismatch as Mismatch {
            throw problem(mismatch, at: node, for: attribute, of: entity)
        }
    }

    /// Why a value does not fit its attribute.
    struct Mismatch: Error {
        var reason: String
        var hint: String?
        var code: ErrorCode

        init(_ reason: String, hint: String? = nil, code: ErrorCode = .value) {
            self.reason = reason
            self.hint = hint
            self.code = code
        }
    }

    private static func read(
        _ node: JSONNode, _ attribute: Attribute, _ keepsDigits: Bool
    ) throws -> Value {
        switch attribute.type {
        case .integer16, .integer32, .integer64: return .int(try integer(node, attribute.type))
        case .double: return .double(try double(node))
        case .float: return .double(try float(node))
        case .decimal: return .decimal(try decimal(node, keepsDigits))
        case .string, .uri: return .string(try string(node))
        case .boolean:
            guard let value = node.bool else {
                throw Mismatch("must be true or false, \(shown(node))")
            }
            return .bool(value)
        case .date: return .date(try date(node))
        case .binary: return .data(try binary(node))
        case .uuid: return .uuid(try uuid(node))
        case .transformable: return .data(try transformed(node, attribute))
        case .undefined, .objectID, .composite:
            throw Mismatch("is of the type \(attribute.type.name), which has no form in JSON")
        }
    }

    private static func integer(_ node: JSONNode, _ type: AttributeType) throws -> Int64 {
        switch node.kind {
        case .integer, .real:
            // 5.0 is the integer 5 for clients that have one kind of number.
            if let value = node.wholeNumber { return value }
            if let real = node.real, real.magnitude >= 0x1p63 {
                throw beyond(type, node, isNegative: real < 0)
            }
        case .string:
            let text = node.string ?? ""
            if let value = wholeNumber(text.utf8) { return value }
            if let plain = NumberText.plain(text.utf8),
                let real = Double(String(decoding: plain, as: UTF8.self)), real.magnitude >= 0x1p63
            {
                throw beyond(type, node, isNegative: real < 0)
            }
        default: break
        }
        throw Mismatch("must be an integer, \(shown(node))")
    }

    /// The error for an integer that 64 bits do not hold. Others are validated with the object.
    private static func beyond(
        _ type: AttributeType, _ node: JSONNode, isNegative: Bool
    ) -> Mismatch {
        let range = type.integerRange
        return isNegative
            ? Mismatch("must be at least \(range.lowerBound), \(shown(node))", code: .number(1620))
            : Mismatch("must be at most \(range.upperBound), \(shown(node))", code: .number(1610))
    }

    /// The whole number of a text, which may be `5.0` or `5e3`; nil for others, and beyond 64 bits.
    package static func wholeNumber(_ utf8: some Collection<UInt8>) -> Int64? {
        let digits = utf8.first == UInt8(ascii: "-") ? utf8.dropFirst() : utf8[...]
        if digits.allSatisfy({ (0x30...0x39).contains($0) }) {
            return Int64(String(decoding: utf8, as: UTF8.self))
        }
        return NumberText.decimal(utf8).flatMap { Int64("\($0)") }
    }

    private static func double(_ node: JSONNode) throws -> Double {
        if let real = node.real { return real }
        if let integer = node.integer { return Double(integer) }
        if let text = node.string, let plain = NumberText.plain(text.utf8),
            let value = Double(String(decoding: plain, as: UTF8.self))
        {
            if value.isFinite { return value }
            throw Mismatch("is a Double, and \(text.prefix(60)) is out of its range")
        }
        throw Mismatch("must be a number, \(shown(node))")
    }

    private static func float(_ node: JSONNode) throws -> Double {
        let value = Float(try double(node))
        if value.isFinite { return Double(value) }
        throw Mismatch("is a Float, and the number is out of its range")
    }

    private static func decimal(_ node: JSONNode, _ keepsDigits: Bool) throws -> Decimal {
        let digits = node.longNumberText
        if let digits, !keepsDigits {
            throw Mismatch(
                "is a Decimal, and bare JSON numbers are exact to 15 digits only",
                hint: "send it as a string: \"\(digits)\"")
        }
        if digits != nil || node.kind == .string {
            let value =
                if let digits { NumberText.decimal(digits.utf8) } else {
                    node.withStringBytes { NumberText.decimal($0) }
                }
            if let value { return value }
            throw Mismatch(
                "must be a Decimal of at most \(DecimalText.digitLimit) digits, \(shown(node))")
        }
        if let integer = node.integer { return Decimal(integer) }
        if let real = node.real {
            var writer = ByteWriter(capacity: 32)
            writer.double(real)
            if let value = DecimalText.parse(writer.bytes) { return value }
        }
        throw Mismatch("must be a Decimal, \(shown(node))")
    }

    private static func string(_ node: JSONNode) throws -> String {
        guard let text = node.string else { throw Mismatch("must be text, \(shown(node))") }
        return text
    }

    private static func date(_ node: JSONNode) throws -> Double {
        guard node.kind == .string else {
            throw Mismatch(
                "must be a date, \(shown(node))",
                hint: "send ISO 8601, such as \"2024-05-01T09:00:00Z\""
            )
        }
        do {
            return try node.withStringBytes { try ISO8601.secondsSinceReferenceDate(utf8: $0) }
        } catch let failure as ISO8601.Failure {
            throw Mismatch("must be a date: \(failure.message)", hint: failure.hint)
        }
    }

    private static func binary(_ node: JSONNode) throws -> [UInt8] {
        if node.kind == .string, let bytes = node.withStringBytes({ Base64.decode($0) }) {
            return bytes
        }
        throw Mismatch(
            node.kind == .string
                ? "must be base64, and the text is not" : "must be base64, \(shown(node))",
            hint: "use the alphabet of RFC 4648, section 4, with padding")
    }

    private static func uuid(_ node: JSONNode) throws -> UUID {
        if let text = node.string, text.utf8.count == 36, let value = UUID(uuidString: text) {
            return value
        }
        throw Mismatch("must be a UUID, \(shown(node))")
    }

    /// What a body has in place of a value, for messages: `not "abc"`, `not an array`.
    package static func shown(_ node: JSONNode) -> String {
        switch node.kind {
        case .string:
            let text = node.string ?? ""
            return "not \"\(text.prefix(60))\(text.count > 60 ? "…" : "")\""
        case .integer, .real, .bool:
            var writer = ByteWriter()
            node.write(to: &writer)
            return "not \(String(decoding: writer.bytes.prefix(60), as: UTF8.self))"
        case .null, .array, .object: return "not \(node.kindName)"
        }
    }

    private static func problem(
        _ mismatch: Mismatch, at node: JSONNode, for attribute: Attribute, of entity: Entity
    ) -> Problem {
        var writer = ByteWriter()
        node.write(to: &writer)
        let value: JSONValue = writer.count <= 200 ? .raw(writer.bytes) : .string(node.kindName)
        return Problem(
            mismatch.code, "\(attribute.name) of \(entity.name) \(mismatch.reason)",
            hint: mismatch.hint,
            errors: [
                .object(
                    [("entity", .string(entity.name)), ("key", .string(attribute.name))]
                        + (mismatch.code.name.map {
                            [("code", mismatch.code.json), ("name", .string($0))]
                        } ?? [])
                        + [
                            ("value", value), ("type", .string(attribute.type.name)),
                            ("message", .string("\(attribute.name) \(mismatch.reason)")),
                        ])
            ])
    }
}
