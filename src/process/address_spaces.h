/*
 * address_spaces.h - versions of address spaces
 *
 * A space is the mappings of a process at one time.  Mapping something gives
 * a new space and leaves the old one as it was, so a fork costs nothing: two
 * processes go on from one number.
 *
 *     0 --map--> 1 --map--> 2 --map--> 3	the parent
 *                           `--map--> 4	its child, forked at 2
 *
 * Most processes live with few mappings and few questions, so a space is
 * first only a mapping and the space below it, 32 bytes.  When a chain of
 * these gets long its older half is laid into one tree (range_tree.h), which the
 * spaces of that half's end share.  A question walks the chain, newest first,
 * then asks the tree.
 *
 * Holds: a mapping costs O(log n) nodes in the long run, whatever it covers
 *        and however forks branch; a question costs O(log n) and a chain of
 *        at most HD_ADDRESS_SPACES_CHAIN steps.
 */
#ifndef HD_PROCESS_ADDRESS_SPACES_H
#define HD_PROCESS_ADDRESS_SPACES_H

#include "process/range_tree.h"

#include <stdbool.h>

enum { HD_ADDRESS_SPACES_CHAIN = 32 };

struct hd_address_space {
	uint64_t start, end;		/* newest mapping, above those of `below` */
	uint32_t what;			/* 0: nothing, a hole */
	uint32_t below;
	uint32_t root;			/* everything, as a tree; only when chain is 0 */
	uint32_t chain;			/* steps down to a space with a tree, or more than that */
};

/* Zero-initialise.  Space 0 is the empty one. */
struct hd_address_spaces {
	struct hd_address_space *items;
	size_t n, cap;
	struct hd_range_tree tree;
};

struct hd_address_space_hit {
	uint64_t start, end;		/* what is left of the mapping around the address */
	uint32_t what;
};

void hd_address_spaces_release(struct hd_address_spaces *sp);

/* `space` with [start, end) mapped to `what` above what was there; 0 unmaps. start < end. */
uint32_t hd_address_spaces_map(struct hd_address_spaces *sp, uint32_t space, uint64_t start, uint64_t end,
	uint32_t what);

/* The same for many ranges, later ones above, as one space: it costs the ranges and not a space each. */
struct hd_address_space_range { uint64_t start, end; uint32_t what; };
uint32_t hd_address_spaces_map_all(struct hd_address_spaces *sp, uint32_t space,
	const struct hd_address_space_range *ranges, size_t n);

/* Are those of `from` the first of `to`'s? */
bool hd_address_spaces_is_prefix(const struct hd_address_spaces *from, const struct hd_address_spaces *to);

/* Was something mapped in [start, end), even if it is gone by now? */
bool hd_address_spaces_any(const struct hd_address_spaces *sp, uint32_t space, uint64_t start, uint64_t end);

/* What is mapped at ip; false: nothing. */
bool hd_address_spaces_find(const struct hd_address_spaces *sp, uint32_t space, uint64_t ip,
	struct hd_address_space_hit *hit);

/* The same, and of a hole (what 0) how far it reaches, at least. */
void hd_address_spaces_probe(const struct hd_address_spaces *sp, uint32_t space, uint64_t ip,
	struct hd_address_space_hit *hit);

#endif
