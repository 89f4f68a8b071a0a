/*
 * top.h - the list of costliest symbols, as text, Markdown or JSON
 *
 * JSON: {"format":"hotdrift.top","version":1,"event","unit","samples","weight",
 * "symbols","inline","rows":[{"rank","symbol","dso","self","self_pct","total","total_pct","samples"}]};
 * with several events "reports":[...] of that shape.  Weights are in `unit`,
 * shares in per cent of the event's weight; inline: inlined functions are rows.  Where frames are skipped
 * (profile/skip_rules.h) "skipped":[{"rank","symbol","dso","self","self_pct","samples"}] are the functions that the
 * samples were taken in, as a second table is in text and Markdown.
 */
#ifndef HD_RENDER_TOP_H
#define HD_RENDER_TOP_H

#include "profile/top.h"
#include "base/buf.h"
#include "render/table.h"

enum hd_format { HD_FORMAT_TEXT, HD_FORMAT_MARKDOWN, HD_FORMAT_JSON };

struct hd_top_opts {
	unsigned limit;		/* rows; 0: all */
	double percent_limit;	/* rows whose share is below it are dropped */
	bool full_names;	/* demangled with parameters */
	bool by_total;
	bool inlined;		/* inlined functions are rows (profile/functions.h) */
	const struct hd_tops *tops;	/* made before, as `inlined` says, with `limit` rows or more; NULL: made here */
};

/* All events with samples. */
void hd_top_write(struct hd_buf *out, const struct hd_profile *p, enum hd_format format, const struct hd_top_opts *o);

/* The rows of that table, into one that is not initialised yet. */
void hd_top_rows(struct hd_table *t, const struct hd_profile *p, const struct hd_top *top, const struct hd_top_opts *o);
/* `cycles:u: 1,234 samples, 5.67 G cycles` and what was lost. */
void hd_event_line(struct hd_buf *out, const struct hd_profile *p, uint32_t event, bool markdown);
/* After an event line: what 100 % is, if a selection dropped samples. */
void hd_selection_note(struct hd_buf *out, const struct hd_profile *p);

#endif
