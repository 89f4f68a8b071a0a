/*
 * sort.c - sort the entries of a scan, in place
 *
 * Heap sort: it needs no memory (qsort() may allocate), no recursion, and has no slow input.  Sections are usually
 * sorted
 * or nearly sorted; the caller checks for sorted input first.
 */
#include "cfi/index.h"

static bool before(const struct hd_cfi_index_entry *a, const struct hd_cfi_index_entry *b)
{
	return a->lo != b->lo ? a->lo < b->lo : a->off < b->off;
}

static void sink(struct hd_cfi_index_entry *items, size_t at, size_t n)
{
	const struct hd_cfi_index_entry it = items[at];
	size_t child;

	for (; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && before(&items[child], &items[child + 1]))
			child++;
		if (!before(&it, &items[child]))
			break;
		items[at] = items[child];
	}
	items[at] = it;
}

void hd_cfi_sort(struct hd_cfi_index_entry *items, size_t n)
{
	for (size_t i = n / 2; i > 0; i--)
		sink(items, i - 1, n);
	for (size_t i = n; i > 1; i--) {
		const struct hd_cfi_index_entry last = items[i - 1];

		items[i - 1] = items[0];
		items[0] = last;
		sink(items, 0, i - 1);
	}
}
