/*
 * cmd_grid.c - hotdrift grid DIR: compare the settings of a grid with its baseline
 */
#include "base/file.h"
#include "base/mem.h"
#include "bench/grid.h"
#include "cli/cmd.h"
#include "cli/terminal.h"
#include "render/grid_figure.h"
#include "render/grid_report.h"
#include "render/top.h"
#include "track/number.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

struct grid_opts {
	struct hd_terminal term;
	const char *limit[HD_GRID_VALUES];
	bool json, write;
	int format;		/* enum hd_format */
	int need;		/* 0: every setting must meet all criteria; 1: it is enough that one does */
	const char *out;
};

static const struct grid_opts grid_defaults = { .limit[HD_GRID_P95_CHANGE] = "10" };

/*
 * One row per criterion.  The option sets the limit of the criterion: in per cent if `percent` is set, otherwise in the
 * unit of the measured value.
 */
static const struct criterion_row {
	const char *option;
	enum hd_grid_value_name name;
	bool at_most, percent;
} criterion_rows[] = {
	{ "--max-p95", HD_GRID_P95_CHANGE, true, true },
	{ "--min-kv-reduction", HD_GRID_KV_CACHE_REDUCTION, false, true },
	{ "--min-memory-reduction", HD_GRID_PEAK_MEM_REDUCTION, false, true },
	{ "--min-energy-reduction", HD_GRID_ENERGY_REDUCTION, false, true },
	{ "--max-coherence-delta", HD_GRID_COHERENCE_DELTA, true, false },
	{ "--min-accuracy", HD_GRID_ACCURACY, false, false },
};

#define LIMIT(name)	offsetof(struct grid_opts, limit[name])
static const struct hd_opt criteria_opts[] = {
	{ HD_OPT_STR, 0, "max-p95", "PCT", "p95 latency at most PCT per cent above the baseline (default 10)",
		LIMIT(HD_GRID_P95_CHANGE) },
	{ HD_OPT_STR, 0, "min-kv-reduction", "PCT", "KV cache at least PCT per cent below the baseline",
		LIMIT(HD_GRID_KV_CACHE_REDUCTION) },
	{ HD_OPT_STR, 0, "min-memory-reduction", "PCT", "peak memory at least PCT per cent below the baseline",
		LIMIT(HD_GRID_PEAK_MEM_REDUCTION) },
	{ HD_OPT_STR, 0, "min-energy-reduction", "PCT", "energy per sample at least PCT per cent below the baseline",
		LIMIT(HD_GRID_ENERGY_REDUCTION) },
	{ HD_OPT_STR, 0, "max-coherence-delta", "X", "mean coherence delta at most X", LIMIT(HD_GRID_COHERENCE_DELTA) },
	{ HD_OPT_STR, 0, "min-accuracy", "X", "mean accuracy at least X (0 to 1)", LIMIT(HD_GRID_ACCURACY) },
	{ HD_OPT_ENUM, 0, "need", "every|one",
		"every: each criterion must be met by every setting; one: one setting must meet all criteria "
		"(default every)",
		offsetof(struct grid_opts, need) },
	{ 0 },
};

static const struct hd_opt grid_opts[] = {
	{ HD_OPT_FLAG, 0, "write", NULL, "write csv/results.csv, csv/results-ci.csv and the figures into DIR",
		offsetof(struct grid_opts, write) },
	HD_ROW_JSON(struct grid_opts, "hotdrift.grid"),
	HD_ROW_FORMAT(struct grid_opts),
	HD_ROW_OUTPUT(struct grid_opts),
	{ 0 },
};
static const struct hd_opt_group grid_groups[] = {
	{ "criteria", criteria_opts, 0 }, HD_TERMINAL_GROUP(struct grid_opts, term), { NULL, NULL, 0 },
};

static int read_criteria(struct hd_grid_criterion *criteria, size_t *n, const struct grid_opts *o, struct hd_err *err)
{
	*n = 0;
	for (size_t i = 0; i < HD_COUNT(criterion_rows); i++) {
		const struct criterion_row *row = &criterion_rows[i];
		const char *text = o->limit[row->name];
		struct hd_number x;

		if (!text)
			continue;
		if (hd_number_read(text, strlen(text), &x) != HD_NUMBER)
			return hd_fail(err, HD_EUSAGE, "grid: %s takes a number%s, not '%s'", row->option,
				row->percent ? " in per cent" : "", text);
		criteria[(*n)++] = (struct hd_grid_criterion){ .name = row->name, .at_most = row->at_most,
			.limit = row->percent ? x.v / 100 : x.v };
	}
	return 0;
}

/* ---- --write ---- */

static int make_folder(const char *path, struct hd_err *err)
{
	if (mkdir(path, 0777) < 0 && errno != EEXIST)
		return hd_fail_errno(err, HD_EIO, errno, "%s: cannot create the folder", path);
	return 0;
}

static int write_file(const char *folder, const char *name, const struct hd_buf *text, struct hd_err *err)
{
	struct hd_buf path = { 0 };
	int rc;

	hd_buf_addf(&path, "%s/%s", folder, name);
	rc = hd_file_write(path.data, text, err);
	hd_buf_release(&path);
	return rc;
}

static int write_figures(const char *folder, const struct hd_grid *g, double limit, struct hd_err *err)
{
	static const char *const names[] = {
		"figs/latency.svg", "figs/reductions.svg", "figs/map.svg", "figs/tradeoff.svg",
	};
	struct hd_buf path = { 0 };
	int rc;

	hd_buf_addf(&path, "%s/figs", folder);
	rc = make_folder(path.data, err);
	for (size_t i = 0; i < HD_COUNT(names) && rc >= 0; i++) {
		struct hd_buf text = { 0 };
		bool any = i == 0 ? hd_grid_figure_latency(&text, g, limit)
			: i == 1 ? hd_grid_figure_reductions(&text, g)
			: i == 2 ? hd_grid_figure_map(&text, g) : hd_grid_figure_tradeoff(&text, g);

		if (any)
			rc = write_file(folder, names[i], &text, err);
		hd_buf_release(&text);
	}
	hd_buf_release(&path);
	return rc;
}

static int write_files(const char *folder, const struct hd_grid *g, double limit, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	int rc;

	hd_grid_results_csv(&text, g);
	rc = write_file(folder, "csv/results.csv", &text, err);
	hd_buf_reset(&text);
	hd_grid_intervals_csv(&text, g);
	if (rc >= 0)
		rc = write_file(folder, "csv/results-ci.csv", &text, err);
	hd_buf_release(&text);
	return rc >= 0 ? write_figures(folder, g, limit, err) : rc;
}

/* ---- the command ---- */

/* Report a verdict other than MET as an error that names the criteria that caused it. */
static int fail_verdict(const struct hd_grid_report *r, struct hd_err *err)
{
	struct hd_buf names = { 0 };
	int rc;

	for (size_t i = 0; i < r->ncriteria; i++)
		if (r->criteria[i].outcome == r->verdict)
			hd_buf_addf(&names, "%s%s", names.len ? ", " : "", hd_grid_value_title(r->criteria[i].name));
	if (r->verdict == HD_GRID_MISSED)
		rc = hd_fail(err, HD_ENO, names.len ? "grid: missed: %s" : "grid: no setting meets every criterion%s",
			hd_buf_str(&names));
	else if (r->verdict == HD_GRID_NOT_MEASURED)
		rc = hd_fail(err, HD_EUNSURE, "grid: not measured, so that it cannot be judged: %s",
			hd_buf_str(&names));
	else
		rc = hd_fail(err, HD_EUNSURE, "grid: %s is incomplete: not every setting was measured to its end",
			r->folder);
	hd_buf_release(&names);
	return rc;
}

static int grid_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct grid_opts *o = opts;
	enum hd_format format = o->json ? HD_FORMAT_JSON : (enum hd_format)o->format;
	struct hd_grid_criterion criteria[HD_COUNT(criterion_rows)];
	struct hd_grid_report r = { .folder = argv[0], .criteria = criteria, .need_one = o->need == 1 };
	struct hd_grid grid = { 0 };
	struct hd_buf text = { 0 };
	int rc = read_criteria(criteria, &r.ncriteria, o, err);

	(void)argc;
	hd_terminal_begin(&text, &o->term, o->out);
	if (rc >= 0)
		rc = hd_grid_read(&grid, r.folder, log, err);
	if (rc >= 0) {
		r.grid = &grid;
		r.verdict = hd_grid_judge(&grid, criteria, r.ncriteria, r.need_one, &r.one);
	}
	if (rc >= 0 && o->write)	/* criteria[0] is always there, because it has a default */
		rc = write_files(r.folder, &grid, criteria[0].limit, err);
	if (rc >= 0 && format == HD_FORMAT_JSON)
		hd_grid_report_json(&text, &r);
	else if (rc >= 0)
		hd_grid_report_text(&text, &r, format == HD_FORMAT_MARKDOWN);
	if (rc >= 0)
		rc = hd_file_write(o->out, &text, err);
	if (rc >= 0 && r.verdict != HD_GRID_MET)
		rc = fail_verdict(&r, err);
	hd_buf_release(&text);
	hd_grid_release(&grid);
	return rc;
}

const struct hd_cmd hd_cmd_grid = {
	.name = "grid",
	.args = "DIR",
	.summary = "compare the settings of a grid with its baseline, and judge criteria",
	.details =
		"DIR is a folder of scripts/run_bench.sh, which runs a command once as the baseline and once for each "
		"pair of lambda and tau (docs/grids.md).  It has settings.csv, and for each setting in DIR/csv a "
		"latency file SETTING.csv and, if measured, SETTING-memory.csv, SETTING-power.csv and "
		"SETTING-quality.csv (coherence_delta,accuracy).\n"
		"\n"
		"--write makes csv/results.csv in the sweep form, with the columns setting, coherence_delta, "
		"kv_cache_reduction, peak_mem_reduction, energy_reduction, p95_latency_us and accuracy.  A reduction "
		"is 1 - value / value of the baseline: of the mean of kv_cache_bytes, of the maximum of "
		"peak_rss_bytes, and of joules per sample.  p95 is the nearest rank of wall_time_us.  coherence_delta "
		"and accuracy are means.  A value that was not measured is 0 there, '-' or absent in the table, and "
		"null in JSON.  csv/results-ci.csv has 95 % intervals: bootstrap intervals of kv_cache_reduction, "
		"p95_change, coherence_delta and accuracy, order statistics for p95.  The maximum of memory and the "
		"energy of one run have none.  figs/ gets SVG figures.\n"
		"\n"
		"Criteria are judged by the measured values.  Settings with another status than ok are listed and not "
		"judged.\n"
		"\n"
		"Exit: 0 all criteria are met; 1 one is missed; 3 one needs a value that was not measured, or a "
		"setting was not measured to its end; 4 the baseline was not; 5 a file cannot be read.",
	.examples =
		"hotdrift grid results/grid\tthe table and the p95 criterion\n"
		"hotdrift grid results/grid --max-p95 0 --min-kv-reduction 30 --need one\tis there such a setting?\n"
		"hotdrift grid --json results/grid | jq .verdict\tone word\n"
		"",
	HD_CMD_OPTS(grid_opts, grid_defaults),
	.groups = grid_groups,
	.min_args = 1,
	.max_args = 1,
	.run = grid_run,
};
