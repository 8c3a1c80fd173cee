import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates

/// An entity mapping with its names resolved in both models, and what it has made.
final class MigrationStep {
    /// The place in the order of the mappings.
    let index: Int
    let mapping: EntityMapping
    /// The entity of the source objects; nil if there are none.
    let source: Entity?
    /// The entity of the destination objects; nil if none are made.
    let destination: Entity?
    /// The request for the source objects; nil without a source.
    let request: FetchRequest?
    var attributes: [AttributeRecipe] = []
    var relationships: [RelationshipRecipe] = []
    /// The policy; nil if the mapping is carried out on rows, without managed objects.
    var policy: EntityMigrationPolicy?
    /// Whether destination objects have the keys of their sources.
    var keepsKeys = false
    let associations = MigrationAssociations()

    init(
        _ mapping: EntityMapping, at index: Int, source: Entity?, destination: Entity?,
        request: FetchRequest?
    ) {
        self.mapping = mapping
        self.index = index
        self.source = source
        self.destination = destination
        self.request = request
    }

    var name: String { mapping.name }

    /// Whether destination objects have the versions of their sources: if they stay as they are.
    var keepsVersions: Bool { keepsKeys && mapping.mappingType == .copy }

    /// Whether the mapping carries source objects over.
    var makesObjects: Bool { source != nil && destination != nil }

    /// Whether values of external files may be read into memory.
    var readsFiles: Bool {
        source?.slots.contains { property in
            if case .attribute(let it) = property { it.isExternal } else { false }
        } == true
            && attributes.contains {
                $0.attribute.type.holds(.data([])) && !$0.attribute.isExternal
            }
    }

    /// The relationships that are set after all objects are made.
    var later: [RelationshipRecipe] { relationships.filter { $0.way == .later } }

    /// The relationships whose order is set after all links are made.
    var ordered: [RelationshipRecipe] { relationships.filter(\.relationship.isOrdered) }
}

/// Where the value of an attribute comes from.
final class AttributeRecipe {
    enum Source {
        /// A slot of the source object, whose type is that of the attribute.
        case slot(Int)
        /// A slot of the source object whose type is another numeric one.
        case number(Int, NumericChange)
        /// The value of an expression over the source object.
        case expression(ExpressionEvaluator<MigrationSource>)
        /// The value of an expression with calls of the manager or the policy.
        case general(Expression)
    }

    let attribute: Attribute
    let source: Source
    /// Whether null stands for the attribute's default.
    let replacesNull: Bool

    init(attribute: Attribute, source: Source, replacesNull: Bool) {
        self.attribute = attribute
        self.source = source
        self.replacesNull = replacesNull
    }

    var isGeneral: Bool {
        if case .general = source { return true }
        return false
    }

    /// The slot of the source object whose value it is; nil for an expression.
    var sourceSlot: Int? {
        switch source {
        case .slot(let slot), .number(let slot, _): slot
        case .expression, .general: nil
        }
    }
}

/// Where the destinations of a relationship come from.
struct RelationshipRecipe {
    enum Source {
        /// A relationship of the source object.
        case direct(Relationship)
        /// The objects that an expression over the source object leads to.
        case expression(ExpressionEvaluator<MigrationSource>)
        /// The objects of an expression with calls of the manager or the policy.
        case general(Expression)
    }

    enum Way {
        /// With the values of the new object.
        case now
        /// After all objects are made.
        case later
        /// By the mapping of the inverse.
        case implied
    }

    let relationship: Relationship
    let source: Source
    /// The indexes of the steps whose destination objects it refers to; nil for a general source.
    let targets: [Int]
    /// Whether the key of the destination is that of the source's destination, without a lookup.
    var keepsKey = false
    /// Whether the inverse is set too; false if its own mapping sets it.
    var setsInverse = true
    var way = Way.later

    var isGeneral: Bool {
        if case .general = source { return true }
        return false
    }

    var direct: Relationship? {
        if case .direct(let it) = source { return it }
        return nil
    }
}
