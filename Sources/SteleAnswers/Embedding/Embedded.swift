/// The objects that `include` embeds.

import SteleModel
import StelePersistence

/// What is embedded below the rows of an answer, by relationship.
package struct Embedded: Sendable {
    /// One relationship's destinations.
    package struct Level: Sendable {
        package enum Content: Sendable {
            /// A to-one's destinations by key.
            case destinations([Int64: Snapshot])
            /// A to-many's members by owner, in the relationship's order.
            case members([Int64: [Snapshot]])
            /// A to-many's ids by owner, where it is selected and not embedded.
            case keys([Int64: [Int64]])
        }

        /// `Relationship.index`, or `FetchedProperty.index`.
        package let relationship: Int
        package let content: Content
        package let below: Embedded
        /// A to-one's slot in its owner's values; nil for a to-many.
        package var slot: Int?
        /// The entities whose objects have that slot.
        package var owners = 0..<0
        /// Objects written for each destination or owner, those below them too; nil where nothing
        /// is below.
        var weights: [Int64: Int]?
    }

    package var levels: [Level] = []

    /// Nothing.
    package static let none = Embedded()

    package var isEmpty: Bool { levels.isEmpty }

    /// The level of a relationship, or nil.
    package func level(_ relationship: Int) -> Level? {
        levels.first { $0.relationship == relationship }
    }
}
