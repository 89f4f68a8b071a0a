/*
 * run_pair.h - compare a stored run with an earlier one: the changes of its costliest symbols, with their significance
 */
#ifndef HD_GATE_RUN_PAIR_H
#define HD_GATE_RUN_PAIR_H

#include "history/hotspot_changes.h"
#include "stats/cost_change.h"

/* Cost of a symbol in both runs, per run or per unit of work. */
struct hd_run_pair_cost {
	double base, head;
	struct hd_cost_change change;	/* by the estimator of the gate */
	bool within_noise;		/* counting error and variation between runs can explain the change */
};

struct hd_run_pair {
	struct hd_stored_run base;	/* base.id is NULL if there is no earlier run to compare with */
	size_t base_event;
	struct hd_hotspot_changes changes;
	struct hd_run_pair_cost *costs;	/* one per item of `changes` */
	bool per_work;			/* costs are per unit of work */
	/* the change that most functions have in common, per cent; `change` of a row does not include it */
	double level_pct;
	bool set_noise;			/* every entry into and exit from the top 5 is within noise */
	bool order_noise;		/* every change of the order in the top 5 is within noise */
	char unlike[200];		/* why gate would not compare the runs, or "" */
};

/*
 * Set *event to the index of the named event.  If `name` is NULL, set it to the first event with samples, or to 0 if
 * no event has samples.  HD_EFORMAT: the run does not have the named event, or has no event.
 */
int hd_run_pair_event(const struct hd_stored_run *p, const char *name, size_t *event, struct hd_err *err);

/*
 * Load the run `against` and compare `head` with it.  against: a name as for hd_run_lookup(), or "last" for the run
 * that hd_run_lookup_previous() finds.
 *
 * Changes and intervals are those of gate for these two runs (judge.h).  Where gate computes no q, within_noise assumes
 * that a run varies by 3 % in addition to counting error.  Returns 0, also if "last" finds no run (base.id is then
 * NULL); HD_ENOBASE if the earlier run does not have the event; other codes if `against` is unknown or the database
 * fails.  The caller releases `pair`, except on failure.
 */
int hd_run_pair_load(struct hd_run_pair *pair, struct hd_db *db, const struct hd_stored_run *head, size_t event,
	const char *against, struct hd_err *err);
void hd_run_pair_release(struct hd_run_pair *pair);

#endif
