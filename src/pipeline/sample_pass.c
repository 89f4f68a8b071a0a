/*
 * sample_pass.c - run the second pass, and do its part in the calling thread: see perf_input_state.h
 */
#include "pipeline/perf_input_state.h"

#include "base/clock.h"
#include "base/mem.h"
#include "pipeline/divided_walk.h"

#include <pthread.h>
#include <stdlib.h>

/*
 * A trial reads TRIAL_PIECES pieces of PIECE_RECORDS records and uses the fastest one, because opening an object for
 * the first sample in it takes longer than a piece.
 */
enum { TRIAL_PIECES = 6, PIECE_RECORDS = 1024 };

void hd_perf_input_take_batch(struct hd_perf_input *in)
{
	bool trial = in->pass.on_trial;
	uint64_t begin = trial ? hd_monotonic_ns() : 0;
	const struct hd_queued_sample *q;
	struct hd_unwound_frames frames;

	while ((q = hd_sample_queue_take(in->unwinding.queue, &frames))) {
		if (trial)
			in->pass.taken_off = q->rec.off;
		hd_perf_input_add_sample(in, q, &frames);
	}
	if (trial)
		in->pass.take_ns += hd_monotonic_ns() - begin;
}

/* Read and aggregate `records` records in the calling thread. */
static int walk_queued(struct hd_perf_input *in, uint64_t records, struct hd_err *err)
{
	int rc = hd_perf_input_walk(in, records, err);

	while (in->unwinding.queue && hd_sample_queue_next(in->unwinding.queue))
		hd_perf_input_take_batch(in);
	return rc;
}

/* Read a piece of the recording with one thread.  Replace *best if the piece took less time. */
static int try_piece(struct hd_perf_input *in, struct hd_sample_queue_trial *best, struct hd_err *err)
{
	struct hd_sample_queue_trial t = { 0 };
	uint64_t begin = hd_monotonic_ns(), from = in->pass.taken_off, file_bytes = hd_perf_file(in->pf)->bytes;
	int rc;

	in->pass.take_ns = 0;
	rc = walk_queued(in, PIECE_RECORDS, err);
	t.take_ns = in->pass.take_ns;
	t.add_ns = hd_monotonic_ns() - begin - t.take_ns;
	t.bytes = in->pass.taken_off > from ? in->pass.taken_off - from : 0;
	t.bytes_left = file_bytes > in->pass.taken_off ? file_bytes - in->pass.taken_off : 0;
	if (!best->bytes || (t.bytes && t.add_ns + t.take_ns < best->add_ns + best->take_ns))
		*best = t;
	else
		best->bytes_left = t.bytes_left;
	return rc;
}

/*
 * Unless the user requests a number of threads: read the first records with one thread, and set *gains to false if more
 * threads would not read the rest faster.  The result of the walk does not depend on it.
 */
static int try_one_thread(struct hd_perf_input *in, bool *gains, struct hd_err *err)
{
	struct hd_sample_queue *queue = in->unwinding.queue;
	struct hd_sample_queue_trial best = { 0 };
	int rc = HD_SAMPLE_PASS_DONE;

	*gains = true;
	if (in->request.opts->threads)
		return rc;
	hd_sample_queue_walk_alone(queue, true);
	in->pass.on_trial = true;
	for (int i = 0; i < TRIAL_PIECES && rc == HD_SAMPLE_PASS_DONE; i++)
		rc = try_piece(in, &best, err);
	in->pass.on_trial = false;
	*gains = hd_sample_queue_gains(&best, hd_sample_queue_threads(queue));
	if (*gains)
		hd_sample_queue_walk_alone(queue, false);
	return rc;
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
	int rc = HD_SAMPLE_PASS_DONE;
	bool beside = in->unwinding.queue && hd_sample_queue_threads(in->unwinding.queue) > 1 &&
		!hd_process_has_guests(in->spaces.proc) && !in->fields.other_threads;

	hd_perf_input_judge_comms(in);
	if (beside)
		rc = try_one_thread(in, &beside, err);
	if (rc != HD_SAMPLE_PASS_DONE)
		return rc;
	if (beside && walk_beside(in)) {
		rc = in->pass.rc;
		if (rc < 0)
			*err = in->pass.err;
	} else if (!hd_perf_input_walk_divided(in, &rc, err)) {
		rc = walk_queued(in, UINT64_MAX, err);
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
