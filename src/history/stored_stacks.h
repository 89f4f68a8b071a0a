/*
 * stored_stacks.h - load the stored folded stacks of some runs, and find the callers of functions in them
 *
 * Frames are identified by their normalised names, like rows of symbol_matrix.h; folded text has no objects.  Inlined
 * functions are frames too, so a function is found under its caller whether it is inlined or not.
 *
 * Ownership: names, frames and weights belong to struct hd_stored_stacks.
 */
#ifndef HD_HISTORY_STORED_STACKS_H
#define HD_HISTORY_STORED_STACKS_H

#include "base/map.h"
#include "base/strtab.h"
#include "history/run_set.h"

/* limit for the frames of all runs together; the frames and runs after it are skipped, the runs with a warning */
enum { HD_STORED_STACKS_FRAMES_MAX = 40000000 };

struct hd_stored_stacks_line {
	size_t first;			/* frames[first ..], outermost first */
	uint32_t n, run;
	double weight;
};

struct hd_stored_stacks {
	struct hd_strtab *texts, *names;
	uint32_t *name_of;		/* id in texts (a frame as stored) -> id in names (normalised) */
	size_t name_cap;
	uint32_t *frames;		/* ids in names */
	size_t nframes, frames_cap;
	struct hd_stored_stacks_line *lines;
	size_t nlines, lines_cap;
	/* without: number of runs that have no stacks, or that were skipped because of the limit */
	size_t nruns, without;
};

void hd_stored_stacks_init(struct hd_stored_stacks *s, size_t nruns);
/* Add the folded text of one run, as `hotdrift fold` writes it; run: its index.  A line without a blank is skipped. */
void hd_stored_stacks_add(struct hd_stored_stacks *s, const char *text, size_t len, uint32_t run);
/* Load the stacks of all runs.  Warns if runs have none.  On failure `s` is released. */
int hd_stored_stacks_load(struct hd_stored_stacks *s, struct hd_db *db, const struct hd_run_set_member *const *runs,
	size_t nruns, struct hd_log *log, struct hd_err *err);
void hd_stored_stacks_release(struct hd_stored_stacks *s);

/* Set y[run], for each run, to k times the weight of the run's stacks that contain the name with this id. */
void hd_stored_stacks_total(const struct hd_stored_stacks *s, uint32_t name, double k, double *y);

/* The direct callers of some functions. */
struct hd_callers {
	const uint32_t *tracked;	/* names of the functions; borrowed */
	size_t n;
	struct hd_map at;		/* name -> index of tracked */
	struct hd_map edges;		/* (index in tracked, name) -> index in items */
	struct hd_callers_edge {
		uint32_t name;
		/* index of the next caller of the same function in items; UINT32_MAX: none */
		uint32_t next;
		/* sum of the weights of all calls of the function by `name` in the stacks */
		double called_by;
	} *items;
	size_t nitems, cap;
	/* indexed like `tracked`: sum of the weights of all calls of the function; direct recursion is one call */
	double *total;
	/* first[i]: index in items of the first caller of function tracked[i]; UINT32_MAX: none */
	uint32_t *first;
};

void hd_callers_find(struct hd_callers *c, const struct hd_stored_stacks *s, const uint32_t *tracked, size_t n);
void hd_callers_release(struct hd_callers *c);
/* Return the part (0 .. 1) of the weight of tracked[i] that has `name` as its direct caller. */
double hd_callers_called_by(const struct hd_callers *c, size_t i, uint32_t name);
/* Return the name of the direct caller of tracked[i] with the largest weight; UINT32_MAX if there is none. */
uint32_t hd_callers_main(const struct hd_callers *c, size_t i);

#endif
