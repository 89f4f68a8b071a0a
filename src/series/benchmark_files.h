/*
 * benchmark_files.h - read micro-benchmarks from a file or a folder; micro_benchmark.h lists the file formats
 */
#ifndef HD_SERIES_BENCHMARK_FILES_H
#define HD_SERIES_BENCHMARK_FILES_H

#include "series/micro_benchmark.h"

/*
 * Read a file or a folder and append its benchmarks.  A folder, and a file named estimates.json, are read as results
 * of Criterion.  HD_EIO: it cannot be read.  HD_EFORMAT: the format of the file is unknown, a folder has no
 * new/estimates.json, or a name occurs twice for one tool.  On failure, *all holds the benchmarks read so far.
 */
int hd_micro_benchmarks_read(struct hd_micro_benchmarks *all, const char *path, struct hd_log *log, struct hd_err *err);

#endif
