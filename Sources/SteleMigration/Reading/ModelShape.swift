/// The models that Xcode copies into its mapping models.

import SteleModel

/// The entities of a model with their own attributes and relationships: what tells one version from
/// another where no version hash is known.
struct ModelShape: Sendable, Hashable {
    /// For each entity the types of its attributes by name; nil for a relationship.
    private var entities: [String: [String: Int?]] = [:]

    /// The shape of a model.
    init(_ model: Model) {
        for entity in model.whole.declaration.entities {
            var properties: [String: Int?] = [:]
            for property in entity.properties {
                switch property {
                case .attribute(let it) where it.derivationExpression == nil:
                    properties[it.name] = .some(it.type.rawValue)
                case .relationship(let it): properties[it.name] = .some(nil)
                case .attribute, .fetchedProperty: continue
                }
            }
            entities[entity.name] = properties
        }
    }

    /// Reads the copy of a model: an archive of an XDPMModel. Nil for bytes that are none, because
    /// the copy only helps to find the version.
    init?(archive bytes: [UInt8]) {
        guard let archive = try? KeyedArchive(bytes) else { return nil }
        var reader = Reader(archive)
        guard let root = archive[archive.root], archive.className(of: root) == "XDPMModel",
            let package = reader.object(root["_xd_rootPackage"]),
            let found = reader.members(package["XDBucketForClassesstorage"])
        else { return nil }
        for (name, entity) in found where archive.className(of: entity) == "XDPMEntity" {
            var properties: [String: Int?] = [:]
            for (name, property) in reader.members(entity["XDBucketForOwnedAttributesstorage"])
                ?? []
            {
                switch archive.className(of: property) {
                case "XDPMAttribute": properties[name] = .some(reader.type(of: property) ?? 0)
                case "XDPMRelationship": properties[name] = .some(nil)
                default: continue
                }
            }
            entities[name] = properties
        }
        if entities.isEmpty || reader.isTooLarge { return nil }
    }

    /// Follows the references of an archive. None is followed in a circle, because each function
    /// goes a fixed way.
    private struct Reader {
        private let archive: KeyedArchive
        private var budget: PropertyList.Budget
        /// Whether the archive describes more than it may.
        private(set) var isTooLarge = false

        init(_ archive: KeyedArchive) {
            self.archive = archive
            budget = archive.budget
        }

        func object(_ reference: PropertyList?) -> PropertyList? {
            reference?.uid.flatMap { archive[$0] }
        }

        /// The objects of a dictionary by their names; nil where there is none.
        mutating func members(_ reference: PropertyList?) -> [(name: String, object: PropertyList)]?
        {
            guard let dictionary = object(reference), let keys = dictionary["NS.keys"]?.array,
                let objects = dictionary["NS.objects"]?.array
            else { return nil }
            var found: [(name: String, object: PropertyList)] = []
            for (key, value) in zip(keys, objects) {
                guard let name = object(key).flatMap({ archive.text($0) }),
                    let member = object(value)
                else { continue }
                // Few bytes may describe very many members, and large ones.
                guard !isTooLarge, budget.spend(values: 1 + (member.entries?.count ?? 0)) else {
                    isTooLarge = true
                    return nil
                }
                found.append((name, member))
            }
            return found
        }

        /// The type of an attribute, which is in one of its stereotypes.
        mutating func type(of attribute: PropertyList) -> Int? {
            for (_, stereotype) in members(attribute["XDBucketForStereotypesstorage"]) ?? [] {
                let values = members(stereotype["XDBucketForOwnedAttributesstorage"]) ?? []
                guard let value = values.first(where: { $0.name == "XD_PAttK_attributeType" })
                else { continue }
                return object(value.object["_default"])?.integer
            }
            return nil
        }
    }
}
