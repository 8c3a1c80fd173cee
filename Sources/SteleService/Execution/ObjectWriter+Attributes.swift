// Attributes out of a body: values, composites, and what only a file's route can change.

import SteleGraph
import SteleJSON
import SteleModel
import SteleRequests

extension ObjectWriter {
    func setAttribute(_ attribute: Attribute, of object: ManagedObject, _ node: JSONNode) throws {
        if attribute.isComposite {
            try ValueReader.readComposite(node, for: attribute, of: object.entity) {
                try put($1, for: $0, of: object)
            }
        } else if attribute.isExternal, node.kind == .object {
            try checkReference(node, attribute, object)
        } else {
            let value = try ValueReader.read(node, for: attribute, of: object.entity)
            try put(value, for: attribute, of: object)
        }
    }

    /// Sets an attribute that is no composite: the one way by which bodies do it.
    /// - Throws: `Problem`, 500, where what is stored cannot be read, for it would be lost; 422 for
    ///   a transient attribute, save for the value that it has.
    func put(_ value: Value, for attribute: Attribute, of object: ManagedObject) throws {
        if attribute.isTransient {
            guard value == object.value(attribute) else {
                throw Self.readOnly(attribute.name, of: object.entity)
            }
            return
        }
        if attribute.type == .transformable {
            let stored = object.value(attribute)
            try ValueReader.checkReplaceable(
                stored, attribute, of: object.entity, key: object.id.key)
            // A transformer may make other bytes of the same value.
            if attribute.isSame(value, as: stored) { return }
        }
        object.setValue(value, for: attribute)
    }

    /// Sets an attribute as a whole: a composite's values that are not given are null then.
    func replace(_ attribute: Attribute, of object: ManagedObject, by node: JSONNode) throws {
        if attribute.isComposite, node.kind == .object { try clear(attribute, of: object) }
        try setAttribute(attribute, of: object, node)
    }

    /// Sets an attribute, or all that is in a composite, to null.
    func clear(_ attribute: Attribute, of object: ManagedObject) throws {
        for leaf in attribute.leaves where !leaf.isTransient {
            try put(.null, for: leaf, of: object)
        }
    }

    /// What an answer says of a value in a file, sent back as it came, changes nothing.
    private func checkReference(
        _ node: JSONNode, _ attribute: Attribute, _ object: ManagedObject
    ) throws {
        let place = "/\(TemporaryID.text(object.id.key))/\(attribute.name)"
        if case .external = object.value(attribute), let href = node["href"]?.string,
            href.hasSuffix(place)
        {
            return
        }
        throw Problem(
            .value,
            "\(attribute.name) of \(object.entity.name) is base64, and an object stands there",
            hint: "PUT \(Routes.path(ofEntity: object.entity.name, ""))/{id}/\(attribute.name) "
                + "takes the bytes themselves")
    }

    /// The attributes of a PUT's object back to their defaults, save for what the body gives. A
    /// value that may be a file stays: an answer holds no more of it than its address.
    func reset(_ attribute: Attribute, of object: ManagedObject, besides node: JSONNode) throws {
        if attribute.isExternal { return }
        for leaf in attribute.leaves where !leaf.isTransient && !Self.gives(node, leaf.name) {
            try put(leaf.declaration.defaultValue, for: leaf, of: object)
        }
    }

    /// Whether a body says what an attribute shall be: its key, or that all around it is null.
    private static func gives(_ node: JSONNode, _ path: String) -> Bool {
        var node = node
        for name in path.split(separator: ".") {
            guard node.kind == .object else { return true }
            guard let next = node[String(name)] else { return false }
            node = next
        }
        return true
    }

    /// Whether a body gives a property just as an answer shows it, or in another form that the
    /// attribute's type reads as the same.
    func isShown(_ node: JSONNode, as name: String, of object: ManagedObject) -> Bool {
        var (shown, sent) = (ByteWriter(), ByteWriter())
        renderer.writeValue(ofProperty: name, of: object.snapshot, to: &shown)
        node.write(to: &sent)
        if sent.bytes == shown.bytes { return true }
        guard let attribute = object.entity.attribute(named: name), !attribute.isComposite,
            let value = try? ValueReader.read(node, for: attribute, of: object.entity)
        else { return false }
        var read = ByteWriter()
        renderer.writeValue(value, of: .attribute(attribute), to: &read)
        return read.bytes == shown.bytes
    }

    /// Why a key cannot be written.
    static func readOnly(_ name: String, of entity: Entity) -> Problem {
        guard let attribute = entity.attribute(named: name) else {
            return Problem(.readOnly, "\(name) of \(entity.name) is computed, never written")
        }
        if attribute.isTransient {
            return Problem(
                .readOnly,
                "\(name) of \(entity.name) is transient: no store keeps it, so a request cannot "
                    + "write it", hint: "leave it out")
        }
        return Problem(
            .readOnly,
            "\(name) of \(entity.name) is derived from "
                + "\(attribute.declaration.derivationExpression ?? ""), never written",
            hint: "leave it out: the store keeps it right")
    }
}

extension JSONNode {
    /// The member at a key path, such as `address.city`.
    func member(at path: String) -> JSONNode? {
        var node: JSONNode? = self
        for name in path.split(separator: ".") { node = node?[String(name)] }
        return node
    }
}
