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

#include "base/err.h"
#include "symbols/table.h"

#include <sys/types.h>

struct hd_perfmap_found {
	size_t lines, damaged;
};

/* Parse n bytes, which are copied, and build the table. */
void hd_perfmap_parse(struct hd_symtable *t, const char *text, size_t n, struct hd_perfmap_found *found);

/*
 * Open a perf map below root (NULL or "": none).  It must be a regular file
 * and no link, not writable by everybody, and belong to root, to us, or to the
 * user of the process pid when that still runs here (same_machine).
 */
int hd_perfmap_open(const char *root, const char *path, int32_t pid, bool same_machine, struct hd_err *err);

#endif
