/// Archived attributes, relationships, fetched properties and fetch requests.

import SteleModel
import StelePredicates

extension CompiledModelReader {
    /// The bits of NSFlagsKey.
    static let (externalStorage, preservation): (Int64, Int64) = (4, 16)

    /// - Parameter composite: the composite of a composite attribute.
    mutating func attribute(
        _ name: String, _ fields: PropertyList, composite: String? = nil
    ) throws(ArchiveError) -> AttributeDescription {
        let type = composite == nil ? try attributeType(fields) : .composite
        var attribute = AttributeDescription(name: name, type: type)
        attribute.compositeName = composite
        attribute.isOptional = Self.flag(fields["NSIsOptional"])
        attribute.isTransient = Self.flag(fields["NSIsTransient"])
        let flags = try Self.number(fields["NSFlagsKey"], "flags")
        attribute.allowsExternalBinaryDataStorage = flags & Int(Self.externalStorage) != 0
        attribute.preservesValueInHistoryOnDeletion = flags & Int(Self.preservation) != 0
        attribute.valueTransformerName = try optionalText(fields["NSValueTransformerName"])
        if type == .transformable {
            attribute.customClassName = try optionalText(fields["NSAttributeValueClassName"])
        }
        attribute.renamingIdentifier = try renamingIdentifier(fields, of: name)
        attribute.versionHashModifier = try optionalText(fields["NSVersionHashModifier"])
        attribute.userInfo = try userInfo(fields)
        attribute.defaultValue = try defaultValue(fields["NSDefaultValue"], type)
        try readValidation(fields["NSValidationPredicates"], into: &attribute)
        if Self.flag(fields["NSAllowsCloudEncryption"]) {
            findings.note(place, "it allows encryption in the cloud, which has no effect")
        }
        return attribute
    }

    private func attributeType(_ fields: PropertyList) throws(ArchiveError) -> AttributeType {
        let number = try Self.number(fields["NSAttributeType"], "the type of an attribute")
        guard let type = AttributeType(rawValue: number), type != .composite else {
            throw ArchiveError("has the attribute type \(number), which is not known")
        }
        return type
    }

    private mutating func defaultValue(
        _ reference: PropertyList?, _ type: AttributeType
    ) throws(ArchiveError) -> Value {
        if unarchiver.isNil(reference) { return .null }
        if [.transformable, .undefined, .objectID, .composite].contains(type) {
            findings.note(
                place, "its default is an object, which a model file does not have, and is ignored")
            return .null
        }
        let archived = try unarchiver.value(reference)
        if archived.isNull { return .null }
        guard let value = ArchivedNumber.value(archived, type) else {
            findings.error(place, "its default is not of the type \(type.name)")
            return .null
        }
        if case .date(let seconds) = value, !Value.isDate(seconds) {
            // The model of an app or its store cannot be edited.
            findings.note(
                place,
                "its default \(seconds) is beyond the years that a date can have, and is ignored")
            return .null
        }
        if case .string(let text) = value { _ = try Self.checked(text) }
        return value
    }

    /// The expression of a derived attribute, in the form of a `contents` file.
    mutating func derivation(_ fields: PropertyList) throws(ArchiveError) -> String {
        if !unarchiver.isNil(fields["NSFilteringPredicate"]) {
            findings.error(place, "its derivation has a filter, which is not supported")
        }
        let reference = fields["NSDerivationExpression"]
        // Without an expression the attribute is still derived, and the check reports the error.
        if unarchiver.isNil(reference) { return "" }
        let expression = try unarchiver.expression(reference)
        guard case .function(let name, let arguments) = expression else {
            return expression.description
        }
        if name == PredicateFunction.now.rawValue { return "now()" }
        guard arguments.count == 1, case .keyPath(.evaluatedObject, let keys) = arguments[0] else {
            return expression.description
        }
        let path = keys.joined(separator: ".")
        switch PredicateFunction(rawValue: name) {
        case .count?: return path + ".@count"
        case .sum?: return path + ".@sum"
        default: return "\(name)(\(path))"
        }
    }

    // MARK: Relationships

    mutating func relationship(
        _ name: String, _ fields: PropertyList
    ) throws(ArchiveError) -> RelationshipDescription {
        let destination = try entityName(
            fields["_NSDestinationEntityName"], or: fields["NSDestinationEntity"])
        var result = RelationshipDescription(name: name, destinationName: destination)
        result.isOptional = Self.flag(fields["NSIsOptional"])
        result.isTransient = Self.flag(fields["NSIsTransient"])
        result.isOrdered = Self.flag(fields["NSIsOrdered"])
        let maximum = try Self.count(fields["NSMaxCount"])
        result.minimumCount = max(try Self.count(fields["NSMinCount"]), 0)
        // A to-many without a bound has 0, or -1 where a program made the model.
        result.maximumCount = max(maximum, 0)
        result.isToMany = maximum != 1
        let rule = try Self.number(fields["NSDeleteRule"], "a delete rule")
        guard let deleteRule = DeleteRule(rawValue: rule) else {
            throw ArchiveError("has the delete rule \(rule), which is not known")
        }
        result.deleteRule = deleteRule
        result.renamingIdentifier = try renamingIdentifier(fields, of: name)
        result.versionHashModifier = try optionalText(fields["NSVersionHashModifier"])
        result.userInfo = try userInfo(fields)
        try readInverse(fields, into: &result)
        return result
    }

    private mutating func readInverse(
        _ fields: PropertyList, into result: inout RelationshipDescription
    ) throws(ArchiveError) {
        let reference = fields["NSInverseRelationship"]
        if unarchiver.isNil(reference) {
            result.inverseName = try optionalText(fields["_NSInverseRelationshipName"])
            result.inverseEntityName = result.inverseName.map { _ in result.destinationName }
            return
        }
        let inverse = try object(reference, "NSRelationshipDescription")
        result.inverseName = try text(inverse["NSPropertyName"])
        // Some archives leave out the entity of a property.
        result.inverseEntityName =
            unarchiver.isNil(inverse["NSEntity"])
            ? result.destinationName : try entityName(inverse["NSEntity"])
    }

    // MARK: Requests

    mutating func fetched(
        _ name: String, _ fields: PropertyList
    ) throws(ArchiveError) -> FetchedPropertyDescription {
        let request = try fetchRequest(
            ContentsFormat.fetchedPropertyRequestName, fields["NSFetchRequest"],
            entity: fields["_NSFetchRequestEntityName"])
        var result = FetchedPropertyDescription(name: name, request: request)
        result.isOptional = Self.flag(fields["NSIsOptional"])
        result.userInfo = try userInfo(fields)
        return result
    }

    /// Reads a template of the model, or the request of a fetched property.
    /// - Parameter entity: a reference to the name of its entity; nil if the request has it.
    mutating func fetchRequest(
        _ name: String, _ reference: PropertyList?, entity: PropertyList? = nil
    ) throws(ArchiveError) -> FetchRequestTemplate {
        let fields = try object(reference, "NSFetchRequest")
        var request = FetchRequestTemplate(
            name: name,
            entityName: try entityName(entity ?? fields["NSEntityName"], or: fields["NSEntity"]))
        request.predicateFormat = try format(fields["NSPredicate"])
        request.fetchLimit = max(try Self.count(fields["NSFetchLimit"]), 0)
        request.fetchBatchSize = max(try Self.number(fields["NSBatchSize"], "a batch size"), 0)
        let number = try Self.number(fields["NSResultType"], "a result type")
        guard let type = FetchRequestTemplate.ResultType(rawValue: number) else {
            throw ArchiveError("has a fetch request of the result type \(number)")
        }
        request.resultType = type
        // Without flags a request is as NSFetchRequest makes it.
        let flags =
            fields["NSFetchRequestFlags"] == nil
            ? 30 : try Self.number(fields["NSFetchRequestFlags"], "flags")
        request.returnsDistinctResults = flags & 1 != 0
        request.includesSubentities = flags & 2 != 0
        request.includesPropertyValues = flags & 4 != 0
        request.returnsObjectsAsFaults = flags & 8 != 0
        request.includesPendingChanges = flags & 16 != 0
        try noteRest(of: fields)
        return request
    }

    /// Notes what a request has that no model file keeps.
    private mutating func noteRest(of fields: PropertyList) throws(ArchiveError) {
        let parts = [
            ("NSSortDescriptors", "sort descriptors"), ("NSValuesToFetch", "values to fetch"),
            ("NSValuesToGroupBy", "values to group by"),
            ("NSHavingPredicate", "a condition on groups"),
        ]
        for (key, words) in parts where !unarchiver.isNil(fields[key]) {
            findings.note(
                place,
                "its fetch request has \(words), which a model file does not have, and "
                    + "which are ignored")
        }
        if try Self.number(fields["NSFetchOffset"], "an offset") != 0 {
            findings.note(
                place,
                "its fetch request has an offset, which a model file does not have, and "
                    + "which is ignored")
        }
    }
}
