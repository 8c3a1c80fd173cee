/// Dictionary results that unsaved changes decide.

import SteleModel
import StelePersistence
import StelePredicates

extension ManagedObjectContext {
    /// As `rows`, of what is unsaved, too: what the objects hold here, and who matches here. Core
    /// Data has no such thing.
    ///
    /// Where nothing has changed the store is asked. Else columns are worked out for the objects of
    /// the page, and aggregates and distinct rows over all objects that match.
    /// - Throws: as `fetch`; `ContextError.tooManyObjects` beyond `evaluationLimit`.
    public func currentRows(_ request: FetchRequest) throws -> [[Value]] {
        guard request.isChecked else { return try currentRows(request.checked(in: model)) }
        try mergeNews()
        guard mayHaveChanges else {
            if let parent { return try parent.currentRows(request) }
            return try rows(request)
        }
        return try inOneView { try PendingRows(self, request).rows() }
    }

    /// Where an object stands in a request's order, unsaved changes counted: what
    /// `FetchRequest.after` goes on behind. Empty where there is no such object.
    /// - Throws: as `fetch`.
    public func position(of key: Int64, in request: FetchRequest) throws -> [Value] {
        guard request.isChecked else {
            return try position(of: key, in: request.checked(in: model))
        }
        guard mayHaveChanges else {
            if let parent { return try parent.position(of: key, in: request) }
            return try read { try $0.reader.position(of: key, in: request) }
        }
        return try inOneView {
            let id = ObjectID(root: request.entity.root, key: key)
            guard let object = try existingObject(with: id) else { return [] }
            return try PendingFetch(self, request).position(object)
        }
    }
}

/// Rows made of objects with their unsaved changes: select, group, sort, cut.
private struct PendingRows {
    private typealias Evaluator = ExpressionEvaluator<PendingObject>

    private let context: ManagedObjectContext
    private let request: FetchRequest
    /// What `now()` is, wherever the request says it.
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
            return try context.fetch(page).map { try row([pending($0)], columns, makers) }
        }
        let rest = request.returnsDistinctResults ? columns : request.propertiesToGroupBy
        let keys = try evaluators(request.sortDescriptors.map(\.expression) + rest)
        let objects = try matching()
        var found: [(position: [Value], row: [Value])] = []
        var seen = Set<[ValueKey]>()
        for group in isGrouped ? try groups(objects) : objects.map({ [$0] }) {
            let row = try row(group, columns, makers)
            if request.returnsDistinctResults, !seen.insert(row.map(ValueKey.init)).inserted {
                continue
            }
            found.append((try values(group, keys), row))
        }
        return page(found)
    }

    // MARK: Steps

    private func isGrouped() throws -> Bool {
        if !request.propertiesToGroupBy.isEmpty || request.havingPredicate != nil { return true }
        let check = PredicateCheck(model: context.model, entity: request.entity)
        let all =
            request.propertiesToFetch.map(\.expression) + request.sortDescriptors.map(\.expression)
        for expression in all where try check.isAggregate(expression) { return true }
        return false
    }

    /// All objects that match, in no order.
    private func matching() throws -> [PendingObject] {
        var all = FetchRequest(entity: request.entity)
        all.includesSubentities = request.includesSubentities
        all.predicate = request.predicate
        all.source = request.source
        all.isChecked = true
        all.fetchLimit = context.evaluationLimit.map { $0 + 1 }
        let objects = try context.fetch(all)
        try context.checkEvaluation(of: objects.count)
        return objects.map(pending)
    }

    /// The groups that `having` lets through; all is one group where nothing groups it.
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

    /// A row; ids in it are told from numbers, for new objects' are written in another way.
    private func row(
        _ group: [PendingObject], _ columns: [Expression], _ makers: [Evaluator]
    ) throws -> [Value] {
        zip(columns, try values(group, makers)).map { column, value in
            guard case .int(let key) = value, case .keyPath(_, let path) = column,
                path.last == "_id"
            else { return value }
            return .key(key)
        }
    }

    /// Sorted, from where the request goes on, and no more than it asks for.
    private func page(_ found: [(position: [Value], row: [Value])]) -> [[Value]] {
        let order = RowOrder(request)
        var sorted = found.sorted { order.precedes($0.position, $1.position) }
        if let after = request.after { sorted.removeAll { !order.precedes(after, $0.position) } }
        let rest = sorted.dropFirst(max(0, request.fetchOffset))
        return (request.fetchLimit.map { rest.prefix(max(0, $0)) } ?? rest).map(\.row)
    }
}

extension ManagedObjectContext {
    /// - Throws: `ContextError.tooManyObjects`, where that is more than may be evaluated here.
    func checkEvaluation(of count: Int) throws {
        guard let limit = evaluationLimit, count > limit else { return }
        throw ContextError.tooManyObjects(limit: limit)
    }
}
