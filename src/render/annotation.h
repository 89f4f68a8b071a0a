/*
 * annotation.h - print annotated functions as text, Markdown or JSON
 *
 * Text and Markdown have, for each function: a line for each event, the source files that have a problem or were read
 * from another path, notes, the hottest lines, and the instructions with their cost, jump arrows, source lines and
 * inlined functions between them.  In Markdown the listings are code blocks, so that no byte of the input is markup.
 *
 * JSON: {"format":"hotdrift.annotate","version":1,"percent_type","matched","symbols":[SYMBOL...]}, where SYMBOL is the
 * object of hd_annotation_json():
 *
 *     {"symbol","linkage","object","build_id","machine","address":"0x...","size",
 *      "events":[{"event","unit","samples","weight","event_samples","event_weight"}],
 *      "files":[{"path","read_from","problem","lines"}],
 *      "scopes":[{"name","parent","call_file","call_line"}],                       [0] is the function itself
 *      "lines":[{"file","line","text","instructions","cost":[COST...]}],
 *      "instructions":[{"address":"0x...","size","text","line","scope","target","callee","cost":[COST...]}],
 *      "notes":["..."]}
 *
 * Indexes point into these arrays: the "file" of a line into "files", the "line", "scope" and "target" of an
 * instruction into "lines", "scopes" and "instructions", and the "parent" of a scope into "scopes"; null means none.  A
 * "cost" has one COST, {"event","weight","samples","pct"}, for each event whose cost is not 0; its "event" is an index
 * of "events". lines[0] has the cost without line information.  In the text of source lines, tabs are expanded and
 * control characters are encoded.
 */
#ifndef HD_RENDER_ANNOTATION_H
#define HD_RENDER_ANNOTATION_H

#include "annotate/annotation.h"
#include "base/buf.h"
#include "base/jsonw.h"
#include "render/top.h"

enum { HD_ANNOTATION_CONTEXT = 5, HD_ANNOTATION_HOT_LINES = 10 };

struct hd_annotation_view {
	enum hd_percent_type percent;
	double percent_limit;		/* lines and instructions with at least this share, in per cent, are hot */
	unsigned context;		/* number of rows to show before and after each hot row */
	bool full;			/* show all rows, not only hot ones with their context */
	bool source_only;		/* the source with its costs, without instructions */
	bool asm_only;			/* instructions without source lines */
	unsigned hot_lines;		/* length of the list of the hottest lines; 0: all */
};

void hd_annotation_write(struct hd_buf *out, const struct hd_annotations *found, enum hd_format format,
	const struct hd_annotation_view *view);
/* Append the members of one function to an open JSON object. */
void hd_annotation_json(struct hd_jsonw *w, const struct hd_annotation *a, const struct hd_annotation_view *view);

/*
 * Append one line of source as text that is safe on a terminal: tabs become blanks, control and invalid bytes are
 * encoded as in base/encode.h.  Unlike in names, a backslash stays a backslash.
 */
void hd_annotation_source(struct hd_buf *out, const char *text);
/* Append "file.c:14", or the whole path with the line; "[no line]" for lines[0]. */
void hd_annotation_place(struct hd_buf *out, const struct hd_annotation *a, const struct hd_annotation_line *line,
	bool whole_path);
/* Return the source text of a line as raw bytes; NULL: unknown. */
const char *hd_annotation_text_of(const struct hd_annotation *a, const struct hd_annotation_line *line);
/* Append a chain of inlined functions, innermost first: "inner < middle < function". */
void hd_annotation_scope(struct hd_buf *out, const struct hd_annotation *a, uint32_t scope);
/*
 * Return the indexes of the lines with cost whose share of any event is at least `percent_limit`.  They are sorted by
 * descending cost of the first event, then of the second event, then by file and line number.  The caller frees the
 * array.
 */
uint32_t *hd_annotation_hot_lines(size_t *n, const struct hd_annotation *a, const struct hd_annotation_view *view);

#endif
