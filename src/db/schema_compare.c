/*
 * schema_compare.c - compare the schema of a database with the expected one: see schema.h
 */
#include "db/schema.h"

#include "base/mem.h"

#include <ctype.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

static const char *after(const char *at, const char *mark, size_t skip)
{
	const char *end = strstr(at + skip, mark);

	return end ? end + strlen(mark) : at + strlen(at);
}

/* Return the end of the token at c if it is in quotes: a string, or a name in "", [] or ``.  Otherwise NULL. */
static const char *quoted_end(const char *c)
{
	const char quote[] = { *c == '[' ? ']' : *c, '\0' }, *end;

	if (!strchr("'\"`[", *c))
		return NULL;
	/* A quote that is written twice belongs to the token. */
	for (end = after(c, quote, 1); *c != '[' && *end == *quote; end = after(end, quote, 1))
		;
	return end;
}

/*
 * Return true if the token from c to `end`, a name in quotes, means the same without them.  A keyword does not: in
 * `TEXT "NOT" NULL`, NOT is part of the type, and NULL is allowed.
 */
static bool needs_no_quotes(const char *c, const char *end)
{
	if (*c == '\'' || end - c < 3 || isdigit((unsigned char)c[1]) ||
		sqlite3_keyword_check(c + 1, (int)(end - c - 2)))
		return false;
	for (const char *at = c + 1; at < end - 1; at++)
		if (!in_word(*at))
			return false;
	return true;
}

/*
 * Copy a statement without comments, quotes around plain names, and blanks that separate no words.  Versions of SQLite
 * differ in these.
 */
static char *plain(const char *sql)
{
	struct hd_buf out = { 0 };
	bool divided = false, bare;

	for (const char *c = sql, *end, *quoted; *c; c = end) {
		end = c + 1;
		if (!strncmp(c, "--", 2) || (c[0] == '/' && c[1] == '*') || isspace((unsigned char)*c)) {
			end = *c == '-' ? after(c, "\n", 0) : *c == '/' ? after(c, "*/", 2) : end;
			divided = true;
			continue;
		}
		quoted = quoted_end(c);
		end = quoted ? quoted : end;
		bare = quoted && needs_no_quotes(c, end);
		divided = divided || bare;
		if (divided && out.len && in_word(out.data[out.len - 1]) && in_word(c[bare]))
			hd_buf_addc(&out, ' ');
		hd_buf_add(&out, c + bare, (size_t)(end - c) - 2 * bare);
		divided = bare;
	}
	return hd_buf_take(&out);
}

struct object {
	char *type, *name, *table, *sql;
};

/* Read the next object of a schema.  Returns 1; 0 at the end; < 0 on error. */
static int next_object(struct hd_db_rows *r, struct object *o, struct hd_err *err)
{
	int rc = hd_db_next(r, err);
	char *sql;

	*o = (struct object){ 0 };
	if (rc <= 0)
		return rc;
	o->type = hd_col_text(r, 0);
	o->name = hd_col_text(r, 1);
	o->table = hd_col_text(r, 2);
	sql = hd_col_text(r, 3);
	o->sql = plain(sql ? sql : "");
	free(sql);
	return 1;
}

static void release(struct object *o)
{
	free(o->type);
	free(o->name);
	free(o->table);
	free(o->sql);
	*o = (struct object){ 0 };
}

static int order(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int by_name(const struct object *a, const struct object *b)
{
	int by = order(a->type, b->type);

	return by ? by : order(a->name, b->name);
}

/* Walk both schemas in the order of type and name. */
int hd_schema_compare(struct hd_db *db, const char *objects, struct hd_db *expected, const char *wanted,
	struct hd_err *err)
{
	struct hd_db_rows rhave = { 0 }, rwant = { 0 };
	struct object have = { 0 }, want = { 0 };
	int h = hd_db_query(&rhave, db, err, objects, ""),
	    w = h < 0 ? h : hd_db_query(&rwant, expected, err, wanted, ""), rc = w < 0 ? w : 0;

	if (rc >= 0)
		rc = h = next_object(&rhave, &have, err);
	if (rc >= 0)
		rc = w = next_object(&rwant, &want, err);
	while (rc >= 0 && (h > 0 || w > 0)) {
		int by = !h ? 1 : !w ? -1 : by_name(&have, &want);

		if (by < 0)
			rc = hd_fail(err, HD_ENO, "%s: its schema has the %s '%.80s', which hotdrift does not make",
				hd_db_name(db), have.type ? have.type : "object", have.name ? have.name : "");
		else if (by > 0)
			rc = hd_fail(err, HD_ENO, "%s: its schema lacks the %s %s", hd_db_name(db), want.type,
				want.name);
		else if (order(have.table, want.table) || order(have.sql, want.sql))
			rc = hd_fail(err, HD_ENO, "%s: the definition of the %s %s was changed", hd_db_name(db),
				want.type, want.name);
		release(&have);
		release(&want);
		if (rc >= 0)
			rc = h = next_object(&rhave, &have, err);
		if (rc >= 0)
			rc = w = next_object(&rwant, &want, err);
	}
	release(&have);
	release(&want);
	hd_db_end(&rhave);
	hd_db_end(&rwant);
	return rc < 0 ? rc : 0;
}
