/*
 * perfmap.h - parse /tmp/perf-PID.map, in which a JIT compiler lists its code
 *
 *     7f1c4a2d3000 1c0 LazyCompile:~main /app/server.js:12
 *
 * A line has the start and size in hexadecimal and then the name.  The file is a log, and memory is reused: of
 * overlapping entries the last one is used.
 */
#ifndef HD_SYMBOLS_PERFMAP_H
#define HD_SYMBOLS_PERFMAP_H

#include "elf/symbol_table.h"

/* Larger files are not read. */
#define HD_PERFMAP_MAX (1ull << 30)

struct hd_perfmap_found {
	size_t lines, damaged;
};

/* Parse n bytes, which are copied, and build the table.  `found` receives the number of valid and invalid lines. */
void hd_perfmap_parse(struct hd_symtable *t, const char *text, size_t n, struct hd_perfmap_found *found);

#endif
