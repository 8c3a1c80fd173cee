// Bytes that wait to go out on a connection.

import SteleSystem

/// Pieces of bytes in the order in which they go out.
struct ByteQueue: Sendable {
    private var pieces = Queue<[UInt8]>()
    /// How many bytes of the first piece have gone out.
    private var offset = 0
    /// How many bytes wait.
    private(set) var count = 0
    /// How many bytes have gone out.
    private(set) var taken = 0

    mutating func append(_ bytes: [UInt8]) {
        pieces.append(bytes)
        count += bytes.count
    }

    /// Moves as many bytes as fit into a buffer.
    /// - Returns: how many those were.
    mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var written = 0
        while written < buffer.count, let first = pieces.peek {
            let size = min(buffer.count - written, first.count - offset)
            first.withUnsafeBytes { bytes in
                buffer[written..<written + size].copyBytes(from: bytes[offset..<offset + size])
            }
            written += size
            offset += size
            if offset == first.count {
                _ = pieces.popFirst()
                offset = 0
            }
        }
        count -= written
        taken += written
        return written
    }

    /// Discards what waits.
    mutating func removeAll() {
        pieces = Queue()
        (offset, count) = (0, 0)
    }
}
