/*
 * builds.h - decide whether both sides of a comparison ran the same builds
 *
 * The caller, symbol_matrix.c, passes the cost of each hotspot and the object that contains it.  Objects with the same
 * file name (the last part of the path) and build-id are one item, so the same build in another folder counts as equal.
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
	struct hd_strtab *texts;	/* names and build-ids; made by the first hd_builds_load() */
	struct hd_builds_object {
		uint32_t name, build;	/* strings in texts; 0: unknown */
		bool kernel;
		double *cost;		/* cost of the item in each run */
	} *items;
	size_t n, cap;
};

/* Load the n objects with these object.id; new items are in the order of `ids`.  Loaded objects are skipped. */
int hd_builds_load(struct hd_builds *b, struct hd_db *db, const int64_t *ids, size_t n, struct hd_err *err);
/* Add the cost of object.id = `object` in a run.  An object that the database does not have is skipped. */
void hd_builds_add(struct hd_builds *b, int64_t object, size_t run, double cost);
/*
 * Return true if both sides ran the same builds:
 *
 *     - every user file with a cost has a build-id,
 *     - each build of a file with at least 0.5 % of a side's cost has a cost in all runs,
 *     - if a build of another file has samples on one side only, no other build of the file has any on the other side.
 *
 * Mappings without a file ([vdso], //anon) count as files if they have at least 0.5 %.  Returns false if nothing has
 * at least 0.5 %.  The first `base` runs are the base.  Appends the costliest file with its build-id to `name`, if it
 * has one.
 */
bool hd_builds_same(const struct hd_builds *b, const struct hd_run_set_member *const *runs, size_t base,
	struct hd_buf *name);
void hd_builds_release(struct hd_builds *b);

#endif
