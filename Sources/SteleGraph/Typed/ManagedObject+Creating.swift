import SteleModel

extension ManagedObject {
    /// Inserts a new object of the class with the entity's default values (`init(context:)`).
    /// `ManagedObjectContext.insert(_:)` does the same, and throws where this stops the program.
    /// - Precondition: The class represents an entity of the context's model, which is not abstract,
    ///   and the context is not closed.
    public convenience init(context: ManagedObjectContext) {
        let made: ManagedObjectOrigin
        do { made = try context.origin(of: try context.entity(of: Self.self)) } catch {
            preconditionFailure("\(Self.self) cannot be inserted: \(error)")
        }
        self.init(made)
        context.admit(self)
    }
}

extension FetchRequestResult {
    /// The entity that the class represents in a context's model (`entity()`).
    /// - Throws: `TypedObjectError.unregistered`.
    public static func entity(in context: ManagedObjectContext) throws(TypedObjectError) -> Entity {
        try context.entity(of: Self.self)
    }
}
