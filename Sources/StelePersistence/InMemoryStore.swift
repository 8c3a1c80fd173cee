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
    private let derived: DerivedAttributes
    private let writer = Mutex(())
    private let contents: Mutex<InMemoryContents>
    private let observer = Mutex<(any StoreObserver)?>(nil)

    /// Creates an empty store.
    /// - Parameter identifier: NSStoreUUID; nil to generate one.
    public init(model: Model, identifier: String? = nil) {
        self.model = model
        self.identifier = identifier ?? UUID().uuidString
        let digits = String(UInt32.random(in: .min ... .max), radix: 16)
        generation = String(repeating: "0", count: 8 - digits.utf8.count) + digits
        derived = DerivedAttributes(model)
        contents = Mutex(InMemoryContents(model: model))
    }

    /// Opens a view of the current contents. Throws `.overBudget` for any budget, because no limit
    /// on the work is enforced.
    public func reader(budget: ReadBudget?) throws(StoreError) -> any StoreReader {
        if budget != nil { throw .overBudget }
        let view = contents.withLock { $0 }
        if view.isClosed { throw .closed }
        return InMemoryReader(view)
    }

    /// Reads the current state of one object.
    public func newest(_ id: ObjectID) throws(StoreError) -> Snapshot? {
        let view = contents.withLock { $0 }
        if view.isClosed { throw .closed }
        return view.row(id)
    }

    /// Saves on the caller's thread.
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
    public func save(inParts make: (any PartedSave) throws -> Void) throws -> SaveResult {
        try writer.withLock { _ in
            let start = contents.withLock { $0 }
            if start.isClosed { throw StoreError.closed }
            let draft = InMemoryDraft(start, deriving: derived)
            try make(draft)
            var whole = draft.contents
            guard let transaction = whole.joinHistory(after: start.token) else {
                contents.withLock { $0 = whole }
                return SaveResult(token: start.token)
            }
            publish(transaction) { $0 = whole }
            return SaveResult(token: transaction.number)
        }
    }

    /// Computes the outcome of a request, and publishes it.
    private func commit(_ request: SaveRequest) throws(StoreError) -> SaveResult {
        let save = try contents.withLock { contents throws(StoreError) in
            if contents.isClosed { throw StoreError.closed }
            var draft = InMemorySave(contents, request)
            try draft.prepare(deriving: derived)
            return draft.outcome
        }
        guard let transaction = save.transaction else {
            if save.receipt != nil || !save.nextKeys.isEmpty {
                contents.withLock { $0.apply(save) }
            }
            return save.result
        }
        publish(transaction) { $0.apply(save) }
        return save.result
    }

    /// Changes what readers see, and notifies the observer before and after.
    private func publish(
        _ transaction: HistoryTransaction, _ change: (inout InMemoryContents) -> Void
    ) {
        let observer = observer.withLock { $0 }
        observer?.storeWillCommit([transaction])
        contents.withLock { change(&$0) }
        observer?.storeDidCommit([transaction])
    }

    /// Deletes up to `limit` of the oldest transactions before `number`.
    public func deleteHistory(before number: Int64, limit: Int) throws(StoreError) -> Int {
        try writer.withLock { _ throws(StoreError) in
            try contents.withLock { contents throws(StoreError) in
                if contents.isClosed { throw .closed }
                return contents.deleteHistory(before: number, limit: limit)
            }
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
