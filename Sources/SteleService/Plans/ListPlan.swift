/// What a reading plan asks for: which objects, in which shape.

import SteleModel
import StelePersistence
import StelePredicates

/// An object that a relationship's route begins at.
struct Owner: Sendable {
    let entity: Entity
    let key: Int64

    var id: ObjectID { ObjectID(root: entity.root, key: key) }
}

/// Where a list's objects come from.
enum Source: Sendable {
    /// The entity and its subentities.
    case entity
    /// The members of a to-many relationship.
    case members(Owner, Relationship)
    /// What a fetched property gives an object.
    case fetched(Owner, FetchedProperty)
}

/// How objects are given.
enum Shape: Sendable {
    /// Whole, with relationships embedded.
    case objects(Inclusion)
    /// The columns asked for, an object a row; `_id` is the row's last value, after the columns.
    case columns([Column], Inclusion)
    /// Rows of aggregates, or distinct ones. The places in a row are of the values that tell where
    /// it stands in the order, as `FetchRequest.after` takes them; some may be behind the columns.
    case rows([Column], position: [Int])

    var inclusion: Inclusion {
        switch self {
        case .objects(let inclusion), .columns(_, let inclusion): inclusion
        case .rows: .none
        }
    }

    /// How many values a cursor holds for a list in an order of so many keys.
    func positionCount(sortedBy keys: Int) -> Int {
        if case .rows(_, let places) = self { places.count } else { keys + 1 }
    }

    /// Whether whole objects are given with nothing embedded.
    var isPlain: Bool {
        if case .objects(let inclusion) = self { inclusion.isEmpty } else { false }
    }
}

/// A list.
struct ListPlan: Sendable {
    let source: Source
    /// The fetch, without limit, offset and cursor.
    let request: FetchRequest
    let shape: Shape
    /// Rows to give; nil for all that there are.
    var limit: Int?
    /// Rows that the whole list has at most: a fetch request template's own limit.
    let ceiling: Int?
    /// Whether there may be too many to hold.
    let isStreamed: Bool
    let offset: Int
    let after: Cursor?
    let wantsCount: Bool
    /// A hash of what all pages have in common: for cursors.
    let fingerprint: UInt64
    /// A hash of all that is asked: for entity tags.
    let tagHash: UInt64
    /// Whether the answer differs from one time to the next although nothing has changed.
    let isVolatile: Bool
}

extension ListPlan {
    /// Rows of a page that is held whole.
    var pageLimit: Int { limit ?? .max >> 16 }

    /// The next page by number; nil where it is beyond the ceiling.
    var nextByOffset: NextPage? {
        let place = offset + pageLimit
        return place < ceiling ?? .max ? .offset(place) : nil
    }
}

/// Where the next page begins.
enum NextPage: Sendable {
    case after(Cursor)
    case offset(Int)
}

/// A count.
struct CountPlan: Sendable {
    let source: Source
    let request: FetchRequest
    let tagHash: UInt64
    let isVolatile: Bool
}

/// A single object.
struct ObjectPlan: Sendable {
    /// Which one.
    enum Target: Sendable {
        case object(Entity, key: Int64)
        /// The destination of a to-one; there may be none.
        case toOne(Owner, Relationship)
        /// A member of a to-many, if it is one.
        case member(Owner, Relationship, key: Int64)
    }

    let target: Target
    /// The entity that the shape's columns are of.
    let entity: Entity
    let shape: Shape
    /// The columns' expressions, for a shape with columns.
    let columns: [ExpressionDescription]
    let tagHash: UInt64
    let isVolatile: Bool
}

/// Whose value is read.
struct BinaryPlan: Sendable {
    let owner: Owner
    let attribute: Attribute
}
