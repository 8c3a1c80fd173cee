/// Reader connections, made when needed and used again.

import Dispatch
import StelePersistence
import SteleSystem

/// Hands out connections that only read. The last one given back is the first to go out again,
/// so few are warm when few are needed.
final class ReaderPool: Sendable {
    // An idle connection is nobody's, and one thread takes it.
    private struct Idle: @unchecked Sendable {
        let connection: Connection
    }

    private struct State {
        var idle: [Idle] = []
        var closed = false
    }

    private let path: String
    private let state = Mutex(State())
    private let places: DispatchSemaphore
    /// Whether pages come from a mapping of the file: quick for many rows. But SQLite drops the
    /// mapping after each commit of another connection, and for a single row it is cheaper to
    /// read three pages than to map the file again.
    private let isMapped: Bool

    init(path: String, isMapped: Bool) {
        self.path = path
        self.isMapped = isMapped
        places = DispatchSemaphore(value: Limits.readers)
    }

    /// A connection for one reader.
    /// - Parameter waits: whether to wait for one where all are out.
    /// - Throws: `.busy` where all are out for five seconds, `.overBudget` where they are and it
    ///   does not wait, `.closed`, or why none can be opened.
    func take(waits: Bool) throws(StoreError) -> Connection {
        guard places.wait(timeout: waits ? .now() + 5 : .now()) == .success else {
            if !waits { throw .overBudget }
            throw .busy("all \(Limits.readers) readers of the store are in use")
        }
        let (idle, closed) = state.withLock { ($0.idle.popLast(), $0.closed) }
        if closed {
            places.signal()
            throw .closed
        }
        if let idle { return idle.connection }
        do {
            return try open()
        } catch {
            places.signal()
            throw error
        }
    }

    private func open() throws(StoreError) -> Connection {
        let connection = try Connection(path: path, creates: false)
        // With a mapping, the cache only holds what is read from the WAL.
        try connection.run(
            "PRAGMA query_only = 1; PRAGMA mmap_size = \(isMapped ? 1 << 30 : 0); "
                + "PRAGMA cache_size = -512; PRAGMA temp_store = MEMORY")
        return connection
    }

    /// Takes a connection back.
    func give(_ connection: Connection) {
        if connection.isInTransaction { _ = try? connection.run("ROLLBACK") }
        // One that cannot end its view would show the old one to its next reader.
        let isUsable = !connection.isInTransaction
        let idle = Idle(connection: connection)
        state.withLock { state in
            if !state.closed && isUsable { state.idle.append(idle) }
        }
        places.signal()
    }

    /// Closes all that are idle; those in use are closed when they come back.
    func close() {
        state.withLock { state in
            state.closed = true
            state.idle.removeAll()
        }
    }
}
