/// The new value of a Binary attribute, streamed from the client into the store.

import SteleHTTP
import SteleModel
import StelePersistence
import SteleSystem

/// A streamed value. It is discarded with the exchange unless a save takes it.
package final class BinaryUpload: BodySink {
    package let limit: Int
    private let writer: any ExternalDataWriter
    private let isKept = Atomic<Bool>(false)
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

    /// Leaves the value to the store: a save has taken it, or may have.
    package func keep() { isKept.store(true, ordering: .releasing) }
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

    /// - Throws: `StoreError`.
    package var value: Value {
        get throws {
            switch self {
            case .nothing: .null
            case .bytes(let bytes): .data(bytes)
            case .upload(let upload): try upload.value()
            }
        }
    }
}
