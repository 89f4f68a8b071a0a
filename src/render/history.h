/*
 * history.h - print one symbol or series commit by commit, or the costliest symbols of each commit
 *
 * Formats: text, Markdown, CSV (RFC 4180, names in their visible form) and JSON:
 *
 * {"format":"hotdrift.history","version":1,"target","mode","event","unit","inline_mode","machine","config","unlike",
 *  "cost_of":"run|unit of work","symbol","object","series","series_unit","points":[{"commit","dirty","time","subject",
 *  "runs":[...],"value","lo","hi","total","cost","rank","change","above","below","limit":[lo,hi],"share_only"}],
 *  "changes":[{"commit","run","before","after","p","cost_change_pct","cost_ci":[lo,hi],"share_only"}],
 *  "standing":[{"commit","run","before","after","cost_change_pct","cost_ci":[lo,hi]}],"next":{"n","lo","hi"}}
 *
 * and for the costliest symbols:
 *
 * {"format":"hotdrift.history","version":1,...,"points":[{"commit",...,"rows":[{"rank","was_rank","symbol","object",
 *  "share","was_share","move":"first|same|up|down|entered|left","cost","was_cost","change_pct","ci":[lo,hi],
 *  "within_noise"}]}]}
 *
 * Only a symbol has "cost", "cost_change_pct", "cost_ci" and "share_only".  "share_only" is true at a change of the
 * share without a change of the cost.  A "rank" of 0 means that no run of the point has the symbol.  A row also has
 * "unknown":true if its symbol has no name.  "standing" lists rises that later points did not undo (stats/rise.h), for
 * a symbol those of its cost; it is empty for a series whose higher values are not worse.  Shares and changes of cost
 * are per cent; a series is in its unit.  Other unknown values are null.
 */
#ifndef HD_RENDER_HISTORY_H
#define HD_RENDER_HISTORY_H

#include "base/buf.h"
#include "history/trend.h"
#include "history/trend_top.h"

enum hd_history_format { HD_HISTORY_TEXT, HD_HISTORY_MARKDOWN, HD_HISTORY_JSON, HD_HISTORY_CSV };

/* The history of a function or of a series (kind:name:stat), and options for printing it. */
struct hd_history {
	const char *symbol, *object;	/* raw bytes; `symbol` is NULL for a series */
	const char *series, *unit;	/* NULL for a symbol */
	bool low_is_good;		/* lower values are better; always true for a symbol */
	const struct hd_trend *trend;
	const struct hd_trend_values *values;
	const struct hd_trend_marks *marks;
	size_t show;			/* number of newest points to print; 0: all */
};

void hd_history_write(struct hd_buf *out, const struct hd_history *h, enum hd_history_format format);
/* Print the newest `show` points of `t`; 0: all.  `tops` has the costliest symbols of each point of `t`. */
void hd_history_write_tops(struct hd_buf *out, const struct hd_trend *t, const struct hd_trend_tops *tops, size_t show,
			   enum hd_history_format format);

#endif
