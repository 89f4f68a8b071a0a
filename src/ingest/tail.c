/*
 * tail.c - see tail.h
 */
#include "ingest/tail.h"

static inline void find_node(struct hd_tail *t)
{
	struct hd_tail_item *item = &t->ring[t->noded++ % HD_TAIL_RING];

	if (item->tip.outer)
		item->sum.leaf = hd_chains_child(t->chains, item->tip.outer, item->tip.location);
	hd_sums_ask_head(t->sums, item->sum.leaf);
}

static inline void find_head(struct hd_tail *t)
{
	hd_sums_ask(t->sums, t->ring[t->headed++ % HD_TAIL_RING].sum.leaf);
}

static inline void find_sum(struct hd_tail *t)
{
	hd_sums_add(t->sums, &t->ring[t->summed++ % HD_TAIL_RING].sum);
}

void hd_tail_add(struct hd_tail *t)
{
	const struct hd_tail_item *item = &t->ring[t->added++ % HD_TAIL_RING];

	if (item->tip.outer)
		hd_chains_ask_child(t->chains, item->tip.outer, item->tip.location);
	if (t->added - t->noded > HD_TAIL_STEP)
		find_node(t);
	if (t->noded - t->headed > HD_TAIL_STEP)
		find_head(t);
	if (t->headed - t->summed > HD_TAIL_STEP)
		find_sum(t);
}

void hd_tail_drain(struct hd_tail *t)
{
	while (t->noded != t->added)
		find_node(t);
	t->headed = t->added;
	while (t->summed != t->added)
		find_sum(t);
}
