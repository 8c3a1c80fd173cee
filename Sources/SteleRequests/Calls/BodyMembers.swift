/// Bodies that are objects with a few members of their own, such as those of editing contexts.

import SteleJSON
import SteleModel

/// Reads such bodies.
package enum BodyMembers {
    /// Reads an object with certain members; without a body it has none.
    /// - Throws: `Problem`, 400, for what is no object, and for a member that it does not have.
    package static func read(
        _ body: JSONDocument?, _ names: [String], _ take: (String, JSONNode) throws -> Void
    ) throws {
        guard let root = body?.root else { return }
        guard root.kind == .object else {
            throw Problem(.body, "the body is an object, and \(root.kindName) stands there")
        }
        try root.forEachMember { name, node in
            guard names.contains(name) else {
                throw Problem(
                    .unknownKey,
                    "the body has no member \(name.prefix(60)) here: it takes "
                        + (names.isEmpty ? "none" : names.joined(separator: ", ")),
                    hint: Nearest.hint(to: name, among: names))
            }
            try take(name, node)
        }
    }

    package static func truth(_ node: JSONNode, _ name: String) throws -> Bool {
        if let flag = node.bool { return flag }
        throw Problem(.body, "\(name) is true or false, \(ValueReader.shown(node))")
    }
}
