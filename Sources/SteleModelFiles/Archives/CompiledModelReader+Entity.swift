/// Archived entities and their indexes.

import SteleModel
import StelePredicates

extension CompiledModelReader {
    mutating func entity(_ reference: PropertyList) throws(ArchiveError) -> EntityDescription {
        let fields = try object(reference, "NSEntityDescription")
        let name = try text(fields["NSEntityName"])
        try Self.checkName(name, "an entity")
        place = name
        var entity = EntityDescription(name: name)
        entity.managedObjectClassName = try optionalText(fields["NSClassNameForEntity"])
        entity.isAbstract = Self.flag(fields["NSIsAbstract"])
        entity.renamingIdentifier = try renamingIdentifier(fields, of: name)
        entity.versionHashModifier = try optionalText(fields["NSVersionHashModifier"])
        entity.userInfo = try userInfo(fields)
        entity.uniquenessConstraints = try lists(fields["NSUniqueTuples"])
        try readIndexes(fields, into: &entity)
        try readProperties(fields, into: &entity)
        place = name
        return entity
    }

    /// Reads the properties that the entity does not inherit.
    private mutating func readProperties(
        _ fields: PropertyList, into entity: inout EntityDescription
    ) throws(ArchiveError) {
        var inherited: Set<String> = []
        if !unarchiver.isNil(fields["NSSuperentity"]) {
            let parent = try object(fields["NSSuperentity"], "NSEntityDescription")
            entity.parentName = try text(parent["NSEntityName"])
            inherited = Set(try dictionary(parent["NSProperties"]).map(\.key))
        }
        // The compiler also marks a property that is the only element of a fetch index as indexed.
        let marked = Set(
            entity.fetchIndexes.compactMap { index in
                index.elements.count == 1 ? index.elements[0].propertyName : nil
            })
        var kinds: [[PropertyDescription]] = [[], [], []]
        for (name, reference) in try dictionary(fields["NSProperties"])
        where !inherited.contains(name) {
            try Self.checkName(name, "a property")
            place = "\(entity.name).\(name)"
            let property = try property(name, reference, isMarked: marked.contains(name))
            switch property {
            case .attribute: kinds[0].append(property)
            case .relationship: kinds[1].append(property)
            case .fetchedProperty: kinds[2].append(property)
            }
        }
        entity.properties = kinds.flatMap { $0 }
    }

    private mutating func property(
        _ name: String, _ reference: PropertyList, isMarked: Bool
    ) throws(ArchiveError) -> PropertyDescription {
        let (fields, className) = try object(reference)
        switch className {
        case "NSAttributeDescription", "NSDerivedAttributeDescription":
            var attribute = try attribute(name, fields)
            if className == "NSDerivedAttributeDescription" {
                attribute.derivationExpression = try Self.checked(derivation(fields))
            }
            attribute.isIndexed = Self.flag(fields["NSIsIndexed"]) && !isMarked
            return .attribute(attribute)
        case "NSRelationshipDescription":
            var relationship = try relationship(name, fields)
            relationship.isIndexed = Self.flag(fields["NSIsIndexed"]) && !isMarked
            return .relationship(relationship)
        case "NSFetchedPropertyDescription": return .fetchedProperty(try fetched(name, fields))
        case Self.compositeClass: return .attribute(try compositeAttribute(name, fields))
        default: throw ArchiveError.unknown(className, "a property")
        }
    }

    /// Lists of names.
    private mutating func lists(_ reference: PropertyList?) throws(ArchiveError) -> [[String]] {
        if unarchiver.isNil(reference) { return [] }
        var all: [[String]] = []
        for element in try unarchiver.list(reference) {
            var names: [String] = []
            for name in try unarchiver.list(element) { names.append(try text(name)) }
            if !names.isEmpty { all.append(names) }
        }
        return all
    }

    // MARK: Indexes

    private mutating func readIndexes(
        _ fields: PropertyList, into entity: inout EntityDescription
    ) throws(ArchiveError) {
        let indexes = fields["NSFetchIndexDescriptions"]
        if !unarchiver.isNil(indexes) {
            for reference in try unarchiver.list(indexes) {
                let index = try fetchIndex(reference, of: entity.name)
                entity.fetchIndexes.append(index)
            }
        }
        place = entity.name
        // The compiler repeats the fetch indexes of several properties in the older form.
        let repeated = Set(entity.fetchIndexes.map { $0.elements.map(\.propertyName) })
        entity.compoundIndexes = try lists(fields["NSCompoundIndexes"]).filter {
            !repeated.contains($0)
        }
    }

    private mutating func fetchIndex(
        _ reference: PropertyList, of entity: String
    ) throws(ArchiveError) -> FetchIndexDescription {
        let fields = try object(reference, "NSFetchIndexDescription")
        var index = FetchIndexDescription(name: try text(fields["NSIndexName"]))
        try Self.checkName(index.name, "a fetch index")
        place = "\(entity), index \(index.name)"
        for element in try unarchiver.list(fields["NSIndexElements"]) {
            index.elements.append(try fetchIndexElement(element))
        }
        index.partialIndexPredicate = try format(fields["NSPartialIndexPredicate"])
        return index
    }

    private mutating func fetchIndexElement(
        _ reference: PropertyList
    ) throws(ArchiveError) -> FetchIndexDescription.Element {
        let fields = try object(reference, "NSFetchIndexElementDescription")
        var element = FetchIndexDescription.Element(
            propertyName: try optionalText(fields["NSPropertyName"]))
        switch try Self.number(fields["NSFetchIndexElementType"], "the type of an index") {
        case 0: element.collation = .binary
        case 1: element.collation = .rTree
        case let type: throw ArchiveError("has an index of the type \(type), which is not known")
        }
        element.isAscending = Self.flag(fields["NSAscending"])
        let property = fields["NSIndexedProperty"]
        if unarchiver.isNil(property) { return element }
        let (described, className) = try object(property)
        if className == "NSExpressionDescription" {
            element.propertyName = nil
            element.expression = try Self.checked(
                unarchiver.expression(described["NSExpression"]).description)
            let number = try Self.number(described["NSExpressionResultType"], "a type")
            guard let type = AttributeType(rawValue: number) else {
                throw ArchiveError("has the attribute type \(number), which is not known")
            }
            element.expressionType = type == .undefined ? nil : type
        } else if element.propertyName == nil {
            element.propertyName = try text(described["NSPropertyName"])
        }
        return element
    }

    // MARK: Predicates

    /// The format string of an archived predicate; nil for nil.
    mutating func format(_ reference: PropertyList?) throws(ArchiveError) -> String? {
        if unarchiver.isNil(reference) { return nil }
        let text = try unarchiver.predicate(reference).predicateFormat
        guard let again = try? Predicate(format: text), again.predicateFormat == text else {
            throw ArchiveError(
                "contains a predicate that cannot be written as a text: \(text.prefix(200))")
        }
        return try Self.checked(text)
    }
}
