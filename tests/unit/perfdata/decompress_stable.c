/* decompress.c where libzstd is asked for nothing but what is stable: the same tests. */
#define HD_ZSTD_STABLE
#include "perfdata/decompress.c"

#include "decompress.c"
