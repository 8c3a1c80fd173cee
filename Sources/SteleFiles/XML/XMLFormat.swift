import SteleModel
import StelePersistence

/// The XML store in Core Data's own form (NSXMLStoreType). Names of entities are in upper case and
/// those of properties in lower case. `XMLIdentifiers` makes ids of keys.
///
/// The form has no versions: after it is opened, all objects of a file are at version 1.
public struct XMLFormat: FileFormat {
    /// Creates the format.
    public init() {}

    /// `xml`.
    public var name: String { "xml" }
    /// `XML`.
    public var metadataType: String { "XML" }

    /// Whether the bytes are of an XML document whose type is `database`.
    public func recognizes(_ start: [UInt8]) -> Bool {
        let text = String(decoding: start, as: UTF8.self)
        return text.hasPrefix("<?xml") && text.contains("<!DOCTYPE database ")
    }

    /// Reads a file.
    /// - Throws: `StoreError.incompatible`: 134080 for a damaged file, 134100 for one of another
    ///   model.
    public func contents(of bytes: [UInt8], _ model: Model) throws(StoreError) -> StoreContents {
        var reader = XMLStoreReader(model)
        return try reader.read(bytes)
    }

    /// Reads the metadata in the head of a file.
    /// - Throws: `StoreError.incompatible` (134080) where it is damaged.
    public func metadata(of bytes: [UInt8]) throws(StoreError) -> [UInt8]? {
        try XMLStoreReader.metadata(of: bytes)
    }

    /// Writes a file.
    /// - Throws: `StoreError.invalid` for a value or a key that the form cannot hold.
    public func bytes(of contents: StoreContents, _ model: Model) throws(StoreError) -> [UInt8] {
        let identifiers = XMLIdentifiers(model)
        do {
            var writer = try XMLDatabaseWriter(try Self.header(contents, model, identifiers))
            for object in contents.objects {
                writer.write(try Self.object(object, model, identifiers))
            }
            return writer.finish()
        } catch let error as StoreError {
            throw error
        } catch {
            throw .invalid("the XML store cannot be written: \(error)")
        }
    }

    private static func header(
        _ contents: StoreContents, _ model: Model, _ identifiers: XMLIdentifiers
    ) throws -> XMLDatabase.Header {
        var header = XMLDatabase.Header(
            isStandalone: true, uuid: contents.identifier ?? "", nextObjectID: 0, metadata: nil)
        var nextKeys: [PropertyList.Entry] = []
        for (root, key) in contents.nextKeys.sorted(by: { $0.key < $1.key }) where key > 1 {
            header.nextObjectID = max(
                header.nextObjectID, try identifiers.id(key - 1, root: root))
            nextKeys.append(.init(key: model.entities[root].name, value: .integer(key)))
        }
        var metadata: [PropertyList.Entry] = []
        if let bytes = contents.metadata,
            case .dictionary(let entries) = try BinaryPropertyListReader.read(bytes)
        {
            metadata = entries
        }
        header.metadata = .dictionary(
            metadata + [
                .init(key: XMLIdentifiers.metadataKey, value: .dictionary(nextKeys)),
                .init(
                    key: XMLIdentifiers.familiesKey,
                    value: .array(identifiers.families.map { .string($0) })),
            ])
        return header
    }

    private static func object(
        _ object: StoredObject, _ model: Model, _ identifiers: XMLIdentifiers
    ) throws(StoreError) -> XMLDatabase.Object {
        let row = object.snapshot
        let entity = model.entities[row.entity]
        var written = XMLDatabase.Object(
            type: entity.name.uppercased(), id: try identifiers.id(row.key, root: entity.root))
        for (property, value) in zip(entity.slots, row.values) {
            switch property {
            case .attribute(let it) where !value.isNull:
                let name = it.name.lowercased()
                guard let attribute = XMLDatabase.Attribute(name: name, value, it.type) else {
                    throw .invalid("\(entity.name) \(row.key): \(it.name) has no text")
                }
                written.attributes.append(attribute)
            case .relationship(let it):
                var keys: [Int64] = []
                if case .key(let key) = value { keys = [key] }
                written.relationships.append(try relationship(it, keys, model, identifiers))
            case .attribute, .fetchedProperty, .transientRelationship: break
            }
        }
        for (it, keys) in zip(entity.toManys, object.toManys) {
            written.relationships.append(try relationship(it, keys, model, identifiers))
        }
        return written
    }

    private static func relationship(
        _ it: Relationship, _ keys: [Int64], _ model: Model, _ identifiers: XMLIdentifiers
    ) throws(StoreError) -> XMLDatabase.Relationship {
        let destination = model.destination(of: it)
        return XMLDatabase.Relationship(
            name: it.name.lowercased(),
            minCount: it.isToMany ? it.declaration.minimumCount : it.isOptional ? 0 : 1,
            maxCount: it.isToMany ? it.declaration.maximumCount : 1,
            destination: destination.name.uppercased(),
            references: try keys.map { key throws(StoreError) in
                try identifiers.id(key, root: destination.root)
            })
    }
}
