/// A column of `select`: its name, and how its value is written.

import SteleJSON
import SteleModel
import StelePredicates

package struct Column: Sendable {
    package enum Source: Sendable {
        /// The value at a place in the row.
        case value(Int, ValueKind)
        /// A composite attribute with values from the row.
        case composite(CompositeField)
        /// A transient attribute of the row's object.
        case transient(Attribute)
        /// The name of the entity whose index is at a place in the row.
        case entityName(Int)
        /// The ids of a to-many relationship of the row's object, or the objects if it is embedded.
        case toMany(Relationship)
        /// The values at the end of a path over a to-many relationship.
        case many(ManyPath)
        /// The objects that a fetched property gives for the row's object.
        case fetched(FetchedProperty)
        /// The id of a to-one's destination at a place in the row, or the object if embedded.
        case toOne(Int, Relationship)
    }

    package let name: String
    package let source: Source
    /// `"name":`
    package let key: [UInt8]

    init(name: String, source: Source) {
        self.name = name
        self.source = source
        key = ByteWriter.preparedKey(name)
    }
}
