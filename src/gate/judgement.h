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
	/* runs of the base and, if base or head is a single run, earlier runs, by time; then the runs of the head */
	const struct hd_run_set_member **runs;
	size_t nruns, nbase;
	/* all runs of base and head know their work; earlier runs that do not are then left out */
	bool worked;
	/*
	 * base and head are one session each (hd_judge_own_sessions()), and too few earlier sessions tell the variance
	 * between sessions
	 */
	bool own_sessions;
	/*
	 * if base and head are one session each: runs of earlier sessions, the oldest first; for each of them the
	 * number of its session, from 0 on in chronological order; and the number of sessions
	 */
	struct hd_run_set earlier;
	uint32_t *session;
	size_t nsessions;
	struct hd_symbol_matrix m;
	struct hd_symbol_verdict *symbols;		/* one per row of m */
	struct hd_total total;
	struct hd_total_opts total_opts;
	bool has_total;				/* `total` is set */
	/* do not compute the top 5 and the ranking score, which take most of the time */
	bool unranked;
	/* the stacks of the runs; NULL: loaded from the database when a row may be a SHIFT */
	const struct hd_stored_stacks *stacks;
	/*
	 * the variance between earlier sessions, if base and head are one session each; else NULL
	 */
	const struct hd_session_variance *sessions;
	/*
	 * the variance between sessions that the gate estimated; `sessions` points to it, unless the caller passed
	 * another one
	 */
	struct hd_session_variance fitted;
};

/* The smallest change of a symbol's share or of a series, as a fraction, that divides a history into levels. */
#define HD_JUDGE_LEVEL_LEAST 0.02

/* Set verdict NOT_COMPARABLE and the reason.  Returns 0, because this is no error. */
int hd_judge_not_comparable(struct hd_comparison *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Return the first run of `b` that is also in `a`; NULL if there is none. */
const struct hd_run_set_member *hd_judge_common_run(const struct hd_run_set *a, const struct hd_run_set *b);

/* The next three functions are called in this order until one sets c->reason: then the runs are not comparable. */

/*
 * Select the head: those runs chosen by the user that are comparable with the newest of them.  If no run can be
 * compared, set the verdict NOT_COMPARABLE.  HD_EFORMAT: the head does not have the event that the user named.
 */
int hd_judge_find_head(struct hd_judgement *j, struct hd_err *err);
/* Select the base: the runs that are comparable with the head.  If there is none, set the verdict NOT_COMPARABLE. */
int hd_judge_find_base(struct hd_judgement *j, struct hd_err *err);
/* Check the preconditions (judge.h), and warn.  HD_EUSAGE: a run is on both sides. */
int hd_judge_check(struct hd_judgement *j, struct hd_err *err);
/*
 * Set j->worked.  If base or head is a single run, select the history of the base.  If it is too short, call
 * hd_judge_advise().
 */
int hd_judge_find_history(struct hd_judgement *j, struct hd_err *err);
/* Set j->runs: the runs of the history and of the base, sorted by time, then those of the head. */
void hd_judge_line_up(struct hd_judgement *j);
/*
 * Decide that no row may FAIL, because too few runs precede the base.  Sets j->c->advisory, drops the history, and
 * writes the reason.  runs: the number of runs of the base and the history together, which the reason mentions.
 * where: the text after the word "runs" in the reason: "", or a blank and what these runs have in common.
 */
void hd_judge_advise(struct hd_judgement *j, size_t runs, const char *where);
/*
 * Return the index of the first of n values after their last change point (stats/changepoint.h); 0 if there is none, or
 * if only one value follows it.  min_magnitude: the smallest change that counts, a fraction.
 */
size_t hd_judge_last_level(const double *v, size_t n, double min_magnitude);
/* Return the total cost of a run in the unit of the event, per unit of work if the work of all runs is known. */
double hd_judge_total_of(const struct hd_symbol_matrix *m, size_t run);
/*
 * Drop the runs of the history that are at another level of costs than the base (judge_history.c).  If too few remain,
 * call hd_judge_advise(), which drops all.  The symbol matrix (j->m) must be loaded.  Returns true if any run was
 * dropped; the caller must then call hd_judge_line_up() and load the matrix again.
 */
bool hd_judge_cut_history(struct hd_judgement *j);

/*
 * Return true if both sides ran in the same environment.  Equal builds then need no statistical test.  The variables
 * of all runs must be known, and those that hotdrift.ini names must be equal.  No other variable may be set in all runs
 * of one side but in no run of the other side.  The function warns of a run whose variables are unknown and of such
 * other variables.
 */
bool hd_judge_same_surroundings(struct hd_judgement *j);

/* Return true if the run has samples of the compared event. */
bool hd_judge_has_samples(const struct hd_run_set_member *r);

/* Append the profile's total as the last series of the comparison.  hd_judge_symbols() must have run. */
void hd_judge_add_total(struct hd_judgement *j);
/*
 * Decide the comparison: set the final verdicts of its rows and series, its total, its counts and its verdict.  If no
 * row may FAIL (j->c->advisory or j->own_sessions), each FAIL becomes INCONCLUSIVE.  Acknowledgements must have been
 * applied, and hd_judge_add_total() must have run if the profile has a total.
 */
void hd_judge_decide(struct hd_judgement *j);

/*
 * If both sides have at least 3 runs in sessions that the other side has, too, leave out the runs of other sessions:
 * the machine may have been faster or slower then.  Only sessions that are named count (add --session, bench --add of
 * two commands).  Does nothing if the base was named run by run.  Both sides must have been selected.
 */
void hd_judge_keep_turns(struct hd_judgement *j);
/*
 * Return true if the runs of both sides were recorded in turns (history/turns.h), and no earlier runs are compared with
 * them.
 */
bool hd_judge_in_turns(const struct hd_comparison *c);
/*
 * Return true if the runs of each side belong to one session, and the two sides to different sessions.  A session is
 * what its runs name (add --session); runs without a name belong to the session of their boot.  Earlier runs that are
 * used together with the base are part of its side.  hd_judge_line_up() must have run.
 */
bool hd_judge_own_sessions(const struct hd_judgement *j);
/*
 * If hd_judge_own_sessions() holds and j->c->advisory is not set, find the earlier sessions.  If there are too few, set
 * j->own_sessions: then no row FAILs.  Else, if the symbol matrix j->m is loaded, estimate the variance of its rows
 * between sessions, and set j->sessions; j->m may be replaced by another matrix of the same runs.
 */
int hd_judge_find_sessions(struct hd_judgement *j, struct hd_err *err);

/*
 * Judge all symbols.  Sets the rows of the comparison and, unless j->unranked is set, its top 5 and ranking score.
 * Every run must have samples of the event.
 */
int hd_judge_symbols(struct hd_judgement *j, struct hd_err *err);

/*
 * For each row for which hd_may_be_shift() holds, test whether its cost came from other rows (judge_shifts.c).  Then
 * judge all rows again with the sums of costs that were tested (the domains of stats/verdict.h), which are computed
 * from the symbol matrix and the stored stacks.  Sets `from`, `to` and `within` of the rows whose cost moved.
 */
int hd_judge_shifts(struct hd_judgement *j, const struct hd_run_counts *in, const struct hd_variance_model *model,
	const struct hd_verdict_opts *vo, struct hd_judged_profile *judged, struct hd_err *err);

#endif
