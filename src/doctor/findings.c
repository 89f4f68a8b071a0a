/*
 * findings.c - what conditions come to; see conditions.h
 */
#include "doctor/conditions.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* From where on a reading is worth a word. */
#define LOAD_A_CPU 0.25		/* of the load average before the first run */
#define STOLEN 0.005		/* of all CPU time */
#define OTHERS 0.05
#define WAITED 0.10		/* of the time */
#define HOT_C 85.0

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

/* What a counter grew by; 0 when it is not known or was reset. */
static double grown(long long before, long long after)
{
	return before >= 0 && after > before ? (double)(after - before) : 0;
}

static void what_others_took(struct hd_findings *f, const struct hd_conditions *b, const struct hd_conditions *a,
	uint64_t our_cpu_ns)
{
	double all = grown(b->ticks_all, a->ticks_all), stolen = grown(b->ticks_stolen, a->ticks_stolen);
	double busy = all - grown(b->ticks_idle, a->ticks_idle) - stolen;
	double ours = (double)our_cpu_ns / 1e9 * (double)b->ticks_hz;

	if (all <= 0)
		return;
	if (stolen / all > STOLEN)
		hd_finding_add(f, "steal", "the hypervisor took %.1f %% of the CPU time (steal)", 100 * stolen / all);
	if ((busy - ours) / all > OTHERS)
		hd_finding_add(f, "others", "other processes used %.0f %% of the CPUs meanwhile",
			100 * (busy - ours) / all);
}

void hd_findings_compare(struct hd_findings *f, const struct hd_conditions *before, const struct hd_conditions *after,
	uint64_t our_cpu_ns)
{
	double took_us = after->at_ns > before->at_ns ? (double)(after->at_ns - before->at_ns) / 1e3 : 0;
	double throttled = grown(before->throttled_cores, after->throttled_cores) +
		grown(before->throttled_packages, after->throttled_packages);
	double quota_us = grown(before->quota_throttled_us, after->quota_throttled_us),
	       waited_us = grown(before->waited_us, after->waited_us);

	*f = (struct hd_findings){ 0 };
	if (throttled > 0)
		hd_finding_add(f, "throttling", "the CPU was throttled for heat or power while the runs were made");
	if (quota_us > 0)
		hd_finding_add(f, "quota", "the CPU quota of the control group held processes up for %.0f ms",
			quota_us / 1e3);
	what_others_took(f, before, after, our_cpu_ns);
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
			"%s is on: the clock follows heat and the neighbours", before->boost ? "boost" : "turbo");
	if (after->hottest_c >= HOT_C)
		hd_finding_add(f, "heat", "%s was at %.0f degrees C after the last run",
			*after->hottest ? after->hottest : "a sensor", after->hottest_c);
	if (before->smt == 1)
		hd_finding_add(f, "smt", "SMT is on: siblings share a core");
	if (before->virtual_machine)
		hd_finding_add(f, "virtual", "this is a virtual machine: its neighbours are not seen");
	if (before->aslr > 0)
		hd_finding_add(f, "aslr", "addresses are random (ASLR): layouts differ from run to run");
}
