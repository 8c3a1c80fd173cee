import SteleModel
import StelePersistence
import StelePredicates

/// A fetch whose result unsaved changes affect.
///
/// The store returns the unaffected objects, in order and no more than the page needs. The affected
/// objects are evaluated in memory and merged with them. Both use the same total order.
struct PendingFetch {
    private let context: ManagedObjectContext
    private let request: FetchRequest
    private let view: PendingView
    private let affected: Set<Int64>?
    private let sortKeys: [ExpressionEvaluator<PendingObject>]
    private let order: RowOrder
    /// The value of `now()` throughout the request.
    private let now = PredicateCalls.now

    init(_ context: ManagedObjectContext, _ request: FetchRequest) throws {
        self.context = context
        self.request = request
        view = PendingView(context)
        affected = try AffectedObjects(context, request).keys()
        var sortKeys: [ExpressionEvaluator<PendingObject>] = []
        for key in request.sortDescriptors {
            sortKeys.append(
                try ExpressionEvaluator(
                    key.expression, entity: request.entity, model: context.model, now: now))
        }
        self.sortKeys = sortKeys
        order = RowOrder(request)
    }

    /// The page of objects that the request asks for.
    func objects() throws -> [ManagedObject] {
        let come = try sorted(matching(candidates()))
        var others: [ManagedObject] = []
        if let affected {
            var rest = excluding(affected)
            rest.fetchOffset = 0
            rest.fetchLimit = request.fetchLimit.map {
                let (sum, isBeyond) = $0.addingReportingOverflow(max(0, request.fetchOffset))
                return isBeyond ? .max : sum
            }
            others = try context.loader.snapshots(rest).map(context.loader.object(from:))
        }
        return page(try merge(others, come))
    }

    func count() throws -> Int {
        var total = try matching(candidates()).count
        if let affected {
            var rest = excluding(affected)
            rest.fetchOffset = 0
            rest.fetchLimit = nil
            total += try ContextFetch(context, rest).storedCount()
        }
        let left = max(0, total - max(0, request.fetchOffset))
        return request.fetchLimit.map { min(max(0, $0), left) } ?? left
    }

    private func page(_ objects: [ManagedObject]) -> [ManagedObject] {
        let rest = objects.dropFirst(max(0, request.fetchOffset))
        return Array(request.fetchLimit.map { rest.prefix(max(0, $0)) } ?? rest)
    }

    // MARK: Affected objects

    /// The request without the objects with those keys.
    private func excluding(_ keys: Set<Int64>) -> FetchRequest {
        var rest = request
        let others = Predicate.not(.isOne(of: keys.sorted()))
        rest.predicate = request.predicate.map { .and([$0, others]) } ?? others
        rest.isChecked = true
        return rest
    }

    /// The affected objects of the request's entity that are not deleted.
    private func candidates() throws -> [ManagedObject] {
        let entity = request.entity
        var found: [ManagedObject]
        if let affected {
            found = Array(
                try context.existingObjects(root: entity.root, keys: affected.sorted()).values)
        } else {
            var all = FetchRequest(entity: entity)
            all.fetchLimit = context.evaluationLimit.map { $0 + 1 }
            found = try context.snapshots(all).map(context.loader.object(from:))
            try view.checkCount(found.count)
            found += context.changes.inserted
        }
        let kinds = request.includesSubentities ? entity.subtree : entity.index..<entity.index + 1
        return found.filter { !$0.isDeleted && kinds.contains($0.entity.index) }
    }

    private func matching(_ objects: [ManagedObject]) throws -> [ManagedObject] {
        guard let predicate = request.predicate else { return objects }
        let (entity, model) = (request.entity, context.model)
        guard let source = request.source else {
            let evaluator = try PredicateEvaluator<PendingObject>(
                predicate, entity: entity, model: model, now: now)
            return try objects.filter { object in
                let holds = try evaluator.evaluate(PendingObject(view: view, object: object))
                try view.check()
                return holds
            }
        }
        let evaluator = try PredicateEvaluator<PendingObject>(
            predicate, entity: entity, source: source.entity, model: model, now: now)
        let root = model.entities[source.entity].root
        let sources = try context.existingObjects(root: root, keys: source.keys)
        return try objects.flatMap { object in
            let its = PendingObject(view: view, object: object)
            var found: [ManagedObject] = []
            for key in source.keys {
                guard let source = sources[key] else { continue }
                let from = PendingObject(view: view, object: source)
                if try evaluator.evaluate(its, source: from) { found.append(object) }
            }
            try view.check()
            return found
        }
    }

    // MARK: Order

    func position(_ object: ManagedObject) throws -> [Value] {
        let its = PendingObject(view: view, object: object)
        var values: [Value] = []
        for key in sortKeys { values.append(try key.evaluate(its).value) }
        try view.check()
        values.append(.key(object.objectID.key))
        return values
    }

    private typealias Placed = (position: [Value], object: ManagedObject)

    private func sorted(_ objects: [ManagedObject]) throws -> [Placed] {
        var found: [Placed] = []
        for object in objects { found.append((try position(object), object)) }
        if let after = request.after { found.removeAll { !order.precedes(after, $0.position) } }
        found.sort { order.precedes($0.position, $1.position) }
        return found
    }

    /// Merges both lists. Positions among the others are found by binary search, because evaluating
    /// a position may read from the store.
    private func merge(_ others: [ManagedObject], _ come: [Placed]) throws -> [ManagedObject] {
        if come.isEmpty { return others }
        var positions: [Int: [Value]] = [:]
        func position(_ index: Int) throws -> [Value] {
            if let known = positions[index] { return known }
            let found = try self.position(others[index])
            positions[index] = found
            return found
        }
        var merged: [ManagedObject] = []
        merged.reserveCapacity(others.count + come.count)
        var next = 0
        for (place, object) in come {
            var (low, high) = (next, others.count)
            while low < high {
                let middle = (low + high) / 2
                if order.precedes(try position(middle), place) {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            merged += others[next..<low]
            merged.append(object)
            next = low
        }
        return merged + others[next...]
    }
}
