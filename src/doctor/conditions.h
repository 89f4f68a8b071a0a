/*
 * conditions.h - what of the machine makes times vary
 *
 *     hd_conditions_read(&before, "", ...);   ... the runs ...   hd_conditions_read(&after, "", ...);
 *     hd_findings_compare(&f, &before, &after, our_cpu_ns);
 *
 * Read from /proc and /sys: the governor, turbo, SMT, address space randomisation,
 * the load before the first run, CPU time stolen by a hypervisor, taken by others,
 * denied by the quota of a control group, time that tasks waited for a CPU (PSI),
 * counters of thermal throttling and temperatures.  A file that is not there is no fault:
 * what it would say is not known, and no finding says anything about it.
 *
 * A finding is a sentence for the one who asks why times vary; it never is a verdict.
 * Findings come in the order of what most often is the cause.
 */
#ifndef HD_DOCTOR_CONDITIONS_H
#define HD_DOCTOR_CONDITIONS_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct hd_conditions {
	/* NAN or -1: not known */
	char governor[32];		/* "" not known, "mixed" */
	int turbo, smt, aslr;		/* 1 on, 0 off; aslr as the kernel counts it */
	bool boost;			/* turbo is on, and its switch is cpufreq/boost, not that of intel_pstate */
	bool virtual_machine;
	long cpus;
	double load1;
	long long ticks_all, ticks_idle, ticks_stolen;	/* of all CPUs since boot, in 1/ticks_hz s */
	long ticks_hz;
	long long throttled_cores, throttled_packages;	/* counts, summed */
	long long quota_periods, quota_throttled_us;	/* of our control group */
	long long waited_us;		/* PSI: some task waited for a CPU */
	double hottest_c;
	char hottest[32];		/* of which zone */
	uint64_t at_ns;			/* of the monotonic clock */
};

/* root: "" or a folder that stands for / (for tests). */
void hd_conditions_read(struct hd_conditions *c, const char *root);

enum { HD_FINDINGS_MAX = 12 };

struct hd_finding {
	const char *code;		/* "governor", "load", "steal", ... */
	char text[160];
};

struct hd_findings {
	struct hd_finding items[HD_FINDINGS_MAX];
	unsigned n;
};

/* our_cpu_ns: CPU time of the processes measured in between. */
void hd_findings_compare(struct hd_findings *f, const struct hd_conditions *before, const struct hd_conditions *after,
	uint64_t our_cpu_ns);
void hd_finding_add(struct hd_findings *f, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
