/// What unsaved changes rely on in the store, and no object's version says.

import SteleModel
import StelePersistence

/// Members and owners as they were read when a deletion or a link was decided by them.
struct SaveExpectations {
    /// The members that a deletion has read.
    var members: [ToManyID: [Int64]] = [:]
    /// Of relationships without an inverse: the objects that led to an object when it was deleted
    /// or linked. `ToManyID.owner` is the key of that object.
    var owners: [ToManyID: [Int64]] = [:]

    /// Forgets what was read for a deletion that is taken back.
    mutating func forgetDeletion(of object: ManagedObject, in model: Model) {
        for toMany in object.entity.toManys {
            members[ToManyID(relationship: toMany.index, owner: object.id.key)] = nil
        }
        for relationship in model.relationships where relationship.inverse == nil {
            owners[ToManyID(relationship: relationship.index, owner: object.id.key)] = nil
        }
    }
}
