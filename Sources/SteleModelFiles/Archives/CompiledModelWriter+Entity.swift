/// Archiving entities and their indexes.

import SteleModel
import StelePredicates

extension CompiledModelWriter {
    mutating func write(_ entity: Entity) throws(ArchiveError) {
        let declaration = entity.declaration
        var subentities: [(String, PropertyList)] = []
        for other in model.entities where other.parent == entity.index {
            subentities.append((other.name, entities[other.index]))
        }
        var fields: [(String, PropertyList)] = [
            ("NSEntityName", try text(entity.name)),
            ("NSClassNameForEntity", try optionalText(declaration.managedObjectClassName)),
            ("NSRenamingIdentifier", try text(declaration.renamingIdentifier ?? entity.name)),
            ("NSVersionHashModifier", try optionalText(declaration.versionHashModifier)),
            ("NSUserInfo", try userInfo(declaration.userInfo)),
            ("NSManagedObjectModel", root),
            ("NSSuperentity", entity.parent.map { entities[$0] } ?? KeyedArchiveWriter.null),
            ("NSSubentities", try dictionary(subentities)),
        ]
        if declaration.isAbstract { fields.append(("NSIsAbstract", true)) }
        let constraints = declaration.uniquenessConstraints
        if !constraints.isEmpty { fields.append(("NSUniqueTuples", try lists(constraints))) }
        fields += try indexes(of: entity)
        var properties: [(String, PropertyList)] = []
        for property in declaration.properties.sorted(by: { $0.name < $1.name }) {
            place = "\(entity.name).\(property.name)"
            properties.append((property.name, try self.property(property, of: entity)))
        }
        place = entity.name
        fields.append(("NSProperties", try dictionary(properties)))
        archiver.archive.fill(
            entities[entity.index], ArchivedClass.hierarchy(of: "NSEntityDescription"), fields)
    }

    // MARK: Indexes

    /// The indexes of an entity. The compiler repeats fetch indexes of several properties in the
    /// older form.
    private mutating func indexes(
        of entity: Entity
    ) throws(ArchiveError) -> [(String, PropertyList)] {
        let declaration = entity.declaration
        var repeated: [[String]] = []
        var all: [PropertyList] = []
        for index in declaration.fetchIndexes {
            place = "\(entity.name), index \(index.name)"
            all.append(try fetchIndex(index, of: entity))
            let names = index.elements.compactMap(\.propertyName)
            if names.count > 1, names.count == index.elements.count, !repeated.contains(names) {
                repeated.append(names)
            }
        }
        place = entity.name
        let own = declaration.compoundIndexes.filter { !repeated.contains($0) }
        if all.isEmpty, own.isEmpty { return [] }
        let compound = ("NSCompoundIndexes", try lists(repeated + own))
        return all.isEmpty
            ? [compound] : [("NSFetchIndexDescriptions", mutableList(all)), compound]
    }

    private mutating func fetchIndex(
        _ index: FetchIndexDescription, of entity: Entity
    ) throws(ArchiveError) -> PropertyList {
        let made = archiver.archive.reserve()
        var elements: [PropertyList] = []
        for element in index.elements {
            elements.append(try self.element(element, of: made, entity))
        }
        archiver.archive.fill(
            made, ArchivedClass.hierarchy(of: "NSFetchIndexDescription"),
            [
                ("NSIndexName", try text(index.name)),
                ("NSEntity", entities[entity.index]),
                ("NSIndexElements", archiver.list(elements)),
                ("NSPartialIndexPredicate", try predicate(index.partialIndexPredicate)),
            ])
        return made
    }

    private mutating func element(
        _ element: FetchIndexDescription.Element, of index: PropertyList, _ entity: Entity
    ) throws(ArchiveError) -> PropertyList {
        var fields: [(String, PropertyList)] = [
            ("NSFetchIndexElementType", element.collation == .rTree ? 1 : 0),
            ("NSFetchIndexDescription", index), ("NSAscending", .bool(element.isAscending)),
        ]
        if let expression = element.expression {
            let parsed: Expression
            do { parsed = try Expression(format: CompiledModelReader.checked(expression)) } catch {
                throw Self.unparsed(error, "expression", expression)
            }
            let type = element.expressionType ?? .undefined
            let described = archiver.object(
                "NSExpressionDescription",
                [
                    ("NSExpression", try archiver.add(parsed)),
                    ("NSExpressionResultType", .integer(Int64(type.rawValue))),
                    ("NSEntity", entities[entity.index]),
                    ("_P", .integer(PropertyFlags.plain)),
                ])
            fields.append(("NSIndexedProperty", described))
        }
        fields.append(("NSPropertyName", try optionalText(element.propertyName)))
        return archiver.object("NSFetchIndexElementDescription", fields)
    }
}
