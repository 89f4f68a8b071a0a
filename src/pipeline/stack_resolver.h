/*
 * stack_resolver.h - interned chains -> stacks of the profile
 *
 * The stack of a node is the stack of its outer node, then the function at its location, then the functions inlined
 * there. An open root continues in the caller onto which it was grafted.
 */
#ifndef HD_PIPELINE_STACK_RESOLVER_H
#define HD_PIPELINE_STACK_RESOLVER_H

#include "pipeline/chains.h"
#include "pipeline/locator.h"

/* The path from a root to a node. */
struct hd_resolved_chain {
	hd_stack_id stack;
	hd_frame_id function;	/* innermost frame that is not inlined */
	uint32_t own_root;	/* root node before grafts */
	uint32_t end;		/* root node after all grafts */
	uint32_t depth;		/* frames */
	uint32_t unknown;	/* frames without a symbol */
	bool has_user;		/* it has user frames */
	bool at_root;		/* its outermost user frame is a function in which complete stacks end */
	bool over;		/* dropped: more than most_stacks stacks */
	bool settled;		/* all fields are set */
	bool entered;		/* being resolved: reaching it again means a cycle of grafts */
};

struct hd_stack_resolver {
	struct hd_profile *p;
	const struct hd_locator *locator;
	uint32_t most_stacks;	/* maximum number of stacks of the profile; paths beyond it are `over` */
	bool no_kernel;		/* omit kernel frames */
	struct hd_resolved_chain *paths;	/* by node */
	size_t paths_cap;
	uint32_t *todo;
	size_t todo_cap;
};

/* Fill paths[1] to paths[count - 1].  The caller sets the first four fields and zeroes the others. */
void hd_stack_resolver_run(struct hd_stack_resolver *r, const struct hd_chains *c);
void hd_stack_resolver_release(struct hd_stack_resolver *r);

#endif
