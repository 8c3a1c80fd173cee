import SteleModel
import StelePredicates
import SteleSystem

/// One fetch from an in-memory store: filter, group, sort, limit. It defines the meaning that the
/// SQL of other stores must have.
struct InMemoryFetch {
    private typealias Evaluator = ExpressionEvaluator<InMemoryObject>

    private let view: InMemoryView
    private let request: FetchRequest
    private let model: Model
    /// The value of `now()` in the whole request.
    private let now = PredicateCalls.now

    /// The limits of MATCHES.
    private let limits: MatchLimits
    /// The moment of `MonotonicClock` by which the rows have to be found.
    private let end: UInt64
    /// Whether the result is still wanted.
    private let isWanted: () -> Bool

    init(
        _ view: InMemoryView, _ request: FetchRequest,
        matching limits: MatchLimits = .standard, until end: UInt64 = .max,
        while isWanted: @escaping () -> Bool = { true }
    ) {
        self.isWanted = isWanted
        self.view = view
        self.limits = limits
        self.end = end
        self.request = request
        model = view.contents.model
    }

    // MARK: Objects

    func snapshots() throws(StoreError) -> [Snapshot] {
        try plainly { () throws(PredicateError) in
            let keys = try sortKeys(then: [])
            var found: [(position: [Value], row: Snapshot)] = []
            for object in try matching() {
                let position = try position([object], keys) + [.key(object.key)]
                found.append((position, object.row))
            }
            return page(found, keys).map(\.row)
        }
    }

    func position(of key: Int64) throws(StoreError) -> [Value] {
        let id = ObjectID(root: request.entity.root, key: key)
        guard let row = view.contents.row(id) else { return [] }
        return try plainly { () throws(PredicateError) in
            try position([InMemoryObject(view: view, row: row)], try sortKeys(then: []))
                + [.key(key)]
        }
    }

    func count() throws(StoreError) -> Int {
        request.propertiesToFetch.isEmpty ? try snapshots().count : try rows().count
    }

    // MARK: Rows

    func rows() throws(StoreError) -> [[Value]] {
        try plainly { () throws(PredicateError) in
            if request.propertiesToFetch.isEmpty {
                throw PredicateError(.unsupported, "the request selects no columns")
            }
            let columns = request.propertiesToFetch.map(\.expression)
            let isGrouped = try (request.asked?.request ?? request).isGrouped(in: model)
            try RowsCheck(request, model).check(isGrouped: isGrouped)
            let rest =
                request.returnsDistinctResults
                ? columns : isGrouped ? request.propertiesToGroupBy : []
            let keys = try sortKeys(then: rest)
            let makers = try evaluators(columns)
            var found: [(position: [Value], row: [Value])] = []
            var seen = Set<[ValueKey]>()
            for group in isGrouped ? try groups() : try matching().map({ [$0] }) {
                let row = try position(group, makers)
                if request.returnsDistinctResults, !seen.insert(row.map(ValueKey.init)).inserted {
                    continue
                }
                var position = try position(group, keys)
                if !isGrouped && !request.returnsDistinctResults, let object = group.first {
                    position.append(.key(object.key))
                }
                found.append((position, row))
            }
            return page(found, keys).map(\.row)
        }
    }

    /// Returns the groups that satisfy `having`; without keys, one group of all rows.
    private func groups() throws(PredicateError) -> [[InMemoryObject]] {
        let keys = try evaluators(request.propertiesToGroupBy)
        var places: [[ValueKey]: Int] = [:]
        var groups: [[InMemoryObject]] = keys.isEmpty ? [[]] : []
        for object in try matching() {
            let key = try position([object], keys).map(ValueKey.init)
            let place = keys.isEmpty ? 0 : places[key, default: groups.count]
            if place == groups.count {
                groups.append([])
                places[key] = place
            }
            groups[place].append(object)
        }
        guard let having = request.havingPredicate else { return groups }
        let evaluator = try PredicateEvaluator<InMemoryObject>(
            having, entity: request.entity, model: model, now: now)
        var kept: [[InMemoryObject]] = []
        for group in groups where try evaluator.evaluate(group: group) { kept.append(group) }
        return kept
    }

    // MARK: Steps

    private func matching() throws(PredicateError) -> [InMemoryObject] {
        let family =
            request.includesSubentities
            ? request.entity.subtree : request.entity.index..<request.entity.index + 1
        let evaluator = try request.predicate.map { predicate throws(PredicateError) in
            if let source = request.source {
                return try PredicateEvaluator<InMemoryObject>(
                    predicate, entity: request.entity, source: source.entity, model: model,
                    now: now)
            }
            return try PredicateEvaluator<InMemoryObject>(
                predicate, entity: request.entity, model: model, now: now)
        }
        evaluator?.beginMatching(limits)
        let sources = sources()
        var found: [InMemoryObject] = []
        let isTimed = end < .max
        let rows = view.contents.families[request.entity.root]
        for key in rows.keys.sorted() {
            guard let row = rows[key], family.contains(row.entity) else { continue }
            if isTimed, MonotonicClock.now > end || !isWanted() {
                throw PredicateError(.limit, "finding the rows takes too long")
            }
            let object = InMemoryObject(view: view, row: row)
            guard let evaluator else {
                found.append(object)
                continue
            }
            if let sources {
                for source in sources where try evaluator.evaluate(object, source: source) {
                    found.append(object)
                }
            } else if try evaluator.evaluate(object) {
                found.append(object)
            }
        }
        return found
    }

    /// Returns the objects for `$FETCH_SOURCE`; nil for a request without a source.
    private func sources() -> [InMemoryObject]? {
        guard let source = request.source else { return nil }
        let root = model.entities[source.entity].root
        return source.keys.compactMap { key in
            view.contents.row(ObjectID(root: root, key: key)).map {
                InMemoryObject(view: view, row: $0)
            }
        }
    }

    private func evaluators(_ expressions: [Expression]) throws(PredicateError) -> [Evaluator] {
        try expressions.map { expression throws(PredicateError) in
            try Evaluator(expression, entity: request.entity, model: model, now: now)
        }
    }

    private func sortKeys(then rest: [Expression]) throws(PredicateError) -> [Evaluator] {
        try RowsCheck(request, model).checkKeys()
        return try evaluators(request.sortDescriptors.map(\.expression) + rest)
    }

    private func position(
        _ group: [InMemoryObject], _ keys: [Evaluator]
    ) throws(PredicateError) -> [Value] {
        try keys.map { key throws(PredicateError) in try key.evaluate(group: group).value }
    }

    /// Sorts the rows and returns the requested page.
    private func page<Row>(
        _ found: [(position: [Value], row: Row)], _ keys: [Evaluator]
    ) -> ArraySlice<(position: [Value], row: Row)> {
        let order = RowOrder(request)
        var sorted = found.sorted { order.precedes($0.position, $1.position) }
        if let after = request.after { sorted.removeAll { !order.precedes(after, $0.position) } }
        let rest = sorted.dropFirst(max(0, request.fetchOffset))
        return request.fetchLimit.map { rest.prefix(max(0, $0)) } ?? rest
    }

    /// Runs a step and translates its predicate errors.
    private func plainly<T>(
        _ work: () throws(PredicateError) -> T
    ) throws(StoreError) -> T {
        do { return try work() } catch {
            switch PredicateError.Code(rawValue: error.code) {
            case .limit, .pattern: throw .predicate(error)
            default: throw .invalid(error.description)
            }
        }
    }
}

extension FetchRequest {
    /// Returns whether the rows are groups of objects.
    func isGrouped(in model: Model) throws(PredicateError) -> Bool {
        if !propertiesToGroupBy.isEmpty || havingPredicate != nil { return true }
        let check = PredicateCheck(model: model, entity: entity)
        for expression in propertiesToFetch.map(\.expression) + sortDescriptors.map(\.expression)
        where try check.isAggregate(expression) {
            return true
        }
        return false
    }
}
