import StelePersistence
import SteleSQL
import SteleSystem

/// Finds the columns with foreign values, on a thread of its own: when the store is first read, unless
/// they are known from its last closing, and after each commit of another program. No opening waits
/// for it, and no statement for more than a moment.
final class ForeignSearch: Sendable {
    private struct State {
        /// Whether the rows are to be read, since a time.
        var isWanted: Bool
        var wantedAt: UInt64 = 0
        /// Counts the wishes, so that one during a search begins another.
        var wish = 0
        /// Whether the last search, if there was one, took no longer than views wait.
        var isQuick = true
        /// When the next search may begin: one that was long is not repeated at once.
        var nextAt: UInt64 = 0
        /// How many wait for the end, however long a search was.
        var waiting = 0
        /// Whether the last search has read all rows.
        var hasEnded = true
        var isClosed = false
        var thread: SystemThread?
    }

    private let state: Monitor<State>
    /// Whether no search is wanted, for a look without the lock.
    private let isSettled: Atomic<Bool>
    private let schema: SQLSchema
    private let translator: CurrentTranslator
    private let open: @Sendable () throws(StoreError) -> Connection
    private let changed: @Sendable () -> Void

    /// - Parameters:
    ///   - known: the columns, where they are known; nil to search them.
    ///   - open: opens a connection that only reads.
    ///   - changed: called when other columns are found, after new readers know them.
    init(
        _ schema: SQLSchema, _ translator: CurrentTranslator, known: ForeignValues?,
        open: @escaping @Sendable () throws(StoreError) -> Connection,
        changed: @escaping @Sendable () -> Void
    ) {
        self.schema = schema
        self.translator = translator
        self.open = open
        self.changed = changed
        if let known { _ = translator.use(foreign: known) }
        isSettled = Atomic(known != nil)
        state = Monitor(State(isWanted: known == nil, hasEnded: known != nil))
    }

    /// The columns, where all rows have been read since the last commit of another program.
    var found: ForeignValues? {
        let isKnown = state.withLock { !$0.isWanted && $0.hasEnded }
        return isKnown ? translator.current.foreign : nil
    }

    /// Whether it has begun.
    var hasBegun: Bool { state.withLock { $0.thread != nil } }

    /// Has the rows read again: another program has committed.
    func renew() {
        state.withLock { state in
            state.isWanted = true
            state.wantedAt = MonotonicClock.now
            state.wish += 1
            isSettled.store(false, ordering: .releasing)
        }
        state.broadcast()
    }

    /// Waits for a search, if there is one and it is likely to end soon.
    /// - Throws: `.overBudget` where it does not wait.
    func settle(waits: Bool) throws(StoreError) {
        if isSettled.load(ordering: .acquiring) { return }
        let end: UInt64? = state.withLock { state in
            if state.isClosed || !state.isWanted { return nil }
            if state.thread == nil {
                state.wantedAt = MonotonicClock.now
                state.thread = SystemThread(name: "stele-foreign") { self.run() }
            }
            let end = state.wantedAt &+ Limits.foreignSearchNanoseconds
            return state.isQuick && MonotonicClock.now < end ? end : nil
        }
        guard let end else { return }
        if !waits { throw .overBudget }
        state.withLock(when: { !$0.isWanted || $0.isClosed }, until: end) { _, _ in }
    }

    /// Waits until all rows have been read.
    func finish() {
        state.withLock { $0.waiting += 1 }
        state.broadcast()
        try? settle(waits: true)
        // Without a thread there is no search.
        state.withLock(when: { !$0.isWanted || $0.isClosed || $0.thread == nil }) { state, _ in
            state.waiting -= 1
        }
    }

    private func run() {
        SystemThread.lowerPriority()
        var connection: Connection?
        while let wish = nextWish() {
            let began = MonotonicClock.now
            var found: ForeignValues?
            do throws(StoreError) {
                let reader = if let connection { connection } else { try open() }
                connection = reader
                found = try find(reader)
            } catch {
                // What is known stays: the next commit of another program, or the next opening,
                // begins another search.
                connection = nil
            }
            if let found, translator.use(foreign: found) { changed() }
            let now = MonotonicClock.now
            let time = now &- began
            state.withLock { state in
                state.isQuick = time <= Limits.foreignSearchNanoseconds
                state.nextAt = state.isQuick ? 0 : now &+ time &* Limits.foreignSearchPauses
                guard state.wish == wish else { return }
                state.isWanted = false
                state.hasEnded = found != nil
                isSettled.store(true, ordering: .releasing)
            }
            state.broadcast()
        }
    }

    /// Waits until a search is wanted and may begin; nil at the end.
    private func nextWish() -> Int? {
        state.withLock(when: { $0.isWanted || $0.isClosed }) { _, _ in }
        let next = state.withLock { $0.nextAt }
        if next > MonotonicClock.now {
            state.withLock(when: { $0.waiting > 0 || $0.isClosed }, until: next) { _, _ in }
        }
        return state.withLock { $0.isClosed ? nil : $0.wish }
    }

    private func find(_ reader: Connection) throws(StoreError) -> ForeignValues? {
        let goesOn: @Sendable () -> Bool = { [state] in state.withLock { !$0.isClosed } }
        // Rows may be large.
        let deadline = Deadline(reader.handle, nanoseconds: .max)
        deadline.isWanted = goesOn
        return try withExtendedLifetime(deadline) { () throws(StoreError) in
            try ForeignValues.find(in: schema, reader, while: goesOn)
        }
    }

    /// Ends a search, and its thread.
    func close() {
        let thread: SystemThread? = state.withLock { state in
            state.isClosed = true
            defer { state.thread = nil }
            return state.thread
        }
        state.broadcast()
        thread?.join()
    }
}
