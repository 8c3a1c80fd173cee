/// The smallest example of a store: everything in dictionaries, gone with the process.

import SteleModel
import StelePredicates
import SteleSystem

/// A store that keeps its objects and its history in memory (NSInMemoryStoreType).
///
/// A reader is a copy of the contents, which costs nothing until something is saved. Saves run one
/// after the other; lock order: `writer`, then `contents`.
public final class InMemoryStore: PersistentStore {
    /// The model whose objects it keeps.
    public let model: Model
    /// NSStoreUUID.
    public let identifier: String
    /// Drawn when it is made: its history does not outlive it.
    public let generation: String
    private let derived: DerivedAttributes
    private let writer = Mutex(())
    private let contents: Mutex<InMemoryContents>
    private let observer = Mutex<(any StoreObserver)?>(nil)

    /// An empty store of that model.
    /// - Parameter identifier: NSStoreUUID; drawn when nil.
    public init(model: Model, identifier: String? = nil) {
        self.model = model
        self.identifier = identifier ?? UUID().uuidString
        let digits = String(UInt32.random(in: .min ... .max), radix: 16)
        generation = String(repeating: "0", count: 8 - digits.utf8.count) + digits
        derived = DerivedAttributes(model)
        contents = Mutex(InMemoryContents(model: model))
    }

    /// A copy of the contents as they are now. None with a budget: nothing could keep to it.
    public func reader(budget: ReadBudget?) throws(StoreError) -> any StoreReader {
        if budget != nil { throw .overBudget }
        let view = contents.withLock { $0 }
        if view.isClosed { throw .closed }
        return InMemoryReader(view)
    }

    /// One object as it is now.
    public func newest(_ id: ObjectID) throws(StoreError) -> Snapshot? {
        let view = contents.withLock { $0 }
        if view.isClosed { throw .closed }
        return view.row(id)
    }

    /// Saves at once, on the caller's thread.
    public func save(_ request: SaveRequest) throws(StoreError) -> SaveResult {
        try writer.withLock { _ throws(StoreError) in try commit(request) }
    }

    /// Saves at once, on the caller's thread.
    public func save(
        _ request: SaveRequest,
        completion: @escaping @Sendable (Result<SaveResult, StoreError>) -> Void
    ) {
        do throws(StoreError) { completion(.success(try save(request))) } catch {
            completion(.failure(error))
        }
    }

    /// As `save`, with the request made while no other save can run.
    public func save(
        making make: (any StoreReader) throws -> SaveRequest
    ) throws -> SaveResult {
        try writer.withLock { _ in
            let reader = try reader()
            defer { reader.close() }
            return try commit(make(reader))
        }
    }

    /// As `save`, in parts that readers see all at once.
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
            let observer = observer.withLock { $0 }
            observer?.storeWillCommit([transaction])
            contents.withLock { $0 = whole }
            observer?.storeDidCommit([transaction])
            return SaveResult(token: transaction.number)
        }
    }

    /// Works the request out, tells the observer, and only then lets readers see it.
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
        let observer = observer.withLock { $0 }
        observer?.storeWillCommit([transaction])
        contents.withLock { $0.apply(save) }
        observer?.storeDidCommit([transaction])
        return save.result
    }

    /// Deletes the oldest transactions before that one, so many at most.
    public func deleteHistory(before number: Int64, limit: Int) throws(StoreError) -> Int {
        try writer.withLock { _ throws(StoreError) in
            try contents.withLock { contents throws(StoreError) in
                if contents.isClosed { throw .closed }
                return contents.deleteHistory(before: number, limit: limit)
            }
        }
    }

    /// Sets who is told of commits.
    public func observe(_ observer: any StoreObserver) {
        self.observer.withLock { $0 = observer }
    }

    /// Never: no other program can reach it.
    public func noticesForeignChange() -> Bool { false }

    /// Ends it: what is read or saved afterwards throws `.closed`.
    public func close() {
        writer.withLock { _ in contents.withLock { $0.isClosed = true } }
    }
}

/// A save in parts, worked out on a copy of the contents.
private final class InMemoryDraft: PartedSave {
    private(set) var contents: InMemoryContents
    private let derived: DerivedAttributes

    init(_ contents: InMemoryContents, deriving derived: DerivedAttributes) {
        self.contents = contents
        self.derived = derived
    }

    func reader() throws(StoreError) -> any StoreReader { InMemoryReader(contents) }

    func save(_ request: SaveRequest) throws(StoreError) -> SaveResult {
        var part = InMemorySave(contents, request)
        try part.prepare(deriving: derived)
        contents.apply(part.outcome)
        return part.outcome.result
    }
}
