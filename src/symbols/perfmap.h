/*
 * perfmap.h - what a JIT compiler says it put where: /tmp/perf-PID.map
 *
 *     7f1c4a2d3000 1c0 LazyCompile:~main /app/server.js:12
 *
 * Start and size in hexadecimal, then the name up to the end of the line.  The
 * file is a log: memory is used again, so of overlapping entries the later
 * one is what ran last.
 */
#ifndef HD_SYMBOLS_PERFMAP_H
#define HD_SYMBOLS_PERFMAP_H

#include "elf/symbol_table.h"

/* A larger file is not read. */
#define HD_PERFMAP_MAX (1ull << 30)

struct hd_perfmap_found {
	size_t lines, damaged;
};

/* Parse n bytes, which are copied, and build the table. */
void hd_perfmap_parse(struct hd_symtable *t, const char *text, size_t n, struct hd_perfmap_found *found);

#endif
