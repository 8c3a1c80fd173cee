import SteleModel
import SteleSystem

/// A writer for a value of a Binary attribute that is too large to hold in memory.
///
/// It is used by one thread at a time. A value that is not finished, or finished and not saved,
/// must be discarded.
public protocol ExternalDataWriter: AnyObject, Sendable {
    /// Appends bytes. An error is thrown by `finish`.
    func write(_ bytes: [UInt8])

    /// Ends the value and returns it. A value that belongs in a file is then on disk. Repeated
    /// calls return the same value.
    /// - Throws: `StoreError` for an error while writing, or after `discard`.
    func finish() throws(StoreError) -> Value

    /// Deletes the value. Call it only where no save has stored the value.
    func discard()
}

extension PersistentStore {
    /// A writer to memory: for a store that keeps each value with its object. It never throws.
    public func externalDataWriter() throws(StoreError) -> any ExternalDataWriter {
        HeldData()
    }
}

/// A value that is held in memory.
private final class HeldData: ExternalDataWriter {
    private let bytes = Mutex<[UInt8]?>([])

    func write(_ more: [UInt8]) { bytes.withLock { $0?.append(contentsOf: more) } }

    func finish() throws(StoreError) -> Value {
        guard let bytes = bytes.withLock({ $0 }) else { throw .closed }
        return .data(bytes)
    }

    func discard() { bytes.withLock { $0 = nil } }
}
