/*
 * event_units.c - look up the units of events by their names
 */
#include "pipeline/event_units.h"

#include "test.h"

#include <string.h>

static const char *unit(const char *name)
{
	const char *u = hd_event_units_find(name, strlen(name));

	return u ? u : "unknown";
}

TEST(an_event_of_perf_may_have_modifiers_and_a_pmu)
{
	EXPECT_STR(unit("cpu-clock"), "ns");
	EXPECT_STR(unit("task-clock:uppp"), "ns");
	EXPECT_STR(unit("cycles:P"), "cycles");
	EXPECT_STR(unit("cpu_core/cycles/P"), "cycles");
	EXPECT_STR(unit("cpu/instructions/u"), "instructions");
	EXPECT_STR(unit("cpu/event=0x3c/"), "unknown");
	EXPECT_STR(unit("cpu/cycles"), "unknown");
	EXPECT_STR(unit("page-faults:u"), "unknown");
}

TEST(a_tracepoint_is_not_an_event_with_modifiers)
{
	EXPECT_STR(unit("syscalls"), "ns");
	EXPECT_STR(unit("syscalls:sys_enter_read"), "unknown");
	EXPECT_STR(unit("syscalls:"), "unknown");
	EXPECT_STR(unit(":u"), "unknown");
	EXPECT_STR(unit("up"), "unknown");
	EXPECT_STR(unit(""), "unknown");
}

TEST(events_that_hotdrift_writes_have_the_units_they_had)
{
	static const char *const spans[] = { "blocked", "queued", "preempted", "woken", "wall", "syscalls" };
	static const char *const bytes[] = { "allocated", "peak", "leaked", "temporary-bytes", "gpu-copy-bytes" };
	static const char *const blocks[] = { "allocations", "peak-blocks", "leaked-blocks", "temporary" };

	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++)
		EXPECT_STR(unit(spans[i]), "ns");
	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++)
		EXPECT_STR(unit(bytes[i]), "bytes");
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		EXPECT_STR(unit(blocks[i]), "allocations");
	EXPECT_STR(unit("gpu-kernels"), "ns");
}

TEST(costs_of_callgrind_have_units)
{
	EXPECT_STR(unit("Ir"), "instructions");
	EXPECT_STR(unit("CEst"), "cycles");
	EXPECT_STR(unit("Memory_(bytes)"), "bytes");
	EXPECT_STR(unit("Dw"), "unknown");
}

TEST_MAIN(RUN(an_event_of_perf_may_have_modifiers_and_a_pmu), RUN(a_tracepoint_is_not_an_event_with_modifiers),
	  RUN(events_that_hotdrift_writes_have_the_units_they_had), RUN(costs_of_callgrind_have_units))
