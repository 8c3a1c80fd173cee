import Glibc
import SteleModel
import StelePersistence

/// A whole-file store that is only read. It takes no lock, because a save replaces the file whole:
/// it has the objects of one moment, and changes of other programs are not seen.
public final class ReadOnlyFileStore: ReadOnlyStore {
    /// The path of the file.
    public let path: String
    private let memory: InMemoryStore

    /// Reads a store's file.
    /// - Throws: `StoreError`, as `AtomicStore.open`; `.incompatible` (134080) where there is no
    ///   file.
    public static func open(
        path: String, model: Model, format: any FileFormat
    ) throws(StoreError) -> ReadOnlyFileStore {
        try AtomicStore.check(model)
        return try ReadOnlyFileStore(WholeFile.resolved(path), model, format)
    }

    private init(
        _ path: String, _ model: Model, _ format: any FileFormat
    ) throws(StoreError) {
        self.path = path
        guard let contents = try AtomicStore.contents(of: path, model, format) else {
            throw .incompatible(
                code: 134080, "\(path): there is no store, and one that is only read is not created"
            )
        }
        memory = try AtomicStore.memory(path, model, format, contents) { _ throws(StoreError) in
            throw .readOnly("\(path) is open for reading only")
        }
    }

    /// The model of the stored objects.
    public var model: Model { memory.model }
    /// The name of the format.
    public var type: String { memory.type }
    /// NSStoreUUID.
    public var identifier: String { memory.identifier }
    /// Drawn for each opening.
    public var generation: String { memory.generation }

    /// Opens a view.
    /// - Throws: `StoreError`: `.overBudget` for the budget of a thread that must not wait;
    ///   `.closed`.
    public func reader(budget: ReadBudget?) throws(StoreError) -> any StoreReader {
        try memory.reader(budget: budget)
    }

    /// Reads one object.
    /// - Throws: `StoreError.closed`.
    public func newest(_ id: ObjectID) throws(StoreError) -> Snapshot? { try memory.newest(id) }

    /// The metadata in the file.
    /// - Throws: `StoreError.closed`.
    public var metadata: [String: PropertyList] { get throws(StoreError) { try memory.metadata } }

    /// The highest keys given out.
    /// - Throws: `StoreError.closed`.
    public var highestKeys: [Int: Int64] { get throws(StoreError) { try memory.highestKeys } }

    /// Ends reading.
    public func close() { memory.close() }
}
