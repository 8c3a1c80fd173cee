/// The history and the derived attributes of stores that Apple's framework made.

import Foundation
import SteleGraph
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@Suite(.enabled(if: sharedFolder != nil, "the shared data is not here"))
struct AppStoreHistoryTests {
    /// A copy of a store with persistent history and triggers of derived attributes.
    private final class Stage: GraphFixture {
        let folder: TemporaryFolder
        let path: String
        let coordinator: PersistentStoreCoordinator

        init(_ prepare: (RawDatabase) throws -> Void = { _ in }) throws {
            folder = try TemporaryFolder()
            let app = try #require(AppStore.all.last)
            path = try app.copy(to: folder)
            let model = try app.readModel()
            try prepare(RawDatabase(path))
            coordinator = PersistentStoreCoordinator(
                store: try SQLiteStore.open(path: path, model: model))
        }

        deinit { coordinator.store.close() }

        func raw() throws -> RawDatabase { try RawDatabase(path) }

        /// The books whose number of pages is not the one of their pages.
        func wrongCounts() throws -> [String] {
            try raw().texts(
                "SELECT Z_PK FROM ZBOOK b WHERE ZPAGESCOUNT IS NOT "
                    + "(SELECT COUNT(*) FROM ZPAGE WHERE ZBOOK = b.Z_PK)")
        }
    }

    /// Core Data's own saves are read, and those of Stele follow.
    @Test func theHistoryGoesOn() throws {
        let it = try Stage()
        let first = try #require(try it.history().first)
        #expect(first.number == 1)
        #expect(first.changes.count == 126)
        #expect(first.changes.allSatisfy { $0.kind == .insert })
        let rows = try it.raw().texts(
            "SELECT ZENTITY || '.' || ZENTITYPK FROM ACHANGE ORDER BY Z_PK")
        let numbers = ["Book": 1, "GraphicNovel": 2, "Feedback": 3, "Page": 4, "Author": 6]
        #expect(
            rows
                == first.changes.map {
                    "\(numbers[it.model.entities[$0.entity].name] ?? 0).\($0.key)"
                }
        )
        let result = try it.change { context in
            context.transactionAuthor = "ann"
            let feedback = try context.insert(try it.entity("Feedback"))
            feedback["authorAlias"] = .string("Ann")
            feedback["bookID"] = .uuid(UUID())
            feedback["comment"] = .string("good")
            feedback["rating"] = .double(4.5)
        }
        #expect(result.token == 2)
        #expect(try it.history().map(\.author) == [nil, "ann"])
        let numbers2 = try it.raw().texts(
            "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT >= 16001 ORDER BY Z_ENT")
        #expect(numbers2 == ["127", "2", "4"])
    }

    /// The layout of 2017: texts in ATRANSACTION, and columns for values of deleted objects.
    @Test func anOldHistoryGoesOn() throws {
        let it = try Stage { raw in
            try raw.run(
                "ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE0 BLOB; DROP TABLE ATRANSACTIONSTRING;"
                    + "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16003;")
            for name in ["AUTHOR", "BUNDLEID", "CONTEXTNAME", "PROCESSID"] {
                try raw.run(
                    "DROP INDEX ATRANSACTION_Z\(name)TS_INDEX;"
                        + "ALTER TABLE ATRANSACTION DROP COLUMN Z\(name)TS")
            }
            try raw.run("UPDATE ATRANSACTION SET ZAUTHOR = 'app'")
        }
        try it.change { context in
            context.transactionAuthor = "ann"
            context.name = "edit"
            let feedback = try context.insert(try it.entity("Feedback"))
            feedback["authorAlias"] = .string("Ann")
            feedback["bookID"] = .uuid(UUID())
            feedback["comment"] = .string("good")
            feedback["rating"] = .double(4.5)
        }
        let history = try it.history()
        #expect(history.map(\.author) == ["app", "ann"])
        #expect(history.map(\.contextName) == [nil, "edit"])
        #expect(
            try it.raw().texts("SELECT ZAUTHOR || ZCONTEXTNAME || ZPROCESSID FROM ATRANSACTION")
                == ["", "anneditstele"])
        let tables = try it.raw().texts("SELECT name FROM sqlite_master WHERE name LIKE 'ATRANS%G'")
        #expect(tables == [])
    }

    /// Derived values are right in the rows, and the history has those of before.
    @Test func derivedValuesAreOfTheSave() throws {
        let it = try Stage()
        #expect(try it.wrongCounts() == [])
        let book = try it.entity("Book")
        let slot = try #require(book.attribute(named: "pagesCount")?.slot)
        let count = try #require(try it.stored(ObjectID(root: book.root, key: 1))).values[slot]
        guard case .int(let pages) = count else { throw Missing("pagesCount") }
        func counts(_ result: SaveResult, of key: Int64) throws -> [Value] {
            let found = try #require(
                result.changes.first {
                    $0.key == key && it.model.entities[$0.entity].root == book.root
                })
            var before = Value.null
            for case .slot(slot, let value) in found.before ?? [] { before = value }
            return [before, found.snapshot?.values[slot] ?? .null]
        }
        var page: ObjectID?
        let inserted = try it.change { context in
            let made = try context.insert(try it.entity("Page"))
            made["number"] = .int(1_000)
            made["content"] = .data([1])
            try made.set("book", try context.object(entity: book, key: 1))
            try context.obtainPermanentIDs(for: [made])
            page = made.objectID
        }
        let id = try #require(page)
        #expect(try counts(inserted, of: 1) == [.int(pages), .int(pages + 1)])
        #expect(try it.wrongCounts() == [])
        let moved = try it.change { context in
            let made = try #require(try context.existingObject(with: id))
            try made.set("book", try context.object(entity: book, key: 2))
        }
        #expect(try counts(moved, of: 1) == [.int(pages + 1), .int(pages)])
        #expect(try it.wrongCounts() == [])
        let deleted = try it.change { context in
            try context.delete(try #require(try context.existingObject(with: id)))
        }
        #expect(
            try counts(deleted, of: 2).last
                == it.stored(ObjectID(root: book.root, key: 2))?.values[slot])
        #expect(try it.wrongCounts() == [])
        let triggers = try it.raw().texts(
            "SELECT COUNT(*) FROM sqlite_master WHERE type = 'trigger'")
        #expect(triggers == ["5"])
    }
}
