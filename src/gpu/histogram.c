/*
 * histogram.c - see histogram.h
 */
#include "gpu/histogram.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

enum { STEP_BITS = 6, STEPS = 1 << STEP_BITS, SLOTS = (64 - STEP_BITS + 1) * STEPS };

static size_t slot_of(uint64_t ns)
{
	unsigned power;

	if (ns < STEPS)
		return (size_t)ns;
	power = 63 - (unsigned)__builtin_clzll(ns);
	return (size_t)(power - STEP_BITS + 1) * STEPS + (size_t)((ns >> (power - STEP_BITS)) & (STEPS - 1));
}

/* Return the largest duration of a slot. */
static uint64_t top_of(size_t slot)
{
	unsigned shift = (unsigned)(slot / STEPS ? slot / STEPS - 1 : 0);

	if (slot < STEPS)
		return slot;
	return (((uint64_t)STEPS + slot % STEPS) << shift) + (((uint64_t)1 << shift) - 1);
}

void hd_gpu_histogram_add(struct hd_gpu_histogram *h, uint64_t ns)
{
	if (!h->counts)
		h->counts = hd_new_array(uint64_t, SLOTS);
	h->counts[slot_of(ns)]++;
	h->n++;
	h->sum_ns += (double)ns;
	if (ns > h->max_ns)
		h->max_ns = ns;
}

uint64_t hd_gpu_histogram_percentile(const struct hd_gpu_histogram *h, double p)
{
	double wanted = ceil(p / 100 * (double)h->n);
	uint64_t seen = 0;

	for (size_t i = 0; h->n && i < SLOTS; i++) {
		seen += h->counts[i];
		if (seen && (double)seen >= wanted)
			return top_of(i) < h->max_ns ? top_of(i) : h->max_ns;
	}
	return 0;
}

void hd_gpu_histogram_release(struct hd_gpu_histogram *h)
{
	free(h->counts);
	*h = (struct hd_gpu_histogram){ 0 };
}
