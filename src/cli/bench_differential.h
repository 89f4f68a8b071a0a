/*
 * bench_differential.h - hotdrift bench --generate and --corpus: compare two commands on many inputs
 */
#ifndef HD_CLI_BENCH_DIFFERENTIAL_H
#define HD_CLI_BENCH_DIFFERENTIAL_H

#include "bench/bench.h"

/*
 * Run the two commands, of argv or of --base and --head, on every input and compare their outputs.  Without commands
 * and without --corpus, write the generated inputs to o->out (-o) instead.  Returns HD_ENO if the outputs differ for
 * some input.
 */
int hd_bench_compare_inputs(int argc, char **argv, const struct hd_bench_opts *o, struct hd_err *err);

#endif
