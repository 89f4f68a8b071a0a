/*
 * series_stats.c - see series_stats.h
 */
#include "series/series_stats.h"

#include "base/mem.h"
#include "stats/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Copy the values of a column, without missing ones, to `room`, which holds a value per row.  Returns their number. */
static size_t values_of(const struct hd_series *s, const struct hd_series_column *c, double *room)
{
	size_t n = 0;

	for (size_t i = 0; i < s->rows; i++)
		if (!isnan(c->v[i]))
			room[n++] = (double)(c->v[i] + c->origin);
	return n;
}

static int no_memory(const struct hd_series *s, struct hd_err *err)
{
	return hd_fail(err, HD_EIO, "%s: no memory for %zu values", s->path, s->rows);
}

static int summarize(struct hd_series_stats_column *sc, const struct hd_series *s, double *room, struct hd_err *err)
{
	size_t n = values_of(s, sc->column, room);

	return n && hd_summarize(&sc->sum, room, n) < 0 ? no_memory(s, err) : 0;
}

/* ---- lines ---- */

static size_t pairs_of(const struct hd_series *s, const struct hd_series_column *x, const struct hd_series_column *y,
	double *xs, double *ys)
{
	size_t n = 0;

	for (size_t i = 0; i < s->rows; i++) {
		if (isnan(x->v[i]) || isnan(y->v[i]))
			continue;
		xs[n] = x->v[i];
		ys[n++] = y->v[i];
	}
	return n;
}

static void fit(struct hd_series_stats_column *sc, const struct hd_series *s, const char *against, double *xs,
	double *ys)
{
	const struct hd_series_column *x = hd_series_find(s, against);

	if (sc->against || !x || hd_fit_line(&sc->fit, xs, ys, pairs_of(s, x, sc->column, xs, ys)) < 0)
		return;
	sc->against = x->name;
}

static void fit_as_form_says(struct hd_series_stats_column *sc, const struct hd_series *s, double *xs, double *ys)
{
	const char *name = sc->column->name;

	if (sc->column->kind != HD_FORM_FIELD_VALUE)
		return;
	if (s->form == HD_FORM_MEMORY || s->form == HD_FORM_POWER) {
		fit(sc, s, "timestamp_us", xs, ys);
	} else if (s->form == HD_FORM_LATENCY && strcmp(name, "seq_len") != 0) {
		fit(sc, s, "seq_len", xs, ys);
		fit(sc, s, "sample_id", xs, ys);
	}
}

/* ---- memory ---- */

static void sum_up_memory(struct hd_series_stats *st, double *room)
{
	const struct hd_series *s = st->series;
	const struct hd_series_column *rss = hd_series_find(s, "peak_rss_bytes");
	size_t n = values_of(s, rss, room);

	st->is_memory = true;
	for (size_t i = 0; i < n; i++)
		st->peak_rss = i && st->peak_rss > room[i] ? st->peak_rss : room[i];
	st->mean_rss = n ? (double)(hd_sum(room, n) / (long double)n) : 0;
	st->kv_cache_total = (double)hd_sum(room, values_of(s, hd_series_find(s, "kv_cache_bytes"), room));
	st->activation_total = (double)hd_sum(room, values_of(s, hd_series_find(s, "activation_bytes"), room));
}

/* ---- the selection of columns ---- */

static void add_column(struct hd_series_stats *st, const struct hd_series_column *c)
{
	for (size_t i = 0; i < st->n; i++)
		if (st->columns[i].column == c)
			return;
	st->columns[st->n++].column = c;
}

static int choose(struct hd_series_stats *st, const struct hd_string_list *only, struct hd_err *err)
{
	const struct hd_series *s = st->series;

	for (size_t i = 0; i < only->n; i++) {
		const struct hd_series_column *c = hd_series_find(s, only->items[i]);

		if (!c)
			return hd_fail(err, HD_EFORMAT,
				"%s: has no column '%.200s'; 'hotdrift stats %s' lists them", s->path,
				only->items[i], s->path);
		if (c->kind == HD_FORM_FIELD_NAME)
			return hd_fail(err, HD_EFORMAT, "%s: column '%.200s' holds text, not numbers", s->path,
				only->items[i]);
		add_column(st, c);
	}
	for (size_t i = 0; !only->n && i < s->ncolumns; i++)
		if (s->columns[i].kind == HD_FORM_FIELD_VALUE)
			add_column(st, &s->columns[i]);
	for (size_t i = 0; i < st->n; i++)
		if (st->columns[i].column->n)
			return 0;
	return hd_fail(err, HD_EFORMAT, "%s: has no row with a number", s->path);
}

static bool has_two_names(const struct hd_series *s, const char *column)
{
	const struct hd_series_column *c = hd_series_find(s, column);

	for (size_t i = 1; c && c->names && i < s->rows; i++)
		if (c->names[i] != c->names[0])
			return true;
	return false;
}

static bool is_not_measured(const struct hd_series_stats_column *c, enum hd_form form)
{
	static const struct {
		enum hd_form form;
		const char *column;
	} zero_is_unknown[] = {
		{ HD_FORM_LATENCY, "kernel_time_us" }, { HD_FORM_LATENCY, "seq_len" },
		{ HD_FORM_MEMORY, "kv_cache_bytes" }, { HD_FORM_MEMORY, "activation_bytes" },
		{ HD_FORM_MEMORY, "temp_buffer_bytes" },
		{ HD_FORM_SWEEP, "kv_cache_reduction" }, { HD_FORM_SWEEP, "energy_reduction" },
		{ HD_FORM_SWEEP, "p95_latency_us" }, { HD_FORM_SWEEP, "accuracy" },
	};

	if (!c->sum.n || c->sum.min != 0 || c->sum.max != 0)
		return false;
	for (size_t i = 0; i < sizeof(zero_is_unknown) / sizeof(*zero_is_unknown); i++)
		if (zero_is_unknown[i].form == form && !strcmp(c->column->name, zero_is_unknown[i].column))
			return true;
	return false;
}

int hd_series_stats_make(struct hd_series_stats *out, const struct hd_series *s, const struct hd_string_list *only,
	struct hd_log *log, struct hd_err *err)
{
	double *xs, *ys;
	int rc;

	*out = (struct hd_series_stats){ .series = s,
		.columns = hd_new_array(struct hd_series_stats_column, s->ncolumns) };
	rc = choose(out, only, err);
	if (rc < 0)
		return rc;
	if (s->form == HD_FORM_SOURCES)
		hd_warn(log, "stats.mixed", "",
			"%s: the rows of all sources and domains are taken together; 'hotdrift energy %s' keeps them "
			"apart", s->path, s->path);
	if (s->form == HD_FORM_GPU && has_two_names(s, "device"))
		hd_warn(log, "stats.mixed", "",
			"%s: the rows of all devices are taken together; 'hotdrift add %s' keeps them apart", s->path,
			s->path);
	xs = hd_new_array(double, s->rows);
	ys = hd_new_array(double, s->rows);
	for (size_t i = 0; rc >= 0 && i < out->n; i++) {
		rc = summarize(&out->columns[i], s, xs, err);
		fit_as_form_says(&out->columns[i], s, xs, ys);
		out->columns[i].not_measured = is_not_measured(&out->columns[i], s->form);
	}
	if (rc >= 0 && s->form == HD_FORM_MEMORY)
		sum_up_memory(out, xs);
	free(xs);
	free(ys);
	return rc;
}

void hd_series_stats_release(struct hd_series_stats *st)
{
	free(st->columns);
	*st = (struct hd_series_stats){ 0 };
}
