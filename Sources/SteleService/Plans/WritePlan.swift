/// What a writing plan does, with the body that says how.

import SteleJSON
import SteleModel

/// A write; run again as often as it loses a race.
struct WritePlan {
    /// What is done.
    enum Deed {
        case create(Entity)
        case change(Owner, ObjectWriter.Mode)
        case delete(Owner)
        case setBinary(Owner, Attribute, BinarySource)
        case setMembers(Owner, Relationship)
        case addMembers(Owner, Relationship, at: Int?)
        case removeMember(Owner, Relationship, key: Int64)
        case setToOne(Owner, Relationship)
        case clearToOne(Owner, Relationship)
    }

    let deed: Deed
    let body: JSONDocument?
    let ifMatch: Terms.IfMatch?
    let contextName: String
}
