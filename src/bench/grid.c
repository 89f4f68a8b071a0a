/*
 * grid.c - see grid.h
 */
#include "bench/grid.h"

#include "base/file.h"
#include "base/mem.h"
#include "series/energy_report.h"
#include "series/series.h"
#include "stats/order.h"
#include "stats/ratio.h"
#include "stats/summary.h"
#include "track/csv.h"
#include "track/number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char baseline[] = "baseline";
static const struct hd_grid_value unknown = { NAN, { NAN, NAN } };

const char *hd_grid_value_title(enum hd_grid_value_name name)
{
	static const char *const titles[HD_GRID_VALUES] = {
		[HD_GRID_COHERENCE_DELTA] = "coherence_delta", [HD_GRID_KV_CACHE_REDUCTION] = "kv_cache_reduction",
		[HD_GRID_PEAK_MEM_REDUCTION] = "peak_mem_reduction", [HD_GRID_ENERGY_REDUCTION] = "energy_reduction",
		[HD_GRID_P95_LATENCY_US] = "p95_latency_us", [HD_GRID_ACCURACY] = "accuracy",
		[HD_GRID_P95_CHANGE] = "p95_change",
	};

	return titles[name];
}

bool hd_grid_setting_is_ok(const struct hd_grid_setting *s)
{
	return !strcmp(s->status, "ok");
}

void hd_grid_release(struct hd_grid *g)
{
	for (size_t i = 0; i < g->n; i++) {
		free(g->settings[i].name);
		free(g->settings[i].status);
		free(g->settings[i].run);
	}
	free(g->settings);
	*g = (struct hd_grid){ 0 };
}

/* ---- settings.csv ---- */

enum { NAME, LAMBDA, TAU, STATUS, RUN, COLUMNS };
static const char *const columns[COLUMNS] = { "setting", "lambda", "tau", "status", "run" };

static bool is_word(const struct hd_csv_cell *c, size_t least)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";

	for (size_t i = 0; i < c->n; i++)
		if (!c->s[i] || !strchr(letters, c->s[i]))
			return false;
	return c->n >= least && c->n <= HD_GRID_NAME_MAX && (!c->n || (*c->s != '.' && *c->s != '-'));
}

static bool is_cell(const struct hd_csv_cell *c, const char *word)
{
	return c->n == strlen(word) && !memcmp(c->s, word, c->n);
}

static bool is_status(const struct hd_csv_cell *c)
{
	return is_cell(c, "ok") || is_cell(c, "failed") || is_cell(c, "interrupted") || is_cell(c, "skipped");
}

static bool read_parameter(double *v, const struct hd_csv_cell *c)
{
	struct hd_number x;

	*v = NAN;
	if (!c->n)
		return true;
	if (hd_number_read(c->s, c->n, &x) != HD_NUMBER)
		return false;
	*v = x.v;
	return true;
}

static int add_row(struct hd_grid *g, const struct hd_csv_cell *c, uint64_t line, const char *path, struct hd_err *err)
{
	struct hd_grid_setting s = { .p50_us = NAN, .kv_cache_bytes = NAN, .peak_rss_bytes = NAN, .joules = NAN };

	if (!is_word(&c[NAME], 1) || !is_word(&c[RUN], 0) || !is_status(&c[STATUS]))
		return hd_fail(err, HD_EFORMAT, "%s: line %llu: invalid setting, status or run", path,
			(unsigned long long)line);
	if (!read_parameter(&s.lambda, &c[LAMBDA]) || !read_parameter(&s.tau, &c[TAU]))
		return hd_fail(err, HD_EFORMAT, "%s: line %llu: lambda and tau must be numbers", path,
			(unsigned long long)line);
	for (size_t i = 0; i < g->n; i++)
		if (is_cell(&c[NAME], g->settings[i].name))
			return hd_fail(err, HD_EFORMAT, "%s: line %llu: setting %s occurs twice", path,
				(unsigned long long)line, g->settings[i].name);
	if (g->n == HD_GRID_SETTINGS_MAX)
		return hd_fail(err, HD_EFORMAT, "%s: more than %d settings", path, HD_GRID_SETTINGS_MAX);
	s.name = hd_strndup(c[NAME].s, c[NAME].n);
	s.status = hd_strndup(c[STATUS].s, c[STATUS].n);
	s.run = hd_strndup(c[RUN].s, c[RUN].n);
	for (int i = 0; i < HD_GRID_VALUES; i++)
		s.value[i] = unknown;
	HD_GROW(g->settings, g->n + 1, g->cap);
	g->settings[g->n++] = s;
	return 0;
}

/* Move the baseline to the front.  HD_EFORMAT: there is none. */
static int put_baseline_first(struct hd_grid *g, const char *path, struct hd_err *err)
{
	for (size_t i = 0; i < g->n; i++) {
		struct hd_grid_setting s = g->settings[i];

		if (strcmp(s.name, baseline) != 0)
			continue;
		memmove(g->settings + 1, g->settings, i * sizeof(s));
		g->settings[0] = s;
		return 0;
	}
	return hd_fail(err, HD_EFORMAT, "%s: no setting is named 'baseline'", path);
}

static int parse_rows(struct hd_grid *g, char *text, size_t size, const char *path, struct hd_err *err)
{
	struct hd_csv csv = hd_csv_init(text, size);
	struct hd_csv_cell cells[COLUMNS];
	enum hd_csv_record_kind kind;
	bool first = true;
	size_t n;
	int rc = 0;

	while (rc >= 0 && (kind = hd_csv_next(&csv, cells, COLUMNS, &n)) != HD_CSV_END) {
		bool valid = kind == HD_CSV_ROW && n == COLUMNS;

		for (int i = 0; first && valid && i < COLUMNS; i++)
			valid = is_cell(&cells[i], columns[i]);
		if (!valid)
			return hd_fail(err, HD_EFORMAT, first
				? "%s: line %llu: the header is not setting,lambda,tau,status,run"
				: "%s: line %llu: not a row of 5 cells", path, (unsigned long long)csv.row_line);
		if (!first)
			rc = add_row(g, cells, csv.row_line, path, err);
		first = false;
	}
	return rc;
}

int hd_grid_parse_settings(struct hd_grid *out, char *text, size_t size, const char *path, struct hd_err *err)
{
	int rc = parse_rows(out, text, size, path, err);

	if (rc >= 0)
		rc = put_baseline_first(out, path, err);
	if (rc < 0)
		hd_grid_release(out);
	return rc;
}

/* ---- the values of a setting ---- */

struct column { double *v; size_t n; };		/* the finite values of a column */

struct measured {
	struct column wall_us, kv_cache, rss, coherence, accuracy;
	double joules;				/* energy of the whole run; NaN: not measured */
};

static void release_measured(struct measured *m)
{
	free(m->wall_us.v);
	free(m->kv_cache.v);
	free(m->rss.v);
	free(m->coherence.v);
	free(m->accuracy.v);
}

static struct column take_column(const struct hd_series *s, const char *name)
{
	const struct hd_series_column *c = hd_series_find(s, name);
	struct column out = { 0 };

	if (!c || !c->v)
		return out;
	out.v = hd_new_array(double, s->rows + 1);
	for (size_t i = 0; i < s->rows; i++)
		if (isfinite(c->v[i]))
			out.v[out.n++] = c->v[i];
	return out;
}

enum { NEEDED = 1, WHOLE = 2 };

/*
 * Read the file `csv/<name><suffix>.csv` into *s, which the caller frees.  Returns 1, or 0 if the file does not exist.
 * NEEDED: a missing file is an error.  WHOLE: lost rows are an error.
 */
static int read_file(struct hd_series **s, const char *folder, const char *name, const char *suffix, unsigned how,
	struct hd_log *log, struct hd_err *err)
{
	struct hd_buf path = { 0 };
	int rc = 1;

	hd_buf_addf(&path, "%s/csv/%s%s.csv", folder, name, suffix);
	if (!(how & NEEDED) && access(path.data, F_OK) < 0 && errno == ENOENT)
		rc = 0;
	if (rc > 0) {
		rc = hd_series_read(s, path.data, log, err);
		if (rc >= 0 && (how & WHOLE) && (rc = hd_series_need_whole(*s, log, err)) < 0)
			hd_series_free(*s);
		rc = rc < 0 ? rc : 1;
	}
	hd_buf_release(&path);
	return rc;
}

static int need_form(const struct hd_series *s, bool right, const char *form, struct hd_err *err)
{
	return right ? 0 : hd_fail(err, HD_EFORMAT, "%s: not a CSV file of the %s form", s->path, form);
}

static int read_power(struct measured *m, const char *folder, const char *name, struct hd_log *log, struct hd_err *err)
{
	struct hd_energy_report r = { 0 };
	struct hd_series *s;
	int rc = read_file(&s, folder, name, "-power", 0, log, err);

	m->joules = NAN;
	if (rc <= 0)
		return rc;
	rc = need_form(s, s->form == HD_FORM_POWER || s->form == HD_FORM_SOURCES, "power", err);
	if (rc >= 0)
		rc = hd_energy_report_make(&r, s, log, err);
	if (rc >= 0 && r.enough)
		m->joules = r.total_joules;
	hd_energy_report_release(&r);
	hd_series_free(s);
	return rc;
}

static int read_measured(struct measured *m, const char *folder, const char *name, struct hd_log *log,
	struct hd_err *err)
{
	struct hd_series *s;
	int rc = read_file(&s, folder, name, "", NEEDED | WHOLE, log, err);

	if (rc > 0) {
		rc = need_form(s, s->form == HD_FORM_LATENCY, "latency", err);
		m->wall_us = take_column(s, "wall_time_us");
		if (rc >= 0 && !m->wall_us.n)
			rc = hd_fail(err, HD_EFORMAT, "%s: no wall time", s->path);
		hd_series_free(s);
	}
	if (rc >= 0)
		rc = read_file(&s, folder, name, "-memory", 0, log, err);
	if (rc > 0) {
		rc = need_form(s, s->form == HD_FORM_MEMORY, "memory", err);
		m->kv_cache = take_column(s, "kv_cache_bytes");
		m->rss = take_column(s, "peak_rss_bytes");
		hd_series_free(s);
	}
	if (rc >= 0)
		rc = read_file(&s, folder, name, "-quality", WHOLE, log, err);
	if (rc > 0) {
		m->coherence = take_column(s, "coherence_delta");
		m->accuracy = take_column(s, "accuracy");
		hd_series_free(s);
	}
	return rc >= 0 ? read_power(m, folder, name, log, err) : rc;
}

static int summarize(struct hd_summary *sum, const struct column *c, struct hd_err *err)
{
	double *copy = hd_new_array(double, c->n + 1);		/* a copy, because hd_summarize() reorders its input */
	int rc;

	memcpy(copy, c->v, c->n * sizeof(*copy));
	rc = hd_summarize(sum, copy, c->n);
	free(copy);
	return rc == HD_STATS_NOMEM ? hd_fail(err, HD_EIO, "grid: out of memory") : 0;
}

/*
 * Set *out to the mean of a column with its interval.  The interval is cut to least..most, the range of possible means.
 */
static int mean_value(struct hd_grid_value *out, const struct column *c, double least, double most, struct hd_err *err)
{
	struct hd_summary sum;
	int rc;

	if (!c->n)
		return 0;
	rc = summarize(&sum, c, err);
	if (rc >= 0)
		*out = (struct hd_grid_value){ sum.mean, { fmax(sum.ci_mean.lo, least), fmin(sum.ci_mean.hi, most) } };
	return rc;
}

static double mean_of(const struct column *c)
{
	return c->n ? (double)(hd_sum(c->v, c->n) / (long double)c->n) : NAN;
}

static double maximum_of(const struct column *c)
{
	double top = NAN;

	for (size_t i = 0; i < c->n; i++)
		top = fmax(top, c->v[i]);	/* fmax() ignores NaN */
	return top;
}

static int ratio_value(struct hd_grid_value *out, enum hd_ratio_statistic statistic, double base, double own,
	const struct column *x, const struct column *y, struct hd_err *err)
{
	struct hd_interval ci;
	int rc;

	if (!(base > 0) || !(own >= 0))
		return 0;
	rc = hd_ratio_interval(&ci, statistic, x->v, x->n, y->v, y->n, 0.95);
	if (rc == HD_STATS_NOMEM)
		return hd_fail(err, HD_EIO, "grid: out of memory");
	*out = unknown;
	out->v = own / base;
	if (rc == HD_STATS_OK)
		out->ci = ci;
	return 0;
}

/* A reduction is 1 - ratio. */
static void make_reduction(struct hd_grid_value *v)
{
	*v = (struct hd_grid_value){ 1 - v->v, { 1 - v->ci.hi, 1 - v->ci.lo } };
}

static double reduction(double base, double own)
{
	return base > 0 && own >= 0 ? 1 - own / base : NAN;
}

/*
 * Compute the values of a setting from its measurements m.  The baseline is `base`, with measurements b; the setting
 * can be the baseline itself.
 */
static int evaluate(struct hd_grid_setting *s, const struct measured *m, const struct hd_grid_setting *base,
	const struct measured *b, struct hd_err *err)
{
	struct hd_grid_value *v = s->value;
	struct hd_summary wall;
	int rc = summarize(&wall, &m->wall_us, err);

	if (rc < 0)
		return rc;
	s->samples = m->wall_us.n;
	s->p50_us = wall.p50;
	s->kv_cache_bytes = mean_of(&m->kv_cache);
	s->peak_rss_bytes = maximum_of(&m->rss);
	s->joules = m->joules / (double)s->samples;
	v[HD_GRID_P95_LATENCY_US] = (struct hd_grid_value){ wall.p95, wall.ci_p95 };
	rc = mean_value(&v[HD_GRID_COHERENCE_DELTA], &m->coherence, -INFINITY, INFINITY, err);
	if (rc >= 0)
		rc = mean_value(&v[HD_GRID_ACCURACY], &m->accuracy, 0, 1, err);
	if (rc >= 0)
		rc = ratio_value(&v[HD_GRID_P95_CHANGE], HD_RATIO_P95, base->value[HD_GRID_P95_LATENCY_US].v, wall.p95,
			&b->wall_us, &m->wall_us, err);
	v[HD_GRID_P95_CHANGE].v -= 1;
	v[HD_GRID_P95_CHANGE].ci.lo -= 1;
	v[HD_GRID_P95_CHANGE].ci.hi -= 1;
	if (rc >= 0)
		rc = ratio_value(&v[HD_GRID_KV_CACHE_REDUCTION], HD_RATIO_MEAN, base->kv_cache_bytes, s->kv_cache_bytes,
			&b->kv_cache, &m->kv_cache, err);
	make_reduction(&v[HD_GRID_KV_CACHE_REDUCTION]);
	v[HD_GRID_PEAK_MEM_REDUCTION].v = reduction(base->peak_rss_bytes, s->peak_rss_bytes);
	v[HD_GRID_ENERGY_REDUCTION].v = reduction(base->joules, s->joules);
	if (s == base)		/* compared with itself, the baseline has exactly 0 and no interval */
		for (int i = 0; i < HD_GRID_VALUES; i++)
			if (i != HD_GRID_COHERENCE_DELTA && i != HD_GRID_ACCURACY && i != HD_GRID_P95_LATENCY_US)
				v[i].ci = unknown.ci;
	return rc;
}

/* ---- the folder ---- */

static int read_settings(struct hd_grid *g, const char *folder, struct hd_err *err)
{
	enum { MOST = 16 << 20 };
	struct hd_buf path = { 0 }, text = { 0 };
	int fd, rc;

	hd_buf_addf(&path, "%s/settings.csv", folder);
	fd = hd_file_open_regular(path.data, err);
	rc = fd;
	if (fd >= 0) {
		rc = hd_file_slurp(fd, path.data, MOST, &text, err);
		close(fd);
	}
	if (rc >= 0)
		rc = hd_grid_parse_settings(g, text.data, text.len, path.data, err);
	hd_buf_release(&path);
	hd_buf_release(&text);
	return rc;
}

static int evaluate_all(struct hd_grid *g, const char *folder, struct hd_log *log, struct hd_err *err)
{
	struct measured base = { 0 };
	int rc = read_measured(&base, folder, g->settings[0].name, log, err);

	if (rc >= 0)
		rc = evaluate(&g->settings[0], &base, &g->settings[0], &base, err);
	for (size_t i = 1; i < g->n && rc >= 0; i++) {
		struct measured m = { 0 };

		if (!hd_grid_setting_is_ok(&g->settings[i]))
			continue;
		rc = read_measured(&m, folder, g->settings[i].name, log, err);
		if (rc >= 0)
			rc = evaluate(&g->settings[i], &m, &g->settings[0], &base, err);
		for (int k = 0; k < HD_GRID_VALUES; k++)
			g->measured[k] = g->measured[k] || !isnan(g->settings[i].value[k].v);
		release_measured(&m);
	}
	release_measured(&base);
	return rc;
}

int hd_grid_read(struct hd_grid *out, const char *folder, struct hd_log *log, struct hd_err *err)
{
	int rc = read_settings(out, folder, err);

	if (rc < 0)
		return rc;
	if (!hd_grid_setting_is_ok(&out->settings[0]))
		rc = hd_fail(err, HD_ENOBASE, "%s: the status of the baseline is %s, so that nothing can be compared "
			"with it", folder, out->settings[0].status);
	else
		rc = evaluate_all(out, folder, log, err);
	if (rc < 0)
		hd_grid_release(out);
	return rc;
}
