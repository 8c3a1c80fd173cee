// What a save answers and what the row cache remembers is what is in the file.

import Foundation
import SteleGraph
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@Suite struct ExactnessTests {
    private func tagged() throws -> GraphStore {
        try GraphStore([
            EntityMaker("Person").attribute("name", .string)
                .attribute("mood", .string) { $0.isTransient = true }
                .toMany("tags", "Tag", inverse: "people"),
            EntityMaker("Tag").attribute("name", .string)
                .attribute("colour", .string)
                .attribute("size", .double)
                .toMany("people", "Person", inverse: "tags"),
        ])
    }

    @Test func aSaveThatOnlyLinksTellsTheRowAsItIsAndNotAsItWasRead() throws {
        let it = try tagged()
        let person = try it.insert("Person")[0]
        let tag = try it.insert("Tag")[0]
        let early = it.context()
        let (one, two) = (try early.get(person), try early.get(tag))
        try it.change { try $0.get(tag)["colour"] = .string("red") }
        try one.add("tags", two)
        try early.save()
        let stored = try #require(try it.stored(tag))
        #expect(stored.value("colour", in: it.model) == .string("red"))
        #expect(try it.context().get(tag).snapshot == stored)
        #expect(it.coordinator.cachedSnapshot(tag).map { $0 == stored } ?? true)
        let told = try #require(try it.history().last?.changes.first { $0.entity == stored.entity })
        #expect(told.snapshot == stored && told.version == 2)
    }

    @Test func aTransientValueIsNeitherStoredNorRemembered() throws {
        let it = try tagged()
        let context = it.context()
        let person = try context.insert(try it.entity("Person"))
        person["mood"] = .string("glad")
        try context.save()
        #expect(person["mood"] == .string("glad"))
        let stored = try #require(try it.stored(person.objectID))
        #expect(stored.value("mood", in: it.model) == .null)
        #expect(try it.context().get(person.objectID).snapshot == stored)
    }

    @Test func aForeignChangeThatKeepsTheVersionIsNeitherLostNorForgotten() throws {
        let it = try tagged()
        let tag = try it.insert("Tag")[0]
        let early = it.context()
        let object = try early.get(tag)
        let other = try RawDatabase(it.folder.store)
        try other.run("UPDATE ZTAG SET ZCOLOUR = 'blue'")
        object["name"] = .string("new")
        #expect {
            try early.save()
        } throws: { error in
            guard case StoreError.conflicts(let list)? = error as? StoreError else { return false }
            return list.first?.persisted?.value("colour", in: it.model) == .string("blue")
        }
        try it.change { try $0.get(tag)["name"] = .string("new") }
        let stored = try #require(try it.stored(tag))
        #expect(stored.value("colour", in: it.model) == .string("blue") && stored.version == 2)
        #expect(try it.context().get(tag).snapshot == stored)
    }

    /// SQLite drops the sign of zeros: that is no change by another program.
    @Test func aZeroWithASignIsNoForeignChange() throws {
        let it = try tagged()
        let early = it.context()
        let tag = try early.insert(try it.entity("Tag"))
        tag["size"] = .double(-0.0)
        try early.save()
        try RawDatabase(it.folder.store).run("UPDATE ZPERSON SET ZNAME = NULL")
        tag["name"] = .string("new")
        try early.save()
        #expect(try it.stored(tag.objectID)?.version == 2)
    }

    @Test func aForeignRowWithoutItsCounterDoesNotTakeTheNextKey() throws {
        let it = try tagged()
        _ = try it.insert("Tag")
        try RawDatabase(it.folder.store).run(
            "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (2, 2, 1, 'foreign')")
        #expect(try it.insert("Tag")[0].key == 3)
    }
}
