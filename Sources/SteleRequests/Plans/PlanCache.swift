/// Plans of reads, kept by the shape of their queries: all but the literals of `where`.

import SteleModel
import StelePredicates

/// A fetch and the form of its rows: what the plans of queries of one shape have in common.
struct FetchPlan: Sendable {
    /// The fetch; in the cache, with the literals of another query.
    var request: FetchRequest
    let shape: Shape
    let isVolatile: Bool
}

/// The plans that a service keeps; thread-safe.
package struct PlanCache: Sendable {
    private let plans = ShapeCache<FetchPlan>()

    package init() {}

    /// The plan kept for a shape, with the literals of the query that has it now.
    func plan(of shape: PredicateShape) -> FetchPlan? {
        guard let (kept, filled) = plans.plan(of: shape) else { return nil }
        var plan = kept
        plan.request.filled = filled
        return plan
    }

    /// The number of shapes.
    var count: Int { plans.count }

    /// Keeps the plan of a query for others of its shape.
    func keep(_ plan: FetchPlan, of shape: PredicateShape) {
        guard let filled = plan.request.filled else { return }
        plans.keep(plan, filled, of: shape)
    }

    /// The shape of a query: all that determines its plan besides what `ListCall` reads of the
    /// page; nil if no plan is kept for it. Queries of the model's own requests have none, because
    /// their predicates are not in the query, nor have queries with variables, nor writes.
    static func shape(_ call: Call) -> PredicateShape? {
        let (route, query) = (call.route, call.query)
        guard route.isRead, !call.isEditing, query.variables.isEmpty else { return nil }
        var context = PredicateShape.Context()
        switch route.resource {
        case .list(let entity), .query(let entity): context.add(numbers: 0, entity.index, 0)
        case .count(let entity): context.add(numbers: 1, entity.index, 0)
        case .related(let owner, let it) where it.isToMany:
            context.add(numbers: 2, owner.entity.index, it.index)
        case .relatedCount(let owner, let it):
            context.add(numbers: 3, owner.entity.index, it.index)
        default: return nil
        }
        context.add(call.format.rawValue)
        // With `after`, some parameters are refused.
        context.add(query[.after] == nil ? 0 : 1)
        for parameter in parameters { context.add(query[parameter]) }
        context.add(query[.where] == nil ? 0 : 1)
        return PredicateShape(query[.where] ?? "", in: context)
    }

    private static let parameters: [Parameter] = [
        .sort, .select, .groupBy, .having, .distinct, .subentities, .include,
    ]
}

extension PredicateShape.Context {
    fileprivate mutating func add(numbers: Int...) {
        for number in numbers { add(number) }
    }
}
