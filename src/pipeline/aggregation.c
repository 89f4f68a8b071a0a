/*
 * aggregation.c - add up the samples by call chain, and add the sums to the profile as rows; see perf_input_state.h
 */
#include "pipeline/perf_input_state.h"

#include "base/encode.h"
#include "base/mem.h"
#include "pipeline/divided_walk.h"

#include <stdlib.h>
#include <string.h>

static void count_gap(struct hd_unwind_gap_counts *gaps, uint32_t object, uint64_t samples)
{
	size_t had = gaps->n;

	if (object >= had) {
		HD_GROW(gaps->samples, (size_t)object + 1, gaps->cap);
		gaps->n = (size_t)object + 1;
		memset(gaps->samples + had, 0, (gaps->n - had) * sizeof(*gaps->samples));
	}
	gaps->samples[object] += samples;
}

/*
 * Add the samples of `sum` to the counts of copied stacks in struct hd_recording: cut, stitched, with guessed frames,
 * root reached, or ended in code whose unwind information is missing or wrong.  Also count the samples for the object
 * in which unwinding failed or first had to guess.
 */
static void judge_copied(struct hd_perf_input *in, const struct hd_chain_sum *sum, const struct hd_resolved_chain *path)
{
	struct hd_recording *rec = &in->p->recording;
	const struct hd_chain_root *root = hd_chains_root_of(in->agg.chains, path->end);
	bool cut = sum->flags & HD_CHAIN_SUM_CUT, guessed = sum->flags & HD_CHAIN_SUM_GUESSED;
	bool stitched = cut && (sum->flags & HD_CHAIN_SUM_STITCHED || path->end != path->own_root);
	bool reached = root->end == HD_CHAIN_COMPLETE || path->at_root;

	rec->with_stack += sum->count;
	rec->copied_stacks += sum->count;
	if (cut)
		rec->stacks_cut += sum->count;
	if (stitched)
		rec->stitched += sum->count;
	if (guessed)
		rec->guessed += sum->count;
	if (reached && guessed)
		rec->guessed_root += sum->count;
	else if (reached && stitched)
		rec->stitched_root += sum->count;
	else if (reached)
		rec->root_reached += sum->count;
	if (!reached && root->end == HD_CHAIN_ENDED)
		rec->no_unwind += sum->count;
	if (root->object && (guessed || !reached))
		count_gap(&in->unwinding.gaps, root->object, sum->count);
}

/*
 * Add a sum (of the weights of samples) to the profile as a row.  Return the index of the row, or HD_TIMED_DROPPED if
 * the samples are dropped.
 */
static uint32_t flush_sum(struct hd_perf_input *in, const struct hd_chain_sum *sum)
{
	struct hd_profile *p = in->p;
	struct hd_recording *rec = &p->recording;
	const struct hd_resolved_chain *path = &in->agg.resolver.paths[sum->leaf];
	struct hd_sample_row row = {
		.stack = path->stack, .event = sum->event, .comm = sum->comm, .pid = sum->pid,
		.tid = sum->tid, .cpu = sum->cpu, .tuple = sum->tuple, .weight = sum->weight, .count = sum->count,
	};
	const struct hd_profile_symbol *s;

	if (path->over) {
		p->kept -= row.count;
		hd_profile_drop(p, HD_LOST_BUDGET, row.count);
		return HD_TIMED_DROPPED;
	}
	row.self = in->request.opts->select.no_kernel ? path->function
						      : hd_locator_get(in->lookup.locator, sum->self)->frame;
	hd_skip_rules_apply(&in->agg.skip, &row);
	s = &p->symbols[p->frames[row.self.v].symbol];
	if (!path->depth || !hd_selector_dso(&in->request.select, hd_profile_str(p, p->objects[s->object].name)) ||
		!hd_selector_symbol(&in->request.select, s->unresolved ? HD_UNKNOWN : hd_profile_str(p, s->name),
			hd_profile_str(p, s->linkage))) {
		p->kept -= row.count;
		hd_profile_drop(p, "not selected", row.count);
		return HD_TIMED_DROPPED;
	}
	if (sum->flags & HD_CHAIN_SUM_COPIED) {
		if (!in->unwinding.unsupported_machine)
			judge_copied(in, sum, path);
	} else if (in->request.has_chain[sum->event] && path->has_user) {
		rec->with_stack += row.count;
		rec->root_reached += path->at_root ? row.count : 0;
		if (sum->flags & HD_CHAIN_SUM_CALLER_MISSING) {
			rec->caller_hidden += row.count;
			rec->hidden_root += path->at_root ? row.count : 0;
		}
	}
	rec->frames += row.count * path->depth;
	rec->unknown_frames += row.count * path->unknown;
	return hd_profile_add_sample(p, &row);
}

static void flush_sums(struct hd_perf_input *in)
{
	const struct hd_chain_sums *sums = &in->agg.sums;
	uint32_t *row_of = in->p->timed ? hd_new_array(uint32_t, sums->n) : NULL;

	for (size_t i = 0; i < sums->n; i++) {
		uint32_t row = flush_sum(in, &sums->items[i]);

		if (row_of)
			row_of[i] = row;
	}
	if (row_of)
		hd_timed_samples_place(in->p->timed, row_of);
	free(row_of);
}

void hd_perf_input_flush(struct hd_perf_input *in)
{
	hd_deferred_lookup_drain(&in->agg.tail);
	in->agg.resolver.most_stacks = hd_perf_input_stacks_left(in);
	hd_stack_resolver_run(&in->agg.resolver, in->agg.chains);
	flush_sums(in);
	hd_chain_sums_clear(&in->agg.sums);
	hd_chains_clear(in->agg.chains);
	if (in->unwinding.stitch)
		hd_stitch_clear(in->unwinding.stitch);
	hd_perf_input_check_budget(in);
}

/* Parts of the key under which a sample is added up (struct hd_chain_sum), and its weight if a field is the weight. */
struct place {
	uint32_t leaf, self;		/* ids of the chain node and of the sampled address's location */
	struct hd_chain_tip tip;	/* the chain node, if its lookup is deferred and leaf is 0 */
	uint32_t flags;			/* enum hd_chain_sum_flags */
	uint32_t tuple;
	uint64_t weight;		/* only used if a field is the weight */
};

static __attribute__((cold, noinline)) void leave_out(struct hd_perf_input *in, uint64_t weight)
{
	hd_profile_drop(in->p, "lost.weight", 1);
	hd_warn(&in->p->log, "lost.weight", "",
		"%s: the sum of the weights exceeds 64 bits; a sample of %llu was dropped",
		hd_perf_file(in->pf)->path, (unsigned long long)weight);
}

/*
 * Return the id of the synthetic name of a thread without a name; in a part of a recording (divided_walk.h), the number
 * that stands for this name.
 */
static __attribute__((cold, noinline)) uint32_t name_thread(struct hd_perf_input *in,
	const struct hd_process_context *at, int32_t tid)
{
	return in->agg.unnamed ? hd_unnamed_threads_add(in->agg.unnamed, tid, in->lookup.locator)
			       : hd_process_comm(in->spaces.proc, at, tid);
}

/*
 * Set *sum to the key and the weight with which a sample counts for one event of the profile.  Add the weight to the
 * totals of the event, and count the sample as kept.  If the total would exceed 64 bits, count the sample as dropped
 * instead, and return false.
 */
static inline __attribute__((always_inline)) bool sum_of(struct hd_perf_input *in, const struct hd_sample *s,
	const struct hd_process_context *at, const struct place *place, const struct hd_event_weight *what,
	struct hd_chain_sum *sum)
{
	unsigned keys = in->p->keys;
	uint64_t weight;

	*sum = (struct hd_chain_sum){
		.leaf = place->leaf,
		.self = place->self,
		.flags = place->flags,
		.event = what->event,
		.comm = !(keys & HD_KEY_COMM)            ? 0
			: at->comm != HD_PROCESS_UNNAMED ? at->comm
							 : name_thread(in, at, s->tid),
		.pid = keys & HD_KEY_PID ? s->pid : 0,
		.tid = keys & HD_KEY_TID ? s->tid : 0,
		.cpu = keys & HD_KEY_CPU ? s->cpu : 0,
		.tuple = place->tuple,
		.weight = what->weight,
		.count = 1,
	};
	if (__builtin_add_overflow(in->agg.weights[what->event], what->weight, &weight)) {
		leave_out(in, what->weight);
		return false;
	}
	in->agg.weights[what->event] = weight;
	if (in->agg.squares)
		in->agg.squares[what->event] += (double)what->weight * (double)what->weight;
	in->p->kept++;
	return true;
}

static uint32_t most_timed(const struct hd_perf_input *in)
{
	return in->request.opts->timed_most ? in->request.opts->timed_most : HD_TIMED_SAMPLES_MOST;
}

/*
 * Store the time and the weight of a sample that was added to the sum `index`.  If there are more samples than the
 * limit allows, all further samples are dropped, and hd_perf_input_end_timed() fails.
 */
static void keep_time(struct hd_perf_input *in, const struct hd_sample *s, uint64_t weight, uint32_t index)
{
	struct hd_timed_sample sample = { .time_ns = s->time_ns, .weight = weight, .row = index, .cpu = s->cpu };

	hd_timed_samples_add(in->p->timed, &sample);
	if (in->p->timed->n <= most_timed(in))
		return;
	in->agg.too_many_timed = true;
	hd_perf_input_exhaust_budget(in, "it has too many samples");
}

int hd_perf_input_end_timed(struct hd_perf_input *in, struct hd_err *err)
{
	if (!in->p->timed)
		return 0;
	if (in->agg.too_many_timed)
		return hd_fail(err, HD_EFORMAT,
			"%s: has more than %u samples, which is the most that an output with times can hold; select "
			"fewer with --time A,B, --event or --tid",
			in->request.from->path, most_timed(in));
	hd_timed_samples_sort(in->p->timed);
	return 0;
}

static void count_as(struct hd_perf_input *in, const struct hd_sample *s, const struct hd_process_context *at,
	const struct place *place, const struct hd_event_weight *what)
{
	struct hd_chain_sum sum;
	uint32_t index;

	if (!sum_of(in, s, at, place, what, &sum))
		return;
	index = hd_chain_sums_add(&in->agg.sums, &sum);
	if (in->p->timed)
		keep_time(in, s, what->weight, index);
}

/* Return the event and weight of a sample. */
static inline struct hd_event_weight counted(const struct hd_perf_input *in, const struct hd_sample *s,
	const struct place *place)
{
	return (struct hd_event_weight){ in->request.event_of[s->attr],
		in->fields.weight == HD_WEIGHT_PERIOD            ? s->period
			: in->fields.weight == HD_WEIGHT_SAMPLES ? 1
							  : place->weight };
}

/* Count a sample as read and dropped. */
static __attribute__((noinline)) void drop(struct hd_perf_input *in, const char *reason)
{
	in->p->read++;
	hd_profile_drop(in->p, reason, 1);
}

static void count_or_drop(struct hd_perf_input *in, const struct hd_sample *s, const struct hd_process_context *at,
	const struct place *place)
{
	struct hd_event_weight what;

	if (!in->request.event_wanted[s->attr]) {
		drop(in, "not selected");
		return;
	}
	in->p->read++;
	what = counted(in, s, place);
	count_as(in, s, at, place, &what);
}

static void note_time(struct hd_perf_input *in, const struct hd_sample *s)
{
	struct hd_recording *rec = &in->p->recording;

	if (!s->has_time)
		return;
	if (!rec->first_ns || s->time_ns < rec->first_ns)
		rec->first_ns = s->time_ns;
	if (s->time_ns > rec->last_ns)
		rec->last_ns = s->time_ns;
}

/* Count the branches and the trace data of a sample.  Called only with opts->details. */
static void note_details(struct hd_perf_input *in, const struct hd_sample *s)
{
	struct hd_recording *rec = &in->p->recording;
	bool big = hd_perf_file(in->pf)->big;

	rec->branches += s->nbranches;
	for (uint32_t i = 0; i < s->nbranches; i++) {
		unsigned outcome = hd_sample_branch_outcome(s, i, big);

		rec->mispredicted += !!(outcome & HD_BRANCH_MISPREDICTED);
		rec->predicted += !!(outcome & HD_BRANCH_PREDICTED);
	}
	rec->trace_bytes += s->aux_bytes;
}

/*
 * Add the call chain of a sample to the tree of chains.  If its stack copy was unwound, the chain has the unwound
 * frames, and place->leaf becomes its innermost node.  Otherwise the chain is made of the LBR call stack, or is the
 * recorded chain, and place->tip is set: the lookup of the innermost node is deferred.
 */
static inline __attribute__((always_inline)) void place_tip(struct hd_perf_input *in, const struct hd_queued_sample *q,
	const struct hd_unwound_frames *frames, struct place *place)
{
	if (q->s.stack_user_bytes)
		place->flags |= HD_CHAIN_SUM_COPIED;
	if (q->unwind && q->n) {
		struct hd_unwound_stack u = {
			.at = &q->at, .time_ns = q->s.time_ns, .pid = q->s.pid, .tid = q->s.tid, .n = q->n,
			.end = q->end, .object = q->object,
			.guessed = q->guessed, .ip = frames->ip, .cfa = frames->cfa, .flags = frames->flags,
		};

		place->leaf = hd_stitch_add(in->unwinding.stitch, &u, &place->flags);
		place->leaf = hd_chains_add_non_user(in->agg.chains, &q->at, place->leaf, frames->ip[0], &q->s,
			&place->self);
	} else if (q->s.branches_are_calls) {
		struct hd_sample s;

		place->tip = hd_chains_add_callers(in->agg.chains, &q->at, hd_lbr_chain(&in->agg.lbr, &q->s, &s),
			&place->self);
	} else {
		place->tip = hd_chains_add_callers(in->agg.chains, &q->at, &q->s, &place->self);
		if (__builtin_expect(in->unwinding.missing_caller.unwinder != NULL, 0) && !q->s.stack_user_bytes &&
			hd_perf_input_caller_missing(in, q))
			place->flags |= HD_CHAIN_SUM_CALLER_MISSING;
	}
}

static void place_sample(struct hd_perf_input *in, const struct hd_queued_sample *q,
	const struct hd_unwound_frames *frames, struct place *place)
{
	place_tip(in, q, frames, place);
	if (!place->leaf)
		place->leaf = hd_chains_child(in->agg.chains, place->tip.outer, place->tip.location);
}

static void flush_when_large(struct hd_perf_input *in)
{
	if (hd_chains_count(in->agg.chains) > in->budget.nodes || in->agg.sums.n > in->budget.most_sums)
		hd_perf_input_flush(in);
}

/* ---- samples with deferred user chains (deferred_chains.h) ---- */

/* Aggregate the samples that need not wait any longer. */
static void count_waited(struct hd_perf_input *in)
{
	const struct hd_queued_sample *q;

	while ((q = hd_deferred_chains_take(in->agg.deferred))) {
		struct place place = { .tuple = q->tuple, .weight = q->field_weight };

		place_sample(in, q, NULL, &place);
		count_or_drop(in, &q->s, &q->at, &place);
		flush_when_large(in);
	}
}

/*
 * Aggregate sample s, which is the queued sample q->s or one event of its group.  If `wait` is set, s is held until its
 * user call chain arrives (deferred_chains.h).
 */
static void count_or_wait(struct hd_perf_input *in, const struct hd_queued_sample *q, const struct hd_sample *s,
	const struct place *place, bool wait)
{
	struct hd_queued_sample share;

	if (!wait || !in->request.event_wanted[s->attr]) {
		count_or_drop(in, s, &q->at, place);
		return;
	}
	share = *q;
	share.s = *s;
	share.unwind = false;
	share.tuple = place->tuple;
	share.field_weight = place->weight;
	hd_deferred_chains_hold(in->agg.deferred, &share);
	count_waited(in);
}

/*
 * Return true if the sample must wait for its user call chain.  It need not wait if its callers are known from an
 * unwound stack copy or from its LBR call stack.
 */
static bool must_wait(const struct hd_queued_sample *q)
{
	return hd_deferred_chains_awaits(&q->s) && !(q->unwind && q->n) && !(q->s.branches_are_calls && q->s.nbranches);
}

void hd_perf_input_end_deferred_chains(struct hd_perf_input *in)
{
	uint64_t lost;

	if (!in->agg.deferred)
		return;
	hd_deferred_chains_end(in->agg.deferred);
	count_waited(in);
	lost = hd_deferred_chains_lost(in->agg.deferred);
	if (lost)
		hd_warn_n(&in->p->log, "lost.deferred-chain", lost,
			"record with a larger buffer (perf record -m 16M), or with --call-graph fp",
			"%s: the user call chain of a sample was to be recorded later, and its record never came; the "
			"sample counts with its kernel frames",
			hd_perf_file(in->pf)->path);
}

/* ---- samples whose weight is a span of time ---- */

static void add_measured(struct hd_perf_input *in, const struct hd_queued_sample *q,
	const struct hd_unwound_frames *frames)
{
	struct hd_event_weight parts[2];
	struct place place = { 0 };
	const char *why;
	size_t n = hd_perf_input_span_weights(in, q->rec.seq, parts, &why);

	if (!n) {
		drop(in, why);
		return;
	}
	note_time(in, &q->s);
	place_sample(in, q, frames, &place);
	in->spans->leaf = place.leaf;
	if (in->fields.per_sample && (why = hd_perf_input_sample_fields(in, q, &place.tuple, &place.weight))) {
		drop(in, why);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		in->p->read++;
		count_as(in, &q->s, &q->at, &place, &parts[i]);
	}
	flush_when_large(in);
}

void hd_perf_input_add_unplaced(struct hd_perf_input *in, const struct hd_queued_sample *q,
	const struct hd_event_weight *what)
{
	struct place place = { 0 };

	place.self = hd_locator_nowhere(in->lookup.locator);
	place.leaf = hd_chains_child(in->agg.chains, hd_chains_root(in->agg.chains, HD_CHAIN_RECORDED, 0), place.self);
	in->spans->leaf = place.leaf;
	if (in->fields.per_sample && hd_perf_input_sample_fields(in, q, &place.tuple, &place.weight))
		return;
	in->p->read++;
	count_as(in, &q->s, &q->at, &place, what);
}

/* ---- samples ---- */

/* The slow path: add a sample that the fast path of hd_perf_input_add_sample() does not handle. */
static __attribute__((noinline)) void add_carefully(struct hd_perf_input *in, const struct hd_queued_sample *q,
	const struct hd_unwound_frames *frames)
{
	const struct hd_read_value *values = NULL;
	size_t nvalues = q->s.nread ? hd_perf_group_values(in->pf, &q->rec, &q->s, &values) : 0;
	struct hd_sample s;
	struct place place = { 0 };
	bool moved = false, wait;

	hd_deferred_lookup_drain(&in->agg.tail);
	if (q->drop) {
		if (q->rec.kind == HD_REC_CALLCHAIN_DEFERRED) {
			hd_deferred_chains_arrive(in->agg.deferred, &q->s);
			count_waited(in);
			return;
		}
		drop(in, q->drop);
		if (q->why)
			hd_warn(&in->p->log, q->drop, "", "%s", q->why);
		return;
	}
	if (in->budget.spent) {
		drop(in, HD_LOST_BUDGET);
		return;
	}
	if (in->spans) {
		add_measured(in, q, frames);
		return;
	}
	if (in->fields.per_sample && (q->s.nread || in->request.event_wanted[q->s.attr])) {
		const char *unfit = hd_perf_input_sample_fields(in, q, &place.tuple, &place.weight);

		if (unfit) {
			drop(in, unfit);
			return;
		}
	}
	note_time(in, &q->s);
	if (in->request.opts->details)
		note_details(in, &q->s);
	wait = in->agg.deferred && must_wait(q);
	if (!wait)
		place_sample(in, q, frames, &place);
	if (!nvalues) {
		count_or_wait(in, q, &q->s, &place, wait);
	} else {
		s = q->s;
		for (size_t i = 0; i < nvalues; i++) {
			if (!values[i].value)
				continue;
			moved = true;
			s.attr = values[i].attr;
			s.period = values[i].value;
			count_or_wait(in, q, &s, &place, wait);
		}
		if (!moved)
			drop(in, "counter did not move");	/* perf does not report such a sample either */
	}
	flush_when_large(in);
}

void hd_perf_input_add_sample(struct hd_perf_input *in, const struct hd_queued_sample *q,
	const struct hd_unwound_frames *frames)
{
	struct place place = { 0 };
	struct hd_deferred_lookup_item *item;
	struct hd_event_weight what;

	if (!in->agg.fast || q->drop || q->s.nread) {
		add_carefully(in, q, frames);
		return;
	}
	note_time(in, &q->s);
	place_tip(in, q, frames, &place);
	if (!in->request.event_wanted[q->s.attr]) {
		drop(in, "not selected");
		return;
	}
	in->p->read++;
	what = counted(in, &q->s, &place);
	item = hd_deferred_lookup_next(&in->agg.tail);
	if (sum_of(in, &q->s, &q->at, &place, &what, &item->sum)) {
		item->tip = place.tip;
		hd_deferred_lookup_add(&in->agg.tail);
	}
	flush_when_large(in);
}
