/*
 * fuzz_expect.c - read any bytes as a file of expectations; an accepted file must be usable, and the text of each
 * range must be read as the same range
 */
#include "gate/expect.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct hd_expect_cost costs[] = {
		{ "parse_row", "_Z9parse_rowv", 21, 40 }, { "main", NULL, 0, 99 },
		{ "std::vector<int>::push_back.isra.0", "x", 3, 3 }, { "*", "*", 1, 1 },
	};
	struct hd_expect_result *results;
	struct hd_expect e;
	struct hd_err err;
	size_t violated, seen = 0;

	if (hd_expect_parse(&e, (const char *)data, size, "input", &err) < 0)
		return 0;
	assert(e.n > 0 && e.n <= HD_EXPECT_ITEMS && e.tolerance >= 0 && e.tolerance <= 100);
	results = calloc(e.n, sizeof(*results));
	assert(results);
	violated = hd_expect_check(results, &e, costs, sizeof(costs) / sizeof(costs[0]));
	for (size_t i = 0; i < e.n; i++) {
		const struct hd_expect_item *item = &e.items[i];
		char range[HD_EXPECT_RANGE_TEXT], line[HD_EXPECT_RANGE_TEXT + 8];
		struct hd_expect again;

		assert(*item->name && item->line > 0 && item->range.lo <= item->range.hi &&
			!(item->glob && item->total));
		seen += results[i].verdict == HD_EXPECT_VIOLATED;
		hd_expect_range_text(&item->range, range);
		snprintf(line, sizeof(line), "f %s", range);
		assert(hd_expect_parse(&again, line, strlen(line), "range", &err) >= 0);
		assert(again.items[0].range.above_lo == item->range.above_lo &&
			again.items[0].range.below_hi == item->range.below_hi);
		hd_expect_release(&again);
	}
	assert(seen == violated);
	free(results);
	hd_expect_release(&e);
	return 0;
}
