// CSQLite for Swift: the header, and inline functions for what Swift cannot see.
#pragma once
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>

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

// A database's file, or its write-ahead log, as SQLite has it open; null where it is not. Reading by
// another descriptor would release the locks of the process when that is closed.
static inline sqlite3_file *stele_file(sqlite3 *db, const char *name, int is_log) {
    sqlite3_file *file = 0;
    int code = sqlite3_file_control(
        db, name, is_log ? SQLITE_FCNTL_JOURNAL_POINTER : SQLITE_FCNTL_FILE_POINTER, &file);
    return code == SQLITE_OK && file && file->pMethods ? file : 0;
}
// Returns SQLITE_OK if all bytes are read.
static inline int stele_file_read(sqlite3_file *file, void *bytes, int count, int64_t at) {
    return file->pMethods->xRead(file, bytes, count, at);
}
// -1 where the size is not known.
static inline int64_t stele_file_size(sqlite3_file *file) {
    sqlite3_int64 size = -1;
    return file->pMethods->xFileSize(file, &size) == SQLITE_OK ? size : -1;
}

// The system's error of the last write, or other call, on a database's file or its log that failed;
// 0 for none. SQLite does not keep it with the error of a statement.
static inline int stele_file_error(sqlite3 *db, const char *name, int is_log) {
    sqlite3_file *file = stele_file(db, name, is_log);
    int code = 0;
    if (file) file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &code);
    return code;
}

// Reads the first bytes of the database's file. Returns 0 if all are read.
static inline int stele_read_head(sqlite3 *db, void *bytes, int count) {
    sqlite3_file *file = stele_file(db, "main", 0);
    return file ? stele_file_read(file, bytes, count, 0) : 1;
}

// Writes the first bytes of the database's file, past SQLite, and brings them to the disk. Returns 0
// if all are written.
static inline int stele_write_head(sqlite3 *db, const void *bytes, int count) {
    sqlite3_file *file = stele_file(db, "main", 0);
    if (!file) return 1;
    int code = file->pMethods->xWrite(file, bytes, count, 0);
    return code == SQLITE_OK ? file->pMethods->xSync(file, SQLITE_SYNC_FULL) : code;
}

// Whether the database's file is no longer the one at its path.
static inline int stele_has_moved(sqlite3 *db) {
    int moved = 0;
    sqlite3_file_control(db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return moved;
}

// A block of 32 KiB of a database's WAL index, through the VFS's own mapping of it
// (https://sqlite.org/walformat.html#wal_index_file_format). Returns 0 where there is no such mapping.
static inline const volatile uint32_t *stele_wal_block(sqlite3 *db, const char *name, int number) {
    sqlite3_file *file = stele_file(db, name, 0);
    void volatile *block = 0;
    if (!file || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap) return 0;
    if (file->pMethods->xShmMap(file, number, 32768, 0, &block) != SQLITE_OK) return 0;
    return (const volatile uint32_t *)block;
}
// The first block: it begins with a header of two copies of 48 bytes.
static inline const volatile uint32_t *stele_wal_index(sqlite3 *db, const char *name) {
    return stele_wal_block(db, name, 0);
}
// The block of the index that has the page of a frame, and its place there. The numbers of pages follow
// 136 bytes of the first block, and begin each other one; a hash table of 16 KiB ends a block.
enum { stele_wal_first_pages = 4062, stele_wal_pages = 4096 };
static inline int stele_wal_block_of(uint32_t frame) {
    return (int)((frame + stele_wal_pages - stele_wal_first_pages - 1) / stele_wal_pages);
}
static inline uint32_t stele_wal_page(const volatile uint32_t *block, uint32_t frame) {
    uint32_t place = frame <= stele_wal_first_pages
        ? 34 + frame - 1 : (frame - stele_wal_first_pages - 1) % stele_wal_pages;
    return __atomic_load_n(block + place, __ATOMIC_RELAXED);
}
// The number of the last commit: the third word of the header, which SQLite raises by one with each
// commit.
static inline uint32_t stele_wal_change(const volatile uint32_t *index) {
    return __atomic_load_n(index + 2, __ATOMIC_ACQUIRE);
}

// What the header of a WAL index says of the log.
typedef struct {
    uint32_t page_bytes;
    // The frames that are committed, and the pages of the database after them.
    uint32_t frames, pages;
    // The frames that are copied into the database's file, and those that a checkpoint which has begun
    // to write to the file will have copied.
    uint32_t copied, attempted;
    // The check sum of the last frame, and what the log's header and each of its frames have.
    uint32_t sum[2], salt[2];
} stele_wal_state;

// Returns 0 where the header is being written, or is none.
static inline int stele_wal_read(const volatile uint32_t *index, stele_wal_state *state) {
    uint32_t one[12], two[12];
    for (int i = 0; i < 12; i++) one[i] = __atomic_load_n(index + i, __ATOMIC_ACQUIRE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (int i = 0; i < 12; i++) two[i] = __atomic_load_n(index + 12 + i, __ATOMIC_ACQUIRE);
    uint8_t isInitialized;
    uint16_t pages;
    memcpy(&isInitialized, (const uint8_t *)one + 12, 1);
    memcpy(&pages, (const uint8_t *)one + 14, 2);
    if (memcmp(one, two, sizeof one) != 0 || !isInitialized) return 0;
    state->page_bytes = (pages & 0xFE00u) + ((pages & 1u) << 16);
    state->frames = one[4];
    state->pages = one[5];
    memcpy(state->sum, one + 6, 8);
    memcpy(state->salt, one + 8, 8);
    state->copied = __atomic_load_n(index + 24, __ATOMIC_ACQUIRE);
    state->attempted = __atomic_load_n(index + 32, __ATOMIC_ACQUIRE);
    return 1;
}

// A number as the log has it, the highest byte first.
static inline uint32_t stele_wal_number(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}
// Continues a check sum of the log (https://sqlite.org/fileformat2.html#checksum_algorithm) by pairs
// of words, which are in this machine's order or in the other one.
static inline void stele_wal_add(uint32_t sum[2], const uint8_t *bytes, int count, int swaps) {
    uint32_t a = sum[0], b = sum[1];
    for (int i = 0; i + 8 <= count; i += 8) {
        uint32_t x, y;
        memcpy(&x, bytes + i, 4);
        memcpy(&y, bytes + i + 4, 4);
        if (swaps) x = __builtin_bswap32(x), y = __builtin_bswap32(y);
        // Each sum waits for one addition of the other.
        x += a, y += b;
        a = x + b, b = y + a;
    }
    sum[0] = a, sum[1] = b;
}
// Whether the check sums of a log are over words in the other order than this machine's.
static inline int stele_wal_swaps(const uint8_t header[32]) {
    uint32_t one = 1;
    return (header[3] & 1) == *(uint8_t *)&one;
}
// Whether 32 bytes are the header of a log that belongs to an index.
static inline int stele_wal_header_fits(const uint8_t header[32], const stele_wal_state *state) {
    uint32_t sum[2] = {0, 0}, magic = stele_wal_number(header), bytes = stele_wal_number(header + 8);
    if ((magic & ~1u) != 0x377f0682 || bytes != state->page_bytes) return 0;
    stele_wal_add(sum, header, 24, stele_wal_swaps(header));
    return stele_wal_number(header + 24) == sum[0] && stele_wal_number(header + 28) == sum[1]
        && memcmp(header + 16, state->salt, 8) == 0;
}
// Whether 24 bytes are the header of the last frame.
static inline int stele_wal_is_last(const uint8_t frame[24], const stele_wal_state *state) {
    return memcmp(frame + 8, state->salt, 8) == 0 && stele_wal_number(frame + 16) == state->sum[0]
        && stele_wal_number(frame + 20) == state->sum[1];
}
// How many of the frames, from the first on, are as they were written.
// - sum: the check sum of the frame before the first, or of the header; then of the last good one.
static inline int stele_wal_good(
    const uint8_t *frames, int count, const stele_wal_state *state, int swaps, uint32_t sum[2]
) {
    for (int i = 0; i < count; i++, frames += 24 + state->page_bytes) {
        uint32_t next[2] = {sum[0], sum[1]};
        stele_wal_add(next, frames, 8, swaps);
        stele_wal_add(next, frames + 24, (int)state->page_bytes, swaps);
        if (memcmp(frames + 8, state->salt, 8) != 0 || stele_wal_number(frames + 16) != next[0]
            || stele_wal_number(frames + 20) != next[1])
            return i;
        sum[0] = next[0], sum[1] = next[1];
    }
    return count;
}
