/*
 * memory_csv.h - rows of the memory form, from figures that change at moments
 *
 *     hd_memory_csv_step(&m, HD_MEMORY_CSV_RSS, time_ns, bytes)     from then on it is so much; times may come in any order
 *     hd_memory_csv_write(&text, &m, every_ns)
 *
 *     timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes
 *     1763880000379428,1204224,0,0,0
 *
 * A row is every_ns behind the one before it, the last one is at the end.  peak_rss_bytes is the
 * highest that was told since the row before, or when nothing was, what was told last; the others are what
 * they are at that moment.  Without steps peak_rss_bytes is empty and a class is 0, as the form has it.
 *
 * Owns: the steps.
 */
#ifndef HD_SERIES_MEMORY_CSV_H
#define HD_SERIES_MEMORY_CSV_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_memory_csv_column {
	HD_MEMORY_CSV_RSS,
	HD_MEMORY_CSV_KV_CACHE,
	HD_MEMORY_CSV_ACTIVATION,
	HD_MEMORY_CSV_TEMP_BUFFER,
	HD_MEMORY_CSV_COLUMNS
};

struct hd_memory_csv_step { uint64_t time_ns, bytes; };

struct hd_memory_csv {
	struct {
		struct hd_memory_csv_step *steps;
		size_t n, cap;
		bool known;		/* set for a column of zeros, too */
	} column[HD_MEMORY_CSV_COLUMNS];
	uint64_t from_ns, to_ns; /* the first row is at from_ns, the last one at to_ns; to be set before writing */
	int64_t epoch_ns;		/* added to each time that is written, to make it UNIX time */
};

void hd_memory_csv_step(struct hd_memory_csv *m, enum hd_memory_csv_column c, uint64_t time_ns, uint64_t bytes);
/* By time; needed before the two below.  Of one moment the last step counts. */
void hd_memory_csv_sort(struct hd_memory_csv *m);
/* When something was not 0 for the last time: where the next step, or that one itself, lies; 0: never. */
uint64_t hd_memory_csv_end(const struct hd_memory_csv *m, enum hd_memory_csv_column c);
/* The distance of rows, so that there are no more than `most`: `every_ns`, or that twice, four times ... */
uint64_t hd_memory_csv_every(const struct hd_memory_csv *m, uint64_t every_ns, uint64_t most);
void hd_memory_csv_write(struct hd_buf *text, const struct hd_memory_csv *m, uint64_t every_ns);
void hd_memory_csv_release(struct hd_memory_csv *m);

#endif
