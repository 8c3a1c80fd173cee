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
        /// Whether views wait for it: until it has read the small tables.
        var isAwaited = true
        /// Whether there are others.
        var isLong = false
        /// When the next search may begin: one that was long, or has failed, is not repeated at once.
        var nextAt: UInt64 = 0
        /// How many searches have failed since the last one that has not.
        var failures = 0
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
    private let failed: @Sendable (StoreError) -> Void

    /// - Parameters:
    ///   - known: the columns, where they are known; nil to search them.
    ///   - open: opens a connection that only reads.
    ///   - changed: called when other columns are found, after new readers know them.
    ///   - failed: called with the error of a search.
    init(
        _ schema: SQLSchema, _ translator: CurrentTranslator, known: ForeignValues?,
        open: @escaping @Sendable () throws(StoreError) -> Connection,
        changed: @escaping @Sendable () -> Void,
        failed: @escaping @Sendable (StoreError) -> Void
    ) {
        self.schema = schema
        self.translator = translator
        self.open = open
        self.changed = changed
        self.failed = failed
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
            let now = MonotonicClock.now
            state.isWanted = true
            state.wantedAt = now
            state.wish += 1
            state.failures = 0
            state.isAwaited = state.nextAt <= now
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
                if state.thread == nil { return nil }
            }
            let end = state.wantedAt &+ Limits.foreignSearchNanoseconds
            return state.isAwaited && MonotonicClock.now < end ? end : nil
        }
        guard let end else { return }
        if !waits { throw .overBudget }
        state.withLock(
            when: { !$0.isWanted || $0.isClosed || !$0.isAwaited }, until: end
        ) { _, _ in }
    }

    /// Waits until all rows have been read, or a search has failed.
    func finish() {
        state.withLock { $0.waiting += 1 }
        state.broadcast()
        try? settle(waits: true)
        // Without a thread there is no search.
        state.withLock(
            when: { !$0.isWanted || $0.isClosed || $0.thread == nil || $0.failures > 0 }
        ) { state, _ in state.waiting -= 1 }
    }

    private func run() {
        var connection: Connection?
        while let wish = nextWish() {
            let began = MonotonicClock.now
            var found: ForeignValues?
            do throws(StoreError) {
                let reader = if let connection { connection } else { try open() }
                connection = reader
                found = try find(reader)
                if let found { use(found) }
            } catch {
                connection = nil
                failed(error)
            }
            end(wish, began, hasRead: found != nil)
        }
    }

    private func use(_ found: ForeignValues) {
        if translator.use(foreign: found) { changed() }
    }

    private func end(_ wish: Int, _ began: UInt64, hasRead: Bool) {
        let now = MonotonicClock.now
        let time = now &- began
        state.withLock { state in
            state.nextAt = state.isLong ? now &+ time &* Limits.foreignSearchPauses : 0
            state.isLong = false
            if !hasRead {
                state.failures += 1
                state.nextAt = max(state.nextAt, now &+ Limits.foreignSearchRetryNanoseconds)
                state.isAwaited = false
            }
            guard state.wish == wish else { return }
            if !hasRead, state.failures < Limits.foreignSearches { return }
            // What is known stays, also where no search has read all: the next commit of another
            // program, or the next opening, begins another one.
            state.isWanted = false
            state.failures = 0
            state.hasEnded = hasRead
            isSettled.store(true, ordering: .releasing)
        }
        state.broadcast()
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
            try ForeignValues.find(
                in: schema, reader, smallAreDone: { use($0, in: $1) }, while: goesOn)
        }
    }

    /// Has new readers know what the small tables have, before the others are read. Of the others it
    /// may know that they have keys below 1, and what was found before stays until they are read.
    private func use(_ found: ForeignValues, in small: Set<String>) {
        let others = translator.current.foreign.columns.filter { !small.contains($0.key) }
        use(ForeignValues(found.columns.merging(others) { $0.union($1) }))
        state.withLock { state in
            state.isLong = true
            state.isAwaited = false
        }
        state.broadcast()
        SystemThread.lowerPriority()
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

extension SQLiteStore {
    /// True: SQLite keeps any number in any column.
    public var holdsAnyNumber: Bool { true }

    /// Waits until all rows have been read for contents that other programs have left.
    public func findForeignValues() {
        _ = noticesForeignChange()
        search.finish()
    }

    /// Has all rows read again: at the next use of the store, also where it is closed before.
    public func renewForeignValues() { search.renew() }

    /// Waits for a moment until they have.
    /// - Throws: as `PersistentStore.awaitForeignValues`.
    public func awaitForeignValues(_ budget: ReadBudget?) throws(StoreError) {
        try search.settle(waits: budget?.mayWait ?? true)
    }
}
