import SteleModel
import StelePersistence

/// The members and owners that a deletion or a link has read. The save checks that they are
/// unchanged in the store, because no object's version covers them.
struct SaveExpectations {
    /// The members that a deletion has read.
    var members: [ToManyID: [Int64]] = [:]
    /// For relationships without an inverse, the objects that led to an object when it was deleted
    /// or linked. `ToManyID.owner` is the key of that object.
    var owners: [ToManyID: [Int64]] = [:]

    /// Removes the expectations of a deletion that is undone.
    mutating func forgetDeletion(of object: ManagedObject, in model: Model) {
        for toMany in object.entity.toManys {
            members[ToManyID(relationship: toMany.index, owner: object.objectID.key)] = nil
        }
        for relationship in model.relationships where relationship.inverse == nil {
            owners[ToManyID(relationship: relationship.index, owner: object.objectID.key)] = nil
        }
    }
}
