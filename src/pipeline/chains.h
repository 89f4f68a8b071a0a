/*
 * chains.h - call chains, interned by the functions at their addresses
 *
 * This is the hot path of fold and top.  A chain becomes a path in a tree of (outer node, location), so a sample is one
 * node id.  A location is a function, not an address (locator.h): chains that differ only in addresses are equal.
 *
 * The root of a path records how the walk of the stack ended at its outer end.  The callers of a cut stack are unknown,
 * so its root is open.  If another sample of the thread shows the callers, the root is grafted onto them.
 *
 * Consecutive samples of a thread share most of their outer frames.  The last path of a few threads is cached, so only
 * the differing part is looked up.  The locations of recent addresses are cached, too.
 *
 * Owns:      the nodes and their index.
 * Invariant: outer(node) < node.  Node 0 is unused.
 */
#ifndef HD_PIPELINE_CHAINS_H
#define HD_PIPELINE_CHAINS_H

#include "perfdata/perfdata.h"
#include "process/process_table.h"

#include <stdbool.h>
#include <stdint.h>

/* How the walk of a stack ended at its outer end. */
enum hd_chain_end {
	HD_CHAIN_RECORDED,	/* the kernel walked the stack: the chain may be incomplete */
	HD_CHAIN_COMPLETE,	/* unwinding reached a frame without a caller */
	HD_CHAIN_ENDED,		/* unwinding failed in `object` of process/ (0: unknown) */
	HD_CHAIN_CUT,		/* the stack copy was too short */
	HD_CHAIN_OPEN,		/* cut, and its callers may still be found: see hd_chains_open() */
};

/* The data of a root node. */
struct hd_chain_root {
	enum hd_chain_end end;
	uint32_t object;
	uint32_t graft;		/* node of the caller of an open root; 0: unknown */
};

/* A node: a root, or a location under an outer node. */
struct hd_chain_node {
	uint32_t outer;		/* 0 for a root */
	uint32_t location;	/* for a root: the index of its hd_chain_root */
};

/*
 * locate() returns the location of an address, above 0; `tag` is the cpumode, with HD_TAG_PC for an exact program
 * counter. Tests replace hd_locator_find() here.
 */
struct hd_chains_source {
	uint32_t (*locate)(void *ctx, const struct hd_process_context *at, unsigned tag, uint64_t ip);
	void (*exhausted)(void *ctx);	/* called once, when hd_chains_limit is reached; may be NULL */
	void *ctx;
};

/* A chain whose innermost node is not looked up yet.  The node is the child of `outer` with this location. */
struct hd_chain_tip {
	uint32_t outer, location;
};

struct hd_chains;

/* Copies *source; its ctx is borrowed. */
struct hd_chains *hd_chains_new(const struct hd_chains_source *source);
void hd_chains_free(struct hd_chains *c);		/* accepts NULL */
void hd_chains_clear(struct hd_chains *c);		/* discard all nodes, keep the memory */
/*
 * Look up at most about `words` words of recorded chains; the default is no limit.  Words equal to those of the
 * thread's last chain do not count.  When the limit is reached, exhausted() is called, which must stop the caller:
 * hd_chains_add() itself continues to add chains.
 */
void hd_chains_limit(struct hd_chains *c, int64_t words);
void hd_chains_end(struct hd_chains *c);		/* after the last add: free the index and the caches */

/* Return the root node for stacks that end this way, in `object` of process/ or 0. */
uint32_t hd_chains_root(struct hd_chains *c, enum hd_chain_end end, uint32_t object);
/* Return a new open root, for a cut stack whose callers no earlier sample shows. */
uint32_t hd_chains_open(struct hd_chains *c);
/*
 * Set the caller of all stacks under an open root.  Grafts can form a cycle, which code that follows them must
 * expect.
 */
void hd_chains_graft(struct hd_chains *c, uint32_t open, uint32_t caller);

/* Return the location of an address, as source->locate() does, through the cache of recent lookups. */
uint32_t hd_chains_locate(struct hd_chains *c, const struct hd_process_context *at, unsigned tag, uint64_t ip);
/* Return the node of a location under `outer`; add it if it is new. */
uint32_t hd_chains_child(struct hd_chains *c, uint32_t outer, uint32_t location);
/*
 * Return the node of the recorded call chain of s.  *self is set to the location of the sampled address.  It is the
 * location of the node unless the sample has no chain, or a chain that begins elsewhere.
 */
uint32_t hd_chains_add(struct hd_chains *c, const struct hd_process_context *at, const struct hd_sample *s,
	uint32_t *self);
/* As hd_chains_add(), but leave the lookup of the innermost node to a later hd_chains_child(). */
struct hd_chain_tip hd_chains_add_callers(struct hd_chains *c, const struct hd_process_context *at,
	const struct hd_sample *s, uint32_t *self);
/* Prefetch the index slot for a later hd_chains_child(). */
void hd_chains_prefetch_child(const struct hd_chains *c, uint32_t outer, uint32_t location);
/*
 * Add the kernel and other non-user parts of the recorded chain of s under `user`, the innermost node of an unwound
 * stack whose address is ip.  Return the innermost node.
 */
uint32_t hd_chains_add_non_user(struct hd_chains *c, const struct hd_process_context *at, uint32_t user, uint64_t ip,
			     const struct hd_sample *s, uint32_t *self);

uint32_t hd_chains_count(const struct hd_chains *c);	/* ids are 1 to count - 1 */
/* Both pointers are valid until the next node is added. */
const struct hd_chain_node *hd_chains_nodes(const struct hd_chains *c);
const struct hd_chain_root *hd_chains_root_of(const struct hd_chains *c, uint32_t root);
static inline bool hd_chain_is_root(const struct hd_chain_node *n) { return !n->outer; }

/*
 * Return the number of chains cut at a value that is neither an address nor a known context marker, or for too many
 * parts.
 */
uint64_t hd_chains_invalid(const struct hd_chains *c);

#endif
