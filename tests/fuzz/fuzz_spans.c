/*
 * Moments of threads in any order.  Laws: what is found is what was asked for, a sample is found once, shares of a
 * span are no more than it where nothing was thinned, and where all was they add up to no more than all switches tell.
 */
#include "spans/spans.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOMENT = 8, MOST = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_spans *s = hd_spans_new();
	const struct hd_spans_stats *st;
	const struct hd_span_rest *rest;
	uint64_t seq = 0, time = 1000, off = 0, spans = 0;
	size_t n = size / MOMENT < MOST ? size / MOMENT : MOST, nrest;

	for (size_t i = 0; i < n; i++, seq++) {
		const uint8_t *p = data + MOMENT * i;
		struct hd_moment m = {
			.seq = seq, .kind = p[0] % (HD_MOMENT_GONE + 1), .runnable = p[0] & 0x80, .pid = 1, .tid = 1 + p[1] % 5, .other = 1 + p[2] % 6,
			.period = p[3] < 0xf0 ? 1 : p[3] == 0xff ? UINT64_MAX : p[3],
		};

		time += (uint64_t)(p[4] | p[5] << 8);
		m.time_ns = p[6] & 1 ? time - (time < 2000 ? time : 2000) : time;
		if (p[7] == 0xff)
			m.time_ns = UINT64_MAX - p[6];
		hd_spans_add(s, &m);
		if (p[7] < 20)
			hd_spans_round(s);
	}
	hd_spans_end(s);
	st = hd_spans_stats(s);
	for (uint64_t i = 0; i < seq; i++) {
		const struct hd_span *span = hd_spans_find(s, i);
		struct hd_span_share share;

		if (!span)
			continue;
		assert(span->seq == i && span->kind < HD_SPAN_KINDS);
		share = hd_spans_share(s, span);
		if (!st->thinned)
			assert(share.ns + share.queued_ns == span->ns + span->queued_ns || span->kind > HD_SPAN_PREEMPTED);
		off += span->kind <= HD_SPAN_PREEMPTED;
		spans++;
	}
	assert(hd_spans_find(s, seq) == NULL && off <= st->stacks && spans <= seq);
	rest = hd_spans_rest(s, &nrest);
	for (size_t i = 0; i < nrest; i++)
		assert(rest[i].kind <= HD_SPAN_PREEMPTED && rest[i].ns && rest[i].n);
	hd_spans_free(s);
	return 0;
}
