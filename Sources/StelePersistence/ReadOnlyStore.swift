import SteleModel

/// A store that is only read (NSReadOnlyPersistentStoreOption). Its files and their folder stay as
/// they are, every write throws `StoreError.readOnly`, and changes of other programs are not seen.
public protocol ReadOnlyStore: PersistentStore {
    /// The path of the file.
    var path: String { get }
}

extension ReadOnlyStore {
    /// True.
    public var isReadOnly: Bool { true }

    private var refusal: StoreError { .readOnly("\(path) is open for reading only") }

    /// Throws `.readOnly`.
    public func save(_ request: SaveRequest) throws(StoreError) -> SaveResult { throw refusal }

    /// Completes with `.readOnly`.
    public func save(
        _ request: SaveRequest,
        completion: @escaping @Sendable (Result<SaveResult, StoreError>) -> Void
    ) {
        completion(.failure(refusal))
    }

    /// Throws `.readOnly`.
    public func save(
        making make: (any StoreReader) throws -> SaveRequest
    ) throws -> SaveResult {
        throw refusal
    }

    /// Throws `.readOnly`.
    public func save(inParts make: (any PartedSave) throws -> Void) throws -> SaveResult {
        throw refusal
    }

    /// Throws `.readOnly`.
    public func deleteHistory(before number: Int64, limit: Int) throws(StoreError) -> Int {
        throw refusal
    }

    /// Throws `.readOnly`.
    public func externalDataWriter() throws(StoreError) -> any ExternalDataWriter {
        throw refusal
    }

    /// Throws `.readOnly`.
    public func changeMetadata(
        _ change: (inout [String: PropertyList]) throws -> Void
    ) throws { throw refusal }

    /// Does nothing: there are no commits.
    public func observe(_ observer: any StoreObserver) {}

    /// False.
    public func noticesForeignChange() -> Bool { false }
}
