#include "build.h"

const char *stele_build(void) { return STELE_BUILD; }
