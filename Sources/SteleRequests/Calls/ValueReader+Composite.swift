/// Composite attributes in bodies and in imports.

import SteleJSON
import SteleModel

extension ValueReader {
    /// Reads the values of a composite attribute. Null clears all of them; an object sets those
    /// that it has keys for, transient ones included.
    /// - Parameter read: reads the value of an attribute that is not a composite.
    /// - Throws: `Problem`: 400 for an unknown key, 422 for a value that does not fit.
    package static func readComposite(
        _ node: JSONNode, for composite: Attribute, of entity: Entity,
        reading read: (JSONNode, Attribute) throws -> Value,
        _ set: (Attribute, Value) throws -> Void
    ) throws {
        if node.isNull {
            for leaf in composite.leaves where !leaf.isTransient { try set(leaf, .null) }
            return
        }
        guard node.kind == .object else {
            throw Problem(
                .value,
                "\(composite.name) of \(entity.name) must be an object with the keys "
                    + composite.elements.map(\.key).joined(separator: ", ")
                    + ", not \(node.kindName)",
                errors: [
                    .object([
                        ("entity", .string(entity.name)), ("key", .string(composite.name)),
                        ("type", .string(composite.type.name)),
                        ("message", .string("\(composite.name) must be an object")),
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
                try readComposite(inner, for: element, of: entity, reading: read, set)
            } else {
                try set(element, try read(inner, element))
            }
        }
    }
}
