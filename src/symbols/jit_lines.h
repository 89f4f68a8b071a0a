/*
 * jit_lines.h - source lines of JIT code, from its jitdump
 *
 * A load's entries say from which address on which line is meant; they are read
 * when the first address in that load is asked for, and kept.  A list that does not
 * fill its record, or speaks of other addresses, is not believed.
 *
 * Private to symbols/.
 */
#ifndef HD_SYMBOLS_JIT_LINES_H
#define HD_SYMBOLS_JIT_LINES_H

#include "base/log.h"
#include "dwarf/source_line.h"
#include "symbols/jitdump.h"

struct hd_jit_lines;

/* Both are borrowed; symbols.lines-damaged goes to the log. */
struct hd_jit_lines *hd_jit_lines_new(const struct hd_jitdump *d, struct hd_log *log);
void hd_jit_lines_free(struct hd_jit_lines *jl);		/* NULL is fine */
/* The line at an offset of the dump; hit->file stays valid. */
void hd_jit_lines_find(struct hd_jit_lines *jl, uint64_t off, struct hd_line_hit *hit);

#endif
