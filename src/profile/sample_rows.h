/*
 * sample_rows.h - sample weights summed by key
 *
 * A row is one key (stack, self, event, comm, pid, tid, cpu, tuple) with the weight and the number of its samples.
 * Rows are in the order in which their keys were first added.  Chains that are not resolved yet are summed in
 * pipeline/chain_sums.h.
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
	hd_stack_id stack;	/* from the call chain; without a chain it has only the sampled function */
	/*
	 * The function in which the sample was taken, by the symbol table as in perf.  It is never an inlined frame.
	 * Usually it is the innermost frame of the stack that is not inlined.  It is another one if the call chain
	 * begins elsewhere, or if library frames are skipped (profile/skip_rules.h).
	 */
	hd_frame_id self;
	uint32_t event;
	uint32_t comm;		/* string id */
	int32_t pid, tid;
	uint32_t cpu;
	uint32_t tuple;		/* id of tuple.h; 0: none */
	hd_frame_id inner;	/* not a key: innermost frame that is not skipped, if frames were skipped; else 0 */
	uint32_t next;		/* not a key: next row of the event, index + 1; set by profile.c */
	uint64_t weight;
	uint64_t count;
	double var;		/* variance of the weight if it is an estimate (recording.heap_var); else 0 */
};

struct hd_sample_rows {
	struct hd_sample_row *items;
	size_t n, cap;
	struct hd_index index;	/* items by key */
};

/* Add weight, count and var of `row` to the row with the same key, or append a copy of `row`. */
void hd_sample_rows_add(struct hd_sample_rows *rows, const struct hd_sample_row *row);
void hd_sample_rows_clear(struct hd_sample_rows *rows);	/* remove all, keep the memory */
void hd_sample_rows_release(struct hd_sample_rows *rows);

#endif
