/*
 * stack_resolver.h - interned chains -> stacks of the profile
 *
 * Each node becomes a stack: its caller's, then the function at its location,
 * then what is inlined there.  An open root continues in the caller that it was
 * grafted onto.
 */
#ifndef HD_PIPELINE_STACK_RESOLVER_H
#define HD_PIPELINE_STACK_RESOLVER_H

#include "pipeline/chains.h"
#include "pipeline/locator.h"

/* What is known of the path from a root to a node. */
struct hd_resolved_chain {
	hd_stack_id stack;
	hd_frame_id function;	/* innermost frame that is not inlined */
	uint32_t own_root;	/* root node of its own tree */
	uint32_t end;		/* root node after all grafts */
	uint32_t depth;		/* frames */
	uint32_t unknown;	/* ... without a symbol */
	bool has_user;		/* it holds user addresses, */
	bool at_root;		/* and the outermost of them is a function that stacks end in */
	bool over;		/* there was no room left for its stack */
	bool settled;		/* all of this is known */
	bool entered;		/* being settled: to meet it again is a circle of grafts */
};

struct hd_stack_resolver {
	struct hd_profile *p;
	const struct hd_locator *locator;
	uint32_t most_stacks;	/* of the profile: paths that need more are `over` */
	bool no_kernel;		/* leave the kernel's frames out */
	struct hd_resolved_chain *paths;	/* by node */
	size_t paths_cap;
	uint32_t *todo;
	size_t todo_cap;
};

/* Fill paths[1 .. count - 1].  Zero-initialise but for the first three. */
void hd_stack_resolver_run(struct hd_stack_resolver *r, const struct hd_chains *c);
void hd_stack_resolver_release(struct hd_stack_resolver *r);

#endif
