/// Fetches: what matches in the store, and what is changed here on top of it.

import SteleModel
import StelePersistence
import StelePredicates

/// One checked request in a context.
struct ContextFetch {
    private let context: ManagedObjectContext
    private let request: FetchRequest
    private let loader: ObjectLoader

    init(_ context: ManagedObjectContext, _ request: FetchRequest) throws {
        self.context = context
        self.request = request.isChecked ? request : try request.checked(in: context.model)
        loader = context.loader
    }

    /// As `ManagedObjectContext.fetch`.
    func objects() throws -> [ManagedObject] {
        try context.mergeNews()
        return try context.inOneView {
            let known = try refreshChanged()
            let objects =
                try pending()?.objects()
                ?? loader.snapshots(request).map(loader.object(from:))
            if !known.isEmpty {
                try ContextRefresh(context).refresh(
                    objects.filter { known.contains($0.id) }, mergeChanges: true)
            }
            if !request.relationshipKeyPathsForPrefetching.isEmpty {
                try context.prefetch(request.relationshipKeyPathsForPrefetching, for: objects)
            }
            return objects
        }
    }

    /// As `ManagedObjectContext.fetchIDs`.
    func ids() throws -> [ObjectID] {
        try context.mergeNews()
        return try context.inOneView {
            if let pending = try pending() { return try pending.objects().map(\.id) }
            return try loader.snapshots(request).map {
                ObjectID(root: request.entity.root, key: $0.key)
            }
        }
    }

    /// As `ManagedObjectContext.count`.
    func count() throws -> Int {
        try context.mergeNews()
        guard context.parent != nil || context.mayHaveChanges else { return try storedCount() }
        return try context.inOneView { try pending()?.count() ?? storedCount() }
    }

    /// How many match in the store, or in the parent.
    func storedCount() throws -> Int {
        if let parent = context.parent { return try parent.count(request) }
        return try context.view.read { try $0.reader.count(request) }
    }

    /// As `ManagedObjectContext.rows`.
    func storedRows() throws -> [[Value]] {
        try context.view.read { try $0.reader.fetchRows(request) }
    }

    /// As `ManagedObjectContext.currentRows`.
    func rows() throws -> [[Value]] {
        try context.mergeNews()
        guard context.mayHaveChanges else {
            return try context.parent?.currentRows(request) ?? storedRows()
        }
        return try context.inOneView { try PendingRows(context, request).rows() }
    }

    /// As `ManagedObjectContext.position`.
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

    /// What must be asked beside the store; nil where that is nothing.
    private func pending() throws -> PendingFetch? {
        guard request.includesPendingChanges, request.propertiesToFetch.isEmpty,
            context.mayHaveChanges
        else { return nil }
        try context.processPendingChanges()
        return try PendingFetch(context, request)
    }

    /// Reads objects with changes again where refetched ones are to be refreshed, for they decide
    /// what is found.
    /// - Returns: the unchanged objects that are known, to be refreshed where they are found.
    private func refreshChanged() throws -> Set<ObjectID> {
        guard request.shouldRefreshRefetchedObjects else { return [] }
        try context.processPendingChanges()
        let changed = context.changes.touched.filter { $0.id.root == request.entity.root }
        let known = Set(context.registeredObjects.map(\.id)).subtracting(changed.map(\.id))
        try ContextRefresh(context).refresh(changed, mergeChanges: true)
        return known
    }
}
