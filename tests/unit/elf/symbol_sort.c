/* symbol_sort.c - symbols are sorted by start; those with one start keep their order */
#include "test.h"

#include "base/mem.h"
#include "elf/symbol_sort.h"

#include <stdlib.h>
#include <string.h>

/* Return the next pseudo-random number; the sequence is the same in every run. */
static uint64_t next(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return *state >> 33;
}

static struct hd_symraw *made(size_t n, uint64_t mask, uint64_t base)
{
	struct hd_symraw *v = hd_new_array(struct hd_symraw, n);
	uint64_t state = n;

	for (size_t i = 0; i < n; i++)
		v[i] = (struct hd_symraw){ .start = base + (next(&state) << 20 & mask) + (next(&state) & mask),
			.seq = (uint32_t)i };
	return v;
}

static void expect_sorted(const struct hd_symraw *v, size_t n)
{
	bool *seen = hd_new_array(bool, n);

	for (size_t i = 0; i < n; i++) {
		EXPECT(!i || v[i - 1].start < v[i].start || (v[i - 1].start == v[i].start && v[i - 1].seq < v[i].seq));
		EXPECT(v[i].seq < n && !seen[v[i].seq]);
		seen[v[i].seq] = true;
	}
	free(seen);
}

TEST(few_and_many_symbols_are_sorted_whatever_their_addresses)
{
	static const size_t counts[] = { 0, 1, 2, 31, 32, 33, 1000, 5000 };
	static const uint64_t masks[] = { 0, 7, 0xfff, 0xffffffff, UINT64_MAX };

	for (size_t c = 0; c < HD_COUNT(counts); c++)
		for (size_t m = 0; m < HD_COUNT(masks); m++) {
			struct hd_symraw *v = made(counts[c], masks[m], 0xffffffff81000000 * (m & 1));

			hd_symbol_sort(v, counts[c]);
			expect_sorted(v, counts[c]);
			free(v);
		}
}

TEST(what_is_added_behind_sorted_ones_is_merged_in_behind_its_equals)
{
	enum { N = 1000 };

	for (size_t tail = 1; tail < N; tail = tail * 2 + 1) {
		struct hd_symraw *v = made(N, 0xff, 0x1000);

		hd_symbol_sort(v, N - tail);
		for (size_t i = 0; i < N - tail; i++)
			v[i].seq = (uint32_t)i;
		hd_symbol_sort(v, N);
		expect_sorted(v, N);
		free(v);
	}
}

TEST(descending_symbols_are_turned_around)
{
	struct hd_symraw v[100] = { 0 };

	for (size_t i = 0; i < HD_COUNT(v); i++)
		v[i] = (struct hd_symraw){ .start = 1000 - i, .seq = (uint32_t)i };
	hd_symbol_sort(v, HD_COUNT(v));
	expect_sorted(v, HD_COUNT(v));
	EXPECT(v[0].start == 901);
}

TEST_MAIN(
	RUN(few_and_many_symbols_are_sorted_whatever_their_addresses),
	RUN(what_is_added_behind_sorted_ones_is_merged_in_behind_its_equals),
	RUN(descending_symbols_are_turned_around),
)
