/*
 * metric.c - see metric.h
 */
#include "history/metric.h"

#include "base/encode.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *word, *kind, *name, *stat;
} short_names[] = {
	{ "p50", "latency", "wall_time_us", "p50" }, { "p95", "latency", "wall_time_us", "p95" },
	{ "p99", "latency", "wall_time_us", "p99" },
	{ "peak_rss", "memory", "peak_rss_bytes", "max" }, { "mean_rss", "memory", "peak_rss_bytes", "mean" },
	{ "joules", "power", "watts", "joules" }, { "mean_watts", "power", "watts", "mean" },
	{ "peak_watts", "power", "watts", "peak" },
};

static const char *const kinds[] = { "latency", "memory", "power", "gpu", "results", "benchmark", "operation",
	"allocation", "span", "other" };

int hd_metric_parse(struct hd_metric *f, const char *text, const char *command, struct hd_err *err)
{
	const char *last = strrchr(text, ':'), *first = strchr(text, ':'), *name = text;

	*f = (struct hd_metric){ .text = hd_strdup(text) };
	for (size_t i = 0; i < HD_COUNT(short_names); i++) {
		if (strcmp(text, short_names[i].word))
			continue;
		f->kind = hd_strdup(short_names[i].kind);
		f->name = hd_strdup(short_names[i].name);
		f->stat = hd_strdup(short_names[i].stat);
		return 0;
	}
	for (size_t i = 0; i < HD_COUNT(kinds) && first && first != last; i++)
		if (!strncmp(text, kinds[i], (size_t)(first - text)) && !kinds[i][first - text]) {
			f->kind = hd_strdup(kinds[i]);
			name = first + 1;
		}
	if (!last || last == name || !last[1]) {
		hd_metric_release(f);
		return hd_fail(err, HD_EUSAGE,
			"%s: a figure is KIND:NAME:STAT, like latency:wall_time_us:p99, or one of p50, p95, p99, "
			"peak_rss, mean_rss, joules, mean_watts, peak_watts, not '%s'",
			command, text);
	}
	f->name = hd_strndup(name, (size_t)(last - name));
	f->stat = hd_strdup(last + 1);
	return 0;
}

void hd_metric_release(struct hd_metric *f)
{
	free(f->text);
	free(f->kind);
	free(f->name);
	free(f->stat);
	*f = (struct hd_metric){ 0 };
}

int hd_metric_absent(const struct hd_metric *f, struct hd_db *db, const struct hd_trend *t, struct hd_err *err)
{
	struct hd_buf list = { 0 };
	struct hd_db_rows r;
	int rc, n = 0;

	rc = hd_db_query(&r, db, err,
		"SELECT DISTINCT s.kind, s.name, s.name_raw, x.stat FROM series s JOIN series_summary x ON x.run_id = "
		"s.run_id AND x.series = s.series WHERE s.run_id = $1 ORDER BY s.kind, s.name, x.stat LIMIT 40",
		"i", t->last_id);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0 && list.len < 600) {
		char *kind = hd_col_text(&r, 0), *name = hd_col_raw_name(&r, 1), *stat = hd_col_text(&r, 3);

		hd_buf_addf(&list, "%s%s:%s:%s", n++ ? ", " : "", kind ? kind : "", name ? name : "", stat ? stat : "");
		free(kind);
		free(name);
		free(stat);
	}
	hd_db_end(&r);
	if (rc >= 0)
		rc = hd_fail(err, HD_EFORMAT,
			"%s: no run of target '%s' that can be compared with its newest has the figure '%s'; %s%s",
			hd_db_name(db), t->target, f->text,
			n ? "the newest has: "
			  : "it has no series at all; see 'hotdrift add --help' to add CSV files",
			hd_buf_str(&list));
	hd_buf_release(&list);
	return rc;
}

int hd_metric_unit(const struct hd_metric *f, struct hd_db *db, char **unit, struct hd_err *err)
{
	static const char *const counts[] = { "n", "outliers", "r2" };
	struct hd_db_rows r;
	char *visible;
	int rc;

	*unit = NULL;
	for (size_t i = 0; i < HD_COUNT(counts); i++)
		if (!strcmp(f->stat, counts[i]))
			return 0;
	if (strstr(f->stat, "joules")) {	/* joules are a statistic of a series whose unit is watts */
		*unit = hd_strdup("J");
		return 0;
	}
	visible = hd_enc_visible_new(f->name);
	rc = hd_db_query(&r, db, err, "SELECT unit FROM series WHERE name = $2 AND ($1 = '' OR kind = $1) LIMIT 1",
		"tt", f->kind ? f->kind : "", visible);
	if (rc >= 0)
		rc = hd_db_next(&r, err);
	if (rc > 0)
		*unit = hd_col_text(&r, 0);
	hd_db_end(&r);
	free(visible);
	return rc < 0 ? rc : 0;
}
