/// Archiving attributes, relationships, fetched properties and fetch requests.

import SteleModel
import StelePredicates

/// The bits of `_P`, which an archive has of each property.
enum PropertyFlags {
    /// The bits of a property without user info, validation or hash modifier, and not optional.
    static let plain: Int64 = 1 | withoutValidation | withoutUserInfo | withoutModifier
    static let (optional, readOnly, transient): (Int64, Int64, Int64) = (2, 4, 8)
    static let (withoutValidation, withoutUserInfo, withoutModifier): (Int64, Int64, Int64) = (
        48, 64, 128
    )
    static let ordered: Int64 = 1024
}

extension CompiledModelWriter {
    mutating func property(
        _ property: PropertyDescription, of entity: Entity
    ) throws(ArchiveError) -> PropertyList {
        switch property {
        case .attribute(let it): try attribute(it, of: entity)
        case .relationship(let it): try relationship(it, of: entity)
        case .fetchedProperty(let it): try fetched(it, of: entity)
        }
    }

    /// The fields that all properties have.
    private mutating func fields(
        _ name: String, of entity: Entity, renaming: String?, modifier: String?,
        userInfo: [UserInfoEntry], isOptional: Bool, isTransient: Bool, flags: inout Int64
    ) throws(ArchiveError) -> [(String, PropertyList)] {
        var fields: [(String, PropertyList)] = [
            ("NSPropertyName", try text(name)), ("NSEntity", entities[entity.index]),
            ("NSRenamingIdentifier", try text(renaming ?? name)),
        ]
        if isOptional {
            fields.append(("NSIsOptional", true))
            flags |= PropertyFlags.optional
        }
        if isTransient {
            fields.append(("NSIsTransient", true))
            flags |= PropertyFlags.transient
        }
        if !userInfo.isEmpty {
            fields.append(("NSUserInfo", try self.userInfo(userInfo)))
            flags &= ~PropertyFlags.withoutUserInfo
        }
        if let modifier {
            fields.append(("NSVersionHashModifier", try text(modifier)))
            flags &= ~PropertyFlags.withoutModifier
        }
        return fields
    }

    // MARK: Attributes

    private mutating func attribute(
        _ it: AttributeDescription, of entity: Entity
    ) throws(ArchiveError) -> PropertyList {
        guard it.type != .composite else {
            throw ArchiveError(
                "is composite, and how the framework archives composite attributes is not known")
        }
        var flags = PropertyFlags.plain
        var fields = try fields(
            it.name, of: entity, renaming: it.renamingIdentifier, modifier: it.versionHashModifier,
            userInfo: it.userInfo, isOptional: it.isOptional, isTransient: it.isTransient,
            flags: &flags)
        let storage: Int64 =
            (it.allowsExternalBinaryDataStorage ? CompiledModelReader.externalStorage : 0)
            | (it.preservesValueInHistoryOnDeletion ? CompiledModelReader.preservation : 0)
        if case .string(let text) = it.defaultValue { _ = try CompiledModelReader.checked(text) }
        fields += [
            ("NSAttributeType", .integer(Int64(it.type.rawValue))),
            ("NSAttributeValueClassName", try optionalText(it.valueClassName)),
            ("NSValueTransformerName", try optionalText(it.valueTransformerName)),
            ("NSFlagsKey", .integer(storage)), ("NSDefaultValue", defaultValue(it)),
        ]
        if isIndexed(it, in: entity) { fields.append(("NSIsIndexed", true)) }
        fields += try validation(it, flags: &flags)
        guard it.derivationExpression != nil else {
            fields.append(("_P", .integer(flags)))
            return archiver.object("NSAttributeDescription", fields)
        }
        fields += [
            ("NSIsReadOnly", true), ("NSFilteringPredicate", KeyedArchiveWriter.null),
            ("NSDerivationExpression", try derivation(of: it, in: entity)),
            ("_P", .integer(flags | PropertyFlags.readOnly)),
        ]
        return archiver.object("NSDerivedAttributeDescription", fields)
    }

    private mutating func defaultValue(_ it: AttributeDescription) -> PropertyList {
        guard it.type == .uri, case .string(let address) = it.defaultValue else {
            return archiver.add(it.defaultValue)
        }
        return archiver.object(
            "NSURL",
            [("NS.base", KeyedArchiveWriter.null), ("NS.relative", archiver.text(address))])
    }

    /// The compiler also marks an attribute that is the only element of a fetch index as indexed.
    private func isIndexed(_ it: AttributeDescription, in entity: Entity) -> Bool {
        it.isIndexed
            || entity.declaration.fetchIndexes.contains {
                $0.elements.count == 1 && $0.elements[0].propertyName == it.name
            }
    }

    private mutating func derivation(
        of it: AttributeDescription, in entity: Entity
    ) throws(ArchiveError) -> PropertyList {
        let derivation: Derivation?
        do {
            derivation = try entity.attribute(named: it.name).flatMap {
                try Derivation($0, of: entity, in: model)
            }
        } catch {
            throw ArchiveError("has a derivation that cannot be read: \(error)")
        }
        guard let derivation else { return KeyedArchiveWriter.null }
        return try archiver.add(derivation.expression)
    }

    // MARK: Relationships

    /// The object of a relationship, which its inverse refers to.
    private mutating func reference(to name: String, of entity: Entity) -> PropertyList {
        if let known = relationships[entity.index]?[name] { return known }
        let made = archiver.archive.reserve()
        relationships[entity.index, default: [:]][name] = made
        return made
    }

    private mutating func relationship(
        _ it: RelationshipDescription, of entity: Entity
    ) throws(ArchiveError) -> PropertyList {
        let made = reference(to: it.name, of: entity)
        var flags = PropertyFlags.plain
        var fields = try fields(
            it.name, of: entity, renaming: it.renamingIdentifier, modifier: it.versionHashModifier,
            userInfo: it.userInfo, isOptional: it.isOptional, isTransient: it.isTransient,
            flags: &flags)
        if it.isOrdered {
            fields.append(("NSIsOrdered", true))
            flags |= PropertyFlags.ordered
        }
        if it.isIndexed { fields.append(("NSIsIndexed", true)) }
        fields += [
            ("NSDestinationEntity", try self.entity(it.destinationName)),
            ("_NSDestinationEntityName", try text(it.destinationName)),
            ("NSInverseRelationship", try inverse(of: it)),
            ("_NSInverseRelationshipName", try optionalText(it.inverseName)),
            ("NSDeleteRule", .integer(Int64(it.deleteRule.rawValue))),
            ("NSMinCount", .integer(Int64(it.minimumCount))),
            ("NSMaxCount", .integer(it.isToMany ? Int64(it.maximumCount) : 1)),
            ("_P", .integer(flags)),
        ]
        archiver.archive.fill(
            made, ArchivedClass.hierarchy(of: "NSRelationshipDescription"), fields)
        return made
    }

    /// The object of the inverse, which the entity that the relationship names may inherit.
    private mutating func inverse(
        of it: RelationshipDescription
    ) throws(ArchiveError) -> PropertyList {
        guard let name = it.inverseName else { return KeyedArchiveWriter.null }
        var owner = model.entity(named: it.inverseEntityName ?? it.destinationName)
        while let entity = owner {
            if entity.declaration.properties.contains(where: { $0.name == name }) {
                return reference(to: name, of: entity)
            }
            owner = entity.parent.map { model.entities[$0] }
        }
        throw ArchiveError("has an inverse \(name), which does not exist")
    }

    // MARK: Requests

    private mutating func fetched(
        _ it: FetchedPropertyDescription, of entity: Entity
    ) throws(ArchiveError) -> PropertyList {
        var flags = PropertyFlags.plain | PropertyFlags.readOnly
        let fields = try fields(
            it.name, of: entity, renaming: nil, modifier: nil, userInfo: it.userInfo,
            isOptional: it.isOptional, isTransient: true, flags: &flags)
        return archiver.object(
            "NSFetchedPropertyDescription",
            fields + [
                ("NSIsReadOnly", true),
                ("_NSFetchRequestEntityName", try text(it.request.entityName)),
                ("NSFetchRequest", try fetchRequest(it.request)), ("_P", .integer(flags)),
            ])
    }

    /// A fetch request. The compiler sets what NSFetchRequest sets, whatever the model says.
    mutating func fetchRequest(_ it: FetchRequestTemplate) throws(ArchiveError) -> PropertyList {
        var flags: Int64 = 2 | 8
        if it.returnsDistinctResults { flags |= 1 }
        if it.resultType.usuallyIncludesPropertyValues { flags |= 4 }
        if it.resultType.usuallyIncludesPendingChanges { flags |= 16 }
        var fields: [(String, PropertyList)] = [
            ("NSEntity", try entity(it.entityName)),
            ("NSPredicate", try predicate(it.predicateFormat)),
            ("NSHasFetchRequestFlags", true), ("NSFetchRequestFlags", .integer(flags)),
            ("NSResultType", .integer(Int64(it.resultType.rawValue))),
            ("NSFetchLimit", .integer(Int64(it.fetchLimit))),
            ("NSBatchSize", .integer(Int64(it.fetchBatchSize))),
            ("NSFetchOffset", 0), ("NSAllocationType", 0),
        ]
        let absent = [
            "NSSortDescriptors", "NSValuesToFetch", "NSValuesToGroupBy", "NSHavingPredicate",
            "NSRelationshipKeyPathsForPrefetching",
        ]
        fields += absent.map { ($0, KeyedArchiveWriter.null) }
        return archiver.object("NSFetchRequest", fields)
    }
}

extension AttributeDescription {
    /// The class of the values in Foundation; that of a transformable attribute may not be known.
    fileprivate var valueClassName: String? {
        switch type {
        case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
        case .decimal: "NSDecimalNumber"
        case .string: "NSString"
        case .date: "NSDate"
        case .binary: "NSData"
        case .uuid: "NSUUID"
        case .uri: "NSURL"
        case .transformable: customClassName
        case .objectID: "NSManagedObjectID"
        case .undefined, .composite: nil
        }
    }
}

extension Derivation {
    /// The expression, in the form that the framework archives.
    fileprivate var expression: Expression {
        switch source {
        case .now: .function(PredicateFunction.now.rawValue, [])
        case .count(let it): .function(PredicateFunction.count.rawValue, [.key(it.name)])
        case .sum(let it, let summed):
            .function(
                PredicateFunction.sum.rawValue,
                [.keyPath(.evaluatedObject, [it.name] + summed.path)])
        case .value(let across, let it, let function):
            switch function {
            case nil: .keyPath(.evaluatedObject, across.map(\.name) + it.path)
            case let function?:
                .function(
                    function.rawValue + ":",
                    [.keyPath(.evaluatedObject, across.map(\.name) + it.path)])
            }
        }
    }
}

extension Attribute {
    /// The keys of an attribute in a composite, or its name.
    fileprivate var path: [String] {
        name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }
}
