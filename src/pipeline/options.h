/*
 * options.h - the options of all readers: what to read from an input, and how
 */
#ifndef HD_PIPELINE_OPTIONS_H
#define HD_PIPELINE_OPTIONS_H

#include "base/string_list.h"

#include <stdbool.h>
#include <stdint.h>

struct hd_span_polls;

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
	struct hd_string_list event;	/* a name, or its part before the colon */
	struct hd_string_list comm;
	struct hd_string_list pid, tid, cpu;	/* decimal numbers */
	struct hd_string_list dso;		/* object of the sampled address: its path, or the last part of it */
	struct hd_string_list symbol;		/* its function: displayed name or linkage name */
	const char *time;		/* "A,B" in seconds of the recording's clock; either may be empty */
	const char *filter;		/* an expression over the fields of a sample: filter.h */
	int weight;			/* enum hd_weight, all but FIELD */
	const char *skip;		/* frames without self cost (profile/skip_rules.h); NULL: the default */
	const char *weight_field;	/* the field whose value is the weight; NULL: see `weight` */
	bool no_kernel;			/* omit kernel frames; a sample counts at its innermost user frame */
	bool strip_version;		/* names without @VERSION and compiler suffixes (.constprop.0, ...) */
};

struct hd_pipeline_opts {
	struct hd_selection select;
	unsigned keys;			/* enum hd_profile_keys: ids that are part of a row's key */
	struct hd_string_list fields;		/* sample fields in a row's key: field_table.h */
	bool list_fields;		/* fill recording.fields */
	bool lines;			/* one frame per address, with its source line */
	const char *symfs;		/* folder with the files of the recorded machine */
	const char *kallsyms;		/* kernel symbols from this file */
	const char *guest_kallsyms;	/* guest kernel symbols from this file */
	bool full_names;		/* set hd_profile_symbol.full to the name with parameters; takes more time */
	bool no_inline;			/* no frames for inlined functions */
	bool no_stitch;			/* do not complete cut stacks (stitch.h) */
	unsigned threads;		/* for unwinding; 0: one per core.  The result does not depend on it */
	const char *gpu_trace;		/* trace of libhotdrift-cuda.so to join: perf_gpu_join.h */
	const struct hd_span_polls *span_polls;	/* adds the field `span` to spans of time; NULL: none (span_polls.h) */
	/* set by perf_gpu_join.c: read the marker, whose argument is the last of `fields` */
	bool launches;
	bool strict;			/* damage of the input is an error */
	bool command_ended;		/* the recorded command has ended: the recording must have its EXIT record */
	bool no_symbols;		/* open no object files */
	bool lifetimes;			/* heap recordings: add the event `lifetime`, for DHAT */
	bool moves;			/* heap recordings: fill hd_profile.moves */
	bool details;			/* for `info`: branches, traces in samples, missing callers */
	bool squares;			/* fill hd_event.squares; costs half a percent of aggregation */
	uint64_t budget_bytes;		/* for tests: limit of budget.c; 0: by the size of the input */
	uint64_t quiet_bytes;		/* for tests: QUIET_BYTES of sideband.c; 0: the default */
};

#endif
