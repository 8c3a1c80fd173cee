/// The work by GRDB.

import Foundation
import GRDB

/// A pool of connections to a file.
struct GRDBWork {
    private let pool: DatabasePool

    /// - Parameter creates: whether the tables are created.
    init(_ path: String, creates: Bool = false) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(sql: Self.settings(isReader: db.configuration.readonly))
        }
        pool = try DatabasePool(path: path, configuration: configuration)
        // The pool sets NORMAL when it has prepared its connection.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        if creates { try pool.write(Self.createTables) }
    }

    /// The settings of Stele. `page_size` and `auto_vacuum` take effect in a new file only.
    private static func settings(isReader: Bool) -> String {
        isReader
            ? "PRAGMA cache_size = -512; PRAGMA mmap_size = 1073741824; PRAGMA temp_store = MEMORY"
            : "PRAGMA page_size = 4096; PRAGMA auto_vacuum = 2; PRAGMA wal_autocheckpoint = 0; "
                + "PRAGMA cache_size = -16384; PRAGMA mmap_size = 1073741824; "
                + "PRAGMA temp_store = MEMORY"
    }

    private static func createTables(_ db: Database) throws {
        try db.create(table: "author") { table in
            table.primaryKey("id", .integer)
            table.column("name", .text).notNull()
        }
        try db.create(table: "book") { table in
            table.primaryKey("id", .integer)
            table.column("title", .text).notNull()
            table.column("pages", .integer).notNull()
            // With an index.
            table.belongsTo("author")
        }
    }

    func close() throws { try pool.close() }

    /// Makes connections of both kinds.
    func useConnections() throws {
        try pool.read { _ = try PlainBook.fetchCount($0) }
    }

    /// Does a part in one of its ways (`Part.ways`).
    static func measure(_ part: Part, _ way: Way, _ path: String) throws -> Measurement {
        let work = try GRDBWork(path, creates: part == .insert)
        let measurement =
            switch way {
            case .grdb: try work.measure(part, PlainBook.self)
            case .grdbCodable: try work.measure(part, CodableBook.self)
            case .grdbStatement, .grdbEach: try work.lookUp(isWarm: part == .lookupWarm, way)
            case .grdbConstant:
                try work.observe {
                    ValueObservation.trackingConstantRegion { try Self.sorted($0) }
                }
            case .stele, .steleOneView: throw Failure("\(way) is not a way of GRDB")
            }
        try work.close()
        return measurement
    }

    private func measure<Book: BookRecord>(_ part: Part, _ type: Book.Type) throws -> Measurement {
        switch part {
        case .insert: try insert(type)
        case .fetch: try fetch(type)
        case .lookupCold: try lookUp(isWarm: false, .grdb)
        case .lookupWarm: try lookUp(isWarm: true, .grdb)
        case .observe: try observe { ValueObservation.tracking { try Self.sorted($0) } }
        }
    }

    private func insert<Book: BookRecord>(_ type: Book.Type) throws -> Measurement {
        let books = Workload.books()
        let names = Workload.authors
        return try Measurement.of {
            try pool.write { db in
                for (index, name) in names.enumerated() {
                    try AuthorRecord(id: Int64(index + 1), name: name).insert(db)
                }
                for values in books {
                    let book = Book(
                        id: nil, title: values.title, pages: values.pages,
                        authorId: Int64(values.author + 1))
                    try book.insert(db)
                }
            }
            return books.count
        }
    }

    private func fetch<Book: BookRecord>(_ type: Book.Type) throws -> Measurement {
        try Measurement.of(times: { seconds in
            var books: [Book] = []
            var sum = 0
            seconds.append(
                try Measurement.time {
                    books = try pool.read { try Book.fetchAll($0) }
                    for book in books { sum += Workload.sum(book.title, book.pages) }
                })
            seconds.append(Measurement.time { books = [] })
            return sum
        })
    }

    private func lookUp(isWarm: Bool, _ way: Way) throws -> Measurement {
        let keys = Workload.lookups().map { Int64($0 + 1) }
        if isWarm { _ = try sum(of: keys, way) }
        return try Measurement.of { try sum(of: keys, way) }
    }

    /// Fetches books one by one.
    private func sum(of keys: [Int64], _ way: Way) throws -> Int {
        @Sendable func sum(_ book: PlainBook?) throws -> Int {
            guard let book else { throw Failure("a book is missing") }
            return Workload.sum(book.title, book.pages)
        }
        switch way {
        case .grdbEach:
            return try keys.reduce(0) { total, key in
                total + (try pool.read { try sum(try PlainBook.fetchOne($0, key: key)) })
            }
        case .grdbStatement:
            return try pool.read { db in
                let statement = try db.makeStatement(
                    sql: "SELECT id, title, pages, authorId FROM book WHERE id = ?")
                return try keys.reduce(0) { total, key in
                    total + (try sum(try PlainBook.fetchOne(statement, arguments: [key])))
                }
            }
        default:
            return try pool.read { db in
                try keys.reduce(0) { total, key in
                    total + (try sum(try PlainBook.fetchOne(db, key: key)))
                }
            }
        }
    }

    @Sendable private static func sorted(_ db: Database) throws -> [PlainBook] {
        try PlainBook.order(Column("title")).fetchAll(db)
    }

    private func observe<Reducer: ValueReducer>(
        _ observation: () -> ValueObservation<Reducer>
    ) throws -> Measurement where Reducer.Value == [PlainBook] {
        let changes = Workload.changes()
        let told = Told<[PlainBook]>()
        let queue = DispatchQueue(label: "follower")
        return try Measurement.of(times: { seconds in
            let observing = observation().start(
                in: pool, scheduling: .async(onQueue: queue),
                onError: { _ in told.tell([], .now) }, onChange: { told.tell($0, .now) })
            _ = try told.wait { $0.count == Workload.bookCount }
            for change in changes {
                let key = Int64(change.book + 1)
                guard var book = try pool.read({ try PlainBook.fetchOne($0, key: key) }) else {
                    throw Failure("a book is missing")
                }
                book.title = change.title
                let changed = book
                let start = ContinuousClock.now
                try pool.write { try changed.update($0) }
                let time = try told.wait { books in
                    books.contains { $0.id == key && $0.title == change.title }
                }
                seconds.append(time.seconds(since: start))
            }
            observing.cancel()
            return seconds.count
        })
    }
}
