/// The body of a list: in one piece while it is small, then as a stream.

import SteleHTTP
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

/// The rows of a list, and how they are written.
struct ListBody: Sendable {
    let outcome: ListOutcome
    /// The source of the other rows; nil if the outcome has all.
    let more: (any RowSource)?
    let form: RowForm

    /// The whole body, or a stream if it is longer than the limit.
    /// - Returns: `failure` if a value of the first bytes cannot be written. Nothing is sent yet
    ///   then, and the answer is an error.
    func body(
        limits: Limits, gzip: Bool
    ) -> (body: Response.Body, isCompressed: Bool, failure: (any Error)?) {
        let count = outcome.rows.count
        var writer = ByteWriter(capacity: min(limits.wholeAnswerBytes, 256 + count * 128))
        form.begin(&writer)
        var index = 0
        while index < count {
            form.write(outcome.rows, index, outcome.embedded, isFirst: index == 0, to: &writer)
            index += 1
            if let failure = writer.failure {
                more?.close()
                return (.none, false, failure)
            }
            if writer.count > limits.wholeAnswerBytes, index < count {
                return (stream(writer.take(), from: index, limits, gzip: gzip), gzip, nil)
            }
        }
        if more != nil {
            return (stream(writer.take(), from: index, limits, gzip: gzip), gzip, nil)
        }
        form.end(&writer)
        let (body, isCompressed) = Compression.body(writer.take(), gzip: gzip, limits: limits)
        return (body, isCompressed, nil)
    }

    private func stream(
        _ begun: [UInt8], from start: Int, _ limits: Limits, gzip: Bool
    ) -> Response.Body {
        .stream { pipe in
            defer { more?.close() }
            let sink = try StreamSink(pipe, more, gzip: gzip)
            try sink.send(begun)
            var writer = ByteWriter(capacity: limits.streamPieceBytes + 4096)
            func write(_ rows: FetchedRows, from start: Int, _ embedded: Embedded) throws {
                for index in start..<rows.count {
                    form.write(rows, index, embedded, isFirst: false, to: &writer)
                    if let failure = writer.failure { throw failure }
                    if writer.count >= limits.streamPieceBytes { try sink.send(writer.take()) }
                }
            }
            try write(outcome.rows, from: start, outcome.embedded)
            while let batch = try more?.next() {
                try write(batch.rows, from: 0, batch.embedded)
                try pipe.check()
            }
            form.end(&writer)
            try sink.send(writer.take())
            try sink.finish()
        }
    }
}

/// The way of a streamed body: gzip if the client asks for it, then the connection.
private struct StreamSink {
    private let pipe: BodyWriter
    private let source: (any RowSource)?
    private let packer: GzipStream?

    init(_ pipe: BodyWriter, _ source: (any RowSource)?, gzip: Bool) throws {
        self.pipe = pipe
        self.source = source
        packer = gzip ? GzipStream(level: Compression.level) : nil
        if gzip, packer == nil { throw Compression.Failure() }
    }

    func send(_ bytes: [UInt8]) throws {
        guard let packer else { return try write(bytes) }
        var packed: [UInt8] = []
        guard packer.add(bytes, to: &packed) else { throw Compression.Failure() }
        try write(packed)
    }

    private func write(_ bytes: [UInt8]) throws {
        try source?.check()
        try pipe.write(bytes, checking: { try source?.check() })
    }

    func finish() throws {
        guard let packer else { return }
        var end: [UInt8] = []
        guard packer.finish(to: &end) else { throw Compression.Failure() }
        try write(end)
    }
}

package enum Compression {
    /// zlib failed in the middle of a stream, which is then broken off.
    struct Failure: Error {}

    /// Level 4 takes a third of the time of level 6, for a few percent more bytes of JSON.
    static let level: Int32 = 4

    /// The bytes, compressed if the client asks for it and there are enough of them.
    package static func body(
        _ bytes: [UInt8], gzip wanted: Bool, limits: Limits
    ) -> (body: Response.Body, isCompressed: Bool) {
        guard wanted, bytes.count >= limits.compressionThreshold,
            let packed = gzip(bytes, level: level)
        else { return (.bytes(bytes), false) }
        return (.bytes(packed), true)
    }
}
