import Glibc
import SteleFiles
import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite
import TestSupport
import Testing

/// What a store does for a migration: saves beside the history, keys, and being replaced.
@Suite struct MigrationStoreTests {
    private let model: Model

    init() throws { model = try makeModel([EntityMaker("Tag").attribute("name", .string)]) }

    @Test(arguments: StoreKind.single)
    func aSaveBesideTheHistoryIsKept(_ kind: StoreKind) throws {
        let folder = try TemporaryFolder()
        var store = try kind.open(model, at: folder.store)
        defer { store.close() }
        var request = SaveRequest(readToken: 0)
        request.isRecorded = false
        request.changes = [
            ObjectChange(.insert, entity: 0, key: 9, values: [.string("x")], toManys: [])
        ]
        let result = try store.save(request)
        #expect(result.token == 0)
        if kind != .memory {
            store.close()
            store = try kind.open(model, at: folder.store)
        }
        let reader = try store.reader()
        defer { reader.close() }
        #expect(try reader.fetch(FetchRequest(entity: model.named("Tag"))).map(\.key) == [9])
        #expect(try reader.history(after: 0, limit: 10, values: false).isEmpty)
    }

    @Test(arguments: StoreKind.single)
    func keysOfDeletedObjectsAreNotGivenOutAgain(_ kind: StoreKind) throws {
        let renamed = try makeModel([
            EntityMaker("Label").attribute("name", .string) { $0.renamingIdentifier = "name" }
        ])
        let fixture = try MigrationFixture(model, renamed, (kind, kind))
        let ids = try fixture.old.insert("Tag", count: 4)
        try fixture.old.change { context in
            for id in ids.suffix(2) { try context.delete(context.object(with: id)) }
        }
        #expect(try fixture.old.store.highestKeys[0] == 4)
        try fixture.migrate([.make("Tag", "Label", attributes: [("name", .source("name"))])])
        #expect(try fixture.new.insert("Label").map(\.key) == [5])
    }

    @Test(arguments: [StoreKind.sqlite, .binary])
    func aStoreIsReplacedBesideRunningSaves(_ kind: StoreKind) throws {
        let folder = try TemporaryFolder()
        let other = folder.path + "/other"
        let new = try kind.open(model, at: other)
        var request = SaveRequest(readToken: 0)
        request.changes = [
            ObjectChange(.insert, entity: 0, key: -1, values: [.string("new")], toManys: [])
        ]
        _ = try new.save(request)
        new.close()
        let store = try kind.open(model, at: folder.store)
        request.changes[0].values = [.string("old")]
        let insertion = request
        let model = model
        let results = onThreads(5) { number -> String in
            do {
                if number == 0 {
                    usleep(30_000)
                    switch store {
                    case let store as SQLiteStore: try store.replaceFile(with: other)
                    case let store as AtomicStore: try store.replaceFile(with: other)
                    default: break
                    }
                    return "replaced"
                }
                while true {
                    if number == 1 {
                        _ = try store.save(making: { _ in insertion })
                    } else {
                        _ = try store.save(insertion)
                    }
                }
            } catch StoreError.closed { return "closed" } catch { return "\(error)" }
        }
        #expect(results.sorted() == ["closed", "closed", "closed", "closed", "replaced"])
        let again = try kind.open(model, at: folder.store)
        defer { again.close() }
        let reader = try again.reader()
        defer { reader.close() }
        let rows = try reader.fetch(FetchRequest(entity: model.named("Tag")))
        #expect(rows.map(\.values) == [[.string("new")]])
    }
}
