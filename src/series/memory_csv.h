/*
 * memory_csv.h - write rows of the memory form (track/form.h) from values that change at certain times
 *
 *     hd_memory_csv_step(&m, HD_MEMORY_CSV_RSS, time_ns, bytes)     the value from time_ns on; times may come in any
 *                                                                   order
 *     hd_memory_csv_sort(&m)
 *     hd_memory_csv_write(&text, &m, every_ns)
 *
 *     timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes
 *     1763880000379428,1204224,0,0,0
 *
 * Rows are every_ns apart; the last one is at to_ns.  peak_rss_bytes is the largest value that a step set since the row
 * before, or the current value if there was no step; in the first row, it is the value at from_ns.  The other columns
 * have their value at the time of the row.  A column without values (`known`) is empty (peak_rss_bytes) or 0 (the
 * others).
 *
 * Ownership: struct hd_memory_csv owns the steps.
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
		bool known;		/* the column has values, even if it has no steps: all of them are 0 then */
	} column[HD_MEMORY_CSV_COLUMNS];
	uint64_t from_ns, to_ns;	/* times of the first and the last row; set by the caller before writing */
	int64_t epoch_ns;		/* added to each time when it is written, to make it UNIX time */
};

void hd_memory_csv_step(struct hd_memory_csv *m, enum hd_memory_csv_column c, uint64_t time_ns, uint64_t bytes);
/*
 * Sort the steps by time; call this before hd_memory_csv_end() and hd_memory_csv_write().  Steps of the same time keep
 * their order, so the last one sets the value from then on.
 */
void hd_memory_csv_sort(struct hd_memory_csv *m);
/*
 * Return the time from which on the column stays 0.  If the column does not end at 0, return the time of its last step;
 * if it is always 0, return 0.
 */
uint64_t hd_memory_csv_end(const struct hd_memory_csv *m, enum hd_memory_csv_column c);
/* Return every_ns (0: 1), doubled as often as needed so that there are at most `most` + 1 rows. */
uint64_t hd_memory_csv_every(const struct hd_memory_csv *m, uint64_t every_ns, uint64_t most);
/* Append the header and the rows. */
void hd_memory_csv_write(struct hd_buf *text, const struct hd_memory_csv *m, uint64_t every_ns);
void hd_memory_csv_release(struct hd_memory_csv *m);

#endif
