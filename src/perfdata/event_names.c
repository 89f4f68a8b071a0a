/*
 * event_names.c - what record types and events are called
 */
#include "perfdata/perf_state.h"

#include "base/buf.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const low_names[HD_LOW_TYPES] = {
	[PERF_RECORD_MMAP] = "MMAP",
	[PERF_RECORD_LOST] = "LOST",
	[PERF_RECORD_COMM] = "COMM",
	[PERF_RECORD_EXIT] = "EXIT",
	[PERF_RECORD_THROTTLE] = "THROTTLE",
	[PERF_RECORD_UNTHROTTLE] = "UNTHROTTLE",
	[PERF_RECORD_FORK] = "FORK",
	[PERF_RECORD_READ] = "READ",
	[PERF_RECORD_SAMPLE] = "SAMPLE",
	[PERF_RECORD_MMAP2] = "MMAP2",
	[PERF_RECORD_AUX] = "AUX",
	[PERF_RECORD_ITRACE_START] = "ITRACE_START",
	[PERF_RECORD_LOST_SAMPLES] = "LOST_SAMPLES",
	[PERF_RECORD_SWITCH] = "SWITCH",
	[PERF_RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE",
	[PERF_RECORD_NAMESPACES] = "NAMESPACES",
	[PERF_RECORD_KSYMBOL] = "KSYMBOL",
	[PERF_RECORD_BPF_EVENT] = "BPF_EVENT",
	[PERF_RECORD_CGROUP] = "CGROUP",
	[PERF_RECORD_TEXT_POKE] = "TEXT_POKE",
	[PERF_RECORD_AUX_OUTPUT_HW_ID] = "AUX_OUTPUT_HW_ID",
	[HD_RT_CALLCHAIN_DEFERRED] = "CALLCHAIN_DEFERRED",
	[HD_RT_ATTR] = "ATTR",
	[HD_RT_EVENT_TYPE] = "EVENT_TYPE",
	[HD_RT_TRACING_DATA] = "TRACING_DATA",
	[HD_RT_BUILD_ID] = "BUILD_ID",
	[HD_RT_FINISHED_ROUND] = "FINISHED_ROUND",
	[HD_RT_ID_INDEX] = "ID_INDEX",
	[HD_RT_AUXTRACE_INFO] = "AUXTRACE_INFO",
	[HD_RT_AUXTRACE] = "AUXTRACE",
	[HD_RT_AUXTRACE_ERROR] = "AUXTRACE_ERROR",
	[HD_RT_THREAD_MAP] = "THREAD_MAP",
	[HD_RT_CPU_MAP] = "CPU_MAP",
	[HD_RT_STAT_CONFIG] = "STAT_CONFIG",
	[HD_RT_STAT] = "STAT",
	[HD_RT_STAT_ROUND] = "STAT_ROUND",
	[HD_RT_EVENT_UPDATE] = "EVENT_UPDATE",
	[HD_RT_TIME_CONV] = "TIME_CONV",
	[HD_RT_FEATURE] = "FEATURE",
	[HD_RT_COMPRESSED] = "COMPRESSED",
	[HD_RT_FINISHED_INIT] = "FINISHED_INIT",
	[HD_RT_COMPRESSED2] = "COMPRESSED2",
	[HD_RT_BPF_METADATA] = "BPF_METADATA",
	[HD_RT_SCHEDSTAT_CPU] = "SCHEDSTAT_CPU",
	[HD_RT_SCHEDSTAT_DOMAIN] = "SCHEDSTAT_DOMAIN",
};

/* simpleperf's, from HD_SIMPLEPERF_BASE on. */
static const char *const sp_names[HD_SIMPLEPERF_TYPES] = {
	NULL, "SP_KERNEL_SYMBOL", "SP_DSO", "SP_SYMBOL", "SP_SPLIT", "SP_SPLIT_END", "SP_EVENT_ID",
	"SP_CALLCHAIN", "SP_UNWINDING_RESULT", "SP_TRACING_DATA", "SP_DEBUG",
};

const char *hd_record_type_name(uint32_t type)
{
	if (type < HD_LOW_TYPES)
		return low_names[type];
	if (type - HD_SIMPLEPERF_BASE < HD_SIMPLEPERF_TYPES)
		return sp_names[type - HD_SIMPLEPERF_BASE];
	return NULL;
}

struct hd_record_label hd_record_label(const struct hd_record *rec)
{
	const char *name = hd_record_type_name(rec->type);
	const char *in = rec->inside ? "in the zstd record at" : "at";
	struct hd_record_label w;

	if (name)
		snprintf(w.s, sizeof(w.s), "%s record %s 0x%llx", name, in, (unsigned long long)rec->off);
	else
		snprintf(w.s, sizeof(w.s), "record of type %u %s 0x%llx", rec->type, in, (unsigned long long)rec->off);
	return w;
}

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

/* config: cache | op << 8 | result << 16.  "LLC-loads", "LLC-load-misses", "L1-dcache-prefetches". */
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
 * Modifiers as on perf's command line: which of user, kernel and hypervisor
 * when not all, how precise.  H and G, which perf versions show differently
 * for the same attr, are left out, but for an event that counts guests only.
 * before: what parts them from the name.
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
 * Since Linux 5.12 the upper half of a hardware event's config may be the number of the
 * PMU of a hybrid machine; the event is the lower half.  0: no PMU, or no such event.
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

/* `cpu_core/cycles/u`, and `pmu4/cycles/u` where nothing names the PMU: two of them count the same event apart. */
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
		return;		/* the kernel's own types have names of their own */
	hd_buf_addf(&out, "%s/config=0x%llx/", pmu, (unsigned long long)a->config);
	add_modifiers(&out, a, "");	/* the slash parts them: `cs_etm/config=0x4000/u` */
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
