/// Reading Xcode's mapping models.

import SteleModel
import SteleModelFiles
import StelePredicates

/// Reads an `xcmapping.xml`: a store in Core Data's XML form, with an object for each mapping.
struct XMLMappingReader {
    private let objects: [Int64: XMLDatabase.Object]
    private let path: String
    private let findings = Findings()
    /// The properties without an expression of their own, by the name of their mapping.
    private var generated: [String: Set<String>] = [:]

    static func read(_ bytes: [UInt8], _ path: String) throws(ModelErrors) -> MappingFile {
        let database: XMLDatabase
        do { database = try XMLDatabase.read(bytes) } catch {
            throw ModelErrors(path, error.message)
        }
        let models = database.objects.filter { $0.type == "XDDEVMAPPINGMODEL" }
        guard let model = models.first, models.count == 1 else {
            throw ModelErrors(
                path, "it has \(models.count) mapping models, and one is expected",
                hint: "an xcmapping.xml of Xcode is expected")
        }
        var reader = XMLMappingReader(database, path)
        let file = reader.file(model)
        try reader.findings.throwErrors()
        return file
    }

    private init(_ database: XMLDatabase, _ path: String) {
        objects = Dictionary(
            database.objects.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        self.path = path
        if objects.count < database.objects.count {
            findings.error(path, "two of its objects have the same id")
        }
    }

    private mutating func file(_ model: XMLDatabase.Object) -> MappingFile {
        let mappings = related(model, "entitymappings", "XDDEVENTITYMAPPING")
            .map { (number: $0.attribute("mappingnumber")?.value(as: .integer32), object: $0) }
            .sorted { Self.order($0.number) < Self.order($1.number) }
            .map { entityMapping($0.object) }
        var file = MappingFile(path: path, mappings: MappingModel(mappings))
        file.sourceVersion = Self.version(model, "sourcemodelpath")
        file.destinationVersion = Self.version(model, "destinationmodelpath")
        file.sourceShape = Self.shape(model, "sourcemodeldata")
        file.destinationShape = Self.shape(model, "destinationmodeldata")
        file.generated = generated
        for object in objects.values.sorted(by: { $0.id < $1.id }) {
            for attribute in object.attributes where !Self.known.contains(attribute.name) {
                file.notes.append(
                    ModelError("z\(object.id)", "its \(attribute.name) is not known and ignored"))
            }
        }
        return file
    }

    private static let known: Set<String> = [
        "sourcemodelpath", "sourcemodeldata", "destinationmodelpath", "destinationmodeldata",
        "sourcename", "destinationname", "mappingtypename", "mappingnumber",
        "migrationpolicyclassname", "sourcefilterpredicatestring", "autogenerateexpression", "name",
        "valueexpressiondata", "sourcekeypath", "sourcemappingname",
    ]

    private static func order(_ number: Value?) -> Int64 {
        if case .int(let it)? = number { it } else { .max }
    }

    /// The name of the version at a path such as `Models/Moody.xcdatamodeld/Moody 2.xcdatamodel`.
    private static func version(_ model: XMLDatabase.Object, _ name: String) -> String? {
        guard let path = model.attribute(name)?.string, !path.isEmpty else { return nil }
        return ModelPath.name(ModelPath(path).lastPart)
    }

    /// The copy of a model.
    private static func shape(_ model: XMLDatabase.Object, _ name: String) -> ModelShape? {
        guard case .data(let bytes)? = model.attribute(name)?.value(as: .binary) else { return nil }
        return ModelShape(archive: bytes)
    }

    /// The objects that a relationship refers to. A reference to an object that does not exist, or
    /// to one of another type, is an error.
    private func related(
        _ object: XMLDatabase.Object, _ name: String, _ type: String
    ) -> [XMLDatabase.Object] {
        (object.relationship(name)?.references ?? []).compactMap { id in
            if let found = objects[id], found.type == type { return found }
            findings.error("z\(object.id)", "its \(name) name z\(id), which is no \(type)")
            return nil
        }
    }

    // MARK: Mappings

    private mutating func entityMapping(_ object: XMLDatabase.Object) -> EntityMapping {
        let source = object.text("sourcename")
        let destination = object.text("destinationname")
        if source == nil, destination == nil {
            findings.error("z\(object.id)", "it maps neither a source nor a destination entity")
        }
        let name = object.text("name") ?? EntityMapping.name(source, destination)
        let policy = object.text("migrationpolicyclassname")
        var mapping = EntityMapping(
            name: name, mappingType: type(object, source, destination, policy), source: source,
            destination: destination)
        mapping.entityMigrationPolicyClassName = policy
        if let text = object.text("sourcefilterpredicatestring") {
            mapping.sourceFilter = predicate(text, name)
        }
        mapping.attributeMappings = properties(
            object, "attributemappings", "XDDEVATTRIBUTEMAPPING", name)
        mapping.relationshipMappings = properties(
            object, "relationshipmappings", "XDDEVRELATIONSHIPMAPPING", name)
        return mapping
    }

    /// The type of a mapping. Xcode writes Undefined unless another is chosen.
    private func type(
        _ object: XMLDatabase.Object, _ source: String?, _ destination: String?, _ policy: String?
    ) -> EntityMapping.MappingType {
        let types: [(String, EntityMapping.MappingType)] = [
            ("Undefined", .undefined), ("Custom", .custom), ("Add", .add), ("Remove", .remove),
            ("Copy", .copy), ("Transform", .transform),
        ]
        let written = object.text("mappingtypename").flatMap { name in
            types.first { $0.0 == name }?.1
        }
        if let written, written != .undefined { return written }
        if source == nil { return .add }
        if destination == nil { return .remove }
        return policy == nil ? .undefined : .custom
    }

    private func predicate(_ text: String, _ place: String) -> Predicate? {
        do {
            let predicate = try Predicate(format: text)
            return predicate == .constant(true) ? nil : predicate
        } catch {
            findings.error(place, "its source filter '\(text)' cannot be read: \(error)")
            return nil
        }
    }

    /// The mappings of properties, sorted by name: the file has them in no order.
    private mutating func properties(
        _ object: XMLDatabase.Object, _ name: String, _ type: String, _ mapping: String
    ) -> [PropertyMapping] {
        var found: [PropertyMapping] = []
        for property in related(object, name, type) {
            guard let name = property.text("name") else {
                findings.error("\(mapping), z\(property.id)", "it maps a property without a name")
                continue
            }
            let value = value(property, name, "\(mapping).\(name)")
            if value == nil, property.text("autogenerateexpression") != "0" {
                generated[mapping, default: []].insert(name)
            }
            found.append(PropertyMapping(name: name, value: value))
        }
        return found.sorted { $0.name < $1.name }
    }

    /// The value that the file gives a property; nil if there is none or it is generated.
    private func value(
        _ property: XMLDatabase.Object, _ name: String, _ place: String
    ) -> PropertyMapping.Value? {
        if let archive = property.attribute("valueexpressiondata") {
            guard case .data(let bytes)? = archive.value(as: .binary) else {
                findings.error(place, "its value expression is not base64")
                return nil
            }
            do {
                return .init(try Expression(archive: bytes))
            } catch {
                findings.error(place, "the archive of its value expression \(error.message)")
                return nil
            }
        }
        let mapping = property.text("sourcemappingname")
        guard let text = property.text("sourcekeypath") else {
            return mapping.map { .destinations(mapping: $0, of: name) }
        }
        do {
            let expression = try Expression(format: text)
            guard property.type == "XDDEVRELATIONSHIPMAPPING" else { return .init(expression) }
            if let path = expression.sourceKeyPath {
                return .destinations(mapping: mapping, of: path)
            }
            findings.error(place, "its key path '\(text)' does not begin with $source")
        } catch {
            findings.error(place, "its key path '\(text)' cannot be read: \(error)")
        }
        return nil
    }
}

extension XMLDatabase.Object {
    /// The text of an attribute; nil if it is absent or empty.
    fileprivate func text(_ name: String) -> String? {
        attribute(name).map(\.string).flatMap { $0.isEmpty ? nil : $0 }
    }
}
