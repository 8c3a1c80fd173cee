/// The new value of a Binary attribute, streamed from the client into the store.

import SteleGraph
import SteleHTTP
import SteleModel
import StelePersistence
import SteleSystem

/// A streamed value. It is discarded with the exchange unless a save takes it.
package final class BinaryUpload: BodySink {
    package let limit: Int
    private let writer: any ExternalDataWriter
    private let isKept = Atomic<Bool>(false)
    private let isTaken = Atomic<Bool>(true)
    /// A hash of all bytes taken; nil if it is not needed.
    private let print: Mutex<Fingerprint?>

    /// - Parameter hasKey: whether the request has an `Idempotency-Key`, so that its bytes are
    ///   compared with those of another request with that key.
    package init(_ writer: any ExternalDataWriter, limit: Int, hasKey: Bool) {
        self.writer = writer
        self.limit = limit
        print = Mutex(hasKey ? Fingerprint() : nil)
    }

    package func take(_ bytes: [UInt8]) {
        print.withLock { $0?.add(bytes) }
        writer.write(bytes)
    }

    /// A hash of the bytes taken so far.
    package var fingerprint: UInt64 { print.withLock { $0?.value ?? 0 } }

    package func close() { if !isKept.load(ordering: .acquiring) { writer.discard() } }

    /// The value, which is then on disk.
    /// - Throws: `StoreError`.
    func value() throws -> Value { try writer.finish() }

    /// Leaves the value to the store: a save has taken it, or may have, unless the object has not.
    package func keep() {
        if isTaken.load(ordering: .acquiring) { isKept.store(true, ordering: .releasing) }
    }

    /// Notes whether the object has taken the value: not where it has the same bytes already.
    func note(isTaken: Bool) { self.isTaken.store(isTaken, ordering: .releasing) }
}

/// The source of a Binary attribute's new value.
package enum BinarySource {
    /// DELETE: no value.
    case nothing
    case bytes([UInt8])
    case upload(BinaryUpload)

    init(_ request: Request) {
        switch (request.method, request.sink) {
        case ("DELETE", _): self = .nothing
        case (_, let upload as BinaryUpload): self = .upload(upload)
        default: self = .bytes(request.body)
        }
    }

    /// Gives an object the value.
    /// - Throws: `StoreError`.
    package func set(_ attribute: Attribute, of object: ManagedObject) throws {
        let value = try self.value
        object.setValue(value, for: attribute)
        if case .upload(let upload) = self {
            upload.note(isTaken: object.value(attribute) == value)
        }
    }

    /// - Throws: `StoreError`.
    private var value: Value {
        get throws {
            switch self {
            case .nothing: .null
            case .bytes(let bytes): .data(bytes)
            case .upload(let upload): try upload.value()
            }
        }
    }
}
