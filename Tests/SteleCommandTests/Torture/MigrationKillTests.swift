// `stele migrate` by a mapping model, which makes the new store beside the old one, killed at
// random moments: the store is the whole old one or the whole new one.

import Foundation
import SteleGraph
import SteleModel
import SteleModelFiles
import StelePersistence
import SteleSystem
import TestSupport
import Testing

/// STELE_MIGRATION_KILLS sets the number of kills for SQLite, by default 12. A whole-file store
/// gets a third of them. STELE_SEED repeats the moments.
@Suite struct MigrationKillTests {
    @Test(arguments: [StoreKind.sqlite, .xml, .binary])
    func aKilledMigrationLeavesTheOldStoreOrTheNewOne(_ kind: StoreKind) throws {
        let given = ProcessInfo.processInfo.environment["STELE_MIGRATION_KILLS"].flatMap { Int($0) }
        let kills = (given ?? 12) / (kind == .sqlite ? 1 : 3)
        var random = SeededNumbers(seed: drawSeed("migration beside, \(kind), \(kills) kills"))
        let original = try KilledStore(kind)
        let whole = try original.copy()
        let start = MonotonicClock.now
        #expect(try whole.migrate().hasSuffix(" s\n"))
        let microseconds = Int((MonotonicClock.now - start) / 1_000)
        let new = try whole.exported()
        #expect(new.split(separator: "\n").count == KilledStore.rows + KilledStore.groups)
        #expect(new.contains(#""title":"item 7 of group 2""#))
        let inFiles = kind == .sqlite ? 2 * KilledStore.pictures : 0
        #expect(whole.externalFiles.count == inFiles)

        var counts = (old: 0, new: 0)
        for _ in 0..<kills {
            let store = try original.copy()
            let program = try Program(store.migration)
            usleep(UInt32(random.below(microseconds * 21 / 20)))
            program.signal(SIGKILL)
            _ = program.end()
            if try store.isOld(original) {
                counts.old += 1
                #expect(try store.migrate().hasSuffix(" s\n"))
            } else {
                counts.new += 1
                #expect(try store.migrate().contains("nothing is migrated"))
            }
            #expect(try store.exported() == new)
            #expect(try store.files() == whole.files())
            #expect(store.externalFiles.count == whole.externalFiles.count)
        }
        print("migration beside, \(kind): old after \(counts.old) kills, new after \(counts.new)")
    }
}

/// A store of the first of two versions between which a mapping model leads.
private struct KilledStore {
    static let rows = 4_000
    static let groups = 5
    /// The number of objects with large values.
    static let pictures = 10

    /// The second version moves notes into files, and drops scans.
    private static let versions = [
        #"{"entities":[{"name":"Item","attributes":[{"name":"name","type":"String"},"#
            + #"{"name":"photo","type":"Binary","externalStorage":true},"#
            + #"{"name":"scan","type":"Binary","externalStorage":true},"#
            + #"{"name":"note","type":"Binary"}],"#
            + #""relationships":[{"name":"group","destination":"Group","inverse":"items"}]},"#
            + #"{"name":"Group","attributes":[{"name":"name","type":"String"}],"#
            + #""relationships":[{"name":"items","destination":"Item","inverse":"group","#
            + #""toMany":true}]}]}"#,
        #"{"entities":[{"name":"Thing","attributes":[{"name":"title","type":"String"},"#
            + #"{"name":"photo","type":"Binary","externalStorage":true},"#
            + #"{"name":"note","type":"Binary","externalStorage":true}],"#
            + #""relationships":[{"name":"group","destination":"Group","inverse":"things"}]},"#
            + #"{"name":"Group","attributes":[{"name":"name","type":"String"}],"#
            + #""relationships":[{"name":"things","destination":"Thing","inverse":"group","#
            + #""toMany":true}]}]}"#,
    ]
    private static let mapping =
        #"{"from":"v1","to":"v2","mappings":[{"source":"Item","destination":"Thing","#
        + #""attributes":{"title":"$source.name + ' of ' + $source.group.name"}}]}"#

    private let folder: TemporaryFolder
    private let kind: StoreKind

    private var path: String { folder.path + "/store" }
    private var model: String { folder.path + "/Stock" }
    var migration: [String] { ["migrate", model, "--store", path] }

    init(_ kind: StoreKind) throws {
        self.kind = kind
        folder = try TemporaryFolder()
        try folder.write(Self.versions[0], to: "Stock/v1.json")
        let model = try ModelFile.read(model + "/v1.json").model()
        let store = try kind.open(model, at: path)
        defer { store.close() }
        let context = ManagedObjectContext(PersistentStoreCoordinator(store: store))
        defer { context.close() }
        let (item, group) = (try model.named("Item"), try model.named("Group"))
        let groups = try (0..<Self.groups).map { number in
            let made = try context.insert(group)
            made["name"] = .string("group \(number)")
            return made
        }
        let relationship = try #require(item.relationship(named: "group"))
        for number in 0..<Self.rows {
            let made = try context.insert(item)
            made["name"] = .string("item \(number)")
            try made.setToOne(relationship, groups[number % groups.count])
            guard kind == .sqlite, number < Self.pictures else { continue }
            for name in ["photo", "scan", "note"] {
                made[name] = .data([UInt8](repeating: UInt8(number), count: 110_000))
            }
        }
        try context.save()
        try folder.write(Self.versions[1], to: "Stock/v2.json")
        try folder.write(Self.mapping, to: "stock.mapping.json")
    }

    private init(_ folder: TemporaryFolder, _ kind: StoreKind) {
        self.folder = folder
        self.kind = kind
    }

    /// The store, its model and its mapping model in another folder.
    func copy() throws -> KilledStore {
        let other = try TemporaryFolder()
        for name in try files() {
            try FileManager.default.copyItem(
                atPath: "\(folder.path)/\(name)", toPath: "\(other.path)/\(name)")
        }
        let copy = KilledStore(other, kind)
        // A file that nothing names is removed when it is old.
        for name in copy.externalFiles {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -7_200)],
                ofItemAtPath: "\(copy.external)/\(name)")
        }
        return copy
    }

    private var external: String { folder.path + "/.store_SUPPORT/_EXTERNAL_DATA" }

    /// The names of the files with large values.
    var externalFiles: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: external)) ?? []).sorted()
    }

    /// Migrates the store to the end, and returns what is printed.
    func migrate() throws -> String {
        let (status, output, errors) = try run(migration)
        #expect(status == 0, "\(errors)")
        return output
    }

    /// All objects of the new version.
    func exported() throws -> String {
        let (status, output, errors) = try run(["export", model, "--store", path])
        #expect(status == 0, "\(errors)")
        return output
    }

    private func run(
        _ arguments: [String]
    ) throws -> (status: Int32, output: String, errors: String) {
        let program = try Program(arguments)
        let (status, errors) = program.end()
        return (status, program.text, errors)
    }

    /// The names of what is in the folder.
    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            // A store that was not closed has no seal, and one without a seal is as good.
            .filter { !$0.hasSuffix("-seal") }.sorted()
    }

    /// Whether the store is still that of the old version; then all its objects must be.
    func isOld(_ original: KilledStore) throws -> Bool {
        guard kind == .sqlite else {
            return FileManager.default.contents(atPath: path)
                == FileManager.default.contents(atPath: original.path)
        }
        let raw = try RawDatabase(path)
        #expect(try raw.texts("PRAGMA integrity_check") == ["ok"])
        guard try raw.texts("SELECT name FROM sqlite_master WHERE name = 'ZITEM'") == ["ZITEM"]
        else { return false }
        #expect(try raw.contents() == RawDatabase(original.path).contents())
        #expect(Set(externalFiles).isSuperset(of: original.externalFiles))
        return true
    }
}
