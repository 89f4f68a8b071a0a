/*
 * stored_function.c - see stored_function.h
 */
#include "history/stored_function.h"

#include "base/encode.h"
#include "base/mem.h"
#include "base/symbol_name.h"
#include "history/run_lookup.h"

#include <stdlib.h>
#include <string.h>

struct found {
	struct hd_stored_function *items;
	size_t n, cap;
};

static void found_release(struct found *f)
{
	for (size_t i = 0; i < f->n; i++)
		hd_stored_function_release(&f->items[i]);
	free(f->items);
	*f = (struct found){ 0 };
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/*
 * Group rows (id, object, object_raw, normal, normal_raw) by function.  Rows of other objects than `object` (NULL: any)
 * are skipped.
 */
static int take(struct found *f, struct hd_db_rows *r, int rc, const char *object, struct hd_err *err)
{
	while (rc >= 0 && (rc = hd_db_next(r, err)) > 0) {
		char *of = hd_col_raw_name(r, 1), *name = hd_col_raw_name(r, 3);
		struct hd_stored_function *x = NULL;

		if (!name || (object && !same(object, of))) {
			free(of);
			free(name);
			continue;
		}
		for (size_t i = 0; i < f->n && !x; i++)
			if (same(f->items[i].object, of) && same(f->items[i].name, name))
				x = &f->items[i];
		if (!x) {
			HD_GROW(f->items, f->n + 1, f->cap);
			x = &f->items[f->n++];
			*x = (struct hd_stored_function){ .object = of, .name = name };
		} else {
			free(of);
			free(name);
		}
		HD_GROW(x->ids, x->n + 1, x->cap);
		x->ids[x->n++] = hd_col_int(r, 0);
	}
	hd_db_end(r);
	return rc < 0 ? rc : 0;
}

static int by_normal(struct found *f, struct hd_db *db, const char *v, const char *object, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc = hd_db_query(&r, db, err,
		"SELECT id, object, object_raw, normal, normal_raw FROM symbol WHERE SUBSTR(normal, 1, 256) = "
		"SUBSTR($1, 1, 256) AND normal = $1 AND linkage IS NOT NULL ORDER BY object, id",
		"t", v);

	return take(f, &r, rc, object, err);
}

/* Find the functions with this displayed or linkage name, with all their symbols. */
static int by_other_name(struct found *f, struct hd_db *db, const char *v, const char *object, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc = hd_db_query(&r, db, err,
		"SELECT DISTINCT a.id, a.object, a.object_raw, a.normal, a.normal_raw FROM symbol b JOIN symbol a ON "
		"SUBSTR(a.normal, 1, 256) = SUBSTR(b.normal, 1, 256) AND a.normal = b.normal AND COALESCE(a.object, "
		"'') = COALESCE(b.object, '') WHERE (b.name = $1 OR b.linkage = $1) AND a.linkage IS NOT NULL ORDER BY "
		"a.object, a.id",
		"t", v);

	return take(f, &r, rc, object, err);
}

static void list(struct hd_buf *out, const struct found *f, bool objects)
{
	for (size_t i = 0; i < f->n && i < HD_STORED_FUNCTION_LISTED && out->len < 600; i++) {
		const struct hd_stored_function *x = &f->items[i];

		hd_buf_addf(out, "%s%s", i ? ", " : "", objects ? x->object ? x->object : "(none)" : x->name);
	}
}

/* Find the functions of up to 20 symbols whose normalised name contains the text, without regard to case. */
static int like(struct found *f, struct hd_db *db, const char *v, struct hd_err *err)
{
	struct hd_db_rows r;
	struct hd_buf pattern = { 0 };
	int rc;

	hd_buf_addc(&pattern, '%');
	for (const char *c = v; *c; c++) {
		if (strchr("%_!", *c))
			hd_buf_addc(&pattern, '!');
		hd_buf_addc(&pattern, *c);
	}
	hd_buf_addc(&pattern, '%');
	rc = hd_db_query(&r, db, err,
		"SELECT id, object, object_raw, normal, normal_raw FROM symbol WHERE LOWER(normal) LIKE LOWER($1) "
		"ESCAPE '!' AND linkage IS NOT NULL ORDER BY LENGTH(normal), normal, id LIMIT 20",
		"t", pattern.data);
	hd_buf_release(&pattern);
	return take(f, &r, rc, NULL, err);
}

static int no_such_symbol(struct hd_db *db, const char *name, struct hd_err *err)
{
	struct hd_nearest n = hd_nearest_to(name);

	hd_run_lookup_suggest_symbols(&n, db);
	return hd_fail(err, HD_EFORMAT,
		"%s: no symbol '%s', and none whose name contains it%s%s 'hotdrift history' lists the costliest",
		hd_db_name(db), name, hd_nearest_hint(&n), n.best[0] ? "" : ";");
}

int hd_stored_function_find(struct hd_stored_function *out, struct hd_db *db, const char *name, const char *object,
	struct hd_err *err)
{
	struct found f = { 0 };
	struct hd_buf v = { 0 }, text = { 0 };
	char *normal = hd_symbol_name_normalize(name);
	int rc;

	*out = (struct hd_stored_function){ 0 };
	hd_enc_visible(&v, name, strlen(name));
	rc = by_normal(&f, db, hd_buf_str(&v), object, err);
	if (rc >= 0 && !f.n)
		rc = by_other_name(&f, db, hd_buf_str(&v), object, err);
	if (rc >= 0 && !f.n && strcmp(normal, name)) {
		hd_buf_reset(&v);
		hd_enc_visible(&v, normal, strlen(normal));
		rc = by_normal(&f, db, hd_buf_str(&v), object, err);
	}
	if (rc >= 0 && f.n == 1) {
		*out = f.items[0];
		f.items[0] = (struct hd_stored_function){ 0 };
	} else if (rc >= 0 && f.n > 1) {
		list(&text, &f, true);
		rc = hd_fail(err, HD_EFORMAT, "%s: '%s' is in several objects (%s); select one with --object NAME",
			hd_db_name(db), name, hd_buf_str(&text));
	} else if (rc >= 0) {
		rc = like(&f, db, hd_buf_str(&v), err);
		list(&text, &f, false);
		if (rc >= 0 && f.n)
			rc = hd_fail(err, HD_EFORMAT, "%s: no symbol '%s'%s%s; there are: %s", hd_db_name(db), name,
				object ? " in " : "", object ? object : "", hd_buf_str(&text));
		else if (rc >= 0)
			rc = no_such_symbol(db, name, err);
	}
	found_release(&f);
	hd_buf_release(&v);
	hd_buf_release(&text);
	free(normal);
	return rc < 0 ? rc : 0;
}

void hd_stored_function_release(struct hd_stored_function *f)
{
	free(f->object);
	free(f->name);
	free(f->ids);
	*f = (struct hd_stored_function){ 0 };
}
