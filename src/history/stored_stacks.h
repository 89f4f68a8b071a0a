/*
 * stored_stacks.h - the stored folded stacks of some runs, and who calls whom in them
 *
 * Frames are known by their normalised names, as rows of symbol_matrix.h are; the object of a frame
 * is not in folded text.  What a compiler inlined is a frame as well, so that a function is
 * found under its caller whether it is inlined or not.
 *
 * Owns: names, frames and weights.  Read once, and only where a row would fail.
 */
#ifndef HD_HISTORY_STORED_STACKS_H
#define HD_HISTORY_STORED_STACKS_H

#include "base/map.h"
#include "base/strtab.h"
#include "history/run_set.h"

enum { HD_STORED_STACKS_FRAMES_MAX = 40000000 };	/* of all runs; what lies beyond is not read, and said */

struct hd_stored_stacks_line {
	size_t first;			/* frames[first ..] the outermost first */
	uint32_t n, run;
	double weight;
};

struct hd_stored_stacks {
	struct hd_strtab *texts, *names;
	uint32_t *name_of;		/* by text */
	size_t name_cap;
	uint32_t *frames;		/* names */
	size_t nframes, frames_cap;
	struct hd_stored_stacks_line *lines;
	size_t nlines, lines_cap;
	size_t nruns, without;		/* runs without stacks */
};

/* Folded text of one run, as fold writes it; lines of another form are left out. */
void hd_stored_stacks_add(struct hd_stored_stacks *s, const char *text, size_t len, uint32_t run);
void hd_stored_stacks_init(struct hd_stored_stacks *s, size_t nruns);
int hd_stored_stacks_load(struct hd_stored_stacks *s, struct hd_db *db, const struct hd_run_set_member *const *runs,
	size_t nruns, struct hd_log *log, struct hd_err *err);
void hd_stored_stacks_release(struct hd_stored_stacks *s);

/* The weight of all stacks with this name, of each run, times k. */
void hd_stored_stacks_total(const struct hd_stored_stacks *s, uint32_t name, double k, double *y);

/* Who calls some functions and whom they call, next to them in the stacks. */
struct hd_callers {
	const uint32_t *tracked;	/* names */
	size_t n;
	struct hd_map at;		/* name -> index of tracked */
	struct hd_map edges;		/* index of tracked and name -> index of the arrays */
	struct hd_callers_edge {
		uint32_t name;
		uint32_t next;			/* of the same tracked; UINT32_MAX: the last */
		double called_by, calls;	/* weight in which `name` calls it, it calls `name` */
	} *items;
	size_t nitems, cap;
	double *total;			/* of each tracked */
	uint32_t *first;		/* its edges: items[first], items[items[first].next], ...; UINT32_MAX: none */
};

void hd_callers_find(struct hd_callers *c, const struct hd_stored_stacks *s, const uint32_t *tracked, size_t n);
void hd_callers_release(struct hd_callers *c);
/* The share of tracked[i]'s weight in which `name` calls it, or it calls `name`. */
double hd_callers_called_by(const struct hd_callers *c, size_t i, uint32_t name);
double hd_callers_calls(const struct hd_callers *c, size_t i, uint32_t name);
/* The one that calls it most; UINT32_MAX when none does. */
uint32_t hd_callers_main(const struct hd_callers *c, size_t i);

#endif
