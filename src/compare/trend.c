/*
 * trend.c - which runs stand beside each other, and as which points; see trend.h
 */
#include "compare/trend.h"

#include "base/encode.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* What `like` has and others must have; visible forms, as the database compares them. */
struct likeness {
	char *target, *mode, *inline_mode, *machine, *config, *selection, *side, *event, *unit;
};

static void likeness_release(struct likeness *k)
{
	free(k->target);
	free(k->mode);
	free(k->inline_mode);
	free(k->machine);
	free(k->config);
	free(k->selection);
	free(k->side);
	free(k->event);
	free(k->unit);
}

/* Never NULL. */
static char *text_of(const struct hd_db_rows *r, int i)
{
	char *s = hd_col_text(r, i);

	return s ? s : hd_strdup("");
}

static const char *kept(struct hd_arena *a, char *s)
{
	const char *k = s ? hd_arena_strndup(a, s, strlen(s)) : NULL;

	free(s);
	return k;
}

static int ask_likeness(struct likeness *k, struct hd_trend *t, struct hd_db *db, int64_t like, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc;

	rc = hd_db_ask(&r, db, err, "SELECT r.target, r.target_raw, r.mode, r.inline_mode, m.fingerprint, f.sha256, r.selection, r.side "
		       "FROM run r "
		       "LEFT JOIN machine m ON m.id = r.machine_id LEFT JOIN config f ON f.id = r.config_id WHERE r.id = $1", "i", like);
	if (rc >= 0)
		rc = hd_db_next(&r, err);
	if (rc == 0)
		rc = hd_fail(err, HD_EIO, "%s: run %lld is gone", hd_db_name(db), (long long)like);
	if (rc > 0) {
		k->target = text_of(&r, 0);
		t->target = kept(&t->arena, hd_col_raw_name(&r, 0));
		k->mode = text_of(&r, 2);
		k->inline_mode = text_of(&r, 3);
		t->machine = kept(&t->arena, hd_col_text(&r, 4));
		t->config = kept(&t->arena, hd_col_text(&r, 5));
		t->mode = hd_arena_strndup(&t->arena, k->mode, strlen(k->mode));
		t->inline_mode = hd_arena_strndup(&t->arena, k->inline_mode, strlen(k->inline_mode));
		k->selection = text_of(&r, 6);
		k->side = text_of(&r, 7);
		k->machine = hd_strdup(t->machine ? t->machine : "");
		k->config = hd_strdup(t->config ? t->config : "");
	}
	hd_db_end(&r);
	return rc < 0 ? rc : 0;
}

/* The event of `like`: the one that was named, or its first with samples. */
static int ask_event(struct likeness *k, struct hd_trend *t, struct hd_db *db, const struct hd_trend_scope *s, struct hd_err *err)
{
	struct hd_buf v = { 0 };
	struct hd_db_rows r;
	int rc;

	if (s->event && !*s->event) {
		k->event = hd_strdup("");
		k->unit = hd_strdup("");
		return 0;
	}
	hd_enc_visible(&v, s->event ? s->event : "", s->event ? strlen(s->event) : 0);
	rc = hd_db_ask(&r, db, err, "SELECT name, name_raw, unit, unit_raw FROM event WHERE run_id = $1 AND (name = $2 OR ($2 = '' AND samples > 0)) "
		       "ORDER BY event LIMIT 1", "it", s->like, hd_buf_str(&v));
	if (rc >= 0)
		rc = hd_db_next(&r, err);
	if (rc > 0) {
		k->event = text_of(&r, 0);
		k->unit = text_of(&r, 2);
		t->event = kept(&t->arena, hd_col_raw_name(&r, 0));
		t->unit = kept(&t->arena, hd_col_raw_name(&r, 2));
	} else if (rc == 0) {
		rc = s->event ? hd_fail(err, HD_EFORMAT, "%s: the newest run of '%s' has no event '%s'; 'hotdrift show latest:%s' lists its events",
					hd_db_name(db), t->target, s->event, t->target)
			      : hd_fail(err, HD_EFORMAT, "%s: the newest run of '%s' has no event with samples", hd_db_name(db), t->target);
	}
	hd_db_end(&r);
	hd_buf_release(&v);
	return rc < 0 ? rc : 0;
}

/* ---- runs ---- */

/* The point of a commit, clean or modified; a run without one is a point. */
static size_t point_of(struct hd_trend *t, struct hd_map *points, const struct hd_db_rows *r, size_t *cap)
{
	int64_t commit = hd_col_int(r, 3);
	bool dirty = hd_col_int(r, 4) > 0;
	uint64_t key = (uint64_t)commit * 2 + dirty;
	uint32_t at = commit ? hd_map_get(points, key) : HD_MAP_NONE;
	struct hd_trend_point *p;
	char *time;

	if (at != HD_MAP_NONE)
		return at;
	HD_GROW(t->points, t->npoints + 1, *cap);
	p = &t->points[t->npoints];
	*p = (struct hd_trend_point){ .dirty = dirty, .first = t->npoints };
	p->commit = kept(&t->arena, hd_col_text(r, 5));
	time = hd_col_text(r, 6);
	p->time = kept(&t->arena, time ? time : text_of(r, 2));
	p->subject = kept(&t->arena, hd_col_raw_name(r, 7));
	if (commit)
		hd_map_put(points, key, (uint32_t)t->npoints);
	return t->npoints++;
}

static int ask_runs(struct hd_trend *t, const struct likeness *k, struct hd_db *db, struct hd_err *err)
{
	size_t runs_cap = 0, points_cap = 0;
	struct hd_map points = { 0 };
	struct hd_db_rows r;
	int rc;

	rc = hd_db_ask(&r, db, err, "SELECT r.id, r.run_id, r.recorded_utc, COALESCE(r.commit_id, 0), r.dirty, c.sha, c.committed_utc, c.subject, "
		       "c.subject_raw, COALESCE(e.event, -1), COALESCE(e.weight, 0), COALESCE(e.effective_samples, e.samples, 0) FROM run r "
		       "LEFT JOIN event e ON e.run_id = r.id AND e.name = $6 AND e.unit = $7 "
		       "LEFT JOIN commit_info c ON c.id = r.commit_id "
		       "LEFT JOIN machine m ON m.id = r.machine_id LEFT JOIN config f ON f.id = r.config_id "
		       "WHERE r.target = $1 AND r.status = 'ok' AND r.mode = $2 AND r.inline_mode = $3 AND COALESCE(m.fingerprint, '') = $4 "
		       "AND COALESCE(f.sha256, '') = $5 AND ($6 = '' OR e.weight > 0) AND COALESCE(r.selection, '') = $8 AND COALESCE(r.side, '') = $9 "
		       "ORDER BY r.recorded_utc, r.id, e.event", "ttttttttt", k->target, k->mode, k->inline_mode, k->machine, k->config, k->event, k->unit,
		       k->selection, k->side);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		struct hd_trend_run *run;
		int64_t id = hd_col_int(&r, 0);

		if (t->nruns && t->runs[t->nruns - 1].id == id)
			continue;		/* a second event of that name */
		HD_GROW(t->runs, t->nruns + 1, runs_cap);
		run = &t->runs[t->nruns++];
		*run = (struct hd_trend_run){ .id = id, .event = hd_col_int(&r, 9), .weight = hd_col_int(&r, 10), .samples = (int64_t)hd_col_double(&r, 11) };
		run->name = kept(&t->arena, text_of(&r, 1));
		run->recorded = kept(&t->arena, text_of(&r, 2));
		run->point = point_of(t, &points, &r, &points_cap);
		t->points[run->point].runs++;
	}
	hd_db_end(&r);
	hd_map_release(&points);
	return rc < 0 ? rc : 0;
}

/* ---- points ---- */

/* By time; of one second, as their first runs came.  `first` holds that order until the points are in theirs. */
static int by_time(const void *a, const void *b)
{
	const struct hd_trend_point *x = a, *y = b;
	int c = strcmp(x->time, y->time);

	return c ? c : (x->first > y->first) - (x->first < y->first);
}

/* Points in their order, without those that were not asked for; runs by point. */
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
		place[i] = n;		/* where its next run goes */
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

static int count_unlike(struct hd_trend *t, const struct likeness *k, struct hd_db *db, struct hd_err *err)
{
	int64_t all;
	int rc = hd_db_ask_int(db, &all, 0, err, "SELECT COUNT(*) FROM run WHERE target = $1 AND status = 'ok'", "t", k->target);

	t->unlike = rc >= 0 && all > (int64_t)t->nruns ? (size_t)all - t->nruns : 0;
	return rc;
}

int hd_trend_open(struct hd_trend *t, struct hd_db *db, const struct hd_trend_scope *s, struct hd_err *err)
{
	struct likeness k = { 0 };
	int rc;

	*t = (struct hd_trend){ 0 };
	rc = ask_likeness(&k, t, db, s->like, err);
	if (rc >= 0)
		rc = ask_event(&k, t, db, s, err);
	if (rc >= 0)
		rc = ask_runs(t, &k, db, err);
	if (rc >= 0)
		rc = count_unlike(t, &k, db, err);
	likeness_release(&k);
	if (rc < 0) {
		hd_trend_release(t);
		return rc;
	}
	arrange(t, s);
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
		rc = hd_db_ask_int(db, run, 0, err, "SELECT id FROM run WHERE target = $1 AND status = 'ok' ORDER BY recorded_utc DESC, id DESC "
				   "LIMIT 1", "t", hd_buf_str(&v));
	else
		rc = hd_db_ask_int(db, run, 0, err, "SELECT id FROM run WHERE status = 'ok' ORDER BY recorded_utc DESC, id DESC LIMIT 1", "");
	hd_buf_release(&v);
	return rc;
}
