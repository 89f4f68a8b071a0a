/* history_tops.c - print the costliest symbols of each commit; see history.h */
#include "render/history.h"

#include "base/mem.h"
#include "render/fields.h"
#include "render/history_cells.h"
#include "render/run_report.h"
#include "render/unit_text.h"

#include <math.h>

static const char *const move_word[] = { "same", "first", "up", "down", "entered", "left" };
static const char *const move_sign[] = { "", "", "\u2191", "\u2193", "entered", "left" };

/* SUBJECTS, INTERVALS: the table has such a column; WORK, RUN: what costs are of */
enum { SUBJECTS = 1, INTERVALS = 2, WORK = 4, RUN = 8, JSON = 16, CSV = 32 };

struct row {
	/* facts about the commit, printed in its first row; "" or NULL in the other rows of the commit */
	const char *commit, *time, *subject;
	size_t rank, was_rank;
	double share, was_share, points;
	double cost, was_cost, change, lo, hi;
	struct hd_interval ci;
	bool within_noise;
	const char *noise;	/* the same as a word; NULL at the first point */
	const char *cost_cell, *change_cell, *ci_cell;
	const char *move, *sign;
	struct hd_field_name symbol, object;
	bool unknown;
};

#define FIELD(key, title, kind, member, ...)	HD_FIELD(key, title, kind, struct row, member, ##__VA_ARGS__)
static const struct hd_field fields[] = {
	FIELD(NULL, "commit", TEXT, commit),
	FIELD(NULL, "time", TEXT, time),
	FIELD("rank", "rank", RANK, rank),
	FIELD("was_rank", NULL, RANK, was_rank),
	FIELD(NULL, "", TEXT, sign),
	FIELD("symbol", "symbol", SYMBOL, symbol, .place = 2),
	FIELD("unknown", NULL, FLAG, unknown),
	FIELD("object", "object", SYMBOL, object, .place = 3),
	FIELD("share", "self", PERCENT, share),
	FIELD("was_share", NULL, PERCENT, was_share),
	FIELD(NULL, "points", POINTS, points),
	FIELD(NULL, "cost", CELL, cost_cell, .when = RUN),
	FIELD(NULL, "cost / work", CELL, cost_cell, .when = WORK),
	FIELD(NULL, "change", CELL, change_cell),
	FIELD(NULL, "95 % interval", CELL, ci_cell, .when = INTERVALS),
	FIELD("move", NULL, TEXT, move, .place = 1),
	FIELD("cost", NULL, REAL, cost, .place = 4),
	FIELD("was_cost", NULL, REAL, was_cost, .place = 4),
	FIELD("change_pct", NULL, PERCENT, change, .place = 4),
	FIELD("ci", NULL, INTERVAL, ci),
	FIELD("ci_lo", NULL, PERCENT, lo, .place = 4, .when = CSV),
	FIELD("ci_hi", NULL, PERCENT, hi, .place = 4, .when = CSV),
	FIELD("within_noise", NULL, BOOL, within_noise, .when = JSON),
	FIELD("within_noise", NULL, TEXT, noise, .place = 4, .when = CSV),
	FIELD(NULL, "subject", NAME, subject, .place = 4, .when = SUBJECTS),
};

static struct row row_of(const struct hd_trend_top_row *r)
{
	double pct = isfinite(r->change.pct) ? r->change.pct : NAN;

	return (struct row){
		.rank = r->rank,
		.was_rank = r->was_rank,
		.share = r->share,
		.was_share = r->was_share,
		.points = r->move == HD_TREND_FIRST ? NAN : r->share - r->was_share,
		.cost = r->cost,
		.was_cost = r->was_cost,
		.change = pct,
		.lo = r->change.lo,
		.hi = r->change.hi,
		.ci = { r->change.lo, r->change.hi },
		.within_noise = r->within_noise,
		.noise = r->move == HD_TREND_FIRST ? NULL : r->within_noise ? "yes" : "no",
		.move = move_word[r->move],
		.sign = move_sign[r->move],
		.symbol = { .full = r->name, .shown = r->name, .pseudo = r->unknown },
		.object = { .full = r->object, .shown = r->object ? r->object : "" },
		.unknown = r->unknown,
	};
}

/* Add a row to the table.  Its members that concern the commit are set. */
static void add_row(struct hd_table *table, const struct hd_fields *f, struct row *row,
	const struct hd_trend_top_row *r, const char *unit)
{
	struct hd_buf cost = { 0 }, change = { 0 }, ci = { 0 };

	hd_unit_text_cost(&cost, fmax(r->cost, 0), unit);
	if (r->move != HD_TREND_FIRST)
		hd_run_report_cost_change(&change, &r->change, r->within_noise);
	hd_run_report_cost_interval(&ci, &r->change);
	row->cost_cell = hd_buf_str(&cost);
	row->change_cell = hd_buf_str(&change);
	row->ci_cell = hd_buf_str(&ci);
	hd_fields_cells(table, f, row);
	hd_buf_release(&cost);
	hd_buf_release(&change);
	hd_buf_release(&ci);
}

static void write_table(struct hd_buf *out, const struct hd_trend *t, const struct hd_trend_tops *tops, size_t show,
	const struct hd_fields *f, bool markdown)
{
	struct hd_table table;

	hd_fields_table(&table, f);
	for (size_t i = hd_history_first(t->npoints, show); i < t->npoints; i++) {
		struct hd_buf commit = { 0 }, time = { 0 };

		hd_history_commit(&commit, t, &t->points[i]);
		hd_history_time(&time, &t->points[i]);
		for (size_t k = 0; k < tops->of[i].n; k++) {
			struct row row = row_of(&tops->of[i].rows[k]);

			row.commit = k ? "" : hd_buf_str(&commit);
			row.time = k ? "" : hd_buf_str(&time);
			row.subject = k ? NULL : hd_history_subject(&t->points[i]);
			add_row(&table, f, &row, &tops->of[i].rows[k], t->unit);
		}
		hd_buf_release(&commit);
		hd_buf_release(&time);
	}
	hd_history_scope(out, t, markdown);
	if (markdown)
		hd_buf_addc(out, '\n');
	hd_table_write(out, &table, markdown);
	hd_buf_addf(out, "%schange is that of cost, ~ is within noise\n", markdown ? "\n" : "");
}

/* Return true if the interval of any change in the printed points is known. */
static bool has_intervals(const struct hd_trend_tops *tops, size_t show)
{
	for (size_t i = hd_history_first(tops->n, show); i < tops->n; i++)
		for (size_t k = 0; k < tops->of[i].n; k++)
			if (!isnan(tops->of[i].rows[k].change.hi))
				return true;
	return false;
}

static void write_json(struct hd_buf *out, const struct hd_trend *t, const struct hd_trend_tops *tops, size_t show,
	const struct hd_fields *f)
{
	struct hd_jsonw w = hd_history_json(out, t);

	hd_jsonw_open(&w, "points", '[');
	for (size_t i = hd_history_first(t->npoints, show); i < t->npoints; i++) {
		hd_jsonw_open(&w, NULL, '{');
		hd_history_point_json(&w, t, &t->points[i]);
		hd_jsonw_open(&w, "rows", '[');
		for (size_t k = 0; k < tops->of[i].n; k++) {
			struct row row = row_of(&tops->of[i].rows[k]);

			hd_fields_object(&w, f, &row);
		}
		hd_jsonw_close(&w, ']');
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
}

static void write_csv(struct hd_buf *out, const struct hd_trend *t, const struct hd_trend_tops *tops, size_t show,
	const struct hd_fields *f)
{
	hd_buf_adds(out, "commit,dirty,time,runs,");
	hd_fields_csv_header(out, f);
	for (size_t i = hd_history_first(t->npoints, show); i < t->npoints; i++) {
		for (size_t k = 0; k < tops->of[i].n; k++) {
			struct row row = row_of(&tops->of[i].rows[k]);

			hd_history_point_csv(out, &t->points[i]);
			hd_buf_addc(out, ',');
			hd_fields_csv(out, f, &row);
			hd_buf_addc(out, '\n');
		}
	}
}

void hd_history_write_tops(struct hd_buf *out, const struct hd_trend *t, const struct hd_trend_tops *tops, size_t show,
			   enum hd_history_format format)
{
	struct hd_fields f = { fields, HD_COUNT(fields), t->per_work ? WORK : RUN };

	f.flags |= hd_history_subjects(t) ? SUBJECTS : 0;
	f.flags |= has_intervals(tops, show) ? INTERVALS : 0;
	f.flags |= format == HD_HISTORY_JSON ? JSON : format == HD_HISTORY_CSV ? CSV : 0;
	if (format == HD_HISTORY_JSON)
		write_json(out, t, tops, show, &f);
	else if (format == HD_HISTORY_CSV)
		write_csv(out, t, tops, show, &f);
	else
		write_table(out, t, tops, show, &f, format == HD_HISTORY_MARKDOWN);
}
