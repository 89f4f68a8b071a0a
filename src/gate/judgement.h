/*
 * judgement.h - the state of a comparison in progress, shared by the files judge_*.c
 */
#ifndef HD_GATE_JUDGEMENT_H
#define HD_GATE_JUDGEMENT_H

#include "history/acks.h"
#include "gate/judge.h"
#include "history/stored_stacks.h"
#include "history/symbol_matrix.h"
#include "stats/top_change.h"

struct hd_judgement {
	struct hd_comparison *c;
	struct hd_db *db;
	const struct hd_judge_opts *o;
	struct hd_log *log;
	const struct hd_run_set_member **runs;	/* base first, including the history of a single run */
	size_t nruns, nbase;
	bool advisory;				/* one run per side and too little history */
	bool own_sessions;			/* each side is one session, and there are too few earlier ones */
	struct hd_symbol_matrix m;
	struct hd_symbol_verdict *symbols;		/* one per row of m */
	struct hd_total total;
	struct hd_total_opts total_opts;
	bool has_total;				/* `total` is set */
	bool unranked;				/* do not compare the top 5, which takes most of the time */
	/* the stacks of the runs; NULL: loaded from the database when a row fails */
	const struct hd_stored_stacks *stacks;
	/* estimated from earlier sessions if each side is one session, else NULL */
	const struct hd_session_variance *sessions;
	struct hd_session_variance fitted;		/* storage for `sessions`, unless the caller passed one */
};

/* Set verdict NOT_COMPARABLE and the reason.  Returns 0, because this is no error. */
int hd_judge_not_comparable(struct hd_comparison *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The steps of selecting runs, in this order.  The caller stops as soon as c->reason is set. */

/* Select the head's runs that are comparable with its newest one. */
int hd_judge_find_head(struct hd_judgement *j, struct hd_err *err);
/* Select the base's runs that are comparable with the head. */
int hd_judge_find_base(struct hd_judgement *j, struct hd_err *err);
/* Check the preconditions (judge.h), and warn. */
int hd_judge_check(struct hd_judgement *j, struct hd_err *err);
/* For a single run per side, select its history. */
int hd_judge_find_history(struct hd_judgement *j, struct hd_err *err);
/* Set j->runs: the history and the base, sorted by time, then the head. */
void hd_judge_line_up(struct hd_judgement *j);
/*
 * Make all rows advisory and drop the history, because it has only `commits` commits, which is too few.  what: text for
 * the reason, such as "of history".
 */
void hd_judge_advise(struct hd_judgement *j, size_t commits, const char *what);
/*
 * Drop the runs of the history that are not at the level of the base; the matrix must be loaded.  Returns true if any
 * was dropped; the caller must then call hd_judge_line_up() and load the matrix again.
 */
bool hd_judge_cut_history(struct hd_judgement *j);

/*
 * Return true if the environment agrees as well, so that equal builds need no test: the variables that hotdrift.ini
 * names are known and equal in all runs, and no other variable is set in all runs of one side and in none of the
 * other.  Warns about such a variable.
 */
bool hd_judge_same_surroundings(struct hd_judgement *j);

/* Append the profile's total as the last series of the comparison.  hd_judge_symbols() must have run. */
void hd_judge_add_total(struct hd_judgement *j);
/* Set the verdict of the comparison from its rows, series and total.  Acknowledgements must have been applied. */
void hd_judge_decide(struct hd_judgement *j);

/* Return true if each side is one session, and the two differ. */
bool hd_judge_own_sessions(const struct hd_comparison *c);
/*
 * If each side is one session, estimate the variance between sessions from earlier ones (sets j->sessions).  With too
 * few of them, set j->own_sessions: then no row FAILs.  j->m must be loaded; it is replaced, with the same runs.
 */
int hd_judge_find_sessions(struct hd_judgement *j, struct hd_err *err);

/*
 * Judge all symbols: set the rows of the comparison, its top 5 and the ranking score.  Every run
 * must have an event.
 */
int hd_judge_symbols(struct hd_judgement *j, struct hd_err *err);

/*
 * Test whether the cost of the rows that failed came from other rows.  Judges again with domains from the stored
 * stacks; sets `from`, `to` and `within` of the rows that shifted.
 */
int hd_judge_shifts(struct hd_judgement *j, const struct hd_run_counts *in, const struct hd_variance_model *model,
	const struct hd_verdict_opts *vo, struct hd_judged_profile *judged, struct hd_err *err);

#endif
