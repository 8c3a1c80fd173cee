// The destination of a request body that is too large for memory.

import SteleSystem

/// Takes a request's body in pieces as they arrive.
public protocol BodySink: AnyObject, Sendable {
    /// The most bytes that it takes; a longer body is refused with 413.
    var limit: Int { get }

    /// Takes the next bytes. There is one call at a time, on a thread that may wait for the disk.
    /// An error is kept until the request is answered.
    func take(_ bytes: [UInt8])

    /// Releases what the request has not used. Called when the request has ended, at least once.
    func close()
}

/// The next bytes of a body, on their way to its sink while the connection is suspended.
final class BodyPiece: Job {
    private let sink: any BodySink
    private let bytes: [UInt8]
    private let connection: Connection

    init(_ bytes: [UInt8], _ sink: any BodySink, _ connection: Connection) {
        self.bytes = bytes
        self.sink = sink
        self.connection = connection
    }

    func run() {
        sink.take(bytes)
        resume()
    }

    /// The server stops. A piece that is being written is finished by its worker; a piece that
    /// waits is discarded with the body, because the request is refused.
    func abandon() { resume() }

    private let isDone = Atomic<Bool>(false)

    /// Resumes the connection once: one that is not suspended must not be resumed.
    private func resume() {
        if !isDone.exchange(true, ordering: .acquiringAndReleasing) { connection.resume() }
    }
}
