/// A Binary attribute's new value on its way from the client into the store.

import SteleHTTP
import SteleModel
import StelePersistence
import SteleSystem

/// A value that is streamed in; what no save makes use of is discarded with the exchange.
package final class BinaryUpload: BodySink {
    package let limit: Int
    private let writer: any ExternalDataWriter
    private let isKept = Atomic<Bool>(false)
    /// Of all that it has taken; nil where nobody asks.
    private let print: Mutex<Fingerprint?>

    /// - Parameter hasKey: whether the client names the request by a key, so that its bytes are
    ///   compared with those of another of that key.
    package init(_ writer: any ExternalDataWriter, limit: Int, hasKey: Bool) {
        self.writer = writer
        self.limit = limit
        print = Mutex(hasKey ? Fingerprint() : nil)
    }

    package func take(_ bytes: [UInt8]) {
        print.withLock { $0?.add(bytes) }
        writer.write(bytes)
    }

    /// What tells the bytes that it has taken from others.
    package var fingerprint: UInt64 { print.withLock { $0?.value ?? 0 } }

    package func close() {
        if !isKept.load(ordering: .acquiring) { writer.discard() }
    }

    /// The value, on disk.
    /// - Throws: `StoreError`.
    package func value() throws -> Value { try writer.finish() }

    /// A save has taken it, or may have: it is the store's from here on.
    package func keep() { isKept.store(true, ordering: .releasing) }
}

/// Where a Binary attribute's new value comes from.
package enum BinarySource {
    /// DELETE: there is none.
    case nothing
    case bytes([UInt8])
    case upload(BinaryUpload)

    /// What the request brings.
    package init(_ request: Request) {
        self =
            if request.method == "DELETE" {
                .nothing
            } else if let upload = request.sink
                as? BinaryUpload
            {
                .upload(upload)
            } else {
                .bytes(request.body)
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
