/*
 * pg_combine.c - send several statements of the program to a PostgreSQL server as one
 *
 * The server parses, plans and logs each statement, so few large ones cost less than many small ones.  Statements are
 * collected until a result is needed or a statement of another kind follows:
 *
 *     WITH s0 AS (INSERT ...) INSERT ...				INSERTs that read no table, and statements of
 *									hd_db_set_independent()
 *     SELECT 0, hd_row FROM (query 0) hd_row UNION ALL			queries that were started before the first row
 *         SELECT 1, hd_row FROM (query 1) hd_row			of one of them is read
 *
 * A row of the second form is the number of the query and a record, which has the columns of that query.  It is
 * received in binary, which has the type of each column (pg_records.c).
 *
 * The statements that become one are its parts.  All parts see the same state of the database.
 *
 * CockroachDB cannot unite records of different types, so statements are sent one by one to it.
 */
#include "db/pg.h"

#ifdef HAVE_LIBPQ

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAX_PARTS = 64,
	MAX_VALUES = 60000,		/* the protocol allows 65,535 */
	MAX_BYTES = 16 << 20,		/* limit for the size of all collected values */
};

static bool begins_with(const char *sql, const char *word)
{
	return !strncmp(sql, word, strlen(word));
}

/* Return how the statement can be combined.  keep: its rows are needed. */
static enum hd_pg_kind kind_of(const struct hd_pg *db, const char *sql, bool keep)
{
	if (db->pq.parameterStatus(db->conn, "crdb_version"))
		return HD_PG_SINGLE;
	if (keep)
		return begins_with(sql, "SELECT ") || begins_with(sql, "WITH ") ? HD_PG_QUERY : HD_PG_SINGLE;
	/* Do not combine an INSERT that contains a SELECT: it would not see the rows that the other parts insert. */
	return db->head.independent || (begins_with(sql, "INSERT INTO ") && !strstr(sql, "SELECT ")) ? HD_PG_WRITE
												   : HD_PG_SINGLE;
}

/* Append `sql` with `offset` added to the numbers of its values. */
static void add_sql(struct hd_buf *out, const char *sql, int offset)
{
	size_t n;

	while (sql[n = strcspn(sql, "$")]) {
		char *end;

		hd_buf_add(out, sql, n + 1);
		hd_buf_addu(out, strtoul(sql + n + 1, &end, 10) + (unsigned long)offset);
		sql = end;
	}
	hd_buf_add(out, sql, n);
}

static void add_part(struct hd_buf *sql, const struct hd_pg *db, size_t i, int offset)
{
	bool is_query = db->kind == HD_PG_QUERY, is_last = i + 1 == db->nparts;

	if (is_query)
		hd_buf_addf(sql, "%sSELECT %zu, hd_row FROM (", i ? " UNION ALL " : "", i);
	else if (!is_last)
		hd_buf_addf(sql, "%s s%zu AS (", i ? "," : "WITH", i);
	else
		hd_buf_addc(sql, ' ');
	add_sql(sql, db->parts[i].sql, offset);
	hd_buf_adds(sql, is_query ? ") hd_row" : is_last ? "" : ")");
}

/* Return the results that the parts share, to be received later; NULL if no part needs a result. */
static struct hd_pg_results *results_of(const struct hd_pg *db)
{
	struct hd_pg_results *all;

	if (db->kind != HD_PG_QUERY)
		return NULL;
	all = hd_new(struct hd_pg_results);
	all->n = db->nparts;
	all->members = hd_new_array(struct hd_pg_stmt *, all->n);
	for (size_t i = 0; i < all->n; i++)
		all->members[i] = db->parts[i].st;
	return all;
}

static int send_parts(struct hd_pg *db, const struct hd_pg_value *values, int n, struct hd_err *err)
{
	struct hd_pg_part *only = db->nparts == 1 ? &db->parts[0] : NULL;
	struct hd_pg_results *all;
	struct hd_buf sql = { 0 };
	int rc, offset = 0;

	if (only)
		return hd_pg_send_values(db, only->sql, values, n, only->st, NULL, err);
	for (size_t i = 0; i < db->nparts; i++) {
		add_part(&sql, db, i, offset);
		offset += db->parts[i].nvalues;
	}
	all = results_of(db);
	rc = hd_pg_send_values(db, hd_buf_str(&sql), values, n, NULL, all, err);
	if (rc < 0)
		hd_pg_results_drop(all);
	hd_buf_release(&sql);
	return rc;
}

static void clear_parts(struct hd_pg *db)
{
	for (size_t i = 0; i < db->nparts; i++)
		free(db->parts[i].sql);
	for (int i = 0; i < db->nvalues; i++)
		free(db->values[i].bytes);
	db->nparts = 0;
	db->nvalues = 0;
	db->part_bytes = 0;
}

int hd_pg_send_collected(struct hd_pg *db, struct hd_err *err)
{
	int rc;

	if (!db->nparts)
		return 0;
	rc = send_parts(db, db->values, db->nvalues, err);
	for (size_t i = 0; i < db->nparts && rc < 0; i++)
		if (db->parts[i].st)
			db->parts[i].st->sent = false;
	clear_parts(db);
	return rc;
}

/* Move the values of the statement to those that are collected. */
static void take_values(struct hd_pg *db, struct hd_pg_stmt *st)
{
	HD_GROW(db->values, (size_t)(db->nvalues + st->nvalues), db->values_cap);
	for (int i = 0; i < st->nvalues; i++) {
		db->values[db->nvalues++] = st->values[i];
		db->part_bytes += st->values[i].n;
	}
	st->nvalues = 0;
}

int hd_pg_collect(struct hd_pg_stmt *st, bool keep, struct hd_err *err)
{
	struct hd_pg *db = hd_pg_of(st);
	enum hd_pg_kind kind = kind_of(db, st->text, keep);
	bool full = db->nparts == MAX_PARTS || db->part_bytes > MAX_BYTES || db->nvalues + st->nvalues > MAX_VALUES;
	int rc = full || kind != db->kind ? hd_pg_send_collected(db, err) : 0;

	if (rc < 0)
		return rc;
	db->kind = kind;
	HD_GROW(db->parts, db->nparts + 1, db->parts_cap);
	db->parts[db->nparts++] = (struct hd_pg_part){ keep ? st : NULL, hd_strdup(st->text), st->nvalues };
	take_values(db, st);
	st->sent = keep;
	return kind == HD_PG_SINGLE ? hd_pg_send_collected(db, err) : 0;
}

/* All statements were freed before, so no shared result has a user. */
void hd_pg_combine_free(struct hd_pg *db)
{
	clear_parts(db);
	for (size_t i = 0; i < db->nsent; i++)
		hd_pg_results_drop(db->sent[i].shared);
	free(db->parts);
	free(db->values);
}

/* ---- the result that several statements share ---- */

void hd_pg_results_drop(struct hd_pg_results *all)
{
	if (!all || all->users)
		return;
	free(all->members);
	free(all->rows);
	free(all->first);
	free(all);
}

void hd_pg_results_leave(struct hd_pg_stmt *st)
{
	struct hd_pg_results *all = st->shared;

	st->shared = NULL;
	if (!all || --all->users)
		return;
	hd_pg_of(st)->pq.clear(all->res);
	hd_pg_results_drop(all);
}

/* Return the number of the query of a row; all->n if there is no query with the number that the server sent. */
static size_t part_of(const struct hd_pg *db, const struct hd_pg_results *all, int row)
{
	const uint8_t *p = (const uint8_t *)db->pq.getvalue(all->res, row, 0);
	uint32_t part;

	if (db->pq.getlength(all->res, row, 0) != 4)
		return all->n;
	part = (uint32_t)hd_pg_number(p, 4);
	return part < all->n ? part : all->n;
}

/* Set `rows` and `first` of the result: sort its rows by query, because the server may mix those of several queries. */
static void list_rows(const struct hd_pg *db, struct hd_pg_results *all)
{
	int n = db->pq.ntuples(all->res);
	int *next = hd_new_array(int, all->n + 1);

	all->first = hd_new_array(int, all->n + 2);
	all->rows = hd_new_array(int, n + 1);
	for (int i = 0; i < n; i++)
		all->first[part_of(db, all, i) + 1]++;
	for (size_t k = 0; k <= all->n; k++) {
		all->first[k + 1] += all->first[k];
		next[k] = all->first[k];
	}
	for (int i = 0; i < n; i++)
		all->rows[next[part_of(db, all, i)]++] = i;
	free(next);
}

void hd_pg_results_set(struct hd_pg *db, struct hd_pg_results *all, PGresult *res)
{
	all->res = res;
	if (res)
		list_rows(db, all);
	for (size_t i = 0; i < all->n; i++) {
		struct hd_pg_stmt *st = all->members[i];

		if (!st)
			continue;
		st->sent = false;
		if (!res)
			continue;
		st->shared = all;
		st->part = i;
		all->users++;
	}
	if (all->users)
		return;
	db->pq.clear(res);
	hd_pg_results_drop(all);
}

#endif
