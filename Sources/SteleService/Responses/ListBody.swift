/// A list's body: made in one piece as long as it is small, then as a stream.

import SteleHTTP
import SteleJSON
import SteleModel

/// The rows of a list and how they are written.
struct ListBody: Sendable {
    let outcome: ListOutcome
    let renderer: SnapshotRenderer

    /// Appends the row at an index, which must be one of the list's.
    func write(_ index: Int, to writer: inout ByteWriter) {
        switch outcome.rows {
        case .objects(let rows):
            renderer.write(rows[index], embedding: outcome.embedded, to: &writer)
        case .values(let rows):
            switch outcome.shape {
            case .columns(let columns, _), .rows(let columns):
                renderer.write(rows[index], columns, outcome.embedded, to: &writer)
            case .objects: writer.null()
            }
        }
    }

    /// The whole body, or where it grows beyond the bound a stream that goes on from there.
    func body(limits: Limits, gzip: Bool) -> (body: Response.Body, isCompressed: Bool) {
        let count = outcome.rows.count
        var writer = ByteWriter(capacity: min(limits.wholeAnswerBytes, 256 + count * 128))
        writer.byte(UInt8(ascii: "["))
        var index = 0
        while index < count {
            if index > 0 { writer.byte(UInt8(ascii: ",")) }
            write(index, to: &writer)
            index += 1
            if writer.count > limits.wholeAnswerBytes, index < count {
                return (stream(writer.take(), from: index, limits, gzip: gzip), gzip)
            }
        }
        writer.byte(UInt8(ascii: "]"))
        return Compression.body(writer.take(), gzip: gzip, limits: limits)
    }

    private func stream(
        _ begun: [UInt8], from start: Int, _ limits: Limits, gzip: Bool
    ) -> Response.Body {
        .stream { pipe in
            let packer = gzip ? GzipStream(level: Compression.level) : nil
            if gzip, packer == nil { throw Compression.Failure() }
            func send(_ bytes: [UInt8]) throws {
                guard let packer else { return try pipe.write(bytes) }
                var packed: [UInt8] = []
                guard packer.add(bytes, to: &packed) else { throw Compression.Failure() }
                try pipe.write(packed)
            }
            try send(begun)
            var writer = ByteWriter(capacity: limits.streamPieceBytes + 4096)
            for index in start..<outcome.rows.count {
                writer.byte(UInt8(ascii: ","))
                write(index, to: &writer)
                if writer.count >= limits.streamPieceBytes { try send(writer.take()) }
            }
            writer.byte(UInt8(ascii: "]"))
            try send(writer.take())
            guard let packer else { return }
            var end: [UInt8] = []
            guard packer.finish(to: &end) else { throw Compression.Failure() }
            try pipe.write(end)
        }
    }
}

/// Whether and how bodies are compressed.
enum Compression {
    /// zlib has failed in the middle of a stream, which breaks it off.
    struct Failure: Error {}

    /// Level 4 costs a third of level 6 for a few per cent more bytes of JSON.
    static let level: Int32 = 4

    /// The bytes, compressed where the client asked for it and it is worth it.
    static func body(
        _ bytes: [UInt8], gzip wanted: Bool, limits: Limits
    ) -> (body: Response.Body, isCompressed: Bool) {
        guard wanted, bytes.count >= limits.compressionThreshold,
            let packed = gzip(bytes, level: level)
        else { return (.bytes(bytes), false) }
        return (.bytes(packed), true)
    }
}
