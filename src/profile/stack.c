/*
 * stack.c - see stack.h
 *
 * Most stacks are added right after their caller, so their id is the caller's id plus 1.  The lookup tests this id
 * first.  The index has only the other stacks, so it is small if an input rarely repeats itself.
 *
 * The hash of a stack is made of the hash of its caller and the frame, not of the id of the caller.  So the slots of
 * all stacks along a path are known before the first lookup, and their memory can be loaded at the same time.
 */
#include "profile/stack.h"

#include "base/hash.h"
#include "base/hash_index.h"
#include "base/mem.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

struct hd_stacks {
	struct hd_stack_node *nodes;
	size_t n, cap;
	struct hd_index index;	/* nodes by hash; without node 0, and without nodes right after their caller */
};

struct hd_stacks *hd_stacks_new(void)
{
	struct hd_stacks *st = hd_new(struct hd_stacks);

	HD_GROW(st->nodes, 64, st->cap);
	st->nodes[0] = (struct hd_stack_node){ 0 };
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

static bool is(const struct hd_stack_node *node, hd_stack_id caller, hd_frame_id frame)
{
	return node->caller == caller.v && node->frame == frame.v;
}

hd_stack_id hd_stacks_add(struct hd_stacks *st, hd_stack_id caller, hd_frame_id frame)
{
	uint32_t hash = (uint32_t)hd_mix(st->nodes[caller.v].hash, frame.v), next = caller.v + 1;
	size_t at;

	if (next < st->n) {
		if (is(&st->nodes[next], caller, frame))
			return (hd_stack_id){ next };
		for (uint32_t id = hd_index_first(&st->index, hash, &at); id != HD_INDEX_NONE;
		     id = hd_index_next(&st->index, hash, &at))
			if (is(&st->nodes[id], caller, frame))
				return (hd_stack_id){ id };
		hd_index_add(&st->index, hash, (uint32_t)st->n);
	}
	HD_GROW(st->nodes, st->n + 1, st->cap);
	st->nodes[st->n] = (struct hd_stack_node){ caller.v, frame.v, st->nodes[caller.v].depth + 1, hash };
	return (hd_stack_id){ (uint32_t)st->n++ };
}

void hd_stacks_prefetch(const struct hd_stacks *st, hd_stack_id caller, const hd_frame_id *frames, size_t n)
{
	uint32_t hashes[64];

	if (!st->index.cap)
		return;
	n = n < HD_COUNT(hashes) ? n : HD_COUNT(hashes);
	for (size_t i = 0; i < n; i++) {
		hashes[i] = (uint32_t)hd_mix(i ? hashes[i - 1] : st->nodes[caller.v].hash, frames[i].v);
		__builtin_prefetch(&st->index.slots[hashes[i] & (st->index.cap - 1)]);
	}
	for (size_t i = 0; i < n; i++) {
		size_t at;
		uint32_t id = hd_index_first(&st->index, hashes[i], &at);

		if (id != HD_INDEX_NONE)
			__builtin_prefetch(&st->nodes[id]);
	}
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
