/*
 * sample_reader.c - do the part of the second pass that runs in the reading thread: see perf_input_state.h
 *
 * Each sample is parsed without copying the record, selected, and given the address space of its time.  Samples that
 * are invalid or not selected are queued too, with the reason, so that the calling thread gets every sample in file
 * order.
 */
#include "pipeline/perf_input_state.h"

#include "base/mem.h"
#include "pipeline/divided_walk.h"
#include "pipeline/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool comm_wanted(const struct hd_perf_input *in, uint32_t comm, int32_t tid)
{
	char name[16];

	if (!in->request.opts->select.comm.n)
		return true;
	if (comm < in->pass.ncomms)
		return in->pass.comm_wanted[comm];
	snprintf(name, sizeof(name), tid ? ":%d" : "swapper", (int)tid);
	return hd_selector_comm(&in->request.select, name);
}

/*
 * Evaluate the filter.  It reads thread names from comm_text.  A thread without a recorded name gets its synthetic
 * name here.
 */
static bool filter_wants(const struct hd_perf_input *in, const struct hd_sample *s, uint32_t comm)
{
	const char *name = NULL;
	char made[16];

	if (in->pass.comm_text && comm < in->pass.ncomms) {
		name = in->pass.comm_text[comm];
	} else if (in->pass.comm_text) {
		snprintf(made, sizeof(made), s->tid ? ":%d" : "swapper", (int)s->tid);
		name = made;
	}
	return hd_filter_match(in->request.select.filter, &in->fields.table, s, name,
		hd_perf_attrs(in->pf, &(size_t){ 0 })[s->attr].name);
}

/*
 * Return true if the options select the sample; options that select by event or by frames are not tested here.  The
 * thread of the sample is looked up and stored in *at, unless its ids, CPU or time are not selected.
 */
static inline __attribute__((always_inline)) bool wanted(struct hd_perf_input *in, const struct hd_record *rec,
	const struct hd_sample *s, struct hd_process_context *at)
{
	if (in->request.select.any &&
		(!hd_selector_ids(&in->request.select, s->pid, s->tid, s->cpu) ||
			!hd_selector_time(&in->request.select, s->time_ns)))
		return false;
	if (s->has_time && in->spaces.known_seq != UINT64_MAX)
		hd_last_seen_add(&in->pass.last_seen, s->pid, s->tid, s->time_ns);
	hd_process_at(in->spaces.proc, s->pid, s->tid,
		(struct hd_record_time){ s->has_time ? s->time_ns : 0, rec->seq }, at);
	if (!in->request.select.by_name)
		return true;
	return comm_wanted(in, at->comm, s->tid) && (!in->request.select.filter || filter_wants(in, s, at->comm));
}

bool hd_perf_input_wants_thread(struct hd_perf_input *in, struct hd_queued_sample *q)
{
	if (in->request.select.by_time || in->request.select.cpu.n || in->request.select.filter ||
		!hd_selector_ids(&in->request.select, q->s.pid, q->s.tid, 0))
		return false;	/* a synthetic sample stands for many intervals, so it has no CPU and no time to test */
	hd_process_at(in->spaces.proc, q->s.pid, q->s.tid, (struct hd_record_time){ q->s.time_ns, UINT64_MAX }, &q->at);
	return comm_wanted(in, q->at.comm, q->s.tid);
}

static inline __attribute__((always_inline)) void hand_on(struct hd_perf_input *in, const struct hd_queued_sample *q)
{
	if (!in->unwinding.queue) {
		hd_perf_input_add_sample(in, q, NULL);
		return;
	}
	while (!hd_sample_queue_add(in->unwinding.queue, q)) {
		hd_sample_queue_next(in->unwinding.queue);
		hd_perf_input_take_batch(in);
	}
}

/*
 * Handle the sample of q->rec.  Only the fields of *q that are needed are set, because q is large and this is the hot
 * path.
 */
static inline __attribute__((always_inline)) void on_sample(struct hd_perf_input *in, struct hd_queued_sample *q)
{
	struct hd_err bad;

	q->drop = q->why = NULL;
	q->unwind = false;
	q->first = q->n = 0;
	if (__builtin_expect(hd_perf_parse_sample(in->pf, &q->rec, &q->s, &bad) < 0, 0)) {
		q->drop = q->s.drop;
		q->why = bad.msg;
		q->s.nread = 0;
	} else if (!wanted(in, &q->rec, &q->s, &q->at)) {
		q->drop = "not selected";
	} else if (q->s.stack_user_bytes) {
		if (!in->unwinding.queue && in->unwinding.unsupported_machine)
			in->p->recording.copies_left++;
		q->unwind = in->unwinding.queue && q->s.regs_user_abi &&
			    (q->s.nread || in->request.event_wanted[q->s.attr]) &&
			    (!in->spans || hd_perf_input_has_span(in, q->rec.seq));
	}
	if (__builtin_expect(q->s.nread, 0))
		hd_perf_note_sample_times(in->pf, &q->s);
	hand_on(in, q);
}

/*
 * As on_sample(), for a part of a recording (divided_walk.h).  Return false if only the calling thread can aggregate
 * the sample: it is invalid, or its time is 0, which resets the time of the first sample.
 */
static inline __attribute__((always_inline)) bool on_plain_sample(struct hd_perf_input *in, struct hd_queued_sample *q,
	struct hd_part_start *start)
{
	struct hd_err bad;
	unsigned added = in->agg.tail.added;
	uint32_t nodes = hd_chains_count(in->agg.chains);

	q->drop = q->why = NULL;
	q->unwind = false;
	q->first = q->n = 0;
	if (hd_perf_parse_sample(in->pf, &q->rec, &q->s, &bad) < 0)
		return false;
	if (!wanted(in, &q->rec, &q->s, &q->at))
		q->drop = "not selected";
	else if (q->s.has_time && !q->s.time_ns)
		return false;
	hd_perf_input_add_sample(in, q, NULL);
	if (start->n == HD_DEFERRED_LOOKUP_STEP || start->drained)
		return true;
	if (q->drop) {
		start->drained = true;
		start->nodes[start->n++] = nodes;
	} else if (in->agg.tail.added != added) {
		start->nodes[start->n++] = hd_chains_count(in->agg.chains);
	}
	return true;
}

/* A user call chain is queued between the samples, so that it keeps its place in file order. */
static void on_deferred(struct hd_perf_input *in, const struct hd_record *rec)
{
	struct hd_queued_sample q = { .rec = *rec, .drop = HD_QUEUED_USER_CHAIN };
	struct hd_deferred_event e;
	struct hd_err bad;

	if (!in->agg.deferred || hd_perf_parse_deferred(in->pf, rec, &e, &bad) < 0)
		return;		/* no event waits for it, or it is invalid and the reader has warned already */
	q.s.pid = e.pid;
	q.s.tid = e.tid;
	q.s.id = e.cookie;
	q.s.chain = e.ips;
	q.s.nchain = e.n;
	hand_on(in, &q);
}

static void on_lost(struct hd_perf_input *in, const struct hd_record *rec)
{
	struct hd_event_losses *of;
	struct hd_lost lost;
	struct hd_err bad;

	if (hd_perf_parse_lost(in->pf, rec, &lost, &bad) < 0 || !in->request.nattrs)
		return;		/* it is invalid and the reader has warned already, or there is no event */
	of = &in->pass.losses[lost.attr < in->request.nattrs ? lost.attr : 0];
	if (lost.counter)
		of->counter += lost.count;
	else if (rec->kind == HD_REC_LOST)
		of->buffer += lost.count;
	else
		of->hardware += lost.count;
}

/* Warn about an invalid EXIT record that the first pass did not read.  A valid one changes no lookup result. */
static void check_exit(struct hd_perf_input *in, const struct hd_record *rec)
{
	struct hd_fork_event e;
	struct hd_err bad;

	if (rec->seq >= in->spaces.known_seq && hd_perf_parse_fork(in->pf, rec, &e, &bad) < 0)
		hd_warn(&in->pass.log, "lost.side-band", "", "%s", bad.msg);
}

/*
 * Read `records` records.  If `plain` is true, they are a part of the recording (divided_walk.h), and `start`
 * receives facts about its first samples; otherwise `start` is not used.
 */
static inline __attribute__((always_inline)) int walk(struct hd_perf_input *in, uint64_t records, bool plain,
	struct hd_part_start *start, struct hd_err *err)
{
	struct hd_queued_sample q;
	const struct hd_record *rec = &q.rec;
	int rc = 0;

	while (records-- && (rc = hd_perf_next(in->pf, &q.rec, err)) > 0) {
		hd_progress_at(&in->progress, rec->off);
		if (rec->kind == HD_REC_SAMPLE && plain) {
			if (!on_plain_sample(in, &q, start))
				return HD_SAMPLE_PASS_NOT_PLAIN;
		} else if (rec->kind == HD_REC_SAMPLE)
			on_sample(in, &q);
		else if (rec->kind == HD_REC_LOST || rec->kind == HD_REC_LOST_SAMPLES)
			on_lost(in, rec);
		else if (rec->kind == HD_REC_CALLCHAIN_DEFERRED)
			on_deferred(in, rec);
		else if (rec->kind == HD_REC_EXIT)
			check_exit(in, rec);
		else if (rec->seq >= in->spaces.known_seq && hd_perf_input_is_sideband(in, rec)) {
			in->pass.late_seq = rec->seq;
			return HD_SAMPLE_PASS_SIDEBAND;
		}
	}
	return rc < 0 ? rc : HD_SAMPLE_PASS_DONE;
}

int hd_perf_input_walk(struct hd_perf_input *in, uint64_t records, struct hd_err *err)
{
	return walk(in, records, false, NULL, err);
}

int hd_perf_input_walk_part(struct hd_perf_input *in, uint64_t records, struct hd_part_start *start,
	struct hd_err *err)
{
	return walk(in, records, true, start, err);
}

/* Return true if the filter uses the thread name. */
static bool filters_comm(const struct hd_perf_input *in)
{
	const char *field;

	for (size_t i = 0; in->request.select.filter && (field = hd_filter_field(in->request.select.filter, i)); i++)
		if (!strcmp(field, "comm"))
			return true;
	return false;
}

/*
 * Thread names are tested before the second pass, because the calling thread adds strings during that pass and can move
 * the string table.
 */
void hd_perf_input_judge_comms(struct hd_perf_input *in)
{
	bool filtered = filters_comm(in), judged = in->request.opts->select.comm.n;

	if (!judged && !filtered)
		return;
	free(in->pass.comm_wanted);
	free(in->pass.comm_text);
	in->pass.ncomms = hd_strtab_count(in->p->names);
	in->pass.comm_wanted = judged ? hd_new_array(bool, in->pass.ncomms) : NULL;
	in->pass.comm_text = filtered ? hd_new_array(const char *, in->pass.ncomms) : NULL;
	for (size_t i = 0; i < in->pass.ncomms; i++) {
		const char *comm = hd_profile_str(in->p, (uint32_t)i);

		if (judged)
			in->pass.comm_wanted[i] = hd_selector_comm(&in->request.select, comm);
		if (filtered)
			in->pass.comm_text[i] = comm;
	}
}
