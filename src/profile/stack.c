/*
 * stack.c - see stack.h
 */
#include "profile/stack.h"

#include "base/hash.h"
#include "base/hash_index.h"
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

struct hd_stacks {
	struct hd_stack_node *nodes;
	size_t n, cap;
	struct hd_index index;	/* index of nodes by (caller, frame), without the empty stack */
};

struct hd_stacks *hd_stacks_new(void)
{
	struct hd_stacks *st = hd_new(struct hd_stacks);

	HD_GROW(st->nodes, 64, st->cap);
	st->nodes[0] = (struct hd_stack_node){ 0, 0, 0 };
	st->n = 1;
	return st;
}

void hd_stacks_free(struct hd_stacks *st)
{
	if (!st)
		return;
	free(st->nodes);
	hd_index_release(&st->index);
	free(st);
}

hd_stack_id hd_stacks_add(struct hd_stacks *st, hd_stack_id caller, hd_frame_id frame)
{
	uint64_t hash = hd_mix(caller.v, frame.v);
	size_t at;

	for (uint32_t id = hd_index_first(&st->index, hash, &at); id != HD_INDEX_NONE;
	     id = hd_index_next(&st->index, hash, &at))
		if (st->nodes[id].caller == caller.v && st->nodes[id].frame == frame.v)
			return (hd_stack_id){ id };
	HD_GROW(st->nodes, st->n + 1, st->cap);
	st->nodes[st->n] = (struct hd_stack_node){ caller.v, frame.v, st->nodes[caller.v].depth + 1 };
	hd_index_add(&st->index, hash, (uint32_t)st->n);
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
