/*
 * address_spaces.c - see address_spaces.h
 */
#include "process/address_spaces.h"

#include "base/mem.h"

#include <stdlib.h>

void hd_address_spaces_release(struct hd_address_spaces *sp)
{
	free(sp->items);
	hd_range_tree_release(&sp->tree);
	*sp = (struct hd_address_spaces){ 0 };
}

/* Convert a space, which is a chain of changes to an older space, to one tree.  Its id and content stay the same. */
static void settle(struct hd_address_spaces *sp, uint32_t space)
{
	uint32_t chain[HD_ADDRESS_SPACES_CHAIN], n = 0, root;

	for (; sp->items[space].chain; space = sp->items[space].below)
		chain[n++] = space;
	root = sp->items[space].root;
	if (!n)
		return;
	hd_range_tree_freeze(&sp->tree);
	for (uint32_t i = n; i-- > 0; ) {	/* oldest first */
		const struct hd_address_space *s = &sp->items[chain[i]];

		root = hd_range_tree_cover(&sp->tree, root, s->start, s->end, s->what);
	}
	sp->items[chain[0]].root = root;
	sp->items[chain[0]].chain = 0;
}

/*
 * Return the number of steps from a space along its chain to the next space that has a tree, or an upper bound of it.
 * If the chain is too long, the space half way down gets a tree.  So there are always many mappings between two trees,
 * and a chain that forks often cannot force a tree for every mapping.
 */
static uint32_t chain_of(struct hd_address_spaces *sp, uint32_t space)
{
	uint32_t steps = 0, s = space;

	if (sp->items[space].chain < HD_ADDRESS_SPACES_CHAIN)
		return sp->items[space].chain;
	/*
	 * The stored length can be too large, because settle() may have shortened the chain for another space that
	 * shares a part of it.  So count the steps.
	 */
	for (; sp->items[s].chain; s = sp->items[s].below)
		steps++;
	if (steps >= HD_ADDRESS_SPACES_CHAIN) {
		s = space;
		for (steps = 0; steps < HD_ADDRESS_SPACES_CHAIN / 2; steps++)
			s = sp->items[s].below;
		settle(sp, s);
	}
	return steps;
}

uint32_t hd_address_spaces_map(struct hd_address_spaces *sp, uint32_t space, uint64_t start, uint64_t end,
	uint32_t what)
{
	uint32_t steps;

	if (!sp->n) {
		HD_GROW(sp->items, 1, sp->cap);
		sp->items[sp->n++] = (struct hd_address_space){ 0 };
	}
	steps = chain_of(sp, space);
	HD_GROW(sp->items, sp->n + 1, sp->cap);
	sp->items[sp->n] = (struct hd_address_space){
		.start = start, .end = end, .what = what, .below = space, .chain = steps + 1,
	};
	return (uint32_t)sp->n++;
}

uint32_t hd_address_spaces_map_all(struct hd_address_spaces *sp, uint32_t space,
	const struct hd_address_space_range *ranges, size_t n)
{
	uint32_t root;

	if (!n)
		return space;
	space = hd_address_spaces_map(sp, space, ranges[0].start, ranges[0].end, ranges[0].what);
	settle(sp, space);
	/* No other space refers to the nodes of this new space, so they are changed in place. */
	root = sp->items[space].root;
	for (size_t i = 1; i < n; i++)
		root = hd_range_tree_cover(&sp->tree, root, ranges[i].start, ranges[i].end, ranges[i].what);
	sp->items[space].root = root;
	return space;
}

/*
 * Chain lengths and tree roots are not compared: converting a space from a chain to a tree leaves its content equal.
 * So only the first range of hd_address_spaces_map_all() is compared, because the others are only in the tree.
 */
bool hd_address_spaces_is_prefix(const struct hd_address_spaces *from, const struct hd_address_spaces *to)
{
	if (from->n > to->n)
		return false;
	for (size_t i = 0; i < from->n; i++) {
		const struct hd_address_space *a = &from->items[i], *b = &to->items[i];

		if (a->start != b->start || a->end != b->end || a->what != b->what || a->below != b->below)
			return false;
	}
	return true;
}

bool hd_address_spaces_any(const struct hd_address_spaces *sp, uint32_t space, uint64_t start, uint64_t end)
{
	if (space >= sp->n)
		return false;
	for (; sp->items[space].chain; space = sp->items[space].below)
		if (sp->items[space].what && start < sp->items[space].end && end > sp->items[space].start)
			return true;
	return hd_range_tree_any(&sp->tree, sp->items[space].root, start, end);
}

void hd_address_spaces_probe(const struct hd_address_spaces *sp, uint32_t space, uint64_t ip,
	struct hd_address_space_hit *hit)
{
	uint64_t lo = 0, hi = UINT64_MAX;
	const struct hd_range_tree_node *x;

	*hit = (struct hd_address_space_hit){ 0, UINT64_MAX, 0 };
	if (space >= sp->n)
		return;
	for (; sp->items[space].chain; space = sp->items[space].below) {
		const struct hd_address_space *s = &sp->items[space];

		if (ip >= s->start && ip < s->end) {
			*hit = (struct hd_address_space_hit){ s->start, s->end, s->what };
			goto found;
		}
		/* newer mappings next to the address limit the range */
		if (s->end <= ip)
			lo = s->end > lo ? s->end : lo;
		else
			hi = s->start < hi ? s->start : hi;
	}
	x = hd_range_tree_probe(&sp->tree, sp->items[space].root, ip, &hit->start, &hit->end);
	if (x)
		*hit = (struct hd_address_space_hit){ x->start, x->end, x->what };
found:
	if (hit->start < lo)
		hit->start = lo;
	if (hit->end > hi)
		hit->end = hi;
}

bool hd_address_spaces_find(const struct hd_address_spaces *sp, uint32_t space, uint64_t ip,
	struct hd_address_space_hit *hit)
{
	hd_address_spaces_probe(sp, space, ip, hit);
	return hit->what != 0;
}
