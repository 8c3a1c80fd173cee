import SteleModel

/// All objects of a store, and what it says of itself: what a file format of a whole-file store
/// reads and writes.
///
/// Written contents are complete: each link is in both its objects. Contents that are read may have
/// a link in only one of them, and the objects in any order.
public struct StoreContents: Sendable {
    /// NSStoreUUID; nil in a file without one.
    public var identifier: String?
    /// The store's metadata as a binary property list, with the version hashes of the model, to be
    /// kept as it is; nil in a file without it, which then fits each model that has its names.
    public var metadata: [UInt8]?
    /// The next key to give to a new object, by the index of the root entity. Keys are never given
    /// again, not even those of deleted objects. A missing key is the one after the greatest.
    public var nextKeys: [Int: Int64]
    /// The objects, by root entity and key where they are written.
    public var objects: [StoredObject]

    /// Creates contents.
    public init(
        identifier: String? = nil, metadata: [UInt8]? = nil, nextKeys: [Int: Int64] = [:],
        objects: [StoredObject] = []
    ) {
        self.identifier = identifier
        self.metadata = metadata
        self.nextKeys = nextKeys
        self.objects = objects
    }

    /// Checks that the metadata fits a model; a missing one does. A format calls it as soon as it
    /// has read the metadata, because another model may lack the names that follow.
    /// - Throws: `StoreError.incompatible`: 134100 for another model, 134080 for malformed
    ///   metadata.
    public func check(_ model: Model) throws(StoreError) {
        guard let metadata else { return }
        let read = try StoreMetadata(propertyList: metadata)
        // Core Data's hashes are not Stele's: its files are judged by the names of their entities.
        if read.generation == nil, Set(read.hashes.keys) == Set(model.storedEntities.map(\.name)) {
            return
        }
        try read.check(model)
    }
}

/// A saved object with the members of its to-many relationships.
public struct StoredObject: Sendable, Hashable {
    /// The object's entity, key, version and values.
    public var snapshot: Snapshot
    /// The keys of the members, one list per to-many relationship (`Entity.toManys`), each in the
    /// relationship's order.
    public var toManys: [[Int64]]

    /// Creates an object.
    public init(snapshot: Snapshot, toManys: [[Int64]]) {
        self.snapshot = snapshot
        self.toManys = toManys
    }

    /// Creates an object of an entity at version 1, whose values are null and whose to-many
    /// relationships are empty.
    public init(_ entity: Entity, key: Int64) {
        snapshot = Snapshot(
            entity: entity.index, key: key, version: 1,
            values: Array(repeating: .null, count: entity.slots.count))
        toManys = Array(repeating: [], count: entity.toManys.count)
    }
}
