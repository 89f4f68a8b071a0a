/* conditions.c - read the conditions of a machine from files in a folder */
#include "doctor/checkup.h"
#include "doctor/conditions.h"
#include "test.h"

#include "../tmpdir.h"

#include <math.h>

static bool has(const struct hd_findings *f, const char *code)
{
	for (unsigned i = 0; i < f->n; i++)
		if (!strcmp(f->items[i].code, code))
			return true;
	return false;
}

TEST(a_machine_with_unknown_conditions_has_no_findings)
{
	char *root = tmpdir();
	struct hd_conditions before, after;
	struct hd_findings f;

	hd_conditions_read(&before, root);
	hd_conditions_read(&after, root);
	EXPECT(before.turbo == -1 && before.smt == -1 && before.aslr == -1 && !*before.governor && isnan(before.load1));
	EXPECT(before.ticks_all == -1 && before.throttled_cores == -1 && before.waited_us == -1 && before.cpus > 0);
	hd_findings_compare(&f, &before, &after, 0);
	EXPECT_INT(f.n, 0);
	tmpdir_remove(root);
}

TEST(each_reading_becomes_its_finding)
{
	char *root = tmpdir();
	struct hd_conditions before, after;
	struct hd_findings f;

	put_rooted(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
	put_rooted(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
	put_rooted(root, "/sys/devices/system/cpu/smt/active", "1\n");
	put_rooted(root, "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "7\n");
	put_rooted(root, "/sys/class/thermal/thermal_zone0/temp", "91000\n");
	put_rooted(root, "/sys/class/thermal/thermal_zone0/type", "x86_pkg_temp\n");
	put_rooted(root, "/sys/class/thermal/thermal_zone1/temp", "40000\n");
	put_rooted(root, "/proc/sys/kernel/randomize_va_space", "2\n");
	put_rooted(root, "/proc/loadavg", "99999.50 1.00 0.50 3/99 1234\n");
	put_rooted(root, "/proc/cpuinfo", "processor : 0\nflags : fpu hypervisor sse\n");
	put_rooted(root, "/proc/stat", "cpu  1000 0 1000 8000 0 0 0 100 0 0\ncpu0 1 1 1 1\n");
	put_rooted(root, "/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\n");
	put_rooted(root, "/proc/self/cgroup", "0::/job/one\n");
	put_rooted(root, "/sys/fs/cgroup/job/one/cpu.stat",
		"usage_usec 5\nnr_periods 3\nnr_throttled 1\nthrottled_usec 10\n");
	hd_conditions_read(&before, root);
	EXPECT_STR(before.governor, "powersave");
	EXPECT(before.turbo == 1 && before.smt == 1 && before.aslr == 2 && before.virtual_machine &&
		before.load1 == 99999.5);
	EXPECT(before.ticks_all == 10100 && before.ticks_idle == 8000 && before.ticks_stolen == 100 &&
		before.throttled_cores == 7);
	EXPECT(before.quota_periods == 1 && before.quota_throttled_us == 10 && before.waited_us == 1000);
	EXPECT(before.hottest_c == 91 && !strcmp(before.hottest, "x86_pkg_temp"));

	/*
	 * From `before` to `after`, 1000 ticks pass: 100 stolen, 400 idle and 500 busy.  Our process used 100 of the
	 * busy ones.
	 */
	put_rooted(root, "/proc/stat", "cpu  1400 0 1100 8400 0 0 0 200 0 0\n");
	put_rooted(root, "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "9\n");
	put_rooted(root, "/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=901000\n");
	put_rooted(root, "/sys/fs/cgroup/job/one/cpu.stat", "nr_throttled 5\nthrottled_usec 20010\n");
	hd_conditions_read(&after, root);
	after.at_ns = before.at_ns + 1000000000;
	before.ticks_hz = 100;
	hd_findings_compare(&f, &before, &after, 1000000000);
	EXPECT_STR(f.items[0].code, "throttling");		/* causes that are certain come first */
	EXPECT_STR(f.items[1].text, "the CPU quota of the control group stopped processes for 20 ms");
	EXPECT_STR(f.items[2].text, "the hypervisor took 10.0 % of the CPU time (steal)");
	EXPECT_STR(f.items[3].text, "other processes used 40 % of the CPUs during the runs");
	EXPECT_STR(f.items[4].text, "some task waited for a CPU 90 % of the time");
	EXPECT(has(&f, "load") && has(&f, "governor") && has(&f, "turbo") && has(&f, "heat") && has(&f, "smt") &&
		has(&f, "virtual") && has(&f, "aslr"));
	EXPECT_INT(f.n, HD_FINDINGS_MAX);
	tmpdir_remove(root);
}

TEST(a_machine_set_up_for_measuring_has_no_findings)
{
	char *root = tmpdir();
	struct hd_conditions before, after;
	struct hd_findings f;

	put_rooted(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
	put_rooted(root, "/sys/devices/system/cpu/cpufreq/boost", "0\n");
	put_rooted(root, "/sys/devices/system/cpu/smt/active", "0\n");
	put_rooted(root, "/proc/sys/kernel/randomize_va_space", "0\n");
	put_rooted(root, "/proc/loadavg", "0.00 0.00 0.00 1/99 1234\n");
	put_rooted(root, "/proc/stat", "cpu  1000 0 1000 8000 0 0 0 0 0 0\n");
	hd_conditions_read(&before, root);
	put_rooted(root, "/proc/stat", "cpu  1100 0 1000 8100 0 0 0 0 0 0\n");
	hd_conditions_read(&after, root);
	EXPECT(before.turbo == 0);
	before.ticks_hz = 100;
	hd_findings_compare(&f, &before, &after, 1000000000);
	EXPECT_INT(f.n, 0);
	/* The suggested command names the switch of this driver, not that of another driver. */
	put_rooted(root, "/sys/devices/system/cpu/cpufreq/boost", "1\n");
	hd_conditions_read(&before, root);
	hd_findings_compare(&f, &before, &before, 0);
	EXPECT_INT(f.n, 1);
	EXPECT_STR(hd_finding_fix(f.items[0].code), "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost");
	tmpdir_remove(root);
}

TEST(governors_that_differ_are_mixed_and_what_cannot_be_is_not_believed)
{
	char *root = tmpdir();
	struct hd_conditions c;
	char long_line[5000];

	put_rooted(root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "per\033[31m\n");
	put_rooted(root, "/proc/stat", "cpu  1 2\n");
	put_rooted(root, "/proc/loadavg", "-1 x\n");
	put_rooted(root, "/sys/devices/system/cpu/smt/active", "yes\n");
	put_rooted(root, "/proc/sys/kernel/randomize_va_space", "99999999999999999999999\n");
	put_rooted(root, "/sys/class/thermal/thermal_zone0/temp", "-273000\n");
	put_rooted(root, "/proc/self/cgroup", "0::/../../etc\n");
	memset(long_line, 'a', sizeof(long_line));
	long_line[sizeof(long_line) - 1] = '\0';
	put_rooted(root, "/proc/pressure/cpu", long_line);
	hd_conditions_read(&c, root);
	EXPECT(!strchr(c.governor, '\033'));
	EXPECT(c.ticks_all == -1 && isnan(c.load1) && c.smt == -1 && c.aslr == -1 && c.hottest_c == 0 &&
		c.quota_throttled_us == -1);
	EXPECT(c.waited_us == -1);
	if (c.cpus > 1) {
		put_rooted(root, "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "schedutil\n");
		hd_conditions_read(&c, root);
		EXPECT_STR(c.governor, "mixed");
	}
	tmpdir_remove(root);
}

TEST(counters_that_were_reset_say_nothing)
{
	struct hd_conditions before = { .ticks_all = 100,
		.ticks_idle = 50,
		.ticks_stolen = 20,
		.throttled_cores = 9,
		.waited_us = 1000,
		.quota_throttled_us = 50,
		.cpus = 1,
		.turbo = -1,
		.smt = -1,
		.aslr = -1,
		.load1 = NAN,
		.ticks_hz = 100 };
	struct hd_conditions after = before;
	struct hd_findings f;

	after.ticks_all = 10;
	after.ticks_stolen = after.throttled_cores = after.waited_us = after.quota_throttled_us = 0;
	after.at_ns = 1000000000;
	hd_findings_compare(&f, &before, &after, 0);
	EXPECT_INT(f.n, 0);
}

TEST(this_machine_can_be_read)
{
	struct hd_conditions c;

	hd_conditions_read(&c, "");
	EXPECT(c.cpus > 0 && c.at_ns > 0);
}

TEST_MAIN(RUN(a_machine_with_unknown_conditions_has_no_findings), RUN(each_reading_becomes_its_finding),
	  RUN(a_machine_set_up_for_measuring_has_no_findings),
	  RUN(governors_that_differ_are_mixed_and_what_cannot_be_is_not_believed),
	  RUN(counters_that_were_reset_say_nothing), RUN(this_machine_can_be_read))
