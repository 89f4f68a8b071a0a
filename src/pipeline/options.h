/*
 * options.h - the options of all readers: what to read from an input, and how
 */
#ifndef HD_PIPELINE_OPTIONS_H
#define HD_PIPELINE_OPTIONS_H

#include "base/string_list.h"

#include <stdbool.h>
#include <stdint.h>

struct hd_span_polls;
struct hd_symbol_user;

enum { HD_FIELDS_MAX = 16 };		/* hd_pipeline_opts.fields */

/* The weight of a sample.  OFF_CPU, WALL and SYSCALLS are times (span_weight.c). */
enum hd_weight {
	HD_WEIGHT_PERIOD,
	HD_WEIGHT_SAMPLES,
	HD_WEIGHT_OFF_CPU,
	HD_WEIGHT_WALL,
	HD_WEIGHT_SYSCALLS,
	HD_WEIGHT_FIELD
};

/* The selection options of all commands.  An empty list selects everything. */
struct hd_selection {
	struct hd_string_list event;	/* a name, or its part before the modifiers: `cycles` selects cycles:u */
	struct hd_string_list comm;
	struct hd_string_list pid, tid, cpu;	/* decimal numbers */
	/* object of the sampled address: its path, or the last component of its path */
	struct hd_string_list dso;
	struct hd_string_list symbol;		/* sampled function: displayed or linkage name */
	/* "A,B" in seconds of the recording's clock, inclusive; either may be empty; NULL: all */
	const char *time;
	const char *filter;		/* an expression over the fields of a sample: filter.h */
	int weight;			/* an enum hd_weight other than HD_WEIGHT_FIELD */
	/*
	 * rules for functions that give their self cost to their callers (profile/skip_rules.h).  NULL: the default
	 * rules for heap recordings and for weights that are times, no rules for other inputs
	 */
	const char *skip;
	const char *weight_field;	/* the field whose value is the weight; NULL: see `weight` */
	bool no_kernel;			/* omit kernel frames; a sample counts at its innermost user frame */
	bool strip_version;		/* remove @VERSION and compiler suffixes (.constprop.0, ...) from names */
};

struct hd_pipeline_opts {
	struct hd_selection select;
	unsigned keys;			/* enum hd_profile_keys: comm, pid, ... that are part of a row's key */
	struct hd_string_list fields;		/* sample fields in a row's key: field_table.h */
	bool list_fields;		/* fill recording.fields */
	/*
	 * One frame per address, with its source line.  A recording of perf is read without lines if
	 * symbol_user->lease is set, because the caller can look up those that it needs.
	 */
	bool lines;
	/*
	 * symbol_user->use() is called after a recording of perf was read, with access to its symbols
	 * (symbols/symbol_access.h).  If it is set, the frames of sampled addresses (hd_sample_row.self) have their
	 * vaddr.  NULL: there is no such call.
	 */
	const struct hd_symbol_user *symbol_user;
	const char *symfs;		/* folder with the files of the recorded machine */
	const char *kallsyms;		/* kernel symbols from this file */
	const char *guest_kallsyms;	/* guest kernel symbols from this file */
	bool full_names;		/* set hd_profile_symbol.full to the name with parameters; takes more time */
	bool no_inline;			/* no frames for inlined functions */
	bool no_stitch;			/* do not complete cut stacks (stitch.h) */
	/*
	 * number of threads; 0: at most one for each CPU that this process may use (hd_perf_input_threads()).  The
	 * result does not depend on it
	 */
	unsigned threads;
	const char *gpu_trace;		/* trace of libhotdrift-cuda.so to join: perf_gpu_join.h */
	/*
	 * The content of the file of option --spans (span_polls.h): at which times each thread worked on which
	 * asynchronous operation.  With it, intervals of time have the field `span`.  NULL: the option was not given.
	 */
	const struct hd_span_polls *span_polls;
	/* set by perf_gpu_join.c: read the samples of the launch marker, whose argument is the last of `fields` */
	bool launches;
	bool strict;			/* damage of the input is an error */
	/* the recorded command has ended, so the recording must have the command's EXIT record */
	bool command_ended;
	bool no_symbols;		/* open no object files */
	bool lifetimes;			/* heap recordings: add the event `lifetime`, for DHAT */
	bool moves;			/* heap recordings: fill hd_profile.moves */
	/* count branches, trace data and missing callers; with gpu_trace, also explain the largest gaps of the GPUs */
	bool details;
	/* perf.data, bundles and the text of perf script: fill hd_profile.timed, with each sample and its time */
	bool timed;
	uint32_t timed_most;	/* for tests: limit of the samples in hd_profile.timed; 0: HD_TIMED_SAMPLES_MOST */
	/*
	 * formats of named_samples.h without times, such as folded: fill hd_profile.timed with the samples in file
	 * order
	 */
	bool ordered;
	/* folded stacks: the first of two counts in a line is the number of samples (hd_folded_opts.counts) */
	bool sample_counts;
	bool squares;			/* fill hd_event.squares; aggregation takes 0.5 % longer */
	uint64_t budget_bytes;		/* memory limit; 0: by the size of the input (budget.c) */
	uint64_t quiet_bytes;		/* for tests: QUIET_BYTES of sideband.c; 0: the default */
	uint64_t mark_bytes;		/* for tests: MARK_BYTES of divided_walk.c; 0: the default */
};

#endif
