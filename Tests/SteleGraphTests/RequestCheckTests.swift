// Requests that nobody has checked: a context fits them to the model, or refuses them.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct RequestCheckTests {
    private let fixture: Fixture
    private let book: Entity

    /// Two books, the second of which is changed and not saved where `isPending`.
    private init(_ kind: StoreKind) throws {
        fixture = try Fixture(
            try makeModel([
                EntityMaker("Book").attribute("title", .string)
                    .attribute("rating", .double)
                    .attribute("addedAt", .date)
                    .toOne("shelf", "Shelf", inverse: "books"),
                EntityMaker("Shelf").attribute("name", .string)
                    .toMany("books", "Book", inverse: "shelf"),
            ]), kind)
        book = try fixture.entity("Book")
        let context = fixture.context()
        for (title, rating, added) in [("A", 1.5, 0.0), ("B", 4.5, 757_382_400)] {
            let made = try context.insert(book)
            made["title"] = .string(title)
            made["rating"] = .double(rating)
            made["addedAt"] = .date(added)
        }
        try context.save()
    }

    init() throws { try self.init(.memory) }

    /// A clean context, one with a new object, and a child of that one.
    private func contexts() throws -> [ManagedObjectContext] {
        let clean = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let changed = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        try changed.insert(book)["title"] = .string("C")
        return [clean, changed, ManagedObjectContext(parent: changed)]
    }

    private func request(_ predicate: String? = nil, sort: String? = nil) throws -> FetchRequest {
        var request = FetchRequest(entity: book)
        request.predicate = try predicate.map { try Predicate(format: $0) }
        request.sortDescriptors = try sort.map { try SortList($0).descriptors } ?? []
        return request
    }

    private func column(_ format: String, as name: String? = nil) throws -> ExpressionDescription {
        ExpressionDescription(name: name ?? format, expression: try Expression(format: format))
    }

    @Test(arguments: StoreKind.allCases)
    func aConstantTakesTheTypeOfItsAttribute(_ kind: StoreKind) throws {
        let test = try Self(kind)
        for context in try test.contexts() {
            let found = try test.request("addedAt > '2024-01-01' AND rating == 4.5")
            #expect(try context.fetch(found).map { $0["title"] } == [.string("B")])
            #expect(try context.fetchIDs(found).count == 1)
            #expect(try context.count(found) == 1)
            #expect(try context.snapshots(found).count == 1)
            var rows = found
            rows.propertiesToFetch = [try column("title")]
            #expect(try context.currentRows(rows) == [[.string("B")]])
            if context.parent == nil { #expect(try context.rows(rows) == [[.string("B")]]) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aPredicateThatDoesNotFitIsOneErrorOnEveryContext(_ kind: StoreKind) throws {
        let test = try Self(kind)
        for (text, code) in [
            ("rating > 'x'", "predicate.type"), ("title == 3", "predicate.type"),
            ("gaols > 3", "predicate.unknown-key"), ("addedAt < 'soon'", "predicate.type"),
            ("title == $NAME", "predicate.variable"), ("count() > 1", "predicate.type"),
            ("title MATCHES '('", "predicate.pattern"),
        ] {
            let request = try test.request(text)
            var rows = request
            rows.propertiesToFetch = [try column("title")]
            var errors: [PredicateError?] = []
            for context in try test.contexts() {
                func refused(_ work: () throws -> Void) {
                    errors.append(#expect(throws: PredicateError.self, "\(text)") { try work() })
                }
                refused { _ = try context.fetch(request) }
                refused { _ = try context.fetchIDs(request) }
                refused { _ = try context.count(request) }
                refused { _ = try context.snapshots(request) }
                refused { _ = try context.rows(rows) }
                refused { _ = try context.currentRows(rows) }
            }
            #expect(Set(errors).count == 1, "\(text)")
            #expect(errors.first??.code == code, "\(text)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anOrderThatDoesNotFitIsRefused(_ kind: StoreKind) throws {
        let test = try Self(kind)
        for context in try test.contexts() {
            for sort in ["gaols", "shelf", "shelf.books", "count()"] {
                let request = try test.request(sort: sort)
                #expect(throws: PredicateError.self, "\(sort)") { try context.fetch(request) }
                #expect(throws: PredicateError.self, "\(sort)") { try context.count(request) }
                #expect(throws: PredicateError.self, "\(sort)") {
                    try context.position(of: 1, in: request)
                }
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func columnsAndGroupsAreFittedToo(_ kind: StoreKind) throws {
        let test = try Self(kind)
        let context = test.fixture.coordinator.newContext()
        var request = try test.request("rating > 1", sort: "-n")
        request.propertiesToFetch = [try column("title"), try column("count()", as: "n")]
        request.propertiesToGroupBy = [try Expression(format: "title")]
        request.havingPredicate = try Predicate(format: "n == 1 AND max(addedAt) > '2024-01-01'")
        #expect(try context.rows(request) == [[.string("B"), .int(1)]])
        #expect(try context.count(request) == 1)
        var wrong = request
        wrong.propertiesToFetch.append(try column("gaols"))
        #expect(throws: PredicateError.self) { try context.rows(wrong) }
        wrong = request
        wrong.propertiesToGroupBy = [try Expression(format: "titel")]
        #expect(throws: PredicateError.self) { try context.rows(wrong) }
        wrong = request
        wrong.havingPredicate = try Predicate(format: "max(addedAt) > 'soon'")
        #expect(throws: PredicateError.self) { try context.rows(wrong) }
        #expect(throws: PredicateError.self) { try context.currentRows(wrong) }
    }

    /// A column's name is no other property's: what is sorted by stays what it is when it is checked
    /// again.
    @Test(arguments: StoreKind.allCases)
    func aPropertyIsMeantBeforeAColumnOfItsName(_ kind: StoreKind) throws {
        let test = try Self(kind)
        let context = test.fixture.coordinator.newContext()
        var request = try test.request(sort: "rating")
        request.propertiesToFetch = [try column("title"), try column("0 - rating", as: "rating")]
        #expect(
            try context.rows(request).map(\.[0]) == [.string("A"), .string("B")])
    }

    @Test(arguments: StoreKind.allCases)
    func typedRequestsAndControllersAreFittedTheSameWay(_ kind: StoreKind) throws {
        let test = try Self(kind)
        let coordinator = test.fixture.coordinator
        let found = try test.request("addedAt > '2024-01-01'")
        let controller = try FetchedResultsController(found, coordinator: coordinator)
        try controller.performFetch()
        #expect(controller.count == 1)
        controller.stop()
        for text in ["gaols > 3", "title == 3"] {
            let request = try test.request(text)
            let error = #expect(throws: PredicateError.self) {
                _ = try FetchedResultsController(request, coordinator: coordinator)
            }
            let plain = #expect(throws: PredicateError.self) {
                try coordinator.newContext().fetch(request)
            }
            #expect(error == plain)
        }
    }
}
