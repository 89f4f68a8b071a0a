/*
 * builds.h - which files cost something in which run, and are they the same builds?
 *
 * symbol_matrix.c adds the cost of each hotspot's object.  Files of one name (the last part of the path) and one build-id are
 * one item, so that a build in another folder is the same build.
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
		uint32_t name, build;	/* in texts; 0: not known */
		bool kernel;
		double *cost;		/* by run */
	} *items;
	size_t n, cap;
};

int hd_builds_add(struct hd_builds *b, struct hd_db *db, int64_t object, size_t run, double cost, struct hd_err *err);
/*
 * Return true if both sides ran the same builds.  This holds when
 *
 *     - every file of the user that has a cost has a build-id,
 *     - each file with 0.5 % of a side is in all runs,
 *     - a file that only one side has samples of has no other build on the other side.
 *
 * Mappings without a file ([vdso], //anon) count from 0.5 % on.  name gets the costliest file with its build-id, nothing
 * when it has none.
 */
bool hd_builds_same(const struct hd_builds *b, const struct hd_run_set_member *const *runs, size_t base,
	struct hd_buf *name);
void hd_builds_release(struct hd_builds *b);

#endif
