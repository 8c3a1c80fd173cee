// Where a body goes that is too large to be held.

import SteleSystem

/// Takes a request's body piece by piece, as it comes.
public protocol BodySink: AnyObject, Sendable {
    /// The most bytes that it takes; beyond, the answer is 413.
    var limit: Int { get }

    /// Takes the next bytes. One call at a time, on threads that may wait for the disk. What goes
    /// wrong is kept, and told by whoever answers the request.
    func take(_ bytes: [UInt8])

    /// The exchange is over: what was not made use of is let go. Called once at least.
    func close()
}

/// A body's next bytes on their way into its sink, while the connection is suspended.
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

    /// The server stops. Who is at the disk comes back by itself; a piece that waits is given up,
    /// and so is the body, for its request is refused.
    func abandon() { resume() }

    private let isDone = Atomic<Bool>(false)

    /// Once: a connection that is not suspended must not be resumed.
    private func resume() {
        if !isDone.exchange(true, ordering: .acquiringAndReleasing) { connection.resume() }
    }
}
