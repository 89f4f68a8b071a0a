/*
 * event_units.c - see event_units.h
 */
#include "pipeline/event_units.h"

#include "base/mem.h"
#include "heap/events.h"
#include "profile/gpu.h"

#include <string.h>

static const struct {
	const char *name, *unit;
} units[] = {
	/* perf */
	{ "cpu-clock", "ns" }, { "task-clock", "ns" }, { "cycles", "cycles" }, { "cpu-cycles", "cycles" },
	{ "cycles-t", "cycles" }, { "cycles-ct", "cycles" }, { "ref-cycles", "cycles" }, { "bus-cycles", "cycles" },
	{ "stalled-cycles-frontend", "cycles" }, { "stalled-cycles-backend", "cycles" },
	{ "instructions", "instructions" },
	/* --weight off-cpu, wall and syscalls */
	{ "blocked", "ns" }, { "queued", "ns" }, { "preempted", "ns" }, { "woken", "ns" }, { "wall", "ns" },
	{ "syscalls", "ns" },
	/* valgrind */
	{ "Ir", "instructions" }, { "Cycles", "cycles" }, { "CEst", "cycles" }, { "Cy", "cycles" },
};

static bool equals(const char *name, size_t n, const char *other)
{
	return strlen(other) == n && !memcmp(name, other, n);
}

/* Return the length of `name` without modifiers of perf such as `:ppp` at its end. */
static size_t without_modifiers(const char *name, size_t n)
{
	size_t i = n;

	while (i > 0 && memchr("ukhGHIpPSDWeb", name[i - 1], sizeof("ukhGHIpPSDWeb") - 1))
		i--;
	return i > 1 && i < n && name[i - 1] == ':' ? i - 1 : n;
}

/* If `name` is PMU/EVENT/MODIFIERS, set it to the event. */
static void cut_pmu(const char **name, size_t *n)
{
	const char *from = memchr(*name, '/', *n), *to;

	if (!from)
		return;
	from++;
	to = memchr(from, '/', *n - (size_t)(from - *name));
	if (!to)
		return;
	*name = from;
	*n = (size_t)(to - from);
}

const char *hd_event_units_find(const char *name, size_t n)
{
	cut_pmu(&name, &n);
	n = without_modifiers(name, n);
	for (size_t i = 0; i < HD_COUNT(units); i++)
		if (equals(name, n, units[i].name))
			return units[i].unit;
	for (size_t i = 0; i < HD_HEAP_EVENTS; i++)
		if (equals(name, n, hd_heap_events[i].name))
			return hd_heap_events[i].bytes ? "bytes" : "allocations";
	for (size_t i = 0; i < HD_GPU_EVENTS; i++)
		if (equals(name, n, hd_gpu_events[i].name))
			return hd_gpu_events[i].unit;
	return n >= strlen("Memory") && !memcmp(name, "Memory", strlen("Memory")) ? "bytes" : NULL;	/* Xdebug */
}
