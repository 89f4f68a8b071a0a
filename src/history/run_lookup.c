/*
 * run_lookup.c - see run_lookup.h
 */
#include "history/run_lookup.h"

#include "base/encode.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* ---- hints for misspelt names ---- */

static void try_rows(struct hd_nearest *n, struct hd_db *db, const char *sql)
{
	struct hd_db_rows r;
	int rc = hd_db_query(&r, db, NULL, sql, "");

	while (rc >= 0 && (rc = hd_db_next(&r, NULL)) > 0) {
		char *name = hd_col_text(&r, 0);

		if (name)
			hd_nearest_try(n, name);
		free(name);
	}
	hd_db_end(&r);
}

void hd_run_lookup_suggest_targets(struct hd_nearest *n, struct hd_db *db)
{
	try_rows(n, db, "SELECT DISTINCT target FROM run ORDER BY target");
}

void hd_run_lookup_suggest_symbols(struct hd_nearest *n, struct hd_db *db)
{
	try_rows(n, db, "SELECT DISTINCT normal FROM symbol WHERE normal IS NOT NULL ORDER BY normal");
}

/* ---- one run by its name ---- */

static int find_latest(struct hd_db *db, const char *target, int64_t *row, struct hd_err *err)
{
	char *v = hd_enc_visible_new(target);
	int rc;

	if (target)
		rc = hd_db_query_int(db, row, 0, err,
			"SELECT id FROM run WHERE target = $1 ORDER BY recorded_utc DESC, id DESC LIMIT 1", "t", v);
	else
		rc = hd_db_query_int(db, row, 0, err, "SELECT id FROM run ORDER BY recorded_utc DESC, id DESC LIMIT 1",
			"");
	free(v);
	if (rc >= 0 && !*row && target) {
		struct hd_nearest n = hd_nearest_to(target);

		hd_run_lookup_suggest_targets(&n, db);
		return hd_fail(err, HD_ENOBASE, "%s: no run of target '%s' yet%s", hd_db_name(db), target,
			hd_nearest_hint(&n));
	}
	if (rc >= 0 && !*row)
		return hd_fail(err, HD_ENOBASE, "%s: no run yet; see 'hotdrift add --help'",
			hd_db_name(db));
	return rc;
}

/* Run a query for ids; set *row and return how many there are (0, 1, or 2 for more than one); < 0 on error. */
static int find_one(struct hd_db *db, const char *sql, const char *text, int64_t *row, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc, n = 0;

	rc = hd_db_query(&r, db, err, sql, "t", text);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0 && n < 2) {
		*row = hd_col_int(&r, 0);
		n++;
	}
	hd_db_end(&r);
	return rc < 0 ? rc : n;
}

/*
 * The query for the runs of which a column begins with $1.  A server with the collation C looks the pattern up in the
 * index of the column.  A pattern matches more than the text if the text has wildcards, so SUBSTR decides.
 */
#define BEGINS(column)                                                                                                 \
	"SELECT id FROM run WHERE " column " LIKE $1 || '%' AND SUBSTR(" column ", 1, LENGTH($1)) = $1 LIMIT 2"

static bool is_hex(const char *s)
{
	return !s[strspn(s, "0123456789abcdef")];
}

static int find_named(struct hd_db *db, const char *spec, int64_t *row, struct hd_err *err)
{
	int n = find_one(db, "SELECT id FROM run WHERE run_id = $1", spec, row, err);

	if (n == 0 && strlen(spec) >= 4)
		n = find_one(db, BEGINS("run_id"), spec, row, err);
	if (n == 0 && strlen(spec) >= 4 && is_hex(spec))
		n = find_one(db, BEGINS("run_hash"), spec, row, err);
	if (n < 0 || n == 1)
		return n < 0 ? n : 0;
	if (n > 1)
		return hd_fail(err, HD_EFORMAT,
			"%s: '%s' begins the name of more than one run; 'hotdrift log' lists them", hd_db_name(db),
			spec);
	return hd_fail(err, HD_EFORMAT, "%s has no run '%s'; 'hotdrift log' lists its runs", hd_db_name(db), spec);
}

/* ---- NAME~N: the Nth run before a run ---- */

/* Remove `~N` from the end of spec; *steps is 0 if there is none. */
static int cut_steps(char *spec, int64_t *steps, struct hd_err *err)
{
	char *tilde = strrchr(spec, '~'), *end;

	*steps = 0;
	if (!tilde)
		return 0;
	if (tilde[1] < '0' || tilde[1] > '9' || strlen(tilde + 1) > 9)
		return hd_fail(err, HD_EFORMAT, "'%s': a number must follow the '~'", spec);
	*steps = strtoll(tilde + 1, &end, 10);
	if (*end)
		return hd_fail(err, HD_EFORMAT, "'%s': a number must follow the '~'", spec);
	*tilde = '\0';
	return 0;
}

static int step_back(struct hd_db *db, const char *spec, bool any_target, int64_t steps, int64_t *row,
	struct hd_err *err)
{
	int64_t from = *row;
	int rc;

	rc = hd_db_query_int(db, row, 0, err,
		"SELECT o.id FROM run r JOIN run o ON (o.recorded_utc < r.recorded_utc OR (o.recorded_utc = "
		"r.recorded_utc AND o.id < r.id)) AND ($2 = 1 OR o.target = r.target) WHERE r.id = $1 ORDER BY "
		"o.recorded_utc DESC, o.id DESC LIMIT 1 OFFSET $3",
		"iii", from, (int64_t)any_target, steps - 1);
	if (rc >= 0 && !*row)
		return steps == 1 ? hd_fail(err, HD_ENOBASE, "%s: there is no run before '%s'", hd_db_name(db), spec)
				  : hd_fail(err, HD_ENOBASE, "%s: there are fewer than %lld runs before '%s'",
					    hd_db_name(db), (long long)steps, spec);
	return rc;
}

int hd_run_lookup(struct hd_db *db, const char *spec, int64_t *row, struct hd_err *err)
{
	char *name = hd_strdup(spec);
	bool latest, any = false;
	int64_t steps;
	int rc;

	rc = cut_steps(name, &steps, err);
	if (rc < 0)
		goto out;
	any = !strcmp(name, "latest");
	latest = any || !strncmp(name, "latest:", 7);
	rc = latest ? find_latest(db, any ? NULL : name + 7, row, err) : find_named(db, name, row, err);
	if (rc >= 0 && steps)
		rc = step_back(db, name, any, steps, row, err);
out:
	free(name);
	return rc;
}

int hd_run_lookup_id(struct hd_db *db, int64_t row, char **id, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc;

	*id = NULL;
	rc = hd_db_query(&r, db, err, "SELECT run_id FROM run WHERE id = $1", "i", row);
	if (rc >= 0)
		rc = hd_db_next(&r, err);
	if (rc > 0)
		*id = hd_col_text(&r, 0);
	hd_db_end(&r);
	return rc < 0 ? rc : 0;
}

int hd_run_lookup_previous(struct hd_db *db, const struct hd_stored_run *p, size_t event, int64_t *row,
	struct hd_err *err)
{
	const struct hd_stored_event *e = &p->events[event];
	char *name = hd_enc_visible_new(e->name), *unit = hd_enc_visible_new(e->unit);
	int rc;

	rc = hd_db_query_int(db, row, 0, err,
		"SELECT o.id FROM run r JOIN run o ON o.target = r.target AND o.mode = r.mode AND o.inline_mode = "
		"r.inline_mode AND o.status = 'ok' AND (o.recorded_utc < r.recorded_utc OR (o.recorded_utc = "
		"r.recorded_utc AND o.id < r.id)) LEFT JOIN machine rm ON rm.id = r.machine_id LEFT JOIN machine om ON "
		"om.id = o.machine_id JOIN event e ON e.run_id = o.id AND e.name = $2 AND e.unit = $3 WHERE r.id = $1 "
		"AND COALESCE(r.selection, '') = COALESCE(o.selection, '') AND COALESCE(rm.fingerprint, '') = "
		"COALESCE(om.fingerprint, '') ORDER BY o.recorded_utc DESC, o.id DESC LIMIT 1",
		"itt", p->row, name, unit);
	free(name);
	free(unit);
	return rc;
}

int hd_run_lookup_list(struct hd_db *db, const char *target, unsigned limit, int64_t **rows, size_t *n,
	struct hd_err *err)
{
	int64_t most = limit ? (int64_t)limit : INT64_MAX;
	char *v = hd_enc_visible_new(target);
	struct hd_db_rows r;
	size_t cap = 0;
	int rc;

	*rows = NULL;
	*n = 0;
	if (target)
		rc = hd_db_query(&r, db, err,
			"SELECT id FROM run WHERE target = $1 ORDER BY recorded_utc DESC, id DESC LIMIT $2", "ti", v,
			most);
	else
		rc = hd_db_query(&r, db, err, "SELECT id FROM run ORDER BY recorded_utc DESC, id DESC LIMIT $1", "i",
			most);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		HD_GROW(*rows, *n + 1, cap);
		(*rows)[(*n)++] = hd_col_int(&r, 0);
	}
	hd_db_end(&r);
	free(v);
	return rc;
}
