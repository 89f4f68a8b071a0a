/*
 * chains.h - call chains, interned by what is at their addresses
 *
 * The hot path of fold and top.  A chain becomes a path in a tree of (outer
 * node, location); a sample then is one node id.  Locations are functions, not
 * addresses (locator.h), so that chains that differ in addresses alone are one.
 *
 *     root        how the outer end of the stacks under it came about.  An open root
 *                 stands for callers of a cut stack that nobody knows yet: when another sample of the thread
 *                 tells them, it is grafted onto them
 *
 * Neighbouring samples of a thread share most of their outer frames: the last
 * path of each of a few threads is kept, and only what differs is looked up;
 * the locations of the addresses met last are kept, too.
 *
 * Owns:  the nodes and their index.
 * Holds: outer(node) < node.  Node 0 is not used.
 */
#ifndef HD_PIPELINE_CHAINS_H
#define HD_PIPELINE_CHAINS_H

#include "perfdata/perfdata.h"
#include "process/process_table.h"

#include <stdbool.h>
#include <stdint.h>

/* How the outer end of a stack came about. */
enum hd_chain_end {
	HD_CHAIN_RECORDED,	/* the kernel walked it: nobody knows */
	HD_CHAIN_COMPLETE,	/* unwound until there was no caller */
	HD_CHAIN_ENDED,		/* unwound until that failed, in `object` of process/ (or 0) */
	HD_CHAIN_CUT,		/* the stack copy was too short */
	HD_CHAIN_OPEN,		/* the same, and it may turn out what lies beyond: a root of its own */
};

struct hd_chain_root {
	enum hd_chain_end end;
	uint32_t object;
	uint32_t graft;		/* of an open one: the node of its caller; 0: not known */
};

struct hd_chain_node {
	uint32_t outer;		/* of a root: 0 */
	uint32_t location;	/* of a root: its index */
};

/* What is at an address: an id above 0; tag is the cpumode, | HD_TAG_PC.  hd_locator_find, but for tests. */
struct hd_chains_source {
	uint32_t (*locate)(void *ctx, const struct hd_process_context *at, unsigned tag, uint64_t ip);
	void (*exhausted)(void *ctx);	/* called once, when hd_chains_limit is reached; may be NULL */
	void *ctx;
};

/* A chain without its innermost node: that of this location under `outer`. */
struct hd_chain_tip {
	uint32_t outer, location;
};

struct hd_chains;

struct hd_chains *hd_chains_new(const struct hd_chains_source *source);
void hd_chains_free(struct hd_chains *c);		/* NULL is fine */
void hd_chains_clear(struct hd_chains *c);		/* forget everything, keep the memory */
/*
 * Look up at most about so many words of recorded chains; the default is no limit.  Words that the thread's last chain
 * has, too, are free.  After the limit chains are still added: it is for `exhausted` to stop the caller.
 */
void hd_chains_limit(struct hd_chains *c, int64_t words);
void hd_chains_end(struct hd_chains *c);		/* nothing is added any more: give back what only that needs */

uint32_t hd_chains_root(struct hd_chains *c, enum hd_chain_end end, uint32_t object);
/* A new root for each cut stack that fits no other sample. */
uint32_t hd_chains_open(struct hd_chains *c);
/* The stacks under an open root have this caller.  May close a circle: who follows grafts must expect it. */
void hd_chains_graft(struct hd_chains *c, uint32_t open, uint32_t caller);

/* The location of an address, and the node of a location under `outer`. */
uint32_t hd_chains_locate(struct hd_chains *c, const struct hd_process_context *at, unsigned tag, uint64_t ip);
uint32_t hd_chains_child(struct hd_chains *c, uint32_t outer, uint32_t location);
/*
 * The node of s's recorded call chain, and in *self the location of the sample's own address:
 * that of the node as a rule, else (no chain, or one that begins elsewhere) one of its own.
 */
uint32_t hd_chains_add(struct hd_chains *c, const struct hd_process_context *at, const struct hd_sample *s, uint32_t *self);
/* The same, but that the innermost node is not looked for; hd_chains_child has it.  ask_child: it will be, soon. */
struct hd_chain_tip hd_chains_add_callers(struct hd_chains *c, const struct hd_process_context *at,
	const struct hd_sample *s, uint32_t *self);
void hd_chains_prefetch_child(const struct hd_chains *c, uint32_t outer, uint32_t location);
/*
 * Under `user`, the innermost node of an unwound stack whose address is ip, the
 * recorded parts of s's chain that are not of user mode.  Returns the innermost node of all.
 */
uint32_t hd_chains_add_non_user(struct hd_chains *c, const struct hd_process_context *at, uint32_t user, uint64_t ip,
			     const struct hd_sample *s, uint32_t *self);

uint32_t hd_chains_count(const struct hd_chains *c);	/* ids are 1 .. count - 1 */
const struct hd_chain_node *hd_chains_nodes(const struct hd_chains *c);
const struct hd_chain_root *hd_chains_root_of(const struct hd_chains *c, uint32_t root);
static inline bool hd_chain_is_root(const struct hd_chain_node *n) { return !n->outer; }

/* Chains that were cut: at a value that is neither an address nor a known context marker, or after too many parts. */
uint64_t hd_chains_invalid(const struct hd_chains *c);

#endif
