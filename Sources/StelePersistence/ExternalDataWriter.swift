/// Taking in a large value of a Binary attribute piece by piece.

import SteleModel
import SteleSystem

/// A value of a Binary attribute on its way in, for one that is too large to be held.
///
/// It is used by one thread at a time. What was not finished, or was finished and not saved, is to
/// be discarded.
public protocol ExternalDataWriter: AnyObject, Sendable {
    /// Appends bytes. What goes wrong is told by `finish`.
    func write(_ bytes: [UInt8])

    /// Ends the value and gives it, on disk where it lives in a file; the same at each call.
    /// - Throws: `StoreError` for what went wrong while it was written, or after `discard`.
    func finish() throws(StoreError) -> Value

    /// Gives the value up: nothing of it stays. Only right where no save has brought it to the
    /// store.
    func discard()
}

extension PersistentStore {
    /// For a store that keeps every value with its object: the bytes are held in memory.
    public func externalDataWriter() throws(StoreError) -> any ExternalDataWriter {
        HeldData()
    }
}

/// A value that is held in memory while it comes in.
private final class HeldData: ExternalDataWriter {
    private let bytes = Mutex<[UInt8]?>([])

    func write(_ more: [UInt8]) { bytes.withLock { $0?.append(contentsOf: more) } }

    func finish() throws(StoreError) -> Value {
        guard let bytes = bytes.withLock({ $0 }) else { throw .closed }
        return .data(bytes)
    }

    func discard() { bytes.withLock { $0 = nil } }
}
