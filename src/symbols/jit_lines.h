/*
 * jit_lines.h - find the source lines of JIT code in its jitdump
 *
 * A load is one piece of JIT code with its LOAD record.  Its list of lines is read when an address in the load is first
 * looked up, and cached.  A list is rejected if it does not fill its record, or if it contains an address outside of
 * the load.
 */
#ifndef HD_SYMBOLS_JIT_LINES_H
#define HD_SYMBOLS_JIT_LINES_H

#include "base/log.h"
#include "dwarf/source_line.h"
#include "symbols/jitdump.h"

struct hd_jit_lines;

/* `d` and `log` are borrowed.  Warns with symbols.lines-damaged. */
struct hd_jit_lines *hd_jit_lines_new(const struct hd_jitdump *d, struct hd_log *log);
void hd_jit_lines_free(struct hd_jit_lines *jl);		/* accepts NULL */
/* Look up the line at an offset of the dump; if there is none, *hit does not change.  `jl` owns hit->file. */
void hd_jit_lines_find(struct hd_jit_lines *jl, uint64_t off, struct hd_line_hit *hit);

#endif
