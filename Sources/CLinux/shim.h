// CLinux for Swift: headers of the C library that the Glibc module leaves out.
#pragma once
#include <malloc.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

// Variadic, which Swift cannot call. At most 15 bytes are shown.
static inline void stele_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

// In <pthread.h> only for those who ask for what is GNU's own.
extern int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);

// Where the stack of this thread is now; the address of a local may be elsewhere under a sanitizer.
static inline void *stele_stack_place(void) { return __builtin_frame_address(0); }
