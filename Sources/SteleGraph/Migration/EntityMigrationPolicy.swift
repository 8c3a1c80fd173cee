import SteleMigration
import SteleModel

/// How the objects of an entity mapping are made, in code (NSEntityMigrationPolicy).
///
/// A subclass is registered under the name that the mapping model has for it
/// (`MigrationManager.init`). An instance lives as long as one migration, and is called on one
/// thread. An error that a method throws ends the migration and is thrown by
/// `MigrationManager.migrate`; the destination is left as it was.
///
/// Objects that the policy does not refer to are released after each batch, so a policy that keeps
/// none takes the same memory for any number of them.
open class EntityMigrationPolicy {
    /// Creates a policy.
    public required init() {}

    /// Called before the first object of the mapping (`begin(_:with:)`).
    /// - Throws: nothing, unless an override does.
    open func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws {}

    /// Makes the destination objects of a source object
    /// (`createDestinationInstances(forSource:in:manager:)`). The default implementation inserts one
    /// object of the mapping's destination entity, sets its attributes by the mapping, and
    /// associates it.
    /// - Throws: as `MigrationManager.createDestinationInstance`.
    open func createDestinationInstances(
        forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        try manager.createDestinationInstance(forSource: source, in: mapping)
    }

    /// Called after all objects of the mapping are made
    /// (`endInstanceCreation(forMapping:manager:)`).
    /// - Throws: nothing, unless an override does.
    open func endInstanceCreation(
        forMapping mapping: EntityMapping, manager: MigrationManager
    ) throws {}

    /// Sets the relationships of a destination object of the mapping
    /// (`createRelationships(forDestination:in:manager:)`). The default implementation sets those
    /// that the mapping has a value for.
    /// - Throws: as `MigrationManager.setRelationships`.
    open func createRelationships(
        forDestination destination: ManagedObject, in mapping: EntityMapping,
        manager: MigrationManager
    ) throws {
        try manager.setRelationships(ofDestination: destination, in: mapping)
    }

    /// Called after the relationships of all objects of the mapping are set
    /// (`endRelationshipCreation(forMapping:manager:)`).
    /// - Throws: nothing, unless an override does.
    open func endRelationshipCreation(
        forMapping mapping: EntityMapping, manager: MigrationManager
    ) throws {}

    /// Validates the objects of the mapping beyond the model's rules
    /// (`performCustomValidation(forMapping:manager:)`).
    /// - Throws: nothing, unless an override does.
    open func performCustomValidation(
        forMapping mapping: EntityMapping, manager: MigrationManager
    ) throws {}

    /// Called after the last step of the mapping (`end(_:manager:)`).
    /// - Throws: nothing, unless an override does.
    open func end(_ mapping: EntityMapping, manager: MigrationManager) throws {}

    /// Returns the value of `FUNCTION($entityPolicy, 'selector:', …)` in a value expression, where
    /// Core Data calls the method of that name. The default implementation throws.
    /// - Parameters:
    ///   - selector: the name with its colons, such as `convert:unit:`.
    ///   - arguments: the values after the name.
    open func perform(
        _ selector: String, with arguments: [MigrationValue]
    ) throws -> MigrationValue {
        throw MigrationError(
            .entityMigrationPolicy, "\(Self.self) has no function \(selector)",
            hint: "override perform(_:with:) in the policy")
    }
}

/// An argument or the result of a policy's function.
public enum MigrationValue {
    /// A value of an attribute; null for none.
    case value(Value)
    /// A source object or a destination object.
    case object(ManagedObject)
    /// The objects of a to-many relationship, in its order, or any others.
    case objects([ManagedObject])

    /// The value; null for objects.
    public var value: Value {
        if case .value(let it) = self { return it }
        return .null
    }

    /// The objects; none for a value.
    public var objects: [ManagedObject] {
        switch self {
        case .value: []
        case .object(let it): [it]
        case .objects(let all): all
        }
    }
}
