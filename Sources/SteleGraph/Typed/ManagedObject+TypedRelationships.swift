import SteleModel

/// Objects are compared by identity. A context has one object for each ID.
extension ManagedObject: Hashable {
    /// Whether both are the same instance.
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

    /// The object as an instance of the class.
    /// - Throws: `TypedObjectError.wrongClass`.
    func typed<T: ManagedObject>(as type: T.Type = T.self) throws(TypedObjectError) -> T {
        if let object = self as? T { return object }
        throw .wrongClass(
            entity: entity.name, asked: "\(T.self)", made: "\(Swift.type(of: self))")
    }

    // MARK: To-one

    /// The destination of a to-one relationship, or nil.
    /// - Throws: the errors of `toOne`; `TypedObjectError.wrongClass`.
    public func destination<T: ManagedObject>(forKey key: String) throws -> T? {
        try toOne(try checkedRelationship(key))?.typed()
    }

    /// Sets the destination of a to-one relationship and updates the inverse.
    /// - Throws: the errors of `setToOne`.
    public func setDestination(_ object: ManagedObject?, forKey key: String) throws {
        try setToOne(try checkedRelationship(key), object)
    }

    /// The destination of a to-one relationship, or nil, for a property, which cannot throw. Where
    /// it cannot be read it is nil as well, and the context's next save throws the error.
    /// - Precondition: The entity has a to-one relationship of that name.
    public func object<T: ManagedObject>(forKey key: String) -> T? {
        do { return try destination(forKey: key) } catch {
            checkExists(key, error)
            context?.loader.noteFailure(error)
            return nil
        }
    }

    /// Sets the destination of a to-one relationship and updates the inverse, for a property, which
    /// cannot throw. Where it cannot be set, nothing changes, and the context's saves throw
    /// `ContextError.destinationNotSet` until `rollback` or `reset`. `setDestination(_:forKey:)`
    /// throws the reason at once.
    /// - Precondition: The entity has a to-one relationship of that name.
    public func setObject(_ object: ManagedObject?, forKey key: String) {
        do { try setDestination(object, forKey: key) } catch {
            checkExists(key, error)
            context?.loader.noteUnsetDestination(of: self, key, error)
        }
    }

    /// A relationship that the model does not have is a mistake of the program.
    private func checkExists(_ key: String, _ error: any Error) {
        guard case ContextError.noSuchRelationship? = error as? ContextError else { return }
        preconditionFailure("\(error): its class was generated from another model")
    }

    // MARK: To-many

    /// The members of a to-many relationship, in its order, or sorted by key if it is unordered.
    /// - Throws: the errors of `members`; `TypedObjectError.wrongClass`.
    public func members<T: ManagedObject>(forKey key: String) throws -> [T] {
        try members(try checkedRelationship(key)).map { try $0.typed() }
    }

    /// The members of a to-many relationship as a set.
    /// - Throws: the errors of `members`; `TypedObjectError.wrongClass`.
    public func members<T: ManagedObject>(forKey key: String) throws -> Set<T> {
        let found: [T] = try members(forKey: key)
        return Set(found)
    }

    /// Replaces the members of a to-many relationship.
    /// - Throws: the errors of `setMembers`.
    public func setMembers<T: ManagedObject>(
        _ objects: some Sequence<T>, forKey key: String
    ) throws {
        try setMembers(try checkedRelationship(key), Array(objects))
    }

    /// Adds members to a to-many relationship, at the end if it is ordered.
    /// - Throws: the errors of `addMember`.
    public func addMembers<T: ManagedObject>(
        _ objects: some Sequence<T>, forKey key: String
    ) throws {
        try addMembers(try checkedRelationship(key), Array(objects))
    }

    /// Removes members from a to-many relationship. Objects that are not members are ignored.
    /// - Throws: the errors of `removeMember`.
    public func removeMembers<T: ManagedObject>(
        _ objects: some Sequence<T>, forKey key: String
    ) throws {
        let relationship = try checkedRelationship(key)
        for object in objects { try removeMember(relationship, object) }
    }

    /// Inserts objects into an ordered relationship, consecutively from an index on. Objects that
    /// already are members are moved.
    /// - Throws: the errors of `addMember`; `TypedObjectError.noSuchIndex` if the index is out of
    ///   range.
    public func insertMembers<T: ManagedObject>(
        _ objects: some Sequence<T>, forKey key: String, at index: Int
    ) throws {
        let relationship = try checkedRelationship(key)
        let count = try memberKeys(relationship).count
        guard (0...count).contains(index) else { throw noSuchIndex(key, index, count) }
        try addMembers(relationship, Array(objects), at: index)
    }

    /// Removes the member at an index of an ordered relationship.
    /// - Throws: the errors of `removeMember`; `TypedObjectError.noSuchIndex`.
    public func removeMember(forKey key: String, at index: Int) throws {
        try removeMember(try checkedRelationship(key), try member(key, at: index))
    }

    /// Replaces the member at an index of an ordered relationship.
    /// - Throws: the errors of `addMember`; `TypedObjectError.noSuchIndex`.
    public func replaceMember(
        forKey key: String, at index: Int, with object: ManagedObject
    ) throws {
        let old = try member(key, at: index)
        if old === object { return }
        let relationship = try checkedRelationship(key)
        // Removing a member from a lower index shifts this index.
        let stoodBefore = try memberKeys(relationship).prefix(index).contains(object.objectID.key)
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
