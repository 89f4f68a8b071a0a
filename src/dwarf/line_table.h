/*
 * line_table.h - one unit's line program of .debug_line, run once and kept
 *
 * DWARF 2 to 5.  A program is a byte code that prints rows (address, file,
 * line); a run of rows with rising addresses up to an end mark is a sequence:
 *
 *     sequence  0x1130 .. 0x1158    0x1130 a.c:3   0x1134 a.c:4   0x113a b.h:9
 *
 * An address belongs to the last row at or before it.  Rows that change
 * nothing are not kept; a row takes 16 bytes.  Everything is bounded by the
 * bytes of the unit: no count in it is believed, and names are put together
 * only when one is asked for.
 *
 * Owns: rows and paths.  Borrows: the bytes of the unit, and the sections.
 */
#ifndef HD_DWARF_LINE_TABLE_H
#define HD_DWARF_LINE_TABLE_H

#include "base/err.h"
#include "dwarf/line_files.h"

struct hd_line_table;

/* in's unit, sections and strings must outlive the table.  A damaged one is read as far as it goes. */
int hd_line_table_read(struct hd_line_table **out, const struct hd_line_table_in *in, struct hd_err *err);
void hd_line_table_free(struct hd_line_table *t);
/* One clause about what was wrong with it, or NULL. */
const char *hd_line_table_damage(const struct hd_line_table *t);

/* The line and the number of the file of an address. */
bool hd_line_table_find(const struct hd_line_table *t, uint64_t vaddr, uint32_t *file, uint32_t *line);
/* The path of a file by its number; NULL when there is no such file.  Lives as long as the table. */
const char *hd_line_table_file(struct hd_line_table *t, uint32_t file);

#endif
