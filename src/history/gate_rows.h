/*
 * gate_rows.h - store results of gates: tables gate_result, gate_run and drift_event (schema/005_gates.sql)
 *
 * gate/gate_result.c decides what is stored.  All texts are in their visible form (base/encode.h) and borrowed.
 */
#ifndef HD_HISTORY_GATE_ROWS_H
#define HD_HISTORY_GATE_ROWS_H

#include "history/run_set.h"

struct hd_gate_row {
	const char *command;		/* "gate" or "drift" */
	const char *target, *mode, *event, *base_ref, *head_ref;
	const char *verdict, *reason;	/* reason: NULL if there is none */
	unsigned look;
	double level;
	/*
	 * numbers of symbols and series with verdict FAIL, SHIFT and INCONCLUSIVE, counted as in struct hd_comparison
	 * (gate/judge.h)
	 */
	size_t failed, shifted, unsure;
	/* as in struct hd_comparison (gate/judge.h); NaN: the ranks of the symbols were not compared */
	double score, aa_limit, moved_pct, net_pct;
};

/* One row of drift_event. */
struct hd_gate_finding {
	const char *kind, *verdict;
	const char *series;		/* such as "p99 wall_time_us"; NULL: the finding is not about a series */
	int64_t symbol;			/* symbol.id; below 0: none */
	/*
	 * base and head: shares in per cent, or values in the unit of the series.  NaN is stored as NULL, infinity as
	 * 1e300
	 */
	double base, head, change, lo, hi, q;
	/* the runs that the head was compared with; NULL: the base (sides[0]) */
	const struct hd_run_set *against;
};

/* A set of runs that took part in a comparison, and their role, which is stored in gate_run.side. */
struct hd_gate_side {
	const char *role;		/* "base", "head", "history" or "pin" */
	const struct hd_run_set *set;
};

/*
 * Set *looks to the number of earlier looks at this comparison.  A look is an INCONCLUSIVE result of command "gate" for
 * the same target, mode, event and sides with fewer than `runs` runs of base and head together.  Results with the same
 * number of runs count once.
 */
int hd_gate_rows_looks(int64_t *looks, struct hd_db *db, const struct hd_gate_row *key, size_t runs,
	struct hd_err *err);

/*
 * Write one result with its runs and findings, and its journal entry, in one transaction.  sides[0] must be the base,
 * sides[1] the head.
 */
int hd_gate_rows_write(struct hd_db *db, const struct hd_gate_row *row, const struct hd_gate_side *sides, size_t nsides,
	const struct hd_gate_finding *findings, size_t nfindings, struct hd_err *err);

#endif
