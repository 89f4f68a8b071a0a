/* checkup.c - evaluate the results of probes on synthetic machines */
#include "doctor/checkup.h"
#include "test.h"

#include "../tmpdir.h"

#include <errno.h>
#include <signal.h>

/* Return the results of probes on a machine without any problem. */
static struct hd_checkup healthy(void)
{
	struct hd_checkup c = { .rights = { .paranoid_known = true,
					.paranoid = 2,
					.caps_known = true,
					.caps = ~0ull,
					.counters = true,
					.mlock_kb = 516,
					.tracefs = "/sys/kernel/tracing",
					.kernel = "6.1.0" } };

	for (int i = 0; i < HD_PROBES; i++)
		c.probe[i] = (struct hd_probe){ .tried = true, .works = true };
	return c;
}

static void breaks(struct hd_checkup *c, enum hd_probe_id id, enum hd_probe_stage stage, int errnum)
{
	c->probe[id] = (struct hd_probe){ .tried = true, .stage = stage, .errnum = errnum };
}

static void user(struct hd_checkup *c)
{
	c->rights.uid = c->rights.gid = 1000;
	c->rights.caps = 0;
}

/*
 * Return the results of probes for a user without privileges on a kernel with this perf_event_paranoid, with tracefs
 * readable.
 */
static struct hd_checkup at_paranoid(int paranoid)
{
	struct hd_checkup c = healthy();

	user(&c);
	c.rights.paranoid = paranoid;
	for (int i = HD_PROBE_OPEN; paranoid > 2 && i <= HD_PROBE_RING; i++)
		breaks(&c, (enum hd_probe_id)i, HD_AT_OPEN, EACCES);
	if (paranoid > 2)
		breaks(&c, HD_PROBE_RECORD_CPU, HD_AT_RECORDS, 0);
	if (paranoid > 1) {
		breaks(&c, HD_PROBE_CYCLES_KERNEL, HD_AT_OPEN, EACCES);
		breaks(&c, HD_PROBE_CLOCK_KERNEL, HD_AT_OPEN, EACCES);
		breaks(&c, HD_PROBE_CHAIN_KERNEL, HD_AT_OPEN, EACCES);
		breaks(&c, HD_PROBE_SYS_ENTER, HD_AT_OPEN, EACCES);
		breaks(&c, HD_PROBE_SYS_EXIT, HD_AT_OPEN, EACCES);
		breaks(&c, HD_PROBE_RECORD_SYSCALL, HD_AT_RECORDS, 0);
	}
	if (paranoid > 0)
		breaks(&c, HD_PROBE_ALL_CPUS, HD_AT_OPEN, EACCES);
	if (paranoid > -1) {
		breaks(&c, HD_PROBE_SCHED_SWITCH, HD_AT_OPEN, EPERM);
		breaks(&c, HD_PROBE_SCHED_WAKEUP, HD_AT_OPEN, EPERM);
		breaks(&c, HD_PROBE_RSS_STAT, HD_AT_OPEN, EPERM);
		breaks(&c, HD_PROBE_RECORD_ASYNC, HD_AT_RECORDS, 0);
	}
	return c;
}

static enum hd_mode_support of(const struct hd_checkup *c, const char *m)
{
	struct hd_buf how = { 0 };
	struct hd_mode_verdict v = hd_profile_mode_judge(c, hd_profile_mode_find(m), &how);

	EXPECT(how.len > 0);
	EXPECT(v.state == HD_MODE_SUPPORT_FULL ? v.n == 0 : v.n > 0);
	hd_buf_release(&how);
	return v.state;
}

static void expect_why(const struct hd_checkup *c, enum hd_probe_id id, const char *why, const char *fix)
{
	struct hd_buf w = { 0 }, f = { 0 };

	hd_probe_explain(c, id, &w, &f);
	EXPECT_STR(hd_buf_str(&w), why);
	EXPECT_STR(hd_buf_str(&f), fix);
	hd_buf_release(&w);
	hd_buf_release(&f);
}

TEST(where_all_works_every_mode_is_full)
{
	struct hd_checkup c = healthy();

	for (const struct hd_profile_mode *m = hd_profile_modes; m->word; m++)
		EXPECT_INT(of(&c, m->word), HD_MODE_SUPPORT_FULL);
}

static void expect_mode(const struct hd_checkup *c, const char *m, enum hd_mode_support state, const char *how)
{
	struct hd_buf text = { 0 };

	EXPECT_INT(hd_profile_mode_judge(c, hd_profile_mode_find(m), &text).state, state);
	EXPECT_STR(hd_buf_str(&text), how);
	hd_buf_release(&text);
}

static void breaks_with(struct hd_checkup *c, enum hd_probe_id id, int errnum, const char *text)
{
	breaks(c, id, HD_AT_FILE, errnum);
	snprintf(c->probe[id].text, sizeof(c->probe[id].text), "%s", text);
}

TEST(gpus_are_recorded_by_nsys_else_by_our_library_else_sampled)
{
	struct hd_checkup c = healthy();

	expect_mode(&c, "gpu", HD_MODE_SUPPORT_FULL, "kernels and copies, by nsys");
	breaks(&c, HD_PROBE_NSYS, HD_AT_OPEN, ENOENT);
	expect_mode(&c, "gpu", HD_MODE_SUPPORT_FULL,
		"kernels and copies, by libhotdrift-cuda.so; stacks of launches, by perf");
	breaks(&c, HD_PROBE_UPROBES, HD_AT_FILE, EACCES);
	expect_mode(&c, "gpu", HD_MODE_SUPPORT_FULL,
		"kernels and copies, by libhotdrift-cuda.so; stacks of launches, by the library");
	breaks(&c, HD_PROBE_CUPTI, HD_AT_FILE, ENOENT);
	expect_mode(&c, "gpu", HD_MODE_SUPPORT_REDUCED,
		"utilisation, memory and power of GPUs, without kernels");
	breaks_with(&c, HD_PROBE_NVML, ENOENT, "libnvidia-ml.so.1 cannot be loaded");
	expect_mode(&c, "gpu", HD_MODE_SUPPORT_NO,
		"GPUs (libnvidia-ml): libnvidia-ml.so.1 cannot be loaded");
	EXPECT_INT(of(&c, "all"), HD_MODE_SUPPORT_FULL);		/* mode `all` does not need a GPU */
}

TEST(power_is_that_of_processors_else_less)
{
	struct hd_checkup c = healthy();

	expect_mode(&c, "power", HD_MODE_SUPPORT_FULL, "energy of processors");
	c.probe[HD_PROBE_NVML].value = 2;
	expect_mode(&c, "power", HD_MODE_SUPPORT_FULL, "energy of processors and GPUs");
	breaks_with(&c, HD_PROBE_POWER, EACCES, "energy_uj needs root");
	expect_mode(&c, "power", HD_MODE_SUPPORT_REDUCED, "power of GPUs only");
	c.probe[HD_PROBE_NVML].value = 0;
	expect_mode(&c, "power", HD_MODE_SUPPORT_REDUCED, "power by the sensors of hwmon");
	breaks(&c, HD_PROBE_HWMON, HD_AT_FILE, ENOENT);
	expect_mode(&c, "power", HD_MODE_SUPPORT_REDUCED, "power of the whole machine, while on battery");
	breaks(&c, HD_PROBE_BATTERY, HD_AT_FILE, ENOENT);
	expect_mode(&c, "power", HD_MODE_SUPPORT_NO, "power (RAPL): energy_uj needs root");
}

TEST(energy_counters_are_given_to_a_group_and_never_to_all)
{
	struct hd_checkup c = healthy();

	breaks_with(&c, HD_PROBE_POWER, EACCES, "energy_uj needs root");
	expect_why(&c, HD_PROBE_POWER, "energy_uj needs root",
		   "sudo groupadd -f power && sudo usermod -aG power \"$USER\" && "
		   "echo 'SUBSYSTEM==\"powercap\", KERNEL==\"intel-rapl*:*\", ACTION==\"add\", "
		   "RUN+=\"/bin/chgrp power /sys%p/energy_uj\", RUN+=\"/bin/chmod g+r /sys%p/energy_uj\"' | "
		   "sudo tee /etc/udev/rules.d/70-powercap.rules && sudo udevadm control --reload && "
		   "sudo udevadm trigger --action=add --subsystem-match=powercap");
	breaks_with(&c, HD_PROBE_POWER, ENOENT, "no intel-rapl zones");
	expect_why(&c, HD_PROBE_POWER, "no intel-rapl zones", "");
	breaks(&c, HD_PROBE_POWER, HD_AT_CHILD, 0);
	c.probe[HD_PROBE_POWER].signal = SIGSEGV;
	expect_why(&c, HD_PROBE_POWER, "the test process was killed by signal 11 (Segmentation fault)", "");
}

TEST(missing_gpu_support_is_reported_and_nsys_is_suggested_if_there_is_a_gpu)
{
	struct hd_checkup c = healthy();

	user(&c);
	breaks(&c, HD_PROBE_NSYS, HD_AT_OPEN, ENOENT);
	expect_why(&c, HD_PROBE_NSYS, "it is not in PATH", "sudo apt-get install nsight-systems");
	breaks(&c, HD_PROBE_CUDA_DRIVER, HD_AT_FILE, ENOENT);
	breaks(&c, HD_PROBE_NVML, HD_AT_FILE, ENOENT);
	expect_why(&c, HD_PROBE_NSYS, "it is not in PATH", "");
	expect_why(&c, HD_PROBE_CUDA_DRIVER, "libcuda.so.1 is not found, so there is no NVIDIA driver here", "");
	breaks_with(&c, HD_PROBE_CUPTI, ENOENT, "/x/libcupti.so");
	expect_why(&c, HD_PROBE_CUPTI, "/x/libcupti.so cannot be loaded", "");
	breaks_with(&c, HD_PROBE_UPROBES, EACCES, "/sys/kernel/tracing/uprobe_events");
	expect_why(&c, HD_PROBE_UPROBES, "EACCES: /sys/kernel/tracing/uprobe_events may be written by root only", "");
}

TEST(the_modes_at_each_setting_of_perf_event_paranoid)
{
	static const struct {
		int paranoid;
		enum hd_mode_support cpu, memory, faults, async, syscall, all;
	} rows[] = {
		{ -1, HD_MODE_SUPPORT_FULL, HD_MODE_SUPPORT_FULL, HD_MODE_SUPPORT_FULL, HD_MODE_SUPPORT_FULL,
			HD_MODE_SUPPORT_FULL, HD_MODE_SUPPORT_FULL },
		{ 0, HD_MODE_SUPPORT_FULL, HD_MODE_SUPPORT_FULL, HD_MODE_SUPPORT_FULL, HD_MODE_SUPPORT_REDUCED,
			HD_MODE_SUPPORT_FULL, HD_MODE_SUPPORT_REDUCED },
		{ 1, HD_MODE_SUPPORT_FULL, HD_MODE_SUPPORT_FULL, HD_MODE_SUPPORT_FULL, HD_MODE_SUPPORT_REDUCED,
			HD_MODE_SUPPORT_FULL, HD_MODE_SUPPORT_REDUCED },
		{ 2, HD_MODE_SUPPORT_REDUCED, HD_MODE_SUPPORT_FULL, HD_MODE_SUPPORT_REDUCED, HD_MODE_SUPPORT_REDUCED,
			HD_MODE_SUPPORT_NO, HD_MODE_SUPPORT_REDUCED },
		{ 3, HD_MODE_SUPPORT_NO, HD_MODE_SUPPORT_FULL, HD_MODE_SUPPORT_NO, HD_MODE_SUPPORT_NO,
			HD_MODE_SUPPORT_NO, HD_MODE_SUPPORT_REDUCED },
		{ 4, HD_MODE_SUPPORT_NO, HD_MODE_SUPPORT_FULL, HD_MODE_SUPPORT_NO, HD_MODE_SUPPORT_NO,
			HD_MODE_SUPPORT_NO, HD_MODE_SUPPORT_REDUCED },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct hd_checkup c = at_paranoid(rows[i].paranoid);

		EXPECT_INT(of(&c, "cpu"), rows[i].cpu);
		EXPECT_INT(of(&c, "memory"), rows[i].memory);
		EXPECT_INT(of(&c, "faults"), rows[i].faults);
		EXPECT_INT(of(&c, "async"), rows[i].async);
		EXPECT_INT(of(&c, "syscall"), rows[i].syscall);
		EXPECT_INT(of(&c, "all"), rows[i].all);
	}
}

TEST(without_perf_only_memory_is_left)
{
	struct hd_checkup c = healthy();

	breaks(&c, HD_PROBE_PERF, HD_AT_OPEN, ENOENT);
	for (int i = HD_PROBE_RECORD_CPU; i <= HD_PROBE_RECORD_SYSCALL; i++)
		c.probe[i] = (struct hd_probe){ 0 };
	EXPECT_INT(of(&c, "cpu"), HD_MODE_SUPPORT_NO);
	EXPECT_INT(of(&c, "faults"), HD_MODE_SUPPORT_NO);
	EXPECT_INT(of(&c, "async"), HD_MODE_SUPPORT_NO);
	EXPECT_INT(of(&c, "syscall"), HD_MODE_SUPPORT_NO);
	EXPECT_INT(of(&c, "memory"), HD_MODE_SUPPORT_FULL);
	EXPECT_INT(of(&c, "all"), HD_MODE_SUPPORT_REDUCED);
	expect_why(&c, HD_PROBE_PERF, "it cannot be started: No such file or directory", "apt-get install linux-perf");
	breaks(&c, HD_PROBE_PRELOAD, HD_AT_FILE, ENOENT);
	EXPECT_INT(of(&c, "all"), HD_MODE_SUPPORT_NO);
}

TEST(memory_says_where_its_timeline_comes_from)
{
	struct hd_checkup c = healthy();
	struct hd_buf how = { 0 };

	hd_profile_mode_judge(&c, hd_profile_mode_find("memory"), &how);
	EXPECT_STR(hd_buf_str(&how), "allocations; each change of resident memory");
	c = at_paranoid(2);
	hd_buf_release(&how);
	hd_profile_mode_judge(&c, hd_profile_mode_find("memory"), &how);
	EXPECT_STR(hd_buf_str(&how), "allocations; resident memory every 10 ms");
	hd_buf_release(&how);
}

TEST(perf_that_fails_where_the_kernel_allows_is_quoted)
{
	struct hd_checkup c = healthy();

	breaks(&c, HD_PROBE_RECORD_CPU, HD_AT_RECORDS, 0);
	strcpy(c.probe[HD_PROBE_RECORD_CPU].text, "E: linux-perf-6.9 is not installed.");
	EXPECT_INT(of(&c, "cpu"), HD_MODE_SUPPORT_NO);
	expect_why(&c, HD_PROBE_RECORD_CPU,
		"perf fails, although the kernel allows it; its message: E: linux-perf-6.9 is not installed.", "");
	breaks(&c, HD_PROBE_RECORD_SYSCALL, HD_AT_RECORDS, 0);
	expect_why(&c, HD_PROBE_RECORD_SYSCALL, "perf records nothing, although the kernel allows it", "");
}

TEST(the_setting_is_named_with_the_value_that_would_do)
{
	struct hd_checkup c = at_paranoid(2);

	expect_why(&c, HD_PROBE_CLOCK_KERNEL,
		"EACCES: kernel.perf_event_paranoid is 2 and must be 1, or the process needs CAP_PERFMON",
		"sudo sysctl kernel.perf_event_paranoid=1");
	expect_why(&c, HD_PROBE_ALL_CPUS,
		"EACCES: kernel.perf_event_paranoid is 2 and must be 0, or the process needs CAP_PERFMON",
		"sudo sysctl kernel.perf_event_paranoid=0");
	expect_why(&c, HD_PROBE_SCHED_SWITCH,
		"EPERM: kernel.perf_event_paranoid is 2 and must be -1, or the process needs CAP_PERFMON",
		"sudo sysctl kernel.perf_event_paranoid=-1");
	c = at_paranoid(4);
	expect_why(&c, HD_PROBE_OPEN,
		"EACCES: kernel.perf_event_paranoid is 4 and must be 2, or the process needs CAP_PERFMON",
		"sudo sysctl kernel.perf_event_paranoid=2");
	expect_why(&c, HD_PROBE_CYCLES, "perf_event_open does not work at all", "");
}

TEST(root_without_the_capability_gets_advice_for_its_container)
{
	struct hd_checkup c = at_paranoid(2);

	c.rights.uid = 0;
	c.rights.container = true;
	expect_why(&c, HD_PROBE_CLOCK_KERNEL,
		"EACCES: kernel.perf_event_paranoid is 2 and must be 1, or root, which lacks it here, needs "
			"CAP_PERFMON",
		"docker run --cap-add PERFMON --security-opt seccomp=unconfined IMAGE");
	c.rights.user_namespace = 1;
	expect_why(&c, HD_PROBE_CLOCK_KERNEL,
		"EACCES: kernel.perf_event_paranoid is 2 and must be 1, because capabilities of a user namespace do "
			"not count",
		"sudo sysctl kernel.perf_event_paranoid=1");
}

TEST(a_seccomp_filter_is_recognised_by_its_errno_or_its_signal)
{
	struct hd_checkup c = healthy();
	const char *filter =
		"EPERM: a seccomp filter forbids perf_event_open: SystemCallFilter= of a service, or a sandbox";

	c.rights.seccomp = 2;
	user(&c);
	breaks(&c, HD_PROBE_OPEN, HD_AT_OPEN, EPERM);		/* perf_event_paranoid would cause EACCES, not EPERM */
	expect_why(&c, HD_PROBE_OPEN, filter, "");
	breaks(&c, HD_PROBE_OPEN, HD_AT_OPEN, ENOSYS);
	expect_why(&c, HD_PROBE_OPEN,
		"ENOSYS: a seccomp filter forbids perf_event_open: SystemCallFilter= of a service, or a sandbox", "");
	breaks(&c, HD_PROBE_OPEN, HD_AT_CHILD, 0);
	c.probe[HD_PROBE_OPEN].signal = SIGSYS;
	c.rights.container = true;
	expect_why(&c, HD_PROBE_OPEN, "a seccomp filter forbids perf_event_open, probably that of the container",
		   "docker run --cap-add PERFMON --security-opt seccomp=unconfined IMAGE");
}

TEST(a_kernel_without_perf_events_is_distinguished_from_a_filter)
{
	struct hd_checkup c = healthy();

	breaks(&c, HD_PROBE_OPEN, HD_AT_OPEN, ENOSYS);
	c.rights.paranoid_known = false;
	expect_why(&c, HD_PROBE_OPEN,
		"ENOSYS: this kernel has no perf_event_open (a sandbox such as gVisor, or no CONFIG_PERF_EVENTS)", "");
}

TEST(tracefs_may_be_missing_or_closed)
{
	struct hd_checkup c = at_paranoid(2);

	breaks(&c, HD_PROBE_SCHED_SWITCH, HD_AT_FILE, EACCES);
	expect_why(&c, HD_PROBE_SCHED_SWITCH,
		"EACCES: /sys/kernel/tracing may not be read, and kernel.perf_event_paranoid is 2 and must be "
		"-1",
		"sudo mount -o remount,mode=750,gid=1000 /sys/kernel/tracing && sudo sysctl "
		"kernel.perf_event_paranoid=-1");
	c.rights.paranoid = -1;
	expect_why(&c, HD_PROBE_SCHED_SWITCH, "EACCES: /sys/kernel/tracing may not be read",
		   "sudo mount -o remount,mode=750,gid=1000 /sys/kernel/tracing");
	breaks(&c, HD_PROBE_SCHED_SWITCH, HD_AT_FILE, ENOENT);
	expect_why(&c, HD_PROBE_SCHED_SWITCH, "ENOENT: this kernel has no such tracepoint in /sys/kernel/tracing", "");
	*c.rights.tracefs = '\0';
	expect_why(&c, HD_PROBE_SCHED_SWITCH, "ENOENT: tracefs is not mounted",
		"sudo mount -t tracefs tracefs /sys/kernel/tracing");
	c.rights.container = true;
	expect_why(&c, HD_PROBE_SCHED_SWITCH, "ENOENT: tracefs is not mounted in this container",
		   "docker run --cap-add PERFMON -v /sys/kernel/tracing:/sys/kernel/tracing:ro IMAGE");
}

TEST(a_machine_without_counters_samples_a_clock)
{
	struct hd_checkup c = healthy();
	struct hd_buf how = { 0 };

	c.rights.counters = false;
	c.rights.virtual_machine = true;
	breaks(&c, HD_PROBE_CYCLES, HD_AT_OPEN, ENOENT);
	breaks(&c, HD_PROBE_CYCLES_KERNEL, HD_AT_OPEN, ENOENT);
	EXPECT_INT(hd_profile_mode_judge(&c, hd_profile_mode_find("cpu"), &how).state, HD_MODE_SUPPORT_REDUCED);
	EXPECT_STR(how.data, "cpu-clock, a timer, instead of cycles");
	expect_why(&c, HD_PROBE_CYCLES,
		"ENOENT: this virtual machine has no hardware counters; its host can provide them (QEMU: -cpu "
		"host,pmu=on)",
		"");
	hd_buf_release(&how);
}

TEST(every_failure_of_every_probe_has_a_sentence)
{
	static const int errnums[] = { 0, EPERM, EACCES, ENOENT, ENOSYS, EINVAL, EOPNOTSUPP, ENODEV, EBUSY, ENOMEM,
		EMFILE, 12345 };

	for (int id = 0; id < HD_PROBES; id++) {
		EXPECT(hd_probe_name((enum hd_probe_id)id) && hd_probe_label((enum hd_probe_id)id));
		for (int stage = HD_AT_NOTHING; stage <= HD_AT_CHILD; stage++) {
			for (size_t i = 0; i < sizeof(errnums) / sizeof(*errnums); i++) {
				struct hd_checkup c = healthy();
				struct hd_buf why = { 0 }, fix = { 0 };

				breaks(&c, (enum hd_probe_id)id, (enum hd_probe_stage)stage, errnums[i]);
				hd_probe_explain(&c, (enum hd_probe_id)id, &why, &fix);
				EXPECT(why.len > 5 && !strchr(why.data, '\n') && !strchr(hd_buf_str(&fix), '\n'));
				hd_buf_release(&why);
				hd_buf_release(&fix);
			}
		}
	}
}

TEST(each_finding_that_can_be_mended_has_its_line)
{
	struct hd_checkup c = healthy();
	struct hd_conditions now = { .turbo = 1,
		.smt = 1,
		.aslr = 2,
		.cpus = 2,
		.load1 = 3,
		.governor = "powersave",
		.ticks_all = -1 };
	struct hd_findings f;
	unsigned lines = 0;

	c.rights.swap = true;
	c.rights.nmi_watchdog = 1;
	strcpy(c.rights.huge_pages, "always");
	hd_checkup_findings(&f, &c, &now);
	EXPECT_INT(f.n, 8);
	EXPECT_STR(f.items[0].text, "the load average was 3.00 on 2 CPUs");
	for (unsigned i = 0; i < f.n; i++)
		lines += hd_finding_fix(f.items[i].code) != NULL;
	EXPECT_INT(lines, 7);
}

TEST_MAIN(RUN(where_all_works_every_mode_is_full), RUN(gpus_are_recorded_by_nsys_else_by_our_library_else_sampled),
	RUN(power_is_that_of_processors_else_less), RUN(energy_counters_are_given_to_a_group_and_never_to_all),
	RUN(missing_gpu_support_is_reported_and_nsys_is_suggested_if_there_is_a_gpu),
	RUN(the_modes_at_each_setting_of_perf_event_paranoid), RUN(without_perf_only_memory_is_left),
	RUN(memory_says_where_its_timeline_comes_from), RUN(perf_that_fails_where_the_kernel_allows_is_quoted),
	RUN(the_setting_is_named_with_the_value_that_would_do),
	RUN(root_without_the_capability_gets_advice_for_its_container),
	RUN(a_seccomp_filter_is_recognised_by_its_errno_or_its_signal),
	RUN(a_kernel_without_perf_events_is_distinguished_from_a_filter), RUN(tracefs_may_be_missing_or_closed),
	RUN(a_machine_without_counters_samples_a_clock), RUN(every_failure_of_every_probe_has_a_sentence),
	RUN(each_finding_that_can_be_mended_has_its_line))
