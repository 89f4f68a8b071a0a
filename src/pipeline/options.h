/*
 * options.h - what to read from an input, and how: the options that every reader takes
 */
#ifndef HD_PIPELINE_OPTIONS_H
#define HD_PIPELINE_OPTIONS_H

#include "base/string_list.h"

#include <stdbool.h>
#include <stdint.h>

enum { HD_FIELDS_MAX = 16 };		/* to keep apart */

/* What a sample counts for; the three of time: span_weight.c. */
enum hd_weight {
	HD_WEIGHT_PERIOD,
	HD_WEIGHT_SAMPLES,
	HD_WEIGHT_OFF_CPU,
	HD_WEIGHT_WALL,
	HD_WEIGHT_SYSCALLS,
	HD_WEIGHT_FIELD
};

/* The selection that every command shares.  Empty lists select everything. */
struct hd_selection {
	struct hd_string_list event;	/* a name, or its part before the colon */
	struct hd_string_list comm;
	struct hd_string_list pid, tid, cpu;	/* decimal numbers */
	struct hd_string_list dso;		/* of the sample's own frame: path or last part of it */
	struct hd_string_list symbol;		/* of the sample's own frame: displayed or linkage name */
	const char *time;		/* "A,B" in seconds of the recording's clock; either may be empty */
	const char *filter;		/* an expression over fields of the sample: filter.h */
	int weight;			/* enum hd_weight, all but FIELD */
	const char *
		skip; /* frames that have no self cost: profile/skip_rules.h; NULL: the default of the recording's kind */
	const char *weight_field;	/* a sample counts for the value of this field; NULL: as `weight` says */
	bool no_kernel;			/* leave kernel frames out; a sample counts at its innermost user frame */
	bool strip_version;		/* names without @VERSION and compiler suffixes (.constprop.0, ...) */
};

struct hd_pipeline_opts {
	struct hd_selection select;
	unsigned keys;			/* enum hd_profile_keys to keep apart */
	struct hd_string_list fields;		/* of samples, to keep apart: field_table.h */
	bool list_fields;		/* fill recording.fields */
	bool lines;			/* keep addresses apart and look up their source lines */
	const char *symfs;		/* look for objects below this folder */
	const char *kallsyms;		/* kernel symbols from this file */
	const char *guest_kallsyms;	/* the same of guests' kernels */
	bool full_names; /* fill hd_profile_symbol.full with more than name: demangling twice takes time */
	bool no_inline;			/* no frames for inlined functions */
	bool no_stitch;			/* cut stacks stay cut */
	unsigned threads; /* that unwind and symbolize; 0: one per core.  The profile is the same for any number */
	const char *
		gpu_trace; /* perf.data: join this trace of libhotdrift-cuda.so by the launches' samples; gpu/launch_stacks.h */
	bool launches; /* read for perf_gpu_join.c: the marker's samples are selected, its argument is the last of `fields` */
	bool strict;			/* damage is an error */
	bool command_ended;		/* the recorded command ended by itself: its end must be in the recording */
	bool no_symbols;		/* counts only: nothing is opened (info --json of a foreign recording) */
	bool lifetimes;			/* heap recordings: also the event `lifetime`, for DHAT */
	bool moves;			/* heap recordings: fill hd_profile.moves */
	bool details;			/* count what only `info` tells: branches, traces inside of samples */
	bool squares;			/* fill hd_event.squares; it costs half a percent of counting */
	uint64_t budget_bytes;		/* memory that what is kept may take, 0: by the size of the input; for tests */
	uint64_t
		quiet_bytes; /* bytes without a mapping after which none is expected, 0: as many as is sensible; for tests */
};

#endif
