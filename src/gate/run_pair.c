/*
 * run_pair.c - see run_pair.h
 */
#include "gate/run_pair.h"

#include "base/mem.h"
#include "gate/judge.h"
#include "history/intern.h"
#include "history/run_lookup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOP = 5 };		/* symbols of each run that are compared */

#define NORMAL_975 1.9599639845400545

/* Return the number of samples of an event.  If its unit is samples (folded text), the weight is this number. */
static double samples_of(const struct hd_stored_event *e)
{
	if (!strcmp(e->unit, "samples"))
		return (double)e->weight;
	return e->effective > 0 ? e->effective : (double)e->samples;
}

/*
 * Return true if two symbols swapped their order, and their difference is significant in both runs.  base and head: the
 * sample counts of the two runs.
 */
static bool swapped_significantly(const struct hd_hotspot_change *a, const struct hd_hotspot_change *b, double base,
	double head)
{
	return hd_hotspot_change_passed(a, b) &&
	       hd_counted_shares_differ((struct hd_counted_share){ a->base_pct, base },
		       (struct hd_counted_share){ b->base_pct, base }, NORMAL_975) &&
	       hd_counted_shares_differ((struct hd_counted_share){ a->head_pct, head },
		       (struct hd_counted_share){ b->head_pct, head }, NORMAL_975);
}

/* Return true if `object`, the last part of a path, is the object of `spot`. */
static bool is_in(const struct hd_stored_hotspot *spot, const char *object)
{
	return spot->object && object ? !strcmp(hd_intern_object_name(spot->object), object)
				      : !spot->object && !object;
}

/* Return the row of a symbol; else that of a symbol of this name in this object, as after a rebuild; else NULL. */
static const struct hd_judge_row *row_of(const struct hd_comparison *judged, const struct hd_stored_hotspot *spot)
{
	for (size_t i = 0; i < judged->nrows; i++)
		if (judged->rows[i].symbol_id == spot->symbol)
			return &judged->rows[i];
	for (size_t i = 0; i < judged->nrows && spot->name; i++)
		if (!strcmp(judged->rows[i].symbol, spot->name) && is_in(spot, judged->rows[i].object))
			return &judged->rows[i];
	return NULL;
}

static void take(struct hd_cost_change *c, const struct hd_comparison *judged, const struct hd_hotspot_change *x)
{
	const struct hd_judge_row *r = row_of(judged, x->spot);

	if (!r)
		return;
	c->pct = r->is_new ? INFINITY : r->change_pct;
	if (isfinite(r->hi_pct)) {
		c->lo = r->lo_pct;
		c->hi = r->hi_pct;
		c->q = r->q_changed;
	}
}

static int judge(struct hd_comparison *c, struct hd_db *db, const struct hd_run_pair *pair,
	const struct hd_stored_run *head, size_t event, struct hd_err *err)
{
	struct hd_judge_opts o = hd_judge_defaults;
	struct hd_buf base_id = { 0 }, head_id = { 0 };
	struct hd_log quiet = { 0 };
	struct hd_err why = { 0 };
	int rc;

	hd_buf_addf(&base_id, "%s,", pair->base.id);
	hd_buf_addf(&head_id, "%s,", head->id);
	o.base = base_id.data;
	o.head = head_id.data;
	o.filter.event = head->events[event].name;
	o.test_equal_builds = o.failed_base = true;
	rc = hd_judge(c, db, &o, &quiet, &why);
	if (rc == HD_EUSAGE || rc == HD_EFORMAT)
		rc = 0;		/* both are the same run, or the head lacks the event: *c has no rows */
	else if (rc < 0)
		rc = hd_fail(err, rc, "%s", why.msg);
	hd_log_release(&quiet);
	hd_buf_release(&base_id);
	hd_buf_release(&head_id);
	return rc;
}

static int compare_costs(struct hd_run_pair *pair, struct hd_db *db, const struct hd_stored_run *head, size_t event,
	struct hd_err *err)
{
	const struct hd_stored_event *be = &pair->base.events[pair->base_event], *he = &head->events[event];
	double base = samples_of(be), now = samples_of(he);
	struct hd_comparison c = { 0 };
	int rc = judge(&c, db, pair, head, event, err);

	if (rc < 0)
		return rc;
	if (c.verdict == HD_NOT_COMPARABLE && c.head.n)
		snprintf(pair->unlike, sizeof(pair->unlike), "%.190s", c.reason);
	pair->level_pct = c.total.level_pct;
	pair->per_work = pair->base.work > 0 && head->work > 0;
	pair->costs = hd_new_array(struct hd_run_pair_cost, pair->changes.n + 1);
	pair->set_noise = pair->order_noise = true;
	for (size_t i = 0; i < pair->changes.n; i++) {
		const struct hd_hotspot_change *x = &pair->changes.items[i];
		struct hd_run_pair_cost *to = &pair->costs[i];

		*to = (struct hd_run_pair_cost){ (double)x->base_self / (pair->per_work ? pair->base.work : 1),
			(double)x->head_self / (pair->per_work ? head->work : 1), hd_cost_change_unknown, false };
		take(&to->change, &c, x);
		to->within_noise = hd_cost_change_is_noise(&to->change,
			(struct hd_counted_share){ x->base_pct, base }, (struct hd_counted_share){ x->head_pct, now });
		if (x->kind == HD_HOTSPOT_CHANGE_ENTERED || x->kind == HD_HOTSPOT_CHANGE_LEFT)
			pair->set_noise = pair->set_noise && to->within_noise;
		for (size_t k = 0; k < i; k++)
			pair->order_noise = pair->order_noise &&
				!swapped_significantly(x, &pair->changes.items[k], base, now);
	}
	hd_judge_release(&c);
	return 0;
}

int hd_run_pair_event(const struct hd_stored_run *p, const char *name, size_t *event, struct hd_err *err)
{
	for (*event = 0; *event < p->nevents; ++*event)
		if (name ? !strcmp(p->events[*event].name, name) : p->events[*event].samples > 0)
			return 0;
	*event = 0;
	if (name)
		return hd_fail(err, HD_EFORMAT, "run %s has no event '%s'", p->id, name);
	if (p->nevents)
		return 0;
	return hd_fail(err, HD_EFORMAT, "run %s has series and no samples; 'hotdrift show %s' has them", p->id, p->id);
}

int hd_run_pair_load(struct hd_run_pair *pair, struct hd_db *db, const struct hd_stored_run *head, size_t event,
	const char *against, struct hd_err *err)
{
	int64_t row;
	int rc;

	*pair = (struct hd_run_pair){ 0 };
	rc = strcmp(against, "last") ? hd_run_lookup(db, against, &row, err)
				     : hd_run_lookup_previous(db, head, event, &row, err);
	if (rc < 0 || !row)
		return rc;
	rc = hd_run_load(&pair->base, db, row, TOP, err);
	if (rc < 0)
		return rc;
	pair->base_event = hd_run_load_find_event(&pair->base, &head->events[event]);
	if (pair->base_event == pair->base.nevents)
		rc = hd_fail(err, HD_ENOBASE, "not comparable: run %s has no event %s in %s", pair->base.id,
			head->events[event].name, head->events[event].unit);
	else
		rc = hd_hotspot_changes_build(&pair->changes, db, &pair->base, pair->base_event, head, event, TOP, err);
	if (rc >= 0)
		rc = compare_costs(pair, db, head, event, err);
	if (rc < 0)
		hd_run_pair_release(pair);
	return rc;
}

void hd_run_pair_release(struct hd_run_pair *pair)
{
	free(pair->costs);
	pair->costs = NULL;
	hd_hotspot_changes_release(&pair->changes);
	hd_run_load_release(&pair->base);
}
