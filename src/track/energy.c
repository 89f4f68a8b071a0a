/*
 * energy.c - see energy.h
 */
#include "track/energy.h"

#include "track/order.h"

#include <stdlib.h>
#include <string.h>

static void merge(struct hd_power *to, const struct hd_power *a, size_t na, const struct hd_power *b, size_t nb)
{
	while (na && nb) {
		bool first = a->t_s <= b->t_s;	/* of one moment: as they came */

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

/* By time, stable: runs of 1, 2, 4 ... are merged to and fro. */
static int sort(struct hd_power *p, size_t n)
{
	struct hd_power *room = malloc(n * sizeof(*room)), *from = p, *to = room;

	if (!room)
		return HD_TRACK_NOMEM;
	for (size_t run = 1; run < n; run *= 2) {
		for (size_t i = 0; i < n; i += 2 * run) {
			size_t na = at_most(run, n - i), nb = at_most(run, n - i - na);

			merge(to + i, from + i, na, from + i + na, nb);
		}
		to = from;
		from = from == p ? room : p;
	}
	if (from != p)
		memcpy(p, from, n * sizeof(*p));
	free(room);
	return HD_TRACK_OK;
}

static int find_median(struct hd_energy *out, const struct hd_power *p, size_t n)
{
	double *dt = malloc(n * sizeof(*dt));
	size_t m = 0;

	if (!dt)
		return HD_TRACK_NOMEM;
	for (size_t i = 1; i < n; i++)
		if (p[i].t_s > p[i - 1].t_s)
			dt[m++] = p[i].t_s - p[i - 1].t_s;
	out->same_time = n - 1 - m;
	if (m) {
		hd_order_sort(dt, m);
		out->median_dt_s = hd_order_median(dt, m);
	}
	free(dt);
	return HD_TRACK_OK;
}

static void integrate(struct hd_energy *out, const struct hd_power *p, size_t n)
{
	long double joules = 0, in_gaps = 0;

	for (size_t i = 1; i < n; i++) {
		long double dt = (long double)p[i].t_s - p[i - 1].t_s, part = dt * ((long double)p[i].watts + p[i - 1].watts) / 2;

		joules += part;
		if (dt <= HD_ENERGY_GAP * (long double)out->median_dt_s)
			continue;
		out->gaps++;
		in_gaps += part;
		if (dt > out->longest_gap_s)
			out->longest_gap_s = (double)dt;
	}
	out->total_joules = (double)joules;
	out->gap_joules = (double)in_gaps;
	out->duration_s = p[n - 1].t_s - p[0].t_s;
	out->enough = out->duration_s > 0;
}

static void look_at_watts(struct hd_energy *out, const struct hd_power *p, size_t n)
{
	long double sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (i && p[i].t_s < p[i - 1].t_s)
			out->backwards++;
		if (p[i].repeated) {
			out->repeated++;
			continue;
		}
		if (!out->n_samples || p[i].watts > out->peak_watts)
			out->peak_watts = p[i].watts;
		sum += p[i].watts;
		out->n_samples++;
	}
	if (out->n_samples)
		out->mean_watts = (double)(sum / (long double)out->n_samples);
}

int hd_energy(struct hd_energy *out, struct hd_power *p, size_t n)
{
	int rc = HD_TRACK_OK;

	*out = (struct hd_energy){ 0 };
	look_at_watts(out, p, n);
	if (n < 2)
		return rc;
	if (out->backwards)
		rc = sort(p, n);
	if (rc >= 0)
		rc = find_median(out, p, n);
	if (rc >= 0)
		integrate(out, p, n);
	return rc;
}
