import Foundation
import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite
import TestSupport
import Testing

/// Large values in files beside the store.
@Suite struct MigrationFileTests {
    private static let large = [UInt8](repeating: 7, count: 200_000)

    private func model(inFiles: Bool) throws -> Model {
        try makeModel([
            EntityMaker("Person").attribute("name", .string)
                .attribute("photo", .binary) { $0.allowsExternalBinaryDataStorage = inFiles }
        ])
    }

    private func seeded(
        inFiles: Bool = true, to isInFiles: Bool = true,
        _ kinds: (StoreKind, StoreKind) = (.sqlite, .sqlite)
    ) throws -> MigrationFixture {
        let fixture = try MigrationFixture(
            try model(inFiles: inFiles), try model(inFiles: isInFiles), kinds)
        try fixture.seed { context in
            for bytes in [Self.large, [1, 2], Self.large] {
                let person = try context.insert(fixture.old.entity("Person"))
                person["photo"] = .data(bytes)
            }
        }
        return fixture
    }

    private func mapping(_ value: PropertyMapping.Value, policy: String? = nil) -> [EntityMapping] {
        [.make("Person", "Person", policy: policy, attributes: [("photo", value)])]
    }

    private func files(_ side: MigrationSide) throws -> [ExternalData] {
        try side.values("Person.photo").compactMap { value in
            if case .external(let data) = value { data } else { nil }
        }
    }

    private func fileNumber(_ data: ExternalData) throws -> Int? {
        let found = try FileManager.default.attributesOfItem(atPath: data.path)
        return found[.systemFileNumber] as? Int
    }

    @Test(
        arguments: [nil, "P"], [PropertyMapping.Value.source("photo"), try .text("$source.photo")])
    func aFileIsLinkedAndNotRead(_ policy: String?, _ value: PropertyMapping.Value) throws {
        let fixture = try seeded()
        try fixture.migrate(
            mapping(value, policy: policy), policies: ["P": EntityMigrationPolicy.self])
        let (old, new) = (try files(fixture.old), try files(fixture.new))
        #expect(old.count == 2 && new.count == 2)
        for (before, after) in zip(old, new) {
            #expect(before.path != after.path && after.bytes == Self.large)
            #expect(try fileNumber(before) == fileNumber(after))
        }
        #expect(try fixture.new.values("Person.photo")[1] == .data([1, 2]))
    }

    @Test(arguments: StoreKind.single)
    func aFileMovesIntoTheRow(_ kind: StoreKind) throws {
        let fixture = try seeded(to: kind != .sqlite, (.sqlite, kind))
        try fixture.migrate(mapping(.source("photo")))
        #expect(
            try fixture.new.values("Person.photo")
                == [.data(Self.large), .data([1, 2]), .data(Self.large)])
    }

    @Test(arguments: [StoreKind.sqlite, .binary])
    func aValueMovesIntoAFile(_ kind: StoreKind) throws {
        let fixture = try seeded(inFiles: kind != .sqlite, (kind, .sqlite))
        try fixture.migrate(mapping(.source("photo")))
        #expect(try files(fixture.new).map(\.bytes) == [Self.large, Self.large])
    }

    /// The file can be restored later.
    @Test(
        arguments: [nil, "P"], [PropertyMapping.Value.source("photo"), try .text("$source.photo")])
    func aMissingFileStaysMissing(_ policy: String?, _ value: PropertyMapping.Value) throws {
        let fixture = try seeded()
        let gone = try #require(files(fixture.old).last)
        try FileManager.default.removeItem(atPath: gone.path)
        try fixture.migrate(
            mapping(value, policy: policy), policies: ["P": EntityMigrationPolicy.self])
        let made = try files(fixture.new)
        #expect(made.count == 2 && made.first?.bytes == Self.large)
        #expect(made.last == gone && made.last?.path != gone.path && made.last?.bytes == nil)
    }

    /// The value would be lost where there is no file.
    @Test func aMissingFileThatShallMoveIntoTheRowIsAnError() throws {
        let fixture = try seeded(to: false)
        try FileManager.default.removeItem(atPath: try #require(files(fixture.old).last).path)
        let error = try fixture.failure(mapping(.source("photo")))
        #expect(error.message.contains("cannot set photo of Person for Person 3"), "\(error)")
        #expect(error.message.contains("cannot be read"))
    }

    @Test func aStoreWithoutFilesTakesNoMissingOne() throws {
        let fixture = try seeded(to: true, (.sqlite, .binary))
        try FileManager.default.removeItem(atPath: try #require(files(fixture.old).last).path)
        let error = try #require(throws: StoreError.self) {
            try fixture.migrate(mapping(.source("photo")))
        }
        #expect(error.sentence.contains("the file of photo of Person 3 cannot be read"), "\(error)")
        #expect(try fixture.new.rows("Person").isEmpty)
    }

    @Test func afterAnErrorNoFileIsLeft() throws {
        let fixture = try seeded()
        let manager = fixture.manager(mapping(.source("photo")))
        struct Stop: Error {}
        manager.didAdvance = {
            if $0.phase == .validation { manager.cancelMigration(with: Stop()) }
        }
        #expect(throws: Stop.self) { try manager.migrate() }
        manager.didAdvance = nil
        let folder = try #require(files(fixture.old).first).path
        #expect(FileManager.default.fileExists(atPath: folder))
        try manager.migrate()
        let made = try files(fixture.new)
        let names = try FileManager.default.contentsOfDirectory(
            atPath: URL(filePath: try #require(made.first).path).deletingLastPathComponent().path)
        #expect(names.sorted() == made.map(\.identifier.uuidString).sorted())
    }
}
