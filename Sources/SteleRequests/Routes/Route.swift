/// The meaning of a request's method and path.

import SteleModel
import StelePersistence

/// The address of an object: its entity and its key.
package struct ObjectAddress: Sendable {
    package let entity: Entity
    package let key: Int64

    package var id: ObjectID { ObjectID(root: entity.root, key: key) }

    package init(_ entity: Entity, key: Int64) {
        self.entity = entity
        self.key = key
    }
}

/// A route, with the names and ids in its address.
package struct Route: Sendable {
    /// What an address names.
    package enum Resource: Sendable {
        case index, health, readiness, metrics, backup, model, metadata, changes, live, tickets
        case errorCodes, openAPI, templates, transactions, rights
        case modelVersions, modelChanges
        /// A version of the model, by its name.
        case modelVersion(String)
        /// A file of the page for browsers, by its path.
        case page(String)
        case template(FetchTemplate)
        /// `OPTIONS` of a route, with the methods that it allows.
        case options(allow: String)
        case list(Entity)
        case count(Entity)
        /// A list whose parameters are in the body.
        case query(Entity)
        case object(ObjectAddress)
        case related(ObjectAddress, Relationship)
        /// The bytes of a Binary attribute.
        case binary(ObjectAddress, Attribute)
        case fetched(ObjectAddress, FetchedPropertyDescription)
        case relatedCount(ObjectAddress, Relationship)
        case member(ObjectAddress, Relationship, key: Int64)
        /// The editing contexts.
        case contexts
        /// An editing context; the pattern says which of its own routes.
        case context
    }

    package let method: Method
    package let resource: Resource
    package let pattern: RoutePattern
    /// The id of the editing context that the address is below; nil for the store.
    package var context: String?

    /// Whether the route only reads.
    package var isRead: Bool { method == .get || method == .head || pattern == .query }

    /// The name of a save's context in the history: the pattern with the names of the model and
    /// without ids, such as `PATCH /Person/{id}`.
    var contextName: String {
        let name = method.rawValue
        return switch resource {
        case .list(let entity): "\(name) /\(entity.name)"
        case .count(let entity): "\(name) /\(entity.name)/count"
        case .object(let object): "\(name) /\(object.entity.name)/{id}"
        case .related(let owner, let it): "\(name) /\(owner.entity.name)/{id}/\(it.name)"
        case .binary(let owner, let it): "\(name) /\(owner.entity.name)/{id}/\(it.name)"
        case .relatedCount(let owner, let it):
            "\(name) /\(owner.entity.name)/{id}/\(it.name)/count"
        case .member(let owner, let it, _):
            "\(name) /\(owner.entity.name)/{id}/\(it.name)/{member}"
        default: "\(name) \(pattern.rawValue)"
        }
    }
}
