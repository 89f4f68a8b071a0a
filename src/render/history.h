/*
 * history.h - one symbol or figure through the commits, or the costliest of each, on paper
 *
 * Text, Markdown, CSV (RFC 4180, names in their visible form) and JSON:
 * {"format":"hotdrift.history","version":1,"target","mode","event","unit","inline_mode","machine","config","symbol","object",
 *  "series","points":[{"commit","dirty","time","runs":[...],"value","lo","hi","total","rank","change","above","below",
 *  "limit":[lo,hi]}],"changes":[{"commit","before","after","p"}],"standing":[{"commit","before","after"}],"next":{"n","lo","hi"}}
 * and of the costliest of each commit {"format":"hotdrift.history","version":1,...,"points":[{"commit",...,"rows":[{"rank",
 * "was_rank","symbol","object","share","was_share","move":"first|same|up|down|entered|left"}]}]}.
 * "standing" are rises that nothing undid (stats/rise.h); of a series whose higher values are not the worse ones there are none.
 * Shares are per cent of the event's weight, a series is in its own unit; what is not known is null.
 */
#ifndef HD_RENDER_HISTORY_H
#define HD_RENDER_HISTORY_H

#include "base/buf.h"
#include "history/trend.h"
#include "history/trend_top.h"

enum hd_history_format { HD_HISTORY_TEXT, HD_HISTORY_MARKDOWN, HD_HISTORY_JSON, HD_HISTORY_CSV };

/* What is shown: a function, or a series as kind:name:stat. */
struct hd_history {
	const char *symbol, *object;	/* raw bytes */
	const char *series, *unit;	/* instead of a symbol */
	bool low_is_good;		/* of a symbol it always is */
	const struct hd_trend *trend;
	const struct hd_trend_values *values;
	const struct hd_trend_marks *marks;
	size_t show;			/* the newest points; 0: all */
};

void hd_history_write(struct hd_buf *out, const struct hd_history *h, enum hd_history_format format);
/* The newest `show` points of trend and tops. */
void hd_history_write_tops(struct hd_buf *out, const struct hd_trend *t, const struct hd_trend_tops *tops, size_t show,
			   enum hd_history_format format);

#endif
