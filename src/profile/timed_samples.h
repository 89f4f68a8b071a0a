/*
 * timed_samples.h - the samples of a profile in order of time
 *
 * A profile has sums per row (sample_rows.h).  Timelines, trace formats and flame charts need each sample.  A reader
 * that knows the times keeps them only if `timed` or `ordered` of hd_pipeline_opts is set; otherwise hd_profile.timed
 * is NULL and nothing is spent on them.
 *
 *     for (size_t i = 0; p->timed && i < p->timed->n; i++) {
 *             const struct hd_timed_sample *s = &p->timed->items[i];
 *             const struct hd_sample_row *row = &p->rows.items[s->row];
 *             ...  row->event, row->stack, row->self, row->pid, row->tid, row->comm, row->tuple
 *     }
 *
 * Selection: the list has exactly the samples that are counted in the rows, so the options that select samples (--time,
 *            --tid, --event, --filter, ...) apply.
 * Keys:      with `timed`, hd_pipeline_keys() adds HD_TIMED_KEYS, so that a row has one thread and one thread name.
 * Order:     by time; equal times in the order of the file.  If no sample has a time, `has_times` is false and the
 *            order is that of the file.  A sample without time among others has time 0.
 * Units:     time_ns is in ns of the recording's clock (as recording.first_ns); weight is in the unit of the event.
 * Intervals: with --weight off-cpu, wall or syscalls, time_ns is the start of an interval.  Each part of the interval
 *            (such as blocked, then queued) is a sample with this time.  The weight is the length of the part in ns,
 *            scaled if the recording has only some of the intervals (offcpu/thread_intervals.h).  Three kinds differ:
 *            - The weight of woken is the time before time_ns for which the woken thread was blocked.
 *            - The weight of a CPU sample (wall) is its period.
 *            - If no interval of a thread has a sample, their sum is one sample, at the end of the thread's last one.
 * Memory:    24 bytes per sample, and 12 more while they are sorted.  A reader rejects an input with more than
 *            HD_TIMED_SAMPLES_MOST selected samples (768 MiB).
 * Ownership: the profile owns them.
 * Invariant: the sum of the samples' weights of a row is the weight of the row.  Events that another input adds to the
 *            profile (a GPU trace) have rows without samples here.
 */
#ifndef HD_PROFILE_TIMED_SAMPLES_H
#define HD_PROFILE_TIMED_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HD_TIMED_SAMPLES_MOST = 1 << 25 };
#define HD_TIMED_KEYS		(HD_KEY_COMM | HD_KEY_PID | HD_KEY_TID)
#define HD_TIMED_DROPPED	UINT32_MAX

struct hd_timed_sample {
	uint64_t time_ns;
	uint64_t weight;
	uint32_t row;		/* index in hd_profile.rows */
	uint32_t cpu;		/* UINT32_MAX: not recorded */
};

struct hd_timed_samples {
	struct hd_timed_sample *items;
	size_t n, cap;
	size_t placed;		/* items[0 .. placed - 1] have their final `row`; see hd_timed_samples_place() */
	bool has_times;
};

struct hd_timed_samples *hd_timed_samples_new(void);
void hd_timed_samples_free(struct hd_timed_samples *t);		/* accepts NULL */

/* Append a sample, for readers.  Until hd_timed_samples_place(), `row` may be any number that the reader chooses. */
void hd_timed_samples_add(struct hd_timed_samples *t, const struct hd_timed_sample *s);
/*
 * Replace `row` by row_of[row] in each sample that was added since the last call.  Samples whose new row is
 * HD_TIMED_DROPPED are removed.
 */
void hd_timed_samples_place(struct hd_timed_samples *t, const uint32_t *row_of);
/* Sort the samples by time and set `has_times`.  Call this after the last sample was added. */
void hd_timed_samples_sort(struct hd_timed_samples *t);

#endif
