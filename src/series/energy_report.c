/*
 * energy_report.c - see energy_report.h
 */
#include "series/energy_report.h"

#include "base/mem.h"
#include "track/power_overlap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The columns of a power series. */
struct fields {
	const struct hd_series_column *t, *watts, *source, *domain, *joules, *stale;
	double second;		/* number of time units of the series per second */
};

static int find_fields(struct fields *f, const struct hd_series *s, struct hd_err *err)
{
	*f = (struct fields){ .t = hd_series_find(s, "timestamp_us"),
		.watts = hd_series_find(s, "watts"),
		.second = 1e6 };
	if (s->form == HD_FORM_SOURCES) {
		f->t = hd_series_find(s, "t_ns");
		f->second = 1e9;
		f->source = hd_series_find(s, "source");
		f->domain = hd_series_find(s, "domain");
		f->joules = hd_series_find(s, "joules_cum");
		f->stale = hd_series_find(s, "stale");
	} else if (s->form != HD_FORM_POWER) {
		return hd_fail(err, HD_EFORMAT, "%s: is not a power series: its header must be %s or %s", s->path,
			       hd_form_layout(HD_FORM_POWER)->header, hd_form_layout(HD_FORM_SOURCES)->header);
	}
	return 0;
}

static const char *text_at(const struct hd_series *s, const struct hd_series_column *c, size_t row)
{
	return c ? hd_strtab_get(s->text, c->names[row]) : NULL;
}

/* ---- rows into domains ---- */

static struct hd_energy_domain *domain_of(struct hd_energy_report *r, const struct fields *f, size_t row)
{
	const char *source = text_at(r->series, f->source, row), *domain = text_at(r->series, f->domain, row);

	/* Names are interned, so equal names have the same pointer. */
	for (size_t i = r->n; i-- > 0; )
		if (r->domains[i].source == source && r->domains[i].domain == domain)
			return &r->domains[i];
	HD_GROW(r->domains, r->n + 1, r->cap);
	r->domains[r->n] = (struct hd_energy_domain){ .source = source, .domain = domain, .wraps = -1 };
	return &r->domains[r->n++];
}

static bool has(const struct hd_series_column *c, size_t row)
{
	return c && !isnan(c->v[row]);
}

enum {
	DOMAINS_MAX = 1024,
	/*
	 * If the total has more domains than this, the sum of their peaks is reported instead of the peak of their
	 * sum.  The peak of the sum takes time in proportion to the square of the number of domains.
	 */
	PEAK_DOMAINS = 32,
};

/* Assign each row to its domain.  *without counts the rows that have no time, or neither watts nor joules. */
static int sort_rows(struct hd_energy_report *r, size_t *without, const struct fields *f, struct hd_err *err)
{
	const struct hd_series *s = r->series;

	for (size_t i = 0; i < s->rows; i++) {
		bool stale = has(f->stale, i) && f->stale->v[i] != 0;
		struct hd_energy_domain *d;
		double t_s;

		if (!has(f->t, i) || (!has(f->watts, i) && !has(f->joules, i))) {
			++*without;
			continue;
		}
		t_s = f->t->v[i] / f->second;
		d = domain_of(r, f, i);
		if (r->n > DOMAINS_MAX)
			return hd_fail(err, HD_EFORMAT, "%s: more than %d pairs of source and domain", s->path,
				DOMAINS_MAX);
		if (has(f->watts, i)) {
			HD_GROW(d->power, d->npower + 1, d->power_cap);
			d->power[d->npower++] = (struct hd_energy_sample){ t_s, f->watts->v[i], stale };
		}
		if (has(f->joules, i)) {
			HD_GROW(d->count, d->ncount + 1, d->count_cap);
			d->count[d->ncount++] = (struct hd_energy_sample){ t_s, f->joules->v[i], false };
		}
	}
	return 0;
}

/* ---- the result of a domain ---- */

static void sum_up(struct hd_energy_domain *d)
{
	bool by_counter = !d->npower && d->ncount;
	const struct hd_energy *e = by_counter ? &d->counter : &d->watts;

	d->method = by_counter ? "counter" : "trapezoid";
	d->enough = e->enough;
	d->joules = e->total_joules;
	d->mean_watts = e->mean_watts;
	d->peak_watts = e->peak_watts;
	d->duration_s = e->duration_s;
	d->n_samples = e->n_samples;
	d->median_dt_s = e->enough ? e->median_dt_s : NAN;
	d->update_period_s = e->update_period_s;
	d->counter_joules = d->counter.enough ? d->counter.total_joules : NAN;
	d->disagreement_pct = !by_counter && d->enough && d->counter_joules > 0
				      ? 100 * (d->joules - d->counter_joules) / d->counter_joules
				      : NAN;
}

static void find_overlaps(struct hd_energy_report *r)
{
	struct hd_power_overlap *o = hd_new_array(struct hd_power_overlap, r->n + 1);

	for (size_t i = 0; i < r->n; i++)
		o[i] = (struct hd_power_overlap){ .source = r->domains[i].source, .domain = r->domains[i].domain };
	hd_power_overlap_resolve(o, r->n);
	for (size_t i = 0; i < r->n; i++)
		r->domains[i].why_not = o[i].why_not;
	free(o);
}

/* ---- the total ---- */

/*
 * Return the watts of domain d at a time, by interpolation; before the first and after the last sample, return the
 * watts of that sample.  *at is the index of the last sample at or before the previous time, 0 at first.  It is only
 * advanced, so times must rise from call to call.
 */
static double watts_at(const struct hd_energy_domain *d, size_t *at, double t_s)
{
	const struct hd_energy_sample *s;

	while (*at + 1 < d->npower && d->power[*at + 1].t_s <= t_s)
		++*at;
	s = &d->power[*at];
	if (*at + 1 == d->npower || t_s <= s->t_s)
		return s->value;
	return s->value + (s[1].value - s->value) * ((t_s - s->t_s) / (s[1].t_s - s->t_s));
}

/*
 * Return the peak of the sum of the n domains that make up the total.  Each domain has samples of watts.  The sum is
 * evaluated at the time of each sample of any domain in the span.  The watts of the domains without a sample at that
 * time are interpolated.  -INFINITY if no sample is in the span.
 */
static double peak_of_sums(const struct hd_energy_domain **d, size_t n, struct hd_energy_span span)
{
	double peak = -INFINITY;

	for (size_t i = 0; i < n; i++) {
		size_t at[PEAK_DOMAINS] = { 0 };

		for (size_t k = 0; k < d[i]->npower; k++) {
			double sum = d[i]->power[k].value, t_s = d[i]->power[k].t_s;

			if (t_s < span.from_s || t_s > span.to_s)
				continue;
			for (size_t j = 0; j < n; j++)
				sum += j == i ? 0 : watts_at(d[j], &at[j], t_s);
			peak = sum > peak ? sum : peak;
		}
	}
	return peak;
}

static double peak_of_all(const struct hd_energy_report *r, struct hd_energy_span span)
{
	const struct hd_energy_domain *counted[PEAK_DOMAINS];
	bool watts = true;
	double sum = 0, peak;
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct hd_energy_domain *d = &r->domains[i];

		if (d->why_not)
			continue;
		watts = watts && d->npower && n < PEAK_DOMAINS;
		if (watts)
			counted[n] = d;
		n++;
		sum += d->peak_watts;
	}
	if (n < 2 || !watts)
		return sum;
	peak = peak_of_sums(counted, n, span);
	return isfinite(peak) ? peak : sum;
}

static void add_up(struct hd_energy_report *r, struct hd_energy_span span)
{
	double integral = 0, counter = 0;
	bool both = false;

	r->method = "trapezoid";
	for (size_t i = 0, counted = 0; i < r->n; i++) {
		const struct hd_energy_domain *d = &r->domains[i];

		if (d->why_not)
			continue;
		r->method = !counted++ || !strcmp(r->method, d->method) ? d->method : "trapezoid and counter";
		r->enough |= d->enough;
		r->total_joules += d->joules;
		r->mean_watts += d->mean_watts;
		r->n_samples += d->n_samples;
		r->duration_s = d->duration_s > r->duration_s ? d->duration_s : r->duration_s;
		if (d->npower && d->counter.enough) {
			both = true;
			integral += d->joules;
			counter += d->counter_joules;
		}
	}
	r->peak_watts = peak_of_all(r, span);
	r->counter_joules = both ? counter : NAN;
	r->disagreement_pct = both && counter > 0 ? 100 * (integral - counter) / counter : NAN;
}

/* ---- warnings ---- */

static void say_samples(const struct hd_energy_report *r, struct hd_log *log)
{
	const char *path = r->series->path;
	size_t backwards = 0, same_time = 0, gaps = 0;
	const struct hd_energy *worst = NULL;
	double joules = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct hd_energy *e = &r->domains[i].watts;

		backwards += e->backwards;
		same_time += e->same_time;
		gaps += e->gaps;
		joules += e->gap_joules;
		if (e->gaps && (!worst || e->longest_gap_s > worst->longest_gap_s))
			worst = e;
	}
	if (backwards)
		hd_warn(log, "energy.unsorted", "",
			backwards == 1 ? "%s: %zu sample was earlier than the one before it; all were sorted by time"
				: "%s: %zu samples were earlier than the one before them; all were sorted by time",
			path, backwards);
	if (same_time)
		hd_warn(log, "energy.same-time", "",
			same_time == 1 ? "%s: %zu sample is of the same moment as another; no time passes between them"
				: "%s: %zu samples are of the same moment as another; no time passes between them",
			path, same_time);
	if (worst)
		hd_warn(log, "energy.gap", "sample more evenly",
			"%s: %zu gaps, up to %.3g s, while samples are %.3g s apart; in gaps %.3g J are a straight "
			"line's guess",
			path, gaps, worst->longest_gap_s, worst->median_dt_s, joules);
}

/*
 * Return true if the only quantity of a domain is a counter that did not change: the run was too short, or the counter
 * does not work.
 */
static bool stands_still(const struct hd_energy_domain *d)
{
	return d->enough && !d->why_not && d->source && d->ncount > 1 && !d->npower && d->joules == 0;
}

static void warn_about(const struct hd_energy_report *r, size_t without, struct hd_log *log)
{
	const struct hd_series *s = r->series;

	/* Invalid cells were reported when the file was read, so report only the rows in which cells are empty. */
	if (without > s->lost)
		hd_warn_n(log, "lost.energy-row", without - s->lost, "",
			  "%s: rows without a time or without a value were skipped", s->path);
	say_samples(r, log);
	for (size_t i = 0; i < r->n; i++)
		if (r->domains[i].counter.falls)
			hd_warn_n(log, "lost.energy-counter", r->domains[i].counter.falls,
				"sample more often than the counter wraps",
				"%s: the counter of %s %s falls; the energy of such steps is missing in the sum",
				s->path, r->domains[i].source, r->domains[i].domain);
	for (size_t i = 0; i < r->n; i++)
		if (stands_still(&r->domains[i]))
			hd_warn(log, "energy.still", "run longer than ten of its updates",
				"%s: the counter of %s %s did not change, so its 0 J are not a measurement", s->path,
				r->domains[i].source, r->domains[i].domain);
	if (!r->enough)
		hd_warn(log, "energy.insufficient", "energy takes two samples at two moments",
			r->n_samples == 1 ? "%s: %zu sample is no energy: 0 J over 0 s"
				: "%s: %zu samples are no energy: 0 J over 0 s", s->path, r->n_samples);
}

int hd_energy_report_make(struct hd_energy_report *out, const struct hd_series *s, struct hd_log *log,
	struct hd_err *err)
{
	return hd_energy_report_make_span(out, s, (struct hd_energy_span){ NAN, NAN }, log, err);
}

int hd_energy_report_make_span(struct hd_energy_report *out, const struct hd_series *s, struct hd_energy_span span,
			struct hd_log *log, struct hd_err *err)
{
	struct fields f;
	size_t without = 0;
	int rc;

	*out = (struct hd_energy_report){ .series = s };
	rc = find_fields(&f, s, err);
	if (rc < 0)
		return rc;
	span.from_s = (double)(span.from_s - f.t->origin / f.second);
	span.to_s = (double)(span.to_s - f.t->origin / f.second);
	rc = sort_rows(out, &without, &f, err);
	for (size_t i = 0; rc >= 0 && i < out->n; i++) {
		struct hd_energy_domain *d = &out->domains[i];

		if (hd_energy(&d->watts, d->power, d->npower, span) < 0 ||
		    hd_energy_counter(&d->counter, d->count, d->ncount, span) < 0)
			rc = hd_fail(err, HD_EIO, "%s: no memory for %zu samples", s->path, d->npower + d->ncount);
		sum_up(d);
	}
	if (rc < 0)
		return rc;
	find_overlaps(out);
	add_up(out, span);
	warn_about(out, without, log);
	return rc;
}

void hd_energy_report_release(struct hd_energy_report *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->domains[i].power);
		free(r->domains[i].count);
	}
	free(r->domains);
	*r = (struct hd_energy_report){ 0 };
}
