import SteleModel
import StelePersistence

/// Reads the objects of a store in Core Data's XML form. An error names the line.
struct XMLStoreReader {
    private let model: Model
    /// The entities by their names in the file.
    private let entities: [String: Entity]
    /// The slots and to-many relationships of each entity by their names in the file.
    private let properties: [[String: Property]]
    private var identifiers: XMLIdentifiers

    init(_ model: Model) {
        self.model = model
        identifiers = XMLIdentifiers(families: nil, model)
        entities = Dictionary(
            model.entities.map { ($0.name.uppercased(), $0) }, uniquingKeysWith: { a, _ in a })
        properties = model.entities.map { entity in
            let all = entity.slots + entity.toManys.map { .relationship($0) }
            return Dictionary(
                all.map { ($0.name.lowercased(), $0) }, uniquingKeysWith: { a, _ in a })
        }
    }

    mutating func read(_ bytes: [UInt8]) throws(StoreError) -> StoreContents {
        var contents = StoreContents()
        try Self.read(bytes) { header in
            try read(header, into: &contents)
        } object: { object, line in
            contents.objects.append(try self.object(object, line))
        }
        return contents
    }

    /// Reads the metadata, with which a file begins.
    static func metadata(of bytes: [UInt8]) throws(StoreError) -> [UInt8]? {
        var metadata: PropertyList?
        try read(bytes) {
            metadata = $0.metadata
        } object: { _, _ in
        }
        guard case .dictionary(var entries)? = metadata else { return nil }
        entries.removeAll {
            [XMLIdentifiers.metadataKey, XMLIdentifiers.familiesKey].contains($0.key)
        }
        return BinaryPropertyListWriter.bytes(.dictionary(entries))
    }

    private static func read(
        _ bytes: [UInt8], header: (XMLDatabase.Header) throws -> Void,
        object: (XMLDatabase.Object, _ line: Int) throws -> Void
    ) throws(StoreError) {
        var rest = bytes[...]
        do {
            try XMLDatabase.read(
                next: {
                    let part = rest.prefix(partSize)
                    rest = rest.dropFirst(part.count)
                    return Array(part)
                }, header: header, object: object)
        } catch let error as StoreError {
            throw error
        } catch {
            throw .incompatible(code: 134080, "\(error)")
        }
    }

    /// The size of the parts in which a file is parsed, in bytes.
    private static let partSize = 1 << 18

    private mutating func read(
        _ header: XMLDatabase.Header, into contents: inout StoreContents
    ) throws(StoreError) {
        contents.identifier = header.uuid.isEmpty ? nil : header.uuid
        var metadata = header.metadata
        var own: [PropertyList.Entry] = []
        identifiers.isOwn = false
        if case .dictionary(var entries)? = metadata,
            let index = entries.firstIndex(where: { $0.key == XMLIdentifiers.metadataKey })
        {
            if case .dictionary(let keys) = entries.remove(at: index).value { own = keys }
            let place = entries.firstIndex { $0.key == XMLIdentifiers.familiesKey }
            let families = place.flatMap { entries.remove(at: $0).value.array }
            identifiers = XMLIdentifiers(families: families?.compactMap(\.string), model)
            metadata = entries.isEmpty ? nil : .dictionary(entries)
        }
        contents.metadata = metadata.map { BinaryPropertyListWriter.bytes($0) }
        try contents.check(model)
        if identifiers.isOwn {
            for entry in own {
                guard let root = model.entity(named: entry.key)?.root,
                    case .integer(let key) = entry.value
                else { continue }
                contents.nextKeys[root] = key
            }
            return
        }
        guard header.nextObjectID < .max else {
            throw .incompatible(code: 134080, "nextObjectID is too large")
        }
        for entity in model.entities where entity.root == entity.index {
            contents.nextKeys[entity.index] = header.nextObjectID + 1
        }
    }

    private func object(
        _ read: XMLDatabase.Object, _ line: Int
    ) throws(StoreError) -> StoredObject {
        func damage(_ text: String) -> StoreError {
            .incompatible(code: 134080, "line \(line): z\(read.id): \(text)")
        }
        guard let entity = entities[read.type] else {
            throw damage("there is no entity \(excerpt(read.type))")
        }
        let properties = properties[entity.index]
        guard let key = identifiers.key(read.id, root: entity.root) else {
            throw damage("no \(entity.name) has that id")
        }
        var object = StoredObject(entity, key: key)
        for attribute in read.attributes {
            guard case .attribute(let it)? = properties[attribute.name] else {
                throw damage("\(entity.name) has no attribute \(excerpt(attribute.name))")
            }
            guard let value = attribute.value(as: it.type) else {
                throw damage("the value of \(it.name) is not of its type, \(it.type.name)")
            }
            object.snapshot.values[it.slot] = value
        }
        for relationship in read.relationships {
            guard case .relationship(let it)? = properties[relationship.name] else {
                throw damage("\(entity.name) has no relationship \(excerpt(relationship.name))")
            }
            let root = model.destination(of: it).root
            let keys = try relationship.references.map { id throws(StoreError) in
                guard let key = identifiers.key(id, root: root) else {
                    throw damage("\(it.name) refers to z\(id), which is of another entity")
                }
                return key
            }
            if it.isToMany {
                object.toManys[it.slot] = keys
            } else if keys.count < 2 {
                object.snapshot.values[it.slot] = keys.first.map { .key($0) } ?? .null
            } else {
                throw damage("\(it.name) can have one destination only")
            }
        }
        return object
    }
}
