/*
 * annotation_rows.h - annotated functions as a list of rows: the source, or the instructions
 *
 * Each function has a title and notes, followed by
 *
 *     source          for each source file its lines with instructions or costs, and some lines around each; a gap
 *                     replaces the lines in between.  The last row has the costs without a line, if there are any
 *     instructions    the instructions, with their source lines between them
 *
 * Owns: the rows and the texts of notes.  The annotations are borrowed.
 */
#ifndef HD_TUI_ANNOTATION_ROWS_H
#define HD_TUI_ANNOTATION_ROWS_H

#include "annotate/annotation.h"
#include "base/buf.h"

enum hd_annotation_row_kind {
	/* The comment of a kind states the meaning of the members `at` and `number` of its rows. */
	HD_ANNOTATION_ROW_TITLE,	/* the function and its object */
	HD_ANNOTATION_ROW_NOTE,		/* at: offset in `texts` */
	HD_ANNOTATION_ROW_FILE,		/* at: index of the file */
	HD_ANNOTATION_ROW_SOURCE,	/* at: index in hd_annotation.lines, or HD_ANNOTATION_NONE: no costs */
	HD_ANNOTATION_ROW_GAP,		/* number: how many source lines are not shown */
	HD_ANNOTATION_ROW_SCOPE,	/* names a chain of inlined functions.  at: index of its first instruction */
	HD_ANNOTATION_ROW_PLACE,	/* at: index of the line of the following instructions */
	HD_ANNOTATION_ROW_INSTRUCTION,	/* at: index of the instruction */
};

struct hd_annotation_row {
	enum hd_annotation_row_kind kind;
	uint32_t item;			/* index in hd_annotations.items */
	uint32_t at;
	/*
	 * Set in rows SOURCE and GAP.  file: index of the file; HD_ANNOTATION_NONE in the row of costs without a line.
	 * number: number of the line, or how many lines the gap hides.
	 */
	uint32_t file, number;
};

struct hd_annotation_rows {
	const struct hd_annotations *found;
	bool instructions;		/* the rows are instructions; otherwise, source lines */
	struct hd_annotation_row *v;
	size_t n, cap;
	struct hd_buf texts;		/* texts of the notes in visible form, each with a NUL */
};

/* Rebuild the list.  found->n may be 0. */
void hd_annotation_rows_build(struct hd_annotation_rows *r, const struct hd_annotations *found, bool instructions);
void hd_annotation_rows_release(struct hd_annotation_rows *r);
/* Append a note: escape the control characters of `text`, and add a row for each piece of at most 76 columns. */
void hd_annotation_rows_note(struct hd_annotation_rows *r, uint32_t item, const char *text);
/* Return the costs of a row, one for each event of its annotation; NULL: the row has none. */
const struct hd_annotation_cost *hd_annotation_rows_cost(const struct hd_annotation_rows *r, size_t row);
/*
 * Return the index of the row with the highest cost in an event (a column of the annotations), the first of equals.
 * If `line` is not HD_ANNOTATION_NONE, only rows of this line of the function `item` count.  Returns r->n if there is
 * none.
 */
size_t hd_annotation_rows_hottest(const struct hd_annotation_rows *r, size_t event, uint32_t item, uint32_t line);
/* Return the index of the line that a row belongs to, or HD_ANNOTATION_NONE. */
uint32_t hd_annotation_rows_line(const struct hd_annotation_rows *r, size_t row);

#endif
