/*
 * conditions.c - read the machine's state that makes measured times vary (governor, load, ...); see conditions.h
 */
#include "doctor/conditions.h"

#include "base/clock.h"
#include "doctor/rights.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CPUS_MAX = 8192, ZONES_MAX = 256 };

/* Parse the whole number at s.  Returns -1 if there is none. */
static long long number(const char *s)
{
	char *end;
	long long v;

	if (*s < '0' || *s > '9')
		return -1;
	errno = 0;
	v = strtoll(s, &end, 10);
	return errno ? -1 : v;
}

static long long number_in(const char *root, const char *path)
{
	struct hd_buf b = { 0 };
	long long v = hd_sysfile_read(&b, root, path) ? number(b.data) : -1;

	hd_buf_release(&b);
	return v;
}

/*
 * Return the number after `key` and a blank or `=`, or -1 if there is none.  The key must be at the start of a line or
 * follow a blank.
 */
static long long value_of(const struct hd_buf *b, const char *key)
{
	size_t n = strlen(key);

	for (const char *s = hd_buf_str(b); (s = strstr(s, key)); s += n)
		if ((s == b->data || s[-1] == '\n' || s[-1] == ' ') && (s[n] == ' ' || s[n] == '='))
			return number(s + n + 1 + strspn(s + n + 1, " "));
	return -1;
}

static void read_governors(struct hd_conditions *c, const char *root, struct hd_buf *b)
{
	char path[96];

	for (long i = 0; i < c->cpus && i < CPUS_MAX; i++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%ld/cpufreq/scaling_governor", i);
		if (!hd_sysfile_read(b, root, path))
			continue;
		if (!*c->governor)
			snprintf(c->governor, sizeof(c->governor), "%.31s", b->data);
		else if (strcmp(c->governor, b->data) != 0)
			snprintf(c->governor, sizeof(c->governor), "mixed");
	}
	/* replace bytes that could be control sequences of a terminal */
	for (char *s = c->governor; *s; s++)
		if (*s < 'a' || *s > 'z')
			*s = '_';
}

/*
 * Add up the throttling counters of all CPUs.  CPUs of one core or package report the same counter, so a sum shows
 * whether throttling occurred, but not how often.
 */
static void read_throttling(struct hd_conditions *c, const char *root)
{
	char path[128];

	for (long i = 0; i < c->cpus && i < CPUS_MAX; i++) {
		long long core, package;

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%ld/thermal_throttle/core_throttle_count", i);
		core = number_in(root, path);
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%ld/thermal_throttle/package_throttle_count",
			i);
		package = number_in(root, path);
		if (core >= 0)
			c->throttled_cores = (c->throttled_cores < 0 ? 0 : c->throttled_cores) + core;
		if (package >= 0)
			c->throttled_packages = (c->throttled_packages < 0 ? 0 : c->throttled_packages) + package;
	}
}

static void read_temperatures(struct hd_conditions *c, const char *root, struct hd_buf *b)
{
	char path[96];

	for (int i = 0; i < ZONES_MAX; i++) {
		double celsius;

		snprintf(path, sizeof(path), "/sys/class/thermal/thermal_zone%d/temp", i);
		if (!hd_sysfile_read(b, root, path)) {
			snprintf(path, sizeof(path), "/sys/class/thermal/thermal_zone%d/type", i);
			if (!hd_sysfile_read(b, root, path))
				break;
			continue;
		}
		celsius = (double)number(b->data) / 1000;
		if (celsius <= 0 || celsius > 200 || celsius <= c->hottest_c)
			continue;
		c->hottest_c = celsius;
		snprintf(path, sizeof(path), "/sys/class/thermal/thermal_zone%d/type", i);
		snprintf(c->hottest, sizeof(c->hottest), "%.31s", hd_sysfile_read(b, root, path) ? b->data : "");
		for (char *s = c->hottest; *s; s++)
			if (*s <= ' ' || *s > '~')
				*s = '_';
	}
}

/*
 * Read the line `cpu` of /proc/stat: user nice system idle iowait irq softirq steal guest guest_nice.  The kernel
 * counts guest also in user, and guest_nice also in nice, so these two are not added.
 */
static void read_ticks(struct hd_conditions *c, const char *root, struct hd_buf *b)
{
	long long v[8] = { 0 };
	const char *s;
	int n = 0;

	if (!hd_sysfile_read(b, root, "/proc/stat") || strncmp(b->data, "cpu ", 4) != 0)
		return;
	for (s = b->data + 4; n < 8; n++) {
		s += strspn(s, " ");
		v[n] = number(s);
		if (v[n] < 0)
			break;
		s += strcspn(s, " \n");
	}
	if (n < 5)
		return;
	c->ticks_all = 0;
	for (int i = 0; i < n; i++)
		c->ticks_all += v[i];
	c->ticks_idle = v[3] + v[4];
	c->ticks_stolen = n == 8 ? v[7] : -1;
}

/* Read the CPU counters of the control group of this process (version 2). */
static void read_quota(struct hd_conditions *c, const char *root, struct hd_buf *b)
{
	struct hd_buf path = { 0 };
	const char *group;

	if (!hd_sysfile_read(b, root, "/proc/self/cgroup") || strncmp(b->data, "0::/", 4) != 0)
		return;
	group = b->data + 3;
	if (strstr(group, ".."))
		return;
	hd_buf_addf(&path, "/sys/fs/cgroup%.*s/cpu.stat", (int)strcspn(group, "\n"), group);
	if (hd_sysfile_read(b, root, path.data)) {
		c->quota_periods = value_of(b, "nr_throttled");
		c->quota_throttled_us = value_of(b, "throttled_usec");
	}
	hd_buf_release(&path);
}

void hd_conditions_read(struct hd_conditions *c, const char *root)
{
	struct hd_buf b = { 0 };
	long long v;

	*c = (struct hd_conditions){ .turbo = -1,
		.smt = -1,
		.aslr = -1,
		.cpus = sysconf(_SC_NPROCESSORS_ONLN),
		.load1 = NAN,
		.ticks_all = -1,
		.ticks_idle = -1,
		.ticks_stolen = -1,
		.ticks_hz = sysconf(_SC_CLK_TCK),
		.throttled_cores = -1,
		.throttled_packages = -1,
		.quota_periods = -1,
		.quota_throttled_us = -1,
		.waited_us = -1 };
	c->at_ns = hd_monotonic_ns();
	read_ticks(c, root, &b);
	read_governors(c, root, &b);
	read_throttling(c, root);
	read_temperatures(c, root, &b);
	read_quota(c, root, &b);
	v = number_in(root, "/sys/devices/system/cpu/intel_pstate/no_turbo");
	if (v >= 0)
		c->turbo = v == 0;
	else if ((v = number_in(root, "/sys/devices/system/cpu/cpufreq/boost")) >= 0)
		c->turbo = c->boost = v == 1;
	c->smt = (int)number_in(root, "/sys/devices/system/cpu/smt/active");
	c->aslr = (int)number_in(root, "/proc/sys/kernel/randomize_va_space");
	if (hd_sysfile_read(&b, root, "/proc/loadavg") && number(b.data) >= 0)
		c->load1 = strtod(b.data, NULL);
	if (hd_sysfile_read(&b, root, "/proc/pressure/cpu"))
		c->waited_us = value_of(&b, "total");
	if (hd_sysfile_read(&b, root, "/proc/cpuinfo"))
		c->virtual_machine = strstr(b.data, " hypervisor") != NULL;
	hd_buf_release(&b);
}
