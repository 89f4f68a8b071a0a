/*
 * criterion.h - find and read the result files of Criterion.rs; see micro_benchmark.h
 *
 * Criterion writes GROUP/FUNCTION/VALUE/new/ (the latest result), base/ (the one before, or a saved one) and change/
 * (the comparison); FUNCTION and VALUE may be missing.  In a folder, only new/ is read.
 */
#ifndef HD_SERIES_CRITERION_H
#define HD_SERIES_CRITERION_H

#include "series/micro_benchmark.h"

/*
 * Read each file new/estimates.json in a folder and its subfolders, at most HD_MICRO_BENCHMARK_DEPTH levels deep,
 * sorted by name within each folder.  Symbolic links are not followed.  A subfolder that cannot be read is skipped with
 * the warning lost.benchmark.  HD_EFORMAT: there is no such file, or one is invalid.  HD_EIO: the folder cannot be
 * searched, or a file cannot be read.
 */
int hd_criterion_read_folder(struct hd_micro_benchmarks *all, const char *path, struct hd_log *log, struct hd_err *err);
/*
 * Read one estimates.json, and benchmark.json and sample.json in the same folder if they exist.  `path` must end in
 * estimates.json.  name: the name of the benchmark if there is no benchmark.json; NULL: use the name of the folder that
 * contains new/.
 */
int hd_criterion_read(struct hd_micro_benchmarks *all, const char *path, const char *name, struct hd_err *err);

#endif
