/*
 * lines.h - source lines of one object, found on demand
 *
 * The units of .debug_info are listed when the first line is asked for; a
 * unit's line program is run when the first address in it is.  Split DWARF
 * leaves the lines in the file; an alternate file may have the names of folders.
 *
 * Private to symbols/.
 */
#ifndef HD_DWARF_LINES_H
#define HD_DWARF_LINES_H

#include "dwarf/altfile.h"
#include "dwarf/dwarf_source.h"
#include "dwarf/source_line.h"
#include "dwarf/unit_index.h"

/* Never NULL; without line information all answers are "none". */
struct hd_lines *hd_lines_open(const struct hd_dwarf_source *src);
void hd_lines_free(struct hd_lines *l);
void hd_lines_find(struct hd_lines *l, uint64_t vaddr, struct hd_line_hit *hit);

/* The file with the line information and its units, for inlines.c; NULL when there is none. */
struct hd_elf *hd_lines_elf(struct hd_lines *l);
const struct hd_unit_index *hd_lines_units(const struct hd_lines *l);
struct hd_altfile *hd_lines_alt(struct hd_lines *l);
/* Source file number `file` of a unit: its line program is not run for that.  NULL when there is none.  Lives as long as l. */
const char *hd_lines_file(struct hd_lines *l, uint32_t unit, uint32_t file);

#endif
