/*
 * sample_pass.c - the second walk over a recording: see perf_input_state.h
 *
 * Each sample is parsed as a view, asked whether it is wanted and what was
 * mapped when it was taken, and handed on.  One that cannot be parsed, or is
 * not wanted, is handed on too, with the reason, so that whoever counts has
 * the file's order.
 */
#include "pipeline/perf_input_state.h"

#include "base/mem.h"
#include "pipeline/filter.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool comm_wanted(const struct hd_perf_input *in, uint32_t comm, int32_t tid)
{
	char name[16];

	if (!in->opts->select.comm.n)
		return true;
	if (comm < in->walk.ncomms)
		return in->walk.comm_wanted[comm];
	snprintf(name, sizeof(name), tid ? ":%d" : "swapper", (int)tid);
	return hd_selector_comm(&in->select, name);
}

/* Its texts: comms of before the walk, and what those that came since are called. */
static bool filter_wants(const struct hd_perf_input *in, const struct hd_sample *s, uint32_t comm)
{
	const char *name = NULL;
	char made[16];

	if (in->walk.comm_text && comm < in->walk.ncomms) {
		name = in->walk.comm_text[comm];
	} else if (in->walk.comm_text) {
		snprintf(made, sizeof(made), s->tid ? ":%d" : "swapper", (int)s->tid);
		name = made;
	}
	return hd_filter_match(in->select.filter, &in->fields, s, name,
		hd_perf_attrs(in->pf, &(size_t){ 0 })[s->attr].name);
}

/* Is it wanted, as far as the sample itself can say?  And what was mapped then? */
static bool wanted(struct hd_perf_input *in, const struct hd_record *rec, const struct hd_sample *s,
	struct hd_process_context *at)
{
	if (in->select.any &&
		(!hd_selector_ids(&in->select, s->pid, s->tid, s->cpu) || !hd_selector_time(&in->select, s->time_ns)))
		return false;
	if (s->has_time && in->known_seq != UINT64_MAX)
		hd_last_seen_add(&in->walk.newest, s->pid, s->tid, s->time_ns);
	hd_process_at(in->proc, s->pid, s->tid, (struct hd_record_time){ s->has_time ? s->time_ns : 0, rec->seq }, at);
	if (!in->select.by_name)
		return true;
	return comm_wanted(in, at->comm, s->tid) && (!in->select.filter || filter_wants(in, s, at->comm));
}

bool hd_perf_input_wants_thread(struct hd_perf_input *in, struct hd_queued_sample *q)
{
	if (in->select.by_time || in->select.cpu.n || in->select.filter ||
		!hd_selector_ids(&in->select, q->s.pid, q->s.tid, 0))
		return false;		/* what has no place in time or on a CPU is not selected by them */
	hd_process_at(in->proc, q->s.pid, q->s.tid, (struct hd_record_time){ q->s.time_ns, UINT64_MAX }, &q->at);
	return comm_wanted(in, q->at.comm, q->s.tid);
}

static void add_batch(struct hd_perf_input *in)
{
	const struct hd_queued_sample *q;
	struct hd_unwound_frames frames;

	while ((q = hd_sample_queue_take(in->queue, &frames)))
		hd_perf_input_add_sample(in, q, &frames);
}

static inline __attribute__((always_inline)) void hand_on(struct hd_perf_input *in, const struct hd_queued_sample *q)
{
	if (!in->queue) {
		hd_perf_input_add_sample(in, q, NULL);
		return;
	}
	while (!hd_sample_queue_add(in->queue, q)) {
		hd_sample_queue_next(in->queue);
		add_batch(in);
	}
}

/* That of q->rec; of the rest of q, only what is needed is set: it is large, and this is done for every sample. */
static inline void on_sample(struct hd_perf_input *in, struct hd_queued_sample *q)
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
		if (!in->queue && in->no_unwind_for)
			in->p->recording.copies_left++;
		q->unwind = in->queue && q->s.regs_user_abi && (q->s.nread || in->event_wanted[q->s.attr]) &&
			    (!in->measure || hd_perf_input_has_span(in, q->rec.seq));
	}
	hand_on(in, q);
}

/* The user's part of a chain goes the way of the samples, so that it comes to its own among them. */
static void on_deferred(struct hd_perf_input *in, const struct hd_record *rec)
{
	struct hd_queued_sample q = { .rec = *rec, .drop = HD_QUEUED_USER_CHAIN };
	struct hd_deferred_event e;
	struct hd_err bad;

	if (!in->deferred || hd_perf_parse_deferred(in->pf, rec, &e, &bad) < 0)
		return;		/* the reader warned when it met it first */
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

	if (hd_perf_parse_lost(in->pf, rec, &lost, &bad) < 0 || !in->nattrs)
		return;		/* the reader warned when it met it first */
	of = &in->walk.lost[lost.attr < in->nattrs ? lost.attr : 0];
	if (lost.counter)
		of->counter += lost.count;
	else if (rec->kind == HD_REC_LOST)
		of->buffer += lost.count;
	else
		of->hardware += lost.count;
}

/*
 * LOST records and the counters report the same losses.  The counters know the event exactly, but perf writes them at
 * the end of the recording, which can be missing.  After the last loss, LOST records can be missing.  The larger sum is
 * the complete one.
 */
static void add_losses(struct hd_perf_input *in)
{
	uint64_t buffers = 0, counters = 0;

	for (size_t i = 0; i < in->nattrs; i++) {
		buffers += in->walk.lost[i].buffer;
		counters += in->walk.lost[i].counter;
	}
	for (size_t i = 0; i < in->nattrs; i++) {
		const struct hd_event_losses *l = &in->walk.lost[i];

		if (in->event_wanted[i])
			in->p->events[in->event_of[i]].lost += l->hardware +
				(counters >= buffers ? l->counter : l->buffer);
	}
}

/* One that the first walk did not come to, and that changes no answer: is it whole? */
static void check_exit(struct hd_perf_input *in, const struct hd_record *rec)
{
	struct hd_fork_event e;
	struct hd_err bad;

	if (rec->seq >= in->known_seq && hd_perf_parse_fork(in->pf, rec, &e, &bad) < 0)
		hd_warn(&in->walk.log, "lost.side-band", "", "%s", bad.msg);
}

/* On to the end, or to a record with news. */
static int walk(struct hd_perf_input *in, struct hd_err *err)
{
	struct hd_queued_sample q;
	const struct hd_record *rec = &q.rec;
	int rc;

	while ((rc = hd_perf_next(in->pf, &q.rec, err)) > 0) {
		hd_progress_at(&in->progress, rec->off);
		if (rec->kind == HD_REC_SAMPLE)
			on_sample(in, &q);
		else if (rec->kind == HD_REC_LOST || rec->kind == HD_REC_LOST_SAMPLES)
			on_lost(in, rec);
		else if (rec->kind == HD_REC_CALLCHAIN_DEFERRED)
			on_deferred(in, rec);
		else if (rec->kind == HD_REC_EXIT)
			check_exit(in, rec);
		else if (rec->seq >= in->known_seq && hd_perf_input_is_sideband(in, rec)) {
			in->walk.news_seq = rec->seq;
			return HD_SAMPLE_PASS_SIDEBAND;
		}
	}
	return rc < 0 ? rc : HD_SAMPLE_PASS_DONE;
}

static void *walk_alone(void *arg)
{
	struct hd_perf_input *in = arg;

	in->walk.rc = walk(in, &in->walk.err);
	hd_sample_queue_end(in->queue);
	return NULL;
}

/* Does the filter ask for names of threads? */
static bool filters_comm(const struct hd_perf_input *in)
{
	const char *field;

	for (size_t i = 0; in->select.filter && (field = hd_filter_field(in->select.filter, i)); i++)
		if (!strcmp(field, "comm"))
			return true;
	return false;
}

/* Comms of before the walk, judged before it: their table may move when others are interned beside it. */
static void judge_comms(struct hd_perf_input *in)
{
	bool filtered = filters_comm(in), judged = in->opts->select.comm.n;

	if (!judged && !filtered)
		return;
	free(in->walk.comm_wanted);
	free(in->walk.comm_text);
	in->walk.ncomms = hd_strtab_count(in->p->names);
	in->walk.comm_wanted = judged ? hd_new_array(bool, in->walk.ncomms) : NULL;
	in->walk.comm_text = filtered ? hd_new_array(const char *, in->walk.ncomms) : NULL;
	for (size_t i = 0; i < in->walk.ncomms; i++) {
		const char *comm = hd_profile_str(in->p, (uint32_t)i);

		if (judged)
			in->walk.comm_wanted[i] = hd_selector_comm(&in->select, comm);
		if (filtered)
			in->walk.comm_text[i] = comm;
	}
}

/* The walk in a thread of its own; samples are counted here.  false: there is no thread to be had. */
static bool walk_beside(struct hd_perf_input *in)
{
	pthread_t thread;

	hd_sample_queue_walk_beside(in->queue, true);
	hd_perf_map_large_samples(in->pf, true);
	if (pthread_create(&thread, NULL, walk_alone, in)) {
		hd_sample_queue_walk_beside(in->queue, false);
		hd_perf_map_large_samples(in->pf, false);
		return false;
	}
	while (hd_sample_queue_next(in->queue))
		add_batch(in);
	pthread_join(thread, NULL);
	return true;
}

/* One stretch of the walk, and all samples of it counted. */
static int walk_on(struct hd_perf_input *in, struct hd_err *err)
{
	int rc;

	judge_comms(in);
	if (in->queue && hd_sample_queue_threads(in->queue) > 1 && !hd_process_has_guests(in->proc) &&
		walk_beside(in)) {
		rc = in->walk.rc;
		if (rc < 0)
			*err = in->walk.err;
	} else {
		rc = walk(in, err);
		while (in->queue && hd_sample_queue_next(in->queue))
			add_batch(in);
	}
	return rc;
}

/* What only samples need goes before the last sums become stacks: that is when memory is highest. */
static void end_samples(struct hd_perf_input *in)
{
	hd_sample_queue_free(in->queue);
	in->queue = NULL;
	hd_stitch_free(in->stitch);
	in->stitch = NULL;
	hd_deferred_lookup_drain(&in->tail);
	hd_chains_end(in->chains);
}

static void move_log(struct hd_log *to, struct hd_log *from)
{
	hd_log_add(to, from);
	hd_log_release(from);
}

int hd_perf_input_read_samples(struct hd_perf_input *in, struct hd_err *err)
{
	struct hd_log *log = hd_perf_set_log(in->pf, &in->walk.log), before = *log, beside;
	int rc = hd_perf_rewind(in->pf, err);

	*log = (struct hd_log){ 0 };

	in->walk.lost = hd_new_array(struct hd_event_losses, in->nattrs);
	in->plain = !in->measure && !in->asks && !in->opts->details && !in->deferred;
	while (rc >= 0 && (rc = walk_on(in, err)) == HD_SAMPLE_PASS_SIDEBAND) {
		rc = hd_perf_input_read_ahead(in, err);
		if (rc)
			break;
		hd_locator_grow(in->locator);
		hd_perf_input_grow_unwinding(in);
	}
	hd_perf_set_log(in->pf, log);
	/* What is wrong with the recording first, then what was missed on the way; whichever walk found it. */
	beside = *log;
	*log = before;
	move_log(log, &in->proc_log);
	move_log(log, &in->walk.log);
	move_log(log, &beside);
	add_losses(in);
	free(in->walk.lost);
	free(in->walk.comm_wanted);
	free(in->walk.comm_text);
	hd_last_seen_release(&in->walk.newest);
	if (rc == 0) {
		hd_perf_input_end_deferred_chains(in);
		hd_perf_input_add_unsampled_spans(in);
		end_samples(in);
		hd_perf_input_flush(in);
		for (size_t i = 0; in->squares && i < in->p->nevents; i++)
			in->p->events[i].squares = in->squares[i];
	}
	return rc;
}
