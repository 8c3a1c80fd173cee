// CZlib for Swift: the header, and inline functions for what Swift cannot see (variadics, macros).
#pragma once
#include <zlib.h>
