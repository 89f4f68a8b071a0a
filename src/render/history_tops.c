/*
 * history_tops.c - the costliest of each commit; see history.h
 */
#include "render/history_cells.h"

#include "base/encode.h"
#include "base/mem.h"
#include "render/table.h"

#include <string.h>

static const char *const move_word[] = { "same", "first", "up", "down", "entered", "left" };
static const char *const move_sign[] = { "", "", "\u2191", "\u2193", "entered", "left" };

static void tops_table(struct hd_table *table, const struct hd_trend *t, const struct hd_trend_tops *tops, size_t show)
{
	bool subjects = hd_history_subjects(t);
	struct hd_buf b = { 0 };

	for (size_t i = hd_history_first(t->npoints, show); i < t->npoints; i++) {
		for (size_t k = 0; k < tops->of[i].n; k++) {
			const struct hd_trend_top_row *row = &tops->of[i].rows[k];

			hd_buf_reset(&b);
			if (k == 0)
				hd_history_commit(&b, t, &t->points[i]);
			hd_table_string(table, hd_buf_str(&b));
			if (k == 0)
				hd_history_time(table, &t->points[i]);
			else
				hd_table_string(table, "");
			if (row->rank)
				hd_table_cellf(table, "%zu", row->rank);
			else
				hd_table_string(table, "-");
			hd_table_string(table, move_sign[row->move]);
			hd_table_cellf(table, "%.2f%%", row->share);
			if (row->move == HD_TREND_FIRST)
				hd_table_string(table, "");
			else
				hd_table_cellf(table, "%+.2f", row->share - row->was_share);
			if (row->unknown)
				hd_table_pseudo(table, row->name);
			else
				hd_table_string(table, row->name);
			hd_table_string(table, row->object ? row->object : "");
			if (subjects && k == 0)
				hd_history_subject(table, &t->points[i]);
			else if (subjects)
				hd_table_pseudo(table, "");
		}
	}
	hd_buf_release(&b);
}

static void tops_json(struct hd_buf *out, const struct hd_trend *t, const struct hd_trend_tops *tops, size_t show)
{
	struct hd_jsonw w = hd_jsonw_to(out);

	hd_jsonw_open(&w, NULL, '{');
	hd_history_scope_json(&w, t);
	hd_jsonw_open(&w, "points", '[');
	for (size_t i = hd_history_first(t->npoints, show); i < t->npoints; i++) {
		hd_jsonw_open(&w, NULL, '{');
		hd_history_point_json(&w, t, &t->points[i]);
		hd_jsonw_open(&w, "rows", '[');
		for (size_t k = 0; k < tops->of[i].n; k++) {
			const struct hd_trend_top_row *row = &tops->of[i].rows[k];

			hd_jsonw_row(&w, NULL, '{');
			hd_jsonw_u64(&w, "rank", row->rank);
			hd_jsonw_u64(&w, "was_rank", row->was_rank);
			hd_jsonw_str(&w, "symbol", row->name);
			if (row->unknown)
				hd_jsonw_bool(&w, "unknown", true);
			hd_jsonw_str(&w, "object", row->object);
			hd_jsonw_num(&w, "share", row->share, 6);
			hd_jsonw_num(&w, "was_share", row->was_share, 6);
			hd_jsonw_str(&w, "move", move_word[row->move]);
			hd_jsonw_close(&w, '}');
		}
		hd_jsonw_close(&w, ']');
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
}

static void tops_csv(struct hd_buf *out, const struct hd_trend *t, const struct hd_trend_tops *tops, size_t show)
{
	hd_buf_adds(out, "commit,dirty,time,runs,rank,was_rank,share,was_share,move,symbol,object\n");
	for (size_t i = hd_history_first(t->npoints, show); i < t->npoints; i++) {
		for (size_t k = 0; k < tops->of[i].n; k++) {
			const struct hd_trend_top_row *row = &tops->of[i].rows[k];

			hd_history_point_csv(out, &t->points[i]);
			hd_buf_addf(out, ",%zu,%zu,%.6f,%.6f,%s,", row->rank, row->was_rank, row->share, row->was_share,
				move_word[row->move]);
			hd_enc_csv(out, row->name, strlen(row->name));
			hd_buf_addc(out, ',');
			hd_enc_csv(out, row->object ? row->object : "", row->object ? strlen(row->object) : 0);
			hd_buf_addc(out, '\n');
		}
	}
}

void hd_history_write_tops(struct hd_buf *out, const struct hd_trend *t, const struct hd_trend_tops *tops, size_t show,
			   enum hd_history_format format)
{
	static const struct hd_column columns[] = {
		{ "commit", false, false }, { "time", false, false }, { "rank", true, false }, { "", false, false },
		{ "self", true, false },
		{ "points", true, false }, { "symbol", false, true }, { "object", false, true },
		{ "subject", false, true },
	};
	struct hd_table table;

	if (format == HD_HISTORY_JSON) {
		tops_json(out, t, tops, show);
		return;
	}
	if (format == HD_HISTORY_CSV) {
		tops_csv(out, t, tops, show);
		return;
	}
	hd_table_init(&table, columns, HD_COUNT(columns) - !hd_history_subjects(t));
	tops_table(&table, t, tops, show);
	hd_history_scope(out, t, format == HD_HISTORY_MARKDOWN);
	if (format == HD_HISTORY_MARKDOWN) {
		hd_buf_addc(out, '\n');
		hd_table_markdown(out, &table);
	} else {
		hd_table_text(out, &table, "");
	}
	hd_table_release(&table);
}
