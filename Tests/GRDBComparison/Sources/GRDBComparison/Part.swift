/// What is measured.

/// A kind of work. Each runs in a process of its own.
enum Part: String, CaseIterable {
    /// Inserts all books into a new file, in one save or transaction.
    case insert
    /// Fetches all books as objects and reads two values of each. The second time is that of
    /// releasing the objects.
    case fetch
    /// Fetches each book by its key, in a random order, the first time in the process.
    case lookupCold = "lookup-cold"
    /// The same for the second time in the process.
    case lookupWarm = "lookup-warm"
    /// Follows all books, sorted by title, while single ones are changed.
    case observe

    /// The ways in which it is done.
    var ways: [Way] {
        switch self {
        case .insert, .fetch: [.stele, .grdb, .grdbCodable]
        case .lookupCold: [.stele, .steleOneView, .grdb, .grdbStatement, .grdbEach]
        case .lookupWarm: [.stele, .steleOneView, .grdb, .grdbStatement]
        case .observe: [.stele, .grdb, .grdbConstant]
        }
    }
}

/// A library, and how it is used.
enum Way: String, CaseIterable {
    /// Generated classes, in a background context of a container.
    case stele
    /// As `stele`, with all lookups in one view of the store.
    case steleOneView = "stele-view"
    /// Structs that are read and written by hand-written code.
    case grdb
    /// Structs that are read and written by way of Codable.
    case grdbCodable = "grdb-codable"
    /// As `grdb`, with a prepared statement in place of `fetchOne(_:key:)`.
    case grdbStatement = "grdb-statement"
    /// As `grdb`, with a read for each lookup.
    case grdbEach = "grdb-each"
    /// As `grdb`, by an observation of a constant region, which fetches beside the writer.
    case grdbConstant = "grdb-constant"

    var isStele: Bool { self == .stele || self == .steleOneView }
}
