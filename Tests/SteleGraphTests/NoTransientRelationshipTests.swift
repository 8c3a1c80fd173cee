// Transient relationships: in the model, and in no store.

import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite
import TestSupport
import Testing

struct NoTransientRelationshipTests {
    private static func transient(
        _ name: String, _ destination: String, inverse: String?, toMany: Bool
    ) -> PropertyDescription {
        var it = RelationshipDescription(name: name, destinationName: destination)
        it.inverseName = inverse
        it.isTransient = true
        it.isToMany = toMany
        it.maximumCount = toMany ? 0 : 1
        return .relationship(it)
    }

    private static func model() throws -> Model {
        try makeModel([
            EntityMaker("Team").attribute("name", .string)
                .changing {
                    $0.properties.append(
                        transient("seen", "Player", inverse: "seers", toMany: true))
                }
                .toMany("players", "Player", inverse: "team"),
            EntityMaker("Player")
                .changing {
                    $0.properties.append(
                        transient("seers", "Team", inverse: "seen", toMany: true))
                    $0.properties.append(
                        transient("selected", "Team", inverse: nil, toMany: false))
                }
                .attribute("name", .string)
                .toOne("team", "Team", inverse: "players"),
        ])
    }

    @Test(arguments: StoreKind.allCases)
    func noStoreHasThem(_ kind: StoreKind) throws {
        let folder = try TemporaryFolder()
        let model = try Self.model()
        let path = folder.store
        var id: ObjectID?
        do {
            let store = try kind.open(model, at: path)
            let context = ManagedObjectContext(PersistentStoreCoordinator(store: store))
            let team = try context.insert(try model.named("Team"))
            let player = try context.insert(try model.named("Player"))
            player["name"] = .string("Ann")
            let toOne = try #require(player.entity.relationship(named: "team"))
            try player.setToOne(toOne, team)
            try context.save()
            id = player.objectID
            let error = #expect(throws: ContextError.self) { try player.value(forKey: "selected") }
            #expect(error?.description.contains("transient") == true)
            #expect(throws: ContextError.self) { try player.setValue(.null, forKey: "selected") }
            #expect(player.snapshot.values.count == 2)
            try context.delete(team)
            try context.save()
            #expect(player.snapshot.values == [.string("Ann"), .null])
            store.close()
        }
        guard kind != .memory, kind != .group else { return }
        let store = try kind.open(model, at: path)
        defer { store.close() }
        let reader = try store.reader()
        defer { reader.close() }
        #expect(
            try reader.snapshot(try #require(id))?.values == [.string("Ann"), .null])
    }

    @Test(arguments: ["selected == nil", "selected.name == 'a'", "ANY seers.name == 'a'"])
    func predicatesCannotUseThem(_ format: String) throws {
        let model = try Self.model()
        let check = PredicateCheck(model: model, entity: try model.named("Player"))
        let error = #expect(throws: PredicateError.self) {
            try check.check(Predicate(format: format))
        }
        #expect(error?.description.contains("is transient") == true)
    }

    @Test func theyHaveNoColumnAndNoTable() throws {
        let folder = try TemporaryFolder()
        try SQLiteStore.open(path: folder.store, model: try Self.model()).close()
        let statements = try RawDatabase(folder.store).texts(
            "SELECT sql FROM sqlite_master WHERE name LIKE 'ZP%' OR name LIKE 'ZT%' ORDER BY name")
        #expect(
            statements == [
                "CREATE TABLE ZPLAYER ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
                    + "ZTEAM INTEGER, ZNAME VARCHAR )",
                "CREATE INDEX ZPLAYER_ZTEAM_INDEX ON ZPLAYER (ZTEAM)",
                "CREATE TABLE ZTEAM ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
                    + "ZNAME VARCHAR )",
            ])
    }
}
