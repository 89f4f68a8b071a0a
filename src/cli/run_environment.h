/*
 * run_environment.h - the environment that `add` stores with a run: variables, compiler, load average
 *
 * The variables and the load average are read in the `add` process, so they are stored only if the run was recorded on
 * this machine.  profile.sh runs `add` with the environment of the recorded program.  Variables named by --env, and the
 * value of --load-average, are stored in any case.  For variables that hotdrift.ini (env) or --env names, the value is
 * stored; for all others, only the name.
 */
#ifndef HD_CLI_RUN_ENVIRONMENT_H
#define HD_CLI_RUN_ENVIRONMENT_H

#include "cli/ini.h"
#include "history/run_builder.h"

struct hd_run_environment_opts {
	struct hd_string_list env;		/* NAME, a pattern, or NAME=VALUE */
	const char *load_average;
};

/* Return HD_EUSAGE if a value is invalid.  Does not read anything. */
int hd_run_environment_check(const struct hd_run_environment_opts *o, struct hd_err *err);
/* Fill m->run.variables, compiler and load_average.  The caller has set m->run.target, machine and the recordings. */
void hd_run_environment_take(struct hd_run_builder *m, const struct hd_run_environment_opts *o);
/*
 * Return the value of a key of the target in the hotdrift.ini of this checkout, or NULL.  The caller frees it.  Errors
 * of the file are ignored, because 'gate' and 'target' report them.
 */
char *hd_run_ini_value(const char *target, enum hd_ini_key key, struct hd_log *log);

#endif
