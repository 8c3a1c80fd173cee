/// Writing compiled models.

import SteleModel
import StelePredicates

/// Writes a compiled model: an archived NSManagedObjectModel, as Xcode's compiler makes it.
///
/// Each property is with the entity that declares it. What only the editor of a model file reads is
/// not in an archive, and neither are composite types. Properties, fetch requests, configurations
/// and their members are in the order of their names, as `CompiledModelReader` has them: the same
/// model has the same bytes.
package struct CompiledModelWriter {
    let model: Model
    var archiver = PredicateArchiver()
    /// The model's own object.
    let root: PropertyList
    /// The objects of the entities, in their order in the model.
    var entities: [PropertyList] = []
    /// The objects of relationships, by the name and the index of the entity.
    var relationships: [Int: [String: PropertyList]] = [:]
    /// The user info of all that have none.
    private var emptyInfo: PropertyList?
    /// The entity, property or request that is being written, for messages.
    var place = ""

    private init(_ model: Model) {
        self.model = model
        root = archiver.archive.reserve()
        for _ in model.entities { entities.append(archiver.archive.reserve()) }
    }

    /// Writes a model.
    /// - Returns: the bytes of an archive.
    /// - Throws: `ModelErrors` for what no archive can have, with the entity and the property: a
    ///   composite attribute, a text that cannot be read again, and a predicate that cannot be
    ///   parsed or is nested too deeply.
    package static func bytes(of model: Model) throws(ModelErrors) -> [UInt8] {
        var writer = CompiledModelWriter(model)
        do { try writer.write() } catch {
            let place = writer.place.isEmpty ? model.name : writer.place
            throw ModelErrors(place, "it cannot be compiled: it " + error.message)
        }
        return writer.archiver.archive.bytes(root: writer.root)
    }

    private mutating func write() throws(ArchiveError) {
        let declaration = model.declaration
        var named: [(String, PropertyList)] = []
        for entity in model.entities {
            place = entity.name
            try write(entity)
            named.append((entity.name, entities[entity.index]))
        }
        place = ""
        var fields = [("NSEntities", try dictionary(named))]
        var requests: [(String, PropertyList)] = []
        for request in declaration.fetchRequestTemplates.sorted(by: { $0.name < $1.name }) {
            place = "fetch request \(request.name)"
            requests.append((request.name, try fetchRequest(request)))
        }
        place = ""
        let templates = requests.isEmpty ? KeyedArchiveWriter.null : try dictionary(requests)
        fields.append(("NSFetchRequestTemplates", templates))
        let identifiers = [try text(declaration.versionIdentifier)]
        fields.append(("NSVersionIdentifiers", set(identifiers)))
        if !declaration.configurations.isEmpty {
            var groups: [(String, PropertyList)] = []
            for configuration in declaration.configurations.sorted(by: { $0.name < $1.name }) {
                place = "configuration \(configuration.name)"
                var members: [PropertyList] = []
                for name in configuration.entityNames.sorted() { members.append(try entity(name)) }
                groups.append((configuration.name, set(members)))
            }
            fields.append(("NSConfigurations", try dictionary(groups)))
        }
        archiver.archive.fill(root, ArchivedClass.hierarchy(of: "NSManagedObjectModel"), fields)
    }

    // MARK: Objects

    /// The object of an entity.
    func entity(_ name: String) throws(ArchiveError) -> PropertyList {
        guard let found = model.entity(named: name) else {
            throw ArchiveError("names an entity \(name), which the model does not have")
        }
        return entities[found.index]
    }

    /// A text that reading accepts.
    mutating func text(_ text: String) throws(ArchiveError) -> PropertyList {
        archiver.text(try CompiledModelReader.checked(text))
    }

    /// The text, or nil.
    mutating func optionalText(_ text: String?) throws(ArchiveError) -> PropertyList {
        guard let text else { return KeyedArchiveWriter.null }
        return try self.text(text)
    }

    /// An NSMutableDictionary with texts as keys.
    mutating func dictionary(
        _ entries: [(String, PropertyList)], _ name: String = "NSMutableDictionary"
    ) throws(ArchiveError) -> PropertyList {
        var keys: [PropertyList] = []
        for entry in entries { keys.append(try text(entry.0)) }
        return archiver.object(
            name, [("NS.keys", .array(keys)), ("NS.objects", .array(entries.map(\.1)))])
    }

    private mutating func set(_ members: [PropertyList]) -> PropertyList {
        archiver.object("NSSet", [("NS.objects", .array(members))])
    }

    /// An NSMutableArray.
    mutating func mutableList(_ elements: [PropertyList]) -> PropertyList {
        archiver.object("NSMutableArray", [("NS.objects", .array(elements))])
    }

    /// Lists of names, each an NSMutableArray.
    mutating func lists(_ lists: [[String]]) throws(ArchiveError) -> PropertyList {
        var all: [PropertyList] = []
        for names in lists {
            var elements: [PropertyList] = []
            for name in names { elements.append(try text(name)) }
            all.append(mutableList(elements))
        }
        return mutableList(all)
    }

    /// A user info dictionary.
    mutating func userInfo(_ info: [UserInfoEntry]) throws(ArchiveError) -> PropertyList {
        if info.isEmpty, let emptyInfo { return emptyInfo }
        var entries: [(String, PropertyList)] = []
        for entry in info { entries.append((entry.key, try text(entry.value))) }
        let made = try dictionary(entries, "NSDictionary")
        if info.isEmpty { emptyInfo = made }
        return made
    }

    // MARK: Predicates

    /// The predicate of a format string; nil for none.
    mutating func predicate(_ format: String?) throws(ArchiveError) -> PropertyList {
        guard let format, !format.isEmpty else { return KeyedArchiveWriter.null }
        let parsed: Predicate
        do { parsed = try Predicate(format: CompiledModelReader.checked(format)) } catch {
            throw Self.unparsed(error, "predicate", format)
        }
        return try archiver.add(parsed)
    }

    /// The error for a text that cannot be parsed.
    static func unparsed(_ error: any Error, _ kind: String, _ text: String) -> ArchiveError {
        if let error = error as? ArchiveError { return error }
        let reason = (error as? PredicateError)?.message ?? "\(error)"
        return ArchiveError("has the \(kind) \(text.prefix(200)), which cannot be read: \(reason)")
    }
}
