/// The plan of a write.

import SteleGraph
import SteleJSON
import SteleModel
import StelePredicates

/// A write with its body. It runs again each time that it loses a race.
package struct WritePlan: Sendable {
    /// What happens to the keys that a body leaves out.
    package enum Mode {
        /// They keep their values (merge patch, RFC 7396).
        case merge
        /// Attributes and to-one relationships return to their defaults (PUT).
        case replace
        /// The body is a list of operations (JSON Patch, RFC 6902).
        case patch
    }

    package enum Deed: Sendable {
        case create(Entity)
        case change(ObjectAddress, Mode)
        case delete(ObjectAddress)
        case setBinary(ObjectAddress, Attribute, BinarySource)
        case setMembers(ObjectAddress, Relationship)
        case addMembers(ObjectAddress, Relationship, at: Int?)
        case removeMember(ObjectAddress, Relationship, key: Int64)
        case setToOne(ObjectAddress, Relationship)
        case clearToOne(ObjectAddress, Relationship)
        /// Operations on any objects. Addresses in them may begin with the base path.
        case transact(basePath: String)
        /// A merge patch or JSON Patch of all objects of a fetch.
        case changeAll(FetchRequest, Mode)
        case deleteAll(FetchRequest)

        /// The objects of a write of all that match; nil for every other write.
        package var allOf: FetchRequest? {
            switch self {
            case .changeAll(let request, _), .deleteAll(let request): request
            default: nil
            }
        }
    }

    package let deed: Deed
    package let body: JSONDocument?
    package let bodyBytes: Int
    /// The header fields that the write depends on.
    package let terms: Terms
    package let mergePolicy: MergePolicy
    /// The name of the save's context in the history.
    package let contextName: String
}
