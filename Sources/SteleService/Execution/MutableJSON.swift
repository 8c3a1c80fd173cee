/// JSON that a patch changes in place.

import SteleJSON

/// A JSON value whose parts are changed where they are, so that a change costs what it changes.
enum MutableJSON {
    /// Null, a Boolean, a number or a text.
    case scalar(JSONValue)
    case array([MutableJSON])
    case object(MutableMembers)

    /// Bytes of a text that count as a value.
    private static let bytesPerValue = 64

    /// What a JSON text counts in a body, as `measure` does or more.
    static func weight(of json: [UInt8]) -> Int {
        JSONDocument.weight(of: json) + json.count / bytesPerValue
    }

    init(_ node: JSONNode) {
        switch node.kind {
        case .array:
            var elements: [MutableJSON] = []
            elements.reserveCapacity(node.count)
            node.forEachElement { elements.append(MutableJSON($0)) }
            self = .array(elements)
        case .object:
            var members = MutableMembers(capacity: node.count)
            node.forEachMember { members.append($0, MutableJSON($1)) }
            self = .object(members)
        case .null, .bool, .integer, .real, .string: self = .scalar(JSONValue(node))
        }
    }

    /// What it counts in a body, as for `JSONDocument.weight`, and how deep its arrays and objects
    /// nest.
    var measure: (weight: Int, depth: Int) {
        switch self {
        case .scalar(.string(let text)): (1 + text.utf8.count / Self.bytesPerValue, 0)
        case .scalar(.raw(let digits)): (1 + digits.count / Self.bytesPerValue, 0)
        case .scalar: (1, 0)
        case .array(let elements): Self.measure(elements)
        case .object(let members): Self.measure(members.values, members.names)
        }
    }

    private static func measure(
        _ parts: [MutableJSON], _ names: [String?] = []
    ) -> (weight: Int, depth: Int) {
        var (weight, depth) = (10, 0)
        for name in names { weight += (name?.utf8.count ?? 0) / bytesPerValue }
        for part in parts {
            let inner = part.measure
            weight += inner.weight
            depth = max(depth, inner.depth)
        }
        return (weight, depth + 1)
    }

    /// Takes the value out and leaves null: a value that is held twice is copied by a change.
    mutating func take() -> MutableJSON {
        defer { self = .scalar(.null) }
        return self
    }

    /// Appends this value as compact JSON.
    func write(to writer: inout ByteWriter) {
        var isFirst = true
        func separate(_ writer: inout ByteWriter) {
            if !isFirst { writer.byte(UInt8(ascii: ",")) }
            isFirst = false
        }
        switch self {
        case .scalar(let value): value.write(to: &writer)
        case .array(let elements):
            writer.byte(UInt8(ascii: "["))
            for element in elements {
                separate(&writer)
                element.write(to: &writer)
            }
            writer.byte(UInt8(ascii: "]"))
        case .object(let members):
            writer.byte(UInt8(ascii: "{"))
            for (name, value) in zip(members.names, members.values) {
                guard let name else { continue }
                separate(&writer)
                writer.key(name)
                value.write(to: &writer)
            }
            writer.byte(UInt8(ascii: "}"))
        }
    }

    /// This value as a parsed text.
    func document() throws(JSONError) -> JSONDocument {
        var writer = ByteWriter()
        write(to: &writer)
        return try JSONDocument(writer.take())
    }
}

/// The members of an object in their order. One is found without a search through the others.
struct MutableMembers {
    /// The names; nil where a member was removed.
    private(set) var names: [String?] = []
    /// The values, at the places of their names.
    var values: [MutableJSON] = []
    /// The places by the bytes of the names, which are equal only if all bytes are; nil before the
    /// first search.
    private var places: [[UInt8]: Int]?

    init(capacity: Int) {
        names.reserveCapacity(capacity)
        values.reserveCapacity(capacity)
    }

    /// The place of a member; nil if there is none of the name.
    /// - Parameter visited: the parts that were looked at, to which it adds.
    mutating func place(of name: String, _ visited: inout Int) -> Int? {
        if places == nil {
            var made: [[UInt8]: Int] = [:]
            made.reserveCapacity(names.count)
            for (place, name) in names.enumerated() {
                if let name { made[Array(name.utf8)] = place }
            }
            visited += names.count
            places = made
        }
        return places?[Array(name.utf8)]
    }

    /// Adds a member with a name that no other has.
    mutating func append(_ name: String, _ value: MutableJSON) {
        places?[Array(name.utf8)] = names.count
        names.append(name)
        values.append(value)
    }

    /// Removes the member at a place.
    mutating func remove(at place: Int) -> MutableJSON {
        if let name = names[place] { places?[Array(name.utf8)] = nil }
        names[place] = nil
        return values[place].take()
    }
}
