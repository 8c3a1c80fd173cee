// Movies, actors and directors: faulting, prefetching and uniquing, with the statements that each
// takes. The numbers are those of Docs/Library.md.

import Foundation
import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct MovieTests {
    /// Twelve movies of three directors, two actors each of six, on a counted store without a row
    /// cache.
    private let fixture: Fixture
    private let store: CountingStore
    private let context: ManagedObjectContext

    init() throws {
        let model = try makeModel([
            EntityMaker("Actor").attribute("name", .string)
                .toMany("movies", "Movie", inverse: "actors"),
            EntityMaker("Director").attribute("name", .string)
                .toMany("movies", "Movie", inverse: "director"),
            EntityMaker("Movie").attribute("title", .string)
                .toMany("actors", "Actor", inverse: "movies")
                .toOne("director", "Director", inverse: "movies"),
        ])
        fixture = try Fixture(model, .sqlite, rowCacheBytes: 0, isCounting: true)
        let directors = try fixture.insert("Director", count: 3)
        let actors = try fixture.insert("Actor", count: 6)
        try fixture.change { [fixture] context in
            for number in 0..<12 {
                let movie = try context.insert(try fixture.entity("Movie"))
                movie["title"] = .string("Movie \(10 + number)")
                try movie.set("director", try context.get(directors[number % 3]))
                for actor in [number % 6, (number + 1) % 6] {
                    try movie.add("actors", try context.get(actors[actor]))
                }
            }
        }
        store = try #require(fixture.counter)
        context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
    }

    /// The number that the page gives for a line of its table.
    private func statements(_ line: String) throws -> Int {
        let page = try packageText("Docs/Library.md")
        let row = try #require(
            page.split(separator: "\n").first { $0.hasPrefix("| \(line) |") }, "\(line)")
        let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        return try #require(Int(cells[1]), "\(line)")
    }

    private func movies() throws -> [ManagedObject] {
        try context.fetch(try fixture.request("Movie", sort: "title"))
    }

    /// Counts a line of the page's table.
    private func count(
        _ line: String, sourceLocation: SourceLocation = #_sourceLocation, _ work: () throws -> Void
    ) throws {
        try store.expect(
            queries: try statements(line), sourceLocation: sourceLocation, work)
    }

    @Test func aFetchIsOneStatementAndItsAttributesNone() throws {
        var all: [ManagedObject] = []
        try count("fetch twelve movies") { all = try movies() }
        #expect(all.count == 12 && all.allSatisfy { !$0.isFault })
        try count("read an attribute of each") {
            #expect(all.allSatisfy { $0["title"] != .null })
        }
        try count("count them") { () throws in
            #expect(try context.count(try fixture.request("Movie")) == 12)
        }
    }

    @Test func faultsAreFiredOneByOneOrTogether() throws {
        let all = try movies()
        for movie in all { try context.refresh(movie, mergeChanges: false) }
        try count("fire twelve faults, one by one") {
            for movie in all { #expect(movie["title"] != .null) }
        }
        for movie in all { try context.refresh(movie, mergeChanges: false) }
        #expect(all.allSatisfy { $0.isFault })
        try count("fire twelve faults together") { try context.fire(all) }
        #expect(all.allSatisfy { !$0.isFault })
    }

    @Test func relationshipsAreFaultsOfTheirOwn() throws {
        let all = try movies()
        var directors: [ManagedObject] = []
        try count("follow the director of each") {
            directors = try all.compactMap { try $0.get("director") }
        }
        // Three objects, however many movies lead to them.
        #expect(directors.count == 12 && Set(directors.map(\.objectID)).count == 3)
        #expect(directors[0] === directors[3] && directors[0] !== directors[1])
        try count("follow them again") { for movie in all { _ = try movie.get("director") } }
        try count("the members of twelve to-manys, one by one") { () throws in
            for movie in all { #expect(try movie.keys("actors").count == 2) }
        }
        try count("the same members as objects") { () throws in
            for movie in all {
                #expect(try movie.members(try movie.link("actors")).count == 2)
            }
        }
    }

    @Test func prefetchingReadsAllThatIsFollowed() throws {
        var request = try fixture.request("Movie", sort: "title")
        request.relationshipKeyPathsForPrefetching = ["director", "actors"]
        var all: [ManagedObject] = []
        try count("fetch them with `director` and `actors` prefetched") {
            all = try context.fetch(request)
        }
        try count("follow both of each then") { () throws in
            for movie in all {
                #expect(try movie.get("director")?.isFault == false)
                let actors = try movie.members(try movie.link("actors"))
                #expect(actors.count == 2 && actors.allSatisfy { !$0.isFault })
            }
        }
    }

    @Test func anObjectIsOneHoweverItIsReached() throws {
        let all = try movies()
        let lang = try #require(try all[0].get("director"))
        var again: ManagedObject?
        try count("a known object by its identity") {
            again = try context.existingObject(with: lang.objectID)
        }
        #expect(again === lang)
        try count("a known object by a fetch") {
            let found = try context.fetch(try fixture.request("Director", "name == 'Director 1'"))
            #expect(found.count == 1 && found[0] === lang)
        }
        let others = try lang.members(try lang.link("movies"))
        #expect(others.count == 4 && others[0] === all.first { $0.objectID == others[0].objectID })
    }
}
