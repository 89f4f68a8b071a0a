/*
 * checkup.c - names, modes and findings; see checkup.h.  The reasons are in probe_advice.c.
 */
#include "doctor/checkup.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name, *label;
	bool optional;
} names[HD_PROBES] = {
	[HD_PROBE_OPEN] = { "perf_event_open", "perf_event_open", false },
	[HD_PROBE_CYCLES] = { "cycles_user", "cycles", false },
	[HD_PROBE_CYCLES_KERNEL] = { "cycles_kernel", "cycles in the kernel", false },
	[HD_PROBE_PRECISE] = { "precise_ip", "precise samples", true },
	[HD_PROBE_BRANCHES] = { "branch_stack", "branch records (LBR)", true },
	[HD_PROBE_CPU_CLOCK] = { "cpu_clock", "cpu-clock", false },
	[HD_PROBE_TASK_CLOCK] = { "task_clock", "task-clock", true },
	[HD_PROBE_CLOCK_KERNEL] = { "cpu_clock_kernel", "cpu-clock in the kernel", false },
	[HD_PROBE_ALL_CPUS] = { "all_cpus", "all CPUs (-a)", false },
	[HD_PROBE_CHAIN_USER] = { "chain_user", "call chains of programs", false },
	[HD_PROBE_CHAIN_KERNEL] = { "chain_kernel", "call chains of the kernel", false },
	[HD_PROBE_STACK] = { "stack_user", "copies of stacks", false },
	[HD_PROBE_SWITCHES] = { "context_switch", "switches", false },
	[HD_PROBE_FAULTS] = { "page_faults", "page-faults", false },
	[HD_PROBE_SCHED_SWITCH] = { "sched_switch", "sched:sched_switch", false },
	[HD_PROBE_SCHED_WAKEUP] = { "sched_wakeup", "sched:sched_wakeup", false },
	[HD_PROBE_SYS_ENTER] = { "sys_enter", "raw_syscalls:sys_enter", false },
	[HD_PROBE_SYS_EXIT] = { "sys_exit", "raw_syscalls:sys_exit", false },
	[HD_PROBE_RSS_STAT] = { "rss_stat", "kmem:rss_stat", false },
	[HD_PROBE_RING] = { "ring", "ring of 512 KiB", false },
	[HD_PROBE_PERF] = { "perf", "perf", false },
	[HD_PROBE_RECORD_CPU] = { "record_cpu", "perf's recording for cpu", false },
	[HD_PROBE_RECORD_ASYNC] = { "record_async", "perf's recording for async", false },
	[HD_PROBE_RECORD_SYSCALL] = { "record_syscall", "perf's recording for syscall", false },
	[HD_PROBE_PRELOAD] = { "preload", "libhotdrift-heap.so", false },
	[HD_PROBE_NSYS] = { "nsys", "Nsight Systems (nsys)", true },
	[HD_PROBE_CUDA_LIBRARY] = { "cuda_library", "libhotdrift-cuda.so", true },
	[HD_PROBE_CUDA_DRIVER] = { "cuda_driver", "CUDA driver (libcuda)", true },
	[HD_PROBE_CUPTI] = { "cupti", "libcupti", true },
	[HD_PROBE_NVML] = { "nvml", "GPUs (libnvidia-ml)", true },
	[HD_PROBE_UPROBES] = { "uprobes", "uprobes", true },
	[HD_PROBE_POWER] = { "power", "power (RAPL)", true },
	[HD_PROBE_HWMON] = { "hwmon", "power (hwmon)", true },
	[HD_PROBE_BATTERY] = { "battery", "power (battery)", true },
	[HD_PROBE_KALLSYMS] = { "kallsyms", "kernel symbols", false },
	[HD_PROBE_VMLINUX] = { "vmlinux", "kernel source lines (vmlinux)", true },
	[HD_PROBE_PERF_MAP] = { "perf_map", "maps of JITs in /tmp", true },
	[HD_PROBE_GIT] = { "git", "git", true },
	[HD_PROBE_DATABASE] = { "database", "folder of the database", false },
	[HD_PROBE_POSTGRESQL] = { "postgresql", "PostgreSQL", true },
	[HD_PROBE_DEBUGINFOD] = { "debuginfod", "debuginfod", true },
	[HD_PROBE_CHARTS] = { "charts", "charts (dygraphs)", true },
};

const char *hd_probe_name(enum hd_probe_id id)
{
	return names[id].name;
}

const char *hd_probe_label(enum hd_probe_id id)
{
	return names[id].label;
}

bool hd_probe_optional(enum hd_probe_id id)
{
	return names[id].optional;
}

const char *hd_profile_mode_name(enum hd_profile_mode m)
{
	static const char *const of[HD_PROFILE_MODES] = { "cpu", "memory", "memory --faults", "async", "syscall", "gpu",
		"power", "all" };

	return of[m];
}

const char *hd_mode_support_name(enum hd_mode_support s)
{
	static const char *const of[] = { "no", "reduced", "full" };

	return of[s];
}

/* ---- modes ---- */

static void lacks(struct hd_mode_verdict *v, enum hd_probe_id id)
{
	if (v->n < sizeof(v->lacks) / sizeof(*v->lacks))
		v->lacks[v->n++] = id;
}

static void add(struct hd_buf *how, const char *text)
{
	hd_buf_addf(how, "%s%s", how->len ? "; " : "", text);
}

/* It cannot be: `id` is what is in the way. */
static struct hd_mode_verdict not(const struct hd_checkup *c, enum hd_probe_id id, struct hd_buf *how)
{
	struct hd_mode_verdict v = { .state = HD_MODE_SUPPORT_NO };
	struct hd_buf fix = { 0 };

	lacks(&v, id);
	hd_buf_addf(how, "%s: ", hd_probe_label(id));
	hd_probe_explain(c, id, how, &fix);
	hd_buf_release(&fix);
	return v;
}

/* The first of the probes that fails, else `record`: perf's own words. */
static enum hd_probe_id first_in_the_way(const struct hd_checkup *c, const enum hd_probe_id *ids, size_t n,
	enum hd_probe_id record)
{
	for (size_t i = 0; i < n; i++)
		if (!c->probe[ids[i]].works)
			return ids[i];
	return record;
}
#define FIRST(c, record, ...)                                                                                          \
	first_in_the_way(c, (const enum hd_probe_id[]){ __VA_ARGS__ },                                                 \
		sizeof((const enum hd_probe_id[]){ __VA_ARGS__ }) / sizeof(enum hd_probe_id), record)

static struct hd_mode_verdict judge_cpu(const struct hd_checkup *c, struct hd_buf *how)
{
	const struct hd_probe *p = c->probe;
	struct hd_mode_verdict v = { .state = HD_MODE_SUPPORT_FULL };
	bool cycles = p[HD_PROBE_CYCLES].works,
	     kernel = p[cycles ? HD_PROBE_CYCLES_KERNEL : HD_PROBE_CLOCK_KERNEL].works;

	if (!p[HD_PROBE_RECORD_CPU].works)
		return not(c, FIRST(c, HD_PROBE_RECORD_CPU, HD_PROBE_PERF, HD_PROBE_OPEN, HD_PROBE_CPU_CLOCK), how);
	if (!cycles) {
		lacks(&v, HD_PROBE_CYCLES);
		add(how, "cpu-clock, a timer, instead of cycles");
	}
	if (!kernel) {
		lacks(&v, cycles ? HD_PROBE_CYCLES_KERNEL : HD_PROBE_CLOCK_KERNEL);
		add(how, "the kernel's share is not recorded");
	} else if (!p[HD_PROBE_KALLSYMS].works) {
		lacks(&v, HD_PROBE_KALLSYMS);
		add(how, "functions of the kernel have no names");
	}
	if (!p[HD_PROBE_CHAIN_USER].works) {
		lacks(&v, HD_PROBE_CHAIN_USER);
		add(how, "no call chains by frame pointers");
	}
	if (v.n)
		v.state = HD_MODE_SUPPORT_REDUCED;
	else
		add(how, "cycles of programs and the kernel, with call chains");
	return v;
}

static struct hd_mode_verdict judge_faults(const struct hd_checkup *c, struct hd_buf *how)
{
	const struct hd_probe *p = c->probe;
	struct hd_mode_verdict v = { .state = HD_MODE_SUPPORT_FULL };

	if (!p[HD_PROBE_PERF].works || !p[HD_PROBE_FAULTS].works || !p[HD_PROBE_STACK].works)
		return not(c, FIRST(c, HD_PROBE_FAULTS, HD_PROBE_PERF, HD_PROBE_OPEN, HD_PROBE_FAULTS, HD_PROBE_STACK),
			how);
	if (!p[HD_PROBE_CLOCK_KERNEL].works) {
		v.state = HD_MODE_SUPPORT_REDUCED;
		lacks(&v, HD_PROBE_CLOCK_KERNEL);
		add(how, "one page fault in 64 with its stack, those of programs only");
	} else {
		add(how, "every page fault with its stack");
	}
	return v;
}

static struct hd_mode_verdict judge_async(const struct hd_checkup *c, struct hd_buf *how)
{
	const struct hd_probe *p = c->probe;
	struct hd_mode_verdict v = { .state = HD_MODE_SUPPORT_FULL };

	if (p[HD_PROBE_RECORD_ASYNC].works) {
		add(how, "waits with stacks, reasons and wakers");
		return v;
	}
	if (!p[HD_PROBE_PERF].works || !p[HD_PROBE_SWITCHES].works)
		return not(c, FIRST(c, HD_PROBE_SWITCHES, HD_PROBE_PERF, HD_PROBE_OPEN), how);
	v.state = HD_MODE_SUPPORT_REDUCED;
	lacks(&v, FIRST(c, HD_PROBE_RECORD_ASYNC, HD_PROBE_SCHED_SWITCH, HD_PROBE_SCHED_WAKEUP, HD_PROBE_STACK));
	add(how, "how long threads are off the CPU, without stacks and wakers");
	return v;
}

static struct hd_mode_verdict judge_syscall(const struct hd_checkup *c, struct hd_buf *how)
{
	struct hd_mode_verdict v = { .state = HD_MODE_SUPPORT_FULL };

	if (!c->probe[HD_PROBE_RECORD_SYSCALL].works)
		return not(c,
			FIRST(c, HD_PROBE_RECORD_SYSCALL, HD_PROBE_PERF, HD_PROBE_OPEN, HD_PROBE_SYS_ENTER,
				HD_PROBE_SYS_EXIT, HD_PROBE_STACK),
			how);
	add(how, "every system call with its stack");
	return v;
}

/* nsys, else our library, else NVML's figures without kernels: as scripts/lib/gpu.sh chooses. */
static struct hd_mode_verdict judge_gpu(const struct hd_checkup *c, struct hd_buf *how)
{
	const struct hd_probe *p = c->probe;
	struct hd_mode_verdict v = { .state = HD_MODE_SUPPORT_FULL };
	enum hd_probe_id missing = FIRST(c, HD_PROBES, HD_PROBE_CUDA_LIBRARY, HD_PROBE_CUDA_DRIVER, HD_PROBE_CUPTI);

	if (p[HD_PROBE_NSYS].works) {
		add(how, "kernels and copies, by nsys");
	} else if (missing == HD_PROBES) {
		add(how, "kernels and copies, by libhotdrift-cuda.so; stacks of launches, ");
		hd_buf_adds(how, p[HD_PROBE_UPROBES].works && p[HD_PROBE_PERF].works ? "by perf" : "by the library");
	} else if (p[HD_PROBE_NVML].works) {
		v.state = HD_MODE_SUPPORT_REDUCED;
		lacks(&v, missing);
		add(how, "utilisation, memory and power of GPUs, without kernels");
	} else {
		return not(c, HD_PROBE_NVML, how);
	}
	return v;
}

static struct hd_mode_verdict judge_power(const struct hd_checkup *c, struct hd_buf *how)
{
	const struct hd_probe *p = c->probe;
	struct hd_mode_verdict v = { .state = HD_MODE_SUPPORT_FULL };
	bool gpus = p[HD_PROBE_NVML].works && p[HD_PROBE_NVML].value;

	if (p[HD_PROBE_POWER].works) {
		add(how, gpus ? "energy of processors and GPUs" : "energy of processors");
		return v;
	}
	if (!gpus && !p[HD_PROBE_HWMON].works && !p[HD_PROBE_BATTERY].works)
		return not(c, HD_PROBE_POWER, how);
	v.state = HD_MODE_SUPPORT_REDUCED;
	lacks(&v, HD_PROBE_POWER);
	add(how,
		gpus                              ? "power of GPUs only"
			: p[HD_PROBE_HWMON].works ? "power by the sensors of hwmon"
						  : "power of the whole machine, while on battery");
	return v;
}

/* The worst of what `profile.sh all` runs in turn; one that fails loses none of the others.  gpu and power are extra. */
static struct hd_mode_verdict judge_all(const struct hd_checkup *c, struct hd_buf *how)
{
	static const enum hd_profile_mode in_turn[] = { HD_PROFILE_MODE_CPU, HD_PROFILE_MODE_MEMORY,
		HD_PROFILE_MODE_ASYNC, HD_PROFILE_MODE_SYSCALL };
	struct hd_mode_verdict v = { .state = HD_MODE_SUPPORT_FULL };
	struct hd_buf ignored = { 0 };
	unsigned none = 0;

	for (size_t i = 0; i < sizeof(in_turn) / sizeof(*in_turn); i++) {
		struct hd_mode_verdict one = hd_profile_mode_judge(c, in_turn[i], &ignored);

		for (unsigned k = 0; k < one.n; k++)
			lacks(&v, one.lacks[k]);
		if (one.state == HD_MODE_SUPPORT_FULL)
			continue;
		none += one.state == HD_MODE_SUPPORT_NO;
		v.state = HD_MODE_SUPPORT_REDUCED;
		hd_buf_addf(how, "%s%s%s", how->len ? ", " : "",
			one.state == HD_MODE_SUPPORT_NO ? "without " : "less of ", hd_profile_mode_name(in_turn[i]));
	}
	if (none == sizeof(in_turn) / sizeof(*in_turn))
		v.state = HD_MODE_SUPPORT_NO;
	if (v.state == HD_MODE_SUPPORT_FULL)
		add(how, "cpu, memory, async and syscall in turn");
	hd_buf_reset(&ignored);
	if (hd_profile_mode_judge(c, HD_PROFILE_MODE_GPU, &ignored).state != HD_MODE_SUPPORT_NO)
		hd_buf_adds(how, ", and gpu");
	if (hd_profile_mode_judge(c, HD_PROFILE_MODE_POWER, &ignored).state != HD_MODE_SUPPORT_NO)
		hd_buf_adds(how, ", and power");
	hd_buf_release(&ignored);
	return v;
}

struct hd_mode_verdict hd_profile_mode_judge(const struct hd_checkup *c, enum hd_profile_mode m, struct hd_buf *how)
{
	switch (m) {
	case HD_PROFILE_MODE_CPU: return judge_cpu(c, how);
	case HD_PROFILE_MODE_MEMORY:
		if (!c->probe[HD_PROBE_PRELOAD].works)
			return not(c, HD_PROBE_PRELOAD, how);
		add(how, c->probe[HD_PROBE_RSS_STAT].works ? "allocations; each change of resident memory" :
							     "allocations; resident memory, asked for every 10 ms");
		return (struct hd_mode_verdict){ .state = HD_MODE_SUPPORT_FULL };
	case HD_PROFILE_MODE_FAULTS: return judge_faults(c, how);
	case HD_PROFILE_MODE_ASYNC: return judge_async(c, how);
	case HD_PROFILE_MODE_SYSCALL: return judge_syscall(c, how);
	case HD_PROFILE_MODE_GPU: return judge_gpu(c, how);
	case HD_PROFILE_MODE_POWER: return judge_power(c, how);
	case HD_PROFILE_MODE_ALL: return judge_all(c, how);
	case HD_PROFILE_MODES: break;
	}
	return (struct hd_mode_verdict){ .state = HD_MODE_SUPPORT_NO };
}

/* ---- findings ---- */

void hd_checkup_findings(struct hd_findings *f, const struct hd_checkup *c, const struct hd_conditions *now)
{
	hd_findings_compare(f, now, now, 0);
	if (c->rights.swap)
		hd_finding_add(f, "swap", "swap is in use: memory that was swapped out is slow to touch");
	if (c->rights.counters && c->rights.nmi_watchdog == 1)
		hd_finding_add(f, "watchdog", "the NMI watchdog holds a hardware counter");
	if (!strcmp(c->rights.huge_pages, "always"))
		hd_finding_add(f, "huge-pages",
			"huge pages are always tried: page faults and RSS differ from run to run");
}

const char *hd_finding_fix(const char *code)
{
	static const struct {
		const char *code, *fix;
	} of[] = {
		{ "governor", "sudo cpupower frequency-set -g performance" },
		{ "turbo", "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo" },
		{ "boost", "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost" },
		{ "smt", "echo off | sudo tee /sys/devices/system/cpu/smt/control" },
		{ "aslr", "setarch -R CMD" },
		{ "swap", "sudo swapoff -a" },
		{ "watchdog", "sudo sysctl kernel.nmi_watchdog=0" },
		{ "huge-pages", "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled" },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++)
		if (!strcmp(of[i].code, code))
			return of[i].fix;
	return NULL;
}
