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
 * failures, invalid names, an event that the head does not have, and a run on both sides are errors.
 *
 *     preconditions     a run may lose at most 5 % of its samples and needs at least 30 effective ones; its event may
 *                       be throttled for at most 5 % of the time and must be on the counter for at least 95 % of it.
 *                       There are warnings for smaller loss, throttling and multiplexing, for fewer than 1000
 *                       effective samples, and if the newest runs of both sides differ in kernel, governor,
 *                       microcode, compiler or size of stack copies
 *     equal builds      if both sides ran the same builds of all user-space objects (history/builds.h), the
 *                       environment variables that hotdrift.ini names agree, and no other variable is set on one side
 *                       only: PASS without a test, unless test_equal_builds
 *     single run        if base or head is a single run, the newest run of each of up to 30 commits before the base is
 *                       added to the base, back to the last run that failed its gate or has clearly different costs
 *                       (judge_history.c).  If a symbol or a series has a later change point (stats/changepoint.h),
 *                       its values since then count.  With fewer than 5 runs of base and history together no row
 *                       FAILs: the verdict is INCONCLUSIVE, and the rows are advice
 *     own sessions      a session is the runs that one command recorded.  If all runs of the base are one session and
 *                       all runs of the head another, the variance between sessions is estimated from at least 5
 *                       earlier ones (stats/session_variance.h).  With fewer, no row FAILs
 *     runs in turns     if both sides have at least 3 runs in sessions with runs of both, the runs of other sessions
 *                       are left out, because the machine may have been faster or slower then.  If most symbols
 *                       changed together, the program did, so symbols and the total are judged as they are
 *     looks             a gate that was INCONCLUSIVE and is repeated with more runs is another look.  Look K is tested
 *                       at Pocock's level for K looks: 0.0294 for two, if q is 0.05.  --extend plans two from the
 *                       start
 *     pin               the same comparison against a pinned release, unless the head is that release; the worse
 *                       verdict counts, FAIL before NOT_COMPARABLE
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
	bool merge_base;		/* `base` is a branch: use its merge base with head, if git finds one */
	const char *pin;		/* a release with which the head is compared in addition; NULL: none */
	struct hd_run_set_filter filter;
	/* limits for the rows of symbols, see stats/verdict.h */
	double limit;			/* relative change of the cost; default 0.10 */
	double floor;			/* part of the base's total; default 0.005 */
	double q;			/* largest adjusted p-value of a row that FAILs; default 0.05 */
	double limit_total;		/* limit for the relative growth of the total (stats/total.h); default 0.06 */
	double limit_latency, limit_memory, limit_energy;	/* 0.10 each */
	bool test_equal_builds;
	bool failed_base;		/* accept a base named by the user although its runs failed their gate */
	bool planned;			/* one extension with more runs is planned (--extend) */
	/* earlier looks make the significance level stricter (command gate); false: use the level of a single look */
	bool gate;
};
extern const struct hd_judge_opts hd_judge_defaults;

/* The acknowledgement that lets a row pass. */
struct hd_judge_ack {
	/* the level that was accepted: a share in per cent, or a value in the unit of the series */
	double level;
	/* these texts are in the visible form (base/encode.h); author and expires may be NULL */
	const char *reason, *author, *expires;
};

struct hd_judge_row {
	const char *symbol;		/* see hd_symbol_matrix_name(); raw bytes */
	const char *object;		/* file name of its object; NULL: unknown */
	int64_t symbol_id;
	double base_pct, head_pct;	/* share of the side's total */
	/* change of cost with its 95 % interval; infinite or huge if the row is new */
	double change_pct, lo_pct, hi_pct;
	/*
	 * the row FAILs if its cost grew significantly and by this or more; 0 for a new row, whose limit is opts.floor
	 */
	double limit_pct;
	double q;			/* p-value of growth, adjusted over all gated rows; NaN if not gated */
	double q_changed;		/* adjusted p-value of a change in any direction */
	bool is_new, is_gone, gated;
	/* the cost in base or head is at least opts.floor; only such rows make the comparison INCONCLUSIVE */
	bool material;
	bool improved;			/* the cost itself fell, not only the share of the total */
	enum hd_verdict verdict;
	bool by_session;		/* INCONCLUSIVE, because the growth may be that of a session, else FAIL */
	/* if INCONCLUSIVE: recommended number of runs per side; values above 99 mean "more than 99"; 0: unknown */
	unsigned runs_needed;
	/* part (0 .. 1) of the row's variance that is counting noise, caused by the number of samples; see verdict.h */
	double counted;
	const struct hd_judge_ack *ack;	/* NULL: none */
	/*
	 * Indexes of other rows.  from: if this row is a SHIFT, the rows from which its cost came.  to: the rows to
	 * which the cost of this row went.
	 */
	size_t from[HD_JUDGE_PARTNERS], nfrom, to[HD_JUDGE_PARTNERS], nto;
	/*
	 * name of a function: the cost only moved between this function and its direct and indirect callees; NULL: none
	 */
	const char *within;
};

struct hd_judge_series {
	const char *kind, *name, *stat, *unit;	/* for example "latency", "wall_time_us", "p99", "us" */
	const char *method;			/* how energy was measured; NULL: unknown, or not energy */
	bool per_work;				/* divided by the run's units of work */
	double base, head;			/* geometric means over the runs, in the unit */
	double change_pct, lo_pct, hi_pct, limit_pct, q;	/* q: not adjusted if kind is "total" */
	enum hd_verdict verdict;
	bool by_session;			/* as that of a row */
	unsigned runs_needed;
	const struct hd_judge_ack *ack;
	size_t nbase, nhead;			/* runs with a value */
};

/*
 * The profile as a whole (stats/total.h).  The total is also the last item of the series, of kind "total", so that it
 * is listed, stored and acknowledged like a series.
 */
struct hd_judge_total {
	enum hd_verdict verdict;
	/* change of the total cost (per unit of work if known) and its 95 % interval */
	double change_pct, lo_pct, hi_pct;
	double limit_pct;
	/*
	 * change in per cent that most symbols have in common, for example because head processed more work; 0 if the
	 * work is known
	 */
	double level_pct;
	bool level_moved;
	/* what decided the verdict besides the profile (stats/total.h): "work", "runs in turns", "latency", or NULL */
	const char *decided_by;
};

struct hd_comparison {
	struct hd_arena arena;
	enum hd_verdict verdict;
	/*
	 * the reason if the verdict is NOT_COMPARABLE or a PASS without a test, or if no row may FAIL because too few
	 * earlier runs or sessions are known; otherwise ""
	 */
	char reason[512];
	struct hd_run_set base, head;
	struct hd_run_set history;	/* earlier runs, if base or head is a single run; otherwise empty */
	struct hd_comparability differs;	/* fields that must agree and do not */
	bool advisory;			/* a side is a single run, and there is too little history: nothing FAILs */
	bool same_builds;
	const char *build;		/* file name and build-id of the costliest user-space object; NULL: unknown */

	/* runs in turns decided: changes of symbols are not relative to the change that most symbols share */
	bool as_they_are;
	struct hd_judge_row *rows;	/* the costliest first */
	size_t nrows;
	struct hd_judge_series *series;
	size_t nseries;
	/*
	 * numbers of rows and series: tested, FAIL, SHIFT, INCONCLUSIVE (unsure), and acknowledged.  `failed` and
	 * `unsure` do not include acknowledged ones.  `unsure` does not include rows that are not `material`
	 */
	size_t gated, failed, shifted, unsure, acknowledged;

	bool ranked;			/* the members from here to `moved_pct` are set */
	/*
	 * For the five costliest symbols of base and head: whether they are other symbols, whether they are in another
	 * order, and whether two of them swapped their order significantly (stats/top_change.h).
	 */
	bool set_changed, order_changed, material;
	size_t above, below;		/* if `material`: rows that swapped their order; in head, `above` is hotter */
	/*
	 * score: how different the rankings of the symbols are, 0 .. 1; aa_limit: the score that rankings of equal
	 * builds exceed in 5 % of comparisons; moved_pct: per cent of the profile that moved between symbols.
	 * stats/top_change.h describes these three.  net_pct: relative change of the weight of an average run, in per
	 * cent; it is not divided by the work, and it is set even if `ranked` is false.
	 */
	double score, aa_limit, moved_pct, net_pct;
	struct hd_judge_total total;
	/* if base and head are one session each (the runs of one command): number of earlier sessions found */
	size_t earlier_sessions;
	unsigned look;			/* number of this look (see the top of this file), from 1 */
	double level;			/* rows fail at a q of at most this */

	struct hd_comparison *pin;	/* the comparison with the pinned release; NULL unless opts.pin is set */
};

/*
 * Compare head with base.  Returns 0 if there is a verdict, which can be HD_NOT_COMPARABLE; the caller then releases
 * `out`.  Returns HD_EUSAGE or HD_EFORMAT if a name is invalid, the head does not have the event, or a run is on both
 * sides, and other codes for database errors.  After any error `out` is released.
 */
int hd_judge(struct hd_comparison *out, struct hd_db *db, const struct hd_judge_opts *o, struct hd_log *log,
	struct hd_err *err);
void hd_judge_release(struct hd_comparison *c);

/* Append the displayed name of a series, such as "p99 wall_time_us", "peak_rss_bytes" or "joules". */
void hd_judge_series_name(struct hd_buf *out, const struct hd_judge_series *s);

/* Return true if `drift` exits with 1: FAIL, a SHIFT, a material change of the top 5, or a score above its limit. */
bool hd_judge_drifted(const struct hd_comparison *c);

#endif
