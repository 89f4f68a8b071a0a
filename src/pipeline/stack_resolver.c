/*
 * stack_resolver.c - see stack_resolver.h
 */
#include "pipeline/stack_resolver.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Resolve a node whose outer node is resolved. */
static void settle_node(struct hd_stack_resolver *r, struct hd_resolved_chain *path,
	const struct hd_resolved_chain *outer, uint32_t location)
{
	const struct hd_location *loc = hd_locator_get(r->locator, location);
	const hd_frame_id *inlined = hd_locator_inlined(r->locator, loc);

	*path = *outer;
	path->has_user = outer->has_user || !loc->kernel;
	/*
	 * The outermost user frame decides whether the stack is complete.  It may have one caller without a symbol:
	 * code of libc that called main.
	 */
	path->at_root = outer->at_root ||
		(path->has_user && loc->root && (!outer->has_user || (outer->depth == 1 && outer->unknown)));
	if (r->no_kernel && loc->kernel)
		return;
	if (outer->over || hd_stacks_count(r->p->stacks) + loc->ninlined >= r->most_stacks) {
		path->over = true;
		return;
	}
	path->function = loc->frame;
	path->stack = hd_stacks_add(r->p->stacks, path->stack, loc->frame);
	for (uint32_t i = 0; i < loc->ninlined; i++)
		path->stack = hd_stacks_add(r->p->stacks, path->stack, inlined[i]);
	path->depth += 1 + loc->ninlined;
	path->unknown += loc->unresolved;
}

/* Resolve a root.  A root that was grafted onto another node continues with `outer`; any other root ends the stack. */
static void settle_root(struct hd_resolved_chain *path, uint32_t id, const struct hd_resolved_chain *outer)
{
	*path = (struct hd_resolved_chain){ .end = id };
	if (outer->settled)
		*path = *outer;
	path->own_root = id;
}

/* Return the caller of a node.  For a root this is the node onto which it was grafted, or 0. */
static uint32_t outside(const struct hd_chains *c, uint32_t id)
{
	const struct hd_chain_node *node = &hd_chains_nodes(c)[id];

	return hd_chain_is_root(node) ? hd_chains_root_of(c, id)->graft : node->outer;
}

/* Resolve a node after all its callers.  If grafts form a cycle, the path ends at the first node reached again. */
static void settle(struct hd_stack_resolver *r, const struct hd_chains *c, uint32_t id)
{
	const struct hd_chain_node *nodes = hd_chains_nodes(c);
	size_t n = 0;

	while (id && !r->paths[id].settled && !r->paths[id].entered) {
		HD_GROW(r->todo, n + 1, r->todo_cap);
		r->todo[n++] = id;
		r->paths[id].entered = true;
		id = outside(c, id);
	}
	while (n-- > 0) {
		struct hd_resolved_chain *path;

		id = r->todo[n];
		path = &r->paths[id];
		if (hd_chain_is_root(&nodes[id]))
			settle_root(path, id, &r->paths[outside(c, id)]);
		else
			settle_node(r, path, &r->paths[nodes[id].outer], nodes[id].location);
		path->settled = true;
	}
}

void hd_stack_resolver_run(struct hd_stack_resolver *r, const struct hd_chains *c)
{
	uint32_t n = hd_chains_count(c);

	r->paths = hd_grow(r->paths, n, &r->paths_cap, sizeof(*r->paths));
	memset(r->paths, 0, n * sizeof(*r->paths));
	for (uint32_t id = 1; id < n; id++)
		settle(r, c, id);
}

void hd_stack_resolver_release(struct hd_stack_resolver *r)
{
	free(r->paths);
	free(r->todo);
	*r = (struct hd_stack_resolver){ 0 };
}
