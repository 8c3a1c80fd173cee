/// Measures the library against the baseline, in turn and in one run; prints ratios.

import Foundation
import SteleGraph
import SteleModel
import SteleModelFiles
import StelePersistence
import SteleSQLite

/// What is measured: the same work by the library and by hand, several times in turn.
@main
struct Benchmarks {
    private static let rounds = 5
    private static let batch = 2_000

    static func main() {
        do {
            try run()
        } catch {
            FileHandle.standardError.write(Data("Benchmarks: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run() throws {
        let folder = NSTemporaryDirectory() + "stele-benchmarks-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        switch CommandLine.arguments.dropFirst().first {
        case "fetch":
            return try FetchBenchmark.run(folder, CommandLine.arguments.dropFirst(2).first)
        case "feed":
            return try FeedCosts.run(folder, CommandLine.arguments.dropFirst(2).first)
        case "graph": return try GraphCosts.run(folder)
        case "graph-memory":
            return try GraphCosts.measureMemory(
                folder, CommandLine.arguments.dropFirst(2).first)
        case "migrate":
            let rows = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) }
            return try MigrationCosts.run(folder, rows ?? 1_000_000)
        case "import":
            let rows = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) }
            return try ImportCosts.run(folder, rows ?? 1_000_000)
        case "opening":
            let size = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) }
            return try OpeningCosts.run(folder, size ?? 1_024)
        case "mapping":
            return try MappingCosts.run(folder, CommandLine.arguments.dropFirst(2).first)
        case "planning": return try PlanningCosts.run(folder)
        case "spin": return try PredicateCosts.spin()
        default: break
        }
        let model = try ModelFile.read("Config/Models/League.xcdatamodeld").model()
        if CommandLine.arguments.contains("text") { return try text(folder, model) }
        let store = try SQLiteStore.open(path: folder + "/store.sqlite", model: model)
        defer { store.close() }
        let work = try LibraryWork(store)
        let floor = Floor(folder + "/floor.sqlite")
        print("times by the library over times by hand, the middle of \(rounds) rounds")
        var next = 1
        try compare("insert \(batch) objects with a to-one, saved") {
            try work.insert(next...next + batch - 1)
        } with: {
            floor.insert(next...next + batch - 1)
            next += batch
        }
        let keys = (0..<20_000).map { _ in Int.random(in: 1...batch) }
        var sums = (0, 0)
        try compare("get one object by its key") {
            for key in keys { sums.0 += try work.get(key) }
        } with: {
            for key in keys { sums.1 += floor.get(key) }
        }
        precondition(sums.0 == sums.1, "both read the same rows")
        try FetchBenchmark.run(folder)
    }

    /// Only the text operators: `Benchmarks text`.
    private static func text(_ folder: String, _ model: Model) throws {
        let names = try TextOperators(folder, model)
        print("counts over 100,000 names, times by the library over times by SQLite's own means")
        for (predicate, condition) in TextOperators.pairs {
            let found = (try names.count(predicate), try names.count(sql: condition))
            try compare("\(predicate) (\(found.0)) by \(condition) (\(found.1))") {
                for _ in 0..<5 { _ = try names.count(predicate) }
            } with: {
                for _ in 0..<5 { _ = try names.count(sql: condition) }
            }
        }
    }

    private static func compare(
        _ name: String, _ ours: () throws -> Void, with theirs: () throws -> Void
    ) throws {
        let clock = ContinuousClock()
        var ratios: [Double] = []
        for _ in 0..<rounds {
            let a = try clock.measure(ours)
            let b = try clock.measure(theirs)
            ratios.append(a / b)
        }
        ratios.sort()
        let text = ratios.map { ($0 * 100).rounded() / 100 }
        print("\(name): \(text[rounds / 2])   (\(text[0]) to \(text[rounds - 1]))")
    }
}

/// The work through contexts and the coordinator.
struct LibraryWork {
    private let coordinator: PersistentStoreCoordinator
    private let player: Entity
    private let name: Attribute
    private let number: Attribute
    private let team: Relationship
    private let teams: [Int64]

    struct Missing: Error {}

    init(_ store: SQLiteStore) throws {
        coordinator = PersistentStoreCoordinator(store: store)
        guard let player = store.model.entity(named: "Player"),
            let team = store.model.entity(named: "Team"),
            let teamName = team.attribute(named: "name"),
            let name = player.attribute(named: "name"),
            let number = player.attribute(named: "number"),
            let relationship = player.relationship(named: "team")
        else { throw Missing() }
        self.player = player
        self.name = name
        self.number = number
        self.team = relationship
        let context = ManagedObjectContext(coordinator, name: "benchmark")
        let made = try (1...20).map { index in
            let object = try context.insert(team)
            object.setValue(.string("Team \(index)"), for: teamName)
            return object
        }
        try context.save()
        teams = made.map(\.objectID.key)
        context.close()
    }

    func insert(_ keys: ClosedRange<Int>) throws {
        let context = ManagedObjectContext(coordinator, name: "benchmark")
        defer { context.close() }
        for key in keys {
            let object = try context.insert(player)
            object.setValue(.string("Player \(key)"), for: name)
            object.setValue(.int(Int64(key % 99 + 1)), for: number)
            let destination = try context.object(
                entity: context.model.destination(of: team), key: teams[key % 20])
            try object.setToOne(team, destination)
        }
        try context.save()
    }

    func get(_ key: Int) throws -> Int {
        let id = ObjectID(root: player.root, key: Int64(key))
        let context = ManagedObjectContext(coordinator)
        defer { context.close() }
        guard let found = try coordinator.cachedSnapshot(id) ?? context.snapshot(id),
            case .string(let text) = found.values[name.slot]
        else { throw Missing() }
        return Int(found.version) + text.utf8.count
    }
}
