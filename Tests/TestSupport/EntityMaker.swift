// Models declared in a few lines.

import SteleModel

/// Declares an entity, one call for each property. Properties are optional unless told otherwise.
package struct EntityMaker {
    package private(set) var entity: EntityDescription

    package init(_ name: String, parent: String? = nil, isAbstract: Bool = false) {
        entity = EntityDescription(name: name)
        entity.parentName = parent
        entity.isAbstract = isAbstract
    }

    package func attribute(
        _ name: String, _ type: AttributeType,
        _ change: (inout AttributeDescription) -> Void = { _ in }
    ) -> EntityMaker {
        adding(.attribute(AttributeDescription(optional: name, type, change)))
    }

    package func toOne(
        _ name: String, _ destination: String, inverse: String? = nil,
        rule: DeleteRule = .nullify, isOptional: Bool = true
    ) -> EntityMaker {
        var it = RelationshipDescription(name: name, destinationName: destination)
        it.inverseName = inverse
        it.isOptional = isOptional
        it.maximumCount = 1
        it.deleteRule = rule
        return adding(.relationship(it))
    }

    /// - Parameter count: how many members there may be; an upper bound of 0 is none.
    package func toMany(
        _ name: String, _ destination: String, inverse: String? = nil,
        rule: DeleteRule = .nullify, ordered: Bool = false, isOptional: Bool = true,
        count: ClosedRange<Int> = 0...0
    ) -> EntityMaker {
        var it = RelationshipDescription(name: name, destinationName: destination)
        it.inverseName = inverse
        it.isOptional = isOptional
        it.isToMany = true
        it.isOrdered = ordered
        it.deleteRule = rule
        it.minimumCount = count.lowerBound
        it.maximumCount = count.upperBound
        return adding(.relationship(it))
    }

    /// A fetched property; without a predicate, of all objects of the destination.
    package func fetched(
        _ name: String, _ destination: String, _ predicate: String? = nil
    ) -> EntityMaker {
        var request = FetchRequestTemplate(name: name, entityName: destination)
        request.predicateFormat = predicate
        return adding(.fetchedProperty(FetchedPropertyDescription(name: name, request: request)))
    }

    /// A uniqueness constraint.
    package func unique(_ names: String...) -> EntityMaker {
        changing { $0.uniquenessConstraints.append(names) }
    }

    /// An index of one property.
    package func index(_ name: String, on property: String) -> EntityMaker {
        changing {
            var index = FetchIndexDescription(name: name)
            index.elements = [.init(propertyName: property)]
            $0.fetchIndexes.append(index)
        }
    }

    /// The entity after another change of its description.
    package func changing(_ change: (inout EntityDescription) -> Void) -> EntityMaker {
        var copy = self
        change(&copy.entity)
        return copy
    }

    private func adding(_ property: PropertyDescription) -> EntityMaker {
        changing { $0.properties.append(property) }
    }
}

extension AttributeDescription {
    /// An optional attribute.
    package init(
        optional name: String, _ type: AttributeType,
        _ change: (inout AttributeDescription) -> Void = { _ in }
    ) {
        self.init(name: name, type: type)
        isOptional = true
        change(&self)
    }
}

extension CompositeDescription {
    package init(_ name: String, _ attributes: [AttributeDescription]) {
        self.init(name: name)
        self.attributes = attributes
    }
}

/// A checked model of these entities.
/// - Throws: `ModelErrors`, all mistakes together.
package func makeModel(
    name: String = "Test", _ entities: [EntityMaker], composites: [CompositeDescription] = [],
    templates: [FetchRequestTemplate] = []
) throws -> Model {
    var declaration = ManagedObjectModel(name: name)
    declaration.entities = entities.map(\.entity)
    declaration.composites = composites
    declaration.fetchRequestTemplates = templates
    return try Model(declaration)
}
