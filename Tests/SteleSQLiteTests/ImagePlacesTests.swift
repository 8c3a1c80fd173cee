// Objects' before-images are found by places that come many at a time: no state is lost between
// those that have one and those that wait for it.

import SteleGraph
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@Suite struct ImagePlacesTests {
    private static let things = 700
    private static let rounds = 8

    private func store() throws -> (GraphStore, [ObjectID]) {
        let it = try GraphStore([EntityMaker("Thing").attribute("name", .string)])
        return (it, try it.insert("Thing", count: Self.things))
    }

    /// Each thing renamed in each round; three times the images that wait together at most.
    private func rename(_ it: GraphStore, _ ids: [ObjectID]) throws {
        for round in 1...Self.rounds {
            try it.change { context in
                for id in ids { try context.get(id)["name"] = .string("round \(round)") }
            }
        }
    }

    /// What the things were after each save, as the history tells it in pages.
    private func states(_ it: GraphStore, _ ids: [ObjectID]) throws -> [[String]] {
        let reader = try it.store.reader()
        defer { reader.close() }
        var states: [[String]] = []
        var token: Int64 = 0
        while let page = try Optional(reader.history(after: token, limit: 2, values: true)),
            let last = page.last
        {
            token = last.number
            states += page.map { save in
                save.changes.map { change in
                    guard case .string(let name)? = change.snapshot?.values.first else {
                        return "?"
                    }
                    return name
                }
            }
        }
        return states
    }

    private func places(_ it: GraphStore) throws -> [Int] {
        try RawDatabase(it.folder.store).texts(
            "SELECT COUNT(*) FROM STELE_IMAGEPLACE WHERE ZFAMILY > 0 "
                + "UNION ALL SELECT COUNT(*) FROM STELE_BEFOREIMAGE"
        ).compactMap(Int.init)
    }

    @Test func statesAreExactWhereSomeImagesHavePlacesAndSomeWait() throws {
        let (it, ids) = try store()
        try rename(it, ids)
        let (placed, all) = (try places(it)[0], try places(it)[1])
        #expect(all == Self.rounds * Self.things)
        #expect(placed >= 4_096 && placed < all, "\(placed) of \(all)")
        let told = try states(it, ids)
        let inserted = (1...Self.things).map { "Thing \($0)" }
        let renamed = (1...Self.rounds).map { round in
            Array(repeating: "round \(round)", count: Self.things)
        }
        #expect(told == [inserted] + renamed)
    }

    @Test func aStoreWithTheIndexOfBeforeGetsPlaces() throws {
        let (it, ids) = try store()
        try rename(it, ids)
        let told = try states(it, ids)
        it.store.close()
        let raw = try RawDatabase(it.folder.store)
        try raw.run(
            "DROP TABLE STELE_IMAGEPLACE; CREATE INDEX STELE_BEFOREIMAGE_OBJECT_INDEX "
                + "ON STELE_BEFOREIMAGE (ZFAMILY, ZENTITYPK, Z_PK)")
        let reopened = try GraphStore(it.model, in: it.folder)
        #expect(try states(reopened, ids) == told)
        #expect(
            try raw.texts("SELECT name FROM sqlite_master WHERE name LIKE 'STELE%'").sorted()
                == ["STELE_BEFOREIMAGE", "STELE_IMAGEPLACE"])
        try reopened.change { try $0.get(ids[0])["name"] = .string("after") }
        #expect(try places(reopened)[0] == Self.rounds * Self.things + 1)
        #expect(try states(reopened, ids).dropLast() == told[...])
    }

    /// What is taken back leaves no image behind, and none that another save made is lost.
    @Test func aRefusedSaveTakesItsImagesAlongAndNoOthers() async throws {
        let (it, ids) = try store()
        // Made from one state and saved at once, so that they share commits. Every second one
        // changes the last object, too, after its own: only the first of those can be saved.
        let requests = try (0..<200).map { turn in
            let context = it.context()
            try context.get(ids[turn])["name"] = .string("turn \(turn)")
            if turn % 2 == 1 { try context.get(ids[699])["name"] = .string("turn \(turn)") }
            return try #require(try context.saveRequest())
        }
        let store = it.store
        let saved = await withTaskGroup(of: Bool.self) { group in
            for request in requests {
                group.addTask {
                    await withCheckedContinuation { done in
                        store.save(request) { result in
                            done.resume(returning: (try? result.get()) != nil)
                        }
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(saved == 101)
        let images = try RawDatabase(it.folder.store).texts(
            "SELECT COUNT(*) FROM STELE_BEFOREIMAGE")
        #expect(images == ["102"])
        let changes = try it.history().dropFirst().flatMap(\.changes)
        #expect(changes.count == 102)
        #expect(changes.allSatisfy { $0.snapshot != nil && $0.before != nil })
    }
}
