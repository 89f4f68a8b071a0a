/*
 * order.c - see order.h
 */
#include "stats/order.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { FEW = 24 };	/* up to this many values, insertion sort is fastest */

static void swap(double *a, double *b)
{
	double t = *a;

	*a = *b;
	*b = t;
}

static void sort_few(double *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		double x = v[i];
		size_t j = i;

		for (; j > 0 && v[j - 1] > x; j--)
			v[j] = v[j - 1];
		v[j] = x;
	}
}

static void sift(double *v, size_t at, size_t n)
{
	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && v[child + 1] > v[child])
			child++;
		if (v[at] >= v[child])
			return;
		swap(&v[at], &v[child]);
	}
}

static void heap_sort(double *v, size_t n)
{
	for (size_t i = n / 2; i-- > 0; )
		sift(v, i, n);
	for (size_t i = n; i-- > 1; ) {
		swap(&v[0], &v[i]);
		sift(v, 0, i);
	}
}

static double middle(double a, double b, double c)
{
	return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}

/* Reorder v around a pivot: v[0 .. *lo) is smaller than it, v[*lo .. *hi) is equal to it, v[*hi .. n) is larger. */
static void partition(double *v, size_t n, size_t *lo, size_t *hi)
{
	double pivot = middle(middle(v[0], v[n / 8], v[n / 4]), middle(v[n / 2 - n / 8], v[n / 2], v[n / 2 + n / 8]),
			      middle(v[n - 1 - n / 4], v[n - 1 - n / 8], v[n - 1]));
	size_t less = 0, i = 0, more = n;

	while (i < more) {
		if (v[i] < pivot)
			swap(&v[less++], &v[i++]);
		else if (v[i] > pivot)
			swap(&v[i], &v[--more]);
		else
			i++;
	}
	*lo = less;
	*hi = more;
}

static unsigned tries_for(size_t n)
{
	unsigned tries = 8;

	for (; n; n >>= 1)
		tries += 2;
	return tries;
}

/*
 * Move the value of each rank r in ranks[], which are ascending, to its place v[r - base].  v[0..n) are the values of
 * the ranks base to base + n - 1.
 */
static void select_in(double *v, size_t base, size_t n, const size_t *ranks, size_t nranks, unsigned tries)
{
	while (nranks && n > 1) {
		size_t lo, hi, left = 0, right;

		if (n <= FEW) {
			sort_few(v, n);
			return;
		}
		if (!tries--) {
			heap_sort(v, n);
			return;
		}
		partition(v, n, &lo, &hi);
		while (left < nranks && ranks[left] < base + lo)
			left++;
		for (right = left; right < nranks && ranks[right] < base + hi; )
			right++;
		select_in(v, base, lo, ranks, left, tries);
		v += hi;
		base += hi;
		n -= hi;
		ranks += right;
		nranks -= right;
	}
}

void hd_order_select(double *v, size_t n, const size_t *ranks, size_t nranks)
{
	select_in(v, 0, n, ranks, nranks, tries_for(n));
}

static void sort_in(double *v, size_t n, unsigned tries)
{
	while (n > FEW) {
		size_t lo, hi;

		if (!tries--) {
			heap_sort(v, n);
			return;
		}
		partition(v, n, &lo, &hi);
		sort_in(v, lo, tries);
		v += hi;
		n -= hi;
	}
	sort_few(v, n);
}

void hd_order_sort(double *v, size_t n)
{
	sort_in(v, n, tries_for(n));
}

size_t hd_order_nearest(size_t n, unsigned percent)
{
	/* Compute ceil(percent n / 100) exactly and without overflow. */
	size_t rank = n / 100 * percent + (n % 100 * percent + 99) / 100;

	return rank ? rank - 1 : 0;
}

size_t hd_order_type7_rank(size_t n, double p)
{
	size_t at = (size_t)((double)(n - 1) * p);

	return at < n - 1 ? at : n - 1;
}

double hd_order_type7(const double *v, size_t n, double p)
{
	double h = (double)(n - 1) * p;
	size_t at = hd_order_type7_rank(n, p);

	if (at + 1 >= n)
		return v[n - 1];
	/* Use long double, so that the difference of two large values does not overflow. */
	return (double)(v[at] + (long double)(h - (double)at) * ((long double)v[at + 1] - v[at]));
}

double hd_order_median(const double *sorted, size_t n)
{
	return n % 2 ? sorted[n / 2] : (double)(((long double)sorted[n / 2 - 1] + sorted[n / 2]) / 2);
}

long double hd_sum(const double *v, size_t n)
{
	long double sum = 0, lost = 0;

	/* Neumaier: accumulate the rounding errors separately. */
	for (size_t i = 0; i < n; i++) {
		long double t = sum + v[i];

		lost += fabsl(sum) >= fabsl((long double)v[i]) ? (sum - t) + v[i] : (v[i] - t) + sum;
		sum = t;
	}
	return sum + lost;
}

static int by_x(const void *a, const void *b)
{
	const struct hd_weighted *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

double hd_weighted_median(struct hd_weighted *w, size_t n)
{
	double all = 0, sum = 0;

	qsort(w, n, sizeof(*w), by_x);
	for (size_t i = 0; i < n; i++)
		all += w[i].weight;
	for (size_t i = 0; i < n; i++) {
		sum += w[i].weight;
		if (sum > all / 2)
			return w[i].x;
		if (sum == all / 2 && i + 1 < n)
			return (w[i].x + w[i + 1].x) / 2;
	}
	return 0;
}
