// CJansson for Swift: the header, and inline functions for what Swift cannot see (variadics, macros).
#pragma once
#include <jansson.h>
