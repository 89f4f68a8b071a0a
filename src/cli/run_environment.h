/*
 * run_environment.h - what `add` stores of a run besides its recording: variables, compiler, load average
 *
 * The environment variables and the load average are those of the `add` process, so they are taken only if the run was
 * recorded on this machine; variables that --env names are taken in any case.  profile.sh runs `add` with the environment of the recorded program.  Values are stored of
 * the variables that hotdrift.ini names for the target (env) and that --env names; of the others the names.
 */
#ifndef HD_CLI_RUN_ENVIRONMENT_H
#define HD_CLI_RUN_ENVIRONMENT_H

#include "history/run_builder.h"

struct hd_run_environment_opts {
	struct hd_string_list env;		/* NAME, a pattern, or NAME=VALUE */
	const char *load_average;
};

/* Return HD_EUSAGE if a value is invalid.  Does not read anything. */
int hd_run_environment_check(const struct hd_run_environment_opts *o, struct hd_err *err);
/* Fill m->run.variables, compiler and load_average.  m->run.target and the machine are set. */
void hd_run_environment_take(struct hd_run_builder *m, const struct hd_run_environment_opts *o);

#endif
