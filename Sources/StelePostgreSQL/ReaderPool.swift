import StelePersistence
import SteleSystem

/// Connections for reading, opened when they are needed and used again. The one that came back last
/// is lent first, so that few are open where few are needed.
final class ReaderPool: Sendable {
    // @unchecked: an idle connection is in use by no thread, and one thread takes it.
    private struct Idle: @unchecked Sendable {
        let connection: Connection
    }

    private struct State {
        var idle: [Idle] = []
        /// How many more connections may be lent.
        var places: Int
        var isClosed = false
    }

    private let state: Monitor<State>
    let access: StoreAccess
    private let count: Int
    private let patience: Double
    private let counters: DatabaseCounters

    /// - Parameters:
    ///   - access: the store.
    ///   - count: the most connections.
    ///   - patience: the most seconds to wait for one.
    init(
        _ access: StoreAccess, count: Int, patience: Double = 5, counters: DatabaseCounters
    ) {
        self.patience = patience
        self.access = access
        self.count = count
        self.counters = counters
        state = Monitor(State(places: count))
    }

    /// Lends a connection. It waits for one, with the pool's patience.
    /// - Throws: `StoreError`: `.busy` where all are lent for that time, `.closed`, or the reason
    ///   why none can be opened.
    func take() throws(StoreError) -> Connection {
        counters.waiting.add(1, ordering: .relaxed)
        defer { counters.waiting.subtract(1, ordering: .relaxed) }
        let idle = try state.withLock(
            when: { $0.places > 0 || $0.isClosed }, until: MonotonicClock.deadline(in: patience)
        ) { state, _ throws(StoreError) -> Idle? in
            if state.isClosed { throw .closed }
            guard state.places > 0 else {
                throw .busy("all \(count) readers of the store are in use")
            }
            state.places -= 1
            return state.idle.popLast()
        }
        if let idle {
            idle.connection.settle()
            if !idle.connection.isLost, !idle.connection.isInTransaction {
                return idle.connection
            }
        }
        do {
            let made = try access.connect()
            counters.connections.add(1, ordering: .relaxed)
            return made
        } catch {
            release(nil)
            throw error
        }
    }

    /// Whether all connections are lent.
    var isFull: Bool { state.withLock { $0.places == 0 } }

    /// Fills in the figures of the connections.
    func add(to figures: inout DatabaseFigures) {
        state.withLock { state in
            figures.connectionLimit = count
            figures.connectionsInUse = count - state.places
            figures.connectionsIdle = state.idle.count
        }
    }

    /// Runs some work on a connection. Where the server has closed it while it was idle, as after a
    /// restart, or it does not lead to the store any more, the work runs again on a new one.
    func use<R>(
        _ body: (Connection) throws(StoreError) -> R
    ) throws(StoreError) -> (R, Connection) {
        let connection = try take()
        do {
            return (try body(connection), connection)
        } catch {
            guard connection.isLost || error.isOfGoneStore else {
                give(connection)
                throw error
            }
            release(nil)
        }
        counters.retries.add(1, ordering: .relaxed)
        // The others have been closed as well.
        state.withLock { $0.idle.removeAll() }
        let fresh = try take()
        do {
            return (try body(fresh), fresh)
        } catch {
            give(fresh)
            throw error
        }
    }

    /// Reads something on a connection.
    func read<R>(_ body: (Connection) throws(StoreError) -> R) throws(StoreError) -> R {
        let (result, connection) = try use(body)
        give(connection)
        return result
    }

    /// Takes a connection back.
    /// - Parameter isEnding: whether its transaction ends, and the answer is still to be taken.
    func give(_ connection: Connection, isEnding: Bool = false) {
        if isEnding {
            release(connection.isLost ? nil : Idle(connection: connection))
            return
        }
        if connection.isInTransaction { _ = try? connection.run("ROLLBACK") }
        let isUsable = !connection.isLost && !connection.isInTransaction
        release(isUsable ? Idle(connection: connection) : nil)
    }

    private func release(_ idle: Idle?) {
        state.withLock { state in
            state.places += 1
            if let idle, !state.isClosed { state.idle.append(idle) }
        }
        state.signal()
    }

    /// Closes all idle connections; those that are lent are closed when they come back.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.idle.removeAll()
        }
        state.broadcast()
    }
}
