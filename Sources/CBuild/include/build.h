// The name of this build. A function, so that another name compiles one file and links again.
#pragma once

// What STELE_BUILD was when the package was built, such as a commit.
const char *stele_build(void);
