/* history_tops.c - print the costliest symbols of each commit; see history.h */
#include "render/history.h"

#include "base/mem.h"
#include "render/fields.h"
#include "render/history_cells.h"

#include <math.h>

static const char *const move_word[] = { "same", "first", "up", "down", "entered", "left" };
static const char *const move_sign[] = { "", "", "\u2191", "\u2193", "entered", "left" };

enum { SUBJECTS = 1 };	/* the table has subjects */

struct row {
	/* facts about the commit, printed in its first row; "" or NULL in the other rows of the commit */
	const char *commit, *time, *subject;
	size_t rank, was_rank;
	double share, was_share, points;
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
	FIELD("move", NULL, TEXT, move, .place = 1),
	FIELD(NULL, "subject", NAME, subject, .place = 4, .when = SUBJECTS),
};

static struct row row_of(const struct hd_trend_top_row *r)
{
	return (struct row){
		.rank = r->rank,
		.was_rank = r->was_rank,
		.share = r->share,
		.was_share = r->was_share,
		.points = r->move == HD_TREND_FIRST ? NAN : r->share - r->was_share,
		.move = move_word[r->move],
		.sign = move_sign[r->move],
		.symbol = { .full = r->name, .shown = r->name, .pseudo = r->unknown },
		.object = { .full = r->object, .shown = r->object ? r->object : "" },
		.unknown = r->unknown,
	};
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
			hd_fields_cells(&table, f, &row);
		}
		hd_buf_release(&commit);
		hd_buf_release(&time);
	}
	hd_history_scope(out, t, markdown);
	if (markdown)
		hd_buf_addc(out, '\n');
	hd_table_write(out, &table, markdown);
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
	const struct hd_fields f = { fields, HD_COUNT(fields), hd_history_subjects(t) ? SUBJECTS : 0 };

	if (format == HD_HISTORY_JSON)
		write_json(out, t, tops, show, &f);
	else if (format == HD_HISTORY_CSV)
		write_csv(out, t, tops, show, &f);
	else
		write_table(out, t, tops, show, &f, format == HD_HISTORY_MARKDOWN);
}
