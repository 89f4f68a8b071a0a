/*
 * line_table.h - run the line program of a unit once and store its rows
 *
 * DWARF 2 to 5 are supported.  A line program is byte code that emits rows (address, file, line).  A sequence is a run
 * of rows with ascending addresses up to an end marker:
 *
 *     sequence  0x1130 .. 0x1158    0x1130 a.c:3   0x1134 a.c:4   0x113a b.h:9
 *
 * An address belongs to the last row at or before it.  Rows that change nothing are dropped; a row takes 16 bytes.
 * Work and memory are bounded by the size of the unit: no count in it is trusted, and a path is built when it is first
 * needed.
 *
 * Ownership: the table owns rows and paths; it borrows the bytes of the unit and the sections.
 */
#ifndef HD_DWARF_LINE_TABLE_H
#define HD_DWARF_LINE_TABLE_H

#include "base/err.h"
#include "dwarf/line_files.h"

struct hd_line_table;

/*
 * Read a table; the caller frees *out.  The unit, sections and strings of `in` must outlive it.  Returns 0, or
 * HD_EFORMAT if the header is invalid or the unit is cut off; *out is then not set.  A table that is damaged after the
 * header is read as far as possible; hd_line_table_damage() then has the reason.
 */
int hd_line_table_read(struct hd_line_table **out, const struct hd_line_table_in *in, struct hd_err *err);
void hd_line_table_free(struct hd_line_table *t);
/* Return the first fault as a clause; NULL if there is none. */
const char *hd_line_table_damage(const struct hd_line_table *t);

/* Find the line and file number of an address; false if no sequence covers it. */
bool hd_line_table_find(const struct hd_line_table *t, uint64_t vaddr, uint32_t *file, uint32_t *line);
/* Return the path of a file number, or NULL if there is no such file.  The string lives as long as the table. */
const char *hd_line_table_file(struct hd_line_table *t, uint32_t file);

#endif
