/*
 * hotspot_rest.c - see hotspot_rest.h
 */
#include "history/hotspot_rest.h"

/* A symbol is small if self and inline_self are below 1/SELF of the event's weight, and total below 1/TOTAL of it. */
enum { SELF = 10000, TOTAL = 100 };

static bool is_below(uint64_t cost, uint64_t whole, uint64_t part)
{
	return cost < whole / part + (whole % part != 0);
}

static bool is_small(const struct hd_run_hotspot *h, uint64_t whole)
{
	return is_below(h->self, whole, SELF) && is_below(h->total, whole, TOTAL) &&
	       !(h->has_inline && !is_below(h->inline_self, whole, SELF));
}

bool hd_hotspot_rest_has(const struct hd_run_event *e, size_t i)
{
	return i >= HD_HOTSPOT_REST_TOP_RANKS && is_small(&e->hotspots[i], e->weight);
}

/* Add a cost to *sum with saturation.  The sum exceeds the weight of the event only if the input is invalid. */
static void add(uint64_t *sum, uint64_t cost)
{
	*sum = cost > INT64_MAX - *sum ? INT64_MAX : *sum + cost;
}

struct hd_hotspot_rest hd_hotspot_rest_of(const struct hd_run_event *e)
{
	struct hd_hotspot_rest rest = { 0 };

	for (size_t i = 0; i < e->nhotspots; i++) {
		const struct hd_run_hotspot *h = &e->hotspots[i];

		rest.symbols += h->samples > 0;
		if (!e->folded || !hd_hotspot_rest_has(e, i))
			continue;
		rest.n++;
		add(&rest.sum.self, h->self);
		add(&rest.sum.samples, h->samples);
		if (h->has_inline) {
			rest.sum.has_inline = true;
			add(&rest.sum.inline_self, h->inline_self);
		}
	}
	rest.sum.total = rest.sum.self;
	rest.sum.inline_total = rest.sum.inline_self;
	if (rest.n < 2)
		rest.n = 0;
	return rest;
}
