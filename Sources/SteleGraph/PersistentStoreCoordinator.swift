/// Where contexts and a store meet: the row cache and the broadcast of what is saved.

import SteleModel
import StelePersistence

/// One store's coordinator, shared by all threads (NSPersistentStoreCoordinator).
public final class PersistentStoreCoordinator: Sendable {
    /// The one store that it coordinates.
    public let store: any PersistentStore
    /// Tells of each commit, after it.
    public let broadcast: HistoryBroadcast
    let commits: CommitObserver
    /// What validation, deletion and insertion ask of each entity, by `Entity.index`.
    let plans: [EntityPlan]
    /// Whether any object wants to be told of its life.
    let hasSubclasses: Bool

    /// A coordinator of that store; it registers with the store as its observer.
    /// - Parameters:
    ///   - rowCacheBytes: about how much memory the cached rows may take.
    ///   - classes: subclasses of `ManagedObject` by the names of the entities whose objects are
    ///     made of them (`managedObjectClassName`); a subentity without one has its parent's.
    public init(
        store: any PersistentStore, rowCacheBytes: Int = 32 << 20,
        classes: [String: ManagedObject.Type] = [:]
    ) {
        self.store = store
        broadcast = HistoryBroadcast()
        var found: [ManagedObject.Type] = []
        for entity in store.model.entities {
            // A parent comes before its subentities.
            let inherited = entity.parent.map { found[$0] } ?? ManagedObject.self
            found.append(classes[entity.name] ?? inherited)
        }
        hasSubclasses = found.contains { $0 != ManagedObject.self }
        plans = zip(store.model.entities, found).map {
            EntityPlan($0, of: store.model, objectClass: $1)
        }
        commits = CommitObserver(
            model: store.model,
            cache: RowCache(bytes: rowCacheBytes, former: store.formerMarks), broadcast: broadcast)
        store.observe(commits)
        if let reader = try? store.reader() {
            if let token = try? reader.token { commits.start(at: token) }
            reader.close()
        }
    }

    var cache: RowCache { commits.cache }

    /// The model of the store.
    public var model: Model { store.model }

    /// Eight hexadecimal digits, drawn at start and anew after a change by another program that
    /// left no history; part of every ETag. Read it before the rows that it shall stand for.
    public var cacheGeneration: String { cache.generation }

    /// The generation of what was read since one was current: that one, or one of its own where
    /// another has come since.
    package func cacheGeneration(ofWhatWasReadSince first: String) -> String {
        first == cache.generation ? first : RowCache.drawGeneration()
    }

    /// The cache generations of programs that had the store before, where nothing but saves of its
    /// history has changed it since: what was read in one of them up to its last save is known.
    /// None where `generation` is not the one that began with the coordinator.
    package func formerGenerations(of generation: String) -> [StoreMark] {
        cache.former(of: generation)
    }

    /// The number of the last committed transaction that this process knows.
    public var currentToken: Int64 { commits.currentToken }

    /// The newest state of an object, where the cache has it and it is exact now; nil means that
    /// a reader has to be asked. Short and bounded: for threads that must not wait.
    public func cachedSnapshot(_ id: ObjectID) -> Snapshot? {
        _ = store.noticesForeignChange()
        return cache.newest(id, upTo: commits.currentToken)
    }

    /// An object in a view that is the row cache's alone, read from the store where the cache does
    /// not have it; nil where a reader has to be asked.
    func snapshot(_ id: ObjectID, in view: RowCache.View) -> Snapshot? {
        if let known = cache.snapshot(id, in: view) { return known }
        // What makes this exact stands at `RowCache`.
        guard commits.currentToken == view.token, let read = try? store.newest(id) else {
            return nil
        }
        _ = store.noticesForeignChange()
        guard commits.currentToken == view.token, cache.epoch == view.epoch,
            cache.put(read, root: id.root, from: view)
        else { return nil }
        return read
    }

    /// A context to be kept: between two operations it holds nothing of the store, and it releases
    /// objects that are unchanged and not referenced elsewhere.
    /// - Parameters:
    ///   - author: the author of its saves (`transactionAuthor`).
    ///   - name: the name of what saves, for the history.
    ///   - retainsRegisteredObjects: whether it keeps all objects that it has read.
    public func newContext(
        author: String? = nil, name: String? = nil, retainsRegisteredObjects: Bool = false
    ) -> ManagedObjectContext {
        ManagedObjectContext(
            self, author: author, name: name, queryGeneration: .unpinned,
            retainsRegisteredObjects: retainsRegisteredObjects)
    }

    /// An object's URI (`URIRepresentation`): `x-coredata://UUID/Entity/p42`, or `/t1` for an
    /// object that is not saved yet.
    public func objectURI(_ id: ObjectID, entity: Entity) -> String {
        let place = id.isTemporary ? "t\(id.key.magnitude)" : "p\(id.key)"
        return "x-coredata://\(store.identifier)/\(entity.name)/\(place)"
    }

    /// The identity of the object that a URI names (`managedObjectID(forURIRepresentation:)`); it
    /// need not be there.
    /// - Throws: `ContextError.unusableURI` where it is none, is of another store, names no entity
    ///   of the model, or an object that is not saved.
    public func objectID(forURI uri: String) throws(ContextError) -> ObjectID {
        let scheme = "x-coredata://"
        let parts = uri.dropFirst(scheme.count)
            .split(separator: "/", omittingEmptySubsequences: false)
        guard uri.hasPrefix(scheme), parts.count == 3 else {
            throw .unusableURI(uri, reason: "write x-coredata://STORE/Entity/p42")
        }
        guard parts[0] == store.identifier else {
            throw .unusableURI(
                uri, reason: "it is of the store \(parts[0]), and this is \(store.identifier)")
        }
        guard let entity = model.entity(named: String(parts[1])) else {
            throw .unusableURI(uri, reason: "the model has no entity \(parts[1])")
        }
        let digits = parts[2].dropFirst()
        guard parts[2].first == "p", digits.utf8.allSatisfy({ (48...57).contains($0) }),
            let key = Int64(digits), key > 0
        else {
            throw .unusableURI(
                uri, reason: "\(parts[2]) is not the number of a saved object, as p42 is")
        }
        return ObjectID(root: entity.root, key: key)
    }
}
