/// The contents of a store in Core Data's XML form (NSXMLStoreType), which is also the form of a
/// mapping model's `xcmapping.xml`. Texts are as in the file, so that what is read and written
/// again has the same bytes.
package struct XMLDatabase: Sendable, Hashable {
    /// What the file says of itself.
    package var header: Header
    /// The objects, in the order of the file.
    package var objects: [Object]

    /// Creates a database.
    package init(header: Header, objects: [Object]) {
        self.header = header
        self.objects = objects
    }

    /// The beginning of the file: its XML declaration and its `databaseInfo`.
    package struct Header: Sendable, Hashable {
        /// What the XML declaration says of `standalone`; nil if it says nothing.
        package var isStandalone: Bool?
        /// The version of the form.
        package var version = "134481920"
        /// The store's UUID.
        package var uuid: String
        /// The highest number that an object's id has had.
        package var nextObjectID: Int64
        /// The store's metadata, a dictionary; nil if the file has none.
        package var metadata: PropertyList?

        /// Creates a header.
        package init(
            isStandalone: Bool? = nil, uuid: String, nextObjectID: Int64, metadata: PropertyList?
        ) {
            self.isStandalone = isStandalone
            self.uuid = uuid
            self.nextObjectID = nextObjectID
            self.metadata = metadata
        }
    }

    /// An object with the properties that are not null.
    package struct Object: Sendable, Hashable {
        /// The name of its entity, in upper case.
        package var type: String
        /// The number of its id: 102 for `z102`.
        package var id: Int64
        /// Its attributes, in the order of the file.
        package var attributes: [Attribute]
        /// Its relationships, in the order of the file. They follow the attributes.
        package var relationships: [Relationship]

        /// Creates an object.
        package init(
            type: String, id: Int64, attributes: [Attribute] = [],
            relationships: [Relationship] = []
        ) {
            self.type = type
            self.id = id
            self.attributes = attributes
            self.relationships = relationships
        }

        /// The attribute of that name, in lower case; nil if the object has none.
        package func attribute(_ name: String) -> Attribute? {
            attributes.first { $0.name == name }
        }

        /// The relationship of that name, in lower case; nil if the object has none.
        package func relationship(_ name: String) -> Relationship? {
            relationships.first { $0.name == name }
        }
    }

    /// An attribute with a value.
    package struct Attribute: Sendable, Hashable {
        /// The name of the attribute, in lower case.
        package var name: String
        /// The name of its type, such as `string` or `int16`.
        package var type: String
        /// The value as the file has it. `value(as:)` and `string` read it.
        package var text: String

        /// Creates an attribute with its text in the file.
        package init(name: String, type: String, text: String) {
            self.name = name
            self.type = type
            self.text = text
        }
    }

    /// A relationship with its destinations.
    package struct Relationship: Sendable, Hashable {
        /// The name of the relationship, in lower case.
        package var name: String
        /// The minimum count of destinations.
        package var minCount: Int
        /// The maximum count of destinations: 1 for a to-one relationship, 0 for no limit.
        package var maxCount: Int
        /// The name of the destination entity, in upper case.
        package var destination: String
        /// The numbers of the destinations' ids, in the order of the file.
        package var references: [Int64]

        /// Creates a relationship.
        package init(
            name: String, minCount: Int, maxCount: Int, destination: String, references: [Int64]
        ) {
            self.name = name
            self.minCount = minCount
            self.maxCount = maxCount
            self.destination = destination
            self.references = references
        }
    }
}
