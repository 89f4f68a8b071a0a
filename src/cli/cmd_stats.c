/*
 * cmd_stats.c - hotdrift stats FILE.csv: summaries of measured series
 */
#include "base/file.h"
#include "cli/cmd.h"
#include "cli/terminal.h"
#include "render/stats.h"
#include "render/top.h"

struct stats_opts {
	struct hd_terminal term;
	struct hd_string_list columns;
	bool json, strict;
	int format;		/* enum hd_format */
	const char *out;
};

static const struct stats_opts stats_defaults = { 0 };

static const struct hd_opt stats_opts[] = {
	{ HD_OPT_LIST, 'c', "column", "NAME", "only this column; may be repeated",
		offsetof(struct stats_opts, columns) },
	HD_ROW_JSON(struct stats_opts, "hotdrift.stats"),
	HD_ROW_FORMAT(struct stats_opts),
	{ HD_OPT_FLAG, 0, "strict", NULL, "exit 5 if a row or a cell was lost", offsetof(struct stats_opts, strict) },
	HD_ROW_OUTPUT(struct stats_opts),
	{ 0 },
};
static const struct hd_opt_group stats_groups[] = { HD_TERMINAL_GROUP(struct stats_opts, term), { NULL, NULL, 0 } };

static int summarize(struct hd_buf *text, const struct hd_series *s, const struct stats_opts *o, struct hd_log *log,
	struct hd_err *err)
{
	enum hd_format format = o->json ? HD_FORMAT_JSON : (enum hd_format)o->format;
	struct hd_series_stats st;
	int rc = hd_series_stats_make(&st, s, &o->columns, log, err);

	if (rc >= 0 && o->strict)
		rc = hd_series_need_whole(s, log, err);
	if (rc >= 0 && format == HD_FORMAT_JSON)
		hd_stats_json(text, &st);
	else if (rc >= 0)
		hd_stats_text(text, &st, format == HD_FORMAT_MARKDOWN);
	hd_series_stats_release(&st);
	return rc;
}

static int stats_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct stats_opts *o = opts;
	struct hd_buf text = { 0 };
	struct hd_series *s;
	int rc;

	(void)argc;
	hd_terminal_begin(&text, &o->term, o->out);
	rc = hd_series_read(&s, argv[0], log, err);
	if (rc < 0)
		return rc;
	rc = summarize(&text, s, o, log, err);
	if (rc >= 0)
		rc = hd_file_write(o->out, &text, err);
	hd_buf_release(&text);
	hd_series_free(s);
	return rc;
}

const struct hd_cmd hd_cmd_stats = {
	.name = "stats",
	.reads = true,
	.args = "FILE.csv",
	.summary = "compute percentiles, outliers and intervals of measured series",
	.details =
		"Reads a CSV file with a header.  The known forms are:\n"
		"  latency  {latency}\n"
		"  memory   {memory}\n"
		"  power    {power}\n"
		"  gpu      {gpu}\n"
		"  sweep    setting,coherence_delta,...\n"
		"In any other file each column of numbers is a series.  sample_id and times are summarised only with "
		"--column.\n"
		"\n"
		"std is that of the population.  p50, p95 and p99 are the nearest rank: the value number ceil(p/100 "
		"n).  Outliers lie beyond Tukey's fences, quartiles (type 7) -+ 1.5 times their distance.\n"
		"\n"
		"Intervals are 95 % confidence intervals of the percentile, mean or std of the distribution, and "
		"reproducible.  Those of percentiles are two of the values (order statistics): an upper bound of p95 "
		"needs 72 values, of p99 368, an interval of p50 needs 6; otherwise the table has 'no upper bound', "
		"JSON null.  Those of mean and std are bootstrap-t intervals with 4,000 resamples, never narrower "
		"than those of a normal distribution.  Above 2,048 values they are percentile bootstraps, in which "
		"the 64 smallest and largest values are drawn individually and the sums of the others from their "
		"normal limit.  min and max have no interval.\n"
		"\n"
		"R2 and a linear fit: for a latency file, times against seq_len, or against sample_id if all seq_len "
		"are equal; for memory and power files, each column against the time since the first row.  A memory "
		"file also has peak_rss and mean_rss (of peak_rss_bytes), kv_cache_total and activation_total (sums "
		"over all rows).\n"
		"\n"
		"A cell that is not a finite decimal number, and a row with too few or too many cells, is dropped, "
		"counted and reported; with --strict the exit is 5.  An empty cell is a missing value, not a loss.  "
		"'-' reads standard input.",
	.examples =
		"hotdrift stats latency.csv\ttables\n"
		"hotdrift stats --json latency.csv | jq .columns.wall_time_us.p99\tone number\n"
		"hotdrift stats --column watts --strict power.csv\tone column, nothing lost\n"
		"",
	HD_CMD_OPTS(stats_opts, stats_defaults),
	.groups = stats_groups,
	.min_args = 1,
	.max_args = 1,
	.run = stats_run,
};
