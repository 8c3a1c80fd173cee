/// The work by Stele.

import Stele

/// A container on a file.
struct SteleWork {
    private let container: PersistentContainer

    init(_ path: String) throws { container = try PersistentContainer(BooksModel.self, at: path) }

    func close() { container.close() }

    /// Makes connections of each kind: for many rows, and for one.
    func useConnections() throws {
        let context = container.newBackgroundContext()
        _ = try context.count(Book.self)
        guard let id = try identities().first else { throw Failure("there are no books") }
        _ = try context.existingObject(with: id)
    }

    /// Does a part in one of its ways (`Part.ways`).
    static func measure(_ part: Part, _ way: Way, _ path: String) throws -> Measurement {
        let work = try SteleWork(path)
        defer { work.close() }
        return switch part {
        case .insert: try work.insert()
        case .fetch: try work.fetch()
        case .lookupCold: try work.lookUp(isWarm: false, inOneView: way == .steleOneView)
        case .lookupWarm: try work.lookUp(isWarm: true, inOneView: way == .steleOneView)
        case .observe: try work.observe()
        }
    }

    private func insert() throws -> Measurement {
        let books = Workload.books()
        let names = Workload.authors
        let context = container.newBackgroundContext()
        return try Measurement.of {
            let authors = names.map { name in
                let author = Author(context: context)
                author.name = name
                return author
            }
            for values in books {
                let book = Book(context: context)
                book.title = values.title
                book.pages = values.pages
                book.author = authors[values.author]
            }
            try context.save()
            return books.count
        }
    }

    private func fetch() throws -> Measurement {
        let context = container.newBackgroundContext()
        return try Measurement.of(times: { seconds in
            var books: [Book] = []
            var sum = 0
            seconds.append(
                try Measurement.time {
                    books = try context.fetch(Book.self)
                    for book in books { sum += Workload.sum(book.title ?? "", book.pages) }
                })
            seconds.append(Measurement.time { books = [] })
            return sum
        })
    }

    /// The identities of the books, in the order of insertion.
    private func identities() throws -> [ObjectID] {
        let request = Book.fetchRequest()
        return try container.newBackgroundContext().fetchIDs(request).sorted { $0.key < $1.key }
    }

    private func lookUp(isWarm: Bool, inOneView: Bool) throws -> Measurement {
        let all = try identities()
        let ids = Workload.lookups().map { all[$0] }
        let context = container.newBackgroundContext()
        func lookUp() throws -> Int {
            var sum = 0
            for id in ids {
                guard let book = try context.existingObject(Book.self, with: id) else {
                    throw Failure("a book is missing")
                }
                sum += Workload.sum(book.title ?? "", book.pages)
            }
            return sum
        }
        if isWarm { _ = try lookUp() }
        return try Measurement.of {
            inOneView ? try context.inOneView { try lookUp() } : try lookUp()
        }
    }

    private func observe() throws -> Measurement {
        let all = try identities()
        let context = container.newBackgroundContext()
        let changes = Workload.changes()
        let told = Told<Int64>()
        return try Measurement.of(times: { seconds in
            let controller = try FetchedResultsController(
                fetchRequest: Book.fetchRequest(sort: { [$0.title.ascending] }),
                managedObjectContext: context)
            try controller.performFetch { change in
                let time = ContinuousClock.now
                guard case .difference(let difference) = change else { return }
                let keys = difference.moves.map(\.key) + difference.updates.map(\.key)
                for key in keys { told.tell(key, time) }
            }
            guard controller.count == Workload.bookCount else { throw Failure("rows are missing") }
            for change in changes {
                let id = all[change.book]
                guard let book = try context.existingObject(Book.self, with: id) else {
                    throw Failure("a book is missing")
                }
                book.title = change.title
                let start = ContinuousClock.now
                try context.save()
                seconds.append(try told.wait { $0 == id.key }.seconds(since: start))
            }
            controller.stop()
            return seconds.count
        })
    }
}
