internal import CJansson

/// A value in a parsed document. It is cheap to copy and keeps its document alive.
public struct JSONNode {
    /// The kinds of value.
    public enum Kind: Sendable, Equatable {
        case null, bool, integer, real, string, array, object
    }

    let document: JSONDocument
    let pointer: UnsafeMutablePointer<json_t>

    /// The kind of this value. `5` is an integer; `5.0`, `5e0` and integers beyond 64 bits are
    /// reals.
    public var kind: Kind {
        switch pointer.pointee.type {
        case JSON_OBJECT: .object
        case JSON_ARRAY: .array
        case JSON_STRING: .string
        case JSON_INTEGER: .integer
        case JSON_REAL: .real
        case JSON_TRUE, JSON_FALSE: .bool
        default: .null
        }
    }

    /// The kind in words, for messages: "a text", "a number".
    public var kindName: String {
        switch kind {
        case .null: "null"
        case .bool: "true or false"
        case .integer, .real: "a number"
        case .string: "a text"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// Whether this is `null`.
    public var isNull: Bool { pointer.pointee.type == JSON_NULL }

    /// The Boolean; nil for other kinds.
    public var bool: Bool? {
        switch pointer.pointee.type {
        case JSON_TRUE: true
        case JSON_FALSE: false
        default: nil
        }
    }

    /// The integer, which has no point and no exponent; nil for other kinds. ``wholeNumber`` takes
    /// both.
    public var integer: Int64? {
        guard pointer.pointee.type == JSON_INTEGER else { return nil }
        return json_integer_value(pointer)
    }

    /// The number as a finite Double, an integer beyond 2^53 rounded; nil for other kinds.
    public var real: Double? {
        switch pointer.pointee.type {
        case JSON_REAL: json_real_value(pointer)
        case JSON_INTEGER: Double(json_integer_value(pointer))
        default: nil
        }
    }

    /// The text with its escapes resolved; nil for other kinds.
    public var string: String? {
        guard pointer.pointee.type == JSON_STRING else { return nil }
        return withStringBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Calls `body` with the UTF-8 of the text, empty for other kinds and valid only within it.
    public func withStringBytes<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        try body(Self.bytes(json_string_value(pointer), json_string_length(pointer)))
    }

    /// Whether the number has more than 15 significant digits (zeros at either end do not count),
    /// or is so close to zero that a Double does not keep its digits. A Decimal read through
    /// ``real`` would be rounded.
    public var isLongNumber: Bool {
        !document.longNumbers.isEmpty && document.longNumbers[pointer]?.isRounded == true
    }

    /// The text of a long number; nil for others.
    public var longNumberText: String? {
        guard let number = document.longNumbers[pointer], number.isRounded else { return nil }
        return String(decoding: document.source[number.range], as: UTF8.self)
    }

    /// The digits of an integer beyond 64 bits; nil for others.
    public var wideIntegerText: String? {
        guard let number = document.longNumbers[pointer], number.nearest != nil else { return nil }
        return String(decoding: document.source[number.range], as: UTF8.self)
    }

    /// The number of elements or members; 0 for other kinds.
    public var count: Int {
        switch pointer.pointee.type {
        case JSON_ARRAY: json_array_size(pointer)
        case JSON_OBJECT: json_object_size(pointer)
        default: 0
        }
    }

    /// The element at an index from 0; nil if there is none.
    public subscript(index: Int) -> JSONNode? {
        guard index >= 0, let element = json_array_get(pointer, index) else { return nil }
        return JSONNode(document: document, pointer: element)
    }

    /// The member of a name; nil if there is none.
    public subscript(key: String) -> JSONNode? {
        var key = key
        let member = key.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { name in
                json_object_getn(pointer, name.baseAddress, name.count)
            }
        }
        guard let member else { return nil }
        return JSONNode(document: document, pointer: member)
    }

    /// Calls `body` with each member of an object in its order; not at all for other kinds.
    public func forEachMember(_ body: (String, JSONNode) throws -> Void) rethrows {
        try forEachMemberBytes { try body(String(decoding: $0, as: UTF8.self), $1) }
    }

    /// Calls `body` with each element of an array in order; not at all for other kinds.
    public func forEachElement(_ body: (JSONNode) throws -> Void) rethrows {
        for index in 0..<json_array_size(pointer) {
            guard let element = json_array_get(pointer, index) else { return }
            try body(JSONNode(document: document, pointer: element))
        }
    }

    /// As `forEachMember`, with the name as UTF-8 that is valid only within `body`.
    public func forEachMemberBytes(
        _ body: (UnsafeBufferPointer<UInt8>, JSONNode) throws -> Void
    ) rethrows {
        var member = json_object_iter(pointer)
        while let current = member {
            guard let value = json_object_iter_value(current) else { return }
            let name = Self.bytes(
                json_object_iter_key(current), json_object_iter_key_len(current))
            try body(name, JSONNode(document: document, pointer: value))
            member = json_object_iter_next(pointer, current)
        }
    }

    private static func bytes(
        _ start: UnsafePointer<CChar>?, _ count: Int
    ) -> UnsafeBufferPointer<UInt8> {
        let raw = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
        return raw.assumingMemoryBound(to: UInt8.self)
    }
}
