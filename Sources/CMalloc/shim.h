// CMalloc for Swift: glibc's malloc.h, which the Glibc module leaves out.
#pragma once
#include <malloc.h>
