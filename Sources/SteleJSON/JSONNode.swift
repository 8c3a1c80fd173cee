internal import CJansson

/// A place in a parsed document: cheap to copy, keeps its document alive.
public struct JSONNode {
    /// What stands there.
    public enum Kind: Sendable, Equatable {
        case null, bool, integer, real, string, array, object
    }

    let document: JSONDocument
    let pointer: UnsafeMutablePointer<json_t>

    init(_ document: JSONDocument, _ pointer: UnsafeMutablePointer<json_t>) {
        self.document = document
        self.pointer = pointer
    }

    /// What stands here. `5` is an integer, `5.0` and `5e0` are reals.
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

    /// What stands here, in words for a message: "a text", "a number".
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

    /// Whether `null` stands here.
    public var isNull: Bool {
        pointer.pointee.type == JSON_NULL
    }

    /// The truth value, where one stands here.
    public var bool: Bool? {
        switch pointer.pointee.type {
        case JSON_TRUE: true
        case JSON_FALSE: false
        default: nil
        }
    }

    /// The integer, where a number without point and exponent stands here.
    public var integer: Int64? {
        guard pointer.pointee.type == JSON_INTEGER else { return nil }
        return json_integer_value(pointer)
    }

    /// The number, where any stands here; always finite, an integer beyond 2^53 is rounded.
    public var real: Double? {
        switch pointer.pointee.type {
        case JSON_REAL: json_real_value(pointer)
        case JSON_INTEGER: Double(json_integer_value(pointer))
        default: nil
        }
    }

    /// The text, where one stands here, its escapes resolved.
    public var string: String? {
        guard pointer.pointee.type == JSON_STRING else { return nil }
        return withStringBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// The UTF-8 of the text, which is empty where none stands here; valid within `body` only.
    public func withStringBytes<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        try body(Self.bytes(json_string_value(pointer), json_string_length(pointer)))
    }

    /// Whether the number was written with more than 15 significant digits (zeros at either end
    /// do not count), or so close to zero that a Double would not give its digits back:
    /// a Decimal read through ``real`` would be rounded.
    public var isLongNumber: Bool {
        !document.longNumbers.isEmpty && document.longNumbers[pointer] != nil
    }

    /// The number as it was written, where ``isLongNumber``.
    public var longNumberText: String? {
        guard let range = document.longNumbers[pointer] else { return nil }
        return String(decoding: document.source[range], as: UTF8.self)
    }

    /// How many elements or members an array or object has; 0 for everything else.
    public var count: Int {
        switch pointer.pointee.type {
        case JSON_ARRAY: json_array_size(pointer)
        case JSON_OBJECT: json_object_size(pointer)
        default: 0
        }
    }

    /// The element at an index from 0, or nil where there is none or no array stands here.
    public subscript(index: Int) -> JSONNode? {
        guard index >= 0, let element = json_array_get(pointer, index) else { return nil }
        return JSONNode(document, element)
    }

    /// The member of a name, or nil where there is none or no object stands here.
    public subscript(key: String) -> JSONNode? {
        var key = key
        let member = key.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { name in
                json_object_getn(pointer, name.baseAddress, name.count)
            }
        }
        guard let member else { return nil }
        return JSONNode(document, member)
    }

    /// Calls `body` with each member of an object in the order written; with none for others.
    public func forEachMember(_ body: (String, JSONNode) throws -> Void) rethrows {
        try forEachMemberBytes { try body(String(decoding: $0, as: UTF8.self), $1) }
    }

    /// Calls `body` with each element of an array in order; with none for others.
    public func forEachElement(_ body: (JSONNode) throws -> Void) rethrows {
        for index in 0..<json_array_size(pointer) {
            guard let element = json_array_get(pointer, index) else { return }
            try body(JSONNode(document, element))
        }
    }

    /// As `forEachMember`, with the name as UTF-8 that is valid within `body` only.
    public func forEachMemberBytes(
        _ body: (UnsafeBufferPointer<UInt8>, JSONNode) throws -> Void
    ) rethrows {
        var member = json_object_iter(pointer)
        while let current = member {
            guard let value = json_object_iter_value(current) else { return }
            let name = Self.bytes(
                json_object_iter_key(current), json_object_iter_key_len(current))
            try body(name, JSONNode(document, value))
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
