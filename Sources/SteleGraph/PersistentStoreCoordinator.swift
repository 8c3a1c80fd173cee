import FoundationEssentials
import SteleModel
import StelePersistence

/// The coordinator of one store, with its row cache and broadcast; shared by all threads
/// (NSPersistentStoreCoordinator).
public final class PersistentStoreCoordinator: Sendable {
    /// The store.
    public let store: any PersistentStore
    /// Notifies subscribers of each commit after it.
    public let broadcast: HistoryBroadcast
    let commits: CommitObserver
    /// The validation, deletion and insertion plan of each entity, by `Entity.index`.
    let plans: [EntityPlan]
    /// Whether any entity is represented by a subclass of `ManagedObject`.
    let hasSubclasses: Bool

    /// Creates a coordinator and registers it with the store as its observer.
    /// - Parameters:
    ///   - store: an open store.
    ///   - rowCacheBytes: the approximate maximum size of the row cache, in bytes.
    ///   - classes: the subclasses of `ManagedObject` that represent entities, by entity name
    ///     (`managedObjectClassName`). A subentity without a class has its parent's.
    public init(
        store: any PersistentStore, rowCacheBytes: Int = 32 << 20,
        classes: [String: ManagedObject.Type] = [:]
    ) {
        self.store = store
        broadcast = HistoryBroadcast()
        var found: [ManagedObject.Type] = []
        for entity in store.model.entities {
            // A parent precedes its subentities.
            let inherited = entity.parent.map { found[$0] } ?? ManagedObject.self
            found.append(classes[entity.name] ?? inherited)
        }
        hasSubclasses = found.contains { $0 != ManagedObject.self }
        plans = zip(store.model.entities, found).map {
            EntityPlan($0, of: store.model, objectClass: $1)
        }
        commits = CommitObserver(
            model: store.model,
            cache: RowCache(
                bytes: rowCacheBytes, former: store.formerMarks,
                generation: store.isOfSeveralNodes ? store.generation : nil),
            broadcast: broadcast)
        store.observe(commits)
        if let reader = try? store.reader() {
            if let token = try? reader.token { commits.start(at: token) }
            reader.close()
        }
    }

    var cache: RowCache { commits.cache }

    /// The model of the store.
    public var model: Model { store.model }

    /// The generation of the row cache: eight hexadecimal digits, drawn at start and after each
    /// commit by another program. All nodes of a store have that of the store, because each of their
    /// saves raises the versions of its objects and is in the history. Read it before the rows that
    /// it identifies.
    public var cacheGeneration: String { cache.generation }

    /// The figures of the row cache.
    public var rowCacheFigures: RowCacheFigures { cache.figures }

    /// The generation of rows that were read since `first` was the current one: `first`, or a new
    /// random generation if it has changed.
    package func cacheGeneration(ofWhatWasReadSince first: String) -> String {
        first == cache.generation ? first : RowCache.drawGeneration()
    }

    /// The cache generations of earlier processes, each with its last save, if only saves recorded
    /// in the history have followed. Empty unless `generation` is the coordinator's first.
    package func formerGenerations(of generation: String) -> [StoreMark] {
        cache.former(of: generation)
    }

    /// The stores, in the order in which a new object is assigned to the first that has its entity
    /// (`persistentStores`).
    public var persistentStores: [any PersistentStore] { (store as? StoreGroup)?.stores ?? [store] }

    /// The store of a configuration; nil if there is none.
    public func persistentStore(forConfiguration name: String) -> (any PersistentStore)? {
        persistentStores.first { $0.model.configuration == name }
    }

    /// The index of a store that an object may be assigned to.
    func place(
        of store: any PersistentStore, for object: ManagedObject
    ) throws(ContextError) -> Int {
        let entity = object.entity
        let stores = persistentStores
        guard let place = stores.firstIndex(where: { $0 === store }) else {
            throw .notInStore(entity: entity.name, reason: "it is not one of the coordinator's")
        }
        guard store.model.storedEntities.contains(where: { $0.index == entity.index }) else {
            throw .notInStore(
                entity: entity.name, reason: "its configuration does not have the entity")
        }
        if !object.objectID.isTemporaryID, stores.count > 1,
            (self.store as? StoreGroup)?.place(of: object.objectID) != place
        {
            throw .notInStore(entity: entity.name, reason: "the object is saved in another store")
        }
        return place
    }

    /// The number of the last committed transaction known to this process.
    public var currentToken: Int64 { commits.currentToken }

    /// An object's newest committed state, or nil if the row cache does not have it and a reader is
    /// needed. The call is short and bounded, so it is suitable for threads that must not wait.
    public func cachedSnapshot(_ id: ObjectID) -> Snapshot? {
        if store.isOfSeveralNodes { return nil }
        _ = store.noticesForeignChange()
        return cache.newest(id, upTo: commits.currentToken)
    }

    /// An object in a view of the row cache, read from the store if the cache does not have it; nil
    /// if a reader is needed.
    func snapshot(_ id: ObjectID, in view: RowCache.View) -> Snapshot? {
        if let known = cache.snapshot(id, in: view) { return known }
        // The comment of `RowCache` explains why this is exact.
        guard commits.currentToken == view.token, let read = try? store.newest(id) else {
            return nil
        }
        _ = store.noticesForeignChange()
        guard commits.currentToken == view.token, cache.epoch == view.epoch,
            cache.put(read, root: id.root, from: view)
        else { return nil }
        return read
    }

    /// Creates a long-lived context. Between two operations it holds no view of the store, and it
    /// releases unchanged objects that are not referenced elsewhere.
    /// - Parameters:
    ///   - author: the author of its saves (`transactionAuthor`).
    ///   - name: the context's name in the history (`name`).
    ///   - retainsRegisteredObjects: whether the context holds strong references to all registered
    ///     objects (`retainsRegisteredObjects`).
    public func newContext(
        author: String? = nil, name: String? = nil, retainsRegisteredObjects: Bool = false
    ) -> ManagedObjectContext {
        ManagedObjectContext(
            self, author: author, name: name, queryGeneration: .unpinned,
            retainsRegisteredObjects: retainsRegisteredObjects)
    }

    /// An object's URI (`uriRepresentation()`): `x-coredata://UUID/Entity/p42`, or `/t1` for an
    /// object that is not saved yet.
    public func objectURI(_ id: ObjectID, entity: Entity) -> String {
        let place = id.isTemporaryID ? "t\(id.key.magnitude)" : "p\(id.key)"
        return "x-coredata://\(store.identifier(of: id))/\(entity.name)/\(place)"
    }

    /// The object ID for the URI that `ManagedObject.uriRepresentation()` gives
    /// (`managedObjectID(forURIRepresentation:)`). The object need not exist.
    /// - Throws: the errors of `objectID(forURI:)`.
    public func managedObjectID(
        forURIRepresentation uri: URL
    ) throws(ContextError) -> ObjectID {
        try objectID(forURI: uri.absoluteString)
    }

    /// The object ID for a URI as a text. The object need not exist.
    /// - Throws: `ContextError.unusableURI` if the string is not an object's URI, names another
    ///   store or an unknown entity, or refers to an unsaved object.
    public func objectID(forURI uri: String) throws(ContextError) -> ObjectID {
        let scheme = "x-coredata://"
        let parts = uri.dropFirst(scheme.count)
            .split(separator: "/", omittingEmptySubsequences: false)
        guard uri.hasPrefix(scheme), parts.count == 3 else {
            throw .unusableURI(uri, reason: "write x-coredata://STORE/Entity/p42")
        }
        let known = store.identifiers
        guard known.contains(String(parts[0])) else {
            throw .unusableURI(
                uri,
                reason: "it is of the store \(parts[0]), not of \(known.joined(separator: ", "))")
        }
        guard let entity = model.entity(named: String(parts[1])) else {
            throw .unusableURI(uri, reason: "the model has no entity \(parts[1])")
        }
        let digits = parts[2].dropFirst()
        guard parts[2].first == "p", digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let key = Int64(digits), key > 0
        else {
            throw .unusableURI(
                uri, reason: "\(parts[2]) is not the key of a saved object, such as p42")
        }
        return ObjectID(root: entity.root, key: key)
    }
}
