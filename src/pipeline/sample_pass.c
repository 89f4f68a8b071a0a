/*
 * sample_pass.c - the part of the second pass that runs in the calling thread: see perf_input_state.h
 */
#include "pipeline/perf_input_state.h"

#include "base/mem.h"
#include "pipeline/divided_walk.h"

#include <pthread.h>
#include <stdlib.h>

void hd_perf_input_take_batch(struct hd_perf_input *in)
{
	const struct hd_queued_sample *q;
	struct hd_unwound_frames frames;

	while ((q = hd_sample_queue_take(in->unwinding.queue, &frames)))
		hd_perf_input_add_sample(in, q, &frames);
}

/*
 * LOST records and the counters of the events report the same losses, and either can be incomplete.  perf writes the
 * counters at the end of the recording, which can be missing.  The kernel writes a LOST record only when it writes
 * the next event, so the last losses can lack one.  Therefore the report with the larger sum is used.  Only counters
 * assign each loss to its event.
 */
static void add_losses(struct hd_perf_input *in)
{
	uint64_t buffers = 0, counters = 0;

	for (size_t i = 0; i < in->request.nattrs; i++) {
		buffers += in->pass.losses[i].buffer;
		counters += in->pass.losses[i].counter;
	}
	for (size_t i = 0; i < in->request.nattrs; i++) {
		const struct hd_event_losses *l = &in->pass.losses[i];

		if (in->request.event_wanted[i])
			in->p->events[in->request.event_of[i]].lost += l->hardware +
				(counters >= buffers ? l->counter : l->buffer);
	}
}

static void *walk_alone(void *arg)
{
	struct hd_perf_input *in = arg;

	in->pass.rc = hd_perf_input_walk(in, UINT64_MAX, &in->pass.err);
	hd_sample_queue_end(in->unwinding.queue);
	return NULL;
}

/* Read the file in another thread and aggregate in this one.  Return false if no thread can be created. */
static bool walk_beside(struct hd_perf_input *in)
{
	pthread_t thread;

	hd_sample_queue_walk_beside(in->unwinding.queue, true);
	hd_perf_map_large_samples(in->pf, hd_sample_queue_threads(in->unwinding.queue) > 2);
	if (pthread_create(&thread, NULL, walk_alone, in)) {
		hd_sample_queue_walk_beside(in->unwinding.queue, false);
		hd_perf_map_large_samples(in->pf, false);
		return false;
	}
	while (hd_sample_queue_next(in->unwinding.queue))
		hd_perf_input_take_batch(in);
	pthread_join(thread, NULL);
	return true;
}

/* Read up to the end of the file or to a late side-band record, and aggregate all samples that were read. */
static int walk_on(struct hd_perf_input *in, struct hd_err *err)
{
	int rc;

	hd_perf_input_judge_comms(in);
	if (in->unwinding.queue && hd_sample_queue_threads(in->unwinding.queue) > 1 &&
		!hd_process_has_guests(in->spaces.proc) && !in->fields.other_threads &&
		walk_beside(in)) {
		rc = in->pass.rc;
		if (rc < 0)
			*err = in->pass.err;
	} else if (!hd_perf_input_walk_divided(in, &rc, err)) {
		rc = hd_perf_input_walk(in, UINT64_MAX, err);
		while (in->unwinding.queue && hd_sample_queue_next(in->unwinding.queue))
			hd_perf_input_take_batch(in);
	}
	return rc;
}

/*
 * Free the data that only reading samples needs.  Call this before the last flush, during which memory use is highest.
 */
static void end_samples(struct hd_perf_input *in)
{
	hd_sample_queue_free(in->unwinding.queue);
	in->unwinding.queue = NULL;
	hd_stitch_free(in->unwinding.stitch);
	in->unwinding.stitch = NULL;
	hd_deferred_lookup_drain(&in->agg.tail);
	hd_chains_end(in->agg.chains);
}

static void move_log(struct hd_log *to, struct hd_log *from)
{
	hd_log_add(to, from);
	hd_log_release(from);
}

int hd_perf_input_read_samples(struct hd_perf_input *in, struct hd_err *err)
{
	struct hd_log *log = hd_perf_set_log(in->pf, &in->pass.log), before = *log, beside;
	int rc = hd_perf_rewind(in->pf, err);

	*log = (struct hd_log){ 0 };

	in->pass.losses = hd_new_array(struct hd_event_losses, in->request.nattrs);
	in->agg.fast = !in->spans && !in->fields.per_sample && !in->request.opts->details && !in->agg.deferred &&
		       !in->p->timed;
	while (rc >= 0 && (rc = walk_on(in, err)) == HD_SAMPLE_PASS_SIDEBAND) {
		rc = hd_perf_input_read_ahead(in, err);
		if (rc)
			break;
		hd_locator_grow(in->lookup.locator);
		hd_perf_input_grow_unwinding(in);
	}
	hd_perf_set_log(in->pf, log);
	/*
	 * The order of the warnings is fixed: those of the recording, of processes, of samples.  It does not depend on
	 * which pass found them.
	 */
	beside = *log;
	*log = before;
	move_log(log, &in->spaces.log);
	move_log(log, &in->pass.log);
	move_log(log, &beside);
	add_losses(in);
	free(in->pass.losses);
	free(in->pass.comm_wanted);
	free(in->pass.comm_text);
	hd_last_seen_release(&in->pass.last_seen);
	if (rc == 0) {
		hd_perf_input_end_deferred_chains(in);
		hd_perf_input_add_unsampled_spans(in);
		end_samples(in);
		hd_perf_input_flush(in);
		rc = hd_perf_input_end_timed(in, err);
		for (size_t i = 0; in->agg.squares && i < in->p->nevents; i++)
			in->p->events[i].squares = in->agg.squares[i];
	}
	return rc;
}
