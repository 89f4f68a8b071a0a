/*
 * pipeline.h - what the files of the perf.data pipeline share, and nobody else includes
 *
 *     perf.c        the whole of it: open, the passes, what to say of the recording
 *     sideband.c    first pass, often only over the beginning: who is which process, what is mapped where
 *     jits.c        ... and what its jitdumps say
 *     asking.c      fields of samples: what was asked for, by name
 *     walk.c        second pass: records -> selected samples, with their place in proc/
 *     samples.c     ... unwound by any thread
 *     unwinding.c   ... what that takes
 *     hidden.c      recorded chains that lack a caller
 *     measure.c     ... counted for the span of time that begins there, which a walk in front has measured
 *     count.c       ... interned and summed; sums -> profile
 *     tail.h        ... the last steps of that, some samples later
 *     budget.c      the memory that all of this may take, for the size of the input
 *     sampling.c    how evenly the events were sampled
 *
 * With more than one thread the walk has one of its own.  It touches `walk`
 * and what it is listed to read there; all else is the calling thread's.
 */
#ifndef HD_INGEST_PIPELINE_H
#define HD_INGEST_PIPELINE_H

#include "ingest/chains.h"
#include "ingest/deferred.h"
#include "ingest/fields.h"
#include "ingest/jits.h"
#include "ingest/lbr.h"
#include "ingest/locate.h"
#include "ingest/newest.h"
#include "ingest/perf.h"
#include "ingest/progress.h"
#include "ingest/resolve.h"
#include "ingest/samples.h"
#include "ingest/select.h"
#include "ingest/stitch.h"
#include "ingest/sums.h"
#include "ingest/tail.h"
#include "perfdata/carried.h"
#include "ingest/skip.h"
#include "spans/spans.h"

/* Parts of spans (measure.c): each is an event of the profile. */
enum hd_part { HD_PART_BLOCKED, HD_PART_QUEUED, HD_PART_PREEMPTED, HD_PART_WOKEN, HD_PART_CALLS, HD_PART_WALL, HD_PARTS };

/* What one sample counts for in one event. */
struct hd_counted {
	uint32_t event;
	uint64_t weight;
};

/* Of --weight off-cpu, wall and syscalls. */
struct hd_measure {
	struct hd_spans *spans;		/* complete before the second pass */
	uint8_t *role;			/* by attr: what its samples tell of spans */
	const struct hd_tracefield **field, **next;	/* by attr: of its tracepoint */
	bool has_switches;		/* the kernel's own records of them */
	struct hd_reasons *reasons;
	const char *machine;		/* whose numbers system calls have; or NULL */
	const struct hd_span *now;	/* of the sample that is being counted */
	uint32_t leaf;			/* its innermost node */
};

/* What was lost of an event: by LOST records, by the kernel's LOST_SAMPLES records, and by the event's own counter. */
struct hd_losses {
	uint64_t buffer, hardware, counter;
};

/* The walking thread's own. */
struct hd_walk_state {
	struct hd_log log;		/* what the reader finds on this walk */
	struct hd_losses *lost;		/* by attr */
	bool *comm_wanted;		/* by string id, of those known before the walk; NULL: all are */
	const char **comm_text;		/* the same strings, for a filter that asks; NULL: none does */
	size_t ncomms;
	struct hd_newest newest;
	uint64_t news_seq;		/* of the record that told something */
	struct hd_err err;
	int rc;				/* < 0, or enum hd_walk_end */
};

enum hd_walk_end {
	HD_WALK_DONE,
	HD_WALK_NEWS,			/* a record told something that is not in proc */
};

/* hd_ingest_perf: what was taken to be all of the side-band was not; once more, with a fresh profile and the whole first walk. */
enum { HD_INGEST_AGAIN = 1 };

/*
 * The memory that what is kept of a recording may take.  When it is used up, the samples that come are dropped as
 * HD_LOST_BUDGET.  `nodes`, `most_sums` and `addresses` are the numbers of chain nodes, sums and addresses (locate.h)
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

struct hd_ingest {
	/* Set before the second pass, and read only in it. */
	const struct hd_perf_from *from;
	const struct hd_ingest_opts *opts;
	struct hd_selector select;
	struct hd_skip skip;
	uint32_t *event_of;		/* by attr: event of the profile */
	bool *event_wanted;		/* by attr */
	bool *has_chain;		/* by event: its samples hold call chains */
	size_t nattrs;
	struct hd_fields fields;
	const struct hd_field **key_fields, *weight_field;
	size_t nkey_fields;
	bool wants_cgroups;		/* their names, of the side-band */
	bool asks;			/* samples have a tuple, or a field for a weight */
	enum hd_weight weight;		/* HD_WEIGHT_FIELD: weight_field */
	bool plain;			/* samples are placed and counted, and nothing else is asked of them */
	struct hd_measure *measure;	/* NULL: samples count for what was recorded */
	uint32_t part_event[HD_PARTS];	/* of the profile */
	bool part_wanted[HD_PARTS];

	/* The walk asks these; hd_proc_find, hd_proc_comm and hd_perf_group_values may be called beside it. */
	struct hd_perf *pf;
	struct hd_proc *proc;
	bool whole_first;		/* the first walk is to be of the whole file */
	uint64_t known_seq;		/* of records with a lower seq, all side-band is in proc; UINT64_MAX: of all */
	struct hd_log proc_log;		/* what building proc said */
	struct hd_progress progress;
	struct hd_walk_state walk;

	struct hd_profile *p;
	struct hd_jitdumps *jitdumps;	/* complete before the second pass; NULL: there are none */
	struct hd_symbols *symbols;
	struct hd_symbols_tables carried;	/* symbols that the recording itself holds */
	struct hd_locator *locator;
	struct hd_chains *chains;
	struct hd_resolver resolver;
	struct hd_lbr lbr;
	struct hd_deferred *deferred;	/* NULL: no event asks for it */
	struct hd_budget budget;
	struct hd_sums sums;
	struct hd_tail tail;		/* samples on their way to the sums */
	struct hd_buf field_text;
	uint64_t *weights;		/* by event of the profile: what was kept, so that no sum can wrap */
	double *squares;		/* the same of the squares of the weights; NULL: nobody asks */

	/* Of recordings with copied stacks; else NULL. */
	struct hd_queue *queue;
	struct hd_unwind *unwind;
	struct hd_hidden {		/* of recordings with chains by frame pointers, when details are asked for */
		struct hd_unwind *unwind;	/* when there is no other */
		struct hd_unwinder *unwinder;	/* NULL: not looked for */
		enum hd_unwind_machine machine;
		uint64_t abi;
		struct hd_hidden_recent { uint64_t ip; uint32_t space; bool hides; } recent[1021];	/* by address */
	} hidden;
	struct hd_stitch *stitch;
	struct hd_symbols_key *code;	/* by object of proc/: what threads may ask for */
	struct hd_gaps gaps;
	const char *no_unwind_for;	/* NULL, or the machine whose copied stacks are not unwound */
};

/* perf.c: was it recorded on this machine, by its own words? */
bool hd_ingest_recorded_here(struct hd_perf *pf);
/* Those of the machine where it was bundled, else of this one. */
struct hd_circumstances hd_ingest_circumstances(const struct hd_ingest *in, struct hd_perf *pf);

/* sideband.c: the first walk, as far as it goes; proc is built. */
int hd_ingest_sideband(struct hd_ingest *in, struct hd_err *err);
/* Is it a record that known_seq is about?  A sample may have another answer after it. */
bool hd_ingest_is_news(struct hd_ingest *in, const struct hd_record *rec);
/* What is left of the side-band, when there are news.  HD_INGEST_AGAIN: too late for samples that were counted. */
int hd_ingest_look_ahead(struct hd_ingest *in, struct hd_err *err);

/* asking.c: fields by name, once the attrs are complete. */
bool hd_ingest_wants_cgroups(const struct hd_ingest *in);
int hd_ingest_begin_fields(struct hd_ingest *in, struct hd_err *err);
int hd_ingest_list_fields(struct hd_ingest *in, struct hd_err *err);	/* into the profile's recording, if that was asked for */
void hd_ingest_end_fields(struct hd_ingest *in);
/* Of a sample: its tuple, and its weight if a field is that.  NULL, or the reason why it cannot be counted, which was told. */
const char *hd_ingest_ask(struct hd_ingest *in, const struct hd_queued *q, uint32_t *tuple, uint64_t *weight);

/* measure.c: spans of time.  All but the first two only if in->measure. */
bool hd_ingest_measures(const struct hd_ingest_opts *opts);
int hd_ingest_begin_measure(struct hd_ingest *in, struct hd_err *err);
void hd_ingest_map_parts(struct hd_ingest *in);		/* the events of the profile */
int hd_ingest_measure(struct hd_ingest *in, struct hd_err *err);	/* the walk in front of the second one */
bool hd_ingest_has_span(const struct hd_ingest *in, uint64_t seq);
/* What the sample at `seq` counts for, once; 0: nothing, and *why. */
size_t hd_ingest_parts(struct hd_ingest *in, uint64_t seq, struct hd_counted parts[2], const char **why);
void hd_ingest_add_rest(struct hd_ingest *in);		/* at the end: threads whose switches have no stack */
void hd_ingest_end_measure(struct hd_ingest *in);	/* NULL is fine */

/* unwinding.c: the files with the code of proc's objects are opened through this; hd_ingest_learn_code after proc has more of them. */
struct hd_unwind_source hd_ingest_code_source(struct hd_ingest *in);
void hd_ingest_learn_code(struct hd_ingest *in);
enum hd_unwind_machine hd_ingest_machine_of(const char *arch);
/* unwinding.c: if some event has copied stacks that can be unwound: the queue and what belongs to it. */
void hd_ingest_begin_unwinding(struct hd_ingest *in);
/* After the walk: what was not unwound is told. */
void hd_ingest_end_unwinding(struct hd_ingest *in);
void hd_ingest_grow_unwinding(struct hd_ingest *in);	/* proc has more objects */
void hd_ingest_remember_unwinding(struct hd_ingest *in);	/* for a bundle: which call frame information was used */

/* hidden.c: does the recorded chain lack the caller of its innermost user function?  Call _begin_hidden after _begin_unwinding. */
void hd_ingest_begin_hidden(struct hd_ingest *in);
bool hd_ingest_caller_hidden(struct hd_ingest *in, const struct hd_queued *q);
void hd_ingest_end_hidden(struct hd_ingest *in);

/* sampling.c: after the walk. */
void hd_ingest_describe_sampling(struct hd_ingest *in);

/* Is the thread of a sample that was made up wanted?  Its place in proc/ is filled in. */
bool hd_ingest_wants_thread(struct hd_ingest *in, struct hd_queued *q);
/* walk.c: the second walk, with a look ahead where it is needed; every sample goes to the queue or, without one, to hd_ingest_add. */
int hd_ingest_walk(struct hd_ingest *in, struct hd_err *err);

/* budget.c: hd_ingest_begin_budget before proc is fed; hd_ingest_check_budget after each move of the sums. */
void hd_ingest_begin_budget(struct hd_ingest *in);
void hd_ingest_limit_proc(const struct hd_ingest *in, struct hd_proc *proc);
void hd_ingest_check_budget(struct hd_ingest *in);
void hd_ingest_spend(struct hd_ingest *in, const char *what);	/* drop all samples from here on */
void hd_ingest_address_met(struct hd_ingest *in);
uint32_t hd_ingest_stacks_left(const struct hd_ingest *in);	/* the number of stacks at which the limit is reached */
void hd_ingest_limit_stacks(struct hd_ingest *in);		/* after the walk: the nodes of a call tree by thread name */
void hd_ingest_tell_budget(struct hd_ingest *in);		/* after the walk: warn of what was dropped */

/* count.c */
void hd_ingest_add(struct hd_ingest *in, const struct hd_queued *q, const struct hd_frames *frames);	/* in file order */
void hd_ingest_count_nowhere(struct hd_ingest *in, const struct hd_queued *q, const struct hd_counted *what);	/* a stack of unknown place */
void hd_ingest_end_deferred(struct hd_ingest *in);	/* samples that still wait for their user chain are counted without it */
void hd_ingest_flush(struct hd_ingest *in);	/* the sums move to the profile: chains become stacks, nodes are forgotten */

#endif
