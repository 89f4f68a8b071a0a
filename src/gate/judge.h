/*
 * judge.h - judge whether the head got slower than the base
 *
 *     select the runs of both sides        history/run_set.h, history/run_set_base.h
 *     check that they are comparable       history/comparability.h
 *     load symbols by runs                 history/symbol_matrix.h
 *     judge symbols and the total          stats/verdict.h, stats/total.h
 *     judge series                         judge_series.h
 *     for rows that would fail:            did the cost come from other rows (judge_shifts.c); is the rise acknowledged
 *                                          (history/acks.h)
 *
 * If no verdict is possible, the verdict is HD_NOT_COMPARABLE with a reason and the fields that differ.  Only database
 * failures and invalid names are errors.
 *
 *     preconditions     at most 5 % of samples lost in any run, at least 30 samples per run, throttled for at most 5
 *                       % of the time, on the counter for at least 95 % of it.  There are warnings for any loss,
 *                       throttling or multiplexing, for few samples, and for another kernel, governor or microcode
 *     equal builds      if all user files have the same build-ids in all runs (history/builds.h), and the arguments
 *                       and the variables that hotdrift.ini names agree: PASS without a test, unless
 *                       test_equal_builds
 *     one run a side    judged against the newest runs of up to 30 commits before it (at least 5), back to the last run
 *                       that failed its gate or is at another level (judge_history.c).  If the history of a symbol
 *                       has a smaller change point (stats/changepoint.h), the level since then is used.  With less
 *                       history no row FAILs: the verdict is INCONCLUSIVE, and the rows are advice
 *     own sessions      if all runs of the base are one session and all runs of the head another, the variance between
 *                       sessions is estimated from at least 5 earlier ones (stats/session_variance.h).  With fewer, no
 *                       row FAILs
 *     looks             a gate that was INCONCLUSIVE and is repeated with more runs is another look.  K looks are
 *                       tested at Pocock's level for K, 0.0294 for two; --extend plans two from the start
 *     pin               the same comparison against a pinned release; the worse verdict counts
 */
#ifndef HD_GATE_JUDGE_H
#define HD_GATE_JUDGE_H

#include "history/comparability.h"
#include "history/run_set.h"
#include "stats/total.h"

enum { HD_JUDGE_HISTORY = 30, HD_JUDGE_HISTORY_LEAST = 5, HD_JUDGE_PARTNERS = 4 };

struct hd_judge_opts {
	const char *head;		/* see history/run_set.h; NULL: HEAD */
	const char *base;		/* NULL: the merge base of head with main */
	bool merge_base;		/* base is a branch: use its merge base with head, if git finds one */
	const char *pin;		/* NULL: none */
	struct hd_run_set_filter filter;
	double limit, floor, q;		/* of symbols: stats/verdict.h; 0.10, 0.005, 0.05 */
	double limit_total;		/* of the sum of all symbols: stats/total.h; 0.06 */
	double limit_latency, limit_memory, limit_energy;	/* 0.10 each */
	bool test_equal_builds;
	bool failed_base;		/* runs that failed their gate may be the base if named (drift) */
	bool planned;			/* one extension is planned */
	bool gate;			/* looks are counted */
};
extern const struct hd_judge_opts hd_judge_defaults;

/* The acknowledgement that lets a row pass. */
struct hd_judge_ack {
	double level;			/* change in per cent of the total; for a series, in its unit */
	const char *reason, *author, *expires;	/* visible; author and expires may be NULL */
};

struct hd_judge_row {
	const char *symbol;		/* see hd_symbol_matrix_name(); raw bytes */
	const char *object;		/* or NULL */
	int64_t symbol_id;
	double base_pct, head_pct;	/* share of the side's total */
	/* change of cost with its 95 % interval; infinite or huge if the row is new */
	double change_pct, lo_pct, hi_pct;
	/* the row FAILs if it changed by this or more and the change is significant */
	double limit_pct;
	double q;			/* adjusted p-value of growth, over the gated rows; NaN if not gated */
	double q_changed;		/* adjusted p-value of a change in any direction */
	bool is_new, is_gone, gated;
	/* costs at least the floor on one side; only material rows can be INCONCLUSIVE */
	bool material;
	bool improved;			/* it got cheaper, not only relative to other symbols */
	enum hd_verdict verdict;
	unsigned runs_needed;		/* recommended runs per side if INCONCLUSIVE; above 99: more than 99 */
	double counted;			/* share of counting noise in the row's variance, 0 .. 1; see verdict.h */
	const struct hd_judge_ack *ack;	/* NULL: none */
	/* Indexes of rows.  from: where the cost of this row came from, if it is a SHIFT; to: where its cost went. */
	size_t from[HD_JUDGE_PARTNERS], nfrom, to[HD_JUDGE_PARTNERS], nto;
	const char *within;		/* the function within which the cost moved and which did not grow; or NULL */
};

struct hd_judge_series {
	const char *kind, *name, *stat, *unit;	/* "latency", "wall_time_us", "p99", "us" */
	const char *method;			/* how energy was measured; NULL: unknown, or not energy */
	bool per_work;				/* divided by the run's units of work */
	double base, head;			/* means over runs (geometric), in the unit */
	double change_pct, lo_pct, hi_pct, limit_pct, q;
	enum hd_verdict verdict;
	unsigned runs_needed;
	const struct hd_judge_ack *ack;
	size_t nbase, nhead;			/* runs with a value */
};

/*
 * The profile as a whole (stats/total.h).  It is also the last item of the series, of kind "total", so that it is
 * listed, stored and acknowledged like them.
 */
struct hd_judge_total {
	enum hd_verdict verdict;
	/* change of the total cost (per unit of work if known) and its 95 % interval */
	double change_pct, lo_pct, hi_pct;
	double limit_pct;
	double level_pct;		/* change that most symbols have in common; 0 if the work is known */
	bool level_moved;
	const char *decided_by;		/* the second observation: "work", "latency", or NULL */
};

struct hd_comparison {
	struct hd_arena arena;
	enum hd_verdict verdict;
	char reason[512];		/* for NOT_COMPARABLE, an untested PASS, an advisory INCONCLUSIVE; else "" */
	struct hd_run_set base, head;
	struct hd_run_set history;	/* earlier runs, if each side is a single run; otherwise empty */
	struct hd_comparability differs;	/* fields that must agree and do not */
	bool same_builds;
	const char *build;		/* "serve 4f1c2e..." or NULL */

	struct hd_judge_row *rows;	/* the costliest first */
	size_t nrows;
	struct hd_judge_series *series;
	size_t nseries;
	size_t gated, failed, shifted, unsure, acknowledged;	/* numbers of rows and series */

	bool ranked;			/* the members from here to `score` and `net_pct` are set */
	bool set_changed, order_changed, material;	/* of the top 5 */
	size_t above, below;		/* rows of a material change: in head, `above` is hotter */
	double score, aa_limit, moved_pct, net_pct;
	struct hd_judge_total total;
	size_t earlier_sessions;	/* number used for the variance between sessions */
	unsigned look;			/* 1, 2, ... */
	double level;			/* rows fail at a q of at most this */

	struct hd_comparison *pin;	/* if opts.pin was set */
};

/*
 * Compare head with base.  Returns 0 if there is a verdict, also HD_NOT_COMPARABLE; the caller then releases `out`.
 * HD_EUSAGE or HD_EFORMAT if a name is invalid, other errors for the database.
 */
int hd_judge(struct hd_comparison *out, struct hd_db *db, const struct hd_judge_opts *o, struct hd_log *log,
	struct hd_err *err);
void hd_judge_release(struct hd_comparison *c);

/* Append the displayed name of a series: p99 wall_time_us, peak_rss_bytes, joules. */
void hd_judge_series_name(struct hd_buf *out, const struct hd_judge_series *s);

/* Return true if `drift` exits with 1: FAIL, a SHIFT, a material change of the top 5, or a score above its limit. */
bool hd_judge_drifted(const struct hd_comparison *c);

#endif
