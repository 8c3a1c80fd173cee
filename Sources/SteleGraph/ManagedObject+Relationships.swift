import SteleModel
import StelePersistence

extension ManagedObject {
    /// Runs a closure with the object's context, which is kept alive until the closure returns.
    func inContext<Result>(_ work: (ManagedObjectContext) throws -> Result) throws -> Result {
        guard let context else { throw ContextError.foreignObject }
        return try work(context)
    }

    /// The destination of a to-one relationship, or nil.
    /// - Throws: `StoreError`, `ContextError`.
    public func toOne(_ relationship: Relationship) throws -> ManagedObject? {
        try inContext { try $0.relationships.toOne(relationship, of: self) }
    }

    /// Sets the destination of a to-one relationship and updates the inverse.
    /// - Throws: `ContextError` if the destination has the wrong entity or context or is deleted;
    ///   `StoreError` if the other side of the inverse cannot be read.
    public func setToOne(_ relationship: Relationship, _ destination: ManagedObject?) throws {
        try inContext { try $0.relationships.setToOne(relationship, of: self, destination) }
    }

    /// The members of a to-many relationship, in its order, or sorted by key if it is unordered.
    /// - Throws: `StoreError`, `ContextError`.
    public func members(_ relationship: Relationship) throws -> [ManagedObject] {
        try inContext { try $0.relationships.members(relationship, of: self) }
    }

    /// The keys of the members, in the order of `members`. Keys of new objects are negative.
    /// - Throws: `StoreError`, `ContextError`.
    public func memberKeys(_ relationship: Relationship) throws -> [Int64] {
        try inContext { try $0.relationships.memberKeys(relationship, of: self) }
    }

    /// Replaces the members of a to-many relationship. An ordered relationship takes the given
    /// order.
    /// - Throws: the errors of `setToOne`.
    public func setMembers(_ relationship: Relationship, _ members: [ManagedObject]) throws {
        try inContext { try $0.relationships.setMembers(relationship, of: self, members) }
    }

    /// Adds a member to a to-many relationship, or moves a member of an ordered one.
    /// - Parameters:
    ///   - relationship: a to-many relationship of the object's entity.
    ///   - member: an object of the same context.
    ///   - index: the index in an ordered relationship, clamped to the valid range. If it is nil, a
    ///     new member is appended and an existing one keeps its position.
    /// - Throws: the errors of `setToOne`.
    public func addMember(
        _ relationship: Relationship, _ member: ManagedObject, at index: Int? = nil
    ) throws {
        try inContext {
            try $0.relationships.addMembers(relationship, of: self, [member], at: index)
        }
    }

    /// Adds members to a to-many relationship, or moves members of an ordered one.
    /// - Parameters:
    ///   - relationship: a to-many relationship of the object's entity.
    ///   - members: objects of the same context.
    ///   - index: the index of the first in an ordered relationship, clamped to the valid range.
    ///     The others follow it. Nil as in `addMember`.
    /// - Throws: the errors of `setToOne`.
    public func addMembers(
        _ relationship: Relationship, _ members: [ManagedObject], at index: Int? = nil
    ) throws {
        try inContext {
            try $0.relationships.addMembers(relationship, of: self, members, at: index)
        }
    }

    /// Removes a member. An object that is not a member is ignored.
    /// - Throws: the errors of `setToOne`.
    public func removeMember(_ relationship: Relationship, _ member: ManagedObject) throws {
        try inContext { try $0.relationships.removeMember(relationship, of: self, member) }
    }

    /// Whether the object with the key is a member.
    /// - Throws: `StoreError`, `ContextError`.
    public func hasMember(_ relationship: Relationship, key: Int64) throws -> Bool {
        try inContext { try $0.relationships.hasMember(relationship, of: self, key: key) }
    }
}
