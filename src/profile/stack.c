/*
 * stack.c - see stack.h
 */
#include "profile/stack.h"

#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

struct hd_stacks {
	struct hd_stack_node *nodes;
	size_t n, cap;
	uint32_t *slots;	/* node id, 0 is empty: the empty stack is never looked up */
	size_t nslots;		/* a power of two */
};

static size_t find_slot(const struct hd_stacks *st, uint32_t caller, uint32_t frame)
{
	size_t i = hd_mix(caller, frame) & (st->nslots - 1);

	for (; st->slots[i]; i = (i + 1) & (st->nslots - 1)) {
		const struct hd_stack_node *n = &st->nodes[st->slots[i]];

		if (n->caller == caller && n->frame == frame)
			break;
	}
	return i;
}

static void rehash(struct hd_stacks *st, size_t nslots)
{
	free(st->slots);
	st->slots = hd_zalloc(nslots, sizeof(*st->slots));
	st->nslots = nslots;
	for (size_t id = 1; id < st->n; id++) {
		size_t i = hd_mix(st->nodes[id].caller, st->nodes[id].frame) & (nslots - 1);

		while (st->slots[i])	/* of another one, which need not be looked at */
			i = (i + 1) & (nslots - 1);
		st->slots[i] = (uint32_t)id;
	}
}

struct hd_stacks *hd_stacks_new(void)
{
	struct hd_stacks *st = hd_new(struct hd_stacks);

	HD_GROW(st->nodes, 64, st->cap);
	st->nodes[0] = (struct hd_stack_node){ 0, 0, 0 };
	st->n = 1;
	rehash(st, 128);
	return st;
}

void hd_stacks_free(struct hd_stacks *st)
{
	if (!st)
		return;
	free(st->nodes);
	free(st->slots);
	free(st);
}

hd_stack_id hd_stacks_add(struct hd_stacks *st, hd_stack_id caller, hd_frame_id frame)
{
	size_t i = find_slot(st, caller.v, frame.v);

	if (st->slots[i])
		return (hd_stack_id){ st->slots[i] };
	if (3 * (st->n + 1) > 2 * st->nslots) {
		rehash(st, 2 * st->nslots);
		i = find_slot(st, caller.v, frame.v);
	}
	HD_GROW(st->nodes, st->n + 1, st->cap);
	st->nodes[st->n] = (struct hd_stack_node){ caller.v, frame.v, st->nodes[caller.v].depth + 1 };
	st->slots[i] = (uint32_t)st->n;
	return (hd_stack_id){ (uint32_t)st->n++ };
}

hd_stack_id hd_stacks_caller(const struct hd_stacks *st, hd_stack_id id)
{
	assert(id.v < st->n);
	return (hd_stack_id){ st->nodes[id.v].caller };
}

hd_frame_id hd_stacks_frame(const struct hd_stacks *st, hd_stack_id id)
{
	assert(id.v < st->n);
	return (hd_frame_id){ st->nodes[id.v].frame };
}

uint32_t hd_stacks_depth(const struct hd_stacks *st, hd_stack_id id)
{
	assert(id.v < st->n);
	return st->nodes[id.v].depth;
}

uint32_t hd_stacks_count(const struct hd_stacks *st)
{
	return (uint32_t)st->n;
}

const struct hd_stack_node *hd_stacks_nodes(const struct hd_stacks *st)
{
	return st->nodes;
}
