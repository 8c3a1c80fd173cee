/// What will be done for a call: names checked, rights woven in; nothing has touched a store.

import SteleModel
import StelePersistence
import StelePredicates

/// A call, decided.
package struct Plan: Sendable {
    /// What is done.
    package enum Action: Sendable {
        /// An answer that needs no data.
        case page
        case readiness
        case changes
        case live([LivePart])
        case list(ListPlan)
        case count(CountPlan)
        case object(ObjectPlan)
        case binary(BinaryPlan)
        case write(WritePlan)
        /// A new editing context.
        case makeContext
        case context(ContextPart)
    }

    package let call: Call
    package let action: Action

    /// - Throws: `Problem` and `PredicateError` for names that the model does not have, types that
    ///   do not fit, and what this version does not do.
    package init(
        _ call: Call, model: Model, routes: Routes, pace: Pace
    ) throws {
        self.call = call
        let reading = Reading(call: call, model: model, pace: pace)
        switch call.route.resource {
        case .index, .health, .model, .errorCodes, .templates, .options: action = .page
        case .readiness: action = .readiness
        case .changes: action = .changes
        case .contexts: action = .makeContext
        case .context(let part): action = .context(part)
        case .live: action = .live(try reading.live(routes))
        case .transactions:
            action = .write(Self.write(.transact(basePath: Self.basePath(call)), call))
        case .list(let entity):
            action = try Self.list(entity, call, reading)
        case .query(let entity): action = try reading.answer(reading.list(entity, .entity))
        case .template(let template):
            action = try reading.answer(reading.list(template.entity, .entity, template))
        case .fetched(let entity, let key, let declared):
            let property = try FetchedProperty(declared, of: entity, model)
            let owner = Owner(entity: entity, key: key)
            action = try reading.answer(
                reading.list(property.request.entity, .fetched(owner, property)))
        case .count(let entity): action = .count(try reading.count(entity, .entity))
        case .object(let entity, let key):
            action = try Self.object(entity, key, call, reading)
        case .related(let entity, let key, let relationship):
            action = try Self.related(
                Owner(entity: entity, key: key), relationship, call, reading)
        case .binary(let entity, let key, let attribute):
            let owner = Owner(entity: entity, key: key)
            action =
                call.route.isRead
                ? .binary(BinaryPlan(owner: owner, attribute: attribute))
                : .write(
                    Self.write(.setBinary(owner, attribute, BinarySource(call.request)), call))
        case .relatedCount(let entity, let key, let relationship):
            let owner = Owner(entity: entity, key: key)
            action = .count(
                try reading.count(
                    model.destination(of: relationship), .members(owner, relationship)))
        case .member(let entity, let key, let relationship, let member):
            let owner = Owner(entity: entity, key: key)
            action =
                call.route.isRead
                ? .object(
                    try reading.object(
                        .member(owner, relationship, key: member),
                        model.destination(of: relationship)))
                : .write(Self.write(.removeMember(owner, relationship, key: member), call))
        }
    }

    private static func list(
        _ entity: Entity, _ call: Call, _ reading: Reading
    ) throws -> Action {
        switch call.route.method {
        case .post: .write(write(.create(entity), call))
        case .patch: .write(write(.changeAll(try reading.all(entity), merging(call)), call))
        case .delete: .write(write(.deleteAll(try reading.all(entity)), call))
        default: try reading.answer(reading.list(entity, .entity))
        }
    }

    /// What stands before the routes in the address of `/transactions`.
    private static func basePath(_ call: Call) -> String {
        String(call.request.path.dropLast(RoutePattern.transactions.rawValue.count))
    }

    /// How a PATCH's body is meant.
    private static func merging(_ call: Call) -> WritePlan.Mode {
        Body.isJSONPatch(call.request.headers) ? .patch : .merge
    }

    private static func object(
        _ entity: Entity, _ key: Int64, _ call: Call, _ reading: Reading
    ) throws -> Action {
        let owner = Owner(entity: entity, key: key)
        return switch call.route.method {
        case .patch: .write(write(.change(owner, merging(call)), call))
        case .put: .write(write(.change(owner, .replace), call))
        case .delete: .write(write(.delete(owner), call))
        default: .object(try reading.object(.object(entity, key: key), entity))
        }
    }

    private static func related(
        _ owner: Owner, _ relationship: Relationship, _ call: Call, _ reading: Reading
    ) throws -> Action {
        let destination = reading.model.destination(of: relationship)
        switch (call.route.method, relationship.isToMany) {
        case (.put, true): return .write(write(.setMembers(owner, relationship), call))
        case (.put, false): return .write(write(.setToOne(owner, relationship), call))
        case (.post, _):
            return .write(write(.addMembers(owner, relationship, at: call.place), call))
        case (.delete, _): return .write(write(.clearToOne(owner, relationship), call))
        case (_, true):
            return try reading.answer(reading.list(destination, .members(owner, relationship)))
        case (_, false):
            return .object(try reading.object(.toOne(owner, relationship), destination))
        }
    }

    private static func write(_ deed: WritePlan.Deed, _ call: Call) -> WritePlan {
        WritePlan(
            deed: deed, body: call.body, bodyBytes: call.request.body.count,
            terms: call.terms,
            mergePolicy: call.mergePolicy,
            hasKey: call.terms.idempotencyKey != nil, contextName: call.route.contextName)
    }
}
