/*
 * stack_resolver.h - convert interned chains (chains.h) to stacks of the profile
 *
 * The stack of a node is the stack of its outer node, then the function at its location, then the functions inlined
 * there.  A root has no frames.  If it is the root of a cut stack and was grafted onto a node, because another sample
 * showed its caller, it has the stack of that node.
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
	uint32_t depth;		/* number of frames */
	uint32_t unknown;	/* number of frames without a symbol */
	bool has_user;		/* it has user frames */
	bool at_root;		/* the outermost user frame is a function in which complete stacks end */
	bool over;		/* the profile has no room for its stack (most_stacks), so its samples are dropped */
	bool settled;		/* all fields are set */
	bool entered;		/* the node is being resolved; reaching it again means that grafts form a cycle */
};

struct hd_stack_resolver {
	struct hd_profile *p;
	const struct hd_locator *locator;
	/* limit for the number of stacks of the profile; a path that would exceed it is marked `over` */
	uint32_t most_stacks;
	bool no_kernel;		/* omit kernel frames */
	struct hd_resolved_chain *paths;	/* indexed by node */
	size_t paths_cap;
	uint32_t *todo;
	size_t todo_cap;
};

/*
 * Fill in r->paths for every node of c, in place of the results of an earlier call.  Before the first call, the caller
 * sets the first four fields of r and zeroes the others.
 */
void hd_stack_resolver_run(struct hd_stack_resolver *r, const struct hd_chains *c);
void hd_stack_resolver_release(struct hd_stack_resolver *r);

#endif
