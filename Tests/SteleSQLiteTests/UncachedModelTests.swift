// Stores of other programs without a model of their own (before iOS 9), or with another store's: the
// tables say which model they are of.

import Foundation
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@Suite struct UncachedModelTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let types: [(type: AttributeType, column: String)] = [
        (.integer16, "INTEGER"), (.integer32, "INTEGER"), (.integer64, "INTEGER"),
        (.boolean, "INTEGER"), (.double, "FLOAT"), (.float, "FLOAT"), (.date, "TIMESTAMP"),
        (.decimal, "DECIMAL"), (.string, "VARCHAR"), (.uri, "VARCHAR"), (.uuid, "BLOB"),
        (.binary, "BLOB"), (.transformable, "BLOB"),
    ]

    private static func model(_ type: AttributeType) throws -> Model {
        try makeModel([EntityMaker("Item").attribute("code", type)])
    }

    private func make(_ type: AttributeType) throws -> String {
        let path = folder.path + "/\(type.rawValue).sqlite"
        try makeBareStore(try Self.model(type), at: path)
        try RawDatabase(path).run("DELETE FROM Z_MODELCACHE")
        return path
    }

    /// A column of a type that an attribute does not have is one of another version.
    @Test(arguments: types) func columnTypesAreThoseOfTheModel(
        _ stored: AttributeType, _ column: String
    ) throws {
        let path = try make(stored)
        let database = try RawDatabase(path)
        #expect(
            try database.texts("SELECT type FROM pragma_table_info('ZITEM') WHERE name = 'ZCODE'")
                == [column])
        let plain = try database.contents(besides: [])
        for (type, other) in Self.types where other != column {
            let name = "\(stored) as \(type)"
            let error = #expect(throws: StoreError.self, "\(name)") {
                try SQLiteStore.open(path: path, model: Self.model(type))
            }
            guard case .incompatible(code: 134100, let text)? = error else {
                Issue.record("\(name): \(error as Any)")
                continue
            }
            #expect(
                text.contains(
                    "the column ZCODE of its table ZITEM is of the type \(column), and Item.code has "
                        + "one of the type \(other)"), "\(text)")
            #expect(throws: StoreError.self, "\(name)") {
                try ReadOnlySQLiteStore.open(path: path, model: Self.model(type))
            }
            #expect(
                try SQLiteStore.adoptableModel(
                    path: path, among: [Self.model(type), Self.model(stored)])?.entities[0]
                    .attribute(named: "code")?.type == stored, "\(name)")
        }
        let isSame = try database.contents(besides: []) == plain
        #expect(isSame)
        for (type, other) in Self.types where other == column {
            try ReadOnlySQLiteStore.open(path: path, model: Self.model(type)).close()
        }
        try SQLiteStore.open(path: path, model: Self.model(stored)).close()
    }

    /// A type that Core Data does not give to columns says nothing.
    @Test func aTypeOfAnotherProgramIsTaken() throws {
        let path = try make(.string)
        try RawDatabase(path).run(
            "ALTER TABLE ZITEM DROP COLUMN ZCODE; ALTER TABLE ZITEM ADD COLUMN ZCODE TEXT")
        try SQLiteStore.open(path: path, model: Self.model(.string)).close()
    }

    /// The model in the store is no evidence where it cannot be that of its entities and tables.
    @Test func aModelOfAnotherStoreSaysNothing() throws {
        let other = folder.path + "/other.sqlite"
        for (place, entity) in [
            EntityMaker("Zed").attribute("code", .string),
            EntityMaker("Item").attribute("code", .string).attribute("more", .string),
        ].enumerated() {
            let path = folder.path + "/\(place).sqlite"
            try makeBareStore(try Self.model(.string), at: path)
            try? FileManager.default.removeItem(atPath: other)
            try SQLiteStore.open(path: other, model: makeModel([entity])).close()
            try RawDatabase(path).run(
                "ATTACH '\(other)' AS o; "
                    + "UPDATE Z_MODELCACHE SET Z_CONTENT = (SELECT Z_CONTENT FROM o.Z_MODELCACHE)")
            #expect(throws: StoreError.self) {
                try SQLiteStore.open(path: path, model: Self.model(.double))
            }
            #expect(throws: StoreError.self) {
                try SQLiteStore.open(path: path, model: makeModel([entity]))
            }
            // Also where it is one of the versions, and is tried first.
            let versions = [try makeModel([entity]), try Self.model(.string)]
            let found = try SQLiteStore.adoptableModel(path: path, among: versions)
            #expect(found === versions[1])
            try SQLiteStore.open(path: path, model: Self.model(.string)).close()
        }
    }
}
