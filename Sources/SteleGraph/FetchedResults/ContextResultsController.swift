import SteleModel
import StelePersistence
import StelePredicates

import struct FoundationEssentials.IndexPath

/// A controller that keeps the result of a fetch request in a context up to date, with the context's
/// unsaved changes (NSFetchedResultsController as Core Data has it). `FetchedResultsController`
/// follows what is saved, from any thread.
///
/// After each change of the context that may concern the result it is fetched again and compared, so
/// a change costs as much as the fetch. The controller belongs to the thread of its context, and
/// keeps the fetched objects.
public final class ContextResultsController {
    /// The query whose result the controller keeps.
    public let query: ResultsQuery
    /// The context (`managedObjectContext`).
    public let managedObjectContext: ManagedObjectContext
    /// The fetched objects, in order (`fetchedObjects`); empty before `performFetch`.
    public private(set) var fetchedObjects: [ManagedObject] = []
    /// The sections, in order (`sections`). Without a section key path there is one, whose name is
    /// null. Empty before `performFetch`.
    public private(set) var sections: [ResultsSection] = []
    private var names: [Value] = []
    private var observation: ContextObservation?
    /// The objects that have changed since the result was last compared.
    private var touched: Set<ObjectIdentifier> = []
    private var isReading = false
    private let section: ExpressionEvaluator<PendingObject>?

    /// Creates a controller for a fetch request
    /// (`init(fetchRequest:managedObjectContext:sectionNameKeyPath:cacheName:)`).
    /// - Parameters:
    ///   - fetchRequest: a request for objects. `after` is ignored.
    ///   - context: the context whose state is shown.
    ///   - sectionNameKeyPath: a key path whose value is the section of a row, such as `team.name`.
    ///     It becomes the first sort key.
    /// - Throws: `PredicateError` if the request does not fit the model.
    public init(
        fetchRequest: FetchRequest, managedObjectContext context: ManagedObjectContext,
        sectionNameKeyPath: String? = nil
    ) throws(PredicateError) {
        managedObjectContext = context
        let model = context.model
        let key = try ResultsQuery.section(sectionNameKeyPath, of: fetchRequest.entity, in: model)
        query = ResultsQuery(try fetchRequest.checked(in: model), section: key, model: model)
        section = try key.map { key throws(PredicateError) in
            try ExpressionEvaluator(key, entity: fetchRequest.entity, model: model)
        }
    }

    /// Creates a controller for the objects of a class.
    /// - Throws: `TypedObjectError.unregistered`; `PredicateError` if the request does not fit the
    ///   model.
    public convenience init<T>(
        fetchRequest: TypedFetchRequest<T>, managedObjectContext context: ManagedObjectContext,
        sectionNameKeyPath: String? = nil
    ) throws {
        try self.init(
            fetchRequest: fetchRequest.request(of: try context.entity(of: T.self)),
            managedObjectContext: context, sectionNameKeyPath: sectionNameKeyPath)
    }

    /// Fetches the result and begins to report changes (`performFetch`).
    /// - Parameter onChange: called on the context's thread for each change, after the objects have
    ///   changed: when the context tells of its own changes or has merged those of others. A change
    ///   is a difference, or `failed`, which ends the following. The keys in a difference are those
    ///   that the objects have then: a save that gives an object its permanent key changes no row.
    ///   `token` is 0.
    /// - Throws: the errors of `ManagedObjectContext.fetch`.
    public func performFetch(
        onChange: @escaping (FetchedResultsController.Change) -> Void = { _ in }
    ) throws {
        stop()
        try read()
        observation = managedObjectContext.observe { [weak self] notification in
            self?.receive(notification, onChange)
        }
    }

    /// Stops following the context. The objects remain.
    public func stop() {
        observation?.cancel()
        observation = nil
    }

    /// The place of an object among the sections (`indexPath(forObject:)`), or nil if it is not a
    /// row. Without sections all rows are in section 0.
    public func indexPath(forObject object: ManagedObject) -> IndexPath? {
        fetchedObjects.firstIndex { $0 === object }.map { sections.indexPath(of: $0) }
    }

    /// The object at a place (`object(at:)`).
    /// - Returns: nil if there is no such section, or no such row in it.
    public func object(at indexPath: IndexPath) -> ManagedObject? {
        sections.index(of: indexPath).flatMap {
            fetchedObjects.indices.contains($0) ? fetchedObjects[$0] : nil
        }
    }

    /// The rows, with the keys that their objects have now.
    private var rows: ListedRows {
        ListedRows(keys: fetchedObjects.map(\.objectID.key), names: names)
    }

    private func isConcerned(by id: ObjectID) -> Bool {
        let entities = managedObjectContext.model.entities
        return entities.indices.contains(id.root)
            && entities[id.root].subtree.contains(where: query.concerns)
    }

    private func read() throws {
        let objects = try managedObjectContext.fetch(query.request)
        if let section {
            let view = PendingView(managedObjectContext)
            names = try objects.map {
                try section.evaluate(PendingObject(view: view, object: $0)).value
            }
            try view.check()
        }
        fetchedObjects = objects
        sections =
            section == nil ? .whole(of: objects.count) : ListedRows(names: names).sections
    }

    private func receive(
        _ notification: ContextNotification,
        _ onChange: (FetchedResultsController.Change) -> Void
    ) {
        switch notification {
        case .objectsDidChange(let changed):
            let concerned = changed.all.filter { query.concerns($0.entity.index) }
            if concerned.isEmpty { return }
            touched.formUnion(concerned.map(ObjectIdentifier.init))
        // Objects that are equal by the sort keys are in the order of their keys.
        case .didSave(let saved) where !saved.inserted.isEmpty: break
        // Objects that are not registered, or are faults, may match now.
        case .didMergeChanges(let merged) where merged.all.contains(where: isConcerned(by:)): break
        case .didSave, .willSave, .didMergeChanges: return
        }
        // A change that the fetch itself tells of is in what it gives.
        if isReading { return }
        let (before, former) = (rows, fetchedObjects)
        isReading = true
        let failure: (any Error)?
        do {
            try read()
            failure = nil
        } catch {
            failure = error
        }
        isReading = false
        if let failure {
            stop()
            return onChange(.failed(failure))
        }
        let difference = before.difference(to: rows, token: 0) {
            [fetchedObjects, touched] from, to in
            let object = fetchedObjects[to]
            // After a reset the same row is another object.
            return touched.contains(ObjectIdentifier(object)) || former[from] !== object
                ? .unknown : UpdatedKeys()
        }
        touched = []
        if !difference.isEmpty { onChange(.difference(difference)) }
    }
}

@available(*, unavailable)
extension ContextResultsController: Sendable {}

extension ChangedObjects {
    /// The objects of all kinds of change.
    fileprivate var all: [ManagedObject] {
        inserted + updated + deleted + refreshed + invalidated
    }
}
