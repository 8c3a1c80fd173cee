/// Making keyed archives of JSON.

import SteleJSON
import SteleModel

/// Collects the objects of an archive, in NSKeyedArchiver's layout.
struct KeyedArchiver {
    private var objects: [PropertyList] = [.string("$null")]
    private var classes: [String: Int] = [:]
    /// The place of each scalar, by its bytes.
    private var scalars: [[UInt8]: Int] = [:]
    /// Whether a set has been added. Its elements are in the order of the JSON.
    private(set) var hasSets = false

    /// The bytes of the archive.
    func archive(root: Int) -> [UInt8] {
        BinaryPropertyListWriter.bytes(
            .dictionary([
                .init(key: "$version", value: .integer(100_000)),
                .init(key: "$archiver", value: .string("NSKeyedArchiver")),
                .init(
                    key: "$top",
                    value: .dictionary([.init(key: "root", value: .uid(root))])),
                .init(key: "$objects", value: .array(objects)),
            ]))
    }

    /// Adds a value with its elements.
    /// - Returns: its place among the objects.
    mutating func add(_ node: JSONNode) throws(TransformationError) -> Int {
        switch node.kind {
        case .null: return object("NSNull", [])
        case .bool: return scalar(.bool(node.bool ?? false))
        case .integer: return scalar(.integer(node.integer ?? 0))
        case .real:
            if let digits = node.longNumberText, Self.significantDigits(digits) > 17 {
                throw TransformationError(
                    "contains \(digits.prefix(60)), which no NSNumber holds exactly",
                    hint: "send it as a string")
            }
            return scalar(.real(node.real ?? 0))
        case .string: return scalar(.string(node.string ?? ""))
        case .array:
            var elements: [JSONNode] = []
            node.forEachElement { elements.append($0) }
            return try collection("NSArray", elements)
        case .object:
            if let made = try tagged(node) { return made }
            return try dictionary(node)
        }
    }

    /// How many significant digits a number has. A Double keeps up to 17.
    private static func significantDigits(_ text: String) -> Int {
        let mantissa = text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let digits = mantissa.filter { (0x30...0x39).contains($0) }.drop { $0 == 0x30 }
        return digits.count - digits.reversed().prefix { $0 == 0x30 }.count
    }

    private mutating func place(_ value: PropertyList) -> Int {
        objects.append(value)
        return objects.count - 1
    }

    private mutating func scalar(_ value: PropertyList) -> Int {
        let bytes = BinaryPropertyListWriter.scalar(value)
        if let known = scalars[bytes] { return known }
        let made = place(value)
        scalars[bytes] = made
        return made
    }

    private mutating func objectClass(_ name: String) -> Int {
        if let known = classes[name] { return known }
        let made = place(
            .dictionary([
                .init(key: "$classname", value: .string(name)),
                .init(key: "$classes", value: .array([.string(name), .string("NSObject")])),
            ]))
        classes[name] = made
        return made
    }

    private mutating func object(_ name: String, _ entries: [PropertyList.Entry]) -> Int {
        let made = place(.bool(false))
        let itsClass = objectClass(name)
        objects[made] = .dictionary(entries + [.init(key: "$class", value: .uid(itsClass))])
        return made
    }

    private mutating func collection(
        _ name: String, _ nodes: [JSONNode]
    ) throws(TransformationError) -> Int {
        let made = place(.bool(false))
        var elements: [PropertyList] = []
        for node in nodes { elements.append(.uid(try add(node))) }
        objects[made] = .dictionary([
            .init(key: "NS.objects", value: .array(elements)),
            .init(key: "$class", value: .uid(objectClass(name))),
        ])
        return made
    }

    private mutating func dictionary(_ node: JSONNode) throws(TransformationError) -> Int {
        let made = place(.bool(false))
        var members: [(String, JSONNode)] = []
        node.forEachMember { members.append(($0, $1)) }
        var (keys, values): ([PropertyList], [PropertyList]) = ([], [])
        for (key, value) in members {
            keys.append(.uid(scalar(.string(key))))
            values.append(.uid(try add(value)))
        }
        objects[made] = .dictionary([
            .init(key: "NS.keys", value: .array(keys)),
            .init(key: "NS.objects", value: .array(values)),
            .init(key: "$class", value: .uid(objectClass("NSDictionary"))),
        ])
        return made
    }

    /// Adds an object with one key that represents a type without a form in JSON; nil for others.
    private mutating func tagged(_ node: JSONNode) throws(TransformationError) -> Int? {
        guard node.count == 1 else { return nil }
        if let members = node["$dictionary"], members.kind == .object {
            return try dictionary(members)
        }
        if let elements = node["$set"] {
            guard elements.kind == .array else { throw Self.mistake("$set", "an array") }
            var all: [JSONNode] = []
            elements.forEachElement { all.append($0) }
            hasSets = true
            return try collection("NSSet", all)
        }
        if let text = node["$data"] {
            guard let bytes = text.string.flatMap({ Base64.decode($0) }) else {
                throw Self.mistake("$data", "base64")
            }
            return object("NSData", [.init(key: "NS.data", value: .data(bytes))])
        }
        if let text = node["$date"] {
            guard
                let seconds = text.string.flatMap({
                    try? ISO8601.secondsSinceReferenceDate($0)
                })
            else { throw Self.mistake("$date", "a date in ISO 8601") }
            return object("NSDate", [.init(key: "NS.time", value: .real(seconds))])
        }
        if let text = node["$url"] {
            guard let address = text.string else { throw Self.mistake("$url", "text") }
            return object(
                "NSURL",
                [
                    .init(key: "NS.base", value: .uid(0)),
                    .init(key: "NS.relative", value: .uid(scalar(.string(address)))),
                ])
        }
        if let text = node["$uuid"] {
            guard let uuid = text.string.flatMap({ UUID(uuidString: $0) }) else {
                throw Self.mistake("$uuid", "a UUID")
            }
            let bytes = withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) }
            return object("NSUUID", [.init(key: "NS.uuidbytes", value: .data(bytes))])
        }
        return nil
    }

    private static func mistake(_ key: String, _ what: String) -> TransformationError {
        TransformationError("contains \(key), whose value must be \(what)")
    }
}
