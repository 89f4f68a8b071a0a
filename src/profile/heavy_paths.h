/*
 * heavy_paths.h - find the paths of stacks that are heavy enough to be drawn
 *
 * A profile can have millions of distinct stacks, but a picture shows some thousands.  hd_heavy_paths_init() adds up
 * the weight of each path in plain arrays and then drops the light ones, so that few nodes of a call tree are built:
 *
 *     main;parse;read;a  1        0 root                   total 9
 *     main;parse;read;b  1   ->   1 main                   total 9
 *     main;close         7        2 main;parse             total 2, omitted 3: read, a and b
 *         (least 3)               3 main;close             total 7
 *
 * Owns:      the arrays of the result.
 * Condition: no two frames have the same label, so that a path is a stack and, with by_comm, a thread name before it.
 * Invariant: a path comes after its parent; item 0 is the root.  The parent of each path weighs at least `least`.
 */
#ifndef HD_PROFILE_HEAVY_PATHS_H
#define HD_PROFILE_HEAVY_PATHS_H

#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Given the total weights of all n paths (the root first), return the weight of the lightest path whose callees are
 * needed.
 */
typedef uint64_t hd_heavy_paths_least(const void *context, const uint64_t *totals, size_t n);

struct hd_heavy_path {
	uint32_t stack;		/* stack id; 0: the path is a thread name or the root */
	uint32_t comm;		/* if the path is a thread name alone: its string id; else 0 */
	uint32_t parent;	/* index in items */
	uint32_t omitted;	/* number of paths that extend this one and were dropped */
};

struct hd_heavy_paths {
	struct hd_heavy_path *items;
	size_t n, cap;
	struct hd_heavy_row {
		uint32_t row;		/* index in hd_profile.rows */
		uint32_t path;		/* index in items: the longest kept path of the row */
	} *rows;			/* the rows of the event */
	size_t nrows;
	uint64_t least;
	uint32_t max_depth;		/* largest depth of all paths, also of those that were dropped */
};

void hd_heavy_paths_init(struct hd_heavy_paths *h, const struct hd_profile *p, uint32_t event, bool by_comm,
	hd_heavy_paths_least *least, const void *context);
void hd_heavy_paths_release(struct hd_heavy_paths *h);

#endif
