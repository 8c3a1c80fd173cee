import Foundation
import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite
import SteleSystem
import TestSupport
import Testing

/// A staged migration of an SQLite store, with code between its stages.
@Suite struct StagedStoreTests {
    /// Carries stages out on a store's file, as Docs/Migration.md has it.
    final class FileExecutor: StagedMigrationExecutor {
        let path: String
        init(_ path: String) { self.path = path }

        func versionChecksum() throws -> String? { try SQLiteStore.versionChecksum(path: path) }

        func migrate(from source: Model, to destination: Model) throws {
            try SQLiteStore.migrate(
                path: path, from: source, to: destination,
                by: .inferred(from: source, to: destination))
        }

        func withStore(
            _ model: Model, _ body: (PersistentStoreCoordinator) throws -> Void
        ) throws {
            let store = try SQLiteStore.open(path: path, model: model)
            defer { store.close() }
            try body(PersistentStoreCoordinator(store: store))
        }
    }

    private struct Stop: Error {}

    private let folder: TemporaryFolder
    /// A name, then a name with its two parts, then the parts alone.
    private let models: [Model]

    init() throws {
        folder = try TemporaryFolder()
        let parts = ["first", "last"]
        models = try [["name"], ["name"] + parts, parts].enumerated().map { index, names in
            try makeModel(
                name: "Staff \(index + 1)",
                [names.reduce(EntityMaker("Person")) { $0.attribute($1, .string) }])
        }
        let store = try SQLiteStore.open(path: folder.store, model: models[0])
        defer { store.close() }
        let context = ManagedObjectContext(PersistentStoreCoordinator(store: store))
        defer { context.close() }
        for name in ["Ann Lee", "Bo Ek", ""] {
            try context.insert(models[0].named("Person"))["name"] = .string(name)
        }
        try context.save()
    }

    private func reference(_ number: Int) -> ManagedObjectModelReference {
        ManagedObjectModelReference(models[number - 1])
    }

    private static func change(
        _ coordinator: PersistentStoreCoordinator,
        _ work: (ManagedObject, ManagedObjectContext) throws -> Void
    ) throws {
        let context = ManagedObjectContext(coordinator)
        defer { context.close() }
        let person = try coordinator.model.named("Person")
        for object in try context.fetch(FetchRequest(entity: person)) { try work(object, context) }
        try context.save()
    }

    /// Splits names between two migrations. People without a name are deleted before.
    private func stages(failing: Bool = false) -> StagedMigrationManager {
        StagedMigrationManager([
            .custom(
                CustomMigrationStage(
                    from: reference(1), to: reference(2), label: "split names",
                    willMigrate: { coordinator in
                        try Self.change(coordinator) { person, context in
                            guard person["name"] == .string("") else { return }
                            try context.delete(person)
                        }
                        if failing { throw Stop() }
                    },
                    didMigrate: { coordinator in
                        try Self.change(coordinator) { person, _ in
                            guard case .string(let name) = person["name"] else { return }
                            let parts = name.split(separator: " ").map(String.init)
                            person["first"] = .string(parts[0])
                            person["last"] = .string(parts[1])
                        }
                    })),
            .lightweight([reference(2), reference(3)], label: "drop names"),
        ])
    }

    private func people(_ model: Model) throws -> [[Value]] {
        let store = try SQLiteStore.open(path: folder.store, model: model)
        defer { store.close() }
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.fetch(FetchRequest(entity: model.named("Person"))).map(\.values)
    }

    private let split: [[Value]] = [
        [.string("Ann"), .string("Lee")], [.string("Bo"), .string("Ek")],
    ]

    @Test func stagesWithCodeTakeAStoreThroughThreeVersions() throws {
        let executor = FileExecutor(folder.store)
        try stages().migrate(executor, to: models[2])
        #expect(try people(models[2]) == split)
        #expect(try executor.versionChecksum() == models[2].versionChecksum)
        // There is nothing left to do.
        try stages(failing: true).migrate(executor, to: models[2])
    }

    @Test func anErrorOfAStageLeavesTheVersionBeforeIt() throws {
        let executor = FileExecutor(folder.store)
        #expect(throws: Stop.self) { try stages(failing: true).migrate(executor, to: models[2]) }
        #expect(try executor.versionChecksum() == models[0].versionChecksum)
        #expect(try people(models[0]) == [[.string("Ann Lee")], [.string("Bo Ek")]])
        try stages().migrate(executor, to: models[2])
        #expect(try people(models[2]) == split)
    }

    @Test func aStoreThatTheStagesDoNotFitIsLeftAlone() throws {
        let executor = FileExecutor(folder.store)
        func code(_ stages: StagedMigrationManager, to model: Model) throws -> Int {
            let raw = { try RawDatabase(folder.store).contents(besides: []) }
            let before = try raw()
            let error = try #require(throws: MigrationError.self) {
                try stages.migrate(executor, to: model)
            }
            #expect(try raw() == before)
            return error.code.rawValue
        }
        let late = StagedMigrationManager([
            .lightweight([reference(2), reference(3)], label: "drop names")
        ])
        #expect(try code(late, to: models[2]) == 134504)
        try stages().migrate(executor, to: models[1])
        #expect(try code(stages(), to: models[0]) == 134506)

        let raw = try RawDatabase(folder.store)
        let list = Data(try raw.bytes("SELECT Z_PLIST FROM Z_METADATA"))
        var metadata = try #require(
            PropertyListSerialization.propertyList(from: list, format: nil) as? [String: Any])
        metadata["NSStoreModelVersionChecksumKey"] = nil
        let without = try PropertyListSerialization.data(
            fromPropertyList: metadata, format: .binary, options: 0)
        let digits = without.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        try raw.run("UPDATE Z_METADATA SET Z_PLIST = X'\(digits.joined())'")
        #expect(try code(stages(), to: models[2]) == 134505)
    }
}
