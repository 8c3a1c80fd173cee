/// Making keyed archives of JSON.

import SteleJSON
import SteleModel

/// Collects the objects of an archive, in NSKeyedArchiver's layout.
struct KeyedArchiver {
    private var archive = KeyedArchiveWriter()
    /// Whether a set has been added. Its elements are in the order of the JSON.
    private(set) var hasSets = false

    /// The bytes of the archive.
    func bytes(root: PropertyList) -> [UInt8] { archive.bytes(root: root) }

    /// Adds a value with its elements.
    /// - Returns: a reference to it.
    mutating func add(_ node: JSONNode) throws(TransformationError) -> PropertyList {
        switch node.kind {
        case .null: return object("NSNull", [])
        case .bool: return archive.scalar(.bool(node.bool ?? false))
        case .integer: return archive.scalar(.integer(node.integer ?? 0))
        case .real:
            // An NSNumber is an integer of up to 64 bits, signed or not, or the nearest Double.
            let unsigned = node.wideIntegerText.flatMap { UInt64($0) }
            return archive.scalar(unsigned.map { .unsigned($0) } ?? .real(node.real ?? 0))
        case .string: return archive.scalar(.string(node.string ?? ""))
        case .array:
            var elements: [JSONNode] = []
            node.forEachElement { elements.append($0) }
            return try collection("NSArray", elements)
        case .object:
            if let made = try tagged(node) { return made }
            return try dictionary(node)
        }
    }

    private mutating func object(
        _ name: String, _ fields: [(String, PropertyList)]
    ) -> PropertyList { archive.object([name, "NSObject"], fields) }

    private mutating func collection(
        _ name: String, _ nodes: [JSONNode]
    ) throws(TransformationError) -> PropertyList {
        let made = archive.reserve()
        var elements: [PropertyList] = []
        for node in nodes { elements.append(try add(node)) }
        archive.fill(made, [name, "NSObject"], [("NS.objects", .array(elements))])
        return made
    }

    private mutating func dictionary(_ node: JSONNode) throws(TransformationError) -> PropertyList {
        let made = archive.reserve()
        var members: [(String, JSONNode)] = []
        node.forEachMember { members.append(($0, $1)) }
        var (keys, values): ([PropertyList], [PropertyList]) = ([], [])
        for (key, value) in members {
            keys.append(archive.scalar(.string(key)))
            values.append(try add(value))
        }
        archive.fill(
            made, ["NSDictionary", "NSObject"],
            [("NS.keys", .array(keys)), ("NS.objects", .array(values))])
        return made
    }

    /// Adds an object with one key that represents a type without a form in JSON; nil for others.
    private mutating func tagged(
        _ node: JSONNode
    ) throws(TransformationError) -> PropertyList? {
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
            return object("NSData", [("NS.data", .data(bytes))])
        }
        if let text = node["$date"] {
            guard
                let seconds = text.string.flatMap({
                    try? ISO8601.secondsSinceReferenceDate($0)
                })
            else { throw Self.mistake("$date", "a date in ISO 8601") }
            return object("NSDate", [("NS.time", .real(seconds))])
        }
        if let text = node["$url"] {
            guard let address = text.string else { throw Self.mistake("$url", "text") }
            return object(
                "NSURL",
                [
                    ("NS.base", KeyedArchiveWriter.null),
                    ("NS.relative", archive.scalar(.string(address))),
                ])
        }
        if let text = node["$uuid"] {
            guard let uuid = text.string.flatMap({ UUID(uuidString: $0) }) else {
                throw Self.mistake("$uuid", "a UUID")
            }
            let bytes = withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) }
            return object("NSUUID", [("NS.uuidbytes", .data(bytes))])
        }
        return nil
    }

    private static func mistake(_ key: String, _ what: String) -> TransformationError {
        TransformationError("contains \(key), whose value must be \(what)")
    }
}
