/*
 * lines.h - find the source lines of one object
 *
 * hd_lines_open() lists the units of .debug_info; the first lookup in a unit runs its line program.  Line tables are
 * always in the main file, not in .dwo files.  Names of directories may be in an alternate file (altfile.h).
 *
 * Warnings: symbols.lines-damaged.
 */
#ifndef HD_DWARF_LINES_H
#define HD_DWARF_LINES_H

#include "dwarf/altfile.h"
#include "dwarf/dwarf_source.h"
#include "dwarf/source_line.h"
#include "dwarf/unit_index.h"

/* Returns a reader, never NULL.  If there is no line information, all lookups find nothing.  `src` is borrowed. */
struct hd_lines *hd_lines_open(const struct hd_dwarf_source *src);
void hd_lines_free(struct hd_lines *l);
/*
 * Find the file and line of an address.  *hit does not change if no line table covers the address.  If only the file is
 * unknown, hit->file becomes NULL.
 */
void hd_lines_find(struct hd_lines *l, uint64_t vaddr, struct hd_line_hit *hit);

/*
 * Functions for inlines.c.  They return the file with the DWARF, the index of its units, and its alternate file; `l`
 * owns all three.  hd_lines_elf() and hd_lines_units() return NULL if there is no such file or it cannot be read.
 */
struct hd_elf *hd_lines_elf(struct hd_lines *l);
const struct hd_unit_index *hd_lines_units(const struct hd_lines *l);
struct hd_altfile *hd_lines_alt(struct hd_lines *l);
/*
 * Return the path of a file number of a unit, without running the line program.  NULL if there is none.  The string
 * lives as long as `l`.
 */
const char *hd_lines_file(struct hd_lines *l, uint32_t unit, uint32_t file);

#endif
