/*
 * cells.h - measure how often `gate` is right, with the code that the command runs for symbols, the total and shifts
 *
 * A case is a random program with 80 functions and their callers.  Shares follow a power law or 1/i.  The sizes of runs
 * and the noise of each function are lognormal.  Counts are Poisson, with or without overdispersion.  The head may have
 * a regression, a change of most of the profile, or a refactoring.  Each side may be a session of its own, after 20
 * earlier sessions.
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
	double factor;			/* by which the cost of the planted or changed functions is multiplied */
	double part;			/* for EDIT_BROAD: the part of the profile that is multiplied */
	size_t runs;			/* of each side */
	double samples;			/* of a run */
	/* size_cv: of the size of runs; cv: of a function's cost in a run (median over functions) */
	double size_cv, cv;
	double session;			/* standard deviation of a function between sessions */
	/* number of earlier sessions; if `session` > 0, each side is a session of its own */
	size_t history;
	bool flat;			/* all functions are called by main */
	bool work, latency;		/* each run also has an amount of work, or a latency */
	bool turns;			/* the runs of both sides were recorded in turns */
	/* true: overdispersed counts and power-law shares; false: Poisson counts and shares 1/i */
	bool dispersed;
};

/* Numbers of cases: all, by verdict, and those in which the comment is true. */
struct bench_rates {
	size_t n, verdict[5];
	size_t named;			/* the planted function is FAIL */
	size_t wrong;			/* a function whose cost did not change is FAIL */
	size_t passed_grown;		/* PASS although the true total grew by 8 % */
	size_t shifted;			/* some row is a SHIFT; the verdict may still be PASS */
};

/*
 * Print the tables of docs/statistics.md, with `cases` cases per line.  only: the number of one table (1 nothing
 * changed, 2 power, 3 broad changes, 4 refactorings, 5 sessions), or 0 for all.  Returns the number of missed goals,
 * and adds the number of all checked goals to *judged.
 */
size_t bench_cells(size_t cases, uint64_t seed, unsigned only, size_t *judged);

void bench_scene_run(struct bench_rates *out, const struct bench_scene *s, size_t cases, uint64_t seed);

#endif
