/*
 * sample_rows.h - sample weights summed by key
 *
 * A row is one key (stack, self, event, comm, pid, tid, cpu, tuple) with the weight and
 * the number of the samples that had it.  Rows keep the order of first sight.
 * pipeline/ sums chains that are not resolved yet in a table of its own, where
 * `stack` and `self` are still node ids.
 *
 * Owns: items and their index.  Zero-initialise.
 */
#ifndef HD_PROFILE_SAMPLE_ROWS_H
#define HD_PROFILE_SAMPLE_ROWS_H

#include "profile/stack.h"

#include <stddef.h>
#include <stdint.h>

struct hd_sample_row {
	hd_stack_id stack;	/* from the call chain; the sample's own frame when there is none */
	/*
	 * Where the sample was taken: the function of the symbol table (perf's meaning), never an inlined
	 * frame.  The stack's innermost frame that is not inlined, but for rare recordings and
	 * where frames of libraries are skipped (profile/skip_rules.h).
	 */
	hd_frame_id self;
	uint32_t event;
	uint32_t comm;		/* string id */
	int32_t pid, tid;
	uint32_t cpu;
	uint32_t tuple;		/* of tuple.h; 0: none */
	hd_frame_id
		inner; /* no key: the innermost frame of the user's code, inlined or not, if `self` skips others; else 0 */
	uint32_t next;		/* no key: the next row of the event, its index + 1; the profile sets it */
	uint64_t weight;
	uint64_t count;
	double var; /* variance of the weight, of an estimate whose variance is known (recording.heap_var); else 0 */
};

struct hd_sample_rows {
	struct hd_sample_row *items;
	size_t n, cap;
	uint32_t *slots;	/* row + 1; 0 is empty */
	size_t nslots;
};

void hd_sample_rows_add(struct hd_sample_rows *rows, const struct hd_sample_row *row);
void hd_sample_rows_clear(struct hd_sample_rows *rows);	/* empty, memory kept */
void hd_sample_rows_release(struct hd_sample_rows *rows);

#endif
