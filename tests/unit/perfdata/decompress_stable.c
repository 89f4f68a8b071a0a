/* decompress.c where libzstd is asked for nothing but what is stable: the same tests. */
#ifndef HD_ZSTD_STABLE
#define HD_ZSTD_STABLE
#endif
#include "perfdata/decompress.c"

#include "decompress.c"
