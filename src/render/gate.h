/*
 * gate.h - a comparison of stored runs, on paper
 *
 * Text is at most 15 lines: the verdict and the sides, rows that matter (the worst first), the
 * first five, the score, what to do next.
 *
 *     R  got slower (FAIL)       S  cost that moved, but did not grow      ?  too little is known
 *     T  the total grew    L M E  latency, memory, energy that grew    A  acknowledged    I  got faster
 *
 * JSON:  {"format":"hotdrift.gate","version":1,"verdict","reason","target","mode","event","base":{"name","how","commit","runs":[]},
 *        "head":{},"history":n,"differs":[{"field","base","head"}],"rows":[{"symbol","object","base_pct","head_pct","change_pct",
 *        "ci":[lo,hi],"limit_pct","q","verdict","shift_to":[],"shift_from":[],"shift_within","runs_needed","new","gone","acknowledged"}],
 *        "series":[{"series","kind","unit","base","head","change_pct","ci","limit_pct","q","verdict","runs_needed","acknowledged"}],
 *        "top5":{"set_changed","order_changed","material","above","below"},"drift":{"score","aa_limit","moved_pct","net_pct"},
 *        "look","level","same_builds","pin","total":{"verdict","change_pct","lo_pct","hi_pct","limit_pct","level_pct","level_moved",
 *        "decided_by"}}.  "total" is also the last of "series".  rows are the gated ones and those whose cost moved; `drift` writes the same as
 *        hotdrift.drift.
 *
 * JUnit is one test suite with a case for each gated row (a failure, or skipped when too little is
 * known); SARIF 2.1.0 has a result for each FAIL (error), SHIFT (note) and INCONCLUSIVE (warning).
 */
#ifndef HD_RENDER_GATE_H
#define HD_RENDER_GATE_H

#include "base/buf.h"
#include "gate/judge.h"

/* command: "gate", "drift" */
/* db: --db as the user gave it, for the commands after `next`; or NULL. */
void hd_gate_text(struct hd_buf *out, const struct hd_comparison *c, const char *db);
void hd_gate_markdown(struct hd_buf *out, const struct hd_comparison *c, const char *command);
void hd_gate_json(struct hd_buf *out, const struct hd_comparison *c, const char *command);
void hd_gate_junit(struct hd_buf *out, const struct hd_comparison *c, const char *command);
void hd_gate_sarif(struct hd_buf *out, const struct hd_comparison *c, const char *command);

#endif
