import SteleModel
import StelePersistence
import StelePredicates

/// What is done for a call, with names and types checked. Planning touches no store.
///
/// It is a class because it goes from thread to thread and never changes.
package final class Plan: Sendable {
    package enum Action: Sendable {
        /// A page that needs no data.
        case page
        case readiness
        case metrics
        /// What the sender may do.
        case rights
        case backup
        /// A ticket for an event stream.
        case ticket
        case metadata
        case changes
        case live([LivePart])
        case list(ListPlan)
        case count(CountPlan)
        case object(ObjectPlan)
        case binary(BinaryPlan)
        case write(WritePlan)
        /// A new editing context.
        case makeContext
        /// A route of an editing context itself.
        case context
    }

    package let call: Call
    package let action: Action
    /// What the sender may do. Objects are judged by it when the plan is executed.
    package let rights: Rights

    /// - Throws: `Problem` and `PredicateError` for names that the model does not have, types that
    ///   do not fit, rights that the sender does not have, and features of a later version.
    package init(
        _ call: Call, model: Model, routes: Routes, pace: Pace, rights: Rights
    ) throws {
        self.call = call
        self.rights = rights
        try rights.check(call.route, model)
        let reading = Reading(call: call, model: model, pace: pace, rights: rights)
        switch call.route.resource {
        case .index, .health, .model, .modelVersions, .modelVersion, .modelChanges, .errorCodes,
            .openAPI, .templates, .page, .options:
            action = .page
        case .rights: action = .rights
        case .readiness: action = .readiness
        case .metrics: action = .metrics
        case .backup: action = .backup
        case .tickets: action = .ticket
        case .metadata: action = .metadata
        case .changes: action = .changes
        case .contexts: action = .makeContext
        case .context: action = .context
        case .live: action = .live(try reading.live(routes))
        case .transactions: action = Self.write(.transact(basePath: Self.basePath(call)), call)
        case .list(let entity): action = try Self.list(entity, reading)
        case .query(let entity): action = try reading.answer(reading.list(entity, .entity))
        case .template(let template):
            action = try reading.answer(reading.list(template.entity, .entity, template))
        case .fetched(let owner, let declared):
            let property = try FetchedProperty(declared, of: owner.entity, model)
            action = try reading.answer(
                reading.list(property.request.entity, .fetched(owner, property)))
        case .count(let entity): action = .count(try reading.count(entity, .entity))
        case .object(let object): action = try Self.object(object, reading)
        case .related(let owner, let relationship):
            action = try Self.related(owner, relationship, reading)
        case .binary(let owner, let attribute):
            action =
                call.route.isRead
                ? .binary(BinaryPlan(owner: owner, attribute: attribute))
                : Self.write(.setBinary(owner, attribute, BinarySource(call.request)), call)
        case .relatedCount(let owner, let relationship):
            let destination = model.destination(of: relationship)
            action = .count(try reading.count(destination, .members(owner, relationship)))
        case .member(let owner, let relationship, let key):
            let destination = model.destination(of: relationship)
            action =
                call.route.isRead
                ? .object(
                    try reading.object(.member(owner, relationship, key: key), destination))
                : Self.write(.removeMember(owner, relationship, key: key), call)
        }
    }

    private static func list(_ entity: Entity, _ reading: Reading) throws -> Action {
        let call = reading.call
        return switch call.route.method {
        case .post: write(.create(entity), call)
        case .patch: write(.changeAll(try reading.all(entity), mode(of: call)), call)
        case .delete: write(.deleteAll(try reading.all(entity)), call)
        default: try reading.answer(reading.list(entity, .entity))
        }
    }

    /// The prefix of the routes in the address of `/transactions`.
    private static func basePath(_ call: Call) -> String {
        String(call.request.path.dropLast(RoutePattern.transactions.rawValue.count))
    }

    /// The mode of a PATCH, by the media type of its body.
    private static func mode(of call: Call) -> WritePlan.Mode {
        Body.isJSONPatch(call.request.headers) ? .patch : .merge
    }

    private static func object(_ object: ObjectAddress, _ reading: Reading) throws -> Action {
        let call = reading.call
        return switch call.route.method {
        case .patch: write(.change(object, mode(of: call)), call)
        case .put: write(.change(object, .replace), call)
        case .delete: write(.delete(object), call)
        default: .object(try reading.object(.object(object), object.entity))
        }
    }

    private static func related(
        _ owner: ObjectAddress, _ relationship: Relationship, _ reading: Reading
    ) throws -> Action {
        let call = reading.call
        let destination = reading.model.destination(of: relationship)
        return switch (call.route.method, relationship.isToMany) {
        case (.put, true): write(.setMembers(owner, relationship), call)
        case (.put, false): write(.setToOne(owner, relationship), call)
        case (.post, _): write(.addMembers(owner, relationship, at: call.place), call)
        case (.delete, _): write(.clearToOne(owner, relationship), call)
        case (_, true):
            try reading.answer(reading.list(destination, .members(owner, relationship)))
        case (_, false): .object(try reading.object(.toOne(owner, relationship), destination))
        }
    }

    private static func write(_ deed: WritePlan.Deed, _ call: Call) -> Action {
        .write(
            WritePlan(
                deed: deed, body: call.body, bodyBytes: call.request.body.count,
                terms: call.terms, mergePolicy: call.mergePolicy,
                contextName: call.route.contextName))
    }
}
