/*
 * cells.h - how often `gate` is right, through the code that the command runs: symbols, total, shifts
 *
 * A case is a program of 80 functions below callers, drawn anew: shares by a power law or 1/i, run sizes and each
 * function's own noise lognormal, counts negative binomial or Poisson.  The head may have a regression, a change of most
 * of the profile, or a refactoring; the sides may be sessions of their own, after 20 sessions of history.
 */
#ifndef HD_BENCH_CELLS_H
#define HD_BENCH_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bench_edit {
	EDIT_NONE, EDIT_GROW, EDIT_COLD_TO_HOT, EDIT_BROAD,
	EDIT_RENAME, EDIT_RENAME_12, EDIT_RENAME_ALL, EDIT_RENAME_GROW, EDIT_RENAME_ALL_GROW,
	EDIT_SPLIT, EDIT_OUTLINE, EDIT_INLINE, EDIT_MERGE, EDIT_MOVE, EDIT_WRAPPER, EDIT_SAVING,
};

struct bench_scene {
	enum bench_edit edit;
	double factor;			/* of what grows */
	double part;			/* EDIT_BROAD: this part of the profile is multiplied */
	size_t runs;			/* of each side */
	double samples;			/* of a run */
	double size_cv, cv;		/* of the size of runs; of a function in a run (median over functions) */
	double session;			/* sd of a function between sessions */
	size_t history;			/* earlier sessions; the sides are sessions of their own if `session` > 0 */
	bool flat;			/* all functions below main */
	bool work, latency;		/* a second observation */
	bool dispersed;			/* negative binomial counts and power-law shares, not Poisson and 1/i */
};

struct bench_rates {
	size_t n, verdict[5];
	size_t named;			/* the planted function is FAIL */
	size_t wrong;			/* a function whose cost did not change is FAIL */
	size_t passed_grown;		/* PASS although the true total grew by 8 % */
	size_t shifted;			/* some row is a SHIFT; the verdict may still be PASS */
};

/*
 * Print the tables of docs/statistics.md, `cases` a line, or table `only` (1 nothing changed, 2 power, 3 broad changes,
 * 4 refactorings, 5 sessions).  Returns the number of goals missed, and adds to *judged.
 */
size_t bench_cells(size_t cases, uint64_t seed, unsigned only, size_t *judged);

void bench_scene_run(struct bench_rates *out, const struct bench_scene *s, size_t cases, uint64_t seed);

#endif
