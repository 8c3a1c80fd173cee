// Contexts and the row cache together.

import SteleModel
import StelePersistence
import Testing

@testable import SteleGraph

@Suite struct CachedReadingTests {
    let fixture: Fixture
    init() throws { fixture = try Fixture.league() }

    @Test func whatWasReadOrUpdatedAnswersWithoutAReader() throws {
        let id = try fixture.insert("Tag")[0]
        let context = fixture.context()
        try context.get(id)["name"] = .string("new")
        try context.save()
        let cached = try #require(fixture.coordinator.cachedSnapshot(id))
        #expect(cached.version == 2)
        let last = fixture.context()
        try last.delete(try last.get(id))
        try last.save()
        #expect(fixture.coordinator.cachedSnapshot(id) == nil)
    }

    @Test func anOpenContextKeepsItsViewWhileOthersSave() throws {
        let ids = try fixture.insert("Tag", count: 2)
        let early = fixture.context()
        _ = try early.token()
        let other = fixture.context()
        for id in ids { try other.get(id)["name"] = .string("new") }
        try other.save()
        #expect(try early.snapshot(ids[0])?.version == 1)
        #expect(try early.snapshots(root: ids[0].root, keys: ids.map(\.key))[ids[1].key]?.version == 1)
        #expect(try fixture.context().snapshot(ids[0])?.version == 2)
        #expect(fixture.coordinator.cachedSnapshot(ids[0])?.version == 2)
    }

    @Test func aContextOnTheWritersThreadLeavesTheCacheAlone() throws {
        let id = try fixture.insert("Tag")[0]
        let cached = try #require(fixture.coordinator.cachedSnapshot(id))
        let counting = CountingReader(try fixture.store.reader())
        let context = ManagedObjectContext(fixture.coordinator, reader: counting)
        #expect(try context.snapshot(id) == cached)
        #expect(counting.queries == 1)
    }

    @Test func severalObjectsAreOneQueryForWhatTheCacheLacks() throws {
        let ids = try fixture.insert("Tag", count: 5)
        let counting = CountingReader(try fixture.store.reader())
        let context = ManagedObjectContext(fixture.coordinator, reader: counting)
        let found = try context.existingObjects(root: ids[0].root, keys: ids.map(\.key) + [99])
        #expect(found.count == 5 && counting.queries == 1)
        _ = try context.existingObjects(root: ids[0].root, keys: ids.map(\.key))
        #expect(counting.queries == 1)
    }
}
