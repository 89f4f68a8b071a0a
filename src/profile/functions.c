/*
 * functions.c - see functions.h
 */
#include "profile/functions.h"

#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>

/* If symbols a and b belong to one function: return true if a, rather than b, should represent it. */
static bool stands_for(const struct hd_profile *p, uint32_t a, uint32_t b)
{
	const struct hd_profile_symbol *sa = &p->symbols[a], *sb = &p->symbols[b];
	bool known_a = sa->start || sa->size, known_b = sb->start || sb->size;

	if (known_a != known_b)
		return known_a;
	return sa->start < sb->start;
}

void hd_functions_init(struct hd_functions *fn, const struct hd_profile *p)
{
	struct hd_map user = { 0 }, kernel = { 0 };	/* (object, linkage name) -> symbol */

	fn->of = hd_new_array(uint32_t, p->nsymbols);
	for (uint32_t i = 0; i < p->nsymbols; i++) {
		const struct hd_profile_symbol *s = &p->symbols[i];
		struct hd_map *map = s->kernel ? &kernel : &user;
		uint64_t key = (uint64_t)s->object << 32 | s->linkage;
		uint32_t known;

		fn->of[i] = i;
		if (s->unresolved || !s->linkage)
			continue;
		known = hd_map_get(map, key);
		if (known == HD_MAP_NONE || stands_for(p, i, known))
			hd_map_put(map, key, i);
	}
	for (uint32_t i = 0; i < p->nsymbols; i++) {
		const struct hd_profile_symbol *s = &p->symbols[i];

		if (!s->unresolved && s->linkage)
			fn->of[i] = hd_map_get(s->kernel ? &kernel : &user, (uint64_t)s->object << 32 | s->linkage);
	}
	hd_map_release(&user);
	hd_map_release(&kernel);
}

void hd_functions_release(struct hd_functions *fn)
{
	free(fn->of);
	*fn = (struct hd_functions){ 0 };
}

hd_frame_id hd_functions_self(const struct hd_profile *p, const struct hd_sample_row *row, bool inlined)
{
	const struct hd_frame *self = &p->frames[row->self.v];
	hd_stack_id s = row->stack;
	hd_frame_id holder;

	if (row->inner.v)
		return inlined ? row->inner : row->self;
	/*
	 * In a profile from folded text, `self` is the innermost frame, which can be an inlined one.  In this case
	 * search for the function that contains it.
	 */
	if (!s.v || (!inlined && !self->inlined))
		return row->self;
	do {
		holder = hd_stacks_frame(p->stacks, s);
		s = hd_stacks_caller(p->stacks, s);
	} while (s.v && p->frames[holder.v].inlined);
	if (self->inlined)
		return inlined || p->frames[holder.v].inlined ? row->self : holder;
	return p->frames[holder.v].symbol == self->symbol ? hd_stacks_frame(p->stacks, row->stack) : row->self;
}
