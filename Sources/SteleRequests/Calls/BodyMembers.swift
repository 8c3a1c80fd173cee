/// Bodies that are objects with a few members, such as those of editing contexts.

import SteleJSON
import SteleModel

/// Reads such bodies.
package enum BodyMembers {
    /// Passes each member of an object to `take`. A missing body has none.
    /// - Throws: `Problem`, 400, if it is not an object, or has a member that is not in `names`.
    package static func read(
        _ body: JSONDocument?, _ names: [String] = [],
        _ take: (String, JSONNode) throws -> Void = { _, _ in }
    ) throws {
        guard let root = body?.root else { return }
        guard root.kind == .object else {
            throw Problem(.body, "the body must be an object, not \(root.kindName)")
        }
        try root.forEachMember { name, node in
            guard names.contains(name) else {
                throw Problem(
                    .unknownKey,
                    "the body takes no member \(name.prefix(60)) here; it takes "
                        + (names.isEmpty ? "none" : names.joined(separator: ", ")),
                    hint: Nearest.hint(to: name, among: names))
            }
            try take(name, node)
        }
    }

    /// The Boolean value of a member.
    package static func truth(_ node: JSONNode, _ name: String) throws -> Bool {
        if let flag = node.bool { return flag }
        throw Problem(.body, "\(name) must be true or false, \(ValueReader.shown(node))")
    }
}
