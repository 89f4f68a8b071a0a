/*
 * chains.h - intern call chains by the functions at their addresses
 *
 * This is the hot path of fold and top.  A chain becomes a path in a tree of (outer node, location), so a sample is one
 * node id.  A location is a function with the functions inlined at the address (locator.h).  So chains that differ only
 * in addresses are equal, unless each address must have a frame of its own (opts->lines, opts->symbol_user).
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
	HD_CHAIN_RECORDED,	/* the kernel or the processor (LBR) recorded the chain: it may be incomplete */
	HD_CHAIN_COMPLETE,	/* unwinding reached a frame without a caller */
	HD_CHAIN_ENDED,		/* unwinding failed */
	HD_CHAIN_CUT,		/* the stack copy was too short */
	HD_CHAIN_OPEN,		/* the stack copy was too short; the callers may be found later: see hd_chains_open() */
};

/* The data of a root node. */
struct hd_chain_root {
	enum hd_chain_end end;
	/*
	 * id (in the process table) of the object in which the first frame was guessed, else of the object in which
	 * unwinding failed; 0: neither, or unknown
	 */
	uint32_t object;
	uint32_t graft;		/* node of the caller of an open root; 0: unknown */
};

/* A node: a root, or a location under an outer node. */
struct hd_chain_node {
	uint32_t outer;		/* 0 for a root */
	uint32_t location;	/* for a root: the index of its hd_chain_root */
};

/*
 * locate() returns the location of an address; locations are above 0.  `tag` is the cpumode, with HD_TAG_PC if the
 * address is an exact program counter and not a return address.  The pipeline uses hd_locator_find() for it; tests use
 * other functions.
 */
struct hd_chains_source {
	uint32_t (*locate)(void *ctx, const struct hd_process_context *at, unsigned tag, uint64_t ip);
	void (*exhausted)(void *ctx);	/* called once, when the limit of hd_chains_limit() is reached; may be NULL */
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
/* Discard all nodes.  The memory, the cached locations and the count of hd_chains_invalid() are kept. */
void hd_chains_clear(struct hd_chains *c);
/*
 * Limit the number of looked-up words of recorded chains to about `words`; the default is no limit.  Words equal to
 * those of the last chain of the thread do not count.  A word whose location is not cached counts several times.  When
 * the limit is reached, exhausted() is called.  It must make the caller stop, because hd_chains_add() itself continues
 * to add chains.
 */
void hd_chains_limit(struct hd_chains *c, int64_t words);
/* Call this after the last add: it frees the index of nodes and the cache of locations.  The nodes stay. */
void hd_chains_end(struct hd_chains *c);

/* Return the root node for this `end` and `object` (see struct hd_chain_root); add it if it is new. */
uint32_t hd_chains_root(struct hd_chains *c, enum hd_chain_end end, uint32_t object);
/* Add a root node for a cut stack whose callers are unknown so far (an open root), and return it. */
uint32_t hd_chains_open(struct hd_chains *c);
/*
 * Graft the root `open`, whose callers were unknown, onto the node `caller`: all stacks under the root then continue
 * with this caller.  Grafts can form a cycle; code that follows them must expect that.
 */
void hd_chains_graft(struct hd_chains *c, uint32_t open, uint32_t caller);

/* Return the location of an address, as source->locate() does, through the cache of recent lookups. */
uint32_t hd_chains_locate(struct hd_chains *c, const struct hd_process_context *at, unsigned tag, uint64_t ip);
/* Return the node of a location under `outer`; add it if it is new. */
uint32_t hd_chains_child(struct hd_chains *c, uint32_t outer, uint32_t location);
/*
 * Return the innermost node of the recorded call chain of the sample s.  If the sample has no chain, the chain consists
 * of the sampled address only.  *self is set to the location of the sampled address.  This is also the location of the
 * node, unless the chain begins at another address.
 */
uint32_t hd_chains_add(struct hd_chains *c, const struct hd_process_context *at, const struct hd_sample *s,
	uint32_t *self);
/* Like hd_chains_add(), but the innermost node is not looked up.  The caller does this later with hd_chains_child(). */
struct hd_chain_tip hd_chains_add_callers(struct hd_chains *c, const struct hd_process_context *at,
	const struct hd_sample *s, uint32_t *self);
/* Prefetch the index slot for a later hd_chains_child(). */
void hd_chains_prefetch_child(const struct hd_chains *c, uint32_t outer, uint32_t location);
/*
 * An unwound stack has user frames only, and its innermost node is `user`, at address ip.  Add the other parts of the
 * recorded chain of s (kernel, guest) under that node.  Return the innermost node, and set *self as hd_chains_add()
 * does.
 */
uint32_t hd_chains_add_non_user(struct hd_chains *c, const struct hd_process_context *at, uint32_t user, uint64_t ip,
			     const struct hd_sample *s, uint32_t *self);

uint32_t hd_chains_count(const struct hd_chains *c);	/* ids are 1 to count - 1 */
/* The pointers that hd_chains_nodes() and hd_chains_root_of() return are valid until the next node is added. */
const struct hd_chain_node *hd_chains_nodes(const struct hd_chains *c);
const struct hd_chain_root *hd_chains_root_of(const struct hd_chains *c, uint32_t root);
static inline bool hd_chain_is_root(const struct hd_chain_node *n) { return !n->outer; }

/*
 * Return the number of chains that were shortened because they had a value that is neither an address nor a known
 * context marker, or because they had too many parts (runs of addresses under one context marker).
 */
uint64_t hd_chains_invalid(const struct hd_chains *c);
/* Increase the number that hd_chains_invalid() returns by `n`: chains that were shortened in another tree. */
void hd_chains_count_invalid(struct hd_chains *c, uint64_t n);

#endif
