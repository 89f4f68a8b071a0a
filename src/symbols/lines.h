/*
 * lines.h - source lines of one object, found on demand
 *
 * libdw opens the debug sections and walks the units; only their top entries
 * are read, for the address ranges and the place of the line program.  A line
 * program is run when the first address in its unit is asked about.  Nothing
 * outside the file is opened: no split DWARF, no alternate file.
 *
 * Private to symbols/.
 */
#ifndef HD_SYMBOLS_LINES_H
#define HD_SYMBOLS_LINES_H

#include "symbols/object.h"

/* Never NULL; without line information all answers are "none". */
struct hd_lines *hd_lines_open(struct hd_symobj *o);
void hd_lines_free(struct hd_lines *l);
void hd_lines_find(struct hd_lines *l, uint64_t vaddr, struct hd_line_hit *hit);

/*
 * Are the file's debug sections ones that can be handed to libdw, which reads
 * and unpacks them whole?  Checks sizes, what they claim to unpack to, and the
 * sum.  HD_EFORMAT says which is not.
 */
int hd_dwarf_check(const struct hd_elf *e, struct hd_err *err);

#endif
