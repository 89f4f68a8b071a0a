/*
 * cmd_history.c - hotdrift history: a symbol or a metric over the commits, or the costliest symbols of each commit
 */
#include "base/mem.h"
#include "cli/db_option.h"
#include "history/metric.h"
#include "cli/input.h"
#include "cli/terminal.h"
#include "history/stored_function.h"
#include "render/history.h"

#include <stdlib.h>
#include <string.h>

enum { TOP = 5, SHOW = 20, SHOW_TOPS = 10, LOOK_BACK = 500 };

/* The probability that chance alone puts a value beyond a one-sided 95 % limit. */
#define ALPHA 0.05

struct history_opts {
	struct hd_terminal term;
	struct hd_db_option db;
	const char *target, *event, *object, *series, *out;
	const char *limit;
	bool json, csv, markdown;
};

static const struct history_opts history_defaults = { 0 };

static const struct hd_opt history_opts[] = {
	{ HD_OPT_STR, 0, "target", "NAME", "runs of this target (default: that of the newest run)",
		offsetof(struct history_opts, target) },
	{ HD_OPT_STR, 0, "event", "NAME", "shares of this event (default: the first with samples)",
		offsetof(struct history_opts, event) },
	{ HD_OPT_STR, 0, "object", "NAME", "object of SYMBOL, if several objects have it",
		offsetof(struct history_opts, object) },
	{ HD_OPT_STR, 0, "series", "FIGURE",
		"a figure of a series instead of a symbol: latency:wall_time_us:p99, p99, peak_rss, joules, ...",
		offsetof(struct history_opts, series) },
	{ HD_OPT_STR, 'n', "limit", "N", "the newest N commits (default 20, of the costliest 10; 0: all)",
		offsetof(struct history_opts, limit) },
	HD_ROW_JSON(struct history_opts, "hotdrift.history"),
	HD_ROW_CSV(struct history_opts),
	HD_ROW_MARKDOWN(struct history_opts),
	HD_ROW_OUTPUT(struct history_opts),
	{ 0 },
};
static const struct hd_opt_group history_groups[] = { HD_DB_OPTION_GROUP(struct history_opts, db),
	HD_TERMINAL_GROUP(struct history_opts, term), { NULL, NULL, 0 } };

static int mark_and_write(struct hd_buf *out, struct hd_history *h, const struct hd_trend_values *v, struct hd_db *db,
	enum hd_history_format format, struct hd_err *err)
{
	struct hd_trend_marks marks;
	int rc = 0;

	if (hd_trend_mark(&marks, v, ALPHA) < 0)
		hd_out_of_memory("change points");
	if (h->symbol)
		rc = hd_trend_mark_costs(&marks, v, h->trend, db, h->symbol, h->object, err);
	if (rc < 0)
		return rc;
	h->values = v;
	h->marks = &marks;
	hd_history_write(out, h, format);
	hd_trend_marks_release(&marks);
	return 0;
}

static int of_symbol(struct hd_buf *out, struct hd_db *db, const char *name, const struct history_opts *o,
	const struct hd_trend *t, size_t show, enum hd_history_format format, struct hd_err *err)
{
	struct hd_history h = { .trend = t, .show = show };
	struct hd_trend_values v = { 0 };
	struct hd_stored_function f;
	int rc = hd_stored_function_find(&f, db, name, o->object, err);

	if (rc < 0)
		return rc;
	h.symbol = f.name;
	h.object = f.object;
	rc = hd_trend_symbol(&v, t, db, f.ids, f.n, err);
	if (rc >= 0 && !v.have)
		rc = hd_fail(err, HD_EFORMAT,
			"%s: '%s' has no cost in the %zu runs of target '%s' that are comparable with its "
				"newest run; 'hotdrift query --name symbol-history %s' lists the others",
			hd_db_name(db), f.name, t->nruns, t->target, f.name);
	if (rc >= 0)
		rc = mark_and_write(out, &h, &v, db, format, err);
	hd_trend_values_release(&v);
	hd_stored_function_release(&f);
	return rc;
}

/*
 * Return true if smaller values of the metric are better: kinds latency, memory and power.  Return false for the counts
 * among their statistics, for all other kinds, and for a metric that was named without a kind.
 */
static bool low_is_good(const struct hd_metric *f)
{
	return f->kind && strcmp(f->stat, "n") && strcmp(f->stat, "outliers") &&
	       (!strcmp(f->kind, "latency") || !strcmp(f->kind, "memory") || !strcmp(f->kind, "power"));
}

static int of_series(struct hd_buf *out, struct hd_db *db, const struct hd_metric *figure, const struct hd_trend *t,
	size_t show, enum hd_history_format format, struct hd_err *err)
{
	struct hd_history h = { .trend = t, .series = figure->text, .low_is_good = low_is_good(figure), .show = show };
	struct hd_trend_values v = { 0 };
	char *unit = NULL;
	int rc = hd_trend_series(&v, t, db, figure->kind, figure->name, figure->stat, err);

	if (rc >= 0 && !v.have)
		rc = hd_metric_absent(figure, db, t, err);
	if (rc >= 0)
		rc = hd_metric_unit(figure, db, &unit, err);
	if (rc >= 0) {
		h.unit = unit;
		rc = mark_and_write(out, &h, &v, db, format, err);
	}
	free(unit);
	hd_trend_values_release(&v);
	return rc;
}

static int of_costliest(struct hd_buf *out, struct hd_db *db, const struct hd_trend *t, size_t show,
	enum hd_history_format format, struct hd_err *err)
{
	struct hd_trend_tops tops;
	int rc = hd_trend_tops(&tops, t, db, TOP, err);

	if (rc < 0)
		return rc;
	hd_history_write_tops(out, t, &tops, show, format);
	hd_trend_tops_release(&tops);
	return 0;
}

static int write_history(struct hd_buf *out, struct hd_db *db, const char *symbol, const struct hd_metric *figure,
	const struct history_opts *o, size_t show, struct hd_err *err)
{
	enum hd_history_format format = o->json ? HD_HISTORY_JSON
		: o->csv                        ? HD_HISTORY_CSV
		: o->markdown                   ? HD_HISTORY_MARKDOWN
						: HD_HISTORY_TEXT;
	struct hd_trend_scope scope = { .event = figure->name ? "" : o->event };
	struct hd_trend t;
	int rc;

	rc = hd_trend_newest(db, o->target, &scope.like, err);
	if (rc < 0)
		return rc;
	if (!scope.like)
		return hd_fail(err, HD_ENOBASE, "%s: no run%s%s with status ok yet; 'hotdrift log' lists all runs",
			hd_db_name(db), o->target ? " of target " : "", o->target ? o->target : "");
	if (!symbol && !figure->name)
		/* load one more point, because the first point that is shown is compared with the one before it */
		scope.limit = show ? show + 1 : 0;
	else if (show)
		scope.limit = show > LOOK_BACK ? show : LOOK_BACK;
	rc = hd_trend_open(&t, db, &scope, err);
	if (rc < 0)
		return rc;
	if (figure->name)
		rc = of_series(out, db, figure, &t, show, format, err);
	else if (symbol)
		rc = of_symbol(out, db, symbol, o, &t, show, format, err);
	else
		rc = of_costliest(out, db, &t, show, format, err);
	hd_trend_release(&t);
	return rc;
}

static int history_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct history_opts *o = opts;
	const char *symbol = argc ? argv[0] : NULL;
	unsigned long long show = symbol || o->series ? SHOW : SHOW_TOPS;
	struct hd_metric figure = { 0 };
	struct hd_buf out = { 0 };
	struct hd_db *db;
	int rc;

	(void)log;
	hd_terminal_begin(&out, &o->term, o->out);
	if (symbol && o->series)
		return hd_fail(err, HD_EUSAGE, "history: SYMBOL and --series exclude each other");
	if (o->json + o->csv + o->markdown > 1)
		return hd_fail(err, HD_EUSAGE, "history: at most one of --json, --csv and --markdown");
	if (o->limit && hd_parse_uint(o->limit, UINT32_MAX, &show) < 0)
		return hd_fail(err, HD_EUSAGE, "history: -n takes a number, not '%s'", o->limit);
	if (o->series && hd_metric_parse(&figure, o->series, "history", err) < 0)
		return HD_EUSAGE;
	rc = hd_db_option_open(&db, &o->db, HD_DB_READ, 0, err);
	if (rc >= 0) {
		rc = write_history(&out, db, symbol, &figure, o, (size_t)show, err);
		hd_db_close(db);
	}
	if (rc >= 0)
		rc = hd_output_write(o->out, &out, err);
	hd_metric_release(&figure);
	hd_buf_release(&out);
	return rc;
}

const struct hd_cmd hd_cmd_history = {
	.name = "history",
	.args = "[SYMBOL]",
	.summary = "show a symbol or figure over the commits, or the costliest symbols of each",
	.details =
		"Only comparable runs are listed: the newest run with status ok selects those that 'gate' would "
		"compare with it (docs/gate.md, Alike).  The runs of one commit make one row: the mean of their "
		"shares of self cost with its 95 % interval from their variance, or for a single run from sample "
		"counting alone.  A + after a commit means that tracked files were modified.  Rows are in the order "
		"of commit times.\n"
		"\n"
		"Without SYMBOL: the five costliest symbols of each commit, and which ones entered, left, rose "
		"(arrow) or fell.  change is that of the cost since the commit before, computed from the runs of these "
		"two commits; ~ is within noise.\n"
		"\n"
		"`moved A -> B` is a change point: E-divisive over the last 500 rows or more, p 0.01 for the whole "
		"history, at least 2 %.  Arrow and interval are those of the cost, as 'gate' estimates it; "
		"`share only` means that the cost of other functions changed, and not that of this one.  `above X` and "
		"`below X` mark a run outside the one-sided 95 % prediction limit (t) of up to 30 rows since the last "
		"change.  A change is not a verdict: 'hotdrift gate' judges runs.  `since X it is up and stayed up` is "
		"an increase (for a symbol: of its cost) that no later level undid (of symbols, latency, memory and "
		"power).\n"
		"\n"
		"SYMBOL is a displayed, normalised or linkage name; entries that differ only in compiler suffixes "
		"are merged.  FIGURE is KIND:NAME:STAT, NAME:STAT, or one of p50, p95, p99 (latency:wall_time_us), "
		"peak_rss, mean_rss (memory:peak_rss_bytes), joules, mean_watts, peak_watts (power:watts).\n"
		"\n"
		"Exit: 6 if there is no database, 5 for an unknown symbol or figure (the known ones are listed), 4 "
		"if there is no run.",
	.examples =
		"hotdrift history parse_row --target serve\twhen did it change?\n"
		"hotdrift history -n 5\tthe top five of the last five commits\n"
		"hotdrift history --series p99 --csv\tlatency, for a spreadsheet\n"
		"",
	HD_CMD_OPTS(history_opts, history_defaults),
	.groups = history_groups,
	.max_args = 1,
	.run = history_run,
};
