// gzip (RFC 1952) by zlib, for responses to clients that accept it.

import CZlib

/// The bytes, compressed as one gzip member; nil where zlib has no memory.
public func gzip(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8]? {
    guard let stream = GzipStream(level: level) else { return nil }
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count / 3 + 64)
    guard stream.add(bytes, to: &out), stream.finish(to: &out) else { return nil }
    return out
}

/// gzip in pieces, for a streamed response; for use by one thread.
public final class GzipStream {
    private let stream: UnsafeMutablePointer<z_stream>
    private var room = [UInt8](repeating: 0, count: 16 << 10)

    /// A stream of a compression level from 1, the fastest, to 9, the smallest output; nil where
    /// zlib has no memory.
    public init?(level: Int32 = 6) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // A window of 15 bits; 16 more ask for gzip's header instead of zlib's.
        let status = deflateInit2_(
            stream, min(max(level, 1), 9), Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY,
            ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses a piece, and appends the output that is ready. False is an error of zlib.
    public func add(_ bytes: [UInt8], to out: inout [UInt8]) -> Bool {
        run(bytes, flush: Z_NO_FLUSH, to: &out)
    }

    /// Appends the output of all input so far, so that a client can read it. False is an error of
    /// zlib.
    public func flush(to out: inout [UInt8]) -> Bool { run([], flush: Z_SYNC_FLUSH, to: &out) }

    /// Appends the rest and the trailer. False is an error of zlib.
    public func finish(to out: inout [UInt8]) -> Bool { run([], flush: Z_FINISH, to: &out) }

    private func run(_ bytes: [UInt8], flush: Int32, to out: inout [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { input in
            // zlib only reads the input, and takes lengths of 32 bits.
            var start = UnsafeMutablePointer(mutating: input.baseAddress)
            var left = input.count
            repeat {
                let piece = min(left, 1 << 30)
                stream.pointee.next_in = start
                stream.pointee.avail_in = UInt32(piece)
                left -= piece
                start = start?.advanced(by: piece)
                guard drain(flush: left > 0 ? Z_NO_FLUSH : flush, to: &out) else { return false }
            } while left > 0
            return true
        }
    }

    private func drain(flush: Int32, to out: inout [UInt8]) -> Bool {
        while true {
            let (status, count) = room.withUnsafeMutableBufferPointer { room in
                stream.pointee.next_out = room.baseAddress
                stream.pointee.avail_out = UInt32(room.count)
                let status = deflate(stream, flush)
                return (status, room.count - Int(stream.pointee.avail_out))
            }
            out.append(contentsOf: room[..<count])
            // Z_BUF_ERROR says that there was nothing to do: an empty piece or a second flush.
            guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
                return false
            }
            if status == Z_STREAM_END || count < room.count { return true }
        }
    }
}
