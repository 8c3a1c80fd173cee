import CSQLite

extension SQLiteStore {
    /// Turns off SQLite's memory statistics for the process (`SQLITE_CONFIG_MEMSTATUS`). With them,
    /// each allocation takes a lock that all threads share, about 70 times per update of an object.
    ///
    /// Call it from one thread, before the first store is opened and before any other use of SQLite
    /// in the process. `sqlite3_memory_used` and soft heap limits then do not work.
    /// - Returns: false where SQLite is in use already; then nothing changes.
    @discardableResult
    public static func forgoMemoryStatistics() -> Bool {
        stele_sqlite_without_memory_statistics() == SQLITE_OK
    }
}
