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

static const struct hd_row_field common_fields[] = { HD_ROW(struct hd_trend, machine, "m.fingerprint", TEXT) };
static const struct hd_row_query common = HD_ROW_QUERY(struct hd_trend, common_fields,
	"FROM run r JOIN machine m ON m.id = r.machine_id WHERE r.id = $1");

/* Copy the values that all runs have in common from the run scope.like. */
static int take_common(struct hd_trend *t, const struct hd_trend_filter *k, struct hd_err *err)
{
	const struct hd_run_set_member *like = &k->side.runs[0];
	int rc;

	t->target = copied(t, like->like[HD_RUN_FIELD_TARGET]);
	t->mode = copied(t, like->like[HD_RUN_FIELD_MODE] ? like->like[HD_RUN_FIELD_MODE] : "");
	t->inline_mode = copied(t, like->like[HD_RUN_FIELD_INLINE] ? like->like[HD_RUN_FIELD_INLINE] : "");
	t->config = copied(t, like->like[HD_RUN_FIELD_CONFIG]);
	t->event = *k->event ? copied(t, like->like[HD_RUN_FIELD_EVENT]) : NULL;
	t->unit = *k->event ? copied(t, like->like[HD_RUN_FIELD_UNIT]) : NULL;
	rc = hd_row_get(t, &common, k->db, &t->arena, err, "i", like->row);
	return rc < 0 ? rc : 0;
}

/* ---- runs ---- */

struct run_row {
	struct hd_trend_run run;
	int64_t commit;			/* commit_info.id; 0: none */
	uint32_t kind;			/* kind of the run, see trend_filter.h */
	double samples;
	bool dirty;
	const char *sha, *parents, *committed, *subject, *side;
};

static const struct hd_row_field run_fields[] = {
	HD_ROW(struct run_row, run.id, "r.id", INT),
	HD_ROW(struct run_row, run.name, "r.run_id", TEXT_OR_EMPTY),
	HD_ROW(struct run_row, run.recorded, "r.recorded_utc", TEXT_OR_EMPTY),
	HD_ROW(struct run_row, commit, "r.commit_id", INT_OR_0),
	HD_ROW(struct run_row, dirty, "r.dirty", TRUE),
	HD_ROW(struct run_row, sha, "c.sha", TEXT),
	HD_ROW(struct run_row, parents, "c.parents", TEXT),
	HD_ROW(struct run_row, committed, "c.committed_utc", TEXT),
	HD_ROW(struct run_row, subject, "c.subject", NAME),
	HD_ROW(struct run_row, side, "r.side", TEXT),
	HD_ROW(struct run_row, run.event, "e.event", INT),
	HD_ROW(struct run_row, run.weight, "e.weight", INT_OR_0),
	HD_ROW(struct run_row, samples, "COALESCE(e.effective_samples, e.samples)", REAL_OR_0),
	HD_ROW(struct run_row, run.work, "r.work", REAL),
	HD_ROW(struct run_row, run.session, "r.session", NAME),
};
static const struct hd_row_query ok_runs = HD_ROW_QUERY(struct run_row, run_fields,
	", " HD_TREND_FILTER_COLUMNS
	" FROM run r LEFT JOIN event e ON e.run_id = r.id AND e.name = $2 LEFT JOIN commit_info c ON c.id = "
	"r.commit_id WHERE r.target = $1 AND r.status = 'ok' ORDER BY r.recorded_utc, r.id, e.event");

static uint64_t point_key(const struct run_row *row)
{
	return (uint64_t)row->commit * 2 + row->dirty;
}

/*
 * Return the index of the point to which a run belongs; add it if it is new.  A point has the runs of one commit, clean
 * or modified.  A run without a commit is a point of its own.
 */
static size_t point_of(struct hd_trend *t, struct hd_map *points, const struct run_row *row, size_t *cap)
{
	uint64_t key = point_key(row);
	uint32_t at = row->commit ? hd_map_get(points, key) : HD_MAP_NONE;

	if (at != HD_MAP_NONE)
		return at;
	HD_GROW(t->points, t->npoints + 1, *cap);
	t->points[t->npoints] = (struct hd_trend_point){ .dirty = row->dirty, .first = t->npoints, .commit = row->sha,
		.parents = row->parents, .time = row->committed ? row->committed : row->run.recorded,
		.subject = row->subject };
	if (row->commit)
		hd_map_put(points, key, (uint32_t)t->npoints);
	return t->npoints++;
}

struct run_rows {
	struct run_row *items;
	size_t n, cap;
};

/*
 * Load the runs of the target with status ok, and the kind of each (trend_filter.h).  If the trend is about an event, a
 * run without weight for it is skipped and counted in t->unlike.
 */
static int load_rows(struct run_rows *rows, struct hd_trend *t, struct hd_trend_filter *k, struct hd_err *err)
{
	char *target = hd_enc_visible_new(t->target), *event = hd_enc_visible_new(k->event);
	struct run_row row = { 0 };
	struct hd_db_rows r;
	int64_t before = 0;
	int rc;

	rc = hd_row_query(&r, &ok_runs, k->db, err, "tt", target, event);
	while (rc >= 0 && (rc = hd_row_next(&r, &ok_runs, &t->arena, &row, err)) > 0) {
		if (row.run.id == before)
			continue;		/* skip a second event of that name */
		before = row.run.id;
		if (*k->event && row.run.weight <= 0) {
			t->unlike++;
			continue;
		}
		row.kind = hd_trend_filter_kind(k, &r, row.run.id);
		HD_GROW(rows->items, rows->n + 1, rows->cap);
		rows->items[rows->n++] = row;
	}
	hd_db_end(&r);
	free(target);
	free(event);
	return rc;
}

/*
 * Two builds of one commit can be compared, as two sides (run.h).  Skip the runs of a commit that are not of the side
 * of its newest comparable run, and those that are not comparable.  Both count in t->unlike.
 */
static void keep_comparable(struct run_rows *rows, struct hd_trend *t, const struct hd_trend_filter *k)
{
	struct hd_map newest = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < rows->n; i++)
		if (hd_trend_filter_has(k, rows->items[i].kind))
			hd_map_put(&newest, point_key(&rows->items[i]), (uint32_t)i);
	for (size_t i = 0; i < rows->n; i++) {
		struct run_row *row = &rows->items[i];
		uint32_t last = hd_map_get(&newest, point_key(row));

		if (!hd_trend_filter_has(k, row->kind) ||
			(row->commit && strcmp(hd_or_empty(row->side), hd_or_empty(rows->items[last].side)) != 0)) {
			t->unlike++;
			continue;
		}
		rows->items[n++] = *row;		/* that of its newest run stays where it is until then */
	}
	rows->n = n;
	hd_map_release(&newest);
}

static int load_runs(struct hd_trend *t, struct hd_trend_filter *k, struct hd_err *err)
{
	size_t runs_cap = 0, points_cap = 0;
	struct run_rows rows = { 0 };
	struct hd_map points = { 0 };
	int rc = load_rows(&rows, t, k, err);

	if (rc >= 0)
		rc = hd_trend_filter_judge(k, err);
	if (rc >= 0)
		keep_comparable(&rows, t, k);
	for (size_t i = 0; i < rows.n && rc >= 0; i++) {
		struct run_row *row = &rows.items[i];

		row->run.samples = (int64_t)row->samples;
		row->run.point = point_of(t, &points, row, &points_cap);
		HD_GROW(t->runs, t->nruns + 1, runs_cap);
		t->runs[t->nruns++] = row->run;
		t->points[row->run.point].runs++;
	}
	free(rows.items);
	hd_map_release(&points);
	return rc < 0 ? rc : 0;
}

/*
 * Compare points by time, then by their first runs, because times have a resolution of one second.  Until the sort,
 * member `first` is no index of a run: it numbers the points in the order of their first runs.
 */
static int by_time(const void *a, const void *b)
{
	const struct hd_trend_point *x = a, *y = b;
	int c = strcmp(x->time, y->time);

	return c ? c : (x->first > y->first) - (x->first < y->first);
}

/* Return the first 64 bits of the name of a commit; it ends at a blank. */
static uint64_t sha_key(const char *sha)
{
	char first[17];

	snprintf(first, sizeof(first), "%.16s", sha);
	return strtoull(first, NULL, 16);
}

/* Return the index of the first parent of point `at`; HD_MAP_NONE if it is none of the points in `by_sha`. */
static uint32_t parent_of(const struct hd_trend_point *p, size_t at, const struct hd_map *by_sha)
{
	const char *parents = p[at].parents;
	uint32_t i = parents && *parents ? hd_map_get(by_sha, sha_key(parents)) : HD_MAP_NONE;

	return i != HD_MAP_NONE && !strncmp(p[i].commit, parents, strcspn(parents, " ")) ? i : HD_MAP_NONE;
}

/*
 * The commits of a series that was rebased have one commit time.  Sort n points of one time so that a commit follows
 * its first parent, and otherwise leave their order.
 */
static void sort_by_parents(struct hd_trend_point *p, size_t n)
{
	struct hd_trend_point *sorted = hd_new_array(struct hd_trend_point, n);
	uint32_t *chain = hd_new_array(uint32_t, n), at;
	bool *placed = hd_zalloc(n, sizeof(*placed));
	struct hd_map by_sha = { 0 };
	size_t to = 0;

	for (size_t i = 0; i < n; i++)
		if (p[i].commit && !hd_map_has(&by_sha, sha_key(p[i].commit)))
			hd_map_put(&by_sha, sha_key(p[i].commit), (uint32_t)i);
	for (size_t i = 0; i < n; i++) {
		size_t depth = 0;

		for (at = (uint32_t)i; at != HD_MAP_NONE && !placed[at]; at = parent_of(p, at, &by_sha)) {
			placed[at] = true;
			chain[depth++] = at;
		}
		while (depth)
			sorted[to++] = p[chain[--depth]];
	}
	memcpy(p, sorted, n * sizeof(*p));
	hd_map_release(&by_sha);
	free(sorted);
	free(chain);
	free(placed);
}

static void sort_points(struct hd_trend_point *p, size_t n)
{
	size_t end;

	if (n)
		qsort(p, n, sizeof(*p), by_time);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && !strcmp(p[end].time, p[i].time); end++)
			;
		if (end - i > 1)
			sort_by_parents(p + i, end - i);
	}
}

/* Sort the points, drop those that scope `s` excludes, and sort the runs by point. */
static void arrange(struct hd_trend *t, const struct hd_trend_scope *s)
{
	size_t *place = hd_new_array(size_t, t->npoints + 1), from = 0, to = t->npoints, n = 0;
	struct hd_trend_run *runs = hd_new_array(struct hd_trend_run, t->nruns + 1);

	sort_points(t->points, t->npoints);
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
