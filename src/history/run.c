/*
 * run.c - see run.h
 */
#include "history/run.h"

#include "base/mem.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static int check_cost(uint64_t cost, const char *what, const char *of, struct hd_err *err)
{
	if (cost <= INT64_MAX)
		return 0;
	return hd_fail(err, HD_EFORMAT, "%s of %.200s is %" PRIu64 ", more than a database can store (%" PRId64 ")",
		what, of, cost, INT64_MAX);
}

static int check_hotspot(const struct hd_run_hotspot *h, struct hd_err *err)
{
	const struct { uint64_t cost; const char *what; } costs[] = {
		{ h->self, "the self cost" }, { h->total, "the total cost" }, { h->samples, "the number of samples" },
		{ h->has_inline ? h->inline_self : 0, "the self cost" },
		{ h->has_inline ? h->inline_total : 0, "the total cost" },
	};

	for (size_t i = 0; i < HD_COUNT(costs); i++) {
		int rc = check_cost(costs[i].cost, costs[i].what, h->name ? h->name : "an address", err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

static int check_sampling(const struct hd_rate *s, const char *event, struct hd_err *err)
{
	const uint64_t all[] = { s->frequency_hz, s->period, s->throttled, s->unthrottled, s->enabled_ns, s->running_ns,
		s->stack_bytes };
	int rc = 0;

	for (size_t i = 0; i < HD_COUNT(all) && rc >= 0; i++)
		rc = check_cost(all[i], "a sampling parameter", event, err);
	return rc;
}

static int check_event(const struct hd_run_event *e, struct hd_err *err)
{
	int rc = check_cost(e->weight, "the weight", e->name, err);

	if (rc >= 0)
		rc = check_cost(e->samples, "the number of samples", e->name, err);
	if (rc >= 0)
		rc = check_cost(e->lost, "the number of lost samples", e->name, err);
	if (rc >= 0)
		rc = check_sampling(&e->rate, e->name, err);
	for (size_t i = 0; i < e->nhotspots && rc >= 0; i++)
		rc = check_hotspot(&e->hotspots[i], err);
	return rc;
}

/* Check that all values are finite: a database cannot store NaN, and NULL has another meaning. */
static int check_series(const struct hd_run_series *s, struct hd_err *err)
{
	for (size_t i = 0; i < s->nstats; i++) {
		const struct hd_run_stat *x = &s->stats[i];

		if (!isfinite(x->value) || (x->has_interval && !(isfinite(x->lo) && isfinite(x->hi))))
			return hd_fail(err, HD_EFORMAT, "%s of %.200s is not a finite number", x->name, s->name);
	}
	return check_cost(s->samples, "the number of values", s->name, err);
}

int hd_run_check(const struct hd_run *run, struct hd_err *err)
{
	int rc = 0;

	if (strlen(run->target) > HD_RUN_TARGET)
		return hd_fail(err, HD_EUSAGE, "the name of the target has %zu bytes; the limit is %d",
			strlen(run->target), HD_RUN_TARGET);
	rc = check_cost(run->read, "the number of samples", run->target, err);
	if (rc >= 0)
		rc = check_cost(run->kept, "the number of samples", run->target, err);
	for (size_t i = 0; i < run->ndropped && rc >= 0; i++)
		rc = check_cost(run->dropped[i].samples, "the number of samples dropped", run->target, err);
	for (size_t i = 0; i < run->nevents && rc >= 0; i++)
		rc = check_event(&run->events[i], err);
	for (size_t i = 0; i < run->nseries && rc >= 0; i++)
		rc = check_series(&run->series[i], err);
	return rc;
}
