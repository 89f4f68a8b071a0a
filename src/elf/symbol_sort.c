/*
 * symbol_sort.c - see symbol_sort.h
 */
#include "elf/symbol_sort.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	FEW = 32,			/* up to this number of symbols, insertion sort is used */
	DIGIT = 11,			/* bits per radix pass */
	DIGITS = 1 << DIGIT,
};

struct key { uint64_t start; uint32_t at; };

static void insert_each(struct hd_symraw *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct hd_symraw r = v[i];
		size_t to = i;

		for (; to && v[to - 1].start > r.start; to--)
			v[to] = v[to - 1];
		v[to] = r;
	}
}

/* One pass of the radix sort: write the keys of `from` to `to`, sorted by the digit at bit `shift`.  It is stable. */
static void pass(const struct key *from, struct key *to, size_t n, unsigned shift)
{
	uint32_t *at = hd_new_array(uint32_t, DIGITS), sum = 0;

	for (size_t i = 0; i < n; i++)
		at[from[i].start >> shift & (DIGITS - 1)]++;
	for (size_t d = 0; d < DIGITS; d++) {
		uint32_t count = at[d];

		at[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[from[i].start >> shift & (DIGITS - 1)]++] = from[i];
	free(at);
}

/* Move v[keys[i].at] to v[i] for all i, along each cycle of the permutation. */
static void arrange(struct hd_symraw *v, struct key *keys, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct hd_symraw first = v[i];
		size_t to = i;

		while (keys[to].at != i) {
			size_t from = keys[to].at;

			v[to] = v[from];
			keys[to].at = (uint32_t)to;
			to = from;
		}
		v[to] = first;
		keys[to].at = (uint32_t)to;
	}
}

static void by_digits(struct hd_symraw *v, size_t n)
{
	struct key *keys = hd_alloc(2 * n * sizeof(*keys)), *from = keys, *to = keys + n, *swap;
	uint64_t differ = 0;

	for (size_t i = 0; i < n; i++) {
		keys[i] = (struct key){ v[i].start, (uint32_t)i };
		differ |= v[i].start ^ v[0].start;
	}
	for (unsigned shift = 0; shift < 64; shift += DIGIT) {
		if (!(differ >> shift & (DIGITS - 1)))
			continue;
		pass(from, to, n, shift);
		swap = from;
		from = to;
		to = swap;
	}
	arrange(v, from, n);
	free(keys);
}

/* Merge the sorted first m symbols with the sorted rest, of which a copy is made. */
static void merge(struct hd_symraw *v, size_t m, size_t n)
{
	size_t left = n - m;
	struct hd_symraw *tail = hd_alloc(left * sizeof(*tail));

	memcpy(tail, v + m, left * sizeof(*tail));
	while (left)
		v[--n] = m && v[m - 1].start > tail[left - 1].start ? v[--m] : tail[--left];
	free(tail);
}

void hd_symbol_sort(struct hd_symraw *v, size_t n)
{
	size_t m = 1;

	while (m < n && v[m - 1].start <= v[m].start)
		m++;
	if (m >= n)
		return;
	if (n <= FEW) {
		insert_each(v, n);
	} else if (m < n / 2) {
		by_digits(v, n);
	} else {
		hd_symbol_sort(v + m, n - m);
		merge(v, m, n);
	}
}
