/*
 * perf_input_state.h - the state while a perf.data file is read; private to the files of the perf.data pipeline
 *
 *     perf_input.c       opens the recording and runs the passes
 *     sideband.c         first pass, often over the beginning only: records of processes and mappings -> process/
 *     sample_fields.c    the fields of samples for keys, the filter and the weight
 *     span_weight.c      with a weight of time, a pass before the second one: measures the spans that begin at samples
 *     sample_reader.c    second pass, reading half: records -> selected samples with their address spaces
 *     sample_queue.h     ... unwound in batches by any thread
 *     sample_pass.c      second pass, calling half: takes the samples in file order; resumes after late side-band
 *     unwind_setup.c     prepares unwinding
 *     missing_caller.c   recorded call chains that lack a caller
 *     aggregation.c      samples -> interned chains -> sums -> rows of the profile
 *     deferred_lookup.h  ... table lookups delayed by a few samples
 *     budget.c           limits the memory of all of this by the size of the input
 *     sampling_rate.c    describes how the events were sampled
 *
 * Threads: with copied stacks and more than one thread, the reading half of the second pass runs in a separate thread.
 * It writes `pass`, `progress` and the read position of `pf`, adds to unwinding.queue, and reads `request`, `fields`,
 * `spaces` and `spans`.  Only the calling thread uses everything else.
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
#include "offcpu/thread_intervals.h"

/* The parts of a span of time (span_weight.c).  Each part is an event of the profile. */
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
	const struct hd_pipeline_opts *opts;
	struct hd_selector select;
	size_t nattrs;
	uint32_t *event_of;		/* by attr: event of the profile */
	bool *event_wanted;		/* by attr */
	bool *has_chain;		/* by event: its samples have call chains */
};

/* Fields of samples by name.  Written by sample_fields.c before the second pass. */
struct hd_field_request {
	struct hd_field_table table;
	const struct hd_sample_field **keys, *weight_field;	/* weight_field: NULL if not used */
	size_t nkeys;
	enum hd_weight weight;
	bool per_sample;		/* samples have keys or a weight field */
	bool wants_cgroups;		/* the first pass must collect the names of cgroups */
	struct hd_buf text;		/* scratch of the calling thread */
};

/*
 * Processes and mappings.  Written by sideband.c.  During the second pass the reading thread calls hd_process_at(); the
 * calling thread may call hd_process_find() and hd_process_comm() at the same time.
 */
struct hd_input_processes {
	struct hd_process_table *proc;
	struct hd_log log;		/* warnings of proc */
	struct hd_jitdump_set *jitdumps;	/* complete before the second pass; NULL: none */
	uint64_t known_seq;		/* proc has all side-band with a lower seq; UINT64_MAX: all of the file */
	bool read_whole;		/* the first pass must read the whole file */
};

/* Losses of one event, by source: LOST records, LOST_SAMPLES records of the kernel, the counter of the event. */
struct hd_event_losses {
	uint64_t buffer, hardware, counter;
};

/* State of the reading half of the second pass. */
struct hd_sample_pass {
	struct hd_log log;		/* warnings of the reader */
	struct hd_event_losses *losses;	/* by attr */
	bool *comm_wanted;		/* by id of the strings known before the pass; NULL: all are wanted */
	const char **comm_text;		/* the same strings for the filter; NULL: it has no `comm` */
	size_t ncomms;
	struct hd_last_seen last_seen;
	uint64_t late_seq;		/* of the side-band record that stopped the pass */
	struct hd_err err;
	int rc;				/* < 0, or enum hd_sample_pass_end */
};

enum hd_sample_pass_end {
	HD_SAMPLE_PASS_DONE,
	HD_SAMPLE_PASS_SIDEBAND,	/* stopped at a side-band record that is not in proc */
};

/* Written by perf_input.c before the second pass. */
struct hd_symbol_lookup {
	struct hd_symbols *symbols;	/* NULL with opts->no_symbols */
	struct hd_embedded_files embedded;	/* symbols that the recording contains */
	struct hd_locator *locator;
};

/* Copied stacks.  All pointers are NULL if the recording has none.  Written by unwind_setup.c. */
struct hd_stack_unwinding {
	struct hd_sample_queue *queue;
	struct hd_unwind *unwind;
	struct hd_stitch *stitch;
	struct hd_symbols_key *code;	/* by object of process/; read by all unwinding threads */
	struct hd_unwind_gap_counts gaps;	/* written by aggregation.c */
	const char *unsupported_machine;	/* the machine whose copied stacks cannot be unwound; NULL: none */
	struct hd_missing_caller {	/* missing_caller.c; for chains by frame pointers, with opts->details */
		struct hd_unwind *unwind;	/* NULL if the outer `unwind` is used */
		struct hd_unwinder *unwinder;	/* NULL: callers are not checked */
		enum hd_unwind_machine machine;
		uint64_t abi;
		struct hd_missing_caller_cache {
			uint64_t ip;
			uint32_t space;
			bool hides;
		} recent[1021];		/* by address */
	} missing_caller;
};

/* Samples -> chains -> sums -> rows.  Used by the calling thread only; written by aggregation.c. */
struct hd_aggregation {
	struct hd_chains *chains;
	struct hd_chain_sums sums;
	struct hd_deferred_lookup tail;	/* samples whose table lookups are delayed */
	struct hd_lbr lbr;
	struct hd_deferred_chains *deferred;	/* NULL: no event has deferred user chains */
	struct hd_stack_resolver resolver;
	struct hd_skip_rules skip;
	uint64_t *weights;		/* by event: the sum of the kept weights, to detect overflow */
	double *squares;		/* by event: the sum of the squares of the kept weights; NULL: not wanted */
	bool fast;			/* the fast path is possible: samples need only a place and a weight */
};

/* --weight off-cpu, wall and syscalls.  Written by span_weight.c; intervals are complete before the second pass. */
struct hd_span_weights {
	struct hd_thread_intervals *intervals;
	uint32_t event[HD_SPAN_PARTS];	/* events of the profile */
	bool wanted[HD_SPAN_PARTS];
	uint8_t *role;			/* enum role of span_weight.c: the meaning of the samples */
	const struct hd_tracefield **field, **next;	/* by attr: fields of its tracepoint */
	bool has_switches;		/* the recording has SWITCH records */
	struct hd_wait_reasons *reasons;
	const char *machine;		/* the machine that defines the system call numbers; NULL: unknown */
	const struct hd_thread_interval *current;	/* interval of the sample that is being aggregated */
	uint32_t leaf;			/* innermost chain node of that sample */
};

/*
 * Result of hd_perf_input_read_samples(): the first pass missed records of earlier samples, so the recording must be
 * read again.
 */
enum { HD_PERF_INPUT_AGAIN = 1 };

/*
 * The memory that the results may take.  After `limit`, further samples are dropped as HD_LOST_BUDGET.  `nodes`,
 * `most_sums` and `addresses` are the numbers of chain nodes, sums and addresses (locator.h) after which the sums move
 * to the profile and the budget is checked.  Used by the calling thread only.
 */
#define HD_LOST_BUDGET "lost.budget"
struct hd_budget {
	uint64_t limit;			/* bytes */
	uint64_t addresses;
	uint32_t nodes, most_nodes, most_sums;
	int64_t words;			/* maximum number of chain words that are looked up, which limits CPU time */
	const char *spent;		/* the exceeded limit, as a clause of the warning; NULL: none */
};

struct hd_perf_input {
	/* used by the calling thread; the reading thread may read names that existed before the pass */
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
/* Return the context of the machine where the recording was bundled, else of this machine. */
struct hd_host_context hd_perf_input_host_context(const struct hd_perf_input *in, struct hd_perf *pf);

/* ---- sideband.c ---- */

/* The first pass: read side-band records up to a point where no more are expected, and build proc. */
int hd_perf_input_read_sideband(struct hd_perf_input *in, struct hd_err *err);
/* Return true if lookups of samples after this record can have other results than before. */
bool hd_perf_input_is_sideband(struct hd_perf_input *in, const struct hd_record *rec);
/*
 * Read the rest of the side-band after the second pass stopped at a late record.  Return HD_PERF_INPUT_AGAIN if a
 * record is older than a sample that was aggregated already.
 */
int hd_perf_input_read_ahead(struct hd_perf_input *in, struct hd_err *err);

/* ---- sample_fields.c; after the attrs are complete ---- */

/* Return true if a key or the filter uses the name of a cgroup. */
bool hd_perf_input_wants_cgroups(const struct hd_perf_input *in);
/*
 * Look up the fields of the keys, the filter and the weight.  HD_EFORMAT if no event has a field, HD_EUSAGE if one is
 * invalid.
 */
int hd_perf_input_begin_fields(struct hd_perf_input *in, struct hd_err *err);
/* With opts->list_fields, fill recording.fields. */
int hd_perf_input_list_fields(struct hd_perf_input *in, struct hd_err *err);
void hd_perf_input_end_fields(struct hd_perf_input *in);
/*
 * Set the tuple of a sample, and its weight if a field is the weight.  Return NULL, or the reason why the sample cannot
 * be counted, after a warning.
 */
const char *hd_perf_input_sample_fields(struct hd_perf_input *in, const struct hd_queued_sample *q, uint32_t *tuple,
	uint64_t *weight);

/* ---- span_weight.c; all but the first three only if in->spans ---- */

/* Return true if the weight is off-cpu, wall or syscalls. */
bool hd_pipeline_weighs_spans(const struct hd_pipeline_opts *opts);
/* Create in->spans, and the parts as events of the profile in place of the recorded events. */
void hd_perf_input_map_span_events(struct hd_perf_input *in);
void hd_perf_input_end_span_weights(struct hd_perf_input *in);
/* Find the events of the scheduler and of system calls.  HD_EFORMAT if a required event was not recorded. */
int hd_perf_input_begin_span_weights(struct hd_perf_input *in, struct hd_err *err);
/* Read the file once and compute the intervals. */
int hd_perf_input_measure_spans(struct hd_perf_input *in, struct hd_err *err);
/* Return true if a span begins at the sample with this seq.  Thread-safe. */
bool hd_perf_input_has_span(const struct hd_perf_input *in, uint64_t seq);
/*
 * Fill in the weights of the sample at `seq` and return their number.  Returns 0 and *why for a sample without
 * weight.
 */
size_t hd_perf_input_span_weights(struct hd_perf_input *in, uint64_t seq, struct hd_event_weight parts[2],
	const char **why);
/* After the last sample: add the intervals of threads whose switches have no stack. */
void hd_perf_input_add_unsampled_spans(struct hd_perf_input *in);

/* ---- unwind_setup.c ---- */

/* Return the interface through which unwinding opens the code of proc's objects; needs hd_perf_input_learn_code(). */
struct hd_unwind_source hd_perf_input_code_source(struct hd_perf_input *in);
/* Rebuild unwinding.code from the objects of proc. */
void hd_perf_input_learn_code(struct hd_perf_input *in);
enum hd_unwind_machine hd_perf_input_unwind_machine(const char *arch);
/* Create queue, unwind and stitch if an event has copied stacks of a supported machine. */
void hd_perf_input_begin_unwinding(struct hd_perf_input *in);
/* After the pass: warn of copied stacks that were not unwound. */
void hd_perf_input_end_unwinding(struct hd_perf_input *in);
void hd_perf_input_grow_unwinding(struct hd_perf_input *in);	/* after proc got more objects */
/* Record for a bundle which call frame information was used. */
void hd_perf_input_record_unwinding(struct hd_perf_input *in);

/* ---- missing_caller.c ---- */

/* Call it after hd_perf_input_begin_unwinding(), whose unwinder it shares. */
void hd_perf_input_begin_missing_caller(struct hd_perf_input *in);
/* Return true if the recorded chain lacks the caller of its innermost user function.  Only if the unwinder exists. */
bool hd_perf_input_caller_missing(struct hd_perf_input *in, const struct hd_queued_sample *q);
void hd_perf_input_end_missing_caller(struct hd_perf_input *in);

/* ---- sampling_rate.c; after the pass ---- */

/* Fill hd_event.rate of the profile's events. */
void hd_perf_input_describe_sampling(struct hd_perf_input *in);

/* ---- sample_reader.c ---- */

/* Look up the thread of a synthetic sample, and return true if it is selected. */
bool hd_perf_input_wants_thread(struct hd_perf_input *in, struct hd_queued_sample *q);
/* Call this before the pass: it tests which of the known strings are selected as thread names. */
void hd_perf_input_judge_comms(struct hd_perf_input *in);
/* Read to the end of the file or to a late side-band record.  Return < 0 or enum hd_sample_pass_end. */
int hd_perf_input_walk(struct hd_perf_input *in, struct hd_err *err);

/* ---- sample_pass.c ---- */

/* Aggregate the unwound samples of the oldest batch of the queue. */
void hd_perf_input_take_batch(struct hd_perf_input *in);
/* Run the second pass.  Return 0, < 0 or HD_PERF_INPUT_AGAIN. */
int hd_perf_input_read_samples(struct hd_perf_input *in, struct hd_err *err);

/* ---- budget.c ---- */

void hd_perf_input_begin_budget(struct hd_perf_input *in);	/* before records are added to proc */
void hd_perf_input_limit_proc(const struct hd_perf_input *in, struct hd_process_table *proc);
void hd_perf_input_check_budget(struct hd_perf_input *in);	/* after each flush of the sums */
/* Drop all further samples.  `what` completes the warning. */
void hd_perf_input_exhaust_budget(struct hd_perf_input *in, const char *what);
/* Call this after each address lookup.  It requests a flush when there are too many new addresses. */
void hd_perf_input_count_address(struct hd_perf_input *in);
/* Return the number of stacks at which the profile reaches the limit. */
uint32_t hd_perf_input_stacks_left(const struct hd_perf_input *in);
/* After the pass: cut stacks if a call tree by thread name would exceed the limit. */
void hd_perf_input_limit_stacks(struct hd_perf_input *in);
void hd_perf_input_warn_budget(struct hd_perf_input *in);	/* after the pass */

/* ---- aggregation.c; samples are added in file order ---- */

/* Add the next sample or user call chain of the file.  `frames` are the unwound frames of q; NULL without a queue. */
void hd_perf_input_add_sample(struct hd_perf_input *in, const struct hd_queued_sample *q,
	const struct hd_unwound_frames *frames);
/* Add a synthetic sample with an unknown stack. */
void hd_perf_input_add_unplaced(struct hd_perf_input *in, const struct hd_queued_sample *q,
	const struct hd_event_weight *what);
/* Count the samples that still wait for their user chain without it, and warn. */
void hd_perf_input_end_deferred_chains(struct hd_perf_input *in);
/* Move the sums to the profile: chains become stacks, and the chain nodes are discarded. */
void hd_perf_input_flush(struct hd_perf_input *in);

#endif
