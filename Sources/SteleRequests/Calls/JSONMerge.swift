/// Merge patches of JSON values (RFC 7396).

import SteleJSON
import SteleModel

/// Merges the objects of a merge patch into the JSON of a Transformable attribute.
package struct JSONMerge {
    private let attribute: Attribute
    private let usesTags: Bool

    package init(_ attribute: Attribute) {
        self.attribute = attribute
        usesTags = attribute.valueTransformer?.usesTags == true
    }

    /// The value after a patch: members of an object are merged, and null removes one. A value that
    /// is not an object, or that is one only because JSON has no form for it, replaces the other.
    /// - Parameter target: the value before; nil for none.
    package func merge(_ patch: JSONNode, into target: JSONNode?) -> JSONValue {
        guard isObject(patch) else { return JSONValue(patch) }
        let target = target.flatMap(object)
        var members: [(String, JSONValue)] = []
        target?.forEachMember { name, value in
            guard let change = patch[name] else { return members.append((name, JSONValue(value))) }
            if !change.isNull { members.append((name, merge(change, into: value))) }
        }
        patch.forEachMember { name, change in
            if !change.isNull, target?[name] == nil {
                members.append((name, merge(change, into: nil)))
            }
        }
        let needsTag = usesTags && members.count == 1 && members[0].0.utf8.first == Self.dollar
        return needsTag ? .object([("$dictionary", .object(members))]) : .object(members)
    }

    private static let dollar = UInt8(ascii: "$")

    /// The object that members are merged into; nil for any other value.
    private func object(_ node: JSONNode) -> JSONNode? {
        if usesTags, node.count == 1, let inner = node["$dictionary"], inner.kind == .object {
            return inner
        }
        return isObject(node) ? node : nil
    }

    private func isObject(_ node: JSONNode) -> Bool {
        guard node.kind == .object else { return false }
        var isTag = false
        if usesTags, node.count == 1 {
            node.forEachMemberBytes { name, _ in isTag = name.first == Self.dollar }
        }
        return !isTag && !(node["$base64"] != nil && isOpaque(node))
    }

    /// Whether it has the form of bytes that are not read.
    private func isOpaque(_ node: JSONNode) -> Bool {
        guard attribute.isPlainJSON else { return node["$transformer"] != nil && node.count == 2 }
        let json = node.canonical
        return (try? attribute.stored(json)) != json
    }
}
