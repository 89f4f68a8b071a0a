/*
 * cmd_drift.c - hotdrift drift BASE [HEAD]: report what changed between two sets of runs
 */
#include "cli/judge_command.h"

struct drift_opts {
	struct hd_db_option db;
	struct hd_judge_command_opts j;
};

static const struct drift_opts drift_defaults = { 0 };
static const struct hd_opt drift_opts[] = { { 0 } };
static const struct hd_opt_group drift_groups[] = {
	HD_JUDGE_COMMAND_GROUP(struct drift_opts, j), HD_DB_OPTION_GROUP(struct drift_opts, db), { NULL, NULL, 0 },
};

static int drift_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct drift_opts *o = opts;
	struct hd_judge_opts what = hd_judge_defaults;
	struct hd_comparison c = { 0 };
	int rc;

	what.base = argv[0];
	what.head = argc > 1 ? argv[1] : NULL;
	what.failed_base = true;
	rc = hd_judge_command_run(&c, &o->db, &o->j, &what, "drift", log, err);
	if (rc >= 0)
		rc = hd_judge_drifted(&c)                ? HD_ENO
			: c.verdict == HD_INCONCLUSIVE   ? HD_EUNSURE
			: c.verdict == HD_NOT_COMPARABLE ? HD_ENOBASE
							 : HD_OK;
	hd_judge_release(&c);
	return rc;
}

const struct hd_cmd hd_cmd_drift = {
	.name = "drift",
	.args = "BASE [HEAD]",
	.summary = "compare the hotspots of two sets of runs",
	.details =
		"BASE and HEAD have the form of a REF of 'gate': a commit, a branch, a tag, a run, several runs "
		"separated by commas, or latest.  The default HEAD is that of the checkout.  The tests are those of "
		"'gate', but any change is reported.\n"
		"\n"
		"Exit: 1 if a row fails, if cost shifted, if the order of the first five changed materially (both "
		"orders significant at 0.05 and shares 0.5 points apart), or if the score exceeds its A/A limit; 3 "
		"if there is too little data; 4 if the sides are not comparable; otherwise 0.  The first word of the "
		"text is DRIFT if the exit status is 1 although no row fails; --json has the verdict of 'gate'.\n"
		"\n"
		"drift is 1 - rank-biased overlap (p = 0.8) of the two rankings, next to the 95 % limit of random "
		"variation.  moved is half the sum of all changes of share, less its median under random variation.  "
		"net is the change of the total.",
	.examples =
		"hotdrift drift v1.2 v1.3\ttwo releases\n"
		"hotdrift drift HEAD HEAD+\tchanges of the modified work tree\n"
		"hotdrift drift 20261120T1401 latest~1\ttwo runs\n"
		"",
	HD_CMD_OPTS(drift_opts, drift_defaults),
	.groups = drift_groups,
	.min_args = 1,
	.max_args = 2,
	.run = drift_run,
};
