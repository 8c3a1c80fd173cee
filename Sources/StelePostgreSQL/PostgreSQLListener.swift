import CPostgreSQL
import Glibc
import StelePersistence
import SteleSystem

/// Waits for the notifications that commits send, on a connection of its own. They are hints:
/// without them, commits of other nodes are noticed by asking twice a second.
final class PostgreSQLListener: Sendable {
    /// The channel of the notifications.
    static let channel = "stele_commit"

    private let url: String
    private let isClosed = Mutex(false)
    /// The ends of a pipe that closing wakes the thread by; -1 without one.
    private let wake: (reading: Int32, writing: Int32)
    private let thread = Mutex<SystemThread?>(nil)

    /// The seconds between two attempts to connect, and between two looks at a connection.
    private static let pause: Int32 = 2

    init(_ url: String) {
        self.url = url
        var ends: [Int32] = [-1, -1]
        wake = pipe(&ends) == 0 ? (ends[0], ends[1]) : (-1, -1)
    }

    deinit {
        close(wake.reading)
        close(wake.writing)
    }

    /// Starts the thread.
    /// - Parameter notice: called on it after each notification, and at each look at the
    ///   connection.
    func start(_ notice: @escaping @Sendable () -> Void) {
        let made = SystemThread(name: "stele-listen") { [self] in
            while !isClosed.withLock({ $0 }) {
                if let connection = try? Connection(url) {
                    try? listen(on: connection, notice)
                }
                if !isClosed.withLock({ $0 }) { _ = wait(for: -1) }
            }
        }
        thread.withLock { $0 = made }
    }

    /// Waits for notifications until the connection is lost or the listener is closed.
    private func listen(
        on connection: Connection, _ notice: () -> Void
    ) throws(StoreError) {
        try connection.run("LISTEN \(Self.channel)")
        // Commits before it have sent none.
        notice()
        while !isClosed.withLock({ $0 }) {
            let isReady = wait(for: PQsocket(connection.handle))
            guard PQconsumeInput(connection.handle) == 1 else { return }
            while let notification = PQnotifies(connection.handle) { PQfreemem(notification) }
            notice()
            // A server that is gone without a word is found out by a statement.
            if !isReady { try connection.run("SELECT 1") }
        }
    }

    /// Waits until a socket has something to read, for the pause at most.
    private func wait(for socket: Int32) -> Bool {
        var waiting = [
            pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
        ]
        poll(&waiting, 2, Self.pause * 1_000)
        return waiting[1].revents != 0
    }

    /// Ends the thread.
    func stop() {
        isClosed.withLock { $0 = true }
        var byte: UInt8 = 0
        _ = write(wake.writing, &byte, 1)
        thread.withLock { $0 }?.join()
    }
}
