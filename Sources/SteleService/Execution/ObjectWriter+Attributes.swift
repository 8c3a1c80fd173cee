// The attributes in a body: values, composites, and those that only a file's route can change.

import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

extension ObjectWriter {
    /// Sets an attribute to the value in a body.
    /// - Parameter keepsDigits: as for `ValueReader.read`.
    func setAttribute(
        _ attribute: Attribute, of object: ManagedObject, _ node: JSONNode,
        keepsDigits: Bool = false
    ) throws {
        if attribute.isComposite {
            try ValueReader.readComposite(
                node, for: attribute, of: object.entity,
                reading: { try read($0, $1, of: object, keepsDigits) }
            ) {
                try put($1, for: $0, of: object)
            }
        } else if attribute.isExternal, node.kind == .object {
            try checkReference(node, attribute, object)
        } else {
            try put(read(node, attribute, of: object, keepsDigits), for: attribute, of: object)
        }
    }

    /// The value that a body gives an attribute. In a merge patch, an object changes the JSON of a
    /// Transformable attribute (RFC 7396).
    private func read(
        _ node: JSONNode, _ attribute: Attribute, of object: ManagedObject, _ keepsDigits: Bool
    ) throws -> Value {
        guard mergesJSON, attribute.type == .transformable, node.kind == .object else {
            return try ValueReader.read(
                node, for: attribute, of: object.entity, keepsDigits: keepsDigits)
        }
        var stored: JSONDocument?
        if case .data(let bytes) = object.value(attribute) {
            try checkIsShort(bytes)
            try ValueReader.checkReplaceable(
                .data(bytes), attribute, of: object.entity, key: object.objectID.key)
            let json = try attribute.json(of: bytes)
            try countWhole(json, of: attribute, of: object)
            stored = try JSONDocument(json)
        }
        var merged = ByteWriter()
        JSONMerge(attribute).merge(node, into: stored?.root).write(to: &merged)
        return try ValueReader.read(
            JSONDocument(merged.take()).root, for: attribute, of: object.entity)
    }

    /// Sets an attribute that is not a composite. All attributes in bodies are set here.
    /// - Throws: `Problem`: 500 if the stored value cannot be read, because it would be lost; 422
    ///   for a transient attribute, unless it has the value already.
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
                stored, attribute, of: object.entity, key: object.objectID.key)
            // A transformer may make other bytes of the same value.
            if attribute.isSame(value, as: stored) { return }
        }
        object.setValue(value, for: attribute)
    }

    /// Sets an attribute as a whole: values that a composite leaves out become null.
    /// - Parameter keepsDigits: as for `ValueReader.read`.
    func replace(
        _ attribute: Attribute, of object: ManagedObject, by node: JSONNode,
        keepsDigits: Bool = false
    ) throws {
        if attribute.isComposite, node.kind == .object { try clear(attribute, of: object) }
        try setAttribute(attribute, of: object, node, keepsDigits: keepsDigits)
    }

    /// Sets an attribute, or all values of a composite, to null.
    func clear(_ attribute: Attribute, of object: ManagedObject) throws {
        for leaf in attribute.leaves where !leaf.isTransient {
            try put(.null, for: leaf, of: object)
        }
    }

    /// Accepts the form that an answer has for a value in a file, which changes nothing.
    private func checkReference(
        _ node: JSONNode, _ attribute: Attribute, _ object: ManagedObject
    ) throws {
        let place = "/\(TemporaryID.text(object.objectID.key))/\(attribute.name)"
        if case .external = object.value(attribute), let href = node["href"]?.string,
            href.hasSuffix(place)
        {
            return
        }
        throw Problem(
            .value,
            "\(attribute.name) of \(object.entity.name) must be base64, not an object",
            hint: "PUT \(Routes.path(ofEntity: object.entity.name, ""))/{id}/\(attribute.name) "
                + "takes the bytes")
    }

    /// Resets an attribute to its default for PUT, except for values that the body gives. A value
    /// that may be in a file stays: answers hold only its address.
    func reset(_ attribute: Attribute, of object: ManagedObject, besides node: JSONNode) throws {
        if attribute.isExternal { return }
        for leaf in attribute.leaves where !leaf.isTransient && !Self.gives(node, leaf.name) {
            try put(leaf.declaration.defaultValue, for: leaf, of: object)
        }
    }

    /// Whether a body gives an attribute: it has the key, or null for a composite around it.
    private static func gives(_ node: JSONNode, _ path: String) -> Bool {
        var node = node
        for name in path.split(separator: ".") {
            guard node.kind == .object else { return true }
            guard let next = node[String(name)] else { return false }
            node = next
        }
        return true
    }

    /// Whether a body gives a property as an answer shows it, or in another form of the same value.
    func isShown(_ node: JSONNode, as name: String, of object: ManagedObject) -> Bool {
        // What was read is computed of what is stored, which the body may have changed by now, or in
        // an editing context of unsaved values.
        isShown(node, as: name, of: object, object.snapshot)
            || object.storedSnapshot.map { isShown(node, as: name, of: object, $0) } ?? false
    }

    private func isShown(
        _ node: JSONNode, as name: String, of object: ManagedObject, _ snapshot: Snapshot
    ) -> Bool {
        var (shown, sent) = (ByteWriter(), ByteWriter())
        renderer.writeValue(ofProperty: name, of: snapshot, to: &shown)
        node.write(to: &sent)
        if sent.bytes == shown.bytes { return true }
        guard let attribute = object.entity.attribute(named: name), !attribute.isComposite,
            let value = try? ValueReader.read(node, for: attribute, of: object.entity)
        else { return false }
        var read = ByteWriter()
        renderer.writeValue(value, of: .attribute(attribute), to: &read)
        return read.bytes == shown.bytes
    }

    /// The error for a property that cannot be written.
    static func readOnly(_ name: String, of entity: Entity) -> Problem {
        if case .transientRelationship? = entity.property(named: name) {
            return Problem(
                .readOnly,
                "\(name) of \(entity.name) is a transient relationship: nothing keeps it, so a "
                    + "request cannot write it", hint: "leave it out")
        }
        guard let attribute = entity.attribute(named: name) else {
            return Problem(.readOnly, "\(name) of \(entity.name) is computed and cannot be written")
        }
        if attribute.isTransient {
            return Problem(
                .readOnly,
                "\(name) of \(entity.name) is transient: it is not stored, so a request cannot "
                    + "write it", hint: "leave it out")
        }
        return Problem(
            .readOnly,
            "\(name) of \(entity.name) is derived from "
                + "\(attribute.declaration.derivationExpression ?? "") and cannot be written",
            hint: "leave it out: the store computes it")
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
