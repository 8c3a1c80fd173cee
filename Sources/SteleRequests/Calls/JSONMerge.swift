/// Merge patches of JSON values (RFC 7396).

import SteleJSON
import SteleModel

/// Merges the objects of a merge patch into the JSON of a Transformable attribute.
package struct JSONMerge {
    private let attribute: Attribute
    private let tags: [String]

    package init(_ attribute: Attribute) {
        self.attribute = attribute
        tags = attribute.valueTransformer?.tags ?? []
    }

    /// The value after a patch: members of an object are merged, and null removes one. A value that
    /// is not an object, or that is one only because JSON has no form for it, replaces the other.
    /// `$dictionary` spells an object, whose members are merged.
    /// - Parameter target: the value before; nil for none.
    package func merge(_ patch: JSONNode, into target: JSONNode?) -> JSONValue {
        guard let changes = object(patch) else { return JSONValue(patch) }
        let target = target.flatMap(object)
        var members: [(String, JSONValue)] = []
        target?.forEachMember { name, value in
            guard let change = changes[name] else {
                return members.append((name, JSONValue(value)))
            }
            if !change.isNull { members.append((name, merge(change, into: value))) }
        }
        changes.forEachMember { name, change in
            if !change.isNull, target?[name] == nil {
                members.append((name, merge(change, into: nil)))
            }
        }
        let needsTag =
            !tags.isEmpty && members.count == 1 && members[0].0.utf8.first == UInt8(ascii: "$")
        return needsTag ? .object([("$dictionary", .object(members))]) : .object(members)
    }

    /// The object whose members are merged; nil for any other value. Null is the value of no tag:
    /// it removes the member of that name.
    private func object(_ node: JSONNode) -> JSONNode? {
        guard node.kind == .object, !isOpaque(node) else { return nil }
        guard node.count == 1, !tags.isEmpty else { return node }
        if let inner = node["$dictionary"], inner.kind == .object { return inner }
        return tags.contains { node[$0]?.isNull == false } ? nil : node
    }

    /// Whether it has the form of bytes that are not read.
    package func isOpaque(_ node: JSONNode) -> Bool {
        if node["$base64"] == nil { return false }
        guard attribute.isPlainJSON else { return node["$transformer"] != nil && node.count == 2 }
        let json = node.canonical
        return (try? attribute.stored(json)) != json
    }
}
