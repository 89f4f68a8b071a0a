/*
 * trend_points.c - see trend.h: select the runs, and group them into points
 */
#include "history/trend.h"

#include "base/encode.h"
#include "base/mem.h"
#include "history/trend_filter.h"
#include "db/row_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *copied(struct hd_trend *t, const char *s)
{
	return s ? hd_arena_strndup(&t->arena, s, strlen(s)) : NULL;
}

/* Copy the common values from the run that selects the others. */
static int take_common(struct hd_trend *t, const struct hd_trend_filter *k, struct hd_err *err)
{
	const struct hd_run_set_member *like = &k->side.runs[0];
	struct hd_db_rows r;
	int rc;

	t->target = copied(t, like->like[HD_RUN_FIELD_TARGET]);
	t->mode = copied(t, like->like[HD_RUN_FIELD_MODE] ? like->like[HD_RUN_FIELD_MODE] : "");
	t->inline_mode = copied(t, like->like[HD_RUN_FIELD_INLINE] ? like->like[HD_RUN_FIELD_INLINE] : "");
	t->config = copied(t, like->like[HD_RUN_FIELD_CONFIG]);
	t->event = *k->event ? copied(t, like->like[HD_RUN_FIELD_EVENT]) : NULL;
	t->unit = *k->event ? copied(t, like->like[HD_RUN_FIELD_UNIT]) : NULL;
	rc = hd_db_query(&r, k->db, err,
		"SELECT m.fingerprint FROM run r JOIN machine m ON m.id = r.machine_id WHERE r.id = $1", "i",
		like->row);
	if (rc >= 0)
		rc = hd_db_next(&r, err);
	if (rc > 0)
		t->machine = hd_row_text(&t->arena, &r, 0);
	hd_db_end(&r);
	return rc < 0 ? rc : 0;
}

/* ---- runs ---- */

/* Return the point of a row's commit, clean or modified, added if it is new.  A run without a commit is a new point. */
static size_t point_of(struct hd_trend *t, struct hd_map *points, const struct hd_db_rows *r, size_t *cap)
{
	int64_t commit = hd_col_int(r, 3);
	bool dirty = hd_col_int(r, 4) > 0;
	uint64_t key = (uint64_t)commit * 2 + dirty;
	uint32_t at = commit ? hd_map_get(points, key) : HD_MAP_NONE;
	struct hd_trend_point *p;
	const char *time;

	if (at != HD_MAP_NONE)
		return at;
	HD_GROW(t->points, t->npoints + 1, *cap);
	p = &t->points[t->npoints];
	*p = (struct hd_trend_point){ .dirty = dirty, .first = t->npoints };
	p->commit = hd_row_text(&t->arena, r, 5);
	time = hd_row_text(&t->arena, r, 6);
	p->time = time ? time : hd_or_empty(hd_row_text(&t->arena, r, 2));
	p->subject = hd_row_name(&t->arena, r, 7);
	if (commit)
		hd_map_put(points, key, (uint32_t)t->npoints);
	return t->npoints++;
}

enum { WORK = 12, LIKE };			/* the first of HD_TREND_FILTER_COLUMNS */

static int load_runs(struct hd_trend *t, struct hd_trend_filter *k, struct hd_err *err)
{
	char *target = hd_enc_visible_new(t->target), *event = hd_enc_visible_new(k->event);
	size_t runs_cap = 0, points_cap = 0;
	struct hd_map points = { 0 };
	struct hd_db_rows r;
	int64_t before = 0;
	int rc;

	rc = hd_db_query(&r, k->db, err,
		"SELECT r.id, r.run_id, r.recorded_utc, COALESCE(r.commit_id, 0), r.dirty, c.sha, c.committed_utc, "
		"c.subject, c.subject_raw, COALESCE(e.event, -1), COALESCE(e.weight, 0), COALESCE(e.effective_samples, "
		"e.samples, 0), r.work, " HD_TREND_FILTER_COLUMNS
		" FROM run r LEFT JOIN event e ON e.run_id = r.id AND e.name = $2 LEFT JOIN commit_info c ON c.id = "
		"r.commit_id WHERE r.target = $1 AND r.status = 'ok' ORDER BY r.recorded_utc, r.id, e.event",
		"tt", target, event);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		struct hd_trend_run *run;
		int64_t id = hd_col_int(&r, 0);

		if (id == before)
			continue;		/* skip a second event of that name */
		before = id;
		rc = *k->event && hd_col_int(&r, 10) <= 0 ? 0 : hd_trend_filter_row(k, &r, LIKE, id, err);
		t->unlike += rc == 0;
		if (rc <= 0)
			continue;
		HD_GROW(t->runs, t->nruns + 1, runs_cap);
		run = &t->runs[t->nruns++];
		*run = (struct hd_trend_run){ .id = id,
			.event = hd_col_int(&r, 9),
			.weight = hd_col_int(&r, 10),
			.samples = (int64_t)hd_col_double(&r, 11),
			.work = hd_col_kind(&r, WORK) == HD_COL_NULL ? NAN : hd_col_double(&r, WORK) };
		run->name = hd_or_empty(hd_row_text(&t->arena, &r, 1));
		run->recorded = hd_or_empty(hd_row_text(&t->arena, &r, 2));
		run->point = point_of(t, &points, &r, &points_cap);
		t->points[run->point].runs++;
	}
	hd_db_end(&r);
	hd_map_release(&points);
	free(target);
	free(event);
	return rc < 0 ? rc : 0;
}

/* ---- points ---- */

/*
 * Compare points by time, then by their first runs, because times have a resolution of one second.  Before the sort,
 * `first` is the number of the point in the order of first runs.
 */
static int by_time(const void *a, const void *b)
{
	const struct hd_trend_point *x = a, *y = b;
	int c = strcmp(x->time, y->time);

	return c ? c : (x->first > y->first) - (x->first < y->first);
}

/* Sort the points and drop those outside of the scope; sort the runs by point. */
static void arrange(struct hd_trend *t, const struct hd_trend_scope *s)
{
	size_t *place = hd_new_array(size_t, t->npoints + 1), from = 0, to = t->npoints, n = 0;
	struct hd_trend_run *runs = hd_new_array(struct hd_trend_run, t->nruns + 1);

	if (t->npoints)
		qsort(t->points, t->npoints, sizeof(*t->points), by_time);
	for (size_t i = 0; i < t->npoints; i++)
		place[t->points[i].first] = i;
	for (size_t i = 0; i < t->nruns; i++) {
		t->runs[i].point = place[t->runs[i].point];
		if (s->before && t->runs[i].id == s->like)
			to = t->runs[i].point;
	}
	if (s->limit && to > s->limit)
		from = to - s->limit;
	for (size_t i = 0; i < t->npoints; i++) {
		place[i] = n;		/* index of its next run */
		t->points[i].first = n;
		n += i >= from && i < to ? t->points[i].runs : 0;
	}
	for (size_t i = 0; i < t->nruns; i++) {
		struct hd_trend_run run = t->runs[i];

		if (run.point < from || run.point >= to)
			continue;
		runs[place[run.point]] = run;
		runs[place[run.point]++].point -= from;
	}
	if (from)
		memmove(t->points, t->points + from, (to - from) * sizeof(*t->points));
	t->npoints = to - from;
	free(t->runs);
	t->runs = runs;
	t->nruns = n;
	free(place);
}

int hd_trend_open(struct hd_trend *t, struct hd_db *db, const struct hd_trend_scope *s, struct hd_err *err)
{
	struct hd_trend_filter k;
	int rc = hd_trend_filter_open(&k, db, s, err);

	*t = (struct hd_trend){ 0 };
	if (rc < 0)
		return rc;
	rc = take_common(t, &k, err);
	if (rc >= 0)
		rc = load_runs(t, &k, err);
	hd_trend_filter_release(&k);
	if (rc < 0) {
		hd_trend_release(t);
		return rc;
	}
	arrange(t, s);
	t->per_work = t->nruns > 0;
	for (size_t i = 0; i < t->nruns; i++)
		t->per_work = t->per_work && t->runs[i].work > 0;
	for (size_t i = 0; i < t->nruns; i++) {
		int64_t id = t->runs[i].id;

		hd_map_put(&t->by_id, (uint64_t)id, (uint32_t)i);
		t->first_id = i && t->first_id < id ? t->first_id : id;
		t->last_id = i && t->last_id > id ? t->last_id : id;
	}
	return 0;
}

void hd_trend_release(struct hd_trend *t)
{
	free(t->runs);
	free(t->points);
	hd_map_release(&t->by_id);
	hd_arena_release(&t->arena);
	*t = (struct hd_trend){ 0 };
}

int hd_trend_newest(struct hd_db *db, const char *target, int64_t *run, struct hd_err *err)
{
	struct hd_buf v = { 0 };
	int rc;

	hd_enc_visible(&v, target ? target : "", target ? strlen(target) : 0);
	if (target)
		rc = hd_db_query_int(db, run, 0, err,
			"SELECT id FROM run WHERE target = $1 AND status = 'ok' ORDER BY recorded_utc DESC, id DESC "
			"LIMIT 1",
			"t", hd_buf_str(&v));
	else
		rc = hd_db_query_int(db, run, 0, err,
			"SELECT id FROM run WHERE status = 'ok' ORDER BY recorded_utc DESC, id DESC LIMIT 1", "");
	hd_buf_release(&v);
	return rc;
}
