/// What a reading plan asks for: which objects, in which shape.

import SteleModel
import StelePersistence
import StelePredicates

/// An object that a relationship's route begins at.
package struct Owner: Sendable {
    package let entity: Entity
    package let key: Int64

    package var id: ObjectID { ObjectID(root: entity.root, key: key) }

    package init(entity: Entity, key: Int64) {
        self.entity = entity
        self.key = key
    }
}

/// Where a list's objects come from.
package enum Source: Sendable {
    /// The entity and its subentities.
    case entity
    /// The members of a to-many relationship.
    case members(Owner, Relationship)
    /// What a fetched property gives an object.
    case fetched(Owner, FetchedProperty)
}

/// How objects are given.
package enum Shape: Sendable {
    /// Whole, with relationships embedded.
    case objects(Inclusion)
    /// The columns asked for, an object a row; `_id` is the row's last value, after the columns.
    case columns([Column], Inclusion)
    /// Rows of aggregates, or distinct ones. The places in a row are of the values that tell where
    /// it stands in the order, as `FetchRequest.after` takes them; some may be behind the columns.
    case rows([Column], position: [Int])

    package var inclusion: Inclusion {
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
    package var isPlain: Bool {
        if case .objects(let inclusion) = self { inclusion.isEmpty } else { false }
    }
}

/// A list.
package struct ListPlan: Sendable {
    package let source: Source
    /// The fetch, without limit, offset and cursor.
    package let request: FetchRequest
    package let shape: Shape
    /// Rows to give; nil for all that there are.
    package var limit: Int?
    /// Rows that the whole list has at most: a fetch request template's own limit.
    package let ceiling: Int?
    /// Whether there may be too many to hold.
    package let isStreamed: Bool
    package let offset: Int
    package let after: Cursor?
    package let wantsCount: Bool
    /// A hash of what all pages have in common: for cursors.
    package let fingerprint: UInt64
    /// A hash of all that is asked: for entity tags.
    package let tagHash: UInt64
    /// Whether the answer differs from one time to the next although nothing has changed.
    package let isVolatile: Bool
}

extension ListPlan {
    /// Rows of a page that is held whole.
    package var pageLimit: Int { limit ?? .max >> 16 }

    /// The next page by number; nil where it is beyond the ceiling.
    package var nextByOffset: NextPage? {
        let place = offset + pageLimit
        return place < ceiling ?? .max ? .offset(place) : nil
    }
}

/// Where the next page begins.
package enum NextPage: Sendable {
    case after(Cursor)
    case offset(Int)
}

/// A count.
package struct CountPlan: Sendable {
    package let source: Source
    package let request: FetchRequest
    package let tagHash: UInt64
    package let isVolatile: Bool
}

/// A single object.
package struct ObjectPlan: Sendable {
    /// Which one.
    package enum Target: Sendable {
        case object(Entity, key: Int64)
        /// The destination of a to-one; there may be none.
        case toOne(Owner, Relationship)
        /// A member of a to-many, if it is one.
        case member(Owner, Relationship, key: Int64)
    }

    package let target: Target
    /// The entity that the shape's columns are of.
    package let entity: Entity
    package let shape: Shape
    /// The columns' expressions, for a shape with columns.
    package let columns: [ExpressionDescription]
    package let tagHash: UInt64
    package let isVolatile: Bool
}

/// Whose value is read.
package struct BinaryPlan: Sendable {
    package let owner: Owner
    package let attribute: Attribute
}
