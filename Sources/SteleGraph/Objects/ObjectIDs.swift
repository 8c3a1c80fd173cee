import SteleModel
import StelePersistence

extension Model {
    /// The ID of a relationship's destination with the key.
    func destinationID(_ relationship: Relationship, _ key: Int64) -> ObjectID {
        ObjectID(root: destination(of: relationship).root, key: key)
    }

    /// The inverse if it is a to-one relationship. The link is then stored in the destination's
    /// row.
    func toOneInverse(of relationship: Relationship) -> Relationship? {
        inverse(of: relationship).flatMap { $0.isToMany ? nil : $0 }
    }

    /// The inverse if it is a to-many relationship.
    func toManyInverse(of relationship: Relationship) -> Relationship? {
        inverse(of: relationship).flatMap { $0.isToMany ? $0 : nil }
    }

    /// The ID of the owner of a to-many relationship.
    func ownerID(_ place: ToManyID) -> ObjectID {
        let owner = relationships[place.relationship].owner
        return ObjectID(root: entities[owner].root, key: place.owner)
    }
}

extension PermanentKeys {
    /// The current key of an object: its permanent key if it has one.
    func key(of id: ObjectID) -> Int64 { id.isTemporaryID ? self[id] ?? id.key : id.key }
}
