/// Importing into a store to which another program has added rows, triggers and indexes.

import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@testable import SteleService

@Suite struct ImportForeignTests {
    private let house: House
    private let store: SQLiteStore
    private let raw: RawDatabase

    init() throws {
        let house = try House(House.club())
        let store = try #require(house.coordinator.store as? SQLiteStore)
        raw = try RawDatabase(store.path)
        self.house = house
        self.store = store
    }

    private func failure(
        _ files: [(String, String)], batch: Int = 2_000,
        _ change: @escaping (inout ImportOptions) -> Void = { _ in }
    ) throws -> ImportError {
        let error = #expect(throws: ImportError.self) {
            try house.load(files, batch: batch, change)
        }
        return try #require(error)
    }

    /// No option changes a row that is no object.
    @Test(arguments: [ImportOptions.Conflict.error, .update, .skip])
    func aValueOfARowThatIsNoObjectIsNamed(_ option: ImportOptions.Conflict) throws {
        try raw.run(
            "INSERT INTO ZTEAM (Z_PK, Z_ENT, Z_OPT, ZNAME) "
                + "SELECT -7, Z_ENT, 1, 'low' FROM Z_PRIMARYKEY WHERE Z_NAME = 'Team'")
        store.findForeignValues()
        let error = try failure([("team.ndjson", #"{"name":"A"}"# + "\n" + #"{"name":"low"}"#)]) {
            $0.onConflict = option
        }
        #expect(error.message.contains("in a row with a Z_PK below 1"), "\(error)")
        #expect(!error.message.contains("--on-conflict"), "\(error)")
        #expect(error.line == 2 && error.file?.hasSuffix("team.ndjson") == true, "\(error)")
        #expect(try raw.texts("SELECT ZNAME FROM ZTEAM") == ["low"])
    }

    private func expectRefusal(_ error: ImportError, _ place: String, _ words: String) {
        #expect(error.description.contains("\(place): \(words)"), "\(error)")
    }

    /// A rule of the database says nothing of a record: its line is that of the object it names, or
    /// is among those of the records that were saved with it.
    @Test func aRefusalNamesTheLines() throws {
        _ = try house.load([("team.ndjson", #"{"name":"A"}"#)])
        try raw.run(
            """
            CREATE TRIGGER app BEFORE INSERT ON ZTEAM WHEN NEW.ZNAME = 'no'
                BEGIN SELECT RAISE(ABORT, 'locked'); END;
            CREATE TRIGGER app2 BEFORE INSERT ON ZTEAM WHEN NEW.ZNAME = 'left'
                BEGIN SELECT RAISE(IGNORE); END;
            CREATE TRIGGER app3 BEFORE UPDATE ON ZTEAM BEGIN SELECT RAISE(IGNORE); END;
            CREATE TRIGGER app4 BEFORE UPDATE ON ZPLAYER BEGIN SELECT RAISE(ABORT, 'fixed'); END;
            CREATE UNIQUE INDEX app5 ON ZTEAM (ZCITY)
            """)
        func teams(_ names: [String]) -> [(String, String)] {
            [("team.ndjson", names.map { #"{"name":"\#($0)"}"# }.joined(separator: "\n"))]
        }
        expectRefusal(
            try failure(teams(["B", "C", "no", "D", "E"]), batch: 2), "team.ndjson lines 3 to 4",
            "a new Team: a trigger of the store's file refuses it: locked")
        expectRefusal(
            try failure(teams(["B", "C", "left"]), batch: 2), "team.ndjson line 3",
            "a new Team: a trigger of the store's file leaves a row out")
        let many = (1...40).map { "m\($0)" } + ["no"]
        expectRefusal(
            try failure(teams(many)), "team.ndjson lines 1 to 41",
            "Team: a trigger of the store's file refuses it: locked")
        let cities = #"{"name":"B","city":"x"}"# + "\n" + #"{"name":"C","city":"x"}"#
        expectRefusal(
            try failure([("team.ndjson", cities)]), "team.ndjson lines 1 to 2",
            "a new Team: values that must be unique in the database, and not in the model, are not")
        // Objects of the store, and links that have to wait, are named.
        let update = #"{"name":"B"}"# + "\n" + #"{"name":"A","city":"y"}"#
        expectRefusal(
            try failure([("team.ndjson", update)]) { $0.onConflict = .update },
            "team.ndjson line 2", "Team 1: a trigger of the store's file leaves a row out: app, ")
        let players = #"{"_id":1,"name":"Ann","coach":2}"# + "\n" + #"{"_id":2,"name":"Bo"}"#
        expectRefusal(
            try failure([("player.ndjson", players)], batch: 1), "player.ndjson line 1",
            "Player 1: a trigger of the store's file refuses it: fixed")
        #expect(try raw.texts("SELECT ZNAME FROM ZTEAM") == ["A"])
        #expect(try raw.texts("SELECT ZNAME FROM ZPLAYER").isEmpty)
    }
}
