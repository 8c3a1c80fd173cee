/// The two ends of a relationship, and the permanent keys of new objects.

import SteleModel
import StelePersistence

extension Model {
    /// The identity of an object to which a relationship leads.
    func destinationID(_ relationship: Relationship, _ key: Int64) -> ObjectID {
        ObjectID(root: destination(of: relationship).root, key: key)
    }

    /// The inverse, where that is a to-one: a link is in the destination's row, too.
    func toOneInverse(of relationship: Relationship) -> Relationship? {
        inverse(of: relationship).flatMap { $0.isToMany ? nil : $0 }
    }

    /// The inverse, where that is a to-many.
    func toManyInverse(of relationship: Relationship) -> Relationship? {
        inverse(of: relationship).flatMap { $0.isToMany ? $0 : nil }
    }

    /// The identity of the object to which a to-many belongs.
    func ownerID(_ place: ToManyID) -> ObjectID {
        let owner = relationships[place.relationship].owner
        return ObjectID(root: entities[owner].root, key: place.owner)
    }
}

extension PermanentKeys {
    /// The key that an object has now: the permanent one, where it got one.
    func key(of id: ObjectID) -> Int64 { id.isTemporary ? self[id] ?? id.key : id.key }
}
