/// Reading compiled mapping models.

import SteleModel
import SteleModelFiles
import StelePredicates

/// Reads a `.cdm`: an archived NSMappingModel.
struct CompiledMappingReader {
    private var unarchiver: PredicateUnarchiver

    static func read(_ bytes: [UInt8], _ path: String) throws(ModelErrors) -> MappingFile {
        do throws(ArchiveError) {
            let archive = try KeyedArchive(reading: bytes)
            var reader = CompiledMappingReader(unarchiver: PredicateUnarchiver(archive))
            return MappingFile(path: path, mappings: try reader.mappingModel(archive.root))
        } catch {
            throw ModelErrors(path, "it " + error.message)
        }
    }

    private mutating func mappingModel(_ root: Int) throws(ArchiveError) -> MappingModel {
        let fields = try unarchiver.object(.uid(root)) { _, object, name throws(ArchiveError) in
            guard name == "NSMappingModel" else {
                throw ArchiveError(
                    "is an archive of the class \(name.prefix(100)), and NSMappingModel is expected"
                )
            }
            return object
        }
        var mappings: [EntityMapping] = []
        for reference in try unarchiver.list(fields["NSEntityMappings"]) {
            mappings.append(try entityMapping(reference))
        }
        return MappingModel(mappings)
    }

    private mutating func entityMapping(
        _ reference: PropertyList
    ) throws(ArchiveError) -> EntityMapping {
        let fields = try object(reference, "NSEntityMapping")
        let name = try unarchiver.text(fields["NSMappingName"])
        do throws(ArchiveError) {
            var mapping = EntityMapping(
                name: name,
                mappingType: fields["NSMappingType"]?.integer.flatMap {
                    EntityMapping.MappingType(rawValue: $0)
                } ?? .undefined,
                source: try optionalText(fields["NSSourceEntityName"]),
                destination: try optionalText(fields["NSDestinationEntityName"]))
            mapping.sourceEntityVersionHash = bytes(fields["NSSourceEntityVersionHash"])
            mapping.destinationEntityVersionHash = bytes(fields["NSDestinationEntityVersionHash"])
            mapping.entityMigrationPolicyClassName =
                try optionalText(fields["NSEntityMigrationPolicyClassName"])
            mapping.sourceFilter = try filter(fields["NSSourceExpression"])
            mapping.attributeMappings = try properties(fields["NSAttributeMappings"])
            mapping.relationshipMappings = try properties(fields["NSRelationshipMappings"])
            mapping.userInfo = try userInfo(fields["NSUserInfo"])
            return mapping
        } catch {
            throw ArchiveError("\(error.message), in the mapping \(name)")
        }
    }

    private mutating func properties(
        _ reference: PropertyList?
    ) throws(ArchiveError) -> [PropertyMapping] {
        if unarchiver.isNil(reference) { return [] }
        var mappings: [PropertyMapping] = []
        for element in try unarchiver.list(reference) {
            let fields = try object(element, "NSPropertyMapping")
            let name = try unarchiver.text(fields["NSDestinationPropertyName"])
            let expression = fields["NSValueExpression"]
            guard unarchiver.isNil(fields["NSPropertyTransforms"]) else {
                throw ArchiveError("has transforms of the property \(name), which are not known")
            }
            do throws(ArchiveError) {
                let value =
                    unarchiver.isNil(expression)
                    ? nil : PropertyMapping.Value(try unarchiver.expression(expression))
                mappings.append(PropertyMapping(name: name, value: value))
            } catch {
                throw ArchiveError("\(error.message), in the value of \(name)")
            }
        }
        return mappings
    }

    /// The condition in a source expression, which is
    /// `FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:', 'A', 'b'),
    /// $manager.sourceContext, NO)`.
    private mutating func filter(
        _ reference: PropertyList?
    ) throws(ArchiveError) -> Predicate? {
        if unarchiver.isNil(reference) { return nil }
        let expression = try unarchiver.expression(reference)
        guard case .function(PredicateUnarchiver.fetch, let parts) = expression,
            case .function(Self.request, let arguments)? = parts.first, arguments.count == 3,
            case .constant(.string(let text)) = arguments[2]
        else {
            throw ArchiveError("has a source expression that cannot be carried out: \(expression)")
        }
        return try Self.filter(text)
    }

    private static let request = "fetchRequestForSourceEntityNamed:predicateString:"

    private static func filter(_ text: String) throws(ArchiveError) -> Predicate? {
        do {
            let predicate = try Predicate(format: text)
            return predicate == .constant(true) ? nil : predicate
        } catch {
            throw ArchiveError("has the source filter '\(text.prefix(200))': \(error)")
        }
    }

    private mutating func userInfo(
        _ reference: PropertyList?
    ) throws(ArchiveError) -> [UserInfoEntry] {
        if unarchiver.isNil(reference) { return [] }
        return try unarchiver.object(reference) { unarchiver, object, _ throws(ArchiveError) in
            let keys = object["NS.keys"]?.array ?? []
            var entries: [UserInfoEntry] = []
            for (key, value) in zip(keys, object["NS.objects"]?.array ?? []) {
                entries.append(
                    UserInfoEntry(
                        key: try unarchiver.text(key), value: try unarchiver.text(value)))
            }
            return entries
        }
    }

    // MARK: Fields

    private mutating func object(
        _ reference: PropertyList, _ wanted: String
    ) throws(ArchiveError) -> PropertyList {
        try unarchiver.object(reference) { _, object, name throws(ArchiveError) in
            guard name == wanted else {
                throw ArchiveError(
                    "contains an object of the class \(name.prefix(100)) in place of \(wanted)")
            }
            return object
        }
    }

    /// The text; nil if it is absent or empty.
    private mutating func optionalText(
        _ reference: PropertyList?
    ) throws(ArchiveError) -> String? {
        if unarchiver.isNil(reference) { return nil }
        let text = try unarchiver.text(reference)
        return text.isEmpty ? nil : text
    }

    private func bytes(_ reference: PropertyList?) -> [UInt8]? {
        guard let place = reference?.uid, case .data(let bytes)? = unarchiver.archive[place] else {
            return nil
        }
        return bytes
    }
}
