/// What the object graph costs: a large save, its memory, faults, a cascade, undo and children.

import Foundation
import SteleGraph
import SteleModel
import SteleModelFiles
import StelePersistence
import StelePredicates
import StatementTally

/// `Benchmarks graph`: everything in one run, as ratios and counts.
struct GraphCosts {
    static let objects = 100_000
    private static let rounds = 5
    private let folder: String
    private let model: Model

    static func run(_ folder: String) throws {
        let costs = GraphCosts(folder: folder, model: try league())
        try costs.insert()
        try costs.memory()
        try costs.faults()
        try costs.cascade()
        try costs.undo()
        try costs.child()
    }

    private static func league() throws -> Model {
        try ModelFile.read("Config/Models/League.xcdatamodeld").model()
    }

    private func path(_ name: String) -> String { "\(folder)/\(name)-\(UUID().uuidString).sqlite" }

    // MARK: A large save

    /// The same rows by a context and by a prepared statement, in turn, each in a new file.
    private func insert() throws {
        let clock = ContinuousClock()
        var ratios: [Double] = []
        var costs: [Double] = []
        var times: [Duration] = []
        for _ in 0..<Self.rounds {
            let stage = try GraphStage(path("store"), model)
            let start = Self.processorSeconds(CLOCK_PROCESS_CPUTIME_ID)
            let ours = try clock.measure { try stage.insert(Self.objects) }
            let cost = Self.processorSeconds(CLOCK_PROCESS_CPUTIME_ID) - start
            let floorPath = path("floor")
            stage.store.close()
            try GraphStage(floorPath, model).store.close()
            let floor = GraphFloor(floorPath)
            let floorStart = Self.processorSeconds(CLOCK_PROCESS_CPUTIME_ID)
            let theirs = clock.measure { floor.insert(Self.objects) }
            let floorCost = Self.processorSeconds(CLOCK_PROCESS_CPUTIME_ID) - floorStart
            ratios.append(ours / theirs)
            costs.append(cost / floorCost)
            times.append(ours)
        }
        print(
            "insert \(Self.objects) objects with a to-one, saved (the history's rows with them), "
                + "over the same rows by one prepared statement in one transaction without a "
                + "history: \(middle(ratios)); the processors' time alone: \(middle(costs)); "
                + "\(two(seconds(times.sorted()[Self.rounds / 2]) * 1e6 / Double(Self.objects))) "
                + "µs an object")
    }

    private func middle(_ ratios: [Double]) -> String {
        let sorted = ratios.sorted()
        return "\(two(sorted[Self.rounds / 2])) "
            + "(\(two(sorted[0])) to \(two(sorted[Self.rounds - 1])))"
    }

    // MARK: Memory

    /// Three processes of this program: one that does nothing, one that writes three times the rows
    /// by hand, so that SQLite's page cache is full as it is with the history's rows, and one that
    /// inserts and saves.
    private func memory() throws {
        let kinds = ["nothing", "by-hand", "by-context"]
        let peaks = try kinds.map { try Self.peak(of: $0) }
        let values = MemoryLayout<Value>.stride * (model.entity(named: "Player")?.slots.count ?? 0)
        func each(_ kibibytes: Int) -> Int { kibibytes * 1024 / Self.objects }
        print(
            "peak RssAnon of inserting and saving \(Self.objects) objects, an object: "
                + "\(each(peaks[2] - peaks[1]) - values) bytes beyond its \(values) of values and "
                + "SQLite's page cache (16 MiB, full by rows written by hand); "
                + "\(each(peaks[2] - peaks[0]) - values) with it")
    }

    private static func peak(of kind: String) throws -> Int {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["graph-memory", kind]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard let peak = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw GraphStage.Missing()
        }
        return peak
    }

    /// `Benchmarks graph-memory KIND`: prints the highest RssAnon in KiB.
    static func measureMemory(_ folder: String, _ kind: String?) throws {
        let stage = try GraphStage(folder + "/store.sqlite", league())
        let peak = try PeakMemory.during {
            switch kind {
            case "by-context": try stage.insert(objects)
            case "by-hand":
                stage.store.close()
                GraphFloor(stage.path).insert(3 * objects)
            default: break
            }
        }
        print(peak)
    }

    // MARK: Counts

    private func faults() throws {
        let path = path("faults")
        let tally = StatementTally(path: path)
        let stage = try GraphStage(path, model, rowCacheBytes: 0)
        try stage.insert(Self.objects)
        let context = stage.coordinator.newContext()
        let faults = try stage.players(context)
        for fault in faults { try context.refresh(fault, mergeChanges: false) }
        precondition(faults.count == Self.objects && faults.allSatisfy(\.isFault))
        var taken = Duration.zero
        let statements = try tally.statements {
            taken = try ContinuousClock().measure { try context.fire(faults) }
        }
        precondition(!faults.contains(where: \.isFault))
        print(
            "firing \(Self.objects) faults: \(statements) statements, "
                + "\(two(seconds(taken) * 1e6 / Double(Self.objects))) µs a fault")
    }

    private func cascade() throws {
        let path = path("cascade")
        let tally = StatementTally(path: path)
        let stage = try GraphStage(path, model)
        try stage.insert(Self.objects, into: 1)
        let context = ManagedObjectContext(stage.coordinator)
        guard let team = try context.existingObject(with: stage.teams[0]) else {
            throw GraphStage.Missing()
        }
        var taken = Duration.zero
        let statements = try tally.statements {
            taken = try ContinuousClock().measure {
                try context.delete(team)
                try context.save()
            }
        }
        let left = try stage.players(ManagedObjectContext(stage.coordinator)).count
        precondition(left == 0, "all are gone")
        print(
            "deleting a team with \(Self.objects) players by cascade: \(statements) statements, "
                + "\(two(seconds(taken))) s")
    }

    // MARK: Linearity

    private static let sizes = [2_500, 5_000, 10_000, 20_000, 100_000]

    private func undo() throws {
        try compare("undo of a group of changes, each a name and a team") {
            players, context, stage in
            context.undoManager = UndoManager()
            try context.undoManager?.beginUndoGrouping()
            try stage.change(players)
            try context.undoManager?.endUndoGrouping()
            return { try context.undo() }
        }
    }

    private func child() throws {
        try compare("a child's save of changes, each a name and a team") {
            players, context, stage in
            let child = ManagedObjectContext(parent: context)
            let theirs = try players.map { try child.object(with: $0.objectID) }
            try child.fire(theirs)
            try stage.change(theirs)
            return { try child.save() }
        }
    }

    /// Times what a preparation gives for several sizes: the least of a few rounds, by the change,
    /// over that of the smallest.
    private func compare(
        _ what: String,
        _ prepare: ([ManagedObject], ManagedObjectContext, GraphStage) throws -> () throws -> Void
    ) throws {
        let stage = try GraphStage(path("linear"), model)
        try stage.insert(Self.sizes.last ?? 0)
        var costs: [Double] = []
        for size in Self.sizes {
            var least = Double.infinity
            for _ in 0..<Self.rounds {
                let context = ManagedObjectContext(stage.coordinator)
                var request = FetchRequest(entity: stage.player)
                request.fetchLimit = size
                let players = try context.fetch(request)
                let work = try prepare(players, context, stage)
                let start = Self.processorSeconds(CLOCK_THREAD_CPUTIME_ID)
                try work()
                least = min(least, Self.processorSeconds(CLOCK_THREAD_CPUTIME_ID) - start)
            }
            costs.append(least * 1e6 / Double(size))
        }
        let ratios = zip(Self.sizes, costs).map { "\($0): \(two($1 / costs[0]))" }
        print(
            "\(what), a change over one of \(Self.sizes[0]): "
                + "\(ratios.joined(separator: ", ")); \(two(costs[2])) µs a change")
    }

    /// What this thread, or this process, has had of the processors: it leaves out whoever else
    /// keeps them busy.
    private static func processorSeconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private func two(_ number: Double) -> Double { (number * 100).rounded() / 100 }

    private func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }
}

extension GraphStage {
    /// Gives each player another name and another team.
    fileprivate func change(_ players: [ManagedObject]) throws {
        guard let context = players.first?.managedObjectContext else { return }
        let all = try teams.map { id in
            guard let team = try context.existingObject(with: id) else { throw Missing() }
            return team
        }
        for (index, player) in players.enumerated() {
            player.setValue(.string("Other \(index)"), for: name)
            try player.setToOne(toTeam, all[(index + 1) % all.count])
        }
    }
}
