/*
 * lines.h - source lines of one object, found on demand
 *
 * The units of .debug_info are listed when the first line is asked for; a
 * unit's line program is run when the first address in it is.  Nothing outside
 * the file is opened: no split DWARF, no alternate file.
 *
 * Private to symbols/.
 */
#ifndef HD_SYMBOLS_LINES_H
#define HD_SYMBOLS_LINES_H

#include "symbols/object.h"

#include <elfutils/libdw.h>

/* Never NULL; without line information all answers are "none". */
struct hd_lines *hd_lines_open(struct hd_symobj *o);
void hd_lines_free(struct hd_lines *l);
void hd_lines_find(struct hd_lines *l, uint64_t vaddr, struct hd_line_hit *hit);

/*
 * libdw's handle of the same file, opened on the first call, which reads its
 * debug sections whole; NULL when there is none or they are not what they
 * claim.  Not for the lines: for what lies deeper in .debug_info.
 */
Dwarf *hd_lines_dwarf(struct hd_lines *l);

/*
 * Are the file's debug sections ones that can be unpacked?  Checks sizes, what
 * they claim to unpack to, and the sum.  HD_EFORMAT says which is not.
 */
int hd_dwarf_check(const struct hd_elf *e, struct hd_err *err);

#endif
