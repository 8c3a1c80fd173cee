// CSQLite for Swift: the header, and inline functions for what Swift cannot see.
#pragma once
#include <sqlite3.h>
#include <stdint.h>

// The destructors are casts, which Swift does not import.
static inline int stele_bind_text(sqlite3_stmt *s, int i, const char *text, int64_t n) {
    return sqlite3_bind_text64(s, i, text, (sqlite3_uint64)n, SQLITE_TRANSIENT, SQLITE_UTF8);
}
static inline int stele_bind_blob(sqlite3_stmt *s, int i, const void *bytes, int64_t n) {
    return sqlite3_bind_blob64(s, i, bytes, (sqlite3_uint64)n, SQLITE_TRANSIENT);
}
static inline void stele_result_text(sqlite3_context *c, const char *text, int64_t n) {
    sqlite3_result_text64(c, text, (sqlite3_uint64)n, SQLITE_TRANSIENT, SQLITE_UTF8);
}
static inline void stele_result_blob(sqlite3_context *c, const void *bytes, int64_t n) {
    sqlite3_result_blob64(c, bytes, (sqlite3_uint64)n, SQLITE_TRANSIENT);
}

// No sums over all of SQLite's allocations, and so many bytes of a sort in memory. 0 where SQLite
// took it.
static inline int stele_sqlite_configure(int sort_bytes) {
    int code = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    if (code != SQLITE_OK) return code;
    return sqlite3_config(SQLITE_CONFIG_PMASZ, sort_bytes / 4096);
}
// A variable of the library, which Swift holds to be unsafe.
static inline void stele_sqlite_temporary_folder(const char *path) {
    sqlite3_free(sqlite3_temp_directory);
    sqlite3_temp_directory = sqlite3_mprintf("%s", path);
}

// No checkpoint when the connection is closed.
static inline void stele_leave_log(sqlite3 *db) {
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, 0);
}

// Reads the first bytes of the database's file by SQLite's own descriptor. Closing another one would
// release the locks of the process. Returns 0 if all are read.
static inline int stele_read_head(sqlite3 *db, void *bytes, int count) {
    sqlite3_file *file = 0;
    int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (code != SQLITE_OK || !file || !file->pMethods) return 1;
    return file->pMethods->xRead(file, bytes, count, 0);
}

// Whether the database's file is no longer the one at its path.
static inline int stele_has_moved(sqlite3 *db) {
    int moved = 0;
    sqlite3_file_control(db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return moved;
}

// The number of the last commit in the WAL index, through the VFS's own mapping of it: the third
// word of the header (https://sqlite.org/walformat.html#the_wal_index_header), which SQLite
// raises by one with each commit. Returns 0 where there is no such mapping.
static inline const volatile uint32_t *stele_wal_index(sqlite3 *db) {
    sqlite3_file *file = 0;
    void volatile *region = 0;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file)
        return 0;
    if (!file->pMethods || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap) return 0;
    if (file->pMethods->xShmMap(file, 0, 32768, 0, &region) != SQLITE_OK) return 0;
    return (const volatile uint32_t *)region;
}
static inline uint32_t stele_wal_change(const volatile uint32_t *index) {
    return __atomic_load_n(index + 2, __ATOMIC_ACQUIRE);
}
