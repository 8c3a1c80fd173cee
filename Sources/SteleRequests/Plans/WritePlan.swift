/// What a writing plan does, with the body that says how.

import SteleGraph
import SteleJSON
import SteleModel
import StelePredicates

/// A write; run again as often as it loses a race.
package struct WritePlan: Sendable {
    /// How the keys that a body leaves out are taken.
    package enum Mode {
        /// They stay (merge patch, RFC 7396).
        case merge
        /// Attributes and to-ones go back to their defaults (PUT).
        case replace
        /// The body is a list of operations (JSON Patch, RFC 6902).
        case patch
    }

    /// What is done.
    package enum Deed: Sendable {
        case create(Entity)
        case change(Owner, Mode)
        case delete(Owner)
        case setBinary(Owner, Attribute, BinarySource)
        case setMembers(Owner, Relationship)
        case addMembers(Owner, Relationship, at: Int?)
        case removeMember(Owner, Relationship, key: Int64)
        case setToOne(Owner, Relationship)
        case clearToOne(Owner, Relationship)
        /// Operations on any objects; addresses in them begin with the base path.
        case transact(basePath: String)
        /// The merge patch, or JSON Patch, for all objects of a fetch.
        case changeAll(FetchRequest, Mode)
        case deleteAll(FetchRequest)

        /// The objects that a write of all that match is about; nil for every other.
        package var allOf: FetchRequest? {
            switch self {
            case .changeAll(let request, _), .deleteAll(let request): request
            default: nil
            }
        }
    }

    package let deed: Deed
    package let body: JSONDocument?
    /// Bytes of the request's body.
    package let bodyBytes: Int
    /// What the client makes the write depend on.
    package let terms: Terms
    package let mergePolicy: MergePolicy
    /// Whether the client names the request by a key.
    package let hasKey: Bool
    package let contextName: String
}
