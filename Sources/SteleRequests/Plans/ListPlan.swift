/// The plans of reads: which objects, and in which form.

import SteleModel
import StelePersistence
import StelePredicates

package enum Source: Sendable {
    /// All objects of the entity and its subentities.
    case entity
    case members(ObjectAddress, Relationship)
    /// The objects that a fetched property gives for an object.
    case fetched(ObjectAddress, FetchedProperty)
}

/// The form of the objects in an answer.
package enum Shape: Sendable {
    /// Whole objects, with relationships embedded.
    case objects(Inclusion)
    /// Columns, one object in a row. `_id` is the last value of the row, after the columns.
    case columns([Column], Inclusion)
    /// Rows of aggregates, or distinct rows. `position` has the places of the values that tell
    /// where a row is in the order, as `FetchRequest.after` takes them, some of them after the
    /// columns.
    case rows([Column], position: [Int])

    /// What is embedded.
    package var inclusion: Inclusion {
        switch self {
        case .objects(let inclusion), .columns(_, let inclusion): inclusion
        case .rows: .none
        }
    }

    /// The number of values in a cursor of a list with a number of sort keys.
    func positionCount(sortedBy keys: Int) -> Int {
        if case .rows(_, let places) = self { places.count } else { keys + 1 }
    }

    /// Whether the objects are whole, with nothing embedded.
    package var isPlain: Bool {
        if case .objects(let inclusion) = self { inclusion.isEmpty } else { false }
    }
}

package struct ListPlan: Sendable {
    package let source: Source
    /// The fetch, without limit, offset and cursor.
    package var request: FetchRequest
    package let shape: Shape
    /// The maximum number of rows; nil for all.
    package var limit: Int?
    /// The maximum number of rows on all pages: the limit of a template or fetched property.
    package let ceiling: Int?
    /// Whether there may be too many rows to hold in memory.
    package let isStreamed: Bool
    package let offset: Int
    package let after: Cursor?
    package let wantsCount: Bool
    /// A hash of what all pages have in common, for cursors.
    package let fingerprint: UInt64
    /// A hash of all parameters, for entity tags.
    package let tagHash: UInt64
    /// Whether the answer may change although the store does not.
    package let isVolatile: Bool
}

extension ListPlan {
    /// The maximum number of rows of a page in memory.
    package var pageLimit: Int { limit ?? .max >> 16 }

    /// The next page by offset; nil if it is beyond the ceiling.
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

package struct CountPlan: Sendable {
    package let source: Source
    package let request: FetchRequest
    package let tagHash: UInt64
    package let isVolatile: Bool
}

package struct ObjectPlan: Sendable {
    /// The object that is asked for.
    package enum Target: Sendable {
        case object(ObjectAddress)
        /// The destination of a to-one relationship; there may be none.
        case toOne(ObjectAddress, Relationship)
        /// A member of a to-many relationship.
        case member(ObjectAddress, Relationship, key: Int64)
    }

    package let target: Target
    package let entity: Entity
    package let shape: Shape
    /// The expressions of the columns; empty for whole objects.
    package let columns: [ExpressionDescription]
    package let tagHash: UInt64
    package let isVolatile: Bool
}

/// The plan of reading a Binary attribute's value.
package struct BinaryPlan: Sendable {
    package let owner: ObjectAddress
    package let attribute: Attribute
}
