/// A fetch's result that stays as the store is, for who shows it (NSFetchedResultsController).

import SteleModel
import StelePersistence
import StelePredicates
import SteleSystem

/// Follows one fetch request over a coordinator: the rows as they are saved, and what each save has
/// changed of them.
///
/// It knows what is saved, by whichever context or program; a context's unsaved changes are no part
/// of it. It can be used from any thread.
public final class FetchedResultsController: Sendable {
    /// What is told of the result.
    public enum Change: Sendable {
        /// Some saves have changed it so.
        case difference(ResultsDifference)
        /// The store was changed by a program that left no history, or the history of a change is
        /// gone: the rows were read anew.
        case refetched
        /// The store cannot be followed any more, and the rows stay as they are:
        /// `performFetch` begins anew.
        case failed(any Error)
    }

    /// What is followed.
    public let query: ResultsQuery
    private let coordinator: PersistentStoreCoordinator

    private struct State: Sendable {
        var results: FetchedResults?
        var subscription: Subscription?
    }
    private let state = Mutex(State())

    /// - Parameters:
    ///   - request: of objects; it is checked against the model. `after` does not count.
    ///   - sectionNameKeyPath: a key path whose value is a row's section, such as `team.name`.
    ///     The rows are sorted by it first.
    /// - Throws: `PredicateError` for what does not fit the model.
    public init(
        _ request: FetchRequest, sectionNameKeyPath: String? = nil,
        coordinator: PersistentStoreCoordinator
    ) throws(PredicateError) {
        let section = try sectionNameKeyPath.flatMap { path throws(PredicateError) in
            let check = PredicateCheck(model: coordinator.model, entity: request.entity)
            return try SortList(path).checked(by: check).first
        }
        query = ResultsQuery(
            try request.checked(in: coordinator.model), section: section?.expression,
            model: coordinator.model)
        self.coordinator = coordinator
    }

    deinit { stop() }

    /// Reads the result, and tells from then on what becomes of it.
    /// - Parameter onChange: called on the broadcast's thread, one change after the other; the rows
    ///   are those after it. It must not call `performFetch`.
    /// - Throws: `StoreError`.
    public func performFetch(onChange: @escaping @Sendable (Change) -> Void = { _ in }) throws {
        stop()
        // What is told meanwhile waits for the lock.
        try state.withLock { state in
            let subscription = coordinator.broadcast.subscribe(
                { [weak self] saves in self?.follow(saves, onChange) },
                changedElsewhere: { [weak self] in self?.refetch(onChange) })
            do {
                // A view that is opened now has all saves that will not be told.
                state = State(results: try read(), subscription: subscription)
            } catch {
                subscription.cancel()
                throw error
            }
        }
    }

    /// Ends the following; the rows stay as they are.
    public func stop() {
        let subscription = state.withLock { state in
            defer { state.subscription = nil }
            return state.subscription
        }
        subscription?.cancel()
    }

    /// The rows' identities in their order (`fetchedObjects`); none before `performFetch`.
    public var fetchedObjectIDs: [ObjectID] {
        let root = query.request.entity.root
        let keys = state.withLock { $0.results?.keys ?? [] }
        return keys.map { ObjectID(root: root, key: $0) }
    }

    /// The sections in their order; none without a section key path.
    public var sections: [ResultsSection] { state.withLock { $0.results?.sections ?? [] } }

    /// The last save that the rows know; nil before `performFetch`.
    public var token: Int64? { state.withLock { $0.results?.token } }

    /// How many rows there are.
    public var count: Int { state.withLock { $0.results?.count ?? 0 } }

    /// The object at an index, or nil where there is none (`object(at:)`).
    public func objectID(at index: Int) -> ObjectID? {
        state.withLock { $0.results?.key(at: index) }
            .map { ObjectID(root: query.request.entity.root, key: $0) }
    }

    /// Where an object stands, or nil where it is no row (`indexPath(forObject:)`).
    public func index(of id: ObjectID) -> Int? {
        guard id.root == query.request.entity.root else { return nil }
        return state.withLock { $0.results?.index(of: id.key) }
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
            // What comes after a gap is read from the store.
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

    /// Changes the results, and tells of it with no lock held.
    private func tell(
        _ onChange: (Change) -> Void, _ body: (inout FetchedResults) throws -> [Change]
    ) {
        var changes: [Change] = []
        var isOver = false
        state.withLock { state in
            guard var results = state.results, state.subscription != nil else { return }
            // The state lets go of them, so that nothing is copied.
            state.results = nil
            do {
                changes = try body(&results)
            } catch {
                changes = [.failed(error)]
                isOver = true
            }
            state.results = results
        }
        if isOver { stop() }
        for change in changes { onChange(change) }
    }
}
