import struct FoundationEssentials.IndexPath
import SteleModel
import StelePersistence
import StelePredicates
import SteleSystem

/// A controller that keeps the result of a fetch request up to date with the store and reports the
/// changes (NSFetchedResultsController).
///
/// The result contains saved objects only, regardless of the context or program that saved them. A
/// context's unsaved changes are not part of it. The controller can be used from any thread.
public final class FetchedResultsController: Sendable {
    /// A change of the result.
    public enum Change: Sendable {
        /// Saves have changed the result.
        case difference(ResultsDifference)
        /// All rows were fetched again, because another program changed the store or because the
        /// history no longer contains a change.
        case refetched
        /// Following the store has failed. The rows remain as they are. Call `performFetch` to
        /// start again.
        case failed(any Error)
    }

    /// The query whose result the controller follows.
    public let query: ResultsQuery
    private let coordinator: PersistentStoreCoordinator

    /// A following of the store, from a `performFetch` until the next one or `stop`.
    private struct Following: Sendable {
        let subscription: Subscription
        /// Called when it has ended.
        let ended: @Sendable () -> Void

        func end() {
            subscription.cancel()
            ended()
        }
    }

    private struct State: Sendable {
        var results: FetchedResults?
        var following: Following?
        weak var delegate: (any FetchedResultsControllerDelegate)?
    }
    private let state = Mutex(State())

    /// The object that is told each change, in addition to the closure or the sequence; it is held
    /// weakly (`delegate`).
    public var delegate: (any FetchedResultsControllerDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// Creates a controller for a fetch request.
    /// - Parameters:
    ///   - request: a request for objects. It is checked against the model. `after` is ignored.
    ///   - sectionNameKeyPath: a key path whose value is the section of a row, such as `team.name`.
    ///     It becomes the first sort key. Nil for no sections.
    ///   - coordinator: the coordinator of the store that is read and followed.
    /// - Throws: `PredicateError` if the request does not fit the model.
    public convenience init(
        _ request: FetchRequest, sectionNameKeyPath: String? = nil,
        coordinator: PersistentStoreCoordinator
    ) throws(PredicateError) {
        try self.init(
            request, of: nil, sectionNameKeyPath: sectionNameKeyPath, coordinator: coordinator)
    }

    init(
        _ request: FetchRequest, of owner: ResultsOwner?, sectionNameKeyPath: String?,
        coordinator: PersistentStoreCoordinator
    ) throws(PredicateError) {
        let section = try ResultsQuery.section(
            sectionNameKeyPath, of: request.entity, in: coordinator.model)
        query = ResultsQuery(
            try request.checked(in: coordinator.model), of: owner, section: section,
            model: coordinator.model)
        self.coordinator = coordinator
    }

    deinit { stop() }

    /// Fetches the result and begins to report changes (`performFetch`).
    /// - Parameter onChange: called on the broadcast's thread for each change in turn, after the
    ///   rows have changed. It must not call `performFetch`.
    /// - Throws: `StoreError`; `ResultsError.ownerDeleted` if the rows belong to an object that is
    ///   not there.
    public func performFetch(onChange: @escaping @Sendable (Change) -> Void = { _ in }) throws {
        _ = try follow(onChange) {}
    }

    private func follow(
        _ onChange: @escaping @Sendable (Change) -> Void, ended: @escaping @Sendable () -> Void
    ) throws -> Subscription {
        stop()
        let subscription = coordinator.broadcast.subscribe(
            { [weak self] saves in self?.follow(saves, onChange) },
            changedElsewhere: { [weak self] in self?.refetch(onChange) },
            poll: { [weak coordinator] in _ = coordinator?.store.noticesForeignChange() })
        let former: Following?
        do {
            // Notifications that arrive meanwhile wait for the lock.
            former = try state.withLock { state in
                // Of a call on another thread.
                let former = state.following
                // A reader opened now includes all saves of which the subscription is not notified.
                state.results = try read()
                state.following = Following(subscription: subscription, ended: ended)
                return former
            }
        } catch {
            subscription.cancel()
            throw error
        }
        former?.end()
        return subscription
    }

    /// Fetches the result and gives its changes as a sequence, in place of the closure of
    /// `performFetch`. It ends after `.failed`, `stop` or another fetch, and when 1,000 changes wait
    /// unread. Leaving the sequence stops following the store.
    /// - Throws: `StoreError`.
    public func changes() throws -> AsyncStream<Change> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Change.self, bufferingPolicy: .bufferingOldest(1_000))
        let own = try follow { [weak self] change in
            if case .enqueued = continuation.yield(change) { return }
            self?.stop()
        } ended: {
            continuation.finish()
        }
        // Strongly: the controller lives as long as the sequence is read.
        continuation.onTermination = { _ in self.stop { $0 === own } }
        return stream
    }

    /// Stops following the store. The rows remain as they are.
    public func stop() { stop { _ in true } }

    private func stop(where isMeant: (Subscription) -> Bool) {
        let following: Following? = state.withLock { state in
            guard let following = state.following, isMeant(following.subscription) else {
                return nil
            }
            state.following = nil
            return following
        }
        following?.end()
    }

    /// The IDs of the fetched objects, in order (`fetchedObjects`); empty before `performFetch`.
    public var fetchedObjectIDs: [ObjectID] {
        let root = query.request.entity.root
        let keys = state.withLock { $0.results?.keys ?? [] }
        return keys.map { ObjectID(root: root, key: $0) }
    }

    /// The sections, in order (`sections`). Without a section key path there is one, whose name is
    /// null. Empty before `performFetch`.
    public var sections: [ResultsSection] {
        state.withLock { state in
            guard let results = state.results else { return [] }
            return query.hasSections ? results.sections : .whole(of: results.count)
        }
    }

    /// The token of the last save that the rows include; nil before `performFetch`.
    public var token: Int64? { state.withLock { $0.results?.token } }

    /// The number of rows.
    public var count: Int { state.withLock { $0.results?.count ?? 0 } }

    /// The ID of the object at an index, or nil if the index is out of range (`object(at:)`).
    public func objectID(at index: Int) -> ObjectID? {
        state.withLock { $0.results?.key(at: index) }
            .map { ObjectID(root: query.request.entity.root, key: $0) }
    }

    /// The index of an object, or nil if it is not a row (`indexPath(forObject:)`).
    public func index(of id: ObjectID) -> Int? {
        guard id.root == query.request.entity.root else { return nil }
        return state.withLock { $0.results?.index(of: id.key) }
    }

    /// The place of an object among the sections (`indexPath(forObject:)`): the section, and the
    /// index in it. Without sections all rows are in section 0.
    /// - Returns: nil if the object is not a row.
    public func indexPath(forObject id: ObjectID) -> IndexPath? {
        guard id.root == query.request.entity.root else { return nil }
        return state.withLock { state in
            guard let results = state.results else { return nil }
            return results.index(of: id.key).map { results.sections.indexPath(of: $0) }
        }
    }

    /// The ID of the object at a place (`object(at:)`).
    /// - Returns: nil if there is no such section, or no such row in it.
    public func objectID(at indexPath: IndexPath) -> ObjectID? {
        let key: Int64? = state.withLock { state in
            guard let results = state.results else { return nil }
            return results.sections.index(of: indexPath).flatMap { results.key(at: $0) }
        }
        return key.map { ObjectID(root: query.request.entity.root, key: $0) }
    }

    private func read() throws -> FetchedResults {
        let reader = try coordinator.store.reader()
        defer { reader.close() }
        return try FetchedResults(query, reader)
    }

    private func follow(_ saves: [HistoryTransaction], _ onChange: (Change) -> Void) {
        tell(onChange) { results in
            let saves = saves.filter { $0.number > results.token }
            var opened: (any StoreReader)?
            defer { opened?.close() }
            // After a gap, the saves are read from the store.
            let isNext = saves.first?.number == results.token + 1
            let view = SavesView(after: results.token, isNext ? saves : []) { [coordinator] in
                let reader = try coordinator.store.reader()
                opened = reader
                return reader
            }
            if !isNext, !saves.isEmpty { try view.reader() }
            do {
                return try results.advance(in: view).map(Change.difference)
            } catch StoreError.expired {
                results = try self.read()
                return [.refetched]
            }
        }
    }

    private func refetch(_ onChange: (Change) -> Void) {
        tell(onChange) { results in
            results = try self.read()
            return [.refetched]
        }
    }

    /// Changes the results and calls `onChange` without holding the lock.
    private func tell(
        _ onChange: (Change) -> Void, _ body: (inout FetchedResults) throws -> [Change]
    ) {
        var changes: [Change] = []
        var isOver = false
        state.withLock { state in
            guard var results = state.results, state.following != nil else { return }
            // `results` is then the only reference, so changing it does not copy the rows.
            state.results = nil
            do {
                changes = try body(&results)
            } catch {
                changes = [.failed(error)]
                isOver = true
            }
            state.results = results
        }
        let delegate = changes.isEmpty ? nil : self.delegate
        for change in changes {
            onChange(change)
            delegate?.receive(change, of: self)
        }
        if isOver { stop() }
    }
}
