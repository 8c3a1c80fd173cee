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
}
