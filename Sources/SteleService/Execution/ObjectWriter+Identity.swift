// The identity of an object in a body: `_id`, `_entity`, `_version`.

import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

extension ObjectWriter {
    func entity(of node: JSONNode, within entity: Entity) throws -> Entity {
        guard let named = node["_entity"] else { return entity }
        guard let name = named.string, let found = context.model.entity(named: name) else {
            let names = context.model.family(of: entity).map(\.name)
            throw Problem(
                .wrongEntity, "_entity must be the name of an entity, \(ValueReader.shown(named))",
                hint: Nearest.hint(to: named.string ?? "", among: names)
                    ?? "it can be \(names.joined(separator: ", "))")
        }
        guard entity.isKind(found.index) else {
            throw Problem(
                .wrongEntity, "\(found.name) is neither \(entity.name) nor a subentity of it")
        }
        return found
    }

    func abstract(_ entity: Entity) -> Problem {
        let concrete = context.model.family(of: entity).filter { !$0.isAbstract }.map(\.name)
        return Problem(
            .abstract, "\(entity.name) is abstract and has no objects of its own",
            hint: "set _entity to \(concrete.joined(separator: " or "))")
    }

    func checkID(_ node: JSONNode, _ object: ManagedObject, isNew: Bool) throws {
        guard !isNew else {
            throw Problem(
                .body, "a new object has no _id yet: the store assigns it",
                hint: "leave _id out, or PATCH the object that has it")
        }
        guard key(node, of: object.entity) == object.objectID.key else {
            throw Problem(
                .identity,
                "_id in the body does not agree with the address, which says "
                    + TemporaryID.text(object.objectID.key))
        }
    }

    /// Checks that an existing object keeps its entity. A body may name its entity, or a parent of
    /// that within the entity of the address or relationship.
    func checkEntity(_ node: JSONNode, _ object: ManagedObject, place: Entity) throws {
        let named = node.string.flatMap { context.model.entity(named: $0) }
        guard let named, place.isKind(named.index), named.isKind(object.entity.index) else {
            throw Problem(
                .identity,
                "_entity in the body does not agree with the object, which is of "
                    + object.entity.name, hint: "the entity of an object cannot change")
        }
    }

    /// Determines the store of a new object, or checks that an existing object is in it.
    func setStore(_ node: JSONNode, of object: ManagedObject) throws {
        let names = context.persistentStoreCoordinator.persistentStores.compactMap(
            \.model.configuration)
        guard let name = node.string,
            let store = context.persistentStoreCoordinator.persistentStore(forConfiguration: name)
        else {
            throw Problem(
                .body, "_store must be the configuration of a store, \(ValueReader.shown(node))",
                hint: names.isEmpty
                    ? "the service has one store: leave _store out"
                    : Nearest.hint(to: node.string ?? "", among: names)
                        ?? "it can be \(names.joined(separator: ", "))")
        }
        try context.assign(object, to: store)
    }

    func checkVersion(
        _ node: JSONNode, _ object: ManagedObject, _ body: JSONNode, isNew: Bool
    ) throws {
        guard !isNew else {
            throw Problem(.body, "a new object has no _version yet", hint: "leave _version out")
        }
        let version = try self.version(node)
        guard version != object.version else { return }
        throw versionConflict(version, object, body)
    }

    func version(_ node: JSONNode) throws -> Int64 {
        if let version = node.wholeNumber ?? node.string.flatMap({ Int64($0) }) { return version }
        throw Problem(.body, "_version must be a whole number, \(ValueReader.shown(node))")
    }

    /// The keys in which the body and the stored object differ, with both values. The stored values
    /// are read again, because those of the object may have been changed already.
    func conflicts(_ object: ManagedObject, _ body: JSONNode) -> JSONValue {
        let now = (try? context.snapshot(object.objectID)) ?? object.snapshot
        guard let stored = veiled(now) else { return .array([]) }
        var conflicts: [JSONValue] = []
        for (slot, property) in object.entity.slots.enumerated() {
            guard let wanted = body.member(at: property.name), stored.values.indices.contains(slot)
            else {
                continue
            }
            var writer = ByteWriter()
            renderer.writeValue(stored.values[slot], of: property, to: &writer)
            var sent = ByteWriter()
            wanted.write(to: &sent)
            if sent.bytes == writer.bytes { continue }
            conflicts.append(
                .object([
                    ("key", .string(property.name)), ("yours", .raw(sent.bytes)),
                    ("stored", .raw(writer.bytes)),
                ]))
        }
        return .array(conflicts)
    }

    func versionConflict(
        _ version: Int64, _ object: ManagedObject, _ body: JSONNode
    ) -> Problem {
        Problem(
            .versionConflict,
            "the body is of version \(version), and \(object.shownVersion)",
            hint: object.objectID.isTemporaryID
                ? "leave _version out"
                : "read the object again, and apply the change to the current version",
            members: [
                ("yourVersion", .integer(version)), ("storedVersion", object.storedVersionMember),
                ("conflicts", conflicts(object, body)),
            ])
    }

    func unknownKey(_ name: UnsafeBufferPointer<UInt8>, _ entity: Entity) -> Problem {
        let name = String(decoding: name, as: UTF8.self)
        let near = Nearest.hint(to: name, among: entity.properties.lazy.map(\.name))
        let shown = name.count > 60 ? "\(name.prefix(60))…" : name
        return Problem(
            .unknownKey, "\(entity.name) has no property \(shown)", hint: near,
            errors: [
                .object([
                    ("entity", .string(entity.name)), ("key", .string(shown)),
                    ("message", .string("unknown key \(shown)")),
                ])
            ])
    }
}

extension ManagedObject {
    /// The stored version in messages: "Person 42 has version 3".
    var shownVersion: String {
        let name = "\(entity.name) \(TemporaryID.text(objectID.key))"
        return objectID.isTemporaryID
            ? "\(name) is not saved yet" : "\(name) has version \(version)"
    }

    /// The stored version; null if there is none.
    var storedVersionMember: JSONValue { objectID.isTemporaryID ? .null : .integer(version) }
}
