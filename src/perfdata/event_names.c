/*
 * event_names.c - build the names of events as perf shows them, and find the units of their periods
 */
#include "perfdata/perf_state.h"

#include "base/buf.h"
#include "base/mem.h"

#include <stdlib.h>

static const char *const hw_names[] = {
	"cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses",
	"bus-cycles", "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles",
};

static const char *const sw_names[] = {
	"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations", "minor-faults",
	"major-faults", "alignment-faults", "emulation-faults", "dummy", "bpf-output", "cgroup-switches",
};

static const char *const cache_names[] = { "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node" };
static const char *const cache_ops[] = { "load", "store", "prefetch" };

/*
 * Append the name of a cache event, such as "LLC-load-misses".  Its config is cache | op << 8 | result << 16.  Returns
 * false if the config names no known event.
 */
static bool cache_name(struct hd_buf *out, uint64_t config)
{
	uint64_t cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (cache >= HD_COUNT(cache_names) || op >= HD_COUNT(cache_ops) || result > 1)
		return false;
	hd_buf_addf(out, "%s-%s%s", cache_names[cache], cache_ops[op],
		    result ? "-misses" : op == 2 ? "es" : "s");
	return true;
}

/*
 * Append the event modifiers as on perf's command line: k, u, h unless all three levels are counted, and a p for each
 * level of precision.  H is omitted, because versions of perf differ in it; G is appended only for an event that counts
 * guests only.  If there are modifiers, the separator `before` precedes them.
 */
static void add_modifiers(struct hd_buf *out, const struct hd_perf_attr *a, const char *before)
{
	char mods[12];
	int n = 0;

	if (a->exclude_user || a->exclude_kernel || a->exclude_hv) {
		if (!a->exclude_kernel)
			mods[n++] = 'k';
		if (!a->exclude_user)
			mods[n++] = 'u';
		if (!a->exclude_hv)
			mods[n++] = 'h';
	}
	for (int i = 0; i < a->precise; i++)
		mods[n++] = 'p';
	if (a->exclude_host)
		mods[n++] = 'G';
	if (n) {
		hd_buf_adds(out, before);
		hd_buf_add(out, mods, (size_t)n);
	}
}

/*
 * Return the type of the PMU that a generic event belongs to; 0: none.  On hybrid machines (since Linux 5.13), it is
 * the upper half of the event's config; the lower half is the event.
 */
static uint32_t pmu_of(const struct hd_perf_attr *a)
{
	bool generic = a->type == PERF_TYPE_HARDWARE || a->type == PERF_TYPE_HW_CACHE;

	return generic && a->config >> 32 <= 0xffff ? (uint32_t)(a->config >> 32) : 0;
}

static uint64_t generic_config(const struct hd_perf_attr *a)
{
	if (a->type == PERF_TYPE_HARDWARE || a->type == PERF_TYPE_HW_CACHE)
		return a->config & UINT32_MAX;
	return a->config;
}

static bool generic_name(struct hd_buf *out, const struct hd_perf_attr *a)
{
	uint64_t config = generic_config(a);

	switch (a->type) {
	case PERF_TYPE_HARDWARE:
		if (config >= HD_COUNT(hw_names) || (a->config >> 32) > 0xffff)
			return false;
		hd_buf_adds(out, hw_names[config]);
		return true;
	case PERF_TYPE_SOFTWARE:
		if (config >= HD_COUNT(sw_names))
			return false;
		hd_buf_adds(out, sw_names[config]);
		return true;
	case PERF_TYPE_HW_CACHE:
		return cache_name(out, config);
	case PERF_TYPE_RAW:
		hd_buf_addf(out, "r%llx", (unsigned long long)a->config);
		return true;
	default:
		return false;
	}
}

/*
 * Append the name of a generic event with its PMU: `cpu_core/cycles/u`, or `pmu4/cycles/u` if the name of the PMU is
 * unknown.  The PMU must be named, because the same event on another PMU is a different event.  Returns false if the
 * config names no known event.
 */
static bool add_pmu_name(struct hd_buf *out, const struct hd_perf_attr *a, const char *pmu)
{
	struct hd_buf event = { 0 };
	bool known = generic_name(&event, a);

	if (known) {
		if (pmu)
			hd_buf_adds(out, pmu);
		else
			hd_buf_addf(out, "pmu%u", pmu_of(a));
		hd_buf_addf(out, "/%s/", event.data);
		add_modifiers(out, a, "");
	}
	hd_buf_release(&event);
	return known;
}

char *hd_event_name(const struct hd_perf_attr *a, uint32_t bp_type, uint64_t bp_addr)
{
	struct hd_buf out = { 0 };

	if (a->type == PERF_TYPE_TRACEPOINT) {
		hd_buf_addf(&out, "tracepoint-%llu", (unsigned long long)a->config);
		return hd_buf_take(&out);
	}
	if (a->type == PERF_TYPE_BREAKPOINT)
		hd_buf_addf(&out, "mem:0x%llx%s%s%s%s", (unsigned long long)bp_addr, bp_type & 7 ? ":" : "",
			    bp_type & 1 ? "r" : "", bp_type & 2 ? "w" : "", bp_type & 4 ? "x" : "");
	else if (pmu_of(a) && add_pmu_name(&out, a, NULL))
		return hd_buf_take(&out);
	else if (!generic_name(&out, a)) {
		hd_buf_addf(&out, "type%u-config0x%llx", a->type, (unsigned long long)a->config);
		return hd_buf_take(&out);
	}
	add_modifiers(&out, a, ":");
	return hd_buf_take(&out);
}

void hd_perf_name_by_pmu(struct hd_perf_attr *a, uint32_t type, const char *pmu)
{
	struct hd_buf out = { 0 };

	if (!*pmu)
		return;
	if (pmu_of(a) && pmu_of(a) == type && add_pmu_name(&out, a, pmu)) {
		free(a->name);
		a->name = hd_buf_take(&out);
	}
	if (a->type != type || type < PERF_TYPE_MAX)
		return;		/* the kernel's own types have generic names */
	hd_buf_addf(&out, "%s/config=0x%llx/", pmu, (unsigned long long)a->config);
	add_modifiers(&out, a, "");	/* no separator after the slash: `cs_etm/config=0x4000/u` */
	free(a->name);
	a->name = hd_buf_take(&out);
}

const char *hd_event_unit(const struct hd_perf_attr *a)
{
	uint64_t config = generic_config(a);

	if (a->type == PERF_TYPE_HARDWARE) {
		switch (config) {
		case PERF_COUNT_HW_CPU_CYCLES:
		case PERF_COUNT_HW_REF_CPU_CYCLES:
		case PERF_COUNT_HW_BUS_CYCLES:
		case PERF_COUNT_HW_STALLED_CYCLES_FRONTEND:
		case PERF_COUNT_HW_STALLED_CYCLES_BACKEND:
			return "cycles";
		case PERF_COUNT_HW_INSTRUCTIONS:
			return "instructions";
		}
	}
	if (a->type == PERF_TYPE_SOFTWARE && config <= PERF_COUNT_SW_TASK_CLOCK)
		return "ns";
	return "events";
}
