// The files of the page for browsers, which are part of the program.
#pragma once

#include <stddef.h>

// A file: its path below the page's folder, and its text, which ends with a zero.
struct stele_page_file {
    const char *path;
    const char *text;
};

// The file at an index from 0; its path is null behind the last one.
struct stele_page_file stele_page_file(size_t index);
