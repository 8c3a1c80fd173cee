import SteleModel

/// What a store's file has, and where what its tables say does not agree with its metadata or its
/// model.
package struct StoreInspection: Sendable {
    /// A file of the store, or a folder of files.
    package struct File: Sendable, Hashable {
        /// What the store has in it.
        package enum Role: String, Sendable {
            case store, log, history, external
        }

        package let role: Role
        package let path: String
        package let bytes: Int64
        /// The number of files; more than 1 only for a folder.
        package let count: Int

        package init(_ role: Role, _ path: String, bytes: Int64, count: Int = 1) {
            self.role = role
            self.path = path
            self.bytes = bytes
            self.count = count
        }
    }

    /// The model with which the tables were compared.
    package struct UsedModel: Sendable, Hashable {
        /// The name of the version.
        package let name: String
        /// Whether it is the store's own, and was not given.
        package let isOwn: Bool
        /// The table that has the store's own; nil for a given one and in a store without tables.
        package let place: String?

        package init(name: String, isOwn: Bool, place: String? = nil) {
            self.name = name
            self.isOwn = isOwn
            self.place = place
        }
    }

    /// An entity with the number of its objects.
    package struct Entity: Sendable, Hashable {
        package let name: String
        /// Z_ENT; nil in a store that has no numbers.
        package let number: Int64?
        /// The number of entities above it.
        package let depth: Int
        /// The table; nil in a store without tables.
        package let table: String?
        /// The number of its objects, without those of its subentities; nil where the table cannot
        /// be read.
        package var objects: Int64?

        package init(
            name: String, number: Int64? = nil, depth: Int, table: String? = nil,
            objects: Int64? = nil
        ) {
            self.name = name
            self.number = number
            self.depth = depth
            self.table = table
            self.objects = objects
        }
    }

    /// A table with its size.
    package struct Table: Sendable, Hashable {
        package let name: String
        /// What it has: the names of entities, relationships, or `history`; empty for any other.
        package var contents: [String]
        /// The number of rows; nil where they are not counted.
        package var rows: Int64?
        /// The bytes of its pages with those of its indexes; nil where SQLite cannot tell.
        package var bytes: Int64?
        /// The bytes of its indexes' pages.
        package var indexBytes: Int64?

        package init(name: String, contents: [String], rows: Int64? = nil) {
            self.name = name
            self.contents = contents
            self.rows = rows
        }
    }

    /// The transactions of the history that is kept.
    package struct History: Sendable, Hashable {
        /// Whether it is in a file beside the store.
        package var isBeside = false
        package var transactions: Int64 = 0
        package var changes: Int64 = 0
        /// The numbers of the first and the last transaction.
        package var numbers: ClosedRange<Int64>?
        /// Their times, in seconds since 2001.
        package var times: ClosedRange<Double>?
        /// The most frequent authors with the number of their transactions; nil for those without.
        package var authors: [Author] = []

        package init() {}
    }

    /// An author of transactions.
    package struct Author: Sendable, Hashable {
        package let name: String?
        package let transactions: Int64

        package init(name: String?, transactions: Int64) {
            self.name = name
            self.transactions = transactions
        }
    }

    /// The name of the store's type.
    package let type: String
    package var files: [File] = []
    /// NSStoreUUID.
    package let identifier: String
    /// NSPersistenceFrameworkVersion; nil where the metadata has none.
    package let frameworkVersion: String?
    /// NSStoreModelVersionIdentifiers, without empty ones.
    package let versionIdentifiers: [String]
    /// Whether Stele has made the store; else another program has.
    package let isSteles: Bool
    /// Whether Stele has adopted a store of another program.
    package let isAdopted: Bool
    package var model: UsedModel?
    /// What is known of the version hashes.
    package var hashes = ""
    /// Nil for a store without one.
    package var history: History?
    package var entities: [Entity] = []
    package var tables: [Table] = []
    /// The bytes of free pages; nil for a store without pages.
    package var freeBytes: Int64?
    /// What does not agree, each a sentence that names the table and the column.
    package var differences: [String] = []
    /// What was not compared, and why.
    package var unchecked: [String] = []

    /// - Parameter metadata: all values of the metadata with NSStoreUUID.
    package init(type: String, metadata: [String: PropertyList]) {
        self.type = type
        identifier = metadata["NSStoreUUID"]?.string ?? ""
        frameworkVersion = metadata["NSPersistenceFrameworkVersion"].map { "\($0.json.compact)" }
        versionIdentifiers =
            metadata["NSStoreModelVersionIdentifiers"]?.array?.compactMap(\.string)
            .filter { !$0.isEmpty } ?? []
        isAdopted = metadata["SteleAdoptedModel"] != nil
        isSteles =
            metadata["SteleGeneration"] != nil && (!isAdopted || metadata["SteleCreated"] != nil)
    }
}
