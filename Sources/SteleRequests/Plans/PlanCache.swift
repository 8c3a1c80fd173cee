/// Reading plans by the shape of their queries: the same but for the literals of `where`.

import SteleModel
import StelePredicates

/// A fetch and the shape of its rows: what the plans of one query's shape have in common.
package struct FetchPlan: Sendable {
    /// The fetch; of a plan that is kept with another text's literals.
    package var request: FetchRequest
    package let shape: Shape
    package let isVolatile: Bool
}

/// The plans that one service keeps; any thread.
package struct PlanCache: Sendable {
    private let plans = ShapeCache<FetchPlan>()

    package init() {}

    /// The plan that is kept of a shape, with the literals of the text that is asked now.
    package func plan(of shape: PredicateShape) -> FetchPlan? {
        guard let (kept, filled) = plans.plan(of: shape) else { return nil }
        var plan = kept
        plan.request.filled = filled
        return plan
    }

    /// How many shapes are known.
    package var count: Int { plans.count }

    /// Keeps a request's plan for others of its shape.
    package func keep(_ plan: FetchPlan, of shape: PredicateShape) {
        guard let filled = plan.request.filled else { return }
        plans.keep(plan, filled, of: shape)
    }

    /// The shape of a query: all that its plan is made of, apart from what `ListCall.Page` reads;
    /// nil for what no plan is kept of. The model's own requests are not, for their predicates are
    /// no part of the query, and neither is what `var.NAME` fills in. A write's is another.
    package static func shape(_ call: Call) -> PredicateShape? {
        let (route, query) = (call.route, call.query)
        guard route.isRead, !call.isEditing, query.variables.isEmpty else { return nil }
        var context = PredicateShape.Context()
        switch route.resource {
        case .list(let entity), .query(let entity): context.add(numbers: 0, entity.index, 0)
        case .count(let entity): context.add(numbers: 1, entity.index, 0)
        case .related(let entity, _, let it) where it.isToMany:
            context.add(numbers: 2, entity.index, it.index)
        case .relatedCount(let entity, _, let it):
            context.add(numbers: 3, entity.index, it.index)
        default: return nil
        }
        context.add(call.format.rawValue)
        // Some of what is asked for excludes going on after a row.
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
