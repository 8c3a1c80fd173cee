import CPostgreSQL
import Glibc
import StelePersistence
import SteleSystem

/// Waits for the notifications that commits send, on a connection of its own. They are hints:
/// without them, commits of other nodes are noticed by asking twice a second.
final class PostgreSQLListener: Sendable {
    /// The channel of the notifications.
    static let channel = "stele_commit"

    private let access: StoreAccess
    private let isClosed = Mutex(false)
    /// The ends of a pipe that closing wakes the thread by; -1 without one.
    private let wake: (reading: Int32, writing: Int32)
    private let thread = Mutex<SystemThread?>(nil)

    /// The milliseconds between two attempts to connect, and between two looks at a connection.
    private static let pause: Int32 = 500

    init(_ access: StoreAccess) {
        self.access = access
        var ends: [Int32] = [-1, -1]
        wake = pipe(&ends) == 0 ? (ends[0], ends[1]) : (-1, -1)
    }

    deinit {
        close(wake.reading)
        close(wake.writing)
    }

    /// Starts the thread.
    /// - Parameters:
    ///   - hear: takes the process of the server that a notification is from, and its text, and
    ///     returns whether the database must be asked.
    ///   - isGone: called on it where the store is gone to this program; it is looked for again.
    ///   - notice: called on it with the connection, after other notifications and at each look at
    ///     the connection, which is lost where it throws.
    func start(
        hear: @escaping @Sendable (Int32, String) -> Bool,
        isGone: @escaping @Sendable (StoreError) -> Void,
        _ notice: @escaping @Sendable (Connection) throws(StoreError) -> Void
    ) {
        let made = SystemThread(name: "stele-listen") { [self] in
            while !isClosed.withLock({ $0 }) {
                do throws(StoreError) {
                    try listen(on: try access.connect(), hear, notice)
                } catch {
                    if error.isOfGoneStore { isGone(error) }
                }
                if !isClosed.withLock({ $0 }) { wait(for: -1) }
            }
        }
        thread.withLock { $0 = made }
    }

    /// Waits for notifications until the connection is lost or the listener is closed.
    private func listen(
        on connection: Connection, _ hear: (Int32, String) -> Bool,
        _ notice: (Connection) throws(StoreError) -> Void
    ) throws(StoreError) {
        try connection.run("LISTEN \(Self.channel)")
        // Commits before it have sent none.
        try notice(connection)
        var next = MonotonicClock.now + UInt64(Self.pause) * 1_000_000
        while !isClosed.withLock({ $0 }) {
            // A server that is gone without a word is found out by the statement.
            wait(for: PQsocket(connection.handle))
            guard PQconsumeInput(connection.handle) == 1 else { return }
            var isNews = MonotonicClock.now >= next
            while let notification = PQnotifies(connection.handle) {
                let text = notification.pointee.extra.map { String(cString: $0) } ?? ""
                isNews = hear(notification.pointee.be_pid, text) || isNews
                PQfreemem(notification)
            }
            guard isNews else { continue }
            try notice(connection)
            next = MonotonicClock.now + UInt64(Self.pause) * 1_000_000
        }
    }

    /// Waits until a socket has something to read, for the pause at most.
    private func wait(for socket: Int32) {
        var waiting = [
            pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
        ]
        poll(&waiting, 2, Self.pause)
    }

    /// Ends the thread.
    func stop() {
        isClosed.withLock { $0 = true }
        var byte: UInt8 = 0
        _ = write(wake.writing, &byte, 1)
        thread.withLock { $0 }?.join()
    }
}
