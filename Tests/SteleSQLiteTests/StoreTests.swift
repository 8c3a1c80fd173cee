/// What is saved is there, exactly, afterwards and after opening again.

import Foundation
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

/// A new store of the League sample, in a folder that lives as long as this.
private final class League {
    let folder: TemporaryFolder
    let store: SQLiteStore
    let team: Entity
    let player: Entity

    init() throws {
        folder = try TemporaryFolder()
        let model = try sampleModel("League")
        store = try SQLiteStore.open(path: folder.store, model: model)
        team = try #require(model.entity(named: "Team"))
        player = try #require(model.entity(named: "Player"))
    }
}

@Suite struct StoreTests {
    @Test func aSavedObjectIsThereAfterOpeningAgain() throws {
        let it = try League()
        let (folder, store, team, player) = (it.folder, it.store, it.team, it.player)
        let crew = try store.insert(team, ["name": .string("Crew")])
        let ann = try store.insert(
            player,
            ["name": .string("Ann"), "team": .key(crew.key), "salary": .decimal(Decimal(10.5))])
        store.close()
        let again = try SQLiteStore.open(path: folder.store, model: store.model)
        defer { again.close() }
        #expect(again.generation == store.generation && again.identifier == store.identifier)
        #expect(try again.snapshot(player, ann.key) == ann)
        #expect(ann.version == 1 && ann.key == 1)
    }

    @Test func keysAreNeverGivenTwice() throws {
        let it = try League()
        let (store, team) = (it.store, it.team)
        defer { store.close() }
        let first = try store.insert(team, ["name": .string("A")])
        try store.delete(first)
        let second = try store.insert(team, ["name": .string("B")])
        #expect(second.key == first.key + 1)
    }

    @Test func anUpdateOfAnotherVersionIsAConflictWithBothSides() throws {
        let it = try League()
        let (store, team) = (it.store, it.team)
        defer { store.close() }
        let first = try store.insert(team, ["name": .string("A")])
        let second = try store.update(first, ["name": .string("B")])
        #expect(second.version == 2)
        #expect {
            _ = try store.update(first, ["name": .string("C")])
        } throws: { error in
            guard case StoreError.conflicts(let list)? = error as? StoreError else { return false }
            return list.count == 1 && list[0].persisted == second && list[0].cached == first
        }
        #expect(try store.snapshot(team, first.key) == second)
    }

    @Test(arguments: [
        "0.1", "-0.1", "123456789012345", "1234567890123456", "0.1234567890123456789",
        "99999999999999999999999999999999999999", "-0.0000000000000000000000000000000000001", "0",
        "12345678901234567890.123456789", "1e20",
    ])
    func decimalsComeBackAsTheyWere(_ text: String) throws {
        let it = try League()
        let (store, player) = (it.store, it.player)
        defer { store.close() }
        let value = try #require(Decimal(string: text))
        let saved = try store.insert(
            player, ["name": .string("A"), "salary": .decimal(value)])
        let slot = try #require(player.attribute(named: "salary")).slot
        #expect(try store.snapshot(player, saved.key)?.values[slot] == .decimal(value))
    }

    @Test func historyTellsEachSaveWithTheObjectAsItWasAfterIt() throws {
        let it = try League()
        let (store, team) = (it.store, it.team)
        defer { store.close() }
        let one = try store.insert(team, ["name": .string("A"), "city": .string("X")])
        let two = try store.update(one, ["name": .string("B")])
        let three = try store.update(two, ["city": .null])
        try store.delete(three)
        let reader = try store.reader()
        defer { reader.close() }
        let history = try reader.history(after: 0, limit: 100, values: true)
        #expect(history.map(\.number) == [1, 2, 3, 4])
        let changes = history.flatMap(\.changes)
        #expect(changes.map(\.kind) == [.insert, .update, .update, .delete])
        #expect(changes.map(\.snapshot) == [one, two, three, three])
        #expect(changes.map(\.version) == [1, 2, 3, 3])
        let name = try #require(team.attribute(named: "name")).slot
        let city = try #require(team.attribute(named: "city")).slot
        #expect(changes[1].before == [.slot(name, .string("A"))])
        #expect(changes[2].before == [.slot(city, .string("X"))])
    }

    @Test func aViewDoesNotChangeWhileItIsOpen() throws {
        let it = try League()
        let (store, team) = (it.store, it.team)
        defer { store.close() }
        let one = try store.insert(team, ["name": .string("A")])
        let reader = try store.reader()
        _ = try store.update(one, ["name": .string("B")])
        #expect(try reader.snapshot(ObjectID(root: team.root, key: one.key)) == one)
        #expect(try reader.token == 1)
        reader.close()
        #expect(throws: StoreError.self) {
            try reader.snapshot(ObjectID(root: team.root, key: one.key))
        }
    }

    @Test func manyThreadsSaveAndEachSaveIsOneTransaction() throws {
        let it = try League()
        let (store, team) = (it.store, it.team)
        defer { store.close() }
        let group = DispatchGroup()
        for thread in 0..<8 {
            DispatchQueue.global().async(group: group) {
                for index in 0..<50 {
                    do {
                        _ = try store.insert(team, ["name": .string("\(thread)-\(index)")])
                    } catch {
                        Issue.record(error)
                    }
                }
            }
        }
        group.wait()
        let reader = try store.reader()
        defer { reader.close() }
        let history = try reader.history(after: 0, limit: 1_000, values: false)
        #expect(history.map(\.number) == Array(1...400))
        #expect(Set(history.flatMap(\.changes).map(\.key)) == Set(1...400))
    }

    @Test func aFileThatIsNoDatabaseIsRefused() throws {
        let folder = try TemporaryFolder()
        try Data(
            "not a database, only a text of some length".utf8 + [UInt8](repeating: 7, count: 8192)
        )
        .write(to: URL(filePath: folder.store))
        #expect {
            _ = try SQLiteStore.open(path: folder.store, model: try sampleModel("League"))
        } throws: { error in
            guard case StoreError.incompatible(_, let text)? = error as? StoreError else {
                return false
            }
            return text.contains("\(folder.store) is not an SQLite database")
        }
    }

    @Test func aStoreOfAnotherModelIsRefusedByName() throws {
        let it = try League()
        let (folder, store) = (it.folder, it.store)
        store.close()
        #expect {
            _ = try SQLiteStore.open(path: folder.store, model: try sampleModel("OrgChart"))
        } throws: { error in
            guard case StoreError.incompatible(134100, let text)? = error as? StoreError else {
                return false
            }
            return text.contains("another model") && text.contains("Organization")
        }
    }

    @Test func anotherProgramsCommitIsNoticedAndOurOwnAreNot() throws {
        let it = try League()
        let (folder, store, team) = (it.folder, it.store, it.team)
        defer { store.close() }
        _ = try store.insert(team, ["name": .string("A")])
        #expect(!store.noticesForeignChange())
        let other = try RawDatabase(folder.store)
        try other.run("UPDATE ZTEAM SET ZNAME = 'foreign'")
        #expect(store.noticesForeignChange())
        #expect(!store.noticesForeignChange())
        _ = try store.insert(team, ["name": .string("B")])
        #expect(!store.noticesForeignChange())
    }
}
