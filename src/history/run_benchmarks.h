/*
 * run_benchmarks.h - convert micro-benchmarks to series of a run, and find the symbols that they cover
 *
 * Each benchmark becomes a series of kind `benchmark` with the statistics n, mean, p50, std, slope, r2, cpu,
 * elements_per_s and bytes_per_s, as far as they are known.  Times are nanoseconds per iteration.  Its samples are
 * stored as CSV, iterations,time_ns.
 *
 * A benchmark covers symbols by name:
 *
 *   rules      lines PATTERN = SYMBOL of `covers` in hotdrift.ini.  PATTERN is a glob over the name of the benchmark;
 *              all matching lines count.  SYMBOL is a normalised name, or the end of one after ::
 *   otherwise  the words of its name.  The parts between `/` are words, without the prefixes BM_, bench_ and
 *              benchmark_, and without template arguments; a word is an identifier of at least three characters,
 *              possibly with ::
 *
 *     parse_row/1000                covers parse_row, and Parser::parse_row
 *     BM_Sort<std::vector<int>>/8   covers Sort
 */
#ifndef HD_HISTORY_RUN_BENCHMARKS_H
#define HD_HISTORY_RUN_BENCHMARKS_H

#include "history/run_csv.h"
#include "series/micro_benchmark.h"

/*
 * Append the benchmarks to the series of a set, which owns copies.  A benchmark covers at most 64 symbols; further ones
 * are skipped.  rules: the value of `covers`, or NULL.  HD_EFORMAT: a line of `rules` is not PATTERN = SYMBOL; the set
 * may then contain some of the series.
 */
int hd_run_benchmarks_add(struct hd_run_csv_set *all, const struct hd_micro_benchmarks *b, const char *rules,
	struct hd_err *err);

#endif
