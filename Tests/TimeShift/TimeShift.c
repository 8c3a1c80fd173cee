// A library to preload, by which a process sees another time of day: as many seconds later as a file
// of eight bytes says (TIME_SHIFT), or earlier where they are negative. A test changes the file
// while the process runs. Clocks that do not follow the time of day are as they are.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *shift;
static int (*system_clock_gettime)(clockid_t, struct timespec *);

__attribute__((constructor)) static void prepare(void) {
    system_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    const char *path = getenv("TIME_SHIFT");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *bytes = mmap(0, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    if (bytes != MAP_FAILED) shift = bytes;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!system_clock_gettime) system_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    int code = system_clock_gettime(clock, time);
    if (code == 0 && shift && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        time->tv_sec += *shift;
    return code;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone) {
    (void)zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    result->tv_sec = now.tv_sec;
    result->tv_usec = now.tv_nsec / 1000;
    return 0;
}
