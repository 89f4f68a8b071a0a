/*
 * demangle.h - turn linkage names of C++, Rust, D and OCaml into source names
 */
#ifndef HD_ELF_DEMANGLE_H
#define HD_ELF_DEMANGLE_H

#include <stdbool.h>

/*
 * Demangle a C++, Rust (legacy and v0), D or OCaml name.  Input size, recursion depth and output size are limited,
 * because the name is untrusted.  full: the result includes the parameters.  Returns a heap string that the caller
 * frees, or NULL if the name is not mangled or exceeds a limit.  perf does not demangle kernel names, so callers must
 * not pass those.
 */
char *hd_demangle(const char *linkage, bool full);

#endif
