/// Copies the WAL's pages into the store's file, off the commit's path.

import CSQLite
import Glibc
import SteleSystem

/// Checkpoints on a thread of its own, when the WAL has grown by so many pages.
///
/// A checkpoint copies, beside the commits, the pages that no reader needs older versions of, and
/// then, with the writer's lock held for a moment, the few that came meanwhile, so that the next
/// commit restarts the WAL. Where readers prevent that, the checkpoint is tried again when the
/// WAL has grown by as much again. A writer that commits without a pause prevents it, too: where
/// the WAL has become long, the writer waits for a checkpoint between two commits (`makeWay`).
///
/// Views that overlap prevent it without end, however short each of them is. Where the WAL has
/// become long, long views wait until the older ones have ended (`clear`); where it has become too
/// long, views that last are ended (`ReaderPool.end`).
///
/// The thread may do other work first, which delays checkpoints only until the writer would wait.
final class Checkpointer: Sendable {
    private struct State {
        /// The WAL's length in pages, of the store and of a history in a file of its own.
        var lengths = (store: 0, history: 0)
        var pages: Int { lengths.store + lengths.history }
        /// The length from which on a checkpoint is wanted.
        var threshold: Int
        /// The length from which on the writer waits for one.
        var limit: Int
        /// The length from which on long views are held back.
        var clearing: Int
        /// The length from which on views that last are ended.
        var ending: Int
        var isWanted = false
        var isAwaited = false
        var isClosed = false
    }

    /// By how many pages the WAL grows between two checkpoints.
    private let step: Int
    /// The length from which on the writer waits for a checkpoint.
    private let limit: Int
    /// The length from which on long views are held back.
    private let long: Int
    private let views: ReaderPool
    private let longest: Int
    private let turn: Double
    /// The last of the views that were waited for in vain; 0 for none. Only the thread uses it.
    private nonisolated(unsafe) var lastInTheWay = 0
    /// When the files are looked at next. Only the thread uses it.
    private nonisolated(unsafe) var lookAt: UInt64 = 0
    /// Both the writer's and the checkpointer's thread wait for changes of it.
    private let state: Monitor<State>

    /// - Parameters:
    ///   - step: pages by which the WAL grows between two checkpoints.
    ///   - views: the views of the store.
    ///   - longest: the pages of the WAL from which on views that last are ended.
    ///   - turn: the seconds for which long views wait for older ones; the longer the WAL is, the
    ///     more, up to three times as many.
    init(
        step: Int = Limits.checkpointPages, views: ReaderPool,
        longest: Int = SQLiteStore.longestLogPages, turn: Double = Limits.turnSeconds
    ) {
        self.step = step
        self.views = views
        self.longest = longest
        self.turn = turn
        limit = step * Limits.checkpointsMissed
        long = step * Limits.checkpointsPrevented
        state = Monitor(State(threshold: step, limit: limit, clearing: long, ending: longest))
    }

    /// Learns the WAL's length after each commit of the connection.
    func follow(_ connection: Connection) {
        // SQLite calls it on the writer's thread, within COMMIT.
        sqlite3_wal_hook(
            connection.handle,
            { context, _, database, pages in
                guard let context, let database else { return SQLITE_OK }
                Unmanaged<Checkpointer>.fromOpaque(context).takeUnretainedValue()
                    .walHas(pages: Int(pages), isStore: strcmp(database, "main") == 0)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func walHas(pages: Int, isStore: Bool) {
        let isNewlyWanted = state.withLock { state in
            // It has been restarted, perhaps with more pages than the threshold.
            if pages < (isStore ? state.lengths.store : state.lengths.history) {
                (state.threshold, state.clearing, state.ending) = (step, long, longest)
            }
            if isStore { state.lengths.store = pages } else { state.lengths.history = pages }
            guard state.pages >= state.threshold, !state.isWanted else { return false }
            state.isWanted = true
            return true
        }
        if isNewlyWanted { state.broadcast() }
    }

    /// Waits for a checkpoint where the WAL has become long; on the writer's thread, outside of a
    /// transaction.
    func makeWay() {
        let waits = state.withLock { state in
            guard state.pages >= state.limit, !state.isClosed else { return false }
            state.isWanted = true
            state.isAwaited = true
            return true
        }
        guard waits else { return }
        state.broadcast()
        state.withLock(when: { !$0.isAwaited || $0.isClosed }) { _, _ in }
    }

    /// Ends `run` and `makeWay`.
    func close() {
        state.withLock { $0.isClosed = true }
        state.broadcast()
        // The thread may be waiting for views.
        views.release(isForGood: true)
    }

    /// Whether other work on the thread has to end: after `close`, and where the writer waits for a
    /// checkpoint.
    var isNeeded: Bool { state.withLock { $0.isClosed || $0.isAwaited } }

    /// Checkpoints until `close`, on the caller's thread, and looks for damage of the files.
    /// - Parameters:
    ///   - damage: remembers what is found. A damaged log is not copied into the file.
    ///   - first: other work on the connection before that. Its statements are interrupted where the
    ///     checkpointer is needed.
    func run(
        _ connection: Connection, _ damage: StoreDamage = StoreDamage(),
        after first: (Connection) -> Void = { _ in }
    ) {
        interruptibly(first, connection)
        // A connection that has read nothing knows of no WAL, and its checkpoint does nothing.
        _ = try? connection.single("SELECT COUNT(*) FROM sqlite_master")
        if connection.hasAttachedHistory {
            _ = try? connection.single("SELECT COUNT(*) FROM history.sqlite_master")
        }
        let check = DamageCheck(connection, damage)
        defer { if damage.isKnown { connection.leaveLog() } }
        // The opening may have written to the file as well.
        check.afterCopying()
        while let isAwaited = nextIsAwaited({ _ = check.look() }) {
            guard !check.beforeCopying() else {
                finish(false, endsWait: true)
                continue
            }
            copy(connection)
            let isDone = restart(connection)
            check.afterCopying()
            finish(isDone, endsWait: isDone || isAwaited)
            if !isDone, beginClearing() {
                let isCleared = clear(connection)
                check.afterCopying()
                finish(isCleared, endsWait: true)
            }
        }
    }

    /// - Parameter endsWait: whether a writer that waits goes on. One that began to wait during the
    ///   checkpoint may have prevented it before.
    private func finish(_ isDone: Bool, endsWait: Bool) {
        state.withLock { state in
            // Not again with each following commit, but after as much growth again.
            let length = isDone ? 0 : state.pages
            state.threshold = length + step
            if isDone { (state.clearing, state.ending) = (long, longest) }
            if endsWait {
                state.limit = length + limit
                state.isAwaited = false
            }
            state.isWanted = state.isAwaited
        }
        state.broadcast()
    }

    /// Whether the WAL has the length from which on long views are held back. The writer goes on
    /// meanwhile.
    private func beginClearing() -> Bool {
        state.withLock { state in
            guard state.pages >= min(state.clearing, state.ending), !state.isAwaited,
                !state.isClosed
            else { return false }
            state.limit = .max
            return true
        }
    }

    /// Restarts a long WAL where views prevent it: holds long views back until the older ones
    /// have ended, then all views and the writer for a moment.
    /// - Returns: as `restart`.
    private func clear(_ connection: Connection) -> Bool {
        // Others do not wait again and again for a view that stays.
        guard isTooLong || !views.isOpen(oneThrough: lastInTheWay) else { return false }
        lastInTheWay = views.hold(.long)
        defer { views.release() }
        guard areOut() else { return false }
        copy(connection)
        // The writer waits before its next commit. It does not come where it has nothing to save.
        state.withLock { $0.limit = 0 }
        let isOut = state.withLock(
            when: { $0.isAwaited || $0.isClosed },
            until: MonotonicClock.deadline(in: Limits.restartSeconds)
        ) { _, isOut in isOut }
        let last = views.hold(.all)
        let haveEnded = views.haveEnded(through: last, within: Limits.restartSeconds)
        for _ in 0..<Limits.restarts where !isClosed && restart(connection) { return true }
        if isOut, haveEnded {
            // Not again at once: another program has a view, or a backup copies the store.
            state.withLock { ($0.clearing, $0.ending) = ($0.pages + long, $0.pages + longest) }
        }
        return false
    }

    /// Waits until the views have ended that are in the way. Where the WAL is too long, those that
    /// have not ended by themselves are ended.
    private func areOut() -> Bool {
        let pages = state.withLock { $0.pages }
        let most = turn * min(3, max(1, Double(pages) / Double(long)))
        let (early, late) = (MonotonicClock.deadline(in: turn), MonotonicClock.deadline(in: most))
        while !views.haveEnded(through: lastInTheWay, within: min(1, turn)) {
            if isClosed { return false }
            let now = MonotonicClock.now
            guard now >= (isTooLong ? early : late) else { continue }
            guard isTooLong else { return false }
            state.withLock { $0.ending = $0.pages + longest / 8 }
            views.end(through: lastInTheWay)
            return views.haveEnded(through: lastInTheWay, within: turn)
        }
        return !isClosed
    }

    private var isClosed: Bool { state.withLock { $0.isClosed } }
    private var isTooLong: Bool { state.withLock { $0.pages >= $0.ending } }

    private func interruptibly(_ work: (Connection) -> Void, _ connection: Connection) {
        // SQLite calls it on this thread, within the work's statements.
        sqlite3_progress_handler(
            connection.handle, Self.stepsBetweenLooks,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Checkpointer>.fromOpaque(context).takeUnretainedValue().isNeeded
                    ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
        defer { sqlite3_progress_handler(connection.handle, 0, nil, nil) }
        work(connection)
    }

    /// The steps of SQLite's machine between two looks whether the checkpointer is needed: some
    /// hundred rows, which may each be a read of the disk.
    private static let stepsBetweenLooks: Int32 = 1_000

    /// Waits until a checkpoint is wanted.
    /// - Parameter look: called about once a second meanwhile.
    /// - Returns: whether the writer waits for it; nil after `close`.
    private func nextIsAwaited(_ look: () -> Void) -> Bool? {
        while true {
            let (isWanted, isAwaited, isClosed) = state.withLock(
                when: { $0.isWanted || $0.isClosed }, until: lookAt
            ) { state, isReady in
                (isReady, state.isAwaited, state.isClosed)
            }
            if isClosed { return nil }
            if MonotonicClock.now >= lookAt {
                look()
                lookAt = MonotonicClock.now &+ Limits.lookNanoseconds
            }
            if isWanted { return isAwaited }
        }
    }

    /// Copies the pages of which no view needs an older version, beside commits.
    private func copy(_ connection: Connection) {
        // Without a name it is of all files that the connection has.
        sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }

    /// Copies the pages that are left, with the writer's lock held.
    /// - Returns: whether the next commit restarts the WAL. Pages that cannot be copied now stay
    ///   in it until a later checkpoint.
    private func restart(_ connection: Connection) -> Bool {
        let before = state.withLock { $0.lengths }
        // It waits for readers with the writer's lock held: not for long.
        sqlite3_busy_timeout(connection.handle, Limits.restartMilliseconds)
        guard
            sqlite3_wal_checkpoint_v2(
                connection.handle, nil, SQLITE_CHECKPOINT_RESTART, nil, nil) == SQLITE_OK
        else { return false }
        // Unless a commit has restarted it already.
        state.withLock { if $0.lengths == before { $0.lengths = (0, 0) } }
        return true
    }
}
