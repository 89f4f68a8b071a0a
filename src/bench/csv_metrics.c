/*
 * csv_metrics.c - turn the CSV files that a run writes into values of that run
 *
 * The form of a file (track/form.h) determines which values of each column are used:
 *
 *     latency   p50 and p99 of each column, except seq_len, which describes the input
 *     memory    maximum of each column
 *     power, sources    joules, mean and peak watts
 *     other     p50 of each column
 *
 * So a run has one value per metric, even if the file has many rows.  The statistics are those of the values of all
 * runs.
 */
#include "bench/bench.h"

#include "base/mem.h"
#include "series/energy_report.h"
#include "series/series_stats.h"

#include <stdlib.h>
#include <string.h>

/*
 * Set the value of a metric of the run.  A new metric is added to b->metrics, up to HD_BENCH_METRICS_MAX.  If there are
 * several files, the name of the file is part of the name of the metric.
 */
static void put(struct hd_bench *b, struct hd_bench_run *run, const char *file, const char *stat, const char *column,
	const char *unit, double v)
{
	struct hd_buf name = { 0 };
	unsigned i;

	if (b->o->series.n > 1)
		hd_buf_addf(&name, "%s: ", file);
	hd_buf_addf(&name, "%s%s%s", stat, *stat && *column ? " " : "", column);
	for (i = 0; i < b->nmetrics && strcmp(b->metrics[i].name, name.data) != 0; i++)
		;
	if (i == b->nmetrics && i < HD_BENCH_METRICS_MAX)
		b->metrics[b->nmetrics++] = (struct hd_bench_metric){ hd_buf_take(&name), unit };
	hd_buf_release(&name);
	if (i < HD_BENCH_METRICS_MAX)
		run->value[i] = v;
	else
		b->left_out++;
}

/* Return the unit of a column, which the suffix of its name states; "" if it is unknown. */
static const char *unit_of(const char *column)
{
	static const struct { const char *end, *unit; } units[] = { { "_us", "us" }, { "_bytes", "bytes" } };
	size_t n = strlen(column);

	for (size_t i = 0; i < HD_COUNT(units); i++) {
		size_t k = strlen(units[i].end);

		if (n > k && !strcmp(column + n - k, units[i].end))
			return units[i].unit;
	}
	return "";
}

static int take_power(struct hd_bench *b, struct hd_bench_run *run, const char *file, const struct hd_series *s,
	struct hd_log *log, struct hd_err *err)
{
	struct hd_energy_report r;
	int rc = hd_energy_report_make(&r, s, log, err);

	if (rc >= 0) {
		put(b, run, file, "joules", "", "", r.total_joules);
		put(b, run, file, "mean_watts", "", "", r.mean_watts);
		put(b, run, file, "peak_watts", "", "", r.peak_watts);
	}
	hd_energy_report_release(&r);
	return rc;
}

static int take_columns(struct hd_bench *b, struct hd_bench_run *run, const char *file, const struct hd_series *s,
	struct hd_log *log, struct hd_err *err)
{
	struct hd_string_list all = { 0 };
	struct hd_series_stats st;
	int rc = hd_series_stats_make(&st, s, &all, log, err);

	for (size_t i = 0; rc >= 0 && i < st.n; i++) {
		const struct hd_summary *v = &st.columns[i].sum;
		const char *name = st.columns[i].column->name;

		if (!v->n || (s->form == HD_FORM_LATENCY && !strcmp(name, "seq_len")))
			continue;
		if (s->form == HD_FORM_MEMORY) {
			put(b, run, file, "max", name, unit_of(name), v->max);
			continue;
		}
		put(b, run, file, "p50", name, unit_of(name), v->p50);
		if (s->form == HD_FORM_LATENCY)
			put(b, run, file, "p99", name, unit_of(name), v->p99);
	}
	hd_series_stats_release(&st);
	return rc;
}

char *hd_bench_csv_metrics_read(struct hd_bench *b, struct hd_bench_run *run, const struct hd_bench_variant *side)
{
	const struct hd_string_list *files = &b->o->series;
	struct hd_err err = { 0 };
	int rc = 0;

	for (size_t i = 0; i < files->n && rc >= 0; i++) {
		struct hd_buf path = { 0 };
		struct hd_log log = { 0 };
		struct hd_series *s = NULL;

		hd_bench_variant_path(&path, side, files->items[i]);
		rc = hd_series_read(&s, path.data, &log, &err);
		if (rc >= 0)
			rc = s->form == HD_FORM_POWER || s->form == HD_FORM_SOURCES
				? take_power(b, run, files->items[i], s, &log, &err)
				: take_columns(b, run, files->items[i], s, &log, &err);
		hd_series_free(s);
		hd_log_release(&log);
		hd_buf_release(&path);
	}
	return rc < 0 ? hd_strdup(err.msg) : NULL;
}
