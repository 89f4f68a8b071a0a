/*
 * bench_options.h - the option rows of `hotdrift bench`, and the check of their values
 */
#ifndef HD_CLI_BENCH_OPTIONS_H
#define HD_CLI_BENCH_OPTIONS_H

#include "bench/bench.h"
#include "cli/db_option.h"

struct hd_bench_command {
	struct hd_bench_opts o;
	struct hd_db_option db;
};

extern const struct hd_bench_command hd_bench_defaults;
extern const struct hd_opt hd_bench_opts_rows[];

/* Parse the values of the options into `o`.  Returns HD_EUSAGE if one is invalid. */
int hd_bench_opts_check(struct hd_bench_opts *o, const struct hd_db_option *db, struct hd_err *err);

#endif
