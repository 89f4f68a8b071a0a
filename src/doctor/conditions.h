/*
 * conditions.h - conditions of the machine that make measured times vary
 *
 *     hd_conditions_read(&before, "");   ... the runs ...   hd_conditions_read(&after, "");
 *     hd_findings_compare(&f, &before, &after, our_cpu_ns);
 *
 * Read from /proc and /sys: the governor, turbo, SMT, address space randomisation, whether this is a virtual machine,
 * the load before the first run, CPU time stolen by a hypervisor, used by other processes or denied by the quota of a
 * control group, time that tasks waited for a CPU (PSI), counters of thermal throttling, and temperatures.  A missing
 * file is not an error: its value is unknown, and unknown values cause no finding.
 *
 * A finding is a sentence that explains variation; it is never a verdict.
 */
#ifndef HD_DOCTOR_CONDITIONS_H
#define HD_DOCTOR_CONDITIONS_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

struct hd_conditions {
	/* NAN or -1: unknown */
	char governor[32];		/* "": unknown; "mixed": differs between CPUs */
	int turbo, smt, aslr;		/* 1 on, 0 off; aslr: the kernel's value 0..2 */
	bool boost;			/* turbo is on and controlled by cpufreq/boost, not by intel_pstate */
	bool virtual_machine;
	long cpus;
	double load1;
	/* ticks of all CPUs since boot, in 1/ticks_hz s; ticks_idle includes the time in which a CPU waited for I/O */
	long long ticks_all, ticks_idle, ticks_stolen;
	long ticks_hz;
	long long throttled_cores, throttled_packages;	/* throttling counters, summed over all CPUs */
	long long quota_periods, quota_throttled_us;	/* throttled periods, and their time, of the control group */
	/* pressure stall information (PSI): time in which at least one task waited for a CPU */
	long long waited_us;
	double hottest_c;		/* highest temperature of a thermal zone, in degrees Celsius; 0: unknown */
	char hottest[32];		/* type of the thermal zone with this temperature; "": unknown */
	uint64_t at_ns;			/* time of the reading, CLOCK_MONOTONIC */
};

/* Read the current conditions into *c.  root: "", or a folder that replaces / in tests. */
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

/* Set *f to the findings (explanations of variation) of a session.  our_cpu_ns: CPU time of the measured processes. */
void hd_findings_compare(struct hd_findings *f, const struct hd_conditions *before, const struct hd_conditions *after,
	uint64_t our_cpu_ns);
/* Append a finding; it is dropped if *f already has HD_FINDINGS_MAX findings. */
void hd_finding_add(struct hd_findings *f, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Return a command that fixes the cause of the finding with this code, such as "governor"; NULL if there is none. */
const char *hd_finding_fix(const char *code);

#endif
