/*
 * opportunities.h - print the ranked list of functions (history/opportunities.h)
 *
 * Formats: text, Markdown, CSV (RFC 4180, names in their visible form) and JSON:
 *
 * {"format":"hotdrift.opportunities","version":1,"db","weights":{MODE:weight},"hot_pct","targets","runs",
 *  "cells":[{"target","mode","runs","commit"}],
 *  "rows":[{"rank","symbol","object","source","owner","score","impact_pct","impact_ci":[lo,hi],"MODE_pct",...,
 *  "main_mode","hot_targets","targets","targets_ci","hot_runs","runs","runs_ci","confidence_pct",
 *  "benchmarks","benchmark"}],"more",
 *  "excluded":[{"reason","symbols","impact_pct","examples":[{"symbol","impact_pct"}]}],
 *  "runs_excluded":{"failed","mode_without_weight","without_samples","not_selected"}}
 *
 * There is one MODE_pct per mode with a weight.  Unknown values are null.
 */
#ifndef HD_RENDER_OPPORTUNITIES_H
#define HD_RENDER_OPPORTUNITIES_H

#include "base/buf.h"
#include "history/opportunities.h"

enum hd_opportunities_format {
	HD_OPPORTUNITIES_TEXT, HD_OPPORTUNITIES_MARKDOWN, HD_OPPORTUNITIES_JSON, HD_OPPORTUNITIES_CSV
};

/* The list of functions, and what the command adds to it for the report; everything is borrowed. */
struct hd_opportunities_report {
	const struct hd_opportunities *list;
	const struct hd_opportunities_scope *scope;
	const char *db;				/* name of the database */
	/* if true, hotdrift.ini has rules that assign owners to functions, so the text has a column with owners */
	bool owners;
	/* owner and source file of each row, up to scope->limit rows; NULL: unknown */
	const char *const *owner, *const *source;
};

void hd_opportunities_write(struct hd_buf *out, const struct hd_opportunities_report *r,
	enum hd_opportunities_format format);

#endif
