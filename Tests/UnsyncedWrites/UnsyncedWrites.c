// A machine that loses power, for one process: a library that is loaded before the C library
// (LD_PRELOAD) and records what each write to a file replaces, until the file is synced.
//
// After the process has been killed, PowerCut.swift takes the files back to what a disk must still
// have. The kernel keeps what a killed process has written, so without this a lost sync is never
// noticed.
//
//   UNSYNCED_FOLDER   the folder with the files
//   UNSYNCED_LOG      a folder for the records, elsewhere
//   UNSYNCED_TRACE    a file for a line for each write, sync and HTTP answer; optional
//   UNSYNCED_DELAY    milliseconds that a sync takes longer, as on a slow disk; optional
//   UNSYNCED_LIES     if it is there, a sync does nothing: to test the test
//
// The records of a file are in LOG/INODE.undo, one after the other: struct record, the old bytes,
// the new bytes. LOG/names has a line "+PATH" for each file that is made, and "=FOLDER" where a
// folder is synced. Not modelled: files that are removed or renamed without a sync of their folder
// (both count as done), new folders, and writes through a map of memory. Files that end in -shm are
// left out: a machine that has lost power has none.

#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { kind_write = 1, kind_truncate = 2, kind_synced = 3, magic = 0x53544c45 };

// kind_write: `old_length` bytes that stood at `offset`, and `new_length` that are written there.
// kind_truncate: the file is cut to `offset`, or extended; the old bytes are those cut off.
// kind_synced: all records before the place `offset` of this log are on the disk.
struct record {
    uint32_t mark, kind;
    uint64_t offset, old_length, new_length, old_size;
};

// What is known of a descriptor: its log and the name of its file; log 0 is none.
struct file {
    int log;
    char name[NAME_MAX + 1];
};

enum { most_files = 1 << 16 };
static struct file *files[most_files];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[PATH_MAX];
static char logs[PATH_MAX];
static int names = -1, trace = -1, delay, lies;

__attribute__((constructor)) static void begin(void) {
    const char *data = getenv("UNSYNCED_FOLDER"), *log = getenv("UNSYNCED_LOG");
    const char *lines = getenv("UNSYNCED_TRACE");
    if (!data || !log || !realpath(data, folder) || !realpath(log, logs)) return;
    char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s/names", logs);
    int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
    names = (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0600);
    if (lines) trace = (int)syscall(SYS_openat, AT_FDCWD, lines, flags, 0600);
    const char *milliseconds = getenv("UNSYNCED_DELAY");
    delay = milliseconds ? atoi(milliseconds) : 0;
    lies = getenv("UNSYNCED_LIES") != NULL;
}

static void say(const char *what, const char *name, long long first, long long second) {
    if (trace < 0) return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    char line[NAME_MAX + 128];
    int count = snprintf(line, sizeof line, "%lld.%09ld %s %s %lld %lld\n", (long long)now.tv_sec,
                         now.tv_nsec, what, name, first, second);
    syscall(SYS_write, trace, line, count);
}

static void say_answer(const char *bytes, size_t count) {
    if (trace < 0 || count < 12 || memcmp(bytes, "HTTP/1.1 ", 9) != 0) return;
    char status[4] = {bytes[9], bytes[10], bytes[11], 0};
    say("answer", status, (long long)count, 0);
}

// The path of a descriptor where it is within the folder, else 0.
static int path_within(int descriptor, char *path) {
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t count = readlink(link, path, PATH_MAX - 1);
    if (count < 0) return 0;
    path[count] = 0;
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static struct file *file_of(int descriptor) {
    if (descriptor < 0 || descriptor >= most_files) return NULL;
    struct file *file = __atomic_load_n(&files[descriptor], __ATOMIC_ACQUIRE);
    return file && file->log > 0 ? file : NULL;
}

static void forget(int descriptor) {
    if (descriptor < 0 || descriptor >= most_files || !files[descriptor]) return;
    pthread_mutex_lock(&lock);
    struct file *file = files[descriptor];
    if (file && file->log > 0) {
        syscall(SYS_close, file->log);
        file->log = 0;
    }
    pthread_mutex_unlock(&lock);
}

// Begins to record the writes of a descriptor, if it is of a file in the folder.
static void follow(int descriptor, int is_new) {
    struct stat status;
    char path[PATH_MAX], log[PATH_MAX + 32];
    forget(descriptor);
    if (names < 0 || descriptor >= most_files || fstat(descriptor, &status) != 0) return;
    if (!S_ISREG(status.st_mode) || !path_within(descriptor, path)) return;
    size_t length = strlen(path);
    if (length > 4 && strcmp(path + length - 4, "-shm") == 0) return;
    snprintf(log, sizeof log, "%s/%llu.undo", logs, (unsigned long long)status.st_ino);
    // A new file may have the number of one that is gone.
    int flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | (is_new ? O_TRUNC : 0);
    int opened = (int)syscall(SYS_openat, AT_FDCWD, log, flags, 0600);
    if (opened < 0) return;
    pthread_mutex_lock(&lock);
    if (!files[descriptor]) {
        struct file *made = calloc(1, sizeof *made);
        __atomic_store_n(&files[descriptor], made, __ATOMIC_RELEASE);
    }
    struct file *file = files[descriptor];
    const char *name = strrchr(path, '/');
    snprintf(file->name, sizeof file->name, "%.*s", NAME_MAX, name ? name + 1 : path);
    file->log = opened;
    if (is_new) {
        char line[PATH_MAX + 2];
        int count = snprintf(line, sizeof line, "+%s\n", path);
        syscall(SYS_write, names, line, count);
    }
    pthread_mutex_unlock(&lock);
}

// The caller has the lock.
static void note(struct file *file, int descriptor, int kind, uint64_t offset, const void *bytes,
                 uint64_t count) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return;
    uint64_t size = (uint64_t)status.st_size, end = kind == kind_write ? offset + count : size;
    uint64_t old = offset >= size ? 0 : (end < size ? end : size) - offset;
    struct record record = {magic, kind, offset, old, count, size};
    char *kept = malloc(old ? old : 1);
    // By this descriptor: closing another one of the file would give up the locks of SQLite.
    for (uint64_t done = 0; done < old;) {
        ssize_t read = syscall(SYS_pread64, descriptor, kept + done, old - done, offset + done);
        if (read <= 0) break;
        done += (uint64_t)read;
    }
    struct iovec parts[3] = {
        {&record, sizeof record}, {kept, (size_t)old}, {(void *)bytes, (size_t)count}};
    syscall(SYS_writev, file->log, parts, 3);
    free(kept);
}

static ssize_t write_at(int descriptor, const void *bytes, size_t count, int64_t offset) {
    struct file *file = file_of(descriptor);
    if (!file) {
        say_answer(bytes, count);
        return offset < 0 ? syscall(SYS_write, descriptor, bytes, count)
                          : syscall(SYS_pwrite64, descriptor, bytes, count, offset);
    }
    pthread_mutex_lock(&lock);
    int64_t place = offset;
    if (offset < 0) {
        struct stat status;
        int appends = (int)(syscall(SYS_fcntl, descriptor, F_GETFL, 0) & O_APPEND);
        place = appends && fstat(descriptor, &status) == 0
                    ? status.st_size
                    : (int64_t)syscall(SYS_lseek, descriptor, 0, SEEK_CUR);
    }
    say("write", file->name, place, (long long)count);
    note(file, descriptor, kind_write, (uint64_t)place, bytes, count);
    ssize_t done = offset < 0 ? syscall(SYS_write, descriptor, bytes, count)
                              : syscall(SYS_pwrite64, descriptor, bytes, count, offset);
    pthread_mutex_unlock(&lock);
    return done;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    return write_at(descriptor, bytes, count, -1);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    return write_at(descriptor, bytes, count, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return write_at(descriptor, bytes, count, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    if (!file_of(descriptor)) {
        if (count > 0) say_answer(parts[0].iov_base, parts[0].iov_len);
        return syscall(SYS_writev, descriptor, parts, count);
    }
    ssize_t total = 0;
    for (int index = 0; index < count; index++) {
        ssize_t done = write_at(descriptor, parts[index].iov_base, parts[index].iov_len, -1);
        if (done < 0) return total ? total : done;
        total += done;
        if ((size_t)done < parts[index].iov_len) break;
    }
    return total;
}

int ftruncate64(int descriptor, off64_t size) {
    struct file *file = file_of(descriptor);
    if (!file) return (int)syscall(SYS_ftruncate, descriptor, size);
    pthread_mutex_lock(&lock);
    say("truncate", file->name, size, 0);
    note(file, descriptor, kind_truncate, (uint64_t)size, "", 0);
    int result = (int)syscall(SYS_ftruncate, descriptor, size);
    pthread_mutex_unlock(&lock);
    return result;
}

int ftruncate(int descriptor, off_t size) { return ftruncate64(descriptor, size); }

static int synced(int descriptor, long call) {
    struct file *file = file_of(descriptor);
    struct stat status;
    char path[PATH_MAX];
    if (!file) {
        int result = (int)syscall(call, descriptor);
        if (result != 0 || lies || names < 0 || fstat(descriptor, &status) != 0) return result;
        if (!S_ISDIR(status.st_mode) || !path_within(descriptor, path)) return result;
        char line[PATH_MAX + 2];
        int count = snprintf(line, sizeof line, "=%s\n", path);
        syscall(SYS_write, names, line, count);
        return result;
    }
    if (lies) return 0;
    // What is written while the disk is at work need not be on it.
    pthread_mutex_lock(&lock);
    int64_t end = fstat(file->log, &status) == 0 ? status.st_size : 0;
    pthread_mutex_unlock(&lock);
    if (delay > 0) usleep((useconds_t)delay * 1000);
    int result = (int)syscall(call, descriptor);
    if (result != 0) return result;
    pthread_mutex_lock(&lock);
    struct record record = {magic, kind_synced, (uint64_t)end, 0, 0, 0};
    syscall(SYS_write, file->log, &record, sizeof record);
    say("sync", file->name, 0, 0);
    pthread_mutex_unlock(&lock);
    return result;
}

int fsync(int descriptor) { return synced(descriptor, SYS_fsync); }

int fdatasync(int descriptor) { return synced(descriptor, SYS_fdatasync); }

static int open_at(int place, const char *path, int flags, mode_t mode) {
    int was_there = syscall(SYS_faccessat, place, path, F_OK, 0) == 0;
    int writes = (flags & O_ACCMODE) != O_RDONLY && !(flags & O_PATH);
    int empties = writes && was_there && (flags & O_TRUNC);
    int actual = empties ? flags & ~O_TRUNC : flags;
    // What is replaced is read by the same descriptor.
    if (writes && folder[0] && strncmp(path, folder, strlen(folder)) == 0)
        actual = (actual & ~O_ACCMODE) | O_RDWR;
    int descriptor = (int)syscall(SYS_openat, place, path, actual, mode);
    if (descriptor < 0) return descriptor;
    if (writes) {
        follow(descriptor, (flags & O_CREAT) && !was_there);
    } else {
        forget(descriptor);
    }
    if (empties) ftruncate64(descriptor, 0);
    return descriptor;
}

#define WITH_MODE                                                                                  \
    mode_t mode = 0;                                                                               \
    if (flags & (O_CREAT | O_TMPFILE)) {                                                           \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode = va_arg(rest, mode_t);                                                               \
        va_end(rest);                                                                              \
    }

int open(const char *path, int flags, ...) {
    WITH_MODE
    return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    WITH_MODE
    return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int place, const char *path, int flags, ...) {
    WITH_MODE
    return open_at(place, path, flags, mode);
}

int openat64(int place, const char *path, int flags, ...) {
    WITH_MODE
    return open_at(place, path, flags, mode);
}

int close(int descriptor) {
    forget(descriptor);
    return (int)syscall(SYS_close, descriptor);
}

int dup2(int from, int to) {
    if (from == to) return (int)syscall(SYS_fcntl, from, F_GETFD, 0) < 0 ? -1 : to;
    forget(to);
    int descriptor = (int)syscall(SYS_dup3, from, to, 0);
    if (descriptor >= 0 && file_of(from)) follow(descriptor, 0);
    return descriptor;
}

ssize_t send(int descriptor, const void *bytes, size_t count, int flags) {
    say_answer(bytes, count);
    return syscall(SYS_sendto, descriptor, bytes, count, flags, NULL, 0);
}

ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
    if (message->msg_iovlen > 0) say_answer(message->msg_iov->iov_base, message->msg_iov->iov_len);
    return syscall(SYS_sendmsg, descriptor, message, flags);
}
