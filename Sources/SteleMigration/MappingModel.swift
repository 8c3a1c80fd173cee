/// How objects of one model become objects of another.

import SteleModel
import StelePredicates

/// The mappings from the entities of a source model to those of a destination model
/// (NSMappingModel), inferred from the two models or read from a file.
public struct MappingModel: Sendable, Hashable {
    /// The mappings, in the order in which they are carried out.
    public var entityMappings: [EntityMapping]

    /// Creates a mapping model.
    public init(_ entityMappings: [EntityMapping]) { self.entityMappings = entityMappings }

    /// Returns the mapping of that name; nil if there is none.
    public func mapping(named name: String) -> EntityMapping? {
        entityMappings.first { $0.name == name }
    }
}

/// How objects of a source entity become objects of a destination entity (NSEntityMapping).
public struct EntityMapping: Sendable, Hashable {
    /// The kind of a mapping (NSEntityMappingType), with Core Data's numbers.
    public enum MappingType: Int, Sendable, Hashable {
        /// Read from a file that does not say: Xcode's source form. By the expressions of the
        /// mapping.
        case undefined = 0
        /// By the expressions of the mapping, or by a policy.
        case custom = 1
        /// A new entity, which has no objects.
        case add = 2
        /// An entity that is no longer there. Its objects are left out.
        case remove = 3
        /// Objects that stay as they are. Compiled mapping models have it also where a mapping has
        /// expressions and no policy, which are then carried out.
        case copy = 4
        /// Objects whose values are carried over by name.
        case transform = 5
    }

    /// The name of the mapping, by convention `SourceToDestination`.
    public var name: String
    /// The kind of the mapping.
    public var mappingType: MappingType
    /// The entity of the source objects; nil if the mapping adds an entity.
    public var sourceEntityName: String?
    /// The entity of the destination objects; nil if the mapping removes an entity.
    public var destinationEntityName: String?
    /// The 32 bytes of the source entity's version hash; nil if the file has none.
    public var sourceEntityVersionHash: [UInt8]?
    /// The 32 bytes of the destination entity's version hash; nil if the file has none.
    public var destinationEntityVersionHash: [UInt8]?
    /// The condition on the source objects, not yet checked; nil for all of them.
    public var sourceFilter: Predicate?
    /// How attributes get their values. One that is not named gets its default.
    public var attributeMappings: [PropertyMapping] = []
    /// How relationships get their destinations. One that is not named stays empty.
    public var relationshipMappings: [PropertyMapping] = []
    /// The name of the policy that carries out the mapping; nil for the mapping itself.
    public var entityMigrationPolicyClassName: String?
    /// The mapping's user info dictionary.
    public var userInfo: [UserInfoEntry] = []

    /// Creates a mapping without property mappings.
    public init(
        name: String, mappingType: MappingType, source: String?, destination: String?
    ) {
        self.name = name
        self.mappingType = mappingType
        sourceEntityName = source
        destinationEntityName = destination
    }
}

/// How one property gets its value (NSPropertyMapping).
public struct PropertyMapping: Sendable, Hashable {
    /// Where a value comes from.
    public enum Value: Sendable, Hashable {
        /// The value of a property of the source object, as it is; for an attribute inside a
        /// composite by its key path. The destination's default stands for a null of an attribute
        /// that is not optional. For a relationship: the objects that were made of the source
        /// object's destinations, without those that the relationship cannot refer to.
        case source(String)
        /// An expression over `$source`, `$destination`, `$manager`, `$entityMapping`,
        /// `$propertyMapping` and `$entityPolicy`, not yet checked.
        case expression(Expression)
        /// The objects that a mapping made of the objects at a key path of the source object, such
        /// as `team` or `country.continent`; nil stands for any mapping. An empty key path stands for
        /// the source object itself.
        case destinations(mapping: String?, of: String)
    }

    /// The name of the destination's property.
    public var name: String
    /// Where its value comes from; nil for the property's default.
    public var value: Value?

    /// Creates a property mapping.
    public init(name: String, value: Value?) {
        self.name = name
        self.value = value
    }
}
