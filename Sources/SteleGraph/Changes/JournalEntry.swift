/// What changes in a context, written down so that it can be taken back.

import SteleModel
import StelePersistence

/// One change, with what was there before.
///
/// Of a link between two objects only that is written down which decides it: the to-one's slot, or
/// one of two to-manys. The other side follows when it is taken back, as it did when it was made.
enum JournalEntry {
    case inserted(ManagedObject)
    case deleted(ManagedObject)
    /// A deletion was taken back.
    case restored(ManagedObject)
    /// A slot's value before.
    case slot(ManagedObject, Int, Value)
    /// With its deletion an object left the other side of a to-one, which it still has.
    case cut(ManagedObject, Relationship, Int64)
    /// A link of a to-many whose inverse is none or a to-many: owner and member.
    case member(Relationship, Int64, Int64, isNew: Bool)
    /// Where a member stood in an ordered to-many before it left: owner, member, place.
    case position(Relationship, Int64, Int64, Int)
    /// How all stood in an ordered to-many before.
    case order(Relationship, Int64, [Int64])
}
