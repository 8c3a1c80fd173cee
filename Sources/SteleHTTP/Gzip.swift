// gzip (RFC 1952) by zlib, for answers to clients that ask for it.

import CZlib

/// The bytes, compressed as one gzip member. Returns nil when zlib has no memory for it.
public func gzip(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8]? {
    guard let stream = GzipStream(level: level) else { return nil }
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count / 3 + 64)
    guard stream.add(bytes, to: &out), stream.finish(to: &out) else { return nil }
    return out
}

/// gzip in pieces, for a streaming answer; used by one thread.
public final class GzipStream {
    private let stream: UnsafeMutablePointer<z_stream>
    private var room = [UInt8](repeating: 0, count: 16 << 10)

    /// Nil when zlib has no memory for it. Level 1 is the fastest, 9 the smallest.
    public init?(level: Int32 = 6) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // A window of 15 bits, and 16 for gzip's header instead of zlib's.
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

    /// Compresses a piece; what is ready is appended to `out`. False is an error of zlib.
    public func add(_ bytes: [UInt8], to out: inout [UInt8]) -> Bool {
        run(bytes, flush: Z_NO_FLUSH, to: &out)
    }

    /// Appends all that has been added so far, so that a client can read it.
    public func flush(to out: inout [UInt8]) -> Bool { run([], flush: Z_SYNC_FLUSH, to: &out) }

    /// Appends the rest and the trailer.
    public func finish(to out: inout [UInt8]) -> Bool { run([], flush: Z_FINISH, to: &out) }

    private func run(_ bytes: [UInt8], flush: Int32, to out: inout [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { input in
            // zlib only reads from it, and takes 32 bits of length.
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
            // Nothing to do is no error here: an empty piece, or a second flush.
            guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
                return false
            }
            if status == Z_STREAM_END || count < room.count { return true }
        }
    }
}
