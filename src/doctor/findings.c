/*
 * findings.c - derive findings from conditions, and commands that fix them; see conditions.h
 */
#include "doctor/conditions.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Thresholds above which a condition is reported; a temperature of HOT_C is reported, too. */
#define LOAD_A_CPU 0.25		/* load average per CPU before the first run */
#define STOLEN 0.005		/* CPU time stolen by a hypervisor, as a share of all CPU time */
#define OTHERS 0.05		/* CPU time used by other processes, as a share of all CPU time */
#define WAITED 0.10		/* time in which tasks waited for a CPU, as a share of the session */
#define HOT_C 85.0		/* temperature of the hottest thermal zone, in degrees Celsius */

void hd_finding_add(struct hd_findings *f, const char *code, const char *fmt, ...)
{
	struct hd_finding *to;
	va_list ap;

	if (f->n == HD_FINDINGS_MAX)
		return;
	to = &f->items[f->n++];
	to->code = code;
	va_start(ap, fmt);
	vsnprintf(to->text, sizeof(to->text), fmt, ap);
	va_end(ap);
}

/* Return the growth of a counter, or 0 if it is unknown or was reset. */
static double growth(long long before, long long after)
{
	return before >= 0 && after > before ? (double)(after - before) : 0;
}

static void add_cpu_time_of_others(struct hd_findings *f, const struct hd_conditions *b, const struct hd_conditions *a,
	uint64_t our_cpu_ns)
{
	double all = growth(b->ticks_all, a->ticks_all), stolen = growth(b->ticks_stolen, a->ticks_stolen);
	double busy = all - growth(b->ticks_idle, a->ticks_idle) - stolen;
	double ours = (double)our_cpu_ns / 1e9 * (double)b->ticks_hz;

	if (all <= 0)
		return;
	if (stolen / all > STOLEN)
		hd_finding_add(f, "steal", "the hypervisor took %.1f %% of the CPU time (steal)", 100 * stolen / all);
	if ((busy - ours) / all > OTHERS)
		hd_finding_add(f, "others", "other processes used %.0f %% of the CPUs during the runs",
			100 * (busy - ours) / all);
}

void hd_findings_compare(struct hd_findings *f, const struct hd_conditions *before, const struct hd_conditions *after,
	uint64_t our_cpu_ns)
{
	double took_us = after->at_ns > before->at_ns ? (double)(after->at_ns - before->at_ns) / 1e3 : 0;
	double throttled = growth(before->throttled_cores, after->throttled_cores) +
		growth(before->throttled_packages, after->throttled_packages);
	double quota_us = growth(before->quota_throttled_us, after->quota_throttled_us),
	       waited_us = growth(before->waited_us, after->waited_us);

	*f = (struct hd_findings){ 0 };
	if (throttled > 0)
		hd_finding_add(f, "throttling", "the CPU was throttled because of heat or power during the runs");
	if (quota_us > 0)
		hd_finding_add(f, "quota", "the CPU quota of the control group stopped processes for %.0f ms",
			quota_us / 1e3);
	add_cpu_time_of_others(f, before, after, our_cpu_ns);
	if (took_us > 0 && waited_us / took_us > WAITED)
		hd_finding_add(f, "pressure", "some task waited for a CPU %.0f %% of the time",
			100 * waited_us / took_us);
	if (before->load1 / (double)(before->cpus > 0 ? before->cpus : 1) > LOAD_A_CPU)
		hd_finding_add(f, "load", "the load average was %.2f on %ld CPUs%s", before->load1, before->cpus,
			       after->at_ns > before->at_ns ? " before the first run" : "");
	if (*before->governor && strcmp(before->governor, "performance") != 0)
		hd_finding_add(f, "governor", "the CPU frequency governor is %s, not performance", before->governor);
	if (before->turbo == 1)
		hd_finding_add(f, before->boost ? "boost" : "turbo",
			"%s is on: the clock frequency depends on heat and on other "
				"cores", before->boost ? "boost" : "turbo");
	if (after->hottest_c >= HOT_C)
		hd_finding_add(f, "heat", "%s was at %.0f degrees C after the last run",
			*after->hottest ? after->hottest : "a sensor", after->hottest_c);
	if (before->smt == 1)
		hd_finding_add(f, "smt", "SMT is on: siblings share a core");
	if (before->virtual_machine)
		hd_finding_add(f, "virtual", "this is a virtual machine: the load of its host is invisible");
	if (before->aslr > 0)
		hd_finding_add(f, "aslr", "addresses are random (ASLR): memory layouts differ from run to run");
}

const char *hd_finding_fix(const char *code)
{
	static const struct {
		const char *code, *fix;
	} fixes[] = {
		{ "governor", "sudo cpupower frequency-set -g performance" },
		{ "turbo", "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo" },
		{ "boost", "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost" },
		{ "smt", "echo off | sudo tee /sys/devices/system/cpu/smt/control" },
		{ "aslr", "setarch -R CMD" },
		{ "swap", "sudo swapoff -a" },
		{ "watchdog", "sudo sysctl kernel.nmi_watchdog=0" },
		{ "huge-pages", "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled" },
	};

	for (size_t i = 0; i < sizeof(fixes) / sizeof(*fixes); i++)
		if (!strcmp(fixes[i].code, code))
			return fixes[i].fix;
	return NULL;
}
