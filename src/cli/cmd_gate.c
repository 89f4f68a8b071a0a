/*
 * cmd_gate.c - hotdrift gate: judge whether a change made the program slower, before it is merged
 */
#include "cli/judge_command.h"
#include "history/git_revision.h"

struct gate_opts {
	struct hd_db_option db;
	struct hd_judge_command_opts j;
	const char *base, *head;
	bool extend, bisect;
};

static const struct gate_opts gate_defaults = { 0 };

static const struct hd_opt gate_opts[] = {
	{ HD_OPT_STR, 0, "base", "REF",
		"compare with the merge base of the head and REF, or with the runs that REF names (default main)",
		offsetof(struct gate_opts, base) },
	{ HD_OPT_STR, 0, "head", "REF",
		"the runs to judge (default: those of HEAD; of a modified checkout those of the modified tree)",
		offsetof(struct gate_opts, head) },
	{ HD_OPT_FLAG, 0, "extend", NULL,
		"plan a second look if this one is INCONCLUSIVE: rows fail at level 0.029 in each",
		offsetof(struct gate_opts, extend) },
	{ HD_OPT_FLAG, 0, "bisect", NULL,
		"for 'git bisect run': exit 0 good, 1 bad, 125 otherwise; the base is the good commit",
		offsetof(struct gate_opts, bisect) },
	{ 0 },
};
static const struct hd_opt_group gate_groups[] = {
	HD_JUDGE_COMMAND_GROUP(struct gate_opts, j), HD_DB_OPTION_GROUP(struct gate_opts, db), { NULL, NULL, 0 },
};

enum { BISECT_SKIP = 125 };

/*
 * Return the exit status for `git bisect run`, which takes 1 to 127, except 125, for a bad commit.  125 skips a commit
 * whose result is unknown.
 */
static int bisect_status(int rc)
{
	return rc >= 0 ? 0 : rc == HD_ENO ? 1 : BISECT_SKIP;
}

/*
 * Compare each commit with the good commit of the bisection.  If each commit were compared with its own parent, as
 * usual, only the first bad commit would be judged bad.  The verdict is not recorded, because these commits are already
 * merged.
 */
static int begin_bisect(struct hd_judge_opts *what, struct hd_judge_command_opts *j, char good[HD_GIT_REVISION_SHA],
	struct hd_err *err)
{
	j->no_record = true;
	j->no_pin = !j->pin;
	what->gate = false;
	what->merge_base = false;
	what->failed_base = true;
	if (!what->base && !hd_git_revision_bisect_good(".", good))
		return hd_fail(err, HD_EUSAGE,
			"gate: no git bisect with a good commit is in progress here; name the good commit with --base");
	if (!what->base)
		what->base = good;
	return 0;
}

static int gate_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct gate_opts *o = opts;
	struct hd_judge_opts what = hd_judge_defaults;
	struct hd_judge_command_opts j = o->j;
	struct hd_comparison c = { 0 };
	char good[HD_GIT_REVISION_SHA];
	enum hd_verdict verdict;
	int rc = 0;

	(void)argc, (void)argv;
	what.base = o->base;
	what.merge_base = true;
	what.head = o->head;
	what.planned = o->extend;
	what.gate = true;
	if (o->bisect)
		rc = begin_bisect(&what, &j, good, err);
	if (rc >= 0)
		rc = hd_judge_command_run(&c, &o->db, &j, &what, "gate", log, err);
	verdict = c.verdict;
	hd_judge_release(&c);
	if (rc < 0)
		return rc;
	return verdict == HD_FAIL              ? HD_ENO
		: verdict == HD_INCONCLUSIVE   ? HD_EUNSURE
		: verdict == HD_NOT_COMPARABLE ? HD_ENOBASE
					       : HD_OK;
}

const struct hd_cmd hd_cmd_gate = {
	.name = "gate",
	.args = "",
	.summary = "judge whether a change made the program slower, before it is merged",
	.details =
		"Runs of the head are compared with runs of the base: every symbol, the order of the first five, "
		"p50, p95 and p99 of latency, peak memory, joules.  The unit of the statistics is a run, so record "
		"three to ten runs of each side, preferably alternating.\n"
		"\n"
		"  PASS            0  nothing gated grew by its limit, and this is certain\n"
		"  FAIL            1  a row grew by at least --limit of its cost and --floor of the total, "
		"significantly over all gated rows (Benjamini-Hochberg, 0.05; docs/statistics.md), or the total grew "
		"by --limit-total\n"
		"  INCONCLUSIVE    3  neither is certain (with the number of runs that would decide), or most "
		"symbols changed together, which the machine or the program may explain, or the sides are separate "
		"sessions without a history of sessions\n"
		"  NOT_COMPARABLE  4  no baseline, or another machine, configuration or event; the field is named\n"
		"\n"
		"REF is a branch, a tag, a commit or a prefix of one (with a + appended: the modified tree), the id "
		"of a run, several of these separated by commas, or latest: the newest run and those of its commit.  "
		"The base is the merge base of the head with main (or master, or REF); for a head on main it is the "
		"parent.  If it has no runs, the nearest first-parent ancestor with runs is used, up to 200 commits "
		"back, and the first line says why.  If the merge base with REF has none, the runs of REF are the "
		"base.  Excluded from baselines are failed and interrupted runs, fixtures, runs of modified trees, "
		"and runs that failed a gate, until everything that failed is acknowledged ('hotdrift ack').\n"
		"\n"
		"Rows are marked, the worst first:\n"
		"  R  a symbol that got slower (FAIL)       L M E  latency, memory or energy that grew (FAIL)\n"
		"  T  the total of all symbols grew (FAIL)\n"
		"  S  cost that moved, but did not grow     ?      too little data; the note has the number of runs\n"
		"  A  acknowledged (hotdrift ack --help)    I      got faster\n"
		"\n"
		"An increase that came from a related function, under the same caller or inlined into it, is a SHIFT "
		"and does not fail.  A single run is judged together with the history before the base.  Equal build "
		"ids on both sides mean that nothing changed: PASS.  Limits of a target are in hotdrift.ini: limits = "
		"symbols 10, total 6, latency 5, memory 10, energy 10, floor 0.5; pin = v1.2.\n"
		"\n"
		"--bisect is for 'git bisect run': HEAD is compared with the first commit marked good (or --base), "
		"and the exit status is always 0 (PASS: good), 1 (FAIL: bad) or 125 (anything else, so that git "
		"skips the commit).  The verdict is not stored, and pin of hotdrift.ini is ignored.\n"
		"\n"
		"The verdict is stored (gate_result, drift_event), unless --no-record is given or the database "
		"cannot be written.",
	.examples =
		"hotdrift gate\tHEAD against its merge base with main\n"
		"hotdrift gate --target serve --markdown -o comment.md --junit gate.xml\tin CI\n"
		"git bisect run sh -c './measure.sh || exit 125; hotdrift gate --bisect'\tfind the commit that made "
		"it slower\n"
		"hotdrift gate --base v1.2 --head latest --json\tthe newest runs against a release\n"
		"",
	HD_CMD_OPTS(gate_opts, gate_defaults),
	.groups = gate_groups,
	.max_args = 0,
	.run = gate_run,
	.other_status = "--bisect",
	.status = bisect_status,
};
