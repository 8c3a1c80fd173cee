// CLinux for Swift: headers of the C library that the Glibc module leaves out.
#pragma once
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
