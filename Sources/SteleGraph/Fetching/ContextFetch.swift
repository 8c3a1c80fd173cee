import SteleModel
import StelePersistence
import StelePredicates

/// One checked fetch request in a context: the matching objects of the store, merged with the
/// context's unsaved changes.
struct ContextFetch {
    private let context: ManagedObjectContext
    private let request: FetchRequest
    private let loader: ObjectLoader

    init(_ context: ManagedObjectContext, _ request: FetchRequest) throws {
        self.context = context
        self.request = request.isChecked ? request : try request.checked(in: context.model)
        loader = context.loader
    }

    /// Implements `ManagedObjectContext.fetch`.
    func objects() throws -> [ManagedObject] {
        try context.mergeNews()
        return try context.inOneView {
            let known = try refreshChanged()
            let objects =
                try pending()?.objects()
                ?? loader.objects(from: loader.snapshots(request))
            if !known.isEmpty {
                try ContextRefresh(context).refresh(
                    objects.filter { known.contains($0.objectID) }, mergeChanges: true)
            }
            if !request.relationshipKeyPathsForPrefetching.isEmpty {
                try context.prefetch(request.relationshipKeyPathsForPrefetching, for: objects)
            }
            return objects
        }
    }

    /// Implements `ManagedObjectContext.fetchIDs`.
    func ids() throws -> [ObjectID] {
        try context.mergeNews()
        return try context.inOneView {
            if let pending = try pending() { return try pending.objects().map(\.objectID) }
            return try loader.snapshots(request).map {
                ObjectID(root: request.entity.root, key: $0.key)
            }
        }
    }

    /// Implements `ManagedObjectContext.count`.
    func count() throws -> Int {
        try context.mergeNews()
        guard context.parent != nil || context.mayHaveChanges else { return try storedCount() }
        return try context.inOneView { try pending()?.count() ?? storedCount() }
    }

    /// The number of matching objects in the store or in the parent.
    func storedCount() throws -> Int {
        if let parent = context.parent { return try parent.count(request) }
        return try context.view.read { try $0.reader.count(request) }
    }

    /// Implements `ManagedObjectContext.rows`.
    func storedRows() throws -> [[Value]] {
        try context.view.read { try $0.reader.fetchRows(request) }
    }

    /// Implements `ManagedObjectContext.currentRows`.
    func rows() throws -> [[Value]] {
        try context.mergeNews()
        guard context.mayHaveChanges else {
            return try context.parent?.currentRows(request) ?? storedRows()
        }
        return try context.inOneView { try PendingRows(context, request).rows() }
    }

    /// Implements `ManagedObjectContext.position`.
    func position(of key: Int64) throws -> [Value] {
        guard context.mayHaveChanges else {
            if let parent = context.parent { return try parent.position(of: key, in: request) }
            return try context.view.read { try $0.reader.position(of: key, in: request) }
        }
        return try context.inOneView {
            let id = ObjectID(root: request.entity.root, key: key)
            guard let object = try loader.existingObject(with: id) else { return [] }
            return try PendingFetch(context, request).position(object)
        }
    }

    /// The fetch that includes unsaved changes; nil if none can affect the result.
    private func pending() throws -> PendingFetch? {
        guard request.includesPendingChanges, request.propertiesToFetch.isEmpty,
            context.mayHaveChanges
        else { return nil }
        try context.processPendingChanges()
        return try PendingFetch(context, request)
    }

    /// Refreshes the changed objects before the fetch if `shouldRefreshRefetchedObjects` is set,
    /// because their values affect the result.
    /// - Returns: the IDs of the unchanged registered objects, which are refreshed if the fetch
    ///   returns them.
    private func refreshChanged() throws -> Set<ObjectID> {
        guard request.shouldRefreshRefetchedObjects else { return [] }
        try context.processPendingChanges()
        let changed = context.changes.touched.filter { $0.objectID.root == request.entity.root }
        let known = Set(context.registeredObjects.map(\.objectID)).subtracting(
            changed.map(\.objectID))
        try ContextRefresh(context).refresh(changed, mergeChanges: true)
        return known
    }
}
