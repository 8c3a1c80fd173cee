// A library to preload, by which a process cannot sync one folder (FAILED_SYNC).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

int fsync(int file) {
    static int (*system_fsync)(int);
    if (!system_fsync) system_fsync = dlsym(RTLD_NEXT, "fsync");
    const char *path = getenv("FAILED_SYNC");
    struct stat folder, synced;
    if (path && !stat(path, &folder) && !fstat(file, &synced) && folder.st_ino == synced.st_ino
        && folder.st_dev == synced.st_dev) {
        errno = EIO;
        return -1;
    }
    return system_fsync(file);
}
