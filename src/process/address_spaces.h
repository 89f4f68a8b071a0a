/*
 * address_spaces.h - store the versions of address spaces, and look up addresses in them
 *
 * A space is the set of mappings of one process at one time.  Adding a mapping creates a new space
 * and leaves the old one unchanged.  A fork therefore copies nothing: both processes continue from
 * the same space.
 *
 *     0 --map--> 1 --map--> 2 --map--> 3	the parent
 *                           `--map--> 4	its child, forked at 2
 *
 * A new space is stored as one mapping and a link to the space below it (32 bytes).  When such a
 * chain gets long, its older half is converted to one tree (range_tree.h).  A lookup walks the
 * chain, newest mapping first, and then searches the tree.
 *
 * Cost: adding a mapping takes O(log n) amortised, whatever it covers and however forks branch.  A
 *       lookup takes O(log n) after a chain of at most HD_ADDRESS_SPACES_CHAIN steps.
 */
#ifndef HD_PROCESS_ADDRESS_SPACES_H
#define HD_PROCESS_ADDRESS_SPACES_H

#include "process/range_tree.h"

#include <stdbool.h>

enum { HD_ADDRESS_SPACES_CHAIN = 32 };

struct hd_address_space {
	uint64_t start, end;		/* the newest mapping; it hides those of `below` */
	uint32_t what;			/* value of the mapping; 0: a hole */
	uint32_t below;
	uint32_t root;			/* all mappings as a tree; valid only if chain is 0 */
	uint32_t chain;			/* upper bound of the steps down to a space with a tree */
};

/* Zero-initialise.  Space 0 is empty. */
struct hd_address_spaces {
	struct hd_address_space *items;
	size_t n, cap;
	struct hd_range_tree tree;
};

struct hd_address_space_hit {
	uint64_t start, end;		/* range around the looked-up address that has this result */
	uint32_t what;
};

void hd_address_spaces_release(struct hd_address_spaces *sp);

/*
 * Return a space that equals `space`, except that [start, end) is mapped to `what`, a number that the caller chooses.
 * what 0 unmaps the range.  start < end.
 */
uint32_t hd_address_spaces_map(struct hd_address_spaces *sp, uint32_t space, uint64_t start, uint64_t end,
	uint32_t what);

/* Map n ranges and create one space for all of them.  Later ranges hide earlier ones.  If n is 0, return `space`. */
struct hd_address_space_range { uint64_t start, end; uint32_t what; };
uint32_t hd_address_spaces_map_all(struct hd_address_spaces *sp, uint32_t space,
	const struct hd_address_space_range *ranges, size_t n);

/*
 * Return true if the spaces of `from` equal the spaces with the same ids in `to`, which may have more spaces.  Of the
 * ranges of one hd_address_spaces_map_all(), only the first one is compared.
 */
bool hd_address_spaces_is_prefix(const struct hd_address_spaces *from, const struct hd_address_spaces *to);

/*
 * Return true if something is mapped in [start, end).  The result can also be true if only mappings that newer ones
 * hide or unmap overlap the range.
 */
bool hd_address_spaces_any(const struct hd_address_spaces *sp, uint32_t space, uint64_t start, uint64_t end);

/* Look up the mapping at ip.  Returns false if there is none. */
bool hd_address_spaces_find(const struct hd_address_spaces *sp, uint32_t space, uint64_t ip,
	struct hd_address_space_hit *hit);

/*
 * Like hd_address_spaces_find().  If nothing is mapped at ip, `what` is 0, and start and end enclose an unmapped range
 * around ip.
 */
void hd_address_spaces_probe(const struct hd_address_spaces *sp, uint32_t space, uint64_t ip,
	struct hd_address_space_hit *hit);

#endif
