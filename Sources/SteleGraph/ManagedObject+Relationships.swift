/// An object's relationships; both sides of each are kept alike.

import SteleModel
import StelePersistence

extension ManagedObject {
    /// Runs work in the object's context, which is kept alive until it is done.
    func inContext<Result>(_ work: (ManagedObjectContext) throws -> Result) throws -> Result {
        guard let context else { throw ContextError.foreignObject }
        return try work(context)
    }

    /// The destination of a to-one relationship, or nil where there is none.
    /// - Throws: `StoreError`, `ContextError`.
    public func toOne(_ relationship: Relationship) throws -> ManagedObject? {
        try inContext { try $0.relationships.toOne(relationship, of: self) }
    }

    /// Sets a to-one relationship and its inverse.
    /// - Throws: `ContextError` for an object of the wrong entity or context, or a deleted one;
    ///   `StoreError` where the inverse's other side must be read and cannot.
    public func setToOne(_ relationship: Relationship, _ destination: ManagedObject?) throws {
        try inContext { try $0.relationships.setToOne(relationship, of: self, destination) }
    }

    /// The members of a to-many relationship, in its order, or by key where it has none.
    /// - Throws: `StoreError`, `ContextError`.
    public func members(_ relationship: Relationship) throws -> [ManagedObject] {
        try inContext { try $0.relationships.members(relationship, of: self) }
    }

    /// The keys of the members, negative for new objects; otherwise as `members`.
    public func memberKeys(_ relationship: Relationship) throws -> [Int64] {
        try inContext { try $0.relationships.memberKeys(relationship, of: self) }
    }

    /// Replaces the members; in an ordered relationship they have the order given.
    /// - Throws: as `setToOne`.
    public func setMembers(_ relationship: Relationship, _ members: [ManagedObject]) throws {
        try inContext { try $0.relationships.setMembers(relationship, of: self, members) }
    }

    /// Adds a member, or moves one in an ordered relationship.
    /// - Parameter index: where it shall stand in an ordered relationship, taken as the nearest
    ///   that there is; nil is the end for a new member, and where it stands for one that is.
    /// - Throws: as `setToOne`.
    public func addMember(
        _ relationship: Relationship, _ member: ManagedObject, at index: Int? = nil
    ) throws {
        try inContext {
            try $0.relationships.addMembers(relationship, of: self, [member], at: index)
        }
    }

    /// Adds members, or moves those that are some in an ordered relationship.
    /// - Parameter index: where the first shall stand in an ordered relationship, the others right
    ///   behind it, taken as the nearest that there is; nil as in `addMember`.
    /// - Throws: as `setToOne`.
    public func addMembers(
        _ relationship: Relationship, _ members: [ManagedObject], at index: Int? = nil
    ) throws {
        try inContext {
            try $0.relationships.addMembers(relationship, of: self, members, at: index)
        }
    }

    /// Takes a member out; nothing happens where it is none.
    /// - Throws: as `setToOne`.
    public func removeMember(_ relationship: Relationship, _ member: ManagedObject) throws {
        try inContext { try $0.relationships.removeMember(relationship, of: self, member) }
    }

    /// Whether the object of that key is a member.
    /// - Throws: `StoreError`, `ContextError`.
    public func hasMember(_ relationship: Relationship, key: Int64) throws -> Bool {
        try inContext { try $0.relationships.hasMember(relationship, of: self, key: key) }
    }
}
