/*
 * judge_run_sets.c - see judgement.h: select the runs of both sides, and check the preconditions
 */
#include "gate/judgement.h"

#include "base/mem.h"
#include "history/environment.h"
#include "history/run_set_base.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Limits for the part of the samples that was lost.  Above the first limit, runs cannot be compared; above the second,
 * the user is warned.
 */
#define LOST_TOO_MANY 0.05
#define LOST_SOME 0.001
/*
 * Limits for multiplexing, that is, for the part of the enabled time in which the event had no hardware counter.  Above
 * the first limit, runs cannot be compared; above the second, the user is warned.  The weight of the event does not
 * include the cost of that time.
 */
#define SHARED_TOO_MUCH 0.05
#define SHARED_SOME 0.001
#define SILENT_TOO_LONG 0.05		/* maximum part of a recording in which a throttled counter may be stopped */
#define WORK_UNLIKE 1.5		/* factor between the work of the two sides from which on it is a warning */
#define THROTTLE_FIX "a lower frequency or a larger period (perf record -F, -c)"
#define SHARE_FIX "fewer events at once, so that each has a counter of its own"
enum { FEWEST_SAMPLES = 30, FEW_SAMPLES = 1000 };

int hd_judge_not_comparable(struct hd_comparison *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->reason, sizeof(c->reason), fmt, ap);
	va_end(ap);
	c->verdict = HD_NOT_COMPARABLE;
	return 0;
}

/* Turn HD_ENOBASE into the verdict NOT_COMPARABLE; other errors stay errors. */
static int or_not_comparable(struct hd_comparison *c, int rc, const struct hd_err *err)
{
	return rc == HD_ENOBASE ? hd_judge_not_comparable(c, "%s", err->msg) : rc;
}

/* ---- selecting ---- */

int hd_judge_find_head(struct hd_judgement *j, struct hd_err *err)
{
	struct hd_comparison *c = j->c;
	struct hd_comparability a;
	struct hd_buf why = { 0 };
	const struct hd_run_set_member *newest;
	int rc = hd_run_set_find(&c->head, j->db, j->o->head, &j->o->filter, err);

	if (rc < 0)
		return or_not_comparable(c, rc, err);
	newest = &c->head.runs[c->head.n - 1];
	if (j->o->filter.event &&
		(!newest->like[HD_RUN_FIELD_EVENT] || strcmp(newest->like[HD_RUN_FIELD_EVENT], j->o->filter.event)))
		return hd_fail(err, HD_EFORMAT, "run %s has no event '%s'; it has %s", newest->id, j->o->filter.event,
			       newest->like[HD_RUN_FIELD_EVENT] ? newest->like[HD_RUN_FIELD_EVENT] : "none");
	for (size_t i = c->head.n; i-- > 0;) {
		if (hd_comparable(&c->head.runs[i], newest))
			continue;
		rc = hd_comparability_differences(&a, j->db, &c->head.runs[i], newest, 0, HD_RUN_FIELD_MUST_AGREE, err);
		if (rc < 0)
			return rc;
		for (size_t k = 0; k < a.n; k++)
			hd_buf_addf(&why, "%s%s", k ? ", " : "", a.items[k].field);
		hd_comparability_release(&a);
		hd_warn(j->log, "gate.set-aside", "",
			"runs of the head that differ from its newest (%s) are not compared", hd_buf_str(&why));
		hd_buf_release(&why);
		break;
	}
	hd_comparability_keep(&c->head, newest);
	return 0;
}

/*
 * Keep those runs that the user named as the base that are comparable with the head and did not fail their gate (unless
 * opts.failed_base is set).  If none remains, the verdict is NOT_COMPARABLE.
 */
static int narrow_base(struct hd_judgement *j, struct hd_err *err)
{
	struct hd_comparison *c = j->c;
	const struct hd_run_set_member *like = &c->head.runs[c->head.n - 1], *nearest = NULL;
	struct hd_buf why = { 0 };
	size_t n = 0, failed = 0;
	int rc = 0;

	for (size_t i = 0; i < c->base.n; i++) {
		const struct hd_run_set_member *r = &c->base.runs[i];

		if (!nearest || hd_comparability_distance(r, like) < hd_comparability_distance(nearest, like))
			nearest = r;
	}
	if (nearest && !hd_comparable(nearest, like)) {
		rc = hd_comparability_differences(&c->differs, j->db, nearest, like, 0, HD_RUN_FIELD_MUST_AGREE, err);
		hd_comparability_sentence(&why, &c->differs);
		if (rc >= 0)
			rc = hd_judge_not_comparable(c, "%s", why.data);
		hd_buf_release(&why);
		return rc;
	}
	for (size_t i = 0; i < c->base.n; i++) {
		bool good = j->o->failed_base || !c->base.runs[i].failed_gate;

		failed += !good;
		if (good && hd_comparable(&c->base.runs[i], like))
			c->base.runs[n++] = c->base.runs[i];
	}
	c->base.set_aside += c->base.n - n;
	c->base.partial |= n < c->base.n;
	if (n < c->base.n)
		hd_warn_n(j->log, "gate.set-aside", c->base.n - n, "",
			"runs of the base that cannot be compared with the head, or failed their gate, "
			"are skipped");
	c->base.n = n;
	if (!n)
		return hd_judge_not_comparable(c,
			"all %zu runs of the base failed their gate; a FAIL never becomes a baseline: acknowledge what "
			"failed, or name another with --base",
			failed);
	return 0;
}

int hd_judge_find_base(struct hd_judgement *j, struct hd_err *err)
{
	struct hd_comparison *c = j->c;
	const struct hd_run_set_member *like = &c->head.runs[c->head.n - 1];
	struct hd_run_set_filter filter = { j->o->filter.dir, like->like[HD_RUN_FIELD_TARGET],
		like->like[HD_RUN_FIELD_MODE], like->like[HD_RUN_FIELD_EVENT] };
	const char *base = j->o->base;
	struct hd_base_search found = { HD_BASE_FOUND, { 0 } };
	struct hd_err no_base = { 0 };
	bool has_merge_base;
	int rc;

	if (!base || (j->o->merge_base && c->head.commit[0])) {
		rc = hd_run_set_base(&c->base, &found, j->db, &c->head, base, &filter, &no_base);
		if (!base)
			c->differs = found.differs;
		if (!base && rc == HD_ENOBASE)
			return hd_judge_not_comparable(c, "%s", no_base.msg);
		if (rc != HD_ENOBASE)
			return rc < 0 ? hd_fail(err, rc, "%s", no_base.msg) : rc;
	}
	has_merge_base = found.status > HD_BASE_NO_MERGE_BASE;
	rc = hd_run_set_find(&c->base, j->db, base, &filter, err);
	/* If the merge base of the named branch has no runs but the branch itself has some, these are the base. */
	if (rc >= 0 && has_merge_base)
		snprintf(c->base.how, sizeof(c->base.how),
			"as named: its merge-base with the head has no runs that could be a baseline");
	if (rc < 0 && has_merge_base) {
		c->differs = found.differs;
		return hd_judge_not_comparable(c, "%s", no_base.msg);
	}
	hd_comparability_release(&found.differs);
	return rc < 0 ? or_not_comparable(c, rc, err) : narrow_base(j, err);
}

const struct hd_run_set_member *hd_judge_common_run(const struct hd_run_set *a, const struct hd_run_set *b)
{
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++)
			if (a->runs[i].row == b->runs[k].row)
				return &b->runs[k];
	return NULL;
}

static int reject_common_runs(const struct hd_comparison *c, struct hd_err *err)
{
	const struct hd_run_set_member *common = hd_judge_common_run(&c->base, &c->head);

	return common ? hd_fail(err, HD_EUSAGE, "run %s is on both sides", common->id) : 0;
}

/* ---- preconditions ---- */

static void warn_about_sampling(struct hd_judgement *j, const struct hd_run_set_member *r)
{
	double shared = hd_rate_shared(&r->rate);

	if (r->rate.throttled)
		hd_warn(j->log, "gate.throttled", THROTTLE_FIX,
			"run %s was throttled %" PRIu64 " times: for %.2f %% of the time there are no samples", r->id,
			r->rate.throttled, 100 * r->rate.silent);
	if (shared > SHARED_SOME)
		hd_warn(j->log, "gate.multiplexed", SHARE_FIX,
			"run %s had its event on the counter for %.1f %% of the time", r->id, 100 * (1 - shared));
}

enum { SAMPLES_TEXT = 80 };

/*
 * Write the number of samples of a run.  If the weights of its samples vary, this is the effective number, which is
 * smaller than the number that other commands print.
 */
static const char *samples_text(char text[SAMPLES_TEXT], const struct hd_run_set_member *r)
{
	const char *s = round(r->effective) == 1 ? "" : "s";

	if (round(r->effective) >= round(r->samples))
		snprintf(text, SAMPLES_TEXT, "%.0f sample%s", r->effective, s);
	else
		snprintf(text, SAMPLES_TEXT, "%.0f effective sample%s (%.0f recorded)", r->effective, s, r->samples);
	return text;
}

static void warn_about_samples(struct hd_judgement *j, const struct hd_run_set *s)
{
	const struct hd_run_set_member *fewest = NULL;
	char text[SAMPLES_TEXT];

	for (size_t i = 0; i < s->n; i++) {
		double all = s->runs[i].samples + s->runs[i].lost;

		if (s->runs[i].event < 0)
			continue;
		if (!fewest || s->runs[i].effective < fewest->effective)
			fewest = &s->runs[i];
		if (all > 0 && s->runs[i].lost > LOST_SOME * all)
			hd_warn(j->log, "gate.lost", "a larger buffer (perf record -m) or a lower frequency",
				"run %s lost %.1f %% of its samples", s->runs[i].id, 100 * s->runs[i].lost / all);
	}
	for (size_t i = 0; i < s->n; i++)
		warn_about_sampling(j, &s->runs[i]);
	if (fewest && fewest->effective < FEW_SAMPLES)
		hd_warn(j->log, "gate.few-samples", "record longer or at a higher frequency",
			"a run of %s has %s", s->name, samples_text(text, fewest));
}

/*
 * Set the verdict NOT_COMPARABLE if the event was not counted for too large a part of the recording, because of
 * throttling or multiplexing.
 */
static int check_sampling(struct hd_comparison *c, const struct hd_run_set_member *r)
{
	double shared = hd_rate_shared(&r->rate);

	if (r->rate.silent > SILENT_TOO_LONG)
		return hd_judge_not_comparable(c,
			"run %s was throttled: for %.1f %% of the time there are no samples, more than %.0f %%; record "
			"with %s",
			r->id, 100 * r->rate.silent, 100 * SILENT_TOO_LONG, THROTTLE_FIX);
	if (shared > SHARED_TOO_MUCH)
		return hd_judge_not_comparable(c,
			"run %s had its event on the counter for %.1f %% of the time, less than %.0f %%; record %s",
			r->id, 100 * (1 - shared), 100 * (1 - SHARED_TOO_MUCH), SHARE_FIX);
	return 0;
}

/* Set the verdict NOT_COMPARABLE if a run has too few samples, or lost too many. */
static int check_run(struct hd_comparison *c, const struct hd_run_set_member *r)
{
	double all = r->samples + r->lost;
	char text[SAMPLES_TEXT];

	if (r->event >= 0 && r->lost > LOST_TOO_MANY * all)
		return hd_judge_not_comparable(c,
			"run %s lost %.1f %% of its samples, more than %.0f %%: what is left may not be what ran; "
			"record again with a larger buffer (perf record -m) or a lower frequency",
			r->id, 100 * r->lost / all, 100 * LOST_TOO_MANY);
	if (r->event >= 0 && r->effective < FEWEST_SAMPLES)
		return hd_judge_not_comparable(c,
			"run %s has %s, but %d are needed: record longer or at a higher frequency", r->id,
			samples_text(text, r), FEWEST_SAMPLES);
	return check_sampling(c, r);
}

static void check_side(struct hd_comparison *c, const struct hd_run_set *s)
{
	for (size_t i = 0; i < s->n && !c->reason[0]; i++)
		check_run(c, &s->runs[i]);
}

int hd_judge_check(struct hd_judgement *j, struct hd_err *err)
{
	struct hd_comparison *c = j->c;
	struct hd_comparability a;
	struct hd_buf fields = { 0 };
	int rc;

	rc = reject_common_runs(c, err);
	if (rc < 0)
		return rc;
	warn_about_samples(j, &c->base);
	warn_about_samples(j, &c->head);
	rc = hd_comparability_differences(&a, j->db, &c->base.runs[c->base.n - 1], &c->head.runs[c->head.n - 1],
		HD_RUN_FIELD_MUST_AGREE, HD_RUN_FIELDS, err);
	if (rc < 0)
		return rc;
	hd_comparability_sentence(&fields, &a);
	if (a.n)
		hd_warn(j->log, "gate.machine", "", "the runs were not recorded in the same way: %s", fields.data);
	hd_buf_release(&fields);
	hd_comparability_release(&a);
	check_side(c, &c->base);
	check_side(c, &c->head);
	return 0;
}

/* ---- equal builds ---- */

static bool sets(const struct hd_run_set_member *r, const struct hd_environment_variable *v)
{
	struct hd_environment_variable other;

	return hd_environment_relate(v, r->like[HD_RUN_FIELD_ENVIRONMENT], &other) != HD_ENVIRONMENT_DIFFERENT;
}

/*
 * Append the names of the environment variables that are set in all runs[from .. to - 1] and in no other run, except
 * those that hotdrift.ini names.
 */
static void add_variables_of(struct hd_buf *out, const struct hd_judgement *j, size_t from, size_t to)
{
	const char *at = j->runs[from]->like[HD_RUN_FIELD_ENVIRONMENT];
	struct hd_environment_variable v;

	while (hd_environment_next(&at, &v)) {
		bool only = !v.named;

		for (size_t i = 0; i < j->nruns && only; i++)
			only = sets(j->runs[i], &v) == (i >= from && i < to);
		if (!only || out->len > 200)
			continue;
		hd_buf_adds(out, out->len ? ", " : "");
		hd_buf_add(out, v.name, v.name_len);
	}
}

bool hd_judge_same_surroundings(struct hd_judgement *j)
{
	struct hd_buf unlike = { 0 };
	bool same = true;

	for (size_t i = 0; i < j->nruns; i++) {
		const char *first = j->runs[0]->like[HD_RUN_FIELD_ENVIRONMENT],
			   *its = j->runs[i]->like[HD_RUN_FIELD_ENVIRONMENT];

		if (!its) {
			hd_warn(j->log, "gate.environment", "hotdrift add --env NAME=VALUE stores it",
				"the builds are the same, but the environment of run %s is not known: they are tested",
				j->runs[i]->id);
			return false;
		}
		same = same && hd_environment_compare(first, its) == HD_ENVIRONMENT_EQUAL;
	}
	if (same) {
		add_variables_of(&unlike, j, 0, j->nbase);
		add_variables_of(&unlike, j, j->nbase, j->nruns);
	}
	if (unlike.len)
		hd_warn(j->log, "gate.environment",
			"name it in hotdrift.ini (env = NAME), so that runs with another value are not compared",
			"the builds are the same, but only one side sets %s: they are tested", unlike.data);
	same = same && !unlike.len;
	hd_buf_release(&unlike);
	return same;
}

/* ---- a side of one run ---- */

void hd_judge_advise(struct hd_judgement *j, size_t runs, const char *where)
{
	j->c->advisory = true;
	j->c->history.n = 0;
	snprintf(j->c->reason, sizeof(j->c->reason),
		"a side is a single run, and base and history have %zu of %d runs%s: this is advice, no verdict", runs,
		HD_JUDGE_HISTORY_LEAST, where);
}

/* Return true if a run could be a side of a comparison.  If not, it says nothing about the variance either. */
static bool is_sound(const struct hd_run_set_member *r)
{
	struct hd_comparison alone = { 0 };

	check_run(&alone, r);
	return hd_judge_has_samples(r) && !alone.reason[0];
}

static size_t count_worked(const struct hd_run_set *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->runs[i].work > 0;
	return n;
}

static double mean_work(const struct hd_run_set *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += s->runs[i].work;
	return sum / (double)s->n;
}

/* Set j->worked, and warn if only some runs of the sides know their work, or if one side did much more of it. */
static void check_work(struct hd_judgement *j)
{
	size_t n = j->c->base.n + j->c->head.n, known = count_worked(&j->c->base) + count_worked(&j->c->head);
	double more;

	j->worked = known == n;
	more = j->worked ? mean_work(&j->c->head) / mean_work(&j->c->base) : 1;
	if (fabs(log(more)) > log(WORK_UNLIKE))
		hd_warn(j->log, "gate.work", "let both sides do the same work",
			"a run of the head did %.3g times the work of one of the base, so what a run costs in any "
			"case, such as its start, is %s of a unit of work",
			more, more > 1 ? "a smaller part" : "a larger part");
	if (known && known < n)
		hd_warn(j->log, "gate.work", "give the work of every run (add --work)",
			"%zu of %zu runs do not know their work, so costs are not compared per unit of work", n - known,
			n);
}

int hd_judge_find_history(struct hd_judgement *j, struct hd_err *err)
{
	struct hd_comparison *c = j->c;
	/* Runs without samples, which only have series, are compared as well. */
	bool has_event = c->base.runs[0].event >= 0 && c->head.runs[0].event >= 0;
	size_t n = 0;
	int rc;

	check_work(j);
	if (c->base.n > 1 && c->head.n > 1)
		return 0;
	rc = hd_run_set_history(&c->history, j->db, &c->base, &j->o->filter, HD_JUDGE_HISTORY, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < c->history.n; i++) {
		bool there = false;

		for (size_t k = 0; k < c->base.n; k++)
			there = there || c->base.runs[k].row == c->history.runs[i].row;
		if (!there && (!has_event || is_sound(&c->history.runs[i])) &&
			(!j->worked || c->history.runs[i].work > 0))
			c->history.runs[n++] = c->history.runs[i];
	}
	c->history.n = n;
	if (n + c->base.n >= HD_JUDGE_HISTORY_LEAST)
		return 0;
	hd_judge_advise(j, n + c->base.n, "");
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct hd_run_set_member *const *x = a, *const *y = b;
	int d = strcmp((*x)->recorded, (*y)->recorded);

	return d ? d : ((*x)->row > (*y)->row) - ((*x)->row < (*y)->row);
}

void hd_judge_line_up(struct hd_judgement *j)
{
	struct hd_comparison *c = j->c;

	free(j->runs);
	j->nruns = 0;
	j->runs = hd_zalloc(c->base.n + c->head.n + c->history.n + 1, sizeof(*j->runs));
	for (size_t i = 0; i < c->history.n; i++)
		j->runs[j->nruns++] = &c->history.runs[i];
	for (size_t i = 0; i < c->base.n; i++)
		j->runs[j->nruns++] = &c->base.runs[i];
	qsort(j->runs, j->nruns, sizeof(*j->runs), by_time);
	j->nbase = j->nruns;
	for (size_t i = 0; i < c->head.n; i++)
		j->runs[j->nruns++] = &c->head.runs[i];
}
