/*
 * gate.h - print a comparison of stored runs
 *
 * Text has at most 15 lines: the verdict, both sides, the rows that matter (worst first), changes of the top five, the
 * drift score, and what to do next.  A row can have one of these marks:
 *
 *     R  got slower (FAIL)       S  cost that moved, but did not grow      ?  too little data (INCONCLUSIVE)
 *     T  the total grew    L M E  latency, memory, energy that grew    A  acknowledged    I  got faster
 *
 * JSON: {"format":"hotdrift.gate","version":1,"verdict","reason","target","mode","event",
 * "base":{"name","how","commit","modified","runs":[],"set_aside"},"head":{},"history":n,
 * "differs":[{"field","base","head"}],
 * "rows":[{"symbol","object","base_pct","head_pct","change_pct","ci":[lo,hi],"limit_pct","q","verdict","shift_to":[],
 *  "shift_from":[],"shift_within","runs_needed","new","gone","acknowledged"}],
 * "series":[{"series","kind","unit","method","per_work","base","head","change_pct","ci","limit_pct","q","verdict",
 *  "runs_needed","acknowledged"}],
 * "top5":{"set_changed","order_changed","material","above","below"},
 * "drift":{"score","aa_limit","moved_pct","net_pct"},"look","level","same_builds","build",
 * "total":{"verdict","change_pct","lo_pct","hi_pct","limit_pct","level_pct","level_moved","decided_by"},"pin"}
 *
 * "rows" has the gated symbols and those whose cost moved.  "total" is null if the costs were not compared; otherwise
 * the last item of "series" repeats it.  "pin" has the same members for the comparison with a fixed release, or is
 * null.  `drift` writes the same members with the format hotdrift.drift.
 *
 * Markdown is for a comment on a merge request.  It begins with a hidden line, `<!-- hotdrift COMMAND TARGET MODE -->`.
 * A CI workflow finds its earlier comment by this line and replaces it.  The text stays below the 65,536 characters
 * that GitHub permits.
 *
 * JUnit: one test suite, and a second one for the comparison with a fixed release.  The first test case of a suite is
 * an error if the sides are not comparable.  Each row of hd_gate_cases() is a test case.  It is a failure if the row
 * fails and is not acknowledged, and skipped if the data is insufficient.
 *
 * SARIF 2.1.0 (OASIS): one result for each FAIL (error), SHIFT and INCONCLUSIVE (note) that is not acknowledged, at
 * most 5,000, and one if the sides are not comparable (warning).  GitHub requires a location of each result: the source
 * line of the function, otherwise the fallback of struct hd_gate_places, otherwise hotdrift.ini.  The fingerprint is a
 * hash of the comparison (with the base or with the fixed release), the kind of result, target, mode, event, and object
 * and symbol or the series, so a result keeps its identity when lines move.  Code quality is the JSON report of GitLab
 * with the same results.
 *
 * OpenMetrics 1.0, text form: gauges only, so it is valid in the older text form of Prometheus as well.
 */
#ifndef HD_RENDER_GATE_H
#define HD_RENDER_GATE_H

#include "base/buf.h"
#include "gate/judge.h"

/* A source line.  `file` is relative to the root of the repository; NULL: unknown. */
struct hd_gate_place {
	char *file;
	unsigned line;
};
/* The source lines of a comparison's rows, then those of the comparison with a fixed release (hd_judge_opts.pin). */
struct hd_gate_places {
	struct hd_gate_place *places;
	size_t n;
	struct hd_gate_place fallback;	/* for rows whose source line is unknown; fallback.file may be NULL */
	const char *db;			/* the value of --db, or NULL; borrowed */
};

/*
 * Return the first word of the text: the verdict.  For the command `drift` it is DRIFT if the sides drifted
 * (hd_judge_drifted()) and the verdict is not FAIL, so that the word agrees with the exit status.
 */
const char *hd_gate_headline(const struct hd_comparison *c, const char *command);
/*
 * Append the comparison as text.  command: gate or drift.  db: the value of --db for the suggested commands, or NULL.
 */
void hd_gate_text(struct hd_buf *out, const struct hd_comparison *c, const char *command, const char *db);
void hd_gate_markdown(struct hd_buf *out, const struct hd_comparison *c, const char *command, const char *db);
void hd_gate_json(struct hd_buf *out, const struct hd_comparison *c, const char *command);

/* A report for a CI service, written to a file of its own. */
typedef void hd_gate_report(struct hd_buf *out, const struct hd_comparison *c, const char *command,
	const struct hd_gate_places *places);
hd_gate_report hd_gate_junit, hd_gate_sarif, hd_gate_codequality, hd_gate_openmetrics, hd_gate_comment;

#endif
