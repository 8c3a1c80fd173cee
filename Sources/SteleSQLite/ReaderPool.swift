/// Reader connections, opened when needed and reused.

import StelePersistence
import SteleSQL
import SteleSystem

/// Lends connections that only read. The connection that was returned last is lent first, so few
/// connections are in use when few are needed.
///
/// A connection is lent for one view, and views are counted: the WAL cannot be restarted while one of
/// them needs it (`Checkpointer`).
final class ReaderPool: Sendable {
    /// Which views begin later.
    enum Held { case none, long, all }

    // @unchecked: an idle connection is in use by no thread, and one thread takes it.
    private struct Idle: @unchecked Sendable {
        let connection: Connection
    }

    private struct State {
        var idle: [Idle] = []
        /// How many more connections may be lent.
        var places = Limits.readers
        var isClosed = false
        /// The numbers of the views that are open, which were given in ascending order.
        var views: [Int] = []
        var lastView = 0
        var held = Held.none
        var mayHold = true
        /// What begins long views when they are no longer held back.
        var delayed: [@Sendable () -> Void] = []
        /// The last of the views that have to end.
        var lastToEnd = 0
    }

    private let state = Monitor(State())
    /// Whether the store was found to be damaged, also by these connections.
    let damage: StoreDamage
    /// Opens a connection.
    private let open: @Sendable () throws(StoreError) -> Connection

    /// - Parameter open: opens a connection that only reads.
    init(
        _ damage: StoreDamage = StoreDamage(),
        _ open: @escaping @Sendable () throws(StoreError) -> Connection
    ) {
        self.damage = damage
        self.open = open
    }

    /// A pool of connections to a store that is open for writing.
    /// - Parameters:
    ///   - isMapped: whether pages come from a mapping of the file: fast for many rows. But SQLite
    ///     drops the mapping after each commit of another connection, and for a single row it is
    ///     cheaper to read three pages than to map the file again.
    ///   - attachesHistory: whether the history is in a file of its own, which the connections
    ///     attach.
    ///   - presence: the files that a new connection must open, and no others at their paths.
    ///   - damage: remembers damage of the store.
    convenience init(
        path: String, isMapped: Bool, attachesHistory: Bool = false,
        _ presence: StorePresence = StorePresence([]), _ damage: StoreDamage = StoreDamage()
    ) {
        self.init(damage) { () throws(StoreError) in
            try presence.check()
            let connection = try Connection(path: path, creates: false)
            // With a mapping, the cache only holds what is read from the WAL.
            try connection.run(
                "PRAGMA query_only = 1; PRAGMA mmap_size = \(isMapped ? 1 << 30 : 0); "
                    + "PRAGMA cache_size = -512; PRAGMA temp_store = MEMORY")
            if attachesHistory {
                try connection.attachHistory()
                try connection.run("PRAGMA history.cache_size = -512")
            }
            try presence.check()
            return connection
        }
    }

    /// A connection for one view.
    /// - Parameter waits: whether to wait, at most five seconds, where all are lent or views are
    ///   held back.
    /// - Throws: `.busy` where all are lent for that time, `.overBudget` where they are and it does
    ///   not wait, `.closed`, or the reason why none can be opened.
    func take(waits: Bool) throws(StoreError) -> Connection {
        let (idle, view) = try state.withLock(
            when: { !waits || ($0.places > 0 && $0.held != .all) || $0.isClosed },
            until: MonotonicClock.deadline(in: 5)
        ) { state, _ throws(StoreError) -> (Idle?, Int) in
            if state.isClosed { throw .closed }
            guard state.places > 0 else {
                throw waits
                    ? .busy("all \(Limits.readers) readers of the store are in use") : .overBudget
            }
            state.places -= 1
            state.lastView += 1
            state.views.append(state.lastView)
            return (state.idle.popLast(), state.lastView)
        }
        do {
            let connection =
                if let idle { idle.connection } else {
                    try damage.noting { () throws(StoreError) in try open() }
                }
            connection.view = view
            return connection
        } catch {
            release(nil, view)
            throw error
        }
    }

    /// Reads the current state of one object, outside any view, without waiting.
    /// - Parameter sql: the statement for the object's key.
    func newest(
        _ sql: SQLText, _ key: Int64, _ shape: RowShape
    ) throws(StoreError) -> Snapshot? {
        let connection = try take(waits: false)
        connection.pace = .brief
        defer { give(connection) }
        // A statement outside a transaction is its own view, which ends with its last row.
        return try damage.noting { () throws(StoreError) in
            try connection.snapshots(sql, [.int(key)], shape).first
        }
    }

    /// Takes a connection back.
    func give(_ connection: Connection) {
        connection.pace = .unhurried
        if connection.isInTransaction { _ = try? connection.run("ROLLBACK") }
        // A connection that cannot end its transaction would show old data to its next reader.
        release(connection.isInTransaction ? nil : Idle(connection: connection), connection.view)
    }

    private func release(_ idle: Idle?, _ view: Int) {
        let wakesOne = state.withLock { state in
            state.places += 1
            if let idle {
                if state.isClosed { leaveLog(of: idle) } else { state.idle.append(idle) }
            }
            if let place = state.views.firstIndex(of: view) { state.views.remove(at: place) }
            return state.held == .none
        }
        if wakesOne { state.signal() } else { state.broadcast() }
    }

    /// Closes all idle connections; those that are lent are closed when they come back.
    func close() {
        state.withLock { state in
            state.isClosed = true
            for idle in state.idle { leaveLog(of: idle) }
            state.idle.removeAll()
        }
        state.broadcast()
    }

    /// What is left of a damaged log is not copied into the file, and stays for whoever mends it.
    private func leaveLog(of idle: Idle) { if damage.isKnown { idle.connection.leaveLog() } }

    // MARK: Making way for the log

    /// Has views begin later: the long ones, which ask `whenReleased`, or all whose threads may
    /// wait.
    /// - Returns: the last of the views that have begun.
    func hold(_ held: Held) -> Int {
        let last = state.withLock { state in
            state.held = state.mayHold ? held : .none
            return state.lastView
        }
        state.broadcast()
        return last
    }

    /// Lets views begin.
    /// - Parameter isForGood: whether none is held back later: before the store is closed.
    func release(isForGood: Bool = false) {
        let delayed = state.withLock { state in
            state.held = .none
            if isForGood { state.mayHold = false }
            defer { state.delayed = [] }
            return state.delayed
        }
        state.broadcast()
        for begin in delayed { begin() }
    }

    /// Calls a closure when long views are not held back: at once, or in `release`.
    func whenReleased(_ begin: @escaping @Sendable () -> Void) {
        let isDelayed = state.withLock { state in
            if state.held != .none { state.delayed.append(begin) }
            return state.held != .none
        }
        if !isDelayed { begin() }
    }

    /// Whether views are held back.
    var isHolding: Bool { state.withLock { $0.held != .none } }

    /// Waits until views have ended, or no view is held back any longer.
    /// - Returns: whether they have ended.
    func haveEnded(through last: Int, within seconds: Double) -> Bool {
        let haveEnded: (State) -> Bool = { ($0.views.first ?? .max) > last }
        return state.withLock(
            when: { haveEnded($0) || $0.held == .none },
            until: MonotonicClock.deadline(in: seconds)
        ) { state, _ in haveEnded(state) }
    }

    /// Whether one of the views is still open.
    func isOpen(oneThrough last: Int) -> Bool {
        state.withLock { $0.views.first.map { $0 <= last } ?? false }
    }

    /// Has views end, each when it is next asked (`mustEnd`).
    func end(through last: Int) { state.withLock { $0.lastToEnd = last } }

    /// Whether a view has to end.
    func mustEnd(_ view: Int) -> Bool { state.withLock { view <= $0.lastToEnd } }
}
