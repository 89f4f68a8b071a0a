/*
 * nsys.c - see nsys.h
 */
#include "gpu/nsys.h"

#include "base/buf.h"
#include "base/encode.h"
#include "base/mem.h"
#include "gpu/activity_sorter.h"
#include "gpu/nsys_capture.h"

#include <stdlib.h>
#include <string.h>

enum {
	REORDER_ROOM = 64,		/* number of rows of a table that are read ahead, to sort them by start */
	/*
	 * limit for the number of sorted parts (sequences of rows by rising start) that are merged; if the tables have
	 * more of them, one sort of all activities replaces the merge
	 */
	MOST_PARTS = 40,
	MAX_CELL = 64 << 20, MAX_SQL = 1 << 16,
};

bool hd_gpu_is_sqlite(const char *head, size_t n)
{
	return n >= 16 && !memcmp(head, "SQLite format 3", 16);
}

/* ---- rows of a table ---- */

struct cursor {
	const struct hd_nsys_table *table;
	sqlite3_stmt *st;		/* NULL: all rows were read */
	int64_t rowid;			/* rowid of the last row that was read */
	bool begun;
	struct hd_gpu_activity ring[REORDER_ROOM];	/* sorted by start; the first one is at `head` */
	size_t head, n;
};

/* Read the next activity of the table.  Rows without valid times are skipped.  Return 1; 0 at its end or at damage. */
static int next_row(struct hd_nsys_reader *r, struct cursor *c, struct hd_gpu_activity *a)
{
	struct hd_err why;
	int rc;

	while ((rc = hd_sqlite_untrusted_step(r->db, c->st, c->table->name, &why)) > 0) {
		int64_t rowid = sqlite3_column_int64(c->st, 0);
		bool no_end;

		if (c->begun && rowid <= c->rowid) {
			rc = hd_fail(&why, HD_EFORMAT, "%s: %s: rows repeat after row %lld", r->path, c->table->name,
				(long long)c->rowid);
			break;
		}
		c->begun = true;
		c->rowid = rowid;
		*a = (struct hd_gpu_activity){
			.kind = (uint8_t)c->table->kind,
			.start_ns = sqlite3_column_int64(c->st, HD_NSYS_START),
			.end_ns = sqlite3_column_int64(c->st, HD_NSYS_END),
		};
		no_end = !a->end_ns && hd_nsys_is_null(c->st, HD_NSYS_END);
		if (no_end)
			a->end_ns = a->start_ns;
		if ((!a->start_ns && sqlite3_column_type(c->st, HD_NSYS_START) != SQLITE_INTEGER) ||
			(no_end && !c->table->open_end)) {
			hd_warn(r->sink->log, "lost.gpu-row", "export the report again",
				"%s: %s: row %lld has no start or no end and was skipped", r->path, c->table->name,
				(long long)rowid);
			continue;
		}
		if (c->table->fill(r, c->st, a))
			return 1;
	}
	if (rc < 0)
		hd_warn(r->sink->log, "lost.gpu-rows", "export the report again",
			"%s; the rest of the table was skipped", why.msg);
	sqlite3_finalize(c->st);
	c->st = NULL;
	return 0;
}

static inline struct hd_gpu_activity *slot(struct cursor *c, size_t i)
{
	return &c->ring[(c->head + i) % REORDER_ROOM];
}

/*
 * Fill the reorder buffer of a table with its next rows, sorted by start.  *last_ns: start of the last activity that
 * was passed on; NULL if none was.  If a row starts before that, the buffer was too small to sort the rows: the result
 * is HD_GPU_AGAIN.
 */
static int look_ahead(struct hd_nsys_reader *r, struct cursor *c, const int64_t *last_ns)
{
	while (c->st && c->n < REORDER_ROOM) {
		size_t i = c->n;

		if (!next_row(r, c, slot(c, i)))
			break;
		if (last_ns && slot(c, i)->start_ns < *last_ns)
			return HD_GPU_AGAIN;
		c->n++;
		for (; i && hd_gpu_activity_before(slot(c, i), slot(c, i - 1)); i--) {
			struct hd_gpu_activity other = *slot(c, i);

			*slot(c, i) = *slot(c, i - 1);
			*slot(c, i - 1) = other;
		}
	}
	return 0;
}

/* ---- all tables ---- */

static int merge(struct hd_nsys_reader *r, struct cursor *cursors, size_t n, struct hd_err *err)
{
	int64_t last_ns;
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		look_ahead(r, &cursors[i], NULL);
	while (!rc) {
		struct cursor *first = NULL;

		for (size_t i = 0; i < n; i++)
			if (cursors[i].n && (!first || hd_gpu_activity_before(slot(&cursors[i], 0), slot(first, 0))))
				first = &cursors[i];
		if (!first)
			break;
		last_ns = slot(first, 0)->start_ns;
		rc = r->sink->activity(r->sink->context, slot(first, 0), err);
		first->head = (first->head + 1) % REORDER_ROOM;
		first->n--;
		if (rc >= 0)
			rc = look_ahead(r, first, &last_ns);
	}
	return rc;
}

static int sort(struct hd_nsys_reader *r, struct cursor *cursors, size_t n, struct hd_err *err)
{
	struct hd_gpu_activity_sorter *o = hd_gpu_activity_sorter_new(r->sink, r->path);
	struct hd_gpu_activity a;
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		while (rc >= 0 && cursors[i].st && next_row(r, &cursors[i], &a))
			rc = hd_gpu_activity_sorter_add(o, &a, err);
	if (rc >= 0)
		rc = hd_gpu_activity_sorter_end(o, err);
	hd_gpu_activity_sorter_free(o);
	return rc;
}

/* ---- tables that consist of several sorted parts, for example the calls of one thread after those of another ---- */

/* The sorted parts of all tables, grouped by table.  `too_many`: there are more than MOST_PARTS. */
struct parts {
	struct { const struct hd_nsys_table *table; int64_t first, last; } v[MOST_PARTS];	/* rowids */
	size_t n;
	bool too_many;
};

static void add_part(struct parts *p, const struct hd_nsys_table *t, int64_t first)
{
	if (p->n && p->v[p->n - 1].table == t)
		p->v[p->n - 1].last = first - 1;
	p->too_many |= p->n == MOST_PARTS;
	if (p->n == MOST_PARTS)
		return;
	p->v[p->n].table = t;
	p->v[p->n].first = first;
	p->v[p->n++].last = INT64_MAX;
}

/*
 * Return true if rows at evenly spaced positions of the table are in order.  All rows are then usually in order;
 * look_ahead() detects exceptions.
 */
static bool seems_in_order(struct hd_nsys_reader *r, const struct hd_nsys_table *t)
{
	enum { PLACES = 256 };
	int64_t greatest = 0, last_ns = INT64_MIN;
	sqlite3_stmt *st;
	bool ordered = true;

	if (hd_sqlite_untrusted_scan(r->db, &st, t->name, t->columns, 1, "ORDER BY rowid DESC LIMIT 1") &&
	    hd_sqlite_untrusted_step(r->db, st, t->name, NULL) > 0)
		greatest = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	if (!hd_sqlite_untrusted_scan(r->db, &st, t->name, t->columns, 1, "WHERE rowid >= ?1 ORDER BY rowid LIMIT 1"))
		return true;
	for (int64_t i = 0; ordered && i < PLACES && greatest > 0; i++) {
		sqlite3_bind_int64(st, 1, (int64_t)((double)greatest / PLACES * (double)i));
		if (hd_sqlite_untrusted_step(r->db, st, t->name, NULL) > 0) {
			ordered = sqlite3_column_int64(st, HD_NSYS_START) >= last_ns;
			last_ns = sqlite3_column_int64(st, HD_NSYS_START);
		}
		sqlite3_reset(st);
	}
	sqlite3_finalize(st);
	return ordered;
}

static void find_parts(struct hd_nsys_reader *r, const struct hd_nsys_table *t, struct parts *p)
{
	int64_t last_ns = INT64_MIN, rowid = INT64_MIN;
	sqlite3_stmt *st;

	add_part(p, t, INT64_MIN);
	if ((!r->sink->again && seems_in_order(r, t)) ||
	    !hd_sqlite_untrusted_scan(r->db, &st, t->name, t->columns, 1, ""))
		return;
	while (!p->too_many && hd_sqlite_untrusted_step(r->db, st, t->name, NULL) > 0) {
		int64_t start_ns = sqlite3_column_int64(st, HD_NSYS_START), at = sqlite3_column_int64(st, 0);

		if (at <= rowid)
			break;		/* the file is damaged; next_row() will report that */
		rowid = at;
		if (start_ns < last_ns)
			add_part(p, t, at);
		last_ns = start_ns;
	}
	sqlite3_finalize(st);
}

/* Open a cursor for each sorted part of a table or, if there are too many, for each table.  Return how many. */
static size_t open_cursors(struct hd_nsys_reader *r, struct cursor *cursors, const struct parts *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct hd_nsys_table *t = p->v[i].table;

		if (p->too_many && i && p->v[i - 1].table == t)
			continue;
		cursors[n].table = t;
		if (!hd_sqlite_untrusted_scan(r->db, &cursors[n].st, t->name, t->columns, t->ncolumns,
				  p->too_many ? "" : "WHERE rowid BETWEEN ?1 AND ?2"))
			continue;
		if (!p->too_many) {
			sqlite3_bind_int64(cursors[n].st, 1, p->v[i].first);
			sqlite3_bind_int64(cursors[n].st, 2, p->v[i].last);
		}
		n++;
	}
	return n;
}

static int read_tables(struct hd_nsys_reader *r, struct hd_err *err)
{
	struct cursor *cursors = hd_new_array(struct cursor, MOST_PARTS);
	struct parts *parts = hd_new(struct parts);
	size_t n;
	int rc;

	for (size_t i = 0; i < hd_nsys_ntables; i++)
		if (hd_sqlite_untrusted_has_table(r->db, hd_nsys_tables[i].name))
			find_parts(r, &hd_nsys_tables[i], parts);
	if (parts->too_many) {
		*parts = (struct parts){ .too_many = true };
		for (size_t i = 0; i < hd_nsys_ntables; i++)
			add_part(parts, &hd_nsys_tables[i], INT64_MIN);
		parts->too_many = true;
	}
	n = open_cursors(r, cursors, parts);
	rc = parts->too_many ? sort(r, cursors, n, err) : merge(r, cursors, n, err);
	for (size_t i = 0; i < n; i++)
		sqlite3_finalize(cursors[i].st);
	free(cursors);
	free(parts);
	return rc;
}

static int check_kind(struct hd_nsys_reader *r, struct hd_err *err)
{
	if (hd_sqlite_untrusted_has_table(r->db, "META_DATA_EXPORT") ||
		hd_sqlite_untrusted_has_table(r->db, "EXPORT_META_DATA") ||
		hd_sqlite_untrusted_has_table(r->db, "StringIds"))
		return 0;
	for (size_t i = 0; i < hd_nsys_ntables; i++)
		if (hd_sqlite_untrusted_has_table(r->db, hd_nsys_tables[i].name))
			return 0;
	if (hd_sqlite_untrusted_has_table(r->db, "schema_version") && hd_sqlite_untrusted_has_table(r->db, "hotspot"))
		return hd_fail(err, HD_EFORMAT, "%s: is a hotspot database and no recording; name it with --db",
			r->path);
	return hd_fail(err, HD_EFORMAT,
		"%s: is an SQLite database, but none that Nsight Systems exported: it has no table "
		"StringIds or CUPTI_ACTIVITY_KIND_*",
		r->path);
}

static const struct hd_sqlite_untrusted_kind nsys_export = {
	.what = "an export of Nsight Systems",
	.repair = "copy it again, or export it again (nsys export --type=sqlite)",
	.limits = { .cell_bytes = MAX_CELL, .sql_bytes = MAX_SQL },
};

int hd_gpu_nsys_read(int fd, const char *path, const struct hd_gpu_sink *sink, struct hd_err *err)
{
	static const char *const string_columns[] = { "value" };
	struct hd_nsys_reader r = { .path = path, .sink = sink };
	int rc = hd_sqlite_untrusted_open(&r.db, fd, path, &nsys_export, err);

	if (rc >= 0)
		rc = check_kind(&r, err);
	if (rc >= 0 && hd_sqlite_untrusted_lacks_wal(r.db)) {
		struct hd_buf fix = { 0 };

		hd_buf_adds(&fix, "sqlite3 ");
		hd_enc_shell(&fix, path);
		hd_buf_adds(&fix, " 'PRAGMA wal_checkpoint(TRUNCATE)'");
		hd_warn(sink->log, "lost.gpu-wal", fix.data,
			"%s: rows that are only in its write-ahead log, %s-wal, are not read", path, path);
		hd_buf_release(&fix);
	}
	if (rc >= 0) {
		r.other_range = hd_strtab_add(sink->dict->names, "[range]");
		hd_sqlite_untrusted_scan(r.db, &r.strings, "StringIds", string_columns, 1, "WHERE id = ?1");
		hd_nsys_describe(&r);
		rc = read_tables(&r, err);
	}
	sqlite3_finalize(r.strings);
	for (int i = 0; i < HD_NSYS_NAME_USES; i++)
		hd_map_release(&r.names[i]);
	hd_map_release(&r.stacks);
	hd_sqlite_untrusted_close(r.db);
	return rc;
}
