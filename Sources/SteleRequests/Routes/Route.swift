/// What a request's method and path mean.

import SteleModel

/// A route with the names and ids that its address holds.
package struct Route: Sendable {
    /// What the address names.
    package enum Resource: Sendable {
        case index, health, readiness, model, changes, live, errorCodes, templates, transactions
        case template(FetchTemplate)
        /// `OPTIONS` of any route, with what it allows.
        case options(allow: String)
        case list(Entity)
        case count(Entity)
        /// A list whose parameters are the body.
        case query(Entity)
        case object(Entity, key: Int64)
        case related(Entity, key: Int64, Relationship)
        /// A Binary attribute's bytes.
        case binary(Entity, key: Int64, Attribute)
        case fetched(Entity, key: Int64, FetchedPropertyDescription)
        case relatedCount(Entity, key: Int64, Relationship)
        case member(Entity, key: Int64, Relationship, member: Int64)
        /// Where editing contexts are made.
        case contexts
        /// An editing context itself.
        case context(ContextPart)
    }

    package let method: Method
    package let resource: Resource
    package let pattern: RoutePattern
    /// The id of the editing context that it is below; nil for the store itself.
    package var context: String?

    /// Whether it reads and changes nothing.
    package var isRead: Bool { method == .get || method == .head || pattern == .query }

    /// The pattern with the names of the model filled in and the ids left open, such as
    /// `PATCH /Person/{id}`: what a save's history is given as its context's name.
    package var contextName: String {
        let name = method.rawValue
        return switch resource {
        case .list(let entity): "\(name) /\(entity.name)"
        case .count(let entity): "\(name) /\(entity.name)/count"
        case .object(let entity, _): "\(name) /\(entity.name)/{id}"
        case .related(let entity, _, let it): "\(name) /\(entity.name)/{id}/\(it.name)"
        case .binary(let entity, _, let it): "\(name) /\(entity.name)/{id}/\(it.name)"
        case .relatedCount(let entity, _, let it): "\(name) /\(entity.name)/{id}/\(it.name)/count"
        case .member(let entity, _, let it, _): "\(name) /\(entity.name)/{id}/\(it.name)/{member}"
        default: "\(name) \(pattern.rawValue)"
        }
    }
}

/// What is asked of an editing context beside its objects.
package enum ContextPart: String, Sendable, CaseIterable {
    case state, contexts, changes, undo, redo, save, rollback, reset, refresh, beginGroup, endGroup

    /// The route.
    package var pattern: RoutePattern {
        switch self {
        case .state: .context
        case .contexts: .childContexts
        case .changes: .contextChanges
        case .undo: .contextUndo
        case .redo: .contextRedo
        case .save: .contextSave
        case .rollback: .contextRollback
        case .reset: .contextReset
        case .refresh: .contextRefresh
        case .beginGroup: .contextUndoGroup
        case .endGroup: .contextUndoGroupEnd
        }
    }
}
