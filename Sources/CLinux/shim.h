// CLinux for Swift: headers of the C library that the Glibc module leaves out.
#pragma once
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

// Variadic, which Swift cannot call. At most 15 bytes are shown.
static inline void stele_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

// In <pthread.h> only for those who ask for what is GNU's own.
extern int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);

// Where the stack of this thread is now; the address of a local may be elsewhere under a sanitizer.
static inline void *stele_stack_place(void) { return __builtin_frame_address(0); }

// Locks a whole file for as long as this descriptor, and copies of it, are open, unlike POSIX locks,
// which end with any descriptor of the file (F_OFD_SETLK, F_OFD_SETLKW; <fcntl.h> has them only for
// those who ask for what is GNU's own).
static inline int stele_lock(int descriptor, short type, int waits) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
    return fcntl(descriptor, waits ? 38 : 37, &lock);
}
