/*
 * chains.h - call chains as recorded, interned before anything is resolved
 *
 * The hot path of fold and top.  A chain becomes a path in a tree of
 * (outer node, ip, tag); a sample then is one node id.  No address is looked up
 * here: equal addresses under one space mean equal frames, so resolving waits
 * until the sums are known and is done once per distinct address (resolve.h).
 *
 *     root        (space, kernel space): what was mapped when the sample was taken
 *     tag         the cpumode of the address, and whether it is a program
 *                 counter (the innermost of its part) or a return address
 *
 * Neighbouring samples of a thread share most of their outer frames: the last
 * path of each of a few threads is kept, and only what differs is looked up.
 *
 * Owns:  the nodes and their index.
 * Holds: outer(node) < node.  Node 0 is not used.
 */
#ifndef HD_INGEST_CHAINS_H
#define HD_INGEST_CHAINS_H

#include "perfdata/perfdata.h"
#include "proc/proc.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	HD_CHAIN_ROOT = 0,	/* tag of a root; its ip is the index of its hd_proc_at */
	HD_CHAIN_PC = 8,	/* tag bit: an exact program counter; low bits: cpumode 0..7 */
	HD_CHAIN_MAX_NODES = 1 << 28,
};

struct hd_chain_node {
	uint64_t ip;
	uint32_t key;		/* tag << 28 | outer node */
};

struct hd_chains;

struct hd_chains *hd_chains_new(void);
void hd_chains_free(struct hd_chains *c);		/* NULL is fine */
void hd_chains_clear(struct hd_chains *c);		/* forget everything, keep the memory */

uint32_t hd_chains_root(struct hd_chains *c, const struct hd_proc_at *at);
/*
 * The node of s's call chain under `root`, and in *self the node of the sample's own
 * address: the same one as a rule, else (no chain, or one that begins elsewhere) a
 * node right under the root.  Without a chain the answer is *self.
 */
uint32_t hd_chains_add(struct hd_chains *c, uint32_t root, const struct hd_sample *s, uint32_t *self);

uint32_t hd_chains_count(const struct hd_chains *c);	/* ids are 1 .. count - 1 */
static inline uint32_t hd_chain_outer(const struct hd_chain_node *n) { return n->key & (HD_CHAIN_MAX_NODES - 1); }
static inline unsigned hd_chain_tag(const struct hd_chain_node *n) { return n->key >> 28; }
const struct hd_chain_node *hd_chains_nodes(const struct hd_chains *c);
const struct hd_proc_at *hd_chains_at(const struct hd_chains *c, const struct hd_chain_node *root);

/* Chains that were cut: at a value that is neither an address nor a known context marker, or after too many parts. */
uint64_t hd_chains_invalid(const struct hd_chains *c);

#endif
