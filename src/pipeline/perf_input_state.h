/*
 * perf_input_state.h - the state while a perf.data file is read; private to the files of the perf.data pipeline
 *
 *     perf_input.c       opens the recording and runs the passes
 *     sideband.c         first pass, often over the beginning only: records of processes, mappings -> process table
 *     sample_fields.c    the fields of samples for keys, the filter and the weight
 *     span_weight.c      only if the weight is a time: an additional pass measures the spans that begin at samples
 *     sample_reader.c    second pass, reading thread: records -> selected samples with their address spaces
 *     sample_queue.h     ... unwound in batches by any thread
 *     divided_walk.h     ... recordings without stack copies: parts of the file are aggregated by several threads
 *     sample_pass.c      second pass, calling thread: takes the samples in file order; resumes after late records
 *     unwind_setup.c     prepares unwinding
 *     missing_caller.c   detects recorded call chains that lack a caller
 *     aggregation.c      samples -> interned chains -> sums -> rows of the profile
 *     deferred_lookup.h  ... table lookups delayed by a few samples
 *     budget.c           limits the memory of all of this by the size of the input
 *     sampling_rate.c    describes how the events were sampled
 *
 * Threads: with copied stacks and more than one thread, the reading half of the second pass runs in a separate thread.
 * It writes `pass`, `progress` and the read position of `pf`, adds to unwinding.queue, and reads `request`, `fields`,
 * `spaces` and `spans`.  All threads that unwind use unwinding.unwind and unwinding.code, the process table, and
 * lookup.symbols and spaces.jitdumps through hd_perf_input_code_source().  Only the calling thread uses everything
 * else.  divided_walk.h has the threads for recordings without copied stacks.
 */
#ifndef HD_PIPELINE_PERF_INPUT_STATE_H
#define HD_PIPELINE_PERF_INPUT_STATE_H

#include "pipeline/chains.h"
#include "pipeline/deferred_chains.h"
#include "pipeline/field_table.h"
#include "pipeline/recorded_jitdumps.h"
#include "pipeline/lbr.h"
#include "pipeline/locator.h"
#include "pipeline/last_seen.h"
#include "pipeline/options.h"
#include "pipeline/perf_source.h"
#include "pipeline/progress.h"
#include "pipeline/recording_info.h"
#include "pipeline/stack_resolver.h"
#include "pipeline/sample_queue.h"
#include "pipeline/selector.h"
#include "pipeline/stitch.h"
#include "pipeline/chain_sums.h"
#include "pipeline/deferred_lookup.h"
#include "bundle/host_context.h"
#include "perfdata/embedded_symbols.h"
#include "profile/skip_rules.h"
#include "symbols/symbol_access.h"
#include "offcpu/thread_intervals.h"

/*
 * The parts of the interval that begins at a sample (span_weight.c).  The length of each part is a weight of the
 * sample.  An interval has one or two parts.  Each selected part is an event of the profile.  With --weight wall, WALL
 * replaces BLOCKED, QUEUED and PREEMPTED.
 */
enum hd_span_part {
	HD_SPAN_PART_BLOCKED,
	HD_SPAN_PART_QUEUED,
	HD_SPAN_PART_PREEMPTED,
	HD_SPAN_PART_WOKEN,
	HD_SPAN_PART_CALLS,
	HD_SPAN_PART_WALL,
	HD_SPAN_PARTS
};

/* The weight of one sample in one event. */
struct hd_event_weight {
	uint32_t event;
	uint64_t weight;
};

/* The options and the events of the recording.  Set before the second pass, constant during it. */
struct hd_perf_request {
	const struct hd_perf_source *from;
	const struct hd_pipeline_opts *opts;	/* is &own_opts */
	struct hd_pipeline_opts own_opts;
	struct hd_selector select;
	size_t nattrs;
	uint32_t *event_of;		/* indexed by attr: event of the profile */
	bool *event_wanted;		/* indexed by attr */
	bool *has_chain;		/* indexed by event: its samples have call chains */
};

/*
 * Fields of samples by name.  Written before the second pass by sample_fields.c, except wants_cgroups and the members
 * of `table` that describe the recording.
 */
struct hd_field_request {
	struct hd_field_table table;
	const struct hd_sample_field **keys, *weight_field;	/* weight_field: NULL if not used */
	size_t nkeys;
	enum hd_weight weight;
	bool per_sample;		/* samples have keys or a weight field */
	/* a key is the name of another thread, which the calling thread looks up: see struct hd_input_processes */
	bool other_threads;
	bool wants_cgroups;		/* the first pass must collect the names of cgroups */
	struct hd_buf text;		/* scratch of the calling thread */
};

/*
 * Processes and mappings.  Written by sideband.c.  During the second pass the reading thread calls hd_process_at(); the
 * calling thread may call hd_process_find() and hd_process_comm() at the same time.  If hd_field_request.other_threads
 * is set, the calling thread calls hd_process_at(), too, so it must also be the reading thread.
 */
struct hd_input_processes {
	struct hd_process_table *proc;
	struct hd_log log;		/* warnings of proc */
	struct hd_jitdump_set *jitdumps;	/* complete before the second pass; NULL: none */
	/* proc contains all side-band records with a seq below known_seq; UINT64_MAX: those of the whole file */
	uint64_t known_seq;
	bool read_whole;		/* the first pass must read the whole file */
	/* marks at which the second pass can be divided, about mark_bytes apart; none if mark_bytes is 0 */
	struct hd_record_mark *marks;
	size_t nmarks, marks_cap;
	uint64_t mark_bytes;
};

/*
 * The numbers of lost samples of one event, as three sources report them.  buffer: LOST records.  hardware:
 * LOST_SAMPLES records of the kernel.  counter: the loss counter of the event, which perf writes as LOST_SAMPLES
 * records.
 */
struct hd_event_losses {
	uint64_t buffer, hardware, counter;
};

/* State of the reading half of the second pass. */
struct hd_sample_pass {
	struct hd_log log;		/* warnings of the reader */
	struct hd_event_losses *losses;	/* indexed by attr */
	/*
	 * comm_wanted[string id]: true if the thread name is selected.  The array covers the strings that existed
	 * before the samples were read.  NULL: all thread names are selected.
	 */
	bool *comm_wanted;
	/*
	 * comm_text[string id]: the thread name with this id, which a --filter with `comm` compares.  The array covers
	 * the strings that existed before the samples were read.  NULL: the filter does not use `comm`.
	 */
	const char **comm_text;
	size_t ncomms;
	struct hd_last_seen last_seen;
	uint64_t take_ns;		/* during the trial (sample_pass.c): time of hd_perf_input_take_batch() */
	uint64_t taken_off;		/* during the trial: offset of the sample that was taken last */
	bool on_trial;
	uint64_t late_seq;		/* seq of the side-band record that stopped the second pass */
	struct hd_err err;
	int rc;				/* < 0, or enum hd_sample_pass_end */
};

enum hd_sample_pass_end {
	HD_SAMPLE_PASS_DONE,
	HD_SAMPLE_PASS_SIDEBAND,	/* stopped at a side-band record that is not in proc */
	HD_SAMPLE_PASS_NOT_PLAIN,	/* a part: stopped at a sample that only the calling thread can aggregate */
};

/* The data for symbol lookups.  Written by perf_input.c before the second pass. */
struct hd_symbol_lookup {
	struct hd_symbols *symbols;	/* NULL with opts->no_symbols */
	struct hd_embedded_files embedded;	/* symbols that the recording contains */
	struct hd_locator *locator;
	struct hd_symbol_access access;	/* for opts->symbol_user */
	/* warnings of access.local, which are not printed: files of this machine are optional for a bundle */
	struct hd_log unused;
};

/*
 * The data for unwinding copied stacks.  Written by unwind_setup.c.  `queue`, `unwind` and `stitch` are NULL if no
 * copied stacks are unwound.
 */
struct hd_stack_unwinding {
	struct hd_sample_queue *queue;
	struct hd_unwind *unwind;
	struct hd_stitch *stitch;
	struct hd_symbols_key *code;	/* indexed by object id of proc; read by all unwinding threads */
	struct hd_unwind_gap_counts gaps;	/* written by aggregation.c */
	/* name of the recorded architecture, or "unknown", if libdw unwinds its stacks; otherwise NULL */
	const char *libdw_machine;
	/* name of the recorded architecture, or "unknown", if its stack copies cannot be unwound; otherwise NULL */
	const char *unsupported_machine;
	struct hd_missing_caller {	/* state of missing_caller.c, for chains by frame pointers if opts->details */
		struct hd_unwind *unwind;	/* NULL if hd_stack_unwinding.unwind is used */
		struct hd_unwinder *unwinder;	/* NULL: callers are not checked */
		enum hd_unwind_machine machine;
		uint64_t abi;
		struct hd_missing_caller_cache {
			uint64_t ip;
			uint32_t space;
			bool hides;
		} recent[1021];		/* cache; the index is ip modulo the size */
	} missing_caller;
};

/*
 * The state while samples are added up.  The calling thread uses that of the recording.  In a divided walk, each part
 * that another thread aggregates has a state of its own, which the calling thread merges afterwards (divided_walk.h).
 */
struct hd_aggregation {
	struct hd_chains *chains;
	struct hd_chain_sums sums;
	struct hd_deferred_lookup tail;	/* samples whose table lookups are delayed */
	struct hd_lbr lbr;
	struct hd_deferred_chains *deferred;	/* NULL: no event has deferred user chains */
	struct hd_stack_resolver resolver;
	struct hd_skip_rules skip;
	/* indexed by event: sum of the weights of its counted samples, to detect overflow */
	uint64_t *weights;
	/* indexed by event: sum of the squares of the weights of its counted samples; NULL: not needed */
	double *squares;
	/* the unnamed threads of a part of the recording (divided_walk.h); otherwise NULL */
	struct hd_unnamed_threads *unnamed;
	bool too_many_timed;		/* p->timed exceeded its limit */
	bool fast;			/* samples need only a stack and a weight, so the fast path is possible */
};

/*
 * The data for --weight off-cpu, wall and syscalls.  Written by span_weight.c, except `leaf`, which aggregation.c sets.
 * `intervals` is complete before the second pass.
 */
struct hd_span_weights {
	struct hd_thread_intervals *intervals;
	uint32_t event[HD_SPAN_PARTS];	/* events of the profile */
	bool wanted[HD_SPAN_PARTS];
	uint8_t *role;			/* role[attr]: meaning of the samples of an attr (enum role in span_weight.c) */
	/* indexed by attr: the field of its tracepoint that its role needs, and next_pid of sched_switch */
	const struct hd_tracefield **field, **next;
	bool has_switches;		/* the recording has SWITCH records */
	bool has_runs;			/* it has samples of ROLE_RAN */
	struct hd_map threads;		/* the tids of COMM records */
	int32_t pid;			/* process of the first COMM record of a thread; 0: there is none */
	struct hd_wait_reasons *reasons;
	const char *machine;		/* architecture of the system call numbers; NULL: unknown, this machine's */
	const struct hd_thread_interval *current;	/* interval of the sample that is being aggregated */
	uint32_t leaf;			/* innermost chain node of that sample */
};

/*
 * Result of hd_perf_input_read_samples(): the recording must be read again, for example because the first pass missed
 * side-band records that are older than samples.
 */
enum { HD_PERF_INPUT_AGAIN = 1 };

/*
 * The memory that the results may take.  After `limit`, further samples are dropped as HD_LOST_BUDGET.  When there are
 * more than `nodes` chain nodes or `most_sums` sums, or when hd_locator_size() exceeds `addresses`, the sums are moved
 * to the profile and the budget is checked.  Used by the calling thread only.
 */
#define HD_LOST_BUDGET "lost.budget"
struct hd_budget {
	uint64_t limit;			/* bytes */
	uint64_t addresses;
	uint32_t nodes, most_nodes, most_sums;	/* `nodes` is most_nodes, or 0 to request a flush after this sample */
	int64_t words;			/* how many entries of call chains may be looked up; bounds the CPU time */
	const char *spent;		/* the exceeded limit, as a clause of the warning; NULL: none */
};

struct hd_perf_input {
	/*
	 * Used by the calling thread.  The reading thread of the second pass may only read those names in p that
	 * existed before this pass.
	 */
	struct hd_profile *p;
	struct hd_perf *pf;
	struct hd_progress progress;
	struct hd_perf_request request;
	struct hd_field_request fields;
	struct hd_input_processes spaces;
	struct hd_sample_pass pass;
	struct hd_symbol_lookup lookup;
	struct hd_stack_unwinding unwinding;
	struct hd_aggregation agg;
	struct hd_budget budget;
	struct hd_span_weights *spans;	/* NULL unless the weight is a span of time */
};

/* ---- perf_input.c ---- */

/* Return true if the header names this host and its kernel release. */
bool hd_perf_input_recorded_here(struct hd_perf *pf);
/*
 * Return what bundle/host_context.h describes: facts about the machine on which the recording was bundled, or about
 * this machine if the recording is not in a bundle.  In the second case, also store them in request.from->circumstances
 * unless that is NULL.
 */
struct hd_host_context hd_perf_input_host_context(const struct hd_perf_input *in, struct hd_perf *pf);

/* ---- sideband.c ---- */

/* Run the first pass: read side-band records (mappings, processes) until no more are expected, and build proc. */
int hd_perf_input_read_sideband(struct hd_perf_input *in, struct hd_err *err);
/* Return true if lookups of samples after this record can have other results than lookups before it. */
bool hd_perf_input_is_sideband(struct hd_perf_input *in, const struct hd_record *rec);
/*
 * Side-band records (MMAP, COMM, FORK, ...) can follow samples that need them.  After the second pass stopped at such a
 * late record, read all remaining ones.  Return HD_PERF_INPUT_AGAIN if the recording must be read again, for example
 * because one is older than a sample that was already aggregated.
 */
int hd_perf_input_read_ahead(struct hd_perf_input *in, struct hd_err *err);

/* ---- sample_fields.c; after the attrs are complete ---- */

/* Return true if a key or the filter uses the name of a cgroup. */
bool hd_perf_input_wants_cgroups(const struct hd_perf_input *in);
/*
 * Look up the fields of the keys, the filter and the weight.  Returns HD_EFORMAT if no selected event has one of the
 * fields or if the recording has another clock than the file of --spans.  Returns HD_EUSAGE if there are too many
 * fields, or if the type of a field does not fit its comparison in the filter or its use as the weight.
 */
int hd_perf_input_begin_fields(struct hd_perf_input *in, struct hd_err *err);
/* With opts->list_fields, fill recording.fields. */
int hd_perf_input_list_fields(struct hd_perf_input *in, struct hd_err *err);
void hd_perf_input_end_fields(struct hd_perf_input *in);
/*
 * Set *tuple to the tuple (profile/tuple.h) of the fields of --by, and *weight if a field is the weight.  Each is left
 * as it is if there is no such field.  Return NULL if the sample is kept; otherwise warn and return why it is dropped.
 */
const char *hd_perf_input_sample_fields(struct hd_perf_input *in, const struct hd_queued_sample *q, uint32_t *tuple,
	uint64_t *weight);

/*
 * ---- span_weight.c ----
 *
 * hd_perf_input_map_span_events() creates in->spans.  If in->spans is NULL, hd_perf_input_has_span() and
 * hd_perf_input_span_weights() must not be called, and the other functions do nothing.
 */

/* Return true if the weight is off-cpu, wall or syscalls. */
bool hd_pipeline_weighs_spans(const struct hd_pipeline_opts *opts);
/* Create in->spans.  The events of the profile become the parts of time instead of the recorded events. */
void hd_perf_input_map_span_events(struct hd_perf_input *in);
void hd_perf_input_end_span_weights(struct hd_perf_input *in);
/*
 * For --weight off-cpu, wall and syscalls: find the recorded events of the scheduler and of system calls.  Returns
 * HD_EFORMAT if --weight syscalls lacks the events of system calls.
 */
int hd_perf_input_begin_span_weights(struct hd_perf_input *in, struct hd_err *err);
/*
 * Read the file once and compute the intervals.  Returns HD_EFORMAT also if --weight off-cpu or wall lacks context
 * switches.
 */
int hd_perf_input_measure_spans(struct hd_perf_input *in, struct hd_err *err);
/* Return true if an interval of time begins at the sample with this seq.  Thread-safe. */
bool hd_perf_input_has_span(const struct hd_perf_input *in, uint64_t seq);
/*
 * Fill in the weights of the sample at `seq`, one for each selected part of its interval, and return how many there
 * are.  For a sample without a weight return 0 and set *why to the reason, a constant string.  Call this once for each
 * sample; it also sets spans->current.
 */
size_t hd_perf_input_span_weights(struct hd_perf_input *in, uint64_t seq, struct hd_event_weight parts[2],
	const char **why);
/* Call this after the last sample: it adds the intervals of those threads whose context switches have no stack. */
void hd_perf_input_add_unsampled_spans(struct hd_perf_input *in);

/* ---- unwind_setup.c ---- */

/*
 * Return the functions by which unwinding opens the code of proc's objects.  hd_perf_input_learn_code() must have run
 * before one of them is called.
 */
struct hd_unwind_source hd_perf_input_code_source(struct hd_perf_input *in);
/* Rebuild unwinding.code from the objects of proc. */
void hd_perf_input_learn_code(struct hd_perf_input *in);
enum hd_unwind_machine hd_perf_input_unwind_machine(const char *arch);
/* Return the number of threads that the options request; the default is the number of CPUs this process may use. */
unsigned hd_perf_input_threads(const struct hd_perf_input *in);
/*
 * If an event has stack copies, and opts->no_symbols is not set: create unwinding.queue, .unwind and .stitch for a
 * supported architecture, or set unwinding.unsupported_machine.
 */
void hd_perf_input_begin_unwinding(struct hd_perf_input *in);
/* After the second pass: warn of copied stacks that were not unwound. */
void hd_perf_input_end_unwinding(struct hd_perf_input *in);
void hd_perf_input_grow_unwinding(struct hd_perf_input *in);	/* after proc got more objects */
/* Record for a bundle which call frame information was used. */
void hd_perf_input_record_unwinding(struct hd_perf_input *in);

/* ---- missing_caller.c ---- */

/*
 * Prepare hd_perf_input_caller_missing().  Call this after hd_perf_input_begin_unwinding(), because unwinding.unwind is
 * used if that function has created it.
 */
void hd_perf_input_begin_missing_caller(struct hd_perf_input *in);
/*
 * Return true if the recorded chain lacks the caller of its innermost user function.  Call this only if
 * unwinding.missing_caller.unwinder is not NULL.
 */
bool hd_perf_input_caller_missing(struct hd_perf_input *in, const struct hd_queued_sample *q);
void hd_perf_input_end_missing_caller(struct hd_perf_input *in);

/* ---- sampling_rate.c; after the second pass ---- */

/* Fill hd_event.rate of the profile's events.  Does nothing if the weight is a span of time. */
void hd_perf_input_describe_sampling(struct hd_perf_input *in);

/* ---- sample_reader.c ---- */

/* Look up the thread of a synthetic sample, and return true if it is selected. */
bool hd_perf_input_wants_thread(struct hd_perf_input *in, struct hd_queued_sample *q);
/*
 * Call this before each walk of the second pass.  It fills pass.comm_wanted and pass.comm_text for the strings that
 * exist now, if --comm or the filter uses thread names.
 */
void hd_perf_input_judge_comms(struct hd_perf_input *in);
/* Read `records` records, or to the end or to a late side-band record.  Return < 0 or enum hd_sample_pass_end. */
int hd_perf_input_walk(struct hd_perf_input *in, uint64_t records, struct hd_err *err);
struct hd_part_start;
/* Read `records` records of a part (divided_walk.h), and fill *start.  Return < 0 or enum hd_sample_pass_end. */
int hd_perf_input_walk_part(struct hd_perf_input *in, uint64_t records, struct hd_part_start *start,
	struct hd_err *err);

/* ---- sample_pass.c ---- */

/* Aggregate the unwound samples of the oldest batch of samples in the queue. */
void hd_perf_input_take_batch(struct hd_perf_input *in);
/* Run the second pass.  Return 0, < 0 or HD_PERF_INPUT_AGAIN. */
int hd_perf_input_read_samples(struct hd_perf_input *in, struct hd_err *err);

/* ---- budget.c ---- */

void hd_perf_input_begin_budget(struct hd_perf_input *in);	/* before records are added to proc */
void hd_perf_input_limit_proc(const struct hd_perf_input *in, struct hd_process_table *proc);
void hd_perf_input_check_budget(struct hd_perf_input *in);	/* after each flush of the sums */
/* The budget is exhausted: drop all further samples.  `what` is a constant string that completes the warning. */
void hd_perf_input_exhaust_budget(struct hd_perf_input *in, const char *what);
/* Call this after each address lookup.  After many new addresses it requests that the sums of samples be flushed. */
void hd_perf_input_count_address(struct hd_perf_input *in);
/* Return how many stacks fit in the memory limit if nothing else is added: the existing ones and further ones. */
uint32_t hd_perf_input_stacks_left(const struct hd_perf_input *in);
/* Call this after the second pass.  It shortens stacks if a call tree by thread name would exceed the memory limit. */
void hd_perf_input_limit_stacks(struct hd_perf_input *in);
void hd_perf_input_warn_budget(struct hd_perf_input *in);	/* after the second pass */

/* ---- aggregation.c; samples are added in file order ---- */

/*
 * Add the next sample or user call chain in the order of the file.  `frames` are the unwound frames of q; NULL without
 * unwinding.
 */
void hd_perf_input_add_sample(struct hd_perf_input *in, const struct hd_queued_sample *q,
	const struct hd_unwound_frames *frames);
/* Add a synthetic sample with an unknown stack. */
void hd_perf_input_add_unplaced(struct hd_perf_input *in, const struct hd_queued_sample *q,
	const struct hd_event_weight *what);
/* Some samples still wait for their user call chain at the end of the file.  Count them without it, and warn. */
void hd_perf_input_end_deferred_chains(struct hd_perf_input *in);
/* After the last flush: sort the samples of p->timed.  Returns HD_EFORMAT if there were too many. */
int hd_perf_input_end_timed(struct hd_perf_input *in, struct hd_err *err);
/* Move the sums to the profile: their chains are converted to stacks, and the nodes of the chains are discarded. */
void hd_perf_input_flush(struct hd_perf_input *in);

#endif
