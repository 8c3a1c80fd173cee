// Makes each fsync and fdatasync of a program last longer, as on a slower disk: for LD_PRELOAD.
// SYNC_DELAY_US has the microseconds.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

static void wait_for_disk(void)
{
    const char *text = getenv("SYNC_DELAY_US");
    long microseconds = text ? strtol(text, NULL, 10) : 0;
    if (microseconds <= 0) return;
    // A sleep is longer by the slack of timers, which is 50 microseconds.
    prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
    struct timespec pause = { microseconds / 1000000, microseconds % 1000000 * 1000 };
    nanosleep(&pause, NULL);
}

int fsync(int file)
{
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    int status = real(file);
    wait_for_disk();
    return status;
}

int fdatasync(int file)
{
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    int status = real(file);
    wait_for_disk();
    return status;
}
