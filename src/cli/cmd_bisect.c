/*
 * cmd_bisect.c - hotdrift bisect: find the first commit that changed the share of a symbol, or a metric
 */
#include "base/encode.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "history/bisect.h"
#include "cli/db_option.h"
#include "cli/input.h"
#include "render/table.h"
#include "render/unit_text.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct bisect_opts {
	struct hd_db_option db;
	const char *good, *bad, *symbol, *object, *series, *target, *event, *repo, *limit, *out;
	unsigned runs, most;
	bool clean, json;
};

static const struct bisect_opts bisect_defaults = { .repo = ".", .runs = 3, .most = 9 };

static const struct hd_opt bisect_opts[] = {
	{ HD_OPT_STR, 0, "good", "REV", "a commit before the change", offsetof(struct bisect_opts, good) },
	{ HD_OPT_STR, 0, "bad", "REV", "a descendant of the good commit, after the change",
		offsetof(struct bisect_opts, bad) },
	{ HD_OPT_STR, 0, "symbol", "NAME",
		"symbol whose share of self cost changed ('hotdrift history' shows its absolute cost too)",
		offsetof(struct bisect_opts, symbol) },
	{ HD_OPT_STR, 0, "object", "NAME", "object of the symbol, if several objects have it",
		offsetof(struct bisect_opts, object) },
	{ HD_OPT_STR, 0, "series", "FIGURE",
		"a figure of a series instead: latency:wall_time_us:p99, p99, peak_rss, joules, ...",
		offsetof(struct bisect_opts, series) },
	{ HD_OPT_STR, 0, "limit", "PCT",
		"a commit is bad if it differs by more than PCT per cent from good (default: the middle of good "
		"and bad)",
		offsetof(struct bisect_opts, limit) },
	{ HD_OPT_STR, 0, "target", "NAME",
		"runs of this target (default: that of the newest run of the bad commit, or 'default')",
		offsetof(struct bisect_opts, target) },
	{ HD_OPT_STR, 0, "event", "NAME", "shares of this event (default: the first event with samples)",
		offsetof(struct bisect_opts, event) },
	{ HD_OPT_UINT, 0, "runs", "N", "runs per commit (default 3)", offsetof(struct bisect_opts, runs) },
	{ HD_OPT_UINT, 0, "most", "N", "runs of a commit that is not clear (default 9)",
		offsetof(struct bisect_opts, most) },
	{ HD_OPT_STR, 0, "repo", "DIR", "git checkout (default: that of the current folder)",
		offsetof(struct bisect_opts, repo) },
	{ HD_OPT_FLAG, 0, "clean", NULL, "remove build products before the next commit",
		offsetof(struct bisect_opts, clean) },
	HD_ROW_JSON(struct bisect_opts, "hotdrift.bisect"),
	HD_ROW_OUTPUT(struct bisect_opts),
	{ 0 },
};
static const struct hd_opt_group bisect_groups[] = { HD_DB_OPTION_GROUP(struct bisect_opts, db), { NULL, NULL, 0 } };

static const char *const verdicts[] = { "FOUND", "ONE_OF", "NOT_MOVED", "NO_RUNS", "UNSURE" };

/* ---- output ---- */

static void add_value(struct hd_buf *out, double v, bool share)
{
	if (isnan(v))
		hd_buf_addc(out, '-');
	else if (share)
		hd_buf_addf(out, "%.2f%%", v);
	else
		hd_unit_text_real(out, v);
}

static void steps_table(struct hd_buf *out, const struct hd_bisect *b, bool share)
{
	static const struct hd_column columns[] = {
		{ "commit", false, false }, { "", false, false }, { "value", true, false }, { "runs", true, false },
		{ "", false, false },
	};
	struct hd_buf v = { 0 };
	struct hd_table t;

	hd_table_init(&t, columns, HD_COUNT(columns));
	for (size_t i = 0; i < b->n; i++) {
		const struct hd_bisect_step *s = &b->steps[i];

		if (!s->runs && !s->built)
			continue;
		hd_table_cellf(&t, "%.12s", s->sha);
		hd_table_string(&t, s->failed ? "passed over" : hd_bisect_class_name(s->side));
		hd_buf_reset(&v);
		add_value(&v, s->mean, share);
		hd_table_string(&t, hd_buf_str(&v));
		hd_table_cellf(&t, "%zu", s->runs);
		if (s->failed)
			hd_table_cellf(&t, "the command ended with %d", s->failed);
		else
			hd_table_string(&t, s->built ? "" : "stored");
	}
	hd_table_text(out, &t, "");
	hd_table_release(&t);
	hd_buf_release(&v);
}

static void add_commit(struct hd_buf *out, const struct hd_bisect_git *g, const char *sha)
{
	char *subject = hd_bisect_git_subject(g, sha);

	hd_buf_addf(out, "%s  ", sha);
	hd_enc_term(out, subject, strlen(subject));
	hd_buf_addc(out, '\n');
	free(subject);
}

static void add_ends(struct hd_buf *out, const struct hd_bisect *b, bool share)
{
	add_value(out, b->ends.good, share);
	hd_buf_addf(out, " (%zu run%s) -> ", b->ends.n_good, b->ends.n_good == 1 ? "" : "s");
	add_value(out, b->ends.bad, share);
	hd_buf_addf(out, " (%zu run%s)", b->ends.n_bad, b->ends.n_bad == 1 ? "" : "s");
}

/* Print the change with its interval, and an upper bound of the probability that the commit found is wrong. */
static void add_confidence(struct hd_buf *out, const struct hd_bisect *b)
{
	double of = fabs(b->ends.good);

	if (of > 0)
		hd_buf_addf(out, ", %+.1f %%", 100 * (b->ends.bad - b->ends.good) / of);
	if (isfinite(b->change.lo))
		hd_buf_addf(out, " (95 %% interval %+.1f .. %+.1f %%%s)", b->change.lo, b->change.hi,
			    b->counting_only ? ", by counting samples alone: no commit has two runs" : "");
	else
		hd_buf_adds(out, " (no interval: no commit has two runs)");
	if (b->verdict == HD_BISECT_FOUND && isfinite(b->p))
		hd_buf_addf(out, "; wrong by chance with p %s %.2g", b->p < 0.001 ? "<" : "<=", fmax(b->p, 0.001));
	hd_buf_addc(out, '\n');
	if (b->verdict == HD_BISECT_UNSURE)
		hd_buf_addf(out,
			"a change of %g %% is not excluded; more runs of both ends decide: a larger --runs and --most, "
			"or longer recordings\n",
			b->limit);
}

static void print_result(struct hd_buf *out, const struct hd_bisect *b, const struct hd_bisect_git *g, const char *what,
	bool share)
{
	steps_table(out, b, share);
	if (b->verdict == HD_BISECT_FOUND)
		hd_buf_adds(out, "first bad commit: ");
	if (b->verdict == HD_BISECT_NOT_MOVED)
		hd_buf_addf(out, "did not change by %g %%: ", b->limit);
	if (b->verdict == HD_BISECT_UNSURE)
		hd_buf_adds(out, "not clear whether it changed: ");
	if (b->verdict == HD_BISECT_FOUND)
		add_commit(out, g, b->left.items[0]);
	hd_buf_adds(out, share ? "share of " : "");
	hd_enc_term(out, what, strlen(what));
	hd_buf_adds(out, ": ");
	add_ends(out, b, share);
	add_confidence(out, b);
	if (b->verdict == HD_BISECT_ONE_OF)
		hd_buf_addf(out, "one of these %zu commits; the others among them could not be judged:\n", b->left.n);
	if (b->verdict == HD_BISECT_NO_RUNS)
		hd_buf_addf(out, "one of these %zu commits; a command after -- would measure them:\n", b->left.n);
	for (size_t i = 0; i < b->left.n && (b->verdict == HD_BISECT_ONE_OF || b->verdict == HD_BISECT_NO_RUNS); i++) {
		hd_buf_adds(out, "  ");
		add_commit(out, g, b->left.items[i]);
	}
}

static void add_json(struct hd_buf *out, const struct hd_bisect *b, const char *what)
{
	struct hd_jsonw w = hd_jsonw_document(out, "hotdrift.bisect", 1);

	hd_jsonw_str(&w, "verdict", verdicts[b->verdict]);
	hd_jsonw_str(&w, "what", what);
	hd_jsonw_str(&w, "first_bad", b->verdict == HD_BISECT_FOUND ? b->left.items[0] : NULL);
	hd_jsonw_str(&w, "good", b->good);
	hd_jsonw_str(&w, "bad", b->bad);
	hd_jsonw_num(&w, "good_value", b->ends.good, 6);
	hd_jsonw_num(&w, "bad_value", b->ends.bad, 6);
	hd_jsonw_num(&w, "threshold", b->ends.threshold, 6);
	hd_jsonw_row(&w, "change_ci_pct", '[');
	hd_jsonw_num(&w, NULL, b->change.lo, 3);
	hd_jsonw_num(&w, NULL, b->change.hi, 3);
	hd_jsonw_close(&w, ']');
	hd_jsonw_num(&w, "p", b->p, 6);
	hd_jsonw_open(&w, "candidates", '[');
	for (size_t i = 0; i < b->left.n; i++)
		hd_jsonw_str(&w, NULL, b->left.items[i]);
	hd_jsonw_close(&w, ']');
	hd_jsonw_open(&w, "steps", '[');
	for (size_t i = 0; i < b->n; i++) {
		const struct hd_bisect_step *s = &b->steps[i];

		if (!s->runs && !s->built)
			continue;
		hd_jsonw_row(&w, NULL, '{');
		hd_jsonw_str(&w, "commit", s->sha);
		hd_jsonw_str(&w, "side", s->failed ? "passed over" : hd_bisect_class_name(s->side));
		hd_jsonw_num(&w, "value", s->mean, 6);
		hd_jsonw_u64(&w, "runs", s->runs);
		hd_jsonw_bool(&w, "built", s->built);
		hd_jsonw_i64(&w, "status", s->failed);
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
}

static int verdict(const struct hd_bisect *b, struct hd_err *err)
{
	switch (b->verdict) {
	case HD_BISECT_FOUND:
		return 0;
	case HD_BISECT_NOT_MOVED:
		return hd_fail(err, HD_ENO, "the figure did not change by %g %% between the good and the bad commit",
			b->limit);
	case HD_BISECT_UNSURE:
		return hd_fail(err, HD_EUNSURE,
			"the figure may have changed by %g %% between the good and the bad commit: the runs "
				"vary too much to decide",
			b->limit);
	case HD_BISECT_ONE_OF:
	case HD_BISECT_NO_RUNS:
		break;
	}
	return hd_fail(err, HD_EUNSURE, "the first bad commit is one of %zu that could not be judged", b->left.n);
}

/* ---- options ---- */

static int check(struct hd_bisect_opts *h, struct hd_metric *figure, const struct bisect_opts *o, struct hd_err *err)
{
	char *end;

	if (!o->good || !o->bad)
		return hd_fail(err, HD_EUSAGE, "bisect: --good REV and --bad REV are required");
	if (!o->symbol == !o->series)
		return hd_fail(err, HD_EUSAGE, "bisect: --symbol NAME or --series FIGURE is required");
	if (!o->runs || o->most < o->runs)
		return hd_fail(err, HD_EUSAGE, "bisect: --runs is at least 1, and --most is at least --runs");
	if (o->limit) {
		h->limit = strtod(o->limit, &end);
		if (end == o->limit || *end || !(h->limit > 0 && h->limit < 1e6))
			return hd_fail(err, HD_EUSAGE, "bisect: --limit takes a percentage above 0, not '%s'",
				o->limit);
	}
	if (o->series && hd_metric_parse(figure, o->series, "bisect", err) < 0)
		return HD_EUSAGE;
	h->good = o->good;
	h->bad = o->bad;
	h->target = o->target;
	h->event = o->event;
	h->symbol = o->symbol;
	h->object = o->object;
	h->figure = figure;
	h->runs = o->runs;
	h->most = o->most;
	h->clean = o->clean;
	return 0;
}

static int open_for_reading(struct hd_db **db, const void *context, struct hd_err *err)
{
	return hd_db_option_open(db, context, HD_DB_READ, 0, err);
}

static int bisect_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct bisect_opts *o = opts;
	struct hd_db_option full = o->db;
	char **command = hd_new_array(char *, (size_t)argc + 1), *db = NULL;
	struct hd_bisect_opts h = { .command = argc ? command : NULL,
		.open = open_for_reading,
		.open_context = &o->db };
	struct hd_metric figure = { 0 };
	struct hd_bisect_git g = { .lock = -1 };
	struct hd_bisect b = { 0 };
	struct hd_buf out = { 0 };
	int rc;

	(void)log;
	for (int i = 0; i < argc; i++)
		command[i] = argv[i];
	rc = check(&h, &figure, o, err);
	if (rc >= 0)
		rc = hd_bisect_git_open(&g, o->repo, err);
	if (rc >= 0)
		rc = hd_db_option_resolve(&full, &db, argc > 0, err);	/* COMMAND runs in another folder */
	h.db = db;
	if (rc >= 0)
		rc = hd_bisect(&b, &g, &h, err);
	if (rc >= 0) {
		if (o->json)
			add_json(&out, &b, o->symbol ? o->symbol : o->series);
		else
			print_result(&out, &b, &g, o->symbol ? o->symbol : o->series, o->symbol != NULL);
		rc = hd_output_write(o->out, &out, err);
		if (rc >= 0)
			rc = verdict(&b, err);
	}
	hd_bisect_git_close(&g);
	hd_bisect_release(&b);
	hd_metric_release(&figure);
	hd_buf_release(&out);
	free(command);
	free(db);
	return rc;
}

const struct hd_cmd hd_cmd_bisect = {
	.name = "bisect",
	.args = "[-- COMMAND [ARG ...]]",
	.summary = "find the first commit that changed a symbol or a figure",
	.details =
		"The commits between --good and --bad are bisected as in git bisect, merges included.  A commit is "
		"judged by its stored runs: those of an unmodified work tree that are comparable with the newest run "
		"of the bad commit.  If it has none, COMMAND builds it, records and adds a run.  COMMAND runs --runs "
		"times per commit, in a separate git worktree inside the git folder, so your files, index and HEAD "
		"do not change.  Its environment has HOTDRIFT_COMMIT, HOTDRIFT_DB and HOTDRIFT_TARGET.  Build "
		"products are kept for the next commit, unless --clean is given.\n"
		"\n"
		"A commit is good or bad if its mean differs from the threshold by more than runs of one commit vary "
		"(t test, 1 %; the variance is pooled over all commits and at least that of sample counting).  If "
		"neither holds, the commit is measured again, up to --most times.  A commit is skipped if its "
		"COMMAND fails (any status but 0) or if it stays unclear; for the good and the bad commit that is an "
		"error.  An interrupted bisection continues when it is started again, because every run is in the "
		"database.\n"
		"\n"
		"The result states its certainty: the 95 % interval of the change, and an upper bound of the "
		"probability that a commit was misjudged.  'Did not change' means that the interval excludes a "
		"change of --limit (default 10 %).\n"
		"\n"
		"Exit: 0 found; 1 no change; 3 unclear whether it changed, or one of several commits that could not "
		"be judged (they are listed); 4 the good or the bad commit has no runs and there is no COMMAND; 6 "
		"COMMAND failed there, was killed, or added no run.\n"
		"\n"
		"For verdicts over all symbols use 'git bisect run hotdrift gate --bisect'.",
	.examples =
		"hotdrift bisect --good v1.2 --bad HEAD --symbol parse_row\tby stored runs only\n"
		"hotdrift bisect --good v1.2 --bad HEAD --series p99 --target serve -- ./measure.sh\tmeasure missing "
		"commits\n"
		"",
	HD_CMD_OPTS(bisect_opts, bisect_defaults),
	.groups = bisect_groups,
	.max_args = -1,
	.run = bisect_run,
};
