/*
 * deferred_lookup.c - see deferred_lookup.h
 */
#include "pipeline/deferred_lookup.h"

static inline void find_node(struct hd_deferred_lookup *t)
{
	struct hd_deferred_lookup_item *item = &t->ring[t->noded++ % HD_DEFERRED_LOOKUP_RING];

	if (item->tip.outer)
		item->sum.leaf = hd_chains_child(t->chains, item->tip.outer, item->tip.location);
	hd_chain_sums_prefetch_head(t->sums, item->sum.leaf);
}

static inline void find_head(struct hd_deferred_lookup *t)
{
	hd_chain_sums_prefetch(t->sums, t->ring[t->headed++ % HD_DEFERRED_LOOKUP_RING].sum.leaf);
}

static inline void find_sum(struct hd_deferred_lookup *t)
{
	hd_chain_sums_add(t->sums, &t->ring[t->summed++ % HD_DEFERRED_LOOKUP_RING].sum);
}

void hd_deferred_lookup_add(struct hd_deferred_lookup *t)
{
	const struct hd_deferred_lookup_item *item = &t->ring[t->added++ % HD_DEFERRED_LOOKUP_RING];

	if (item->tip.outer)
		hd_chains_prefetch_child(t->chains, item->tip.outer, item->tip.location);
	if (t->added - t->noded > HD_DEFERRED_LOOKUP_STEP)
		find_node(t);
	if (t->noded - t->headed > HD_DEFERRED_LOOKUP_STEP)
		find_head(t);
	if (t->headed - t->summed > HD_DEFERRED_LOOKUP_STEP)
		find_sum(t);
}

void hd_deferred_lookup_node(struct hd_deferred_lookup *t)
{
	find_node(t);
}

void hd_deferred_lookup_sum(struct hd_deferred_lookup *t)
{
	t->headed = t->noded;
	while (t->summed != t->noded)
		find_sum(t);
}

void hd_deferred_lookup_drain(struct hd_deferred_lookup *t)
{
	while (t->noded != t->added)
		find_node(t);
	hd_deferred_lookup_sum(t);
}
