/*
 * probe.h - try what can be recorded on this machine
 *
 *     struct hd_probe_env env = { probes, &rights, "perf", &watch };
 *     hd_probe_run(&env);
 *     probes[HD_PROBE_SCHED_SWITCH].works
 *
 * HD_PROBE_TABLE has one row per probe.  A probe of an event opens it with perf_event_open(2) in a child process, maps
 * a ring buffer, triggers the event, and checks that its records arrive.  A child that does not answer within
 * HD_PROBE_MS is killed together with the processes that it started.  Nothing permanent is written.
 *
 * The result holds the stage of the failure and its errno.  checkup.h turns it into a reason and a command that
 * fixes it.
 */
#ifndef HD_DOCTOR_PROBE_H
#define HD_DOCTOR_PROBE_H

#include "doctor/rights.h"

#include <stdbool.h>

/*
 * Limits against hangs.  They are long because tracepoints are slow on a busy machine: the kernel waits for every
 * CPU several times when a tracepoint is enabled or disabled.  With eight busy processes, `perf record` of 0.2 s of CPU
 * time took 19 s.
 */
enum { HD_PROBE_MS = 30000, HD_PROBE_PROGRAM_MS = 60000 };

/*
 * The table of probes, in the order of all output:
 *
 *     ROW(ID, name in JSON, label, REQUIRED or OPTIONAL, PARANOID, test, explanation)
 *
 * PARANOID is the largest kernel.perf_event_paranoid at which a user without capabilities may open the event; it is
 * unused for probes that open no event.  `test` and `explanation` are initializers of struct hd_probe_row
 * (probe_row.h).  OPTIONAL probes are not needed by the modes cpu, memory, async and syscall.
 */
#define HD_PROBE_TABLE(ROW)                                                                                           \
	ROW(OPEN, "perf_event_open", "perf_event_open", REQUIRED, 2, TEST(open), event)                               \
	ROW(CYCLES, "cycles_user", "cycles", REQUIRED, 2, EVENT(CYCLES), event)                                       \
	ROW(CYCLES_KERNEL, "cycles_kernel", "cycles in the kernel", REQUIRED, 1, EVENT(CYCLES, .kernel = true), event) \
	ROW(PRECISE, "precise_ip", "precise samples", OPTIONAL, 2, EVENT(CYCLES, .precise = true), event)             \
	ROW(BRANCHES, "branch_stack", "branch records (LBR)", OPTIONAL, 2, EVENT(CYCLES, .branches = true), event)    \
	ROW(CPU_CLOCK, "cpu_clock", "cpu-clock", REQUIRED, 2, EVENT(CLOCK), event)                                    \
	ROW(TASK_CLOCK, "task_clock", "task-clock", OPTIONAL, 2, EVENT(SOFTWARE(TASK_CLOCK), PERIOD), event)          \
	ROW(CLOCK_KERNEL, "cpu_clock_kernel", "cpu-clock in the kernel", REQUIRED, 1,                                 \
		EVENT(CLOCK, .kernel = true), event)                                                                  \
	ROW(ALL_CPUS, "all_cpus", "all CPUs (-a)", REQUIRED, 0, EVENT(CLOCK, .kernel = true, .all_cpus = true), event) \
	ROW(CHAIN_USER, "chain_user", "call chains of programs", REQUIRED, 2,                                         \
		EVENT(CLOCK, .want = HD_WANT_USER_CHAIN), event)                                                      \
	ROW(CHAIN_KERNEL, "chain_kernel", "call chains of the kernel", REQUIRED, 1,                                   \
		EVENT(SOFTWARE(CONTEXT_SWITCHES), .feed = HD_FEED_SLEEP, .want = HD_WANT_KERNEL_CHAIN,                \
			.kernel = true), event) \
	ROW(STACK, "stack_user", "copies of stacks", REQUIRED, 2,                                                     \
		EVENT(SOFTWARE(PAGE_FAULTS), .feed = HD_FEED_TOUCH, .want = HD_WANT_STACK), event)                    \
	ROW(SWITCHES, "context_switch", "switches", REQUIRED, 2,                                                      \
		EVENT(SOFTWARE(DUMMY), .feed = HD_FEED_SLEEP, .want = HD_WANT_SWITCH_RECORDS), event)                 \
	ROW(FAULTS, "page_faults", "page-faults", REQUIRED, 2,                                                        \
		EVENT(SOFTWARE(PAGE_FAULTS), .feed = HD_FEED_TOUCH), event)                                           \
	ROW(SCHED_SWITCH, "sched_switch", "sched:sched_switch", REQUIRED, -1,                                         \
		EVENT(TRACEPOINT("sched/sched_switch"), .feed = HD_FEED_SLEEP), event)                                \
	ROW(SCHED_WAKEUP, "sched_wakeup", "sched:sched_wakeup", REQUIRED, -1,                                         \
		EVENT(TRACEPOINT("sched/sched_wakeup"), .feed = HD_FEED_WAKE), event)                                 \
	/* the kernel lets users trace the system calls of their own threads */                                       \
	ROW(SYS_ENTER, "sys_enter", "raw_syscalls:sys_enter", REQUIRED, 1,                                            \
		EVENT(TRACEPOINT("raw_syscalls/sys_enter"), .feed = HD_FEED_SLEEP), event)                            \
	ROW(SYS_EXIT, "sys_exit", "raw_syscalls:sys_exit", REQUIRED, 1,                                               \
		EVENT(TRACEPOINT("raw_syscalls/sys_exit"), .feed = HD_FEED_SLEEP), event)                             \
	ROW(RSS_STAT, "rss_stat", "kmem:rss_stat", REQUIRED, -1,                                                      \
		EVENT(TRACEPOINT("kmem/rss_stat"), .feed = HD_FEED_TOUCH), event)                                     \
	ROW(RING, "ring", "ring of 512 KiB", REQUIRED, 2, TEST(ring), event)                                          \
	/* programs and files */                                                                                      \
	ROW(PERF, "perf", "perf", REQUIRED, 2, TEST(perf), perf)                                                      \
	ROW(RECORD_CPU, "record_cpu", "perf's recording for cpu", REQUIRED, 2, TEST_OF(record, "cpu"), record)        \
	ROW(RECORD_ASYNC, "record_async", "perf's recording for async", REQUIRED, 2, TEST_OF(record, "async"), record) \
	ROW(RECORD_SYSCALL, "record_syscall", "perf's recording for syscall", REQUIRED, 2,                            \
		TEST_OF(record, "syscall"), record)                                                                   \
	ROW(PRELOAD, "preload", "libhotdrift-heap.so", REQUIRED, 2, TEST(preload), preload)                           \
	/* GPUs and energy */                                                                                         \
	ROW(NSYS, "nsys", "Nsight Systems (nsys)", OPTIONAL, 2, TEST(nsys), gpu)                                      \
	ROW(CUDA_LIBRARY, "cuda_library", "libhotdrift-cuda.so", OPTIONAL, 2, TEST(cuda_library), not_built)          \
	ROW(CUDA_DRIVER, "cuda_driver", "CUDA driver (libcuda)", OPTIONAL, 2, TEST(cuda_driver), gpu)                 \
	ROW(CUPTI, "cupti", "libcupti", OPTIONAL, 2, TEST(cupti), gpu)                                                \
	ROW(NVML, "nvml", "GPUs (libnvidia-ml)", OPTIONAL, 2, TEST(nvml), gpu)                                        \
	ROW(UPROBES, "uprobes", "uprobes", OPTIONAL, 2, TEST(uprobe), uprobe)                                         \
	ROW(POWER, "power", "power (RAPL)", OPTIONAL, 2, TEST_OF(power_source, "rapl"), rapl)                         \
	ROW(HWMON, "hwmon", "power (hwmon)", OPTIONAL, 2, TEST_OF(power_source, "hwmon"), power)                      \
	ROW(BATTERY, "battery", "power (battery)", OPTIONAL, 2, TEST_OF(power_source, "battery"), power)              \
	ROW(KALLSYMS, "kallsyms", "kernel symbols", REQUIRED, 2, TEST(kallsyms), kallsyms)                            \
	ROW(VMLINUX, "vmlinux", "kernel source lines (vmlinux)", OPTIONAL, 2, TEST(vmlinux), vmlinux)                 \
	ROW(PERF_MAP, "perf_map", "maps of JITs in /tmp", OPTIONAL, 2, TEST_OF(folder, "/tmp"), file)                 \
	ROW(GIT, "git", "git", OPTIONAL, 2, TEST(git), git)                                                           \
	/* filled in by cli/cmd_doctor.c */                                                                           \
	ROW(DATABASE, "database", "folder of the database", REQUIRED, 2, TEST_ELSEWHERE, file)                        \
	ROW(POSTGRESQL, "postgresql", "PostgreSQL", OPTIONAL, 2, TEST_ELSEWHERE, file)                                \
	ROW(DEBUGINFOD, "debuginfod", "debuginfod", OPTIONAL, 2, TEST_ELSEWHERE, file)                                \
	ROW(CHARTS, "charts", "charts (dygraphs)", OPTIONAL, 2, TEST_ELSEWHERE, file)

enum hd_probe_id {
#define ROW(id, name, label, needed, paranoid, test, explanation) HD_PROBE_##id,
	HD_PROBE_TABLE(ROW)
#undef ROW
	HD_PROBES
};

enum hd_probe_stage {
	HD_AT_NOTHING,			/* the probe works, or was not tried */
	HD_AT_FILE,			/* a required file is missing or not accessible */
	/* the event could not be opened or enabled, or the probe's program could not be started */
	HD_AT_OPEN,
	HD_AT_RING,			/* the ring buffer cannot be mapped */
	/* the event or the program starts, but the expected records or output do not arrive, or the program fails */
	HD_AT_RECORDS,
	/*
	 * the child, the probe's program or its temporary folder could not be created; or the child or program was
	 * killed by a signal, exceeded its time limit, or (a child) ended without an answer
	 */
	HD_AT_CHILD,
};

struct hd_probe {
	bool tried, works;
	enum hd_probe_stage stage;
	int errnum;			/* errno of the failure; 0: none, for example if a child did not answer */
	int signal;			/* the signal that killed the child, or 0 */
	/*
	 * a number whose meaning depends on the probe.  PRECISE: the level; RING: KiB that can be mapped; NVML: GPUs
	 * that report their power; other events: number of records that arrived; recordings of perf: number of samples
	 */
	long value;
	char text[300];			/* a path, a version, or an error message of a program; raw bytes */
};

struct hd_signal_watch;

struct hd_probe_env {
	struct hd_probe *probes;	/* array of HD_PROBES results, which the probes fill in */
	const struct hd_rights *rights;
	const char *perf;		/* path or name of the perf program */
	struct hd_signal_watch *watch;	/* ends programs early on a signal */
};

/*
 * Run all probes of the table in order, except those whose results the code in cli/ sets.  Programs are limited to
 * HD_PROBE_PROGRAM_MS.  perf records into a pipe; the recorder of allocations writes into a temporary folder that
 * is removed.  Libraries of NVIDIA are loaded in child processes only.
 */
void hd_probe_run(const struct hd_probe_env *env);

/*
 * Test whether a file can be created in the folder `dir`, and set *p.  The test uses O_TMPFILE, so no name appears; on
 * a file system without O_TMPFILE it only checks the permissions.
 */
void hd_probe_folder(struct hd_probe *p, const char *dir);

#endif
