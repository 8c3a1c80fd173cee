/// What SQLite is told once a process.

import CSQLite

extension SQLiteStore {
    /// Has SQLite keep no statistics of its memory (`SQLITE_CONFIG_MEMSTATUS`): for each allocation
    /// all threads of the process would pass one lock, some seventy times for the update of an
    /// object.
    ///
    /// A program calls it before its first store is opened and before anything else in it uses
    /// SQLite, from one thread. `sqlite3_memory_used` and soft heap limits do not work from then on.
    /// - Returns: false where SQLite is in use already, and everything stays as it is.
    @discardableResult
    public static func forgoMemoryStatistics() -> Bool {
        stele_sqlite_without_memory_statistics() == SQLITE_OK
    }
}
