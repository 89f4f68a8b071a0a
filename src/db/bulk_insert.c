/*
 * bulk_insert.c - insert many rows, or look up many keys, with one statement: see db.h
 */
#include "base/mem.h"
#include "db/backend.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Append ($1, $2), ($3, $4), ... */
static void add_places(struct hd_buf *sql, unsigned rows, int columns)
{
	unsigned long place = 1;

	for (unsigned i = 0; i < rows; i++) {
		hd_buf_adds(sql, i ? ", (" : "(");
		for (int k = 0; k < columns; k++) {
			hd_buf_adds(sql, k ? ", $" : "$");
			hd_buf_addu(sql, place++);
		}
		hd_buf_addc(sql, ')');
	}
}

/*
 * Return the INSERT statement for `rows` rows, which the caller frees.  VALUES precede ON CONFLICT ... at the end of
 * m->insert.
 */
static char *text_of(const struct hd_db_bulk *m, unsigned rows)
{
	const char *end = strstr(m->insert, " ON CONFLICT");
	struct hd_buf sql = { 0 };

	if (!end)
		end = m->insert + strlen(m->insert);
	hd_buf_add(&sql, m->insert, (size_t)(end - m->insert));
	hd_buf_adds(&sql, " VALUES ");
	add_places(&sql, rows, m->columns);
	hd_buf_adds(&sql, end);
	return hd_buf_take(&sql);
}

struct hd_db_bulk hd_db_bulk_into(struct hd_db *db, const char *insert)
{
	struct hd_db_bulk m = { .db = db, .insert = insert, .columns = 1 };

	for (const char *c = insert; *c; c++)
		m.columns += *c == ',';
	return m;
}

/* Get the statement from the cache, or create and cache it. */
static int begin(struct hd_db_bulk *m, struct hd_err *err)
{
	const struct hd_backend *be = m->db->be;
	char *sql;
	int rc;

	m->stmt = hd_db_cached_stmt(m->db, m->insert);
	if (!m->stmt && be->rows_at_once > 1) {
		rc = be->collect(m->db, &m->stmt, err);
	} else if (!m->stmt) {
		sql = text_of(m, 1);
		rc = be->prepare(m->db, &m->stmt, sql, false, err);
		free(sql);
	} else {
		m->stmt->busy = true;
		return 0;
	}
	if (rc < 0) {
		m->stmt = NULL;
		return rc;
	}
	hd_db_cache_stmt(m->db, m->stmt, m->insert);
	m->stmt->busy = true;
	return 0;
}

static int send(struct hd_db_bulk *m, struct hd_err *err)
{
	const struct hd_backend *be = m->db->be;
	int rc;

	if (be->rows_at_once > 1)
		be->set_sql(m->stmt, text_of(m, m->rows));
	rc = be->perform(m->stmt, err);
	be->reset(m->stmt);
	m->rows = 0;
	m->stmt->busy = rc >= 0;
	if (rc < 0)
		m->stmt = NULL;
	return rc;
}

static int added(struct hd_db_bulk *m, struct hd_err *err)
{
	return ++m->rows < m->db->be->rows_at_once ? 0 : send(m, err);
}

int hd_db_bulk_add(struct hd_db_bulk *m, struct hd_err *err, const char *types, ...)
{
	int rc = m->stmt ? 0 : begin(m, err), next;
	va_list ap;

	if (rc < 0)
		return rc;
	va_start(ap, types);
	next = hd_db_bind(m->stmt, 1 + (int)m->rows * m->columns, types, ap);
	va_end(ap);
	assert(next == 1 + ((int)m->rows + 1) * m->columns);
	(void)next;
	return added(m, err);
}

int hd_db_bulk_copy(struct hd_db_bulk *m, struct hd_err *err, const int64_t *numbers, int n,
	const struct hd_db_rows *row, int column)
{
	int rc = m->stmt ? 0 : begin(m, err);

	if (rc < 0)
		return rc;
	assert(n + hd_col_count(row) - column == m->columns);
	hd_db_bind_copy(m->stmt, 1 + (int)m->rows * m->columns, numbers, n, row, column);
	return added(m, err);
}

int hd_db_bulk_end(struct hd_db_bulk *m, int rc, struct hd_err *err)
{
	if (rc >= 0 && m->rows)
		rc = send(m, err);
	if (m->stmt)
		m->db->be->reset(m->stmt);
	m->stmt = NULL;
	m->rows = 0;
	return rc < 0 ? rc : 0;
}

size_t hd_db_portion(const struct hd_db *db, size_t most)
{
	return db->be->rows_at_once > 1 ? most : 1;
}

size_t hd_db_list_size(const struct hd_db *db)
{
	return hd_db_portion(db, HD_DB_LIST_MAX);
}

/*
 * Prepare the query `sql` for a list of n texts.  Lists of one text are frequent on SQLite, so the statement for them
 * is cached.
 */
static int prepare_list(struct hd_stmt **out, struct hd_db *db, const char *sql, size_t n, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	int rc;

	*out = n == 1 ? hd_db_cached_stmt(db, sql) : NULL;
	if (*out)
		return 0;
	hd_buf_adds(&text, sql);
	hd_buf_addc(&text, ' ');
	add_places(&text, 1, (int)n);
	rc = db->be->prepare(db, out, text.data, false, err);
	hd_buf_release(&text);
	if (rc < 0)
		*out = NULL;
	else if (n == 1)
		hd_db_cache_stmt(db, *out, sql);
	return rc;
}

int hd_db_query_list(struct hd_db_rows *r, struct hd_db *db, struct hd_err *err, const char *sql,
	const char *const *texts, size_t n)
{
	int rc = prepare_list(&r->stmt, db, sql, n, err);

	if (rc < 0)
		return rc;
	r->stmt->busy = true;
	for (size_t i = 0; i < n; i++)
		db->be->bind_text(r->stmt, (int)i + 1, texts[i], strlen(texts[i]));
	return hd_db_start(r, err);
}
