/*
 * fuzz_library.c - read any bytes as the JSON report of libhotdrift
 *
 * Invariants: a rejected report has a message; the events and series of an accepted one can be stored; the hotspots of
 * an event are sorted by self weight and add up to its weight and samples.
 */
#include "history/run_library.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_event(const struct hd_run_event *e)
{
	uint64_t weight = 0, samples = 0;

	for (size_t i = 0; i < e->nhotspots; i++) {
		weight += e->hotspots[i].self;
		samples += e->hotspots[i].samples;
		assert(e->hotspots[i].name && e->hotspots[i].total >= e->hotspots[i].self);
		assert(!i || e->hotspots[i].self <= e->hotspots[i - 1].self);
	}
	assert(weight == e->weight && samples == e->samples && weight > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_run_csv_set set = { .n = 0 };
	struct hd_run run = { .target = "t" };
	struct hd_run_library lib;
	struct hd_err err = { 0 };

	if (hd_run_library_parse(&lib, &set, (const char *)data, size, "input", &err) < 0) {
		assert(err.msg[0]);
		hd_run_csv_set_release(&set);
		return 0;
	}
	assert(lib.n || set.n);
	for (size_t i = 0; i < lib.n; i++)
		check_event(&lib.events[i]);
	for (size_t i = 0; i < set.n; i++)
		assert(set.series[i].kind && set.series[i].name && set.series[i].unit);
	run.events = lib.events;
	run.nevents = lib.n;
	run.series = set.series;
	run.nseries = set.n;
	assert(hd_run_check(&run, &err) >= 0);
	hd_run_csv_set_release(&set);
	return 0;
}
