/*
 * sample_rows.h - sample weights summed by key
 *
 * A row is one key (stack, self, event, comm, pid, tid, cpu, tuple) with the weight and the number of its samples.
 * Rows are in the order in which their keys were first added.  Call chains whose addresses are not resolved to frames
 * yet are summed in pipeline/chain_sums.h.
 *
 * Owns: items and their index.  Zero-initialise.
 */
#ifndef HD_PROFILE_SAMPLE_ROWS_H
#define HD_PROFILE_SAMPLE_ROWS_H

#include "base/hash_index.h"
#include "profile/stack.h"

#include <stddef.h>
#include <stdint.h>

struct hd_sample_row {
	hd_stack_id stack;	/* the call chain; without a recorded chain, the sampled function alone */
	/*
	 * The function in which the sample was taken, by the symbol table as in perf.  It is an inlined frame only in
	 * a profile from folded text.  Usually it is the innermost frame of the stack that is not inlined.  It is
	 * another frame if the call chain does not begin with the sampled function, or if frames are skipped
	 * (profile/skip_rules.h).
	 */
	hd_frame_id self;
	uint32_t event;
	uint32_t comm;		/* string id of the thread name */
	int32_t pid, tid;
	uint32_t cpu;
	uint32_t tuple;		/* id of a tuple of field values (tuple.h); 0: none */
	/* not a key: if frames were skipped (profile/skip_rules.h), the innermost frame that was not skipped; else 0 */
	hd_frame_id inner;
	uint32_t next;		/* not a key: index + 1 of the next row of the same event; set by profile.c */
	uint64_t weight;
	uint64_t count;
	double var;		/* variance of the weight if it is an estimate (recording.heap_var); else 0 */
};

struct hd_sample_rows {
	struct hd_sample_row *items;
	size_t n, cap;
	struct hd_index index;	/* items by key */
};

/* Add weight, count and var of `row` to the row with the same key, or append a copy of `row`.  Return its index. */
uint32_t hd_sample_rows_add(struct hd_sample_rows *rows, const struct hd_sample_row *row);
void hd_sample_rows_clear(struct hd_sample_rows *rows);	/* remove all, keep the memory */
void hd_sample_rows_release(struct hd_sample_rows *rows);

#endif
