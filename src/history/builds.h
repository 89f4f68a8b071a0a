/*
 * builds.h - decide whether both sides of a comparison ran the same builds
 *
 * symbol_matrix.c adds the cost of each hotspot's object.  Objects with the same file name (the last part of the
 * path) and build-id are one item, so the same build in another folder counts as equal.
 */
#ifndef HD_HISTORY_BUILDS_H
#define HD_HISTORY_BUILDS_H

#include "base/map.h"
#include "base/strtab.h"
#include "history/run_set.h"

struct hd_builds {
	size_t nruns;
	struct hd_map at;		/* object.id -> index of items */
	struct hd_map by_key;		/* (name, build) -> index of items */
	struct hd_strtab *texts;	/* names and build-ids; made by the first hd_builds_add() */
	struct hd_builds_object {
		uint32_t name, build;	/* strings in texts; 0: unknown */
		bool kernel;
		double *cost;		/* by run */
	} *items;
	size_t n, cap;
};

/* Add the cost of object.id = `object` in a run. */
int hd_builds_add(struct hd_builds *b, struct hd_db *db, int64_t object, size_t run, double cost, struct hd_err *err);
/*
 * Return true if both sides ran the same builds:
 *
 *     - every user file with a cost has a build-id,
 *     - each file with at least 0.5 % of a side's cost is in all runs,
 *     - a file with samples on one side only has no other build on the other side.
 *
 * Mappings without a file ([vdso], //anon) count if they have at least 0.5 %.  The first `base` runs are the base.
 * Appends the costliest file with its build-id to `name`, if it has one.
 */
bool hd_builds_same(const struct hd_builds *b, const struct hd_run_set_member *const *runs, size_t base,
	struct hd_buf *name);
void hd_builds_release(struct hd_builds *b);

#endif
