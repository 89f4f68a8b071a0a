/*
 * recording.h - facts about the input besides its samples
 *
 * pipeline/ fills it in; `info` and reports print it.  A `char *` is owned and has raw bytes; a `const char *` is a
 * constant.  Unknown strings are NULL, unknown numbers 0.  `info --json` has the same structure.
 */
#ifndef HD_PROFILE_RECORDING_H
#define HD_PROFILE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_record_tally {
	const char *name;	/* "SAMPLE", "MMAP2", ...; NULL: unknown type */
	uint32_t type;
	uint64_t count;
};

/* An object in which samples were taken or frames have no symbol, and the quality of its symbols. */
struct hd_object_quality {
	char *name;
	bool unknown;		/* nothing was mapped there: name is `[unknown]` */
	uint64_t samples;	/* number of samples taken in it */
	/* number of frames in it without a symbol, callers included; part of hd_recording.unknown_frames */
	uint64_t unknown_frames;
	const char *symbols;	/* "none", "dynsym", "symtab", "debuginfo" */
	char *source;		/* the file with the symbols, or NULL */
	char *problem;		/* why there are none or some are missing, or NULL */
};

/* An object whose unwind information is missing or wrong, so that stacks end in it or further frames are guessed. */
struct hd_unwind_gap {
	char *name;
	uint64_t samples;	/* samples whose stack ended in this object, or whose further frames were guessed */
	const char *why;	/* why unwinding failed in it, as a clause: "it has no .eh_frame" */
	const char *fix;	/* how to fix that, for example a package or a flag; "": unknown */
};

/* The names of the further sample fields of one event, such as the arguments of a tracepoint. */
struct hd_event_fields {
	uint32_t event;		/* event id of the profile */
	char **names;
	size_t n;
};

struct hd_recording {
	char *path;
	const char *format;	/* "perf.data", "folded", "heap", "pprof", "stored run", ... */
	bool stored;		/* the profile was rebuilt from stacks in a database; its rows have no sample counts */
	uint64_t bytes;
	const char *mode;	/* "file", "pipe", "dir" */
	const char *endian;	/* "little", "big" */
	bool compressed, truncated;
	bool tail_lost;			/* the last records of the recording are missing */
	/*
	 * whether the recording has the EXIT record of the recorded command: "recorded", "missing"; NULL: not expected
	 */
	const char *command_exit;

	char *hostname, *os_release, *arch, *cpudesc, *cpuid, *perf_version;
	const char *machine;		/* the architecture, inferred from registers or files, if `arch` is NULL */
	const char *machine_by;		/* "registers" or "files" */
	char **cmdline;
	size_t ncmdline;
	uint32_t nrcpus, nrcpus_avail;
	uint64_t total_mem_kib;
	/* for a bundled recording: time of its last write, in seconds since 1970; else 0 */
	int64_t written_s;
	/*
	 * Times of the first and of the last selected sample; --dso and --symbol are not considered.  For GPU captures,
	 * the start of the first and the end of the last activity.  0: unknown.
	 */
	uint64_t first_ns, last_ns;
	/*
	 * UNIX time at first_ns; 0: unknown.  It is exact if the recording relates its clock to UNIX time (perf record
	 * --clockid).  Otherwise it is an estimate from the times when the file was created and last written.
	 */
	int64_t began_ns;
	bool monotonic;			/* the times of all events are CLOCK_MONOTONIC */

	/* fields of each event that has some, if the recording was read with list_fields */
	struct hd_event_fields *fields;
	size_t nfields;

	struct hd_record_tally *records;
	size_t nrecords, records_cap;
	/*
	 * lost, lost_samples: lost events by LOST records, lost samples by LOST_SAMPLES records; an event can be in
	 * both.  throttled: number of THROTTLE records.  filtered_samples: samples that a BPF filter removed.
	 */
	uint64_t lost, lost_samples, throttled, filtered_samples;

	uint64_t switches;		/* number of context switches */
	uint64_t preempted;		/* number of involuntary context switches (preemptions) */
	uint64_t bpf_loaded, bpf_unloaded;	/* numbers of BPF programs */
	const char *trace_kind;		/* kind of the hardware trace, for example "Intel PT" */
	uint64_t trace_bytes;		/* size of the trace, which is not decoded */
	uint64_t branches;		/* number of branch records */
	uint64_t mispredicted, predicted;	/* wrong and right predictions; the others are unknown */

	bool skips;		/* self cost was moved by profile/skip_rules.h */

	/*
	 * Heap recordings: mean number of bytes between samples; 1: every allocation is counted; 0: not a heap
	 * recording.
	 */
	uint64_t heap_interval;
	bool heap_var;			/* rows have the variance of their weight */
	bool heap_has_moves;		/* false: format version 1, which does not record when memory was live */
	bool heap_adaptive;		/* the interval varied; heap_interval is the largest */
	uint32_t processes;		/* number of processes in the heap recording */
	uint32_t heap_pid;		/* pid of the first process */
	/* CLOCK_MONOTONIC when the first process began to record, or to execute main() if that is before; 0: unknown */
	uint64_t heap_from_ns;
	int64_t heap_epoch_ns;		/* UNIX time minus CLOCK_MONOTONIC when the first process began to record */
	uint64_t heap_peak_clock;	/* bytes that the first process had allocated up to its peak of live bytes */
	uint64_t heap_clock;		/* bytes that the first process had allocated up to its end */
	/*
	 * Sampled heap recordings: lower bound of the sum of (requested bytes + 1) over all allocated blocks of all
	 * processes; 0: unknown.
	 */
	uint64_t heap_passed;

	/*
	 * Stack quality, in samples.  with_stack: samples with a user stack copy or a user call chain.  Each of them is
	 * in at most one of root_reached (complete as recorded), stitched_root (completed from another sample) and
	 * guessed_root (complete through frame pointers where CFI was missing).
	 */
	uint64_t with_stack, root_reached, stitched_root, guessed_root;
	/*
	 * caller_hidden: number of samples whose user call chain lacks the caller of the innermost function.  That
	 * function had no frame at the sampled address: it is a leaf function without a frame, or was in its prologue.
	 * Only chains by frame pointers are checked, and only if the recording was read with `details`.
	 */
	uint64_t caller_hidden, hidden_root;	/* hidden_root: samples counted in caller_hidden and root_reached */
	uint64_t copied_stacks;		/* how many of with_stack have a stack copy */
	uint64_t stacks_cut;		/* samples whose stack copy is shorter than the stack */
	uint64_t stitched;		/* samples completed with outer frames of another sample */
	uint64_t guessed;		/* samples with guessed frames */
	/* samples (heap recordings: stacks) whose stack ends in code with missing or wrong unwind information */
	uint64_t no_unwind;
	uint64_t frames, unknown_frames;	/* frames of all samples, including inlined ones */
	/* number of stack copies from an unsupported architecture; they are not in with_stack */
	uint64_t copies_left;
	uint32_t stack_copy_bytes;	/* requested size of a copy; 0: no copies */
	/*
	 * the objects in which unwinding of copied stacks failed, so that stacks end there or their further frames were
	 * guessed; most samples first
	 */
	struct hd_unwind_gap *gaps;
	size_t ngaps, gaps_cap;

	struct hd_object_quality *objects;
	size_t nobjects, objects_cap;
};

void hd_recording_release(struct hd_recording *r);

#endif
