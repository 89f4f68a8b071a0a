/* decompress_stable.c - the tests of decompress.c, built with only the stable interface of libzstd */
#ifndef HD_ZSTD_STABLE
#define HD_ZSTD_STABLE
#endif
#include "perfdata/decompress.c"

#include "decompress.c"
