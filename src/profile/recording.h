/*
 * recording.h - facts about the input besides its samples
 *
 * pipeline/ fills it in; `info` and reports print it.  Strings are owned and are raw bytes.  Unknown strings are NULL,
 * unknown numbers 0.  `info --json` has the same structure.
 */
#ifndef HD_PROFILE_RECORDING_H
#define HD_PROFILE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_record_tally {
	const char *name;	/* "SAMPLE", "MMAP2", ... a constant; NULL: unknown type */
	uint32_t type;
	uint64_t count;
};

/* An object with samples, and the quality of its symbols. */
struct hd_object_quality {
	char *name;
	bool unknown;		/* nothing was mapped there: name is `[unknown]` */
	uint64_t samples;	/* taken in it */
	const char *symbols;	/* "none", "dynsym", "symtab", "debuginfo" */
	char *source;		/* the file with the symbols, or NULL */
	char *problem;		/* why there are none, or NULL */
};

/* An object in which stacks ended because unwind information is missing. */
struct hd_unwind_gap {
	char *name;
	uint64_t samples;	/* whose stacks ended or were guessed from there on */
	const char *why;	/* the reason as a clause, a constant: "it has no .eh_frame" */
	const char *fix;	/* a remedy, for example a package or a flag; a constant, "" if there is none */
};

/* The fields that the samples of an event have besides stack and ids. */
struct hd_event_fields {
	uint32_t event;		/* of the profile */
	char **names;
	size_t n;
};

struct hd_recording {
	char *path;
	const char *format;	/* "perf.data", "folded", "heap", "stored run" */
	bool stored;		/* rebuilt from stacks in a database; its rows have no sample counts */
	uint64_t bytes;
	const char *mode;	/* "file", "pipe", "dir" */
	const char *endian;	/* "little", "big" */
	bool compressed, truncated;
	bool tail_lost;			/* the last records of the recording are missing */
	const char *command_exit;	/* EXIT record of the command: "recorded", "missing"; NULL: not expected */

	char *hostname, *os_release, *arch, *cpudesc, *cpuid, *perf_version;
	const char *machine;		/* if arch is NULL: the machine, inferred from registers or files; a constant */
	const char *machine_by;		/* "registers" or "files" */
	char **cmdline;
	size_t ncmdline;
	uint32_t nrcpus, nrcpus_avail;
	uint64_t total_mem_kib;
	/* for a bundled recording: time of its last write, in seconds since 1970; else 0 */
	int64_t written_s;
	uint64_t first_ns, last_ns;	/* times of the first and of the last kept sample */
	bool monotonic;			/* times are CLOCK_MONOTONIC, in all events */

	/* fields of each event that has some, if the recording was read with list_fields */
	struct hd_event_fields *fields;
	size_t nfields;

	struct hd_record_tally *records;
	size_t nrecords, records_cap;
	uint64_t lost, lost_samples, throttled, filtered_samples;

	uint64_t switches, preempted;	/* context switches, and the involuntary ones among them */
	uint64_t bpf_loaded, bpf_unloaded;	/* BPF programs */
	const char *trace_kind;		/* kind of the hardware trace, for example "Intel PT"; a constant */
	uint64_t trace_bytes;		/* size of the trace, which is not decoded */
	uint64_t branches, mispredicted, predicted;	/* branch records of samples; the outcome can be unknown */

	bool skips;		/* self cost was moved by profile/skip_rules.h */

	/* Heap recordings: mean bytes between samples; 1: all allocations are counted; 0: not a heap recording. */
	uint64_t heap_interval;
	bool heap_var;			/* rows have the variance of their weight */
	bool heap_adaptive;		/* the interval varied; heap_interval is the largest */
	uint32_t processes;		/* in the recording */
	/* pid of the first process; its clocks in the next lines count allocated bytes */
	uint32_t heap_pid;
	uint64_t heap_from_ns;		/* start of the first process, CLOCK_MONOTONIC */
	int64_t heap_epoch_ns;		/* UNIX time minus CLOCK_MONOTONIC at the start */
	uint64_t heap_peak_clock, heap_clock;	/* clock at the peak, and at the end */
	uint64_t heap_passed;		/* sampled: all allocated bytes, plus one for each block */

	/*
	 * Stack quality, in samples.  with_stack: samples with a user stack copy or a user call chain.  Each of them is
	 * in at most one of root_reached (complete as recorded), stitched_root (completed from another sample) and
	 * guessed_root (complete through frame pointers where CFI was missing).
	 */
	uint64_t with_stack, root_reached, stitched_root, guessed_root;
	/*
	 * For user call chains, if read with `details`: samples taken before the innermost function had set up its
	 * frame.  The chain lacks the caller of this function.
	 */
	uint64_t caller_hidden, hidden_root;	/* hidden_root: those in root_reached */
	uint64_t copied_stacks;		/* how many of with_stack have a stack copy */
	uint64_t stacks_cut;		/* copies shorter than the stack, stitched or not */
	uint64_t stitched;		/* completed from other samples, to a root or not */
	uint64_t guessed;		/* with guessed frames */
	uint64_t no_unwind;		/* ended in code with missing or wrong unwind information */
	uint64_t frames, unknown_frames;	/* frames of all samples, including inlined ones */
	uint64_t copies_left;		/* stack copies of an unsupported machine; not in with_stack */
	uint32_t stack_copy_bytes;	/* requested size of a copy; 0: no copies */
	struct hd_unwind_gap *gaps;	/* objects of no_unwind, most samples first */
	size_t ngaps, gaps_cap;

	struct hd_object_quality *objects;
	size_t nobjects, objects_cap;
};

void hd_recording_release(struct hd_recording *r);

#endif
