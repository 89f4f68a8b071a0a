/*
 * builds.h - which files cost something in which run, and are they the same builds?
 *
 * Of matrix.c: it adds the cost of each hotspot's object.
 */
#ifndef HD_COMPARE_BUILDS_H
#define HD_COMPARE_BUILDS_H

#include "base/map.h"
#include "compare/side.h"

struct hd_builds {
	size_t nruns;
	struct hd_map at;		/* object.id -> index of items */
	struct hd_builds_object {
		char *name, *build;	/* last part of its path; NULL: not known */
		bool kernel;
		double *cost;		/* by run */
	} *items;
	size_t n, cap;
};

int hd_builds_add(struct hd_builds *b, struct hd_db *db, int64_t object, size_t run, double cost, struct hd_err *err);
/*
 * Has each object that is not the kernel's and costs 0.5 % of a side at least one build-id, the same in all
 * runs, and is there one?  name gets the costliest of them with its build-id, nothing when it has none.
 */
bool hd_builds_same(const struct hd_builds *b, const struct hd_side_run *const *runs, size_t base, struct hd_buf *name);
void hd_builds_release(struct hd_builds *b);

#endif
