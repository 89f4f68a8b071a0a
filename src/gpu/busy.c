/*
 * busy.c - see busy.h
 */
#include "gpu/busy.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SHIFT = 10 };

void hd_gpu_sweep_init(struct hd_gpu_sweep *s)
{
	*s = (struct hd_gpu_sweep){
		.buckets = hd_new_array(struct hd_gpu_bucket, HD_GPU_BUCKETS), .shift = FIRST_SHIFT,
	};
}

void hd_gpu_sweep_release(struct hd_gpu_sweep *s)
{
	free(s->buckets);
	s->buckets = NULL;
}

/* ---- the timeline ---- */

static void widen(struct hd_gpu_sweep *s)
{
	struct hd_gpu_bucket *b = s->buckets;

	for (size_t i = 0; i < HD_GPU_BUCKETS / 2; i++) {
		b[i].compute_ns = b[2 * i].compute_ns + b[2 * i + 1].compute_ns;
		b[i].copy_ns = b[2 * i].copy_ns + b[2 * i + 1].copy_ns;
		b[i].overlap_ns = b[2 * i].overlap_ns + b[2 * i + 1].overlap_ns;
	}
	memset(b + HD_GPU_BUCKETS / 2, 0, HD_GPU_BUCKETS / 2 * sizeof(*b));
	s->shift++;
}

/*
 * Add the time from s->at to `to` to the timeline.  lanes: bit mask of the kinds of operations that were busy during
 * that time.
 */
static void add_to_timeline(struct hd_gpu_sweep *s, unsigned lanes, int64_t to)
{
	uint64_t from = (uint64_t)s->at - (uint64_t)s->begin, end = (uint64_t)to - (uint64_t)s->begin;

	while ((end - 1) >> s->shift >= HD_GPU_BUCKETS)
		widen(s);
	while (from < end) {
		struct hd_gpu_bucket *b = &s->buckets[from >> s->shift];
		uint64_t left = ((uint64_t)1 << s->shift) - (from & (((uint64_t)1 << s->shift) - 1));
		uint64_t ns = left < end - from ? left : end - from;

		b->compute_ns += lanes & HD_GPU_LANE_COMPUTE ? ns : 0;
		b->copy_ns += lanes & HD_GPU_LANE_COPY ? ns : 0;
		b->overlap_ns += lanes & HD_GPU_LANE_COMPUTE && lanes & HD_GPU_LANE_COPY ? ns : 0;
		from += ns;
	}
}

/* ---- the sweep ---- */

static void advance(struct hd_gpu_sweep *s, int64_t to)
{
	while (s->at < to) {
		int64_t next = to;
		unsigned lanes = 0;

		for (int i = 0; i < HD_GPU_LANES; i++) {
			if (s->end[i] <= s->at)
				continue;
			lanes |= 1u << i;
			if (s->end[i] < next)
				next = s->end[i];
		}
		s->ns[lanes] += (uint64_t)next - (uint64_t)s->at;
		if (lanes)
			add_to_timeline(s, lanes, next);
		s->at = next;
	}
}

/* Return the time at which the last of the operations that have begun so far ends. */
static int64_t busy_until(const struct hd_gpu_sweep *s)
{
	int64_t last = s->end[0];

	for (int i = 1; i < HD_GPU_LANES; i++)
		if (s->end[i] > last)
			last = s->end[i];
	return last;
}

bool hd_gpu_sweep_add(struct hd_gpu_sweep *s, unsigned lanes, int64_t start, int64_t end, int64_t *idle_since)
{
	bool idle;

	if (!s->begun) {
		s->begun = true;
		s->begin = s->at = start;
		for (int i = 0; i < HD_GPU_LANES; i++)
			s->end[i] = start;
	}
	*idle_since = busy_until(s);
	idle = *idle_since < start;
	advance(s, start);
	for (int i = 0; i < HD_GPU_LANES; i++)
		if (lanes & (1u << i) && end > s->end[i])
			s->end[i] = end;
	return idle;
}

/*
 * Return the time during which all lanes (kinds of operations) in the bit mask `with` and none in `without` were busy.
 */
static uint64_t time_with(const struct hd_gpu_sweep *s, unsigned with, unsigned without)
{
	uint64_t ns = 0;

	for (unsigned lanes = 0; lanes < 1u << HD_GPU_LANES; lanes++)
		if ((lanes & with) == with && !(lanes & without))
			ns += s->ns[lanes];
	return ns;
}

void hd_gpu_sweep_end(struct hd_gpu_sweep *s, struct hd_gpu_busy *busy)
{
	if (s->begun)
		advance(s, busy_until(s));
	*busy = (struct hd_gpu_busy){
		.start_ns = s->begin, .end_ns = s->at,
		.compute_ns = time_with(s, HD_GPU_LANE_COMPUTE, 0),
		.copy_ns = time_with(s, HD_GPU_LANE_COPY, 0),
		.overlap_ns = time_with(s, HD_GPU_LANE_COMPUTE | HD_GPU_LANE_COPY, 0),
		.idle_ns = s->ns[0],
		.host_copy_ns = time_with(s, HD_GPU_LANE_HOST_COPY, 0),
		.host_copy_alone_ns = time_with(s, HD_GPU_LANE_HOST_COPY, HD_GPU_LANE_COMPUTE),
		.comm_ns = time_with(s, HD_GPU_LANE_COMM, 0),
		.comm_alone_ns = time_with(s, HD_GPU_LANE_COMM, HD_GPU_LANE_WORK),
	};
}
