/// Relationships by name and class: what generated properties are made of.

import SteleModel

/// One object is equal to itself alone; contexts have one object an identity.
extension ManagedObject: Hashable {
    /// Whether the two are one object.
    public static func == (a: ManagedObject, b: ManagedObject) -> Bool { a === b }

    /// Hashes the identity of the instance.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ManagedObject {
    private func checkedRelationship(_ key: String) throws(ContextError) -> Relationship {
        guard let relationship = entity.relationship(named: key) else {
            throw .noSuchRelationship(entity: entity.name, relationship: key)
        }
        return relationship
    }

    /// The object as one of that class.
    /// - Throws: `TypedObjectError.wrongClass`.
    func typed<T: ManagedObject>(as type: T.Type = T.self) throws(TypedObjectError) -> T {
        if let object = self as? T { return object }
        throw .wrongClass(
            entity: entity.name, asked: "\(T.self)", made: "\(Swift.type(of: self))")
    }

    // MARK: To-one

    /// The destination of a to-one relationship, or nil.
    /// - Throws: as `toOne`; `TypedObjectError.wrongClass`.
    public func destination<T: ManagedObject>(forKey key: String) throws -> T? {
        try toOne(try checkedRelationship(key))?.typed()
    }

    /// Sets a to-one relationship and its inverse.
    /// - Throws: as `setToOne`.
    public func setDestination(_ object: ManagedObject?, forKey key: String) throws {
        try setToOne(try checkedRelationship(key), object)
    }

    // MARK: To-many

    /// The members of a to-many relationship in its order, or by key where it has none.
    /// - Throws: as `members`; `TypedObjectError.wrongClass`.
    public func members<T: ManagedObject>(forKey key: String) throws -> [T] {
        try members(try checkedRelationship(key)).map { try $0.typed() }
    }

    /// The same without an order.
    /// - Throws: as `members`; `TypedObjectError.wrongClass`.
    public func members<T: ManagedObject>(forKey key: String) throws -> Set<T> {
        let found: [T] = try members(forKey: key)
        return Set(found)
    }

    /// Replaces the members.
    /// - Throws: as `setMembers`.
    public func setMembers<T: ManagedObject>(
        _ objects: some Sequence<T>, forKey key: String
    ) throws {
        try setMembers(try checkedRelationship(key), Array(objects))
    }

    /// Adds members, at an ordered relationship's end.
    /// - Throws: as `addMember`.
    public func addMembers<T: ManagedObject>(
        _ objects: some Sequence<T>, forKey key: String
    ) throws {
        try addMembers(try checkedRelationship(key), Array(objects))
    }

    /// Takes members out; nothing happens for what is none.
    /// - Throws: as `removeMember`.
    public func removeMembers<T: ManagedObject>(
        _ objects: some Sequence<T>, forKey key: String
    ) throws {
        let relationship = try checkedRelationship(key)
        for object in objects { try removeMember(relationship, object) }
    }

    /// Puts members into an ordered relationship, the first of them at that place and the others
    /// right behind it, wherever those stood that were members before.
    /// - Throws: as `addMember`; `TypedObjectError.noSuchIndex` beyond the end.
    public func insertMembers<T: ManagedObject>(
        _ objects: some Sequence<T>, forKey key: String, at index: Int
    ) throws {
        let relationship = try checkedRelationship(key)
        let count = try memberKeys(relationship).count
        guard (0...count).contains(index) else { throw noSuchIndex(key, index, count) }
        try addMembers(relationship, Array(objects), at: index)
    }

    /// Takes the member at that place out of an ordered relationship.
    /// - Throws: as `removeMember`; `TypedObjectError.noSuchIndex`.
    public func removeMember(forKey key: String, at index: Int) throws {
        try removeMember(try checkedRelationship(key), try member(key, at: index))
    }

    /// Puts another in the place of a member of an ordered relationship.
    /// - Throws: as `addMember`; `TypedObjectError.noSuchIndex`.
    public func replaceMember(
        forKey key: String, at index: Int, with object: ManagedObject
    ) throws {
        let old = try member(key, at: index)
        if old === object { return }
        let relationship = try checkedRelationship(key)
        // One that comes from before it leaves a gap behind.
        let stoodBefore = try memberKeys(relationship).prefix(index).contains(object.id.key)
        try removeMember(relationship, old)
        try addMember(relationship, object, at: stoodBefore ? index - 1 : index)
    }

    private func member(_ key: String, at index: Int) throws -> ManagedObject {
        let found = try members(try checkedRelationship(key))
        guard found.indices.contains(index) else { throw noSuchIndex(key, index, found.count) }
        return found[index]
    }

    private func noSuchIndex(_ key: String, _ index: Int, _ count: Int) -> TypedObjectError {
        .noSuchIndex(relationship: "\(entity.name).\(key)", index: index, count: count)
    }
}
