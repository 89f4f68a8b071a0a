/*
 * probe.h - what can be recorded here, found out by doing it
 *
 *     hd_probe_events(probes, &rights);
 *     probes[HD_PROBE_SCHED_SWITCH].works
 *
 * Each probe is a child of its own: it opens the event with perf_event_open(2) for
 * itself, maps a ring, does what the event counts, and looks whether its records are
 * there.  A child that does not answer within HD_PROBE_MS is killed, and so is what it
 * started; a seccomp filter that kills takes the child only.  Nothing is written anywhere.
 *
 * The result says where it stopped and with which errno; why that is so, and what
 * to type, is checkup.h's.
 */
#ifndef HD_DOCTOR_PROBE_H
#define HD_DOCTOR_PROBE_H

#include "doctor/rights.h"

#include <stdbool.h>

/*
 * These limits end what hangs.  They are long, because a busy machine is slow here: to enable and disable a tracepoint the
 * kernel waits for every CPU several times, and `perf record` of 0.2 s of CPU took 19 s beside eight busy processes.
 */
enum { HD_PROBE_MS = 30000, HD_PROBE_PROGRAM_MS = 60000 };

enum hd_probe_id {
	/* with perf_event_open(2), in probe_events.c */
	HD_PROBE_OPEN,			/* the system call at all */
	HD_PROBE_CYCLES, HD_PROBE_CYCLES_KERNEL, HD_PROBE_PRECISE, HD_PROBE_BRANCHES,
	HD_PROBE_CPU_CLOCK, HD_PROBE_TASK_CLOCK, HD_PROBE_CLOCK_KERNEL, HD_PROBE_ALL_CPUS,
	HD_PROBE_CHAIN_USER, HD_PROBE_CHAIN_KERNEL, HD_PROBE_STACK, HD_PROBE_SWITCHES, HD_PROBE_FAULTS,
	HD_PROBE_SCHED_SWITCH, HD_PROBE_SCHED_WAKEUP, HD_PROBE_SYS_ENTER, HD_PROBE_SYS_EXIT, HD_PROBE_RSS_STAT,
	HD_PROBE_RING,
	HD_PROBE_EVENTS,		/* how many these are */
	/* programs and files, in probe_files.c */
	HD_PROBE_PERF = HD_PROBE_EVENTS, HD_PROBE_RECORD_CPU, HD_PROBE_RECORD_ASYNC, HD_PROBE_RECORD_SYSCALL,
	HD_PROBE_PRELOAD,
	/* what GPUs and energy need, in probe_gpu.c */
	HD_PROBE_NSYS, HD_PROBE_CUDA_LIBRARY, HD_PROBE_CUDA_DRIVER, HD_PROBE_CUPTI, HD_PROBE_NVML, HD_PROBE_UPROBES,
	HD_PROBE_POWER, HD_PROBE_HWMON, HD_PROBE_BATTERY,
	HD_PROBE_KALLSYMS, HD_PROBE_VMLINUX, HD_PROBE_PERF_MAP, HD_PROBE_GIT,
	/* what the caller knows */
	HD_PROBE_DATABASE, HD_PROBE_POSTGRESQL, HD_PROBE_DEBUGINFOD, HD_PROBE_CHARTS,
	HD_PROBES
};

enum hd_probe_stage {
	HD_AT_NOTHING,			/* it works, or was not tried */
	HD_AT_FILE,			/* a file that is needed first */
	HD_AT_OPEN,			/* perf_event_open(2); for programs: starting them */
	HD_AT_RING,			/* mapping the ring */
	HD_AT_RECORDS,			/* it opens, and what it should record is not there */
	HD_AT_CHILD,			/* the child could not be made, was killed by a signal, or did not answer */
};

struct hd_probe {
	bool tried, works;
	enum hd_probe_stage stage;
	int errnum;			/* of HD_AT_CHILD: 0 when it did not answer */
	int signal;			/* that killed the child */
	long value;			/* PRECISE: the level; RING: KiB that can be mapped; EVENTS: samples seen */
	char text[300];			/* a path, a version, or the words of a program; raw bytes */
};

/* Fills probes[0 .. HD_PROBE_EVENTS - 1]. */
void hd_probe_events(struct hd_probe *probes, const struct hd_rights *r);

/*
 * Fills the programs and files.  Each program is run with a limit of HD_PROBE_PROGRAM_MS; perf writes its recordings into a pipe,
 * and the recorder of allocations into a folder below TMPDIR that is removed.  After hd_probe_events.
 */
struct hd_signal_watch;
void hd_probe_files(struct hd_probe *probes, const struct hd_rights *r, const char *perf, struct hd_signal_watch *w);

/*
 * Fills what GPUs and energy need.  Libraries of NVIDIA are loaded in child processes only.  Environment: HOTDRIFT_CUPTI,
 * HOTDRIFT_NVML, HOTDRIFT_SYSFS, as in the programs that use them.  After hd_probe_files.
 */
void hd_probe_gpu(struct hd_probe *probes, const struct hd_rights *r, struct hd_signal_watch *w);

/*
 * Run words (ended by NULL) and set *p: it works if the program exits with 0 and its output begins with `begins`; its text is
 * the first line of the output.
 */
void hd_probe_program(struct hd_probe *p, char *const *words, const char *begins, struct hd_signal_watch *w);

/* Append the path of a library of ours: $variable, beside the program, or where it was installed, as profile.sh looks for it. */
bool hd_probe_find_library(struct hd_buf *path, const char *variable, const char *name);

/* Can a file be made in the folder?  It has no name. */
void hd_probe_folder(struct hd_probe *p, const char *dir);

/* Run fn in a child, which fills in *p; see above. */
void hd_probe_in_child(struct hd_probe *p, void (*fn)(struct hd_probe *p, const void *arg), const void *arg);

#endif
