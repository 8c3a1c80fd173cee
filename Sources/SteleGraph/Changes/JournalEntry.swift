import SteleModel
import StelePersistence

/// A change of a context with the state before it, so that it can be undone.
///
/// A link between two objects is journaled on the side that determines it: the slot of a to-one
/// relationship, or one of two to-many relationships. Undoing it updates the other side.
enum JournalEntry {
    case inserted(ManagedObject)
    case deleted(ManagedObject)
    /// A deletion was undone.
    case restored(ManagedObject)
    /// The old value of a slot.
    case slot(ManagedObject, Int, Value)
    /// A deleted object was removed from the inverse of a to-one relationship, whose value it
    /// keeps.
    case cut(ManagedObject, Relationship, Int64)
    /// A link of a to-many relationship without an inverse or with a to-many inverse: owner and
    /// member.
    case member(Relationship, Int64, Int64, isNew: Bool)
    /// The former position of a member in an ordered to-many relationship: owner, member, index.
    case position(Relationship, Int64, Int64, Int)
    /// The former order of all members of an ordered to-many relationship.
    case order(Relationship, Int64, [Int64])
}
