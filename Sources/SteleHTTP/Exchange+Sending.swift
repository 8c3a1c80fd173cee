// From a response to libmicrohttpd's response.

import CMicroHTTPD
import Glibc

extension Exchange {
    func send(
        _ response: Response, closing: Bool = false, on connection: Connection
    ) -> MHD_Result {
        phase = .answered
        guard response.headBytes <= core.configuration.connectionMemoryLimit - head.memory else {
            var unsent = response
            // The refusal is the answer that is told about.
            unsent.onEnd = nil
            unsent.discard()
            return refuse(.answerHeadTooLarge(makeRequest()), on: connection)
        }
        onEnd = response.onEnd
        let made: OpaquePointer?
        var hasLength = true
        switch response.body {
        case .none:
            made = MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
        case .bytes(let bytes):
            if bytes.count > Self.shortBytes { connection.keepShort() }
            count(.whole(bytes.count))
            made = bytes.withUnsafeBytes { bytes in
                // Mutable for C alone: libmicrohttpd copies the bytes at once.
                MHD_create_response_from_buffer(
                    bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                    .RESPMEM_MUST_COPY)
            }
        case .file(let file, let range):
            connection.keepShort()
            count(.whole(range.count))
            let descriptor = file.duplicate()
            guard descriptor >= 0 else {
                return refuse(.busy(makeRequest(), retryAfter: 1), on: connection)
            }
            made = MHD_create_response_from_fd_at_offset64(
                UInt64(range.count), descriptor, UInt64(range.lowerBound))
            if made == nil { close(descriptor) }
        case .stream(let producer):
            connection.keepShort()
            guard let stream = makeStream(producer, on: connection) else {
                return refuse(.busy(makeRequest(), retryAfter: 1), on: connection)
            }
            made = stream
            hasLength = false
        case .events(let stream):
            made = makeEvents(stream, on: connection)
            hasLength = false
        }
        guard let made else { return .NO }
        defer { MHD_destroy_response(made) }
        for header in response.headers {
            // Passing the strings themselves would copy each into an array first.
            header.name.withCString { name in
                header.value.withCString { _ = MHD_add_response_header(made, name, $0) }
            }
        }
        if closing || core.isStopping { _ = MHD_add_response_header(made, "Connection", "close") }
        if isHead, !hasLength {
            // libmicrohttpd would send a last chunk, which a response to HEAD must not have.
            stele_mhd_without_chunks(made)
        }
        let status = (200...599).contains(response.status) ? response.status : 500
        return MHD_queue_response(connection.pointer, UInt32(status), made)
    }

    var isHead: Bool { head.method == "HEAD" }

    private func count(_ body: Taken) {
        if !isHead { taken = body }
    }

    private func makeStream(
        _ producer: @escaping @Sendable (BodyWriter) throws -> Void, on connection: Connection
    ) -> OpaquePointer? {
        let settings = core.configuration
        let writer = BodyWriter(
            connection: connection, isChunked: head.isHTTP11,
            capacity: settings.streamBufferBytes,
            stallLimit: settings.stallLimit, longestLife: settings.longestStream)
        count(.stream(writer))
        if !isHead, !core.streamers.submit(StreamJob(writer: writer, producer: producer)) {
            return nil
        }
        let context = Unmanaged.passRetained(writer)
        let made = MHD_create_response_from_callback(
            stele_mhd_size_unknown, 32 << 10, readBody, context.toOpaque(), releaseBody)
        if made == nil {
            writer.stop()
            context.release()
        }
        return made
    }

    private func makeEvents(
        _ stream: EventStream, on connection: Connection
    ) -> OpaquePointer? {
        guard stream.attach(to: connection) else {
            stream.closed()
            return nil
        }
        uncount()
        count(.events(stream))
        if !core.streams.add(stream) { stream.finish() }
        // The stream may be open for days, and its request's head is not read again.
        head.forgetHeaders()
        connection.keepShort()
        let watch = core.departures.watch(stream, socket: connection.socket)
        let context = Unmanaged.passRetained(
            StreamContext(stream: stream, core: core, watch: watch))
        let made = MHD_create_response_from_callback(
            stele_mhd_size_unknown, 1 << 10, readEvents, context.toOpaque(), releaseEvents)
        if made == nil {
            context.release()
            core.departures.forget(watch)
            core.streams.remove(stream)
            stream.closed()
        }
        return made
    }

    /// The size up to which the system may buffer a whole body.
    private static let shortBytes = 256 << 10
}

private final class StreamContext: Sendable {
    let stream: EventStream
    let core: ServerCore
    let watch: UInt64
    init(stream: EventStream, core: ServerCore, watch: UInt64) {
        self.stream = stream
        self.core = core
        self.watch = watch
    }
}

private func readBody(
    _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: Int
) -> Int {
    guard let context, let buffer else { return stele_mhd_end_with_error }
    let writer = Unmanaged<BodyWriter>.fromOpaque(context).takeUnretainedValue()
    return writer.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
}

private func releaseBody(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<BodyWriter>.fromOpaque(context).takeRetainedValue().closed()
}

private func readEvents(
    _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: Int
) -> Int {
    guard let context, let buffer else { return stele_mhd_end_with_error }
    let events = Unmanaged<StreamContext>.fromOpaque(context).takeUnretainedValue()
    let taken = events.stream.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
    events.core.departures.note(taken)
    return taken
}

private func releaseEvents(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    let events = Unmanaged<StreamContext>.fromOpaque(context).takeRetainedValue()
    events.core.departures.forget(events.watch)
    events.core.streams.remove(events.stream)
    events.stream.closed()
}
