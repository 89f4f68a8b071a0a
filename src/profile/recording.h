/*
 * recording.h - what is known of the input besides its samples
 *
 * Filled by pipeline/, told by `info`, repeated by reports.  Strings are owned,
 * raw bytes, NULL when the input does not say; numbers are 0 then.
 *
 * The shape is that of `info --json` (DESIGN.md, "JSON that others rely on").
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

/* One object that samples fell into, and how good its symbols are. */
struct hd_object_quality {
	char *name;
	bool unknown;		/* nothing was mapped there: name is `[unknown]` */
	uint64_t samples;	/* whose leaf is in it */
	const char *symbols;	/* "none", "dynsym", "symtab", "debuginfo" */
	char *source;		/* the file that gave them, or NULL */
	char *problem;		/* why there are none, or NULL */
};

/* An object that stacks ended in for want of unwind information. */
struct hd_unwind_gap {
	char *name;
	uint64_t samples;	/* whose stack ended there, or was guessed on from there */
	const char *why;	/* one clause, a constant: "it has no .eh_frame" */
	const char *fix;	/* what to do: a package, a flag; a constant, "" when nothing helps */
};

/* What an event's samples hold beside stack and ids, by name. */
struct hd_event_fields {
	uint32_t event;		/* of the profile */
	char **names;
	size_t n;
};

struct hd_recording {
	char *path;
	const char *format;	/* "perf.data", "folded", "heap", "stored run" */
	bool stored;		/* rebuilt from the stacks of a database, whose rows have no sample counts */
	uint64_t bytes;
	const char *mode;	/* "file", "pipe", "dir" */
	const char *endian;	/* "little", "big" */
	bool compressed, truncated;
	bool tail_lost;			/* its last records are missing */
	const char *
		command_exit; /* of the command that the recorder started: "recorded", "missing"; NULL: none is expected */

	char *hostname, *os_release, *arch, *cpudesc, *cpuid, *perf_version;
	const char *machine;		/* when arch is NULL: what its registers or files tell, a constant, or NULL */
	const char *machine_by;		/* ... which of them */
	char **cmdline;
	size_t ncmdline;
	uint32_t nrcpus, nrcpus_avail;
	uint64_t total_mem_kib;
	int64_t written_s; /* of a recording in a bundle: when it was last written, in seconds since 1970; 0: its file says so */
	uint64_t first_ns, last_ns;	/* times of the first and last sample kept */
	bool monotonic;			/* times are CLOCK_MONOTONIC, in all events */

	struct hd_event_fields *fields;	/* if they were asked for: of each event that has some */
	size_t nfields;

	struct hd_record_tally *records;
	size_t nrecords, records_cap;
	uint64_t lost, lost_samples, throttled, filtered_samples;

	uint64_t switches, preempted;	/* context switches recorded, and those that the task did not ask for */
	uint64_t bpf_loaded, bpf_unloaded;	/* BPF programs */
	const char *trace_kind;		/* a hardware's trace, "Intel PT" or the like; a constant */
	uint64_t trace_bytes;		/* of it; none of them is decoded */
	uint64_t branches, mispredicted,
		predicted; /* branches recorded with the samples; few processors tell of none of both */

	bool skips;		/* self cost goes to the user's own code (profile/skip_rules.h) */

	/* Of heap recordings: bytes between samples, 1: every allocation was counted, 0: it is no such recording. */
	uint64_t heap_interval;
	bool heap_var;			/* rows have the variance of their weight */
	bool heap_adaptive;		/* that is the largest there was: each sample has its own */
	uint32_t processes;		/* in it */
	uint32_t heap_pid;		/* of the first; its clock is bytes allocated: at its peak, and at its end */
	uint64_t heap_from_ns;		/* when the first process began, by the monotonic clock; 0: not known */
	int64_t heap_epoch_ns;		/* UNIX time less that clock, when it began */
	uint64_t heap_peak_clock, heap_clock;
	uint64_t
		heap_passed; /* sampled: at least what was allocated in all, one byte more for each block; 0: not told */

	/*
	 * Stack quality (DESIGN.md, "stacks"), in samples unless said.  with_stack:
	 * those with a user stack copy or a user call chain.  Each of them is in
	 * at most one of root_reached (to its root by evidence, nothing added),
	 * stitched_root (completed from another sample), guessed_root (through
	 * frame pointers where CFI was missing).
	 */
	uint64_t with_stack, root_reached, stitched_root, guessed_root;
	/* Of user call chains, when details were asked for: the innermost function had set up no frame, so that its caller is missing. */
	uint64_t caller_hidden, hidden_root;	/* hidden_root: those of root_reached */
	uint64_t copied_stacks;		/* those of with_stack that were copies, unwound here */
	uint64_t stacks_cut;		/* copies that ended before the stack did, stitched or not */
	uint64_t stitched;		/* completed as far as other samples knew, to a root or not */
	uint64_t guessed;		/* with frames that are guesses */
	uint64_t no_unwind;		/* ended in code without unwind information, or where it proved wrong */
	uint64_t frames, unknown_frames;	/* of all samples, in frames; with inlined ones */
	uint64_t copies_left; /* stack copies of a machine whose stacks are not unwound here; none of with_stack */
	uint32_t stack_copy_bytes;	/* asked for per sample; 0: no copies */
	struct hd_unwind_gap *gaps;	/* where no_unwind happened, most samples first */
	size_t ngaps, gaps_cap;

	struct hd_object_quality *objects;
	size_t nobjects, objects_cap;
};

void hd_recording_release(struct hd_recording *r);

#endif
