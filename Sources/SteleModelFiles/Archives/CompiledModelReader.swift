/// Reading compiled models.

import SteleModel
import StelePredicates

/// Reads a compiled model: an archived NSManagedObjectModel, in a `.mom` file or in the model cache
/// of a store.
///
/// The archive has no order of entities and properties. They are read in the order that Xcode
/// writes: by name, attributes before relationships before fetched properties.
package struct CompiledModelReader {
    var unarchiver: PredicateUnarchiver
    let findings = Findings()
    /// The entity, property or request that is being read, for messages.
    var place = ""
    /// The composites of the attributes that have been read.
    var composites: [CompositeDescription] = []
    var compositeNames: Set<String> = []

    /// Reads a model from the bytes of an archive.
    /// - Parameters:
    ///   - name: the name of the model, which the archive does not have.
    ///   - path: the file of the archive, for messages.
    /// - Returns: the model, and notes on what it has that a model file cannot keep.
    /// - Throws: `ModelErrors` for bytes that are no archive of a model, for an object that is
    ///   missing, of an unknown class or refers to itself, and for values that are not of their
    ///   type. Each error names the file, the entity and the property.
    package static func read(
        _ bytes: [UInt8], name: String, place path: String
    ) throws(ModelErrors) -> (ManagedObjectModel, notes: [ModelError]) {
        let archive: KeyedArchive
        do { archive = try KeyedArchive(reading: bytes) } catch {
            throw ModelErrors(
                path,
                "it is no compiled model, which is a binary keyed archive: it "
                    + error.message)
        }
        var reader = CompiledModelReader(unarchiver: PredicateUnarchiver(archive))
        let model: ManagedObjectModel
        do { model = try reader.model(archive.root, name: name) } catch {
            let place = reader.place.isEmpty ? path : "\(path), \(reader.place)"
            throw ModelErrors(place, "its archive " + error.message)
        }
        let errors = reader.findings.errors
        guard errors.isEmpty else {
            throw ModelErrors(
                errors.map { ModelError("\(path), \($0.place)", $0.message, hint: $0.hint) })
        }
        return (model, reader.findings.notes)
    }

    private mutating func model(
        _ root: Int, name: String
    ) throws(ArchiveError) -> ManagedObjectModel {
        let (fields, className) = try object(.uid(root))
        guard className == "NSManagedObjectModel" else { throw Self.otherRoot(className) }
        var model = ManagedObjectModel(name: name)
        model.versionIdentifier = try versionIdentifier(fields["NSVersionIdentifiers"])
        for (name, reference) in try dictionary(fields["NSEntities"]) {
            place = name
            model.entities.append(try entity(reference))
        }
        model.composites = composites.sorted { $0.name < $1.name }
        for (name, reference) in try dictionary(fields["NSFetchRequestTemplates"]) {
            try Self.checkName(name, "a fetch request")
            place = "fetch request \(name)"
            model.fetchRequestTemplates.append(try fetchRequest(name, reference))
        }
        for (name, reference) in try dictionary(fields["NSConfigurations"])
        where name != Self.defaultConfiguration {
            try Self.checkName(name, "a configuration")
            place = "configuration \(name)"
            var configuration = ConfigurationDescription(name: name)
            for member in try unarchiver.list(reference) {
                configuration.entityNames.append(try entityName(member))
            }
            configuration.entityNames.sort()
            model.configurations.append(configuration)
        }
        place = ""
        return model
    }

    /// The configuration of all entities, which a few archives name.
    private static let defaultConfiguration = "PF_DEFAULT_CONFIGURATION_NAME"

    private static func otherRoot(_ name: String) -> ArchiveError {
        switch name {
        case "XDPMModel", "XDPMBaseModel":
            ArchiveError(
                "is a model of Xcode 3 (elements), which cannot be read: save it once in Xcode 4 "
                    + "or later, which writes a contents file")
        case "NSMappingModel":
            ArchiveError(
                "is a compiled mapping model, and a model is expected: mapping models are found "
                    + "in the folder of the model")
        default:
            ArchiveError(
                "has an object of the class \(name.prefix(100)) at its root, and "
                    + "NSManagedObjectModel is expected")
        }
    }

    private mutating func versionIdentifier(
        _ reference: PropertyList?
    ) throws(ArchiveError) -> String {
        if unarchiver.isNil(reference) { return "" }
        var all: [String] = []
        for element in try unarchiver.list(reference) {
            if let text = text(in: element) { all.append(try Self.checked(text)) }
        }
        all.sort()
        if all.count > 1 {
            findings.note(
                "",
                "it has the version identifiers \(all.joined(separator: ", ")), and a model "
                    + "file has one: the first is used")
        }
        return all.first ?? ""
    }

    // MARK: Objects and fields

    /// Checks that a name has characters: the other forms of a model have no place for another.
    static func checkName(_ name: String, _ what: String) throws(ArchiveError) {
        if name.isEmpty { throw ArchiveError("contains \(what) without a name") }
    }

    /// The values and the class of an object.
    mutating func object(
        _ reference: PropertyList?
    ) throws(ArchiveError) -> (fields: PropertyList, className: String) {
        try unarchiver.object(reference) { _, object, name in (object, name) }
    }

    /// The values of an object of a class.
    mutating func object(
        _ reference: PropertyList?, _ wanted: String
    ) throws(ArchiveError) -> PropertyList {
        let (fields, name) = try object(reference)
        guard name == wanted else {
            throw ArchiveError(
                "contains an object of the class \(name.prefix(100)) in place of \(wanted)")
        }
        return fields
    }

    /// The name of the entity that a reference names.
    mutating func entityName(_ reference: PropertyList?) throws(ArchiveError) -> String {
        try text(object(reference, "NSEntityDescription")["NSEntityName"])
    }

    /// The name that a reference to a text or else one to an entity names.
    mutating func entityName(
        _ name: PropertyList?, or entity: PropertyList?
    ) throws(ArchiveError) -> String {
        if let name = try optionalText(name) { return name }
        return try entityName(entity)
    }

    /// The text; nil if it is absent or empty.
    mutating func optionalText(_ reference: PropertyList?) throws(ArchiveError) -> String? {
        if unarchiver.isNil(reference) { return nil }
        let found = try text(reference)
        return found.isEmpty ? nil : found
    }

    /// The text that a reference names.
    mutating func text(_ reference: PropertyList?) throws(ArchiveError) -> String {
        try Self.checked(unarchiver.text(reference))
    }

    /// The text, which a model file must be able to have.
    static func checked(_ text: String) throws(ArchiveError) -> String {
        guard text.isInXML else {
            throw ArchiveError("has a text with a control character, which XML cannot represent")
        }
        return text
    }

    /// The text that a reference names; nil for an object that is no text.
    func text(in reference: PropertyList) -> String? {
        reference.uid.flatMap { unarchiver.archive[$0] }.flatMap { unarchiver.archive.text($0) }
    }

    /// Whether a flag is set. Archives leave out those that are not.
    static func flag(_ value: PropertyList?) -> Bool {
        switch value {
        case .bool(let it): it
        case .integer(let it): it != 0
        default: false
        }
    }

    /// A number of a field; 0 if it is absent.
    static func number(_ value: PropertyList?, _ name: String) throws(ArchiveError) -> Int {
        guard let value else { return 0 }
        guard let number = value.integer else {
            throw ArchiveError("has no number for \(name)")
        }
        return number
    }

    /// A number of objects, which a model file has as 32 bits.
    static func count(_ value: PropertyList?) throws(ArchiveError) -> Int {
        let count = try number(value, "a count")
        guard count <= Int(Int32.max) else { throw ArchiveError("has the count \(count)") }
        return count
    }

    /// The keys and values of a dictionary, sorted by the keys; none for nil.
    mutating func dictionary(
        _ reference: PropertyList?
    ) throws(ArchiveError) -> [(key: String, value: PropertyList)] {
        if unarchiver.isNil(reference) { return [] }
        let (fields, name) = try object(reference)
        let (keys, values): ([PropertyList], [PropertyList])
        switch name {
        case "NSDictionary", "NSMutableDictionary":
            (keys, values) = (fields["NS.keys"]?.array ?? [], fields["NS.objects"]?.array ?? [])
        case "NSKnownKeysDictionary1":
            let strategy = try object(fields["searchMapping"], "NSKnownKeysMappingStrategy1")
            keys = try unarchiver.list(strategy["keys"])
            values = try unarchiver.list(fields["values"])
        default:
            throw ArchiveError(
                "contains an object of the class \(name.prefix(100)) in place of a dictionary")
        }
        guard keys.count == values.count else {
            throw ArchiveError(
                "contains a dictionary with \(keys.count) keys and \(values.count) values")
        }
        // A known key without a value has this token in its place.
        let absent = fields["emptyToken"]?.uid
        var entries: [(key: String, value: PropertyList)] = []
        for (key, value) in zip(keys, values)
        where !unarchiver.isNil(value) && value.uid != absent {
            entries.append((try text(key), value))
        }
        return entries.sorted { $0.key < $1.key }
    }

    /// The user info dictionary in an object's fields.
    mutating func userInfo(_ fields: PropertyList) throws(ArchiveError) -> [UserInfoEntry] {
        var entries: [UserInfoEntry] = []
        for (key, value) in try dictionary(fields["NSUserInfo"]) {
            if text(in: value) != nil {
                entries.append(UserInfoEntry(key: key, value: try text(value)))
            } else {
                findings.note(
                    place, "its user info has a value for \(key) that is no text and is ignored")
            }
        }
        return entries
    }

    /// The name in the previous version: every archived object has one, by default its own.
    mutating func renamingIdentifier(
        _ fields: PropertyList, of name: String
    ) throws(ArchiveError) -> String? {
        let identifier = try optionalText(fields["NSRenamingIdentifier"])
        return identifier == name ? nil : identifier
    }
}
