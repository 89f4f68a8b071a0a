/*
 * gate.h - print a comparison of stored runs
 *
 * Text has at most 15 lines: the verdict, both sides, the rows that matter (worst first), changes of the top five, the
 * drift score, and what to do next.  The mark of a row is one of:
 *
 *     R  got slower (FAIL)       S  cost that moved, but did not grow      ?  too little data (INCONCLUSIVE)
 *     T  the total grew    L M E  latency, memory, energy that grew    A  acknowledged    I  got faster
 *
 * JSON: {"format":"hotdrift.gate","version":1,"verdict","reason","target","mode","event",
 * "base":{"name","how","commit","runs":[]},"head":{},"history":n,"differs":[{"field","base","head"}],
 * "rows":[{"symbol","object","base_pct","head_pct","change_pct","ci":[lo,hi],"limit_pct","q","verdict","shift_to":[],
 *  "shift_from":[],"shift_within","runs_needed","new","gone","acknowledged"}],
 * "series":[{"series","kind","unit","base","head","change_pct","ci","limit_pct","q","verdict","runs_needed",
 *  "acknowledged"}],
 * "top5":{"set_changed","order_changed","material","above","below"},
 * "drift":{"score","aa_limit","moved_pct","net_pct"},"look","level","same_builds","pin",
 * "total":{"verdict","change_pct","lo_pct","hi_pct","limit_pct","level_pct","level_moved","decided_by"}}
 *
 * "rows" has the gated symbols and those whose cost moved.  The last item of "series" repeats "total".  `drift` writes
 * the same members with the format hotdrift.drift.
 *
 * JUnit: one test suite; each gated row is a test case, which is a failure, or skipped if the data is insufficient.
 * SARIF 2.1.0: one result for each FAIL (error), SHIFT (note) and INCONCLUSIVE (warning).
 */
#ifndef HD_RENDER_GATE_H
#define HD_RENDER_GATE_H

#include "base/buf.h"
#include "gate/judge.h"

/* `command` is "gate" or "drift". `db` is the value of --db for the suggested commands, or NULL. */
void hd_gate_text(struct hd_buf *out, const struct hd_comparison *c, const char *db);
void hd_gate_markdown(struct hd_buf *out, const struct hd_comparison *c, const char *command);
void hd_gate_json(struct hd_buf *out, const struct hd_comparison *c, const char *command);
void hd_gate_junit(struct hd_buf *out, const struct hd_comparison *c, const char *command);
void hd_gate_sarif(struct hd_buf *out, const struct hd_comparison *c, const char *command);

#endif
