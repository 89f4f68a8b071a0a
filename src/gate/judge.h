/*
 * judge.h - did it get slower?  Two sides of stored runs, judged
 *
 *     sides (history/run_set.h)  ->  alike? (history/comparability.h)  ->  symbols by runs (history/symbol_matrix.h)
 *     ->  src/drift  ->  rows, top 5, score
 *                                               series (judge_series.h)           ->  src/drift  ->  more rows
 *     rows that would fail: did the cost come from beside them? (shift.h)   is the rise acknowledged? (history/acks.h)
 *
 * A verdict that cannot be had is one, too: HD_NOT_COMPARABLE with its reason, and the fields
 * that differ.  Only trouble (the database, a name that means nothing) is an error.
 *
 *     preconditions     no more than 5 % of samples lost in any run, 30 samples a run, not throttled for more than 5
 *                       % of the time, on the counter for 95 % of it; anything lost, throttled or shared, few
 *                       samples, another kernel, governor or microcode are warned of
 *     equal builds      all files of the user have the same build-ids in all runs (history/builds.h), and the
 *                       arguments and the variables that hotdrift.ini names are the same: PASS, untested, unless
 *                       test_equal_builds
 *     one run a side    is judged against the newest runs of up to 30 commits before it, from 5 on, back to the last
 *                       run that failed its gate or is at another level (judge_history.c); of a symbol whose history
 *                       has a smaller change point (stats/changepoint.h) the level since then counts.  With less
 *                       history FAIL is not said: INCONCLUSIVE, and the rows are advice
 *     own sessions      if all runs of the base are one session and all of the head another, the spread between
 *                       sessions is estimated from earlier ones (stats/session_variance.h), from 5 on.  With fewer
 *                       nothing FAILs
 *     looks             a gate that was INCONCLUSIVE and is asked again with more runs looks once more.  Each of K
 *                       looks is taken at Pocock's level, 0.0294 for two; --extend plans the second from the start
 *     pin               the same once more against a pinned release; the worse verdict counts
 */
#ifndef HD_GATE_JUDGE_H
#define HD_GATE_JUDGE_H

#include "history/comparability.h"
#include "history/run_set.h"
#include "stats/total.h"

enum { HD_JUDGE_HISTORY = 30, HD_JUDGE_HISTORY_LEAST = 5, HD_JUDGE_PARTNERS = 4 };

struct hd_judge_opts {
	const char *head;		/* as history/run_set.h has it; NULL: HEAD */
	const char *base;		/* NULL: the merge-base of head with main */
	bool merge_base;		/* base is a branch: its merge-base with head is meant, if git knows one */
	const char *pin;		/* NULL: none */
	struct hd_run_set_filter ask;
	double limit, floor, q;		/* of symbols: stats/verdict.h; 0.10, 0.005, 0.05 */
	double limit_total;		/* of the sum of all symbols: stats/total.h; 0.06 */
	double limit_latency, limit_memory, limit_energy;	/* 0.10 each */
	bool test_equal_builds;
	bool failed_base;		/* runs that failed their gate may be the base when they are named (drift) */
	bool planned;			/* one extension is planned */
	bool gate;			/* looks are counted */
};
extern const struct hd_judge_opts hd_judge_defaults;

/* An acknowledgement that made a row pass. */
struct hd_judge_ack {
	double level;			/* per cent of the total; of a series in its unit */
	const char *reason, *author, *expires;	/* visible; author and expires may be NULL */
};

struct hd_judge_row {
	const char *symbol;		/* as hd_symbol_matrix_name has it; raw bytes */
	const char *object;		/* or NULL */
	int64_t symbol_id;
	double base_pct, head_pct;	/* of the side's total */
	double change_pct, lo_pct, hi_pct; /* of its cost, with the 95 % interval; of a new one not finite or huge */
	double limit_pct;		/* the change that fails */
	double q;			/* that it grew, over the gated rows; NaN when not gated */
	double q_changed;		/* that it changed */
	bool is_new, is_gone, gated;
	bool material;			/* its cost is at least the floor on one side: only then it can be undecided */
	bool improved;			/* it got cheaper, and not only relative to what others did */
	enum hd_verdict verdict;
	unsigned runs_needed;		/* of INCONCLUSIVE, a side; above 99: more */
	double counted;			/* the part of its variance that more samples a run would reduce, 0 .. 1 */
	const struct hd_judge_ack *ack;	/* NULL: none */
	/* Of a SHIFT: rows that the cost came from; of the rows that it left: where it went.  Indices of rows. */
	size_t from[HD_JUDGE_PARTNERS], nfrom, to[HD_JUDGE_PARTNERS], nto;
	const char *within;		/* what it moved inside of: a function that did not grow; or NULL */
};

struct hd_judge_series {
	const char *kind, *name, *stat,
		*unit; /* latency, wall_time_us, p99, us; total, total, total, the event's unit */
	const char *method;			/* how energy was measured, or NULL: not known, not energy */
	bool per_work;				/* divided by the run's units of work */
	double base, head;			/* means over runs (geometric), in the unit */
	double change_pct, lo_pct, hi_pct, limit_pct, q;
	enum hd_verdict verdict;
	unsigned runs_needed;
	const struct hd_judge_ack *ack;
	size_t nbase, nhead;			/* runs with a value */
};

/*
 * The profile as a whole: stats/total.h has the two readings of a change of level.  It is the last of the series,
 * too, of kind "total", so that it is listed, kept and acknowledged as they are.
 */
struct hd_judge_total {
	enum hd_verdict verdict;
	double change_pct, lo_pct, hi_pct; /* of the total cost, per unit of work if known, with the 95 % interval */
	double limit_pct;
	double level_pct;		/* of what most symbols did; 0 if the work is known */
	bool level_moved;
	const char *decided_by; /* "work", "latency": what tells the program from the machine; NULL: nothing does */
};

struct hd_comparison {
	struct hd_arena arena;
	enum hd_verdict verdict;
	char reason[512];		/* of NOT_COMPARABLE, of an untested PASS, of an advisory INCONCLUSIVE; or "" */
	struct hd_run_set base, head;
	struct hd_run_set history; /* of a single run: what it was judged against beside base; n is 0 otherwise */
	struct hd_comparability differs;	/* fields that must agree and do not */
	bool same_builds;
	const char *build;		/* "serve 4f1c2e..." or NULL */

	struct hd_judge_row *rows;	/* the costliest first */
	size_t nrows;
	struct hd_judge_series *series;
	size_t nseries;
	size_t gated, failed, shifted, unsure, acknowledged;	/* rows of both kinds */

	bool ranked;			/* the rest is known */
	bool set_changed, order_changed, material;	/* of the first five */
	size_t above, below;		/* of a material change: rows; in head `above` leads */
	double score, aa_limit, moved_pct, net_pct;
	struct hd_judge_total total;
	size_t earlier_sessions;	/* that tell how sessions differ, if each side is one of its own */
	unsigned look;			/* 1, 2, ... */
	double level;			/* the q that rows fail at */

	struct hd_comparison *pin;	/* with opts.pin */
};

int hd_judge(struct hd_comparison *out, struct hd_db *db, const struct hd_judge_opts *o, struct hd_log *log,
	struct hd_err *err);
void hd_judge_release(struct hd_comparison *c);

/* What a series row is called: p99 wall_time_us, peak_rss_bytes, joules. */
void hd_judge_series_name(struct hd_buf *out, const struct hd_judge_series *s);

/* Is the answer of `drift` no?  FAIL, a SHIFT, a material change of the first five, a score above its limit. */
bool hd_judge_drifted(const struct hd_comparison *c);

#endif
