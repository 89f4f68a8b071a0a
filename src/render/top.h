/*
 * top.h - print the costliest symbols as text, Markdown or JSON
 *
 * JSON: {"format":"hotdrift.top","version":1,"event","unit","samples","weight","symbols","inline",
 * "rows":[{"rank","symbol","dso","self","self_pct","total","total_pct","samples"}]}
 *
 * A row also has "linkage", the linkage name, unless the symbol is unknown; "unknown" or "dso_unknown" if the symbol or
 * the object is unknown; and "self_sd_pct" (see below) if weights are estimates.
 *
 * With several events, "reports":[...] has one such object per event.  Weights are in `unit`, shares in per cent of the
 * event's weight.  "inline" is true if inlined functions are rows.  self_sd_pct is the standard deviation of `self` in
 * per cent of it (profile/sampling_error.h).
 *
 * If frames are skipped (profile/skip_rules.h), "skipped":[{"rank","symbol","dso","self","self_pct","samples"}] lists
 * the skipped functions in which samples were taken.  Text and Markdown have a second table for them.
 */
#ifndef HD_RENDER_TOP_H
#define HD_RENDER_TOP_H

#include "profile/top.h"
#include "base/buf.h"
#include "render/table.h"

enum hd_format { HD_FORMAT_TEXT, HD_FORMAT_MARKDOWN, HD_FORMAT_JSON };

struct hd_top_opts {
	unsigned limit;		/* maximum rows; 0: all */
	double percent_limit;	/* rows with a smaller share (with by_total, of total cost), in per cent, are dropped */
	bool full_names;	/* demangled, with parameters */
	bool by_total;
	bool inlined;		/* inlined functions are rows (profile/functions.h) */
	/* lists that were computed before, with the same `inlined` and at least `limit` rows; NULL: compute them */
	const struct hd_tops *tops;
};

/* Print the lists of all events that have samples. */
void hd_top_write(struct hd_buf *out, const struct hd_profile *p, enum hd_format format, const struct hd_top_opts *o);

/* Initialise `t` and add the rows of one list. */
void hd_top_rows(struct hd_table *t, const struct hd_profile *p, const struct hd_top *top, const struct hd_top_opts *o);
/* Append `cycles:u: 1,234 samples, 5.67 Gcycles`, and the number of lost samples if there are any. */
void hd_event_line(struct hd_buf *out, const struct hd_profile *p, uint32_t event, bool markdown);
/* If options such as --time selected some of the samples, append a note that explains what 100 % refers to. */
void hd_selection_note(struct hd_buf *out, const struct hd_profile *p);

#endif
