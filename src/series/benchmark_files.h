/*
 * benchmark_files.h - read micro-benchmarks from a file or a folder; micro_benchmark.h has the forms
 */
#ifndef HD_SERIES_BENCHMARK_FILES_H
#define HD_SERIES_BENCHMARK_FILES_H

#include "series/micro_benchmark.h"

/*
 * Read a file or a folder and append its benchmarks.  A folder, and a file named estimates.json, are of Criterion.
 * HD_EFORMAT: the file has none of the forms, a folder has no estimates.json, or a name occurs twice.  On failure, *all
 * holds the benchmarks read so far.
 */
int hd_micro_benchmarks_read(struct hd_micro_benchmarks *all, const char *path, struct hd_log *log, struct hd_err *err);

#endif
