/// Fetches: what matches in the store, and what is changed here on top of it.

import SteleModel
import StelePersistence
import StelePredicates

extension ManagedObjectContext {
    /// The objects that match, in the request's order, with their unsaved values (`fetch(_:)`).
    ///
    /// With `includesPendingChanges` unsaved changes decide what matches and where it stands, in
    /// both directions, with limit and offset counted afterwards; those of related objects, too,
    /// where predicate or order lead there. Without it, what is in the store does, and objects that
    /// are deleted here are among them.
    /// - Throws: `PredicateError` for what does not fit the model (`FetchRequest.checked(in:)`),
    ///   `StoreError`, `ContextError.closed`.
    public func fetch(_ request: FetchRequest) throws -> [ManagedObject] {
        guard request.isChecked else { return try fetch(request.checked(in: model)) }
        try mergeNews()
        return try inOneView {
            let known = try refreshChanged(request)
            let objects =
                try pendingFetch(request)?.objects() ?? snapshots(request).map(register)
            if !known.isEmpty {
                try refresh(objects.filter { known.contains($0.id) }, mergeChanges: true)
            }
            try prefetch(request.relationshipKeyPathsForPrefetching, for: objects)
            return objects
        }
    }

    /// The identities of the objects that `fetch` gives, in its order; no object is made where
    /// nothing is changed here.
    /// - Throws: as `fetch`.
    public func fetchIDs(_ request: FetchRequest) throws -> [ObjectID] {
        guard request.isChecked else { return try fetchIDs(request.checked(in: model)) }
        try mergeNews()
        return try inOneView {
            if let pending = try pendingFetch(request) { return try pending.objects().map(\.id) }
            return try snapshots(request).map { ObjectID(root: request.entity.root, key: $0.key) }
        }
    }

    /// How many `fetch` gives; limit and offset count (`count(for:)`). Of a dictionary result, how
    /// many rows.
    /// - Throws: as `fetch`.
    public func count(_ request: FetchRequest) throws -> Int {
        guard request.isChecked else { return try count(request.checked(in: model)) }
        try mergeNews()
        guard parent != nil || mayHaveChanges else {
            return try read { try $0.reader.count(request) }
        }
        return try inOneView {
            if let pending = try pendingFetch(request) { return try pending.count() }
            return try storedCount(request)
        }
    }

    /// How many match in the store, or in the parent.
    func storedCount(_ request: FetchRequest) throws -> Int {
        if let parent { return try parent.count(request) }
        return try read { try $0.reader.count(request) }
    }

    /// What must be asked for a request beside the store; nil where that is nothing.
    private func pendingFetch(_ request: FetchRequest) throws -> PendingFetch? {
        guard request.includesPendingChanges, request.propertiesToFetch.isEmpty, mayHaveChanges
        else { return nil }
        try processPendingChanges()
        return try PendingFetch(self, request)
    }

    /// Reads objects with changes again where refetched ones are to be refreshed, for what they are
    /// decides what is found.
    /// - Returns: which unchanged objects are known, and to be refreshed where they are found.
    private func refreshChanged(_ request: FetchRequest) throws -> Set<ObjectID> {
        guard request.shouldRefreshRefetchedObjects else { return [] }
        try processPendingChanges()
        let changed = touched.filter { $0.id.root == request.entity.root }
        let known = Set(registeredObjects.map(\.id)).subtracting(changed.map(\.id))
        try refresh(changed, mergeChanges: true)
        return known
    }
}
