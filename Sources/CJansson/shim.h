// CJansson for Swift: the header, and inline functions for what Swift cannot see (variadics, macros).
#pragma once
#include <jansson.h>

/// The text of an error, without Swift having to see a fixed array as a tuple.
static inline const char *cjansson_error_text(const json_error_t *error) {
    return error->text;
}

/// The code of an error: jansson gives the function and the enum one name, which Swift cannot tell.
static inline int cjansson_error_code(const json_error_t *error) {
    return (int)json_error_code(error);
}
