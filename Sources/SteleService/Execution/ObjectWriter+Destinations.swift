// The relationships in a body: ids to link, objects to make, to link and to change.

import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

extension ObjectWriter {
    /// The objects that an array of ids and objects names, in its order. One query reads the ids.
    func members(
        _ node: JSONNode, _ relationship: Relationship, depth: Int
    ) throws -> [ManagedObject] {
        let destination = context.model.destination(of: relationship)
        var keys: [Int64] = []
        var seen = Set<Int64>()
        try node.forEachElement { element in
            guard element.kind != .object else { return }
            let key = try id(element, relationship)
            guard seen.insert(key).inserted else { throw twice(key, relationship) }
            keys.append(key)
        }
        let linked = try existingObjects(root: destination.root, keys: keys)
        var members: [ManagedObject] = []
        members.reserveCapacity(node.count)
        try node.forEachElement { element in
            path.append(String(members.count))
            if element.kind == .object {
                let object = try self.destination(element, relationship, depth)
                guard seen.insert(object.objectID.key).inserted else {
                    throw twice(object.objectID.key, relationship)
                }
                members.append(object)
            } else {
                let key = try id(element, relationship)
                guard let object = linked[key], destination.isKind(object.entity.index) else {
                    throw missing(key, relationship)
                }
                members.append(object)
            }
            path.removeLast()
        }
        return members
    }

    /// The object in a destination's place: a new one without `_id`, otherwise the existing one,
    /// changed by the other keys. `{"_ref": "NAME"}` is that of another operation of the
    /// transaction.
    func destination(
        _ node: JSONNode, _ relationship: Relationship, _ depth: Int
    ) throws -> ManagedObject {
        if let name = node["_ref"] { return try referenced(name, in: node) }
        let entity = context.model.destination(of: relationship)
        guard let idNode = node["_id"] else { return try create(node, in: entity, depth: depth) }
        let object = try linked(idNode, relationship)
        try change(object, by: node, in: entity, mode: .merge, depth: depth)
        return object
    }

    /// The object that an id, or an object in its place, names.
    func member(_ node: JSONNode, _ relationship: Relationship) throws -> ManagedObject {
        if node.kind == .object { return try destination(node, relationship, 0) }
        return try linked(node, relationship)
    }

    private func linked(_ node: JSONNode, _ relationship: Relationship) throws -> ManagedObject {
        let key = try id(node, relationship)
        let entity = context.model.destination(of: relationship)
        if let object = try object(entity: entity, key: key) { return object }
        throw missing(key, relationship)
    }

    /// The id in a node, which may be a string.
    func id(_ node: JSONNode, _ relationship: Relationship) throws -> Int64 {
        let entity = context.model.destination(of: relationship)
        if let key = key(node, of: entity) { return key }
        throw Problem(
            .value,
            "\(relationship.name) must be the id of an object of \(entity.name), "
                + "\(ValueReader.shown(node))",
            hint: "an id is a whole number from 1; a JSON object in its place is made or changed")
    }

    /// The id of an entity's object in a node, or nil.
    func key(_ node: JSONNode, of entity: Entity) -> Int64? {
        if let integer = node.wholeNumber { return integer > 0 ? integer : nil }
        guard let text = node.string else { return nil }
        if let temporaries, let key = TemporaryID.key(text) {
            return temporaries.current(key, root: entity.root)
        }
        guard let key = Int64(text), key > 0, text == String(key) else { return nil }
        return key
    }

    /// The error for an id that no object of the destination has.
    func missing(_ key: Int64, _ relationship: Relationship) -> Problem {
        let entity = context.model.destination(of: relationship).name
        let detail =
            "\(relationship.name) names \(entity) \(TemporaryID.text(key)), which does not exist"
        return Problem(
            .noDestination, detail,
            errors: [
                .object([
                    ("key", .string(relationship.name)),
                    ("value", key > 0 ? .integer(key) : .string(TemporaryID.text(key))),
                    ("entity", .string(entity)), ("message", .string(detail)),
                ])
            ])
    }

    /// The object that another operation of the transaction has named.
    func referenced(_ name: JSONNode, in node: JSONNode) throws -> ManagedObject {
        guard let references else {
            throw Problem(
                .body,
                "_ref names an object of another operation, and this body is not a transaction",
                hint: "POST /transactions takes operations that name each other")
        }
        guard node.count == 1 else {
            throw Problem(
                .body, "_ref must be the only key: use another operation to change the object")
        }
        guard let text = name.string else {
            throw Problem(.body, "_ref must be a text, not \(name.kindName)")
        }
        if let object = references[text] { return object }
        throw Problem(
            .reference, "no operation has the name \(text.prefix(60)) in `as`",
            hint: Nearest.hint(to: text, among: references.keys.sorted()))
    }

    func twice(_ key: Int64, _ relationship: Relationship) -> Problem {
        Problem(.body, "\(relationship.name) names the object \(TemporaryID.text(key)) twice")
    }
}
