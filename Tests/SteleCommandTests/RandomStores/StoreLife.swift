// What is done with a random store, one step after the other.

import Foundation
import SteleModel
import SteleModelFiles
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@testable import SteleCommand

/// What is done with one store.
struct StoreLife {
    struct Tally {
        var (stores, apps, foreign, asked, compared) = (0, 0, 0, 0, 0)
        var (migrated, inPlace, copied) = (0, 0, 0)

        mutating func add(_ more: Tally) {
            stores += more.stores
            apps += more.apps
            foreign += more.foreign
            asked += more.asked
            compared += more.compared
            migrated += more.migrated
            inPlace += more.inPlace
            copied += more.copied
        }
    }

    let seed: UInt64
    private let folder: TemporaryFolder
    private var numbers: SeededNumbers
    private var draft: StoreDraft
    private(set) var tally = Tally()
    private(set) var step = "making"
    var failures: [String] = []
    /// The columns with what Core Data does not write.
    private var foreign: Set<String> = []

    private var store: String { folder.store }
    private var model: String { folder.path + "/M.xcdatamodel" }

    init(seed: UInt64) throws {
        self.seed = seed
        folder = try TemporaryFolder()
        numbers = SeededNumbers(seed: seed)
        draft = StoreDraft(&numbers)
        try folder.write(draft.contents, to: "M.xcdatamodel/contents")
    }

    mutating func run() throws {
        let isForeign = numbers.one(in: 2)
        tally.stores = 1
        try StoresOpening(store, type: nil, try ModelPackage(model)).open(.refuse).close()
        if numbers.one(in: 2) { try beOfAnApp() }
        try dropIndexes()
        var rows = StoreRows(try PlainStore(store, draft), SeededNumbers(seed: numbers.next()))
        try rows.fill()
        step = "inspecting"
        try inspect()
        if isForeign {
            tally.foreign = 1
            try rows.damage()
            foreign = rows.foreign
            try inspect()
        }
        if numbers.one(in: 3) { try RawDatabase(store).run("PRAGMA journal_mode = DELETE") }
        step = "serving"
        // A store is also served by the model that it has of itself.
        let used = numbers.one(in: 3) ? store : model
        try visit(used) { check in
            try check.read()
            try check.write()
            try check.read()
        }
        if !isForeign { try inspect() }
        if numbers.one(in: 4) { try copy() }
        try migrate()
    }

    /// Calls a function with requests to the store and what is in its file.
    private mutating func visit(_ model: String, _ body: (StoreCheck) throws -> Void) throws {
        let visit = try StoreVisit(store, model)
        defer { visit.close() }
        let check = StoreCheck(
            visit, try PlainStore(store, draft), "seed \(seed), \(step)",
            SeededNumbers(seed: numbers.next()))
        defer {
            tally.asked += visit.asked
            tally.compared += check.compared
            failures += check.failures
        }
        try body(check)
    }

    // MARK: The file

    /// Takes from the file what only Stele writes, and gives it version hashes that nobody can
    /// compute.
    private mutating func beOfAnApp() throws {
        tally.apps = 1
        let database = try RawDatabase(store)
        var hashes: [String: Data] = [:]
        for it in draft.entities {
            hashes[it.name] = Data((0..<32).map { _ in UInt8(truncatingIfNeeded: numbers.next()) })
        }
        let metadata: [String: Any] = [
            "NSStoreType": "SQLite", "NSStoreModelVersionHashes": hashes,
            "NSStoreModelVersionHashesVersion": 3, "NSStoreModelVersionIdentifiers": [""],
            "NSPersistenceFrameworkVersion": 1344, "_NSAutoVacuumLevel": "2",
        ]
        let list = try PropertyListSerialization.data(
            fromPropertyList: metadata, format: .binary, options: 0)
        let digits = list.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        var lines = ["UPDATE Z_METADATA SET Z_PLIST = X'\(digits)'"]
        var gone = ["STELE_BEFOREIMAGE", "STELE_IMAGEPLACE"]
        if numbers.one(in: 2) {
            gone += ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]
            lines.append("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT > 16000")
        }
        lines += gone.map { "DROP TABLE IF EXISTS \($0)" }
        try database.run(lines.joined(separator: "; "))
        for suffix in ["-seal", "-lock"] {
            try? FileManager.default.removeItem(atPath: store + suffix)
        }
    }

    /// Other versions of Core Data make fewer indexes.
    private mutating func dropIndexes() throws {
        let database = try RawDatabase(store)
        for name in try database.texts(
            "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL "
                + "AND name LIKE 'Z%' AND name NOT LIKE '%UNIQUE%' ORDER BY 1")
        where numbers.one(in: 5) { try database.run("DROP INDEX \"\(name)\"") }
    }

    /// There is no alarm for what Core Data writes, and one for each column with what it does not.
    private mutating func inspect() throws {
        let models = [try ModelFile.read(model).model()]
        let found = try SQLiteStore.inspect(
            path: store, among: numbers.one(in: 2) ? models : []
        ).differences
        tally.compared += 1
        if tally.foreign == 0, !found.isEmpty {
            failures.append("seed \(seed), \(step): false alarm: \(found.joined(separator: "; "))")
        }
        for place in foreign where !found.contains(where: { $0.contains(place) }) {
            failures.append(
                "seed \(seed), \(step): \(place) is not named in \(found.joined(separator: "; "))")
        }
    }

    /// A store of another type shows the same.
    private mutating func copy() throws {
        step = "copying"
        let type = numbers.pick("xml", "binary", "text")
        let package = try ModelPackage(model)
        let stores = try StoresOpening(store, type: nil, package)
        let path = folder.path + "/copy.\(type)"
        let copier = StoreCopier(
            from: try stores.only().store,
            to: try StoreCopier.destination(path, type: type, package.model), package: package)
        _ = try copier.run { _ in }
        let (one, other) = (try StoreVisit(store, model), try StoreVisit(path, model))
        defer {
            one.close()
            other.close()
        }
        tally.copied = 1
        for entity in draft.entities.indices {
            var names = ["_id", "_entity"] + draft.attributes(entity).map(\.name)
            names += draft.links(entity).map(\.name)
            let target =
                "/entities/\(draft.entities[entity].name)?limit=1000&select="
                + names.joined(separator: ",")
            let (before, after) = (one.get(target), other.get(target))
            tally.compared += 1
            tally.asked += 2
            if before.text != after.text || before.status != 200 {
                failures.append(
                    "seed \(seed), \(step) to \(type), \(target): \(before.status) \(before.text), "
                        + "and the copy \(after.status) \(after.text)")
            }
        }
    }

    // MARK: Migration

    /// Takes the store to a changed model from the one that it has of itself.
    private mutating func migrate() throws {
        let before = try PlainStore(store, draft)
        let (new, changes) = draft.changed(&numbers) { name, entity in
            foreign.contains("\(before.table(entity)).\(before.column(name, entity))")
        }
        step = "migrating (\(changes.notes.joined(separator: ", ")))"
        try folder.write(new.contents, to: "M.xcdatamodel/contents")
        let package = try ModelPackage(model)
        let migrator = StoreMigrator(
            store: try StoresOpening(store, type: nil, package).only().store, package: package)
        guard let plan = try migrator.plan() else {
            failures.append("seed \(seed), \(step): no plan")
            return
        }
        try migrator.migrate(by: plan) { _ in }
        tally.migrated = plan.isEmpty ? 0 : 1
        if tally.apps == 0 { tally.inPlace = tally.migrated }
        let old = draft
        draft = new
        let after = try PlainStore(store, draft)
        compare(old, before, after, changes)
        if tally.foreign == 0 { try inspect() }
        foreign = []
        try visit(numbers.one(in: 2) ? store : model) { try $0.read() }
    }

    private mutating func compare(
        _ old: StoreDraft, _ before: PlainStore, _ after: PlainStore, _ changes: StoreDraft.Changes
    ) {
        for root in old.children(nil) {
            let (rows, now) = (before.objects(root), after.objects(root))
            tally.compared += 1
            guard rows.map(\.key) == now.map(\.key), rows.map(\.entity) == now.map(\.entity) else {
                failures.append(
                    "seed \(seed), \(step): the objects of \(old.entities[root].name) were "
                        + "\(rows.map(\.key)), and are \(now.map(\.key))")
                continue
            }
            for (row, made) in zip(rows, now) {
                for place in old.line(row.entity) {
                    for it in old.entities[place].attributes where !it.isTransient {
                        guard let name = changes.name(it.name, place),
                            let new = draft.entities[place].attributes.first(where: {
                                $0.name == name
                            })
                        else { continue }
                        var wanted = before.value(it, row)
                        if wanted == .null, changes.filled.contains("\(place).\(name)"),
                            let text = it.standard, let kind = it.kind
                        {
                            wanted = PlainStore.standard(text, kind)
                        }
                        if case .bool(let flag) = wanted, new.kind != .bool {
                            wanted = .int(flag ? 1 : 0)
                        }
                        if case .int(let number) = wanted,
                            new.kind == .double || new.kind == .decimal
                        {
                            wanted = .real(Double(number))
                        }
                        tally.compared += 1
                        if after.value(new, made) == wanted { continue }
                        failures.append(
                            "seed \(seed), \(step): \(it.name) of \(old.entities[root].name) "
                                + "\(row.key) was \(wanted), and is \(after.value(new, made))")
                    }
                    for link in old.entities[place].links {
                        guard let name = changes.name(link.name, place),
                            let new = draft.entities[place].links.first(where: { $0.name == name })
                        else { continue }
                        // A new order begins with the keys.
                        let isOrdered = link.isOrdered && new.isOrdered
                        let wanted = Self.ends(link, row, before, isOrdered)
                        let found = Self.ends(new, made, after, isOrdered)
                        tally.compared += 1
                        if found == wanted { continue }
                        failures.append(
                            "seed \(seed), \(step): \(link.name) of \(old.entities[root].name) "
                                + "\(row.key) was \(wanted), and is \(found)")
                    }
                }
            }
        }
    }

    private static func ends(
        _ link: StoreDraft.Link, _ row: PlainStore.Row, _ plain: PlainStore, _ isOrdered: Bool
    ) -> [Int64] {
        if !link.isToMany { return plain.one(link, row).map { [$0] } ?? [] }
        let found = (try? plain.many(link, row)) ?? []
        return isOrdered ? found : found.sorted()
    }
}
