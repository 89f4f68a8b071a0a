/*
 * run_library.h - convert the JSON report of libhotdrift (track/report.h) to events and series of a run
 *
 *     rc = hd_run_library_read(&lib, &m->csvs, "report.json", err);
 *     ...
 *     rc = hd_run_builder_add_events(m, lib.events, lib.n, err);
 *
 *     SECTION        BECOMES
 *     operations     event `operations`, unit ns: self and total of each name; samples are the calls.
 *                    Series of kind `operation`: n, mean, min, max, gflops_per_s, gbytes_per_s
 *     allocations    event `allocations`, unit bytes: the allocated bytes of each name; samples are the blocks.
 *                    Series of kind `allocation`: n, mean, peak, live
 *     memory         series of kind `memory`, named as the columns of a memory CSV: n, mean, max, and the peak_rss,
 *                    mean_rss, kv_cache_total and activation_total of run_csv.h
 *     latency        series of kind `latency`, named as the columns of a latency CSV, with all statistics
 *     power          series of kind `power`: `watts` for the domains in the sum, and `watts SOURCE/DOMAIN` for each
 *     spans          series of kind `span`: n, polls, busy, idle, scheduled, longest_poll
 *
 * So `show` lists the costliest operations, `gate` compares their shares and the latency, memory and energy of runs,
 * and `query` sees all of it.  The object of operations and allocations is [libhotdrift].  Names are decoded from their
 * visible form, so that they are the bytes that the program passed.
 *
 * If the set already has the series of a kind from a CSV file, this kind is not added again, because the file contains
 * the same values.
 */
#ifndef HD_HISTORY_RUN_LIBRARY_H
#define HD_HISTORY_RUN_LIBRARY_H

#include "history/run_csv.h"

enum { HD_RUN_LIBRARY_EVENTS = 2 };

struct hd_run_library {
	struct hd_run_event events[HD_RUN_LIBRARY_EVENTS];	/* strings and rows are in the arena of the set */
	size_t n;
	int64_t recorded_s;		/* when the report was made; 0: unknown */
	bool is_here;			/* the report was made on this machine since its last boot */
};

/*
 * Parse a report and append its series to `set`.  HD_EFORMAT: the text is not a report of libhotdrift of version 1, a
 * member that must be a number is not one, a name occurs twice in operations or in allocations, the sum of such a
 * section exceeds 2^63 - 1, or the report has no values.  In that case, `set` may already contain some of the series.
 */
int hd_run_library_parse(struct hd_run_library *out, struct hd_run_csv_set *set, const char *text, size_t n,
	const char *path, struct hd_err *err);
/* Read and parse a file of at most 64 MiB. */
int hd_run_library_read(struct hd_run_library *out, struct hd_run_csv_set *set, const char *path, struct hd_err *err);

#endif
