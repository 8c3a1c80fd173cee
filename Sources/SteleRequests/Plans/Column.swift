/// A column of `select`: what it is called and how its value is written.

import SteleJSON
import SteleModel
import StelePredicates

/// One column of the answer.
package struct Column: Sendable {
    /// Where the column's value comes from.
    package enum Source: Sendable {
        /// The row's value at that place.
        case value(Int, ValueKind)
        /// A composite attribute whose values are the row's, from a place on.
        case composite(CompositeField)
        /// The name of the entity whose index is the row's value at that place.
        case entityName(Int)
        /// The ids of a to-many relationship of the row's object, or the objects where embedded.
        case toMany(Relationship)
        /// The objects that a fetched property gives the row's object.
        case fetched(FetchedProperty)
        /// A to-one's id at that place in the row, or the object where embedded.
        case toOne(Int, Relationship)
    }

    package let name: String
    package let source: Source
    /// `"name":`
    package let key: [UInt8]

    package init(name: String, source: Source) {
        self.name = name
        self.source = source
        key = ByteWriter.preparedKey(name)
    }
}
