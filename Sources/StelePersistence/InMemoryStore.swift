import SteleModel
import StelePredicates
import SteleSystem

/// A store that keeps its objects and history in memory (NSInMemoryStoreType); the simplest example
/// of a store.
///
/// A reader is a copy-on-write copy of the contents. Saves run one after the other. Lock order:
/// `writer`, then `contents`.
public final class InMemoryStore: PersistentStore {
    /// The model of the stored objects.
    public let model: Model
    /// NSStoreUUID.
    public let identifier: String
    /// Drawn for each store.
    public let generation: String
    /// `memory`, or the type of the whole-file store that this is a part of.
    public let type: String
    private let derived: DerivedAttributes
    /// Writes all objects to a file before a save becomes visible; nil to keep them in memory only.
    private let keep: Keeping?
    private let writer = Mutex(())
    private let contents: Mutex<InMemoryContents>
    private let observer = Mutex<(any StoreObserver)?>(nil)

    /// Writes the objects of a store to its file.
    package typealias Keeping = @Sendable (StoreContents) throws(StoreError) -> Void

    /// The name of the store type.
    public static let type = "memory"

    /// Creates an empty store.
    /// - Parameters:
    ///   - model: the model of the store.
    ///   - identifier: NSStoreUUID; nil to generate one.
    public convenience init(model: Model, identifier: String? = nil) {
        let metadata = StoreMetadata(
            model: model, generation: Self.draw(), storeType: "InMemory")
        self.init(
            identifier, InMemoryContents(model: model, metadata: metadata), type: Self.type,
            keep: nil)
    }

    /// Creates a store with the objects of a file.
    /// - Parameter keep: writes the file; called before each change of objects or keys becomes
    ///   visible, which fails with it.
    /// - Throws: `StoreError.incompatible` (134080) for objects that the model cannot have.
    package convenience init(
        model: Model, contents: StoreContents, type: String,
        keep: @escaping Keeping
    ) throws(StoreError) {
        var loading = InMemoryLoading(model: model)
        self.init(
            contents.identifier, try loading.load(contents), type: type, keep: keep)
    }

    private init(
        _ identifier: String?, _ contents: InMemoryContents, type: String, keep: Keeping?
    ) {
        model = contents.model
        self.identifier = identifier ?? UUID().uuidString
        self.type = type
        self.keep = keep
        generation = Self.draw()
        derived = DerivedAttributes(model)
        self.contents = Mutex(contents)
    }

    /// Returns the generation of a new store: eight hexadecimal digits.
    static func draw() -> String {
        let digits = String(UInt32.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }

    /// Returns all objects in the form of a file.
    /// - Throws: `StoreError.closed`.
    package func wholeContents() throws(StoreError) -> StoreContents {
        let view = contents.withLock { $0 }
        if view.isClosed { throw .closed }
        return view.whole(identifier)
    }

    /// Opens a view of the current contents.
    /// - Throws: `StoreError`: `.overBudget` for the budget of a thread that must not wait, because
    ///   no limit on the work is enforced; `.closed`.
    public func reader(budget: ReadBudget?) throws(StoreError) -> any StoreReader {
        if let budget, !budget.mayWait { throw .overBudget }
        let view = contents.withLock { $0 }
        if view.isClosed { throw .closed }
        return InMemoryReader(view)
    }

    /// Reads the current state of one object.
    /// - Throws: `StoreError.closed`.
    public func newest(_ id: ObjectID) throws(StoreError) -> Snapshot? {
        let view = contents.withLock { $0 }
        if view.isClosed { throw .closed }
        return view.row(id)
    }

    /// Saves on the caller's thread.
    /// - Throws: as `PersistentStore.save(_:)`.
    public func save(_ request: SaveRequest) throws(StoreError) -> SaveResult {
        try writer.withLock { _ throws(StoreError) in try commit(request) }
    }

    /// Saves on the caller's thread, and calls `completion` before it returns.
    public func save(
        _ request: SaveRequest,
        completion: @escaping @Sendable (Result<SaveResult, StoreError>) -> Void
    ) {
        do throws(StoreError) { completion(.success(try save(request))) } catch {
            completion(.failure(error))
        }
    }

    /// Saves a request that is made while no other save can run.
    /// - Throws: as `PersistentStore.save(making:)`.
    public func save(
        making make: (any StoreReader) throws -> SaveRequest
    ) throws -> SaveResult {
        try writer.withLock { _ in
            let reader = try reader()
            defer { reader.close() }
            return try commit(make(reader))
        }
    }

    /// Saves in parts that become visible together.
    /// - Throws: as `PersistentStore.save(inParts:)`.
    public func save(inParts make: (any PartedSave) throws -> Void) throws -> SaveResult {
        try writer.withLock { _ in
            let start = contents.withLock { $0 }
            if start.isClosed { throw StoreError.closed }
            let draft = InMemoryDraft(start, deriving: derived)
            try make(draft)
            var whole = draft.contents
            let transaction = whole.joinHistory(after: start.token)
            try write(whole)
            publish(transaction.map { [$0] } ?? []) { $0 = whole }
            return SaveResult(token: transaction?.number ?? start.token)
        }
    }

    /// Saves requests one after the other, with one write of the file. Where it fails, all fail.
    package func save(together requests: [SaveRequest]) -> [Result<SaveResult, StoreError>] {
        writer.withLock { _ in commit(together: requests) }
    }

    private func commit(together requests: [SaveRequest]) -> [Result<SaveResult, StoreError>] {
        var next = contents.withLock { $0 }
        var transactions: [HistoryTransaction] = []
        var isWritten = true
        let results = requests.map { request -> Result<SaveResult, StoreError> in
            do throws(StoreError) {
                let save = try outcome(of: request, next)
                next.apply(save)
                transactions += save.transaction.map { [$0] } ?? []
                if save.changesFile { isWritten = false }
                return .success(save.result)
            } catch {
                return .failure(error)
            }
        }
        do throws(StoreError) { if !isWritten { try write(next) } } catch {
            return results.map { result in result.flatMap { _ in .failure(error) } }
        }
        publish(transactions) { $0 = next }
        return results
    }

    private func write(_ contents: InMemoryContents) throws(StoreError) {
        guard let keep else { return }
        try keep(contents.whole(identifier))
    }

    /// Checks a request, and computes its outcome.
    private func outcome(
        of request: SaveRequest, _ contents: InMemoryContents
    ) throws(StoreError) -> InMemorySave.Outcome {
        if contents.isClosed { throw .closed }
        var draft = InMemorySave(contents, request)
        try draft.prepare(deriving: derived)
        return draft.outcome
    }

    /// Computes the outcome of a request, and publishes it.
    private func commit(_ request: SaveRequest) throws(StoreError) -> SaveResult {
        if keep != nil { return try commit(together: [request])[0].get() }
        let save = try contents.withLock { contents throws(StoreError) in
            try outcome(of: request, contents)
        }
        guard let transaction = save.transaction else {
            if save.receipt != nil || save.changesFile {
                contents.withLock { $0.apply(save) }
            }
            return save.result
        }
        publish([transaction]) { $0.apply(save) }
        return save.result
    }

    /// Changes what readers see, and notifies the observer before and after.
    private func publish(
        _ transactions: [HistoryTransaction], _ change: (inout InMemoryContents) -> Void
    ) {
        let observer = transactions.isEmpty ? nil : observer.withLock { $0 }
        observer?.storeWillCommit(transactions)
        contents.withLock { change(&$0) }
        observer?.storeDidCommit(transactions)
    }

    /// Deletes up to `limit` of the oldest transactions before `number`.
    /// - Throws: `StoreError.closed`.
    public func deleteHistory(before number: Int64, limit: Int) throws(StoreError) -> Int {
        try writer.withLock { _ throws(StoreError) in
            try contents.withLock { contents throws(StoreError) in
                if contents.isClosed { throw .closed }
                return contents.deleteHistory(before: number, limit: limit)
            }
        }
    }

    /// The metadata, which ends with the store unless it has a file.
    /// - Throws: `StoreError.closed`.
    public var metadata: [String: PropertyList] {
        get throws(StoreError) {
            let view = contents.withLock { $0 }
            if view.isClosed { throw .closed }
            return view.metadata.values(identifier)
        }
    }

    /// Changes users' keys of the metadata, on the caller's thread.
    /// - Throws: as `PersistentStore.changeMetadata`.
    public func changeMetadata(
        _ change: (inout [String: PropertyList]) throws -> Void
    ) throws {
        try writer.withLock { _ in
            var next = contents.withLock { $0 }
            if next.isClosed { throw StoreError.closed }
            guard try next.metadata.change(identifier, change) else { return }
            try write(next)
            contents.withLock { $0.metadata = next.metadata }
        }
    }

    /// The highest keys given out.
    /// - Throws: `StoreError.closed`.
    public var highestKeys: [Int: Int64] {
        get throws(StoreError) {
            let view = contents.withLock { $0 }
            if view.isClosed { throw .closed }
            return view.highestKeys
        }
    }

    /// Sets the observer of commits.
    public func observe(_ observer: any StoreObserver) {
        self.observer.withLock { $0 = observer }
    }

    /// Returns false: no other program can reach the store.
    public func noticesForeignChange() -> Bool { false }

    /// Closes the store. Later reads and saves throw `.closed`.
    public func close() {
        writer.withLock { _ in contents.withLock { $0.isClosed = true } }
    }
}

/// A save in parts, applied to a copy of the contents.
private final class InMemoryDraft: PartedSave {
    private(set) var contents: InMemoryContents
    private let derived: DerivedAttributes

    init(_ contents: InMemoryContents, deriving derived: DerivedAttributes) {
        self.contents = contents
        self.derived = derived
    }

    func reader() throws(StoreError) -> any StoreReader { InMemoryReader(contents) }

    func save(_ request: SaveRequest) throws(StoreError) -> SaveResult {
        let outcome = try outcome(of: request)
        contents.apply(outcome)
        return outcome.result
    }

    /// Computes the outcome. The copy of the contents ends with the call, so that applying the
    /// outcome copies nothing.
    private func outcome(of request: SaveRequest) throws(StoreError) -> InMemorySave.Outcome {
        var part = InMemorySave(contents, request)
        try part.prepare(deriving: derived)
        return part.outcome
    }
}
