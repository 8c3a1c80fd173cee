/// Composite attributes in bodies and in imports.

import SteleJSON
import SteleModel

extension ValueReader {
    /// A composite attribute's values in a body: null clears all of them, of an object each key
    /// gives one, and those that it leaves out stay as they are. A transient one is given, too.
    /// - Throws: `Problem`, 400 for an unknown key and 422 for what is no value of an attribute.
    package static func readComposite(
        _ node: JSONNode, for composite: Attribute, of entity: Entity,
        _ set: (Attribute, Value) throws -> Void
    ) throws {
        if node.isNull {
            for leaf in composite.leaves where !leaf.isTransient { try set(leaf, .null) }
            return
        }
        guard node.kind == .object else {
            throw Problem(
                .value,
                "\(composite.name) of \(entity.name) is an object with the keys "
                    + composite.elements.map(\.key).joined(separator: ", ")
                    + ", and \(node.kindName) stands there",
                errors: [
                    .object([
                        ("entity", .string(entity.name)), ("key", .string(composite.name)),
                        ("type", .string(composite.type.name)),
                        ("message", .string("\(composite.name) is an object")),
                    ])
                ])
        }
        try node.forEachMember { name, inner in
            guard let element = composite.elements.first(where: { $0.key == name }) else {
                throw Problem(
                    .unknownKey,
                    "\(composite.name) of \(entity.name) has no attribute "
                        + "\(name.prefix(60))",
                    hint: Nearest.hint(to: name, among: composite.elements.lazy.map(\.key)))
            }
            if element.isComposite {
                try readComposite(inner, for: element, of: entity, set)
            } else {
                try set(element, try read(inner, for: element, of: entity))
            }
        }
    }
}
