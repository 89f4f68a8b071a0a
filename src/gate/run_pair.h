/*
 * run_pair.h - compare a stored run with an earlier one: the changes of its costliest symbols, with their significance
 */
#ifndef HD_GATE_RUN_PAIR_H
#define HD_GATE_RUN_PAIR_H

#include "history/hotspot_changes.h"

/* Cost of a symbol in both runs, per run or per unit of work. */
struct hd_run_pair_cost {
	double base, head;
	double change;			/* per cent, by the estimator of gate; NaN: unknown; infinite: new */
	double lo, hi;			/* its 95 % interval, NaN if unknown */
	double q;			/* false-discovery rate of "it changed"; NaN: unknown */
	bool within_noise;		/* counting error and run-to-run noise explain the change */
};

struct hd_run_pair {
	struct hd_stored_run base;	/* base.id is NULL if there is no earlier run to compare with */
	size_t base_event;
	struct hd_hotspot_changes changes;
	struct hd_run_pair_cost *costs;	/* one per item of `changes` */
	bool per_work;			/* costs are per unit of work */
	double level_pct;		/* change common to most functions; the changes do not include it */
	bool set_noise, order_noise;	/* the change of the top-5 set, or of its order, is within noise */
	char unlike[200];		/* why gate would not compare the runs, or "" */
};

/* Set *event to the index of the named event, or of the first event with samples if `name` is NULL. */
int hd_run_pair_event(const struct hd_stored_run *p, const char *name, size_t *event, struct hd_err *err);

/*
 * Load the run `against` ("last": the newest comparable ok run of the target before `head`) and compare `head` with it.
 *
 * Changes and intervals are those of gate for these two runs (judge.h).  Where gate gives no interval, a run is
 * assumed to vary by 3 % in addition to counting error.  Returns 0, also if there is no earlier run.  On failure
 * `pair` is released.
 */
int hd_run_pair_load(struct hd_run_pair *pair, struct hd_db *db, const struct hd_stored_run *head, size_t event,
	const char *against, struct hd_err *err);
void hd_run_pair_release(struct hd_run_pair *pair);

#endif
