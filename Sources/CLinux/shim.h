// CLinux for Swift: headers of the C library that the Glibc module leaves out.
#pragma once
#include <fcntl.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

// Variadic, which Swift cannot call. At most 15 bytes are shown.
static inline void stele_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

// In <pthread.h> only for those who ask for what is GNU's own.
extern int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);

// How many bytes the other end of a connection has acknowledged; 0 where that is not known. It is
// tcpi_bytes_acked of <linux/tcp.h>, which cannot stand beside the shorter tcp_info of <netinet/tcp.h>.
static inline uint64_t stele_acknowledged(int socket) {
    unsigned char info[128];
    socklen_t size = sizeof info;
    uint64_t bytes = 0;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, info, &size) == 0 && size == sizeof info)
        memcpy(&bytes, info + 120, sizeof bytes);
    return bytes;
}

// POLLRDHUP, in <poll.h> only for those who ask for what is GNU's own.
static const short stele_departure = 0x2000;

// Where the stack of this thread is now; the address of a local may be elsewhere under a sanitizer.
static inline void *stele_stack_place(void) { return __builtin_frame_address(0); }

// Where this thread keeps the lowest address and the size of its stack; both are 0 before it does.
static inline uintptr_t *stele_stack_bounds(void) {
    static __thread uintptr_t bounds[2];
    return bounds;
}

// Locks a whole file for as long as this descriptor, and copies of it, are open, unlike POSIX locks,
// which end with any descriptor of the file (F_OFD_SETLK, F_OFD_SETLKW; <fcntl.h> has them only for
// those who ask for what is GNU's own).
static inline int stele_lock(int descriptor, short type, int waits) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
    return fcntl(descriptor, waits ? 38 : 37, &lock);
}

// Whether no other descriptor has such a lock on a file. Nothing is locked (F_OFD_GETLK).
static inline int stele_is_unlocked(int descriptor) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(descriptor, 36, &lock) == 0 && lock.l_type == F_UNLCK;
}
