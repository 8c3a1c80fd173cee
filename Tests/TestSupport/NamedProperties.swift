// Properties of managed objects by name.

import SteleGraph
import SteleModel
import StelePersistence

extension ManagedObject {
    /// An attribute; null where there is none of that name, which setting ignores.
    package subscript(_ name: String) -> Value {
        get { entity.attribute(named: name).map { value($0) } ?? .null }
        set { if let it = entity.attribute(named: name) { setValue(newValue, for: it) } }
    }

    package func link(_ name: String) throws -> Relationship {
        guard let found = entity.relationship(named: name) else { throw Missing(name) }
        return found
    }

    package func set(_ name: String, _ destination: ManagedObject?) throws {
        try setToOne(try link(name), destination)
    }

    package func get(_ name: String) throws -> ManagedObject? { try toOne(try link(name)) }

    package func keys(_ name: String) throws -> [Int64] { try memberKeys(try link(name)) }

    package func add(_ name: String, _ member: ManagedObject, at index: Int? = nil) throws {
        try addMember(try link(name), member, at: index)
    }

    package func remove(_ name: String, _ member: ManagedObject) throws {
        try removeMember(try link(name), member)
    }

    package func replace(_ name: String, _ members: [ManagedObject]) throws {
        try setMembers(try link(name), members)
    }
}

extension ManagedObjectContext {
    /// The object of that identity.
    /// - Throws: `Missing`.
    package func get(_ id: ObjectID) throws -> ManagedObject {
        guard let found = try existingObject(with: id) else { throw Missing("\(id)") }
        return found
    }
}

extension Entity {
    /// A row with those values, the rest null.
    package func row(_ values: [String: Value]) -> [Value] {
        slots.map { values[$0.name] ?? .null }
    }
}
