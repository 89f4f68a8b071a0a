/*
 * energy.c - see energy.h
 */
#include "metrics/energy.h"

#include "base/mem.h"
#include "track/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where a row's values stand. */
struct fields {
	const struct hd_series_column *t, *watts, *source, *domain, *joules, *stale;
	double second;		/* units of t in a second */
};

static int find_fields(struct fields *f, const struct hd_series *s, struct hd_err *err)
{
	*f = (struct fields){ .t = hd_series_find(s, "timestamp_us"), .watts = hd_series_find(s, "watts"), .second = 1e6 };
	if (s->form == HD_FORM_SOURCES) {
		f->t = hd_series_find(s, "t_ns");
		f->second = 1e9;
		f->source = hd_series_find(s, "source");
		f->domain = hd_series_find(s, "domain");
		f->joules = hd_series_find(s, "joules_cum");
		f->stale = hd_series_find(s, "stale");
	} else if (s->form != HD_FORM_POWER) {
		return hd_fail(err, HD_EFORMAT, "%s: is no power series: its header must be %s or %s", s->path,
			       hd_form_rows(HD_FORM_POWER)->header, hd_form_rows(HD_FORM_SOURCES)->header);
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

	/* Text is interned: equal names are one pointer. */
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

struct counter_sample {
	double t_s, joules;
	size_t domain, row;
	bool stale;
};

struct rows {
	struct counter_sample *counters;
	size_t n, cap;
	size_t without;		/* rows without a time, or without both watts and joules */
};

enum { DOMAINS_MAX = 1024 };

static int sort_rows(struct hd_energy_report *r, struct rows *rows, const struct fields *f, struct hd_err *err)
{
	const struct hd_series *s = r->series;

	for (size_t i = 0; i < s->rows; i++) {
		bool stale = has(f->stale, i) && f->stale->v[i] != 0;
		struct hd_energy_domain *d;

		if (!has(f->t, i) || (!has(f->watts, i) && !has(f->joules, i))) {
			rows->without++;
			continue;
		}
		d = domain_of(r, f, i);
		if (r->n > DOMAINS_MAX)
			return hd_fail(err, HD_EFORMAT, "%s: more than %d pairs of source and domain", s->path, DOMAINS_MAX);
		if (has(f->watts, i)) {
			HD_GROW(d->power, d->npower + 1, d->power_cap);
			d->power[d->npower++] = (struct hd_power){ f->t->v[i] / f->second, f->watts->v[i], stale };
		}
		if (has(f->joules, i)) {
			HD_GROW(rows->counters, rows->n + 1, rows->cap);
			rows->counters[rows->n++] = (struct counter_sample){ f->t->v[i] / f->second, f->joules->v[i], (size_t)(d - r->domains), i, stale };
		}
	}
	return 0;
}

static int compare_counters(const void *a, const void *b)
{
	const struct counter_sample *x = a, *y = b;

	if (x->domain != y->domain)
		return x->domain < y->domain ? -1 : 1;
	if (x->t_s != y->t_s)
		return x->t_s < y->t_s ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* The median of the positive distances among n times, sorted; NaN below `least` times. */
static double median_distance(const double *t, size_t n, size_t least)
{
	double *dt = hd_new_array(double, n + 1), median = NAN;
	size_t m = 0;

	for (size_t i = 1; i < n; i++)
		if (t[i] > t[i - 1])
			dt[m++] = t[i] - t[i - 1];
	if (n >= least && m) {
		hd_order_sort(dt, m);
		median = hd_order_median(dt, m);
	}
	free(dt);
	return median;
}

/* The steepest rise over at least `least` seconds between two new values. */
static double steepest(const struct counter_sample *c, size_t n, double least)
{
	double peak = 0;

	for (size_t i = 1, from = 0; i < n; i++) {
		double dt = c[i].t_s - c[from].t_s, step = c[i].joules - c[from].joules;

		if (c[i].joules < c[i - 1].joules) {
			from = i;
		} else if (!c[i].stale && dt > 0 && dt >= least) {
			peak = step / dt > peak ? step / dt : peak;
			from = i;
		}
	}
	return peak;
}

/* c: the n rows of d, sorted. */
static void read_counter(struct hd_energy_domain *d, const struct counter_sample *c, size_t n)
{
	double *t = hd_new_array(double, n), distance;

	for (size_t i = 0; i < n; i++) {
		double step = i ? c[i].joules - c[i - 1].joules : 0;

		d->falls += step < 0;
		d->counter_joules += step > 0 ? step : 0;
		t[i] = c[i].t_s;
	}
	d->counter_samples = n;
	d->counter_s = t[n - 1] - t[0];
	distance = median_distance(t, n, 2);
	d->counter_dt_s = distance;
	for (size_t i = 0; i < n; i++)
		if (!c[i].stale)
			t[d->counter_fresh++] = c[i].t_s;
	d->update_period_s = median_distance(t, d->counter_fresh, 3);
	d->peak_watts = steepest(c, n, isnan(distance) ? 0 : distance / 2);
	free(t);
}

static void read_counters(struct hd_energy_report *r, struct rows *rows)
{
	struct counter_sample *c = rows->counters;

	if (rows->n)
		qsort(c, rows->n, sizeof(*c), compare_counters);
	for (size_t i = 0, n; i < rows->n; i += n) {
		for (n = 1; i + n < rows->n && c[i + n].domain == c[i].domain; n++)
			;
		read_counter(&r->domains[c[i].domain], c + i, n);
	}
}

/* ---- what a domain comes to ---- */

/* The update period of a domain with watts. */
static void read_watts(struct hd_energy_domain *d)
{
	double *t = hd_new_array(double, d->npower + 1);
	size_t n = 0;

	for (size_t i = 0; i < d->npower; i++)
		if (!d->power[i].repeated)
			t[n++] = d->power[i].t_s;
	d->update_period_s = median_distance(t, n, 3);
	free(t);
}

static void sum_up(struct hd_energy_domain *d)
{
	bool counter = !d->npower && d->counter_samples;

	d->disagreement_pct = NAN;
	d->median_dt_s = counter ? d->counter_dt_s : d->watts.enough ? d->watts.median_dt_s : NAN;
	d->method = counter ? "counter" : "trapezoid";
	if (counter) {
		d->enough = d->counter_samples > 1 && d->counter_s > 0;
		d->joules = d->counter_joules;
		d->duration_s = d->counter_s;
		d->mean_watts = d->enough ? d->joules / d->duration_s : 0;
		d->n_samples = d->counter_fresh;
		return;
	}
	read_watts(d);
	d->enough = d->watts.enough;
	d->joules = d->watts.total_joules;
	d->mean_watts = d->watts.mean_watts;
	d->peak_watts = d->watts.peak_watts;
	d->duration_s = d->watts.duration_s;
	d->n_samples = d->watts.n_samples;
	if (d->enough && d->counter_samples > 1 && d->counter_joules > 0)
		d->disagreement_pct = 100 * (d->joules - d->counter_joules) / d->counter_joules;
}

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* Is there a domain of another source than this one? */
static bool have_other(const struct hd_energy_report *r, const char *source)
{
	for (size_t i = 0; i < r->n; i++)
		if (!begins(r->domains[i].source, source))
			return true;
	return false;
}

/* Is there a domain that begins with `name`, of a source that does not begin with `but`? */
static bool have(const struct hd_energy_report *r, const char *name, const char *but)
{
	for (size_t i = 0; i < r->n; i++)
		if (begins(r->domains[i].domain, name) && !(but && begins(r->domains[i].source, but)))
			return true;
	return false;
}

static const char *why_not(const struct hd_energy_report *r, const struct hd_energy_domain *d)
{
	if (!d->domain)
		return NULL;
	if (begins(d->source, "intel-rapl-mmio") && have(r, d->domain, "intel-rapl-mmio"))
		return "repeats intel-rapl";
	if (begins(d->source, "battery") && have_other(r, "battery"))
		return "contains the others";
	if (begins(d->domain, "dram"))
		return "beside the package";
	if (begins(d->domain, "psys") && have(r, "package", NULL))
		return "contains the package";
	if ((begins(d->domain, "core") || begins(d->domain, "uncore")) && (have(r, "package", NULL) || have(r, "psys", NULL)))
		return "inside the package";
	return NULL;
}

/* ---- all that count, together ---- */

static bool same_moments(const struct hd_energy_domain *a, const struct hd_energy_domain *b)
{
	if (a->npower != b->npower || !a->npower)
		return false;
	for (size_t i = 0; i < a->npower; i++)
		if (a->power[i].t_s != b->power[i].t_s)
			return false;
	return true;
}

/* The domains that count were sampled at the same moments: the largest sum of one moment. */
static double peak_of_sums(const struct hd_energy_report *r, size_t moments)
{
	double peak = -INFINITY;

	for (size_t k = 0; k < moments; k++) {
		double sum = 0;

		for (size_t i = 0; i < r->n; i++)
			sum += r->domains[i].why_not ? 0 : r->domains[i].power[k].watts;
		peak = sum > peak ? sum : peak;
	}
	return peak;
}

static double peak_of_all(const struct hd_energy_report *r)
{
	const struct hd_energy_domain *first = NULL;
	bool aligned = true;
	double sum = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct hd_energy_domain *d = &r->domains[i];

		if (d->why_not)
			continue;
		first = first ? first : d;
		aligned = aligned && same_moments(first, d);
		sum += d->peak_watts;
	}
	return first && aligned ? peak_of_sums(r, first->npower) : sum;
}

static void add_up(struct hd_energy_report *r)
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
		if (d->npower && d->counter_samples > 1) {
			both = true;
			integral += d->joules;
			counter += d->counter_joules;
		}
	}
	r->peak_watts = peak_of_all(r);
	r->counter_joules = both ? counter : NAN;
	r->disagreement_pct = both && counter > 0 ? 100 * (integral - counter) / counter : NAN;
}

/* ---- what must be said ---- */

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
		hd_warn(log, "energy.unsorted", "", "%s: %zu samples were earlier than the one before them; they were sorted by time", path, backwards);
	if (same_time)
		hd_warn(log, "energy.same-time", "", "%s: %zu samples are of the same moment as another; no time passes between them", path,
			same_time);
	if (worst)
		hd_warn(log, "energy.gap", "sample more evenly",
			"%s: %zu gaps, up to %.3g s, while samples are %.3g s apart; in gaps %.3g J are a straight line's guess", path, gaps,
			worst->longest_gap_s, worst->median_dt_s, joules);
}

static void say(const struct hd_energy_report *r, const struct rows *rows, struct hd_log *log)
{
	const struct hd_series *s = r->series;

	/* A cell that was no number has been told already; this is about empty ones. */
	if (rows->without > s->lost)
		hd_warn_n(log, "lost.energy-row", rows->without - s->lost, "", "%s: rows without a time or without a value were left out", s->path);
	say_samples(r, log);
	for (size_t i = 0; i < r->n; i++)
		if (r->domains[i].falls)
			hd_warn_n(log, "lost.energy-counter", r->domains[i].falls, "sample more often than the counter wraps",
				  "%s: the counter of %s %s falls; what was drawn in such a step is not in the sum", s->path,
				  r->domains[i].source, r->domains[i].domain);
	if (!r->enough)
		hd_warn(log, "energy.insufficient", "energy takes two samples at two moments", "%s: %zu samples are no energy: 0 J over 0 s",
			s->path, r->n_samples);
}

int hd_energy_make(struct hd_energy_report *out, const struct hd_series *s, struct hd_log *log, struct hd_err *err)
{
	struct rows rows = { 0 };
	struct fields f;
	int rc;

	*out = (struct hd_energy_report){ .series = s };
	rc = find_fields(&f, s, err);
	if (rc < 0)
		return rc;
	rc = sort_rows(out, &rows, &f, err);
	for (size_t i = 0; rc >= 0 && i < out->n; i++)
		if (hd_energy(&out->domains[i].watts, out->domains[i].power, out->domains[i].npower) < 0)
			rc = hd_fail(err, HD_EIO, "%s: no memory for %zu samples", s->path, out->domains[i].npower);
	if (rc >= 0) {
		read_counters(out, &rows);
		for (size_t i = 0; i < out->n; i++)
			sum_up(&out->domains[i]);
		for (size_t i = 0; i < out->n; i++)
			out->domains[i].why_not = why_not(out, &out->domains[i]);
		add_up(out);
		say(out, &rows, log);
	}
	free(rows.counters);
	return rc;
}

void hd_energy_release(struct hd_energy_report *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->domains[i].power);
	free(r->domains);
	*r = (struct hd_energy_report){ 0 };
}
