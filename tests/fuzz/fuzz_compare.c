/*
 * fuzz_compare.c - read any bytes as texts that a comparison of runs uses: stored folded stacks, a recorded command
 * line, and limits of hotdrift.ini
 *
 * Invariants: shares of callers are between 0 and 1, no function has more weight than all stacks, and limits are
 * finite.
 */
#include "cli/limits.h"
#include "history/command_line.h"
#include "history/stored_stacks.h"

#include "base/mem.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TRACKED = 8 };

static void check_callers(const struct hd_stored_stacks *s)
{
	uint32_t tracked[TRACKED];
	struct hd_callers c;
	double y[2], all = 0;
	size_t n = 0;

	for (uint32_t id = 1; id < hd_strtab_count(s->names) && n < TRACKED; id++)
		tracked[n++] = id;
	for (size_t i = 0; i < s->nlines; i++)
		all += s->lines[i].weight;
	hd_callers_find(&c, s, tracked, n);
	for (size_t i = 0; i < n; i++) {
		uint32_t caller = hd_callers_main(&c, i);
		double share = caller == UINT32_MAX ? 0 : hd_callers_called_by(&c, i, caller);

		hd_stored_stacks_total(s, tracked[i], 1, y);
		assert(y[0] + y[1] <= all * (1 + 1e-9));
		assert(share >= 0 && share <= 1 + 1e-9);
	}
	hd_callers_release(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = hd_strndup(size ? (const char *)data : "", size);
	struct hd_limits l = hd_limits_unset;
	struct hd_buf arguments = { 0 };
	struct hd_stored_stacks s;
	size_t half = size / 2;

	hd_stored_stacks_init(&s, 2);
	hd_stored_stacks_add(&s, text, half, 0);
	hd_stored_stacks_add(&s, text + half, size - half, 1);
	check_callers(&s);
	hd_stored_stacks_release(&s);
	hd_workload_arguments(&arguments, text);
	hd_buf_release(&arguments);
	if (hd_limits_parse(&l, text, "fuzz", NULL) >= 0)
		assert(isfinite(l.symbols) && isfinite(l.floor) && isfinite(l.latency) && isfinite(l.memory) &&
			isfinite(l.energy));
	free(text);
	return 0;
}
