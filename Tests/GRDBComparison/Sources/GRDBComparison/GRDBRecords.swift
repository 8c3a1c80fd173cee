/// The records of GRDB: once written by hand, and once by way of Codable.

import GRDB

/// An author. Authors are only inserted.
struct AuthorRecord: PersistableRecord {
    static let databaseTableName = "author"
    var id: Int64
    var name: String

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
    }
}

/// What both kinds of books have in common.
protocol BookRecord: FetchableRecord, PersistableRecord, Sendable {
    var id: Int64? { get }
    var title: String { get set }
    var pages: Int32 { get }

    init(id: Int64?, title: String, pages: Int32, authorId: Int64?)
}

/// A book that reads its columns by their indexes, the fastest way that GRDB has.
struct PlainBook: BookRecord {
    static let databaseTableName = "book"
    static var databaseSelection: [any SQLSelectable] {
        [Column("id"), Column("title"), Column("pages"), Column("authorId")]
    }

    var id: Int64?
    var title: String
    var pages: Int32
    var authorId: Int64?

    init(id: Int64?, title: String, pages: Int32, authorId: Int64?) {
        self.id = id
        self.title = title
        self.pages = pages
        self.authorId = authorId
    }

    init(row: Row) {
        id = row[0]
        title = row[1]
        pages = row[2]
        authorId = row[3]
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["title"] = title
        container["pages"] = pages
        container["authorId"] = authorId
    }
}

/// A book whose reading and writing the compiler makes.
struct CodableBook: BookRecord, Codable {
    static let databaseTableName = "book"

    var id: Int64?
    var title: String
    var pages: Int32
    var authorId: Int64?
}
