import CSQLite
import Glibc
import Synchronization

extension SQLiteStore {
    /// The bytes of a log from which on long answers are broken off, unless `limitLog` sets others.
    public static let logBytes = 2 << 30

    private static let logPages = Atomic<Int>(logBytes / pageBytes)
    private static let pageBytes = 4_096

    /// The pages of the write-ahead log from which on views that last are ended.
    static var longestLogPages: Int { logPages.load(ordering: .relaxed) }

    /// Sets the length of a write-ahead log from which on the views of long answers are ended, so
    /// that the log can be restarted: for stores that are opened afterwards.
    /// - Parameter bytes: of a store with pages of 4,096 bytes.
    public static func limitLog(bytes: Int) {
        logPages.store(max(bytes / pageBytes, 1), ordering: .relaxed)
    }

    /// The bytes of a sort in memory, unless `configureProcess` sets others.
    public static let sortBytes = 64 << 20

    /// Configures SQLite for the process:
    /// - no memory statistics (`SQLITE_CONFIG_MEMSTATUS`). With them, each allocation takes a lock
    ///   that all threads share, about 70 times per update of an object. `sqlite3_memory_used` and
    ///   heap limits then do not work.
    /// - sorts in memory up to a size (`SQLITE_CONFIG_PMASZ`). A larger one of a reader without a
    ///   budget uses temporary files, as does a large set of distinct values. They have no name,
    ///   and end with the process.
    ///
    /// Call it from one thread, before the first store is opened and before any other use of SQLite
    /// in the process.
    /// - Parameter sortBytes: the bytes of one sort in memory.
    /// - Returns: false where SQLite is in use already; then nothing changes.
    @discardableResult
    public static func configureProcess(sortBytes: Int = sortBytes) -> Bool {
        stele_sqlite_configure(Int32(clamping: sortBytes)) == SQLITE_OK
    }

    /// Ends the process with a message on standard error, and exit status 74 (EX_IOERR of
    /// `<sysexits.h>`), where another program cuts a file that is mapped into memory: the store's
    /// file or its `-shm`. Without it the system ends the process, by SIGBUS, without a message.
    ///
    /// SQLite cannot go on: what it has read of the file is gone while it reads it. Answered saves
    /// are in the log, which is not mapped.
    public static func reportCutFiles() {
        var action = sigaction()
        action.sa_flags = SA_SIGINFO
        action.__sigaction_handler.sa_sigaction = { _, info, _ in
            // BUS_ADRERR: there is no file at the address any more.
            guard let info, info.pointee.si_code == 2 else {
                // The instruction runs again, and ends the process.
                signal(SIGBUS, SIG_DFL)
                return
            }
            let text: StaticString =
                """
                stele: critical: another program has cut a file of the store that is mapped into \
                memory, so the service ends. If it was the -shm, nothing that was answered is lost: \
                start the service again. If it was the store's own file: keep a copy of all files of \
                the store, run stele check, and restore a backup.

                """
            write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
            _exit(74)
        }
        sigaction(SIGBUS, &action, nil)
    }

    /// Has temporary files made in the folder of a store, unless the environment's `SQLITE_TMPDIR`
    /// names another. Without either it is `TMPDIR`, `/var/tmp` or `/tmp`, which may be in memory
    /// and small.
    ///
    /// Call it from one thread, before the first fetch.
    public static func makeTemporaryFiles(beside store: String) {
        guard getenv("SQLITE_TMPDIR") == nil else { return }
        stele_sqlite_temporary_folder(store.lastIndex(of: "/").map { String(store[...$0]) } ?? ".")
    }
}
