/*
 * perf_input_state.h - what the files of the perf.data pipeline share, and nobody else includes
 *
 *     perf_input.c        the whole of it: open, the passes, what to say of the recording
 *     sideband.c    first pass, often only over the beginning: who is which process, what is mapped where
 *     recorded_jitdumps.c        ... and what its jitdumps say
 *     sample_fields.c      fields of samples: what was asked for, by name
 *     sample_pass.c        second pass: records -> selected samples, with their place in process/
 *     sample_queue.c     ... unwound by any thread
 *     unwind_setup.c   ... what that takes
 *     missing_caller.c      recorded chains that lack a caller
 *     span_weight.c     ... counted for the span of time that begins there, which a walk in front has measured
 *     aggregation.c       ... interned and summed; sums -> profile
 *     deferred_lookup.h        ... the last steps of that, some samples later
 *     budget.c      the memory that all of this may take, for the size of the input
 *     sampling_rate.c    how evenly the events were sampled
 *
 * With more than one thread the walk has one of its own.  It touches `walk`
 * and what it is listed to read there; all else is the calling thread's.
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

/* Parts of spans (span_weight.c): each is an event of the profile. */
enum hd_span_part {
	HD_SPAN_PART_BLOCKED,
	HD_SPAN_PART_QUEUED,
	HD_SPAN_PART_PREEMPTED,
	HD_SPAN_PART_WOKEN,
	HD_SPAN_PART_CALLS,
	HD_SPAN_PART_WALL,
	HD_SPAN_PARTS
};

/* What one sample counts for in one event. */
struct hd_event_weight {
	uint32_t event;
	uint64_t weight;
};

/* Of --weight off-cpu, wall and syscalls. */
struct hd_span_weights {
	struct hd_thread_intervals *spans;		/* complete before the second pass */
	uint8_t *role;			/* by attr: what its samples tell of spans */
	const struct hd_tracefield **field, **next;	/* by attr: of its tracepoint */
	bool has_switches;		/* the kernel's own records of them */
	struct hd_wait_reasons *reasons;
	const char *machine;		/* whose numbers system calls have; or NULL */
	const struct hd_thread_interval *now;	/* of the sample that is being counted */
	uint32_t leaf;			/* its innermost node */
};

/* What was lost of an event: by LOST records, by the kernel's LOST_SAMPLES records, and by the event's own counter. */
struct hd_event_losses {
	uint64_t buffer, hardware, counter;
};

/* The walking thread's own. */
struct hd_sample_pass {
	struct hd_log log;		/* what the reader finds on this walk */
	struct hd_event_losses *lost;		/* by attr */
	bool *comm_wanted;		/* by string id, of those known before the walk; NULL: all are */
	const char **comm_text;		/* the same strings, for a filter that asks; NULL: none does */
	size_t ncomms;
	struct hd_last_seen newest;
	uint64_t news_seq;		/* of the record that told something */
	struct hd_err err;
	int rc;				/* < 0, or enum hd_sample_pass_end */
};

enum hd_sample_pass_end {
	HD_SAMPLE_PASS_DONE,
	HD_SAMPLE_PASS_SIDEBAND,			/* a record told something that is not in proc */
};

enum { HD_PERF_INPUT_AGAIN = 1 };

/*
 * The memory that what is kept of a recording may take.  When it is used up, the samples that come are dropped as
 * HD_LOST_BUDGET.  `nodes`, `most_sums` and `addresses` are the numbers of chain nodes, sums and addresses (locator.h)
 * after which the sums move to the profile and the budget is checked.
 */
#define HD_LOST_BUDGET "lost.budget"
struct hd_budget {
	uint64_t limit;			/* bytes */
	uint64_t addresses;
	uint32_t nodes, most_nodes, most_sums;
	int64_t words;			/* of call chains that may be looked up: a bound of CPU time */
	const char *spent;		/* what is beyond the limit, as a clause; NULL: nothing yet */
};

struct hd_perf_input {
	/* Set before the second pass, and read only in it. */
	const struct hd_perf_source *from;
	const struct hd_pipeline_opts *opts;
	struct hd_selector select;
	struct hd_skip_rules skip;
	uint32_t *event_of;		/* by attr: event of the profile */
	bool *event_wanted;		/* by attr */
	bool *has_chain;		/* by event: its samples hold call chains */
	size_t nattrs;
	struct hd_field_table fields;
	const struct hd_sample_field **key_fields, *weight_field;
	size_t nkey_fields;
	bool wants_cgroups;		/* their names, of the side-band */
	bool asks;			/* samples have a tuple, or a field for a weight */
	enum hd_weight weight;		/* HD_WEIGHT_FIELD: weight_field */
	bool plain;			/* samples are placed and counted, and nothing else is asked of them */
	struct hd_span_weights *measure;	/* NULL: samples count for what was recorded */
	uint32_t part_event[HD_SPAN_PARTS];	/* of the profile */
	bool part_wanted[HD_SPAN_PARTS];

	/* The walk asks these; hd_process_find, hd_process_comm and hd_perf_group_values may be called beside it. */
	struct hd_perf *pf;
	struct hd_process_table *proc;
	bool whole_first;		/* the first walk is to be of the whole file */
	uint64_t known_seq;		/* of records with a lower seq, all side-band is in proc; UINT64_MAX: of all */
	struct hd_log proc_log;		/* what building proc said */
	struct hd_progress progress;
	struct hd_sample_pass walk;

	struct hd_profile *p;
	struct hd_jitdump_set *jitdumps;	/* complete before the second pass; NULL: there are none */
	struct hd_symbols *symbols;
	struct hd_embedded_files carried;	/* symbols that the recording itself holds */
	struct hd_locator *locator;
	struct hd_chains *chains;
	struct hd_stack_resolver resolver;
	struct hd_lbr lbr;
	struct hd_deferred_chains *deferred;	/* NULL: no event asks for it */
	struct hd_budget budget;
	struct hd_chain_sums sums;
	struct hd_deferred_lookup tail;		/* samples on their way to the sums */
	struct hd_buf field_text;
	uint64_t *weights;		/* by event of the profile: what was kept, so that no sum can wrap */
	double *squares;		/* the same of the squares of the weights; NULL: nobody asks */

	/* Of recordings with copied stacks; else NULL. */
	struct hd_sample_queue *queue;
	struct hd_unwind *unwind;
	struct hd_missing_caller { /* of recordings with chains by frame pointers, when details are asked for */
		struct hd_unwind *unwind;	/* when there is no other */
		struct hd_unwinder *unwinder;	/* NULL: not looked for */
		enum hd_unwind_machine machine;
		uint64_t abi;
		struct hd_missing_caller_cache {
			uint64_t ip;
			uint32_t space;
			bool hides;
		} recent[1021]; /* by address */
	} hidden;
	struct hd_stitch *stitch;
	struct hd_symbols_key *code;	/* by object of process/: what threads may ask for */
	struct hd_unwind_gap_counts gaps;
	const char *no_unwind_for;	/* NULL, or the machine whose copied stacks are not unwound */
};

/* perf_input.c: was it recorded on this machine, by its own words? */
bool hd_perf_input_recorded_here(struct hd_perf *pf);
/* Those of the machine where it was bundled, else of this one. */
struct hd_host_context hd_perf_input_host_context(const struct hd_perf_input *in, struct hd_perf *pf);

/* sideband.c: the first walk, as far as it goes; proc is built. */
int hd_perf_input_read_sideband(struct hd_perf_input *in, struct hd_err *err);
/* Is it a record that known_seq is about?  A sample may have another answer after it. */
bool hd_perf_input_is_sideband(struct hd_perf_input *in, const struct hd_record *rec);
/* What is left of the side-band, when there are news.  HD_PERF_INPUT_AGAIN: too late for samples that were counted. */
int hd_perf_input_read_ahead(struct hd_perf_input *in, struct hd_err *err);

/* sample_fields.c: fields by name, once the attrs are complete. */
bool hd_perf_input_wants_cgroups(const struct hd_perf_input *in);
int hd_perf_input_begin_fields(struct hd_perf_input *in, struct hd_err *err);
int hd_perf_input_list_fields(struct hd_perf_input *in,
	struct hd_err *err); /* into the profile's recording, if that was asked for */
void hd_perf_input_end_fields(struct hd_perf_input *in);
/* Of a sample: its tuple, and its weight if a field is that.  NULL, or the reason why it cannot be counted, which was told. */
const char *hd_perf_input_sample_fields(struct hd_perf_input *in, const struct hd_queued_sample *q, uint32_t *tuple,
	uint64_t *weight);

/* span_weight.c: spans of time.  All but the first two only if in->measure. */
bool hd_pipeline_weighs_spans(const struct hd_pipeline_opts *opts);
int hd_perf_input_begin_span_weights(struct hd_perf_input *in, struct hd_err *err);
void hd_perf_input_map_span_events(struct hd_perf_input *in);		/* the events of the profile */
int hd_perf_input_measure_spans(struct hd_perf_input *in, struct hd_err *err); /* the walk in front of the second one */
bool hd_perf_input_has_span(const struct hd_perf_input *in, uint64_t seq);
/* What the sample at `seq` counts for, once; 0: nothing, and *why. */
size_t hd_perf_input_span_weights(struct hd_perf_input *in, uint64_t seq, struct hd_event_weight parts[2],
	const char **why);
void hd_perf_input_add_unsampled_spans(struct hd_perf_input *in); /* at the end: threads whose switches have no stack */
void hd_perf_input_end_span_weights(struct hd_perf_input *in);	/* NULL is fine */

/* unwind_setup.c: the files with the code of proc's objects are opened through this; hd_perf_input_learn_code after proc has more of them. */
struct hd_unwind_source hd_perf_input_code_source(struct hd_perf_input *in);
void hd_perf_input_learn_code(struct hd_perf_input *in);
enum hd_unwind_machine hd_perf_input_unwind_machine(const char *arch);
/* unwind_setup.c: if some event has copied stacks that can be unwound: the queue and what belongs to it. */
void hd_perf_input_begin_unwinding(struct hd_perf_input *in);
/* After the walk: what was not unwound is told. */
void hd_perf_input_end_unwinding(struct hd_perf_input *in);
void hd_perf_input_grow_unwinding(struct hd_perf_input *in);	/* proc has more objects */
void hd_perf_input_record_unwinding(struct hd_perf_input *in); /* for a bundle: which call frame information was used */

/* missing_caller.c: does the recorded chain lack the caller of its innermost user function?  Call _begin_hidden after _begin_unwinding. */
void hd_perf_input_begin_missing_caller(struct hd_perf_input *in);
bool hd_perf_input_caller_missing(struct hd_perf_input *in, const struct hd_queued_sample *q);
void hd_perf_input_end_missing_caller(struct hd_perf_input *in);

/* sampling_rate.c: after the walk. */
void hd_perf_input_describe_sampling(struct hd_perf_input *in);

/* Is the thread of a sample that was made up wanted?  Its place in process/ is filled in. */
bool hd_perf_input_wants_thread(struct hd_perf_input *in, struct hd_queued_sample *q);
/* sample_pass.c: the second walk, with a look ahead where it is needed; every sample goes to the queue or, without one, to hd_perf_input_add_sample. */
int hd_perf_input_read_samples(struct hd_perf_input *in, struct hd_err *err);

/* budget.c: hd_perf_input_begin_budget before proc is fed; hd_perf_input_check_budget after each move of the sums. */
void hd_perf_input_begin_budget(struct hd_perf_input *in);
void hd_perf_input_limit_proc(const struct hd_perf_input *in, struct hd_process_table *proc);
void hd_perf_input_check_budget(struct hd_perf_input *in);
void hd_perf_input_exhaust_budget(struct hd_perf_input *in, const char *what);	/* drop all samples from here on */
void hd_perf_input_count_address(struct hd_perf_input *in);
uint32_t hd_perf_input_stacks_left(
	const struct hd_perf_input *in); /* the number of stacks at which the limit is reached */
void hd_perf_input_limit_stacks(struct hd_perf_input *in); /* after the walk: the nodes of a call tree by thread name */
void hd_perf_input_warn_budget(struct hd_perf_input *in);		/* after the walk: warn of what was dropped */

/* aggregation.c */
void hd_perf_input_add_sample(struct hd_perf_input *in, const struct hd_queued_sample *q,
	const struct hd_unwound_frames *frames); /* in file order */
void hd_perf_input_add_unplaced(struct hd_perf_input *in, const struct hd_queued_sample *q,
	const struct hd_event_weight *what); /* a stack of unknown place */
void hd_perf_input_end_deferred_chains(
	struct hd_perf_input *in); /* samples that still wait for their user chain are counted without it */
void hd_perf_input_flush(
	struct hd_perf_input *in); /* the sums move to the profile: chains become stacks, nodes are forgotten */

#endif
