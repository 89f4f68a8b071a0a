/*
 * source_difference.c - see source_difference.h
 */
#include "cli/source_difference.h"

#include "gate/judge.h"

#include <math.h>

/* Judge two sets of stored runs.  *c remains empty if `gate` finds nothing to compare. */
static int judge_runs(struct hd_comparison *c, const struct hd_profile_source *base,
	const struct hd_profile_source *head, const struct hd_db_option *option, struct hd_log *log, struct hd_err *err)
{
	struct hd_judge_opts how = hd_judge_defaults;
	struct hd_log quiet = { 0 };
	struct hd_err why = { 0 };
	struct hd_db *db;
	int rc = hd_db_option_open(&db, option, HD_DB_READ, 0, err);

	if (rc < 0)
		return rc;
	how.base = base->ids;
	how.head = head->ids;
	how.filter.event = hd_profile_str(head->p, head->p->events[head->event].name);
	how.test_equal_builds = how.failed_base = true;
	rc = hd_judge(c, db, &how, &quiet, &why);
	hd_db_close(db);
	if (rc == HD_EUSAGE || rc == HD_EFORMAT)
		/*
		 * The same run was given twice, or one run lacks the event.  So hd_judge() found no changes.  For a
		 * difference this is not an error.
		 */
		rc = 0;
	else if (rc < 0)
		rc = hd_fail(err, rc, "%s", why.msg);
	else if (c->verdict == HD_NOT_COMPARABLE)
		hd_warn(log, "diff.not-comparable", "", "gate does not compare these runs: %s", c->reason);
	hd_log_release(&quiet);
	return rc;
}

/* Take the changes of the functions, with their confidence intervals, from a comparison of gate. */
static void take_changes(struct hd_difference *d, const struct hd_comparison *c)
{
	for (size_t i = 0; i < c->nrows; i++) {
		const struct hd_judge_row *r = &c->rows[i];
		const double share[2] = { r->base_pct, r->head_pct };

		hd_difference_take(d, r->symbol, share, r->is_new ? INFINITY : r->change_pct,
			isfinite(r->hi_pct) ? r->lo_pct : NAN, isfinite(r->hi_pct) ? r->hi_pct : NAN);
	}
}

/*
 * Return the costs of whole functions: the list that is stored with a run, or one that is built into *own.  NULL: they
 * are not asked for, or a selection was made from the stacks of a run, which do not tell what was inlined.
 */
static const struct hd_top *functions_of(struct hd_top *own, const struct hd_profile_source *e,
	const struct hd_input *in)
{
	if (in->inlined > 0)
		return NULL;
	if (e->tops.n)
		return hd_profile_source_functions(e, in);
	hd_top_build(own, e->p, e->event, false);
	return own;
}

int hd_source_difference_build(struct hd_difference *d, const struct hd_profile_source *base,
	const struct hd_profile_source *head, const struct hd_difference_opts *how, const struct hd_input *in,
	struct hd_log *log, struct hd_err *err)
{
	const struct hd_profile_source *of[2] = { base, head };
	struct hd_difference_side sides[2];
	struct hd_top own[2] = { { .n = 0 } };
	struct hd_difference_opts as = *how;
	struct hd_comparison judged = { 0 };
	double level;
	int rc = base->ids && head->ids ? judge_runs(&judged, base, head, &in->db, log, err) : 0;

	for (unsigned side = 0; side < 2; side++)
		sides[side] = (struct hd_difference_side){ of[side]->p, of[side]->event, of[side]->samples,
			(double)of[side]->nruns, of[side]->work, functions_of(&own[side], of[side], in) };
	as.as_they_are |= judged.as_they_are;
	if (judged.nrows && !judged.history.n) {	/* with a history, the base of gate is not only this run */
		level = log1p(judged.total.level_pct / 100);
		as.size = &level;
	}
	hd_difference_build(d, &sides[HD_BASE], &sides[HD_HEAD], &as);
	take_changes(d, &judged);
	hd_judge_release(&judged);
	hd_top_release(&own[HD_BASE]);
	hd_top_release(&own[HD_HEAD]);
	return rc;
}
