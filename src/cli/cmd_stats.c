/*
 * cmd_stats.c - hotdrift stats FILE.csv
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
	{ HD_OPT_LIST, 'c', "column", "NAME", "only this column; may be given again",
		offsetof(struct stats_opts, columns) },
	HD_ROW_JSON(struct stats_opts, "hotdrift.stats"),
	HD_ROW_FORMAT(struct stats_opts),
	{ HD_OPT_FLAG, 0, "strict", NULL, "exit 5 when a row or a cell was lost", offsetof(struct stats_opts, strict) },
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
	.summary = "percentiles, outliers and intervals of measured series",
	.details =
		"Reads a CSV file with a header: latency (sample_id,wall_time_us,kernel_time_us,seq_len), memory\n"
		"(timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes), power "
		"(timestamp_us,watts), gpu\n"
		"(t_ns,device,util_pct,mem_util_pct,mem_used_bytes,...), a sweep (setting,coherence_delta,...), or any "
		"other; of those each\n"
		"column that holds numbers is a series.  sample_id and times are summarised only with --column.\n"
		"\n"
		"std is the population's.  p50, p95 and p99 are the nearest rank: the value number ceil(p/100 n).  "
		"Outliers lie beyond\n"
		"Tukey's fences, quartiles (type 7) -+ 1.5 times their distance.  Intervals are of 95 %, the same "
		"every time, and say\n"
		"where the percentile, mean or std of the source of the values lies.  Those of percentiles are two of "
		"the values\n"
		"(order statistics): 72 values are needed for an upper bound of p95, 368 for p99, 6 for an interval of "
		"p50; else the\n"
		"table says 'no upper bound', JSON null.  Those of mean and std are bootstraps-t of 4,000 resamples, "
		"never narrower than\n"
		"those of normal values.  Of more than 2,048 values they are percentile bootstraps, in which the 64 "
		"smallest and largest\n"
		"are drawn one by one and the sums of the others from their normal limit.  min and max have no "
		"interval.\n"
		"\n"
		"R2 and a line: of a latency file the times against seq_len, or against sample_id when all seq_len are "
		"equal; of memory\n"
		"and power files each column against the time since the first row.  A memory file has peak_rss and "
		"mean_rss (of\n"
		"peak_rss_bytes), kv_cache_total and activation_total (sums over all rows) besides.\n"
		"\n"
		"A cell that is no finite decimal number, and a row with too few or too many cells, is left out, "
		"counted and told; with\n"
		"--strict the exit is 5.  An empty cell has no value and is no loss.  '-' reads stdin.",
	.examples = "hotdrift stats latency.csv\ttables\n"
		    "hotdrift stats --json latency.csv | jq .columns.wall_time_us.p99\tone number\n"
		    "hotdrift stats --column watts --strict power.csv\tone column, nothing lost\n",
	HD_CMD_OPTS(stats_opts, stats_defaults),
	.groups = stats_groups,
	.min_args = 1,
	.max_args = 1,
	.run = stats_run,
};
