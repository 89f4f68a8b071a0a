/*
 * fuzz_spans.c - find intervals in any sequence of thread events
 *
 * Invariants: the interval that is found for a sequence number has that number; if no samples were skipped, the weight
 * of an interval off the CPU is its length; the statistics count at least as many intervals with a sample as are
 * found; an interval without a sample is off the CPU and not empty.
 */
#include "offcpu/thread_intervals.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOMENT = 8, MOST = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_thread_intervals *s = hd_thread_intervals_new();
	const struct hd_thread_intervals_stats *st;
	const struct hd_unsampled_interval *rest;
	uint64_t seq = 0, time = 1000, off = 0, spans = 0;
	size_t n = size / MOMENT < MOST ? size / MOMENT : MOST, nrest;

	for (size_t i = 0; i < n; i++, seq++) {
		const uint8_t *p = data + MOMENT * i;
		struct hd_thread_event m = {
			.seq = seq, .kind = p[0] % (HD_THREAD_EVENT_EXIT + 1), .runnable = p[0] & 0x80, .pid = 1,
			.tid = 1 + p[1] % 5, .other = 1 + p[2] % 6,
			.period = p[3] < 0xf0 ? 1 : p[3] == 0xff ? UINT64_MAX : p[3],
		};

		time += (uint64_t)(p[4] | p[5] << 8);
		m.time_ns = p[6] & 1 ? time - (time < 2000 ? time : 2000) : time;
		if (p[7] == 0xff)
			m.time_ns = UINT64_MAX - p[6];
		hd_thread_intervals_add(s, &m);
		if (p[7] < 20)
			hd_thread_intervals_finish_round(s);
	}
	hd_thread_intervals_end(s);
	st = hd_thread_intervals_stats(s);
	for (uint64_t i = 0; i < seq; i++) {
		const struct hd_thread_interval *span = hd_thread_intervals_find(s, i);
		struct hd_thread_interval_weight share;

		if (!span)
			continue;
		assert(span->seq == i && span->kind < HD_INTERVAL_KINDS);
		share = hd_thread_intervals_weight(s, span);
		if (!st->thinned)
			assert(share.ns + share.queued_ns == span->ns + span->queued_ns ||
				span->kind > HD_INTERVAL_PREEMPTED);
		off += span->kind <= HD_INTERVAL_PREEMPTED;
		spans++;
	}
	assert(hd_thread_intervals_find(s, seq) == NULL && off <= st->stacks && spans <= seq);
	rest = hd_thread_intervals_unsampled(s, &nrest);
	for (size_t i = 0; i < nrest; i++)
		assert(rest[i].kind <= HD_INTERVAL_PREEMPTED && rest[i].ns && rest[i].n);
	hd_thread_intervals_free(s);
	return 0;
}
