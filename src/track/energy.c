/*
 * energy.c - see energy.h
 */
#include "track/energy.h"

#include "stats/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A knot: a point of the curve of watts, or of the curve of cumulative joules. */
struct knot {
	long double t, v;
};

/* ---- sorting ---- */

static void merge(struct hd_energy_sample *to, const struct hd_energy_sample *a, size_t na,
		  const struct hd_energy_sample *b, size_t nb)
{
	while (na && nb) {
		bool first = a->t_s <= b->t_s;	/* samples of the same time keep their order */

		*to++ = first ? *a++ : *b++;
		na -= first;
		nb -= !first;
	}
	memcpy(to, na ? a : b, (na + nb) * sizeof(*to));
}

static size_t at_most(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Sort the samples by time with a stable bottom-up merge sort.  Returns HD_TRACK_OK or NOMEM. */
static int sort(struct hd_energy_sample *s, size_t n)
{
	struct hd_energy_sample *room = malloc(n * sizeof(*room)), *from = s, *to = room;

	if (!room)
		return HD_TRACK_NOMEM;
	for (size_t run = 1; run < n; run *= 2) {
		for (size_t i = 0; i < n; i += 2 * run) {
			size_t na = at_most(run, n - i), nb = at_most(run, n - i - na);

			merge(to + i, from + i, na, from + i + na, nb);
		}
		to = from;
		from = from == s ? room : s;
	}
	if (from != s)
		memcpy(s, from, n * sizeof(*s));
	free(room);
	return HD_TRACK_OK;
}

/* ---- distances ---- */

static double median_of(double *dt, size_t n)
{
	if (!n)
		return NAN;
	hd_order_sort(dt, n);
	return hd_order_median(dt, n);
}

/*
 * Set same_time, median_dt_s and update_period_s of *out.  *period becomes the update period T of the sensor
 * (energy.h), or NaN if T is unknown or outside of the limits that energy.h defines.
 */
static int measure(struct hd_energy *out, const struct hd_energy_sample *s, size_t n, double *period)
{
	double *dt = malloc(n * sizeof(*dt));
	size_t m = 0, last = 0, repeated = 0;

	if (!dt)
		return HD_TRACK_NOMEM;
	for (size_t i = 1; i < n; i++)
		if (s[i].t_s > s[i - 1].t_s)
			dt[m++] = s[i].t_s - s[i - 1].t_s;
	out->same_time = n - 1 - m;
	out->median_dt_s = m ? median_of(dt, m) : 0;
	m = 0;
	for (size_t i = 1; i < n; i++) {
		repeated += s[i].repeated;
		if (s[i].repeated)
			continue;
		if (s[i].t_s > s[last].t_s)
			dt[m++] = s[i].t_s - s[last].t_s;
		last = i;
	}
	out->update_period_s = m < 2 ? NAN : median_of(dt, m);
	*period = NAN;
	if (repeated && m >= HD_ENERGY_PACE && out->update_period_s > 1.5 * out->median_dt_s &&
	    out->update_period_s <= HD_ENERGY_SLOW * out->median_dt_s)
		*period = out->update_period_s;
	free(dt);
	return HD_TRACK_OK;
}

/* ---- the curve ---- */

/*
 * Return the last knot (corner point) of the curve; its time is that of the last sample.  If the last samples of a
 * counter repeat a value for at most 1.5 periods, and the counter rose before, the value of the knot is extrapolated.
 */
static struct knot last_knot(const struct knot *k, size_t m, const struct hd_energy_sample *end, double period,
			     bool counter)
{
	struct knot last = { end->t_s, k[m - 1].v };
	long double since = end->t_s - k[m - 1].t;

	/*
	 * A counter that is updated periodically does not show yet the energy used since its last step.  So extrapolate
	 * at the rate of the last step.
	 */
	if (counter && m > 1 && since <= 1.5L * period && k[m - 1].t > k[m - 2].t && k[m - 1].v > k[m - 2].v)
		last.v += (k[m - 1].v - k[m - 2].v) / (k[m - 1].t - k[m - 2].t) * since;
	return last;
}

/* Compute the knots (corner points) of the curve.  k has room for 2 n knots.  Returns their number. */
static size_t draw(struct knot *k, const struct hd_energy_sample *s, size_t n, double period, bool counter)
{
	size_t m = 0, next;

	if (isnan(period)) {
		for (; m < n; m++)
			k[m] = (struct knot){ s[m].t_s, s[m].value };
		return m;
	}
	for (size_t i = 0; i < n; i = next) {
		long double until;

		for (next = i + 1; next < n && s[next].repeated; next++)
			;
		k[m++] = (struct knot){ s[i].t_s, s[i].value };
		if (next == n) {
			if (next > i + 1) {
				k[m] = last_knot(k, m, &s[n - 1], period, counter);
				m++;
			}
			continue;
		}
		until = (long double)s[next].t_s - period;
		if (counter && i == 0 && until < k[0].t)
			k[0].t = until;		/* the first step began before the first sample */
		if (next > i + 1 && s[next].t_s - k[m - 1].t > 1.5L * period)
			k[m++] = (struct knot){ until < s[next - 1].t_s ? until : s[next - 1].t_s, s[i].value };
	}
	return m;
}

static long double at(const struct knot *a, const struct knot *b, long double t)
{
	return a->v + (b->v - a->v) * ((t - a->t) / (b->t - a->t));
}

/* Return the joules between knots a and b within the times [lo, hi].  counter: the knots are joules, not watts. */
static long double part(const struct knot *a, const struct knot *b, long double lo, long double hi, bool counter)
{
	long double x = a->t > lo ? a->t : lo, y = b->t < hi ? b->t : hi;

	if (counter && b->v <= a->v)
		return 0;
	if (b->t <= a->t)
		return counter && a->t >= lo && a->t <= hi ? b->v - a->v : 0;
	if (y <= x)
		return 0;
	return counter ? at(a, b, y) - at(a, b, x) : (y - x) * (at(a, b, x) + at(a, b, y)) / 2;
}

/*
 * Return the steepest rise of a counter over at least `least` seconds that is at least partly within the times
 * [lo, hi], in watts.  from_new: measure only between readings with a new value, because it is unknown how the counter
 * rose between two of them.
 */
static double steepest(const struct knot *k, size_t m, long double lo, long double hi, long double least, bool from_new)
{
	long double peak = 0;

	for (size_t i = 1, from = 0; i < m; i++) {
		long double dt = k[i].t - k[from].t;

		if (k[i].v < k[i - 1].v) {
			from = i;
		} else if (dt > 0 && dt >= least && !(from_new && k[i].v == k[i - 1].v)) {
			if (k[i].t > lo && k[from].t < hi)
				peak = fmaxl(peak, (k[i].v - k[from].v) / dt);
			from = i;
		}
	}
	return (double)peak;
}

/* ---- the samples of the span ---- */

static bool within(const struct hd_energy_sample *s, double lo, double hi)
{
	return s->t_s >= lo && s->t_s <= hi;
}

static void count_samples(struct hd_energy *out, const struct hd_energy_sample *s, size_t n, double lo, double hi,
			  bool counter)
{
	long double sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (!within(&s[i], lo, hi))
			continue;
		if (s[i].repeated) {
			out->repeated++;
			continue;
		}
		if (!counter && (!out->n_samples || s[i].value > out->peak_watts))
			out->peak_watts = s[i].value;
		sum += s[i].value;
		out->n_samples++;
	}
	if (!counter && out->n_samples)
		out->mean_watts = (double)(sum / (long double)out->n_samples);
}

static void find_gaps(struct hd_energy *out, const struct hd_energy_sample *s, size_t n, long double lo, long double hi,
		      bool counter)
{
	long double joules = 0;

	for (size_t i = 1; i < n; i++) {
		struct knot a = { s[i - 1].t_s, s[i - 1].value }, b = { s[i].t_s, s[i].value };
		long double dt = fminl(b.t, hi) - fmaxl(a.t, lo);

		if (dt <= HD_ENERGY_GAP * (long double)out->median_dt_s)
			continue;
		out->gaps++;
		if (!counter)
			joules += part(&a, &b, lo, hi, false);
		if (dt > out->longest_gap_s)
			out->longest_gap_s = (double)dt;
	}
	out->gap_joules = (double)joules;
}

/* ---- the public functions ---- */

static int integrate(struct hd_energy *out, const struct hd_energy_sample *s, size_t n, struct hd_energy_span span,
		     bool counter)
{
	double lo = span.from_s > s[0].t_s ? span.from_s : s[0].t_s,
	       hi = span.to_s < s[n - 1].t_s ? span.to_s : s[n - 1].t_s, period;
	struct knot *k;
	long double joules = 0;
	size_t m;
	int rc = measure(out, s, n, &period);

	if (rc < 0)
		return rc;
	count_samples(out, s, n, lo, hi, counter);
	if (n < 2 || hi <= lo)
		return rc;
	k = malloc(2 * n * sizeof(*k));
	if (!k)
		return HD_TRACK_NOMEM;
	m = draw(k, s, n, period, counter);
	for (size_t i = 1; i < m; i++)
		joules += part(&k[i - 1], &k[i], lo, hi, counter);
	out->total_joules = (double)joules;
	out->duration_s = hi - lo;
	out->enough = true;
	find_gaps(out, s, n, lo, hi, counter);
	if (counter)
		out->peak_watts = steepest(k, m, lo, hi, (long double)out->median_dt_s / 2, isnan(period));
	if (counter || !out->n_samples)
		out->mean_watts = (double)(joules / (long double)out->duration_s);
	if (!counter && !out->n_samples)
		out->peak_watts = out->mean_watts;
	free(k);
	return rc;
}

static int prepare(struct hd_energy *out, struct hd_energy_sample *s, size_t n)
{
	*out = (struct hd_energy){ .update_period_s = NAN };
	for (size_t i = 1; i < n; i++)
		out->backwards += s[i].t_s < s[i - 1].t_s;
	return out->backwards ? sort(s, n) : HD_TRACK_OK;
}

int hd_energy(struct hd_energy *out, struct hd_energy_sample *s, size_t n, struct hd_energy_span span)
{
	int rc = prepare(out, s, n);

	return rc < 0 || !n ? rc : integrate(out, s, n, span, false);
}

int hd_energy_counter(struct hd_energy *out, struct hd_energy_sample *s, size_t n, struct hd_energy_span span)
{
	int rc = prepare(out, s, n);

	for (size_t i = 0; rc >= 0 && i < n; i++) {
		s[i].repeated = i && s[i].value == s[i - 1].value;
		out->falls += i && s[i].value < s[i - 1].value;
	}
	return rc < 0 || !n ? rc : integrate(out, s, n, span, true);
}
