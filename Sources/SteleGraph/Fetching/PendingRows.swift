import SteleModel
import StelePersistence
import StelePredicates

/// The rows of a dictionary result with unsaved changes. Columns are evaluated for the objects of
/// the page; aggregates and distinct rows are evaluated for all matching objects.
struct PendingRows {
    private typealias Evaluator = ExpressionEvaluator<PendingObject>

    private let context: ManagedObjectContext
    private let request: FetchRequest
    /// The value of `now()` throughout the request.
    private let now = PredicateCalls.now
    private let view: PendingView

    init(_ context: ManagedObjectContext, _ request: FetchRequest) {
        self.context = context
        self.request = request
        view = PendingView(context)
    }

    func rows() throws -> [[Value]] {
        let columns = request.propertiesToFetch.map(\.expression)
        let makers = try evaluators(columns)
        let isGrouped = try isGrouped()
        if !isGrouped && !request.returnsDistinctResults {
            var page = request
            page.propertiesToFetch = []
            return try context.fetch(page).map { try values([pending($0)], makers) }
        }
        let rest = request.returnsDistinctResults ? columns : request.propertiesToGroupBy
        let keys = try evaluators(request.sortDescriptors.map(\.expression) + rest)
        let objects = try matching()
        var found: [(position: [Value], row: [Value])] = []
        var seen = Set<[ValueKey]>()
        for group in isGrouped ? try groups(objects) : objects.map({ [$0] }) {
            let row = try values(group, makers)
            if request.returnsDistinctResults, !seen.insert(row.map(ValueKey.init)).inserted {
                continue
            }
            found.append((try values(group, keys), row))
        }
        return page(found)
    }

    // MARK: Evaluation

    private func isGrouped() throws -> Bool {
        if !request.propertiesToGroupBy.isEmpty || request.havingPredicate != nil { return true }
        let check = PredicateCheck(model: context.model, entity: request.entity)
        let all =
            request.propertiesToFetch.map(\.expression) + request.sortDescriptors.map(\.expression)
        for expression in all where try check.isAggregate(expression) { return true }
        return false
    }

    /// All matching objects, in no particular order.
    private func matching() throws -> [PendingObject] {
        var all = FetchRequest(entity: request.entity)
        all.includesSubentities = request.includesSubentities
        all.predicate = request.predicate
        all.source = request.source
        all.isChecked = true
        all.fetchLimit = context.evaluationLimit.map { $0 + 1 }
        let objects = try context.fetch(all)
        try view.checkCount(objects.count)
        return objects.map(pending)
    }

    /// The groups that match `havingPredicate`. Without group keys, all objects form one group.
    private func groups(_ objects: [PendingObject]) throws -> [[PendingObject]] {
        let keys = try evaluators(request.propertiesToGroupBy)
        if keys.isEmpty { return try having([objects]) }
        var places: [[ValueKey]: Int] = [:]
        var groups: [[PendingObject]] = []
        for object in objects {
            let key = try values([object], keys).map(ValueKey.init)
            if let place = places[key] {
                groups[place].append(object)
            } else {
                places[key] = groups.count
                groups.append([object])
            }
        }
        return try having(groups)
    }

    private func having(_ groups: [[PendingObject]]) throws -> [[PendingObject]] {
        guard let having = request.havingPredicate else { return groups }
        let evaluator = try PredicateEvaluator<PendingObject>(
            having, entity: request.entity, model: context.model, now: now)
        let kept = try groups.filter { try evaluator.evaluate(group: $0) }
        try view.check()
        return kept
    }

    private func pending(_ object: ManagedObject) -> PendingObject {
        PendingObject(view: view, object: object)
    }

    private func evaluators(_ expressions: [Expression]) throws -> [Evaluator] {
        try expressions.map {
            try Evaluator($0, entity: request.entity, model: context.model, now: now)
        }
    }

    private func values(_ group: [PendingObject], _ makers: [Evaluator]) throws -> [Value] {
        let values = try makers.map { try $0.evaluate(group: group).value }
        try view.check()
        return values
    }

    /// The rows of the page, sorted.
    private func page(_ found: [(position: [Value], row: [Value])]) -> [[Value]] {
        let order = RowOrder(request)
        var sorted = found.sorted { order.precedes($0.position, $1.position) }
        if let after = request.after { sorted.removeAll { !order.precedes(after, $0.position) } }
        let rest = sorted.dropFirst(max(0, request.fetchOffset))
        return (request.fetchLimit.map { rest.prefix(max(0, $0)) } ?? rest).map(\.row)
    }
}
