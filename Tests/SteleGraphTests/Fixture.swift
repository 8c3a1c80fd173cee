// A store of a model on both kinds of store, and short names for using it.

import SteleModel
import StelePersistence
import SteleSQLite
import SteleSystem
import Testing

@testable import SteleGraph

/// The stores that the graph is tried on.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory, sqlite

    var testDescription: String { rawValue }
}

/// A store and its coordinator.
final class Fixture {
    let model: Model
    let store: any PersistentStore
    let coordinator: PersistentStoreCoordinator
    /// Where the store's files are; nil for one in memory.
    private(set) var folder: String?

    init(_ model: Model, rowCacheBytes: Int = 1 << 20) {
        self.model = model
        store = InMemoryStore(model: model)
        coordinator = PersistentStoreCoordinator(store: store, rowCacheBytes: rowCacheBytes)
    }

    /// The store's reading, where it is counted.
    private(set) var counter: CountingStore?

    /// - Parameters:
    ///   - isCounting: whether `counter` counts what is read.
    ///   - classes: as `PersistentStoreCoordinator.init`.
    init(
        _ model: Model, _ kind: StoreKind, rowCacheBytes: Int = 1 << 20, isCounting: Bool = false,
        classes: [String: ManagedObject.Type] = [:]
    ) throws {
        self.model = model
        let plain: any PersistentStore
        switch kind {
        case .memory: plain = InMemoryStore(model: model)
        case .sqlite:
            var template = Array("/tmp/stele-graph-XXXXXX".utf8CString)
            let path = template.withUnsafeMutableBufferPointer { buffer in
                buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? "/tmp"
            }
            folder = path
            plain = try SQLiteStore.open(path: path + "/store.sqlite", model: model)
        }
        if isCounting { counter = CountingStore(plain) }
        store = counter ?? plain
        coordinator = PersistentStoreCoordinator(
            store: store, rowCacheBytes: rowCacheBytes, classes: classes)
    }

    deinit {
        store.close()
        guard let folder else { return }
        for file in ["", "-wal", "-shm", "-seal"].map({ "store.sqlite\($0)" }) {
            unlink(folder + "/" + file)
        }
        rmdir(folder)
    }

    static func league() throws -> Fixture { Fixture(try makeLeague()) }

    func context() -> ManagedObjectContext { ManagedObjectContext(coordinator) }

    func entity(_ name: String) throws -> Entity { try #require(model.entity(named: name)) }

    func relationship(_ path: String) throws -> Relationship {
        let parts = path.split(separator: ".").map(String.init)
        return try #require(try entity(parts[0]).relationship(named: parts[1]))
    }

    /// Inserts objects in a save of their own.
    func insert(_ name: String, count: Int = 1) throws -> [ObjectID] {
        let context = context()
        let objects = try (0..<count).map { _ in try context.insert(try entity(name)) }
        for (index, object) in objects.enumerated() {
            object["name"] = .string("\(name) \(index + 1)")
        }
        try context.save()
        return objects.map(\.id)
    }

    /// A to-one as the store has it.
    func stored(_ path: String, of key: Int64) throws -> Int64? {
        let relationship = try relationship(path)
        let reader = try store.reader()
        defer { reader.close() }
        let root = model.entities[relationship.owner].root
        let row = try #require(try reader.snapshot(ObjectID(root: root, key: key)))
        if case .key(let key) = row.values[relationship.slot] { return key }
        return nil
    }

    /// A to-many as the store has it.
    func storedMembers(_ path: String, of key: Int64) throws -> [Int64] {
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.members(of: try relationship(path), owners: [key])[key] ?? []
    }

    func version(_ name: String, _ key: Int64) throws -> Int64? {
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.snapshot(ObjectID(root: try entity(name).root, key: key))?.version
    }

    /// The last transaction.
    func lastSave() throws -> HistoryTransaction {
        let reader = try store.reader()
        defer { reader.close() }
        return try #require(try reader.history(after: 0, limit: .max, values: true).last)
    }
}

extension ManagedObject {
    /// An attribute by name; tests alone may be so careless.
    subscript(_ name: String) -> Value {
        get { entity.attribute(named: name).map { value($0) } ?? .null }
        set { if let it = entity.attribute(named: name) { setValue(newValue, for: it) } }
    }

    func link(_ name: String) throws -> Relationship {
        try #require(entity.relationship(named: name))
    }

    func set(_ name: String, _ destination: ManagedObject?) throws {
        try setToOne(try link(name), destination)
    }

    func get(_ name: String) throws -> ManagedObject? { try toOne(try link(name)) }

    func keys(_ name: String) throws -> [Int64] { try memberKeys(try link(name)) }

    func add(_ name: String, _ member: ManagedObject, at index: Int? = nil) throws {
        try addMember(try link(name), member, at: index)
    }

    func remove(_ name: String, _ member: ManagedObject) throws {
        try removeMember(try link(name), member)
    }

    func replace(_ name: String, _ members: [ManagedObject]) throws {
        try setMembers(try link(name), members)
    }
}

extension ManagedObjectContext {
    func get(_ id: ObjectID) throws -> ManagedObject { try #require(try existingObject(with: id)) }
}

/// A small generator of numbers that a seed repeats.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// The seed of a random test: a new one each run, or the one in STELE_SEED; printed.
func drawSeed(_ test: String) -> UInt64 {
    let given = environment("STELE_SEED").flatMap { UInt64($0) }
    let seed = given ?? UInt64.random(in: 1...999_999)
    print("\(test): seed \(seed)")
    return seed
}

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

private func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

/// Runs each closure on a thread of its own and waits for all: tests that spin must not take the
/// few threads that tasks share.
func onThreads(_ work: [@Sendable () -> Void]) {
    final class Work: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
    var threads: [pthread_t] = []
    for run in work {
        var thread = pthread_t()
        let held = Unmanaged.passRetained(Work(run))
        let failed = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, held.toOpaque())
        if failed == 0 { threads.append(thread) } else { Issue.record("no thread: \(failed)") }
    }
    for thread in threads { pthread_join(thread, nil) }
}
