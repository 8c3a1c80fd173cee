/// New stores have the statements of the stores that Apple's framework made.

import Foundation
import SteleModel
import StelePersistence
import SteleSQL
import SteleSQLite
import TestSupport
import Testing

@Suite(.enabled(if: sharedFolder != nil, "the shared data is not here"))
struct AppStoreSchemaTests {
    /// The stores whose statements are in another order than in a new one, and why.
    private static let others = [
        "sample/Fixtures/SampleModel_V2.sqlite":
            "migrated in place: the tables were made anew after those of bookkeeping"
    ]

    private static let statements =
        "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"

    /// A new store of the version that a file claims has the file's statements, in their order.
    ///
    /// Stele's own tables are beside them, a store that has no history in its file has none of
    /// its tables, and derived attributes have no triggers.
    @Test func theStatementsAreThoseOfTheFile() throws {
        var lines = ["file | framework version | statements | triggers | differences"]
        var claimed = Set<Int64>()
        for app in AppStore.all {
            let folder = try TemporaryFolder()
            let path = try app.copy(to: folder)
            guard
                case .integer(let number)? = try SQLiteStore.metadata(path: path)[
                    "NSPersistenceFrameworkVersion"]
            else {
                Issue.record("\(app.file) claims no version")
                continue
            }
            claimed.insert(number)
            let all = try RawDatabase(path).texts(Self.statements)
            let theirs = all.filter { !$0.hasPrefix("CREATE TRIGGER Z_DA_") }
            let ours = try made(
                SQLSchema(model: app.readModel()), FrameworkVersion(number),
                hasHistory: theirs.contains { $0.hasPrefix("CREATE TABLE ACHANGE ") },
                at: folder.path + "/new")
            let differences = Set(ours).symmetricDifference(theirs).sorted()
            #expect(differences == [], "\(app.file)")
            if let reason = Self.others[app.file] {
                #expect(ours != theirs, "\(app.file): \(reason)")
            } else {
                #expect(ours == theirs, "\(app.file)")
            }
            lines.append(
                "\(app.file) | \(number) | \(theirs.count) | \(all.count - theirs.count) | "
                    + "\(Self.others[app.file] ?? "\(differences.count)")")
        }
        #expect(claimed == [637, 1044, 1344])
        #expect(Set(Self.others.keys).isSubset(of: AppStore.all.map(\.file)))
        print(lines.joined(separator: "\n"))
    }

    /// A column that another program has added is left alone where the store's own model is that of
    /// the tables. Without that model it may be one of another version.
    @Test(arguments: AppStore.all)
    func columnsOfOtherProgramsAreLeftAlone(_ app: AppStore) throws {
        let folder = try TemporaryFolder()
        let path = try app.copy(to: folder)
        let model = try app.readModel()
        let table = try #require(SQLSchema(model: model).storedTables.first).name
        try RawDatabase(path).run("ALTER TABLE \(table) ADD COLUMN ZEXTRA INTEGER DEFAULT 7")
        let extras = "SELECT DISTINCT ZEXTRA FROM \(table)"
        let before = try RawDatabase(path).texts(extras)
        if try RawDatabase(path).texts(
            "SELECT 1 FROM sqlite_master WHERE name = 'Z_MODELCACHE'"
        ).isEmpty {
            #expect(throws: StoreError.self) { try SQLiteStore.open(path: path, model: model) }
            return
        }
        try ReadOnlySQLiteStore.open(path: path, model: model).close()
        try SQLiteStore.open(path: path, model: model).close()
        #expect(try RawDatabase(path).texts(extras) == before)
    }

    /// The statements of an empty store, as SQLite has them after it has run them.
    private func made(
        _ schema: SQLSchema, _ version: FrameworkVersion, hasHistory: Bool, at path: String
    ) throws -> [String] {
        let database = try RawDatabase(path)
        for statement in schema.creation(as: version) { try database.run(statement) }
        let history = Set(HistoryTables.creation)
        return try database.texts(Self.statements).filter {
            !$0.contains("STELE_") && (hasHistory || !history.contains($0))
        }
    }
}
