/*
 * config_diff.c - see config_diff.h
 */
#include "history/config_diff.h"

#include "base/encode.h"
#include "base/json.h"
#include "base/mem.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- values as text ---- */

/* Append canonical JSON.  Recursive; json.h limits the depth. */
static void put(struct hd_buf *out, const struct hd_json *v)
{
	const char *s;
	size_t n;

	switch (hd_json_kind(v)) {
	case HD_JSON_NULL:
		hd_buf_adds(out, "null");
		break;
	case HD_JSON_BOOL:
		hd_buf_adds(out, hd_json_bool(v) ? "true" : "false");
		break;
	case HD_JSON_NUMBER:
		hd_buf_adds(out, hd_json_number(v));
		break;
	case HD_JSON_STRING:
		s = hd_json_string(v, &n);
		hd_enc_json_canonical(out, s, n);
		break;
	case HD_JSON_ARRAY:
		hd_buf_addc(out, '[');
		for (size_t i = 0; i < hd_json_count(v); i++) {
			hd_buf_adds(out, i ? "," : "");
			put(out, hd_json_at(v, i));
		}
		hd_buf_addc(out, ']');
		break;
	case HD_JSON_OBJECT:
		hd_buf_addc(out, '{');
		for (size_t i = 0; i < hd_json_count(v); i++) {
			const struct hd_json *member = hd_json_member(v, i, &s, &n);

			hd_buf_adds(out, i ? "," : "");
			hd_enc_json_canonical(out, s, n);
			hd_buf_addc(out, ':');
			put(out, member);
		}
		hd_buf_addc(out, '}');
		break;
	}
}

static char *text_of(const struct hd_json *v)
{
	struct hd_buf out = { 0 };

	if (!v)
		return NULL;
	put(&out, v);
	return hd_buf_take(&out);
}

/* ---- comparing ---- */

static void add(struct hd_config_diff *diff, const struct hd_buf *path, const struct hd_json *a,
	const struct hd_json *b)
{
	char *ta = text_of(a), *tb = text_of(b);

	if (ta && tb && !strcmp(ta, tb)) {
		free(ta);
		free(tb);
		return;
	}
	HD_GROW(diff->items, diff->n + 1, diff->cap);
	diff->items[diff->n++] = (struct hd_config_field){ hd_strdup(hd_buf_str(path)), ta, tb };
}

static bool is_word(const char *key, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)key[i]) && key[i] != '_' && key[i] != '-')
			return false;
	return n > 0;
}

static size_t enter(struct hd_buf *path, const char *key, size_t n)
{
	size_t before = path->len;

	if (before)
		hd_buf_addc(path, '.');
	if (is_word(key, n))
		hd_buf_add(path, key, n);
	else
		hd_enc_json_canonical(path, key, n);
	return before;
}

static void leave(struct hd_buf *path, size_t before)
{
	path->len = before;
	if (path->data)
		path->data[before] = '\0';
}

/* The members of an object, sorted by key for binary search. */
struct member {
	const char *key;
	size_t n;
	const struct hd_json *value;
};

static int by_key(const void *pa, const void *pb)
{
	const struct member *a = pa, *b = pb;
	int order = memcmp(a->key, b->key, a->n < b->n ? a->n : b->n);

	return order ? order : a->n < b->n ? -1 : a->n > b->n;
}

static struct member *index_of(const struct hd_json *object)
{
	size_t n = hd_json_count(object);
	struct member *members = hd_new_array(struct member, n + 1);

	for (size_t i = 0; i < n; i++)
		members[i].value = hd_json_member(object, i, &members[i].key, &members[i].n);
	qsort(members, n, sizeof(*members), by_key);
	return members;
}

static const struct hd_json *member_of(const struct member *members, size_t n, const char *key, size_t key_len)
{
	const struct member *m = bsearch(&(struct member){ key, key_len, NULL }, members, n, sizeof(*members), by_key);

	return m ? m->value : NULL;
}

static void compare(struct hd_config_diff *diff, struct hd_buf *path, const struct hd_json *a, const struct hd_json *b);

static void compare_objects(struct hd_config_diff *diff, struct hd_buf *path, const struct hd_json *a,
	const struct hd_json *b)
{
	struct member *of_a = index_of(a), *of_b = index_of(b);
	size_t na = hd_json_count(a), nb = hd_json_count(b), n, before;
	const char *key;

	for (size_t i = 0; i < na; i++) {
		const struct hd_json *v = hd_json_member(a, i, &key, &n);

		before = enter(path, key, n);
		compare(diff, path, v, member_of(of_b, nb, key, n));
		leave(path, before);
	}
	for (size_t i = 0; i < nb; i++) {
		const struct hd_json *v = hd_json_member(b, i, &key, &n);

		if (member_of(of_a, na, key, n))
			continue;
		before = enter(path, key, n);
		compare(diff, path, NULL, v);
		leave(path, before);
	}
	free(of_a);
	free(of_b);
}

static void compare_arrays(struct hd_config_diff *diff, struct hd_buf *path, const struct hd_json *a,
	const struct hd_json *b)
{
	size_t na = hd_json_count(a), nb = hd_json_count(b), before = path->len;

	for (size_t i = 0; i < na || i < nb; i++) {
		hd_buf_addf(path, "[%zu]", i);
		compare(diff, path, i < na ? hd_json_at(a, i) : NULL, i < nb ? hd_json_at(b, i) : NULL);
		leave(path, before);
	}
}

static void compare(struct hd_config_diff *diff, struct hd_buf *path, const struct hd_json *a, const struct hd_json *b)
{
	if (a && b && hd_json_kind(a) == HD_JSON_OBJECT && hd_json_kind(b) == HD_JSON_OBJECT)
		compare_objects(diff, path, a, b);
	else if (a && b && hd_json_kind(a) == HD_JSON_ARRAY && hd_json_kind(b) == HD_JSON_ARRAY)
		compare_arrays(diff, path, a, b);
	else
		add(diff, path, a, b);
}

int hd_config_diff(struct hd_config_diff *diff, const struct hd_config *a, const struct hd_config *b,
	struct hd_err *err)
{
	struct hd_json_doc *da = NULL, *db = NULL;
	struct hd_buf path = { 0 };
	int rc;

	*diff = (struct hd_config_diff){ 0 };
	rc = hd_json_parse(&da, a->text.data, a->text.len, "the first canonical text", err);
	if (rc >= 0)
		rc = hd_json_parse(&db, b->text.data, b->text.len, "the second canonical text", err);
	if (rc >= 0)
		compare(diff, &path, hd_json_root(da), hd_json_root(db));
	hd_json_free(da);
	hd_json_free(db);
	hd_buf_release(&path);
	return rc < 0 ? rc : 0;
}

int hd_config_load(struct hd_config *c, struct hd_db *db, const char *start, struct hd_err *err)
{
	struct hd_db_rows r;
	const char *text;
	size_t n;
	int rc;

	*c = (struct hd_config){ 0 };
	rc = hd_db_query(&r, db, err,
		"SELECT canonical FROM config WHERE SUBSTR(sha256, 1, $1) = $2 ORDER BY sha256 LIMIT 2", "it",
		(int64_t)strlen(start), start);
	if (rc >= 0)
		rc = hd_db_next(&r, err);
	if (rc == 0)
		rc = hd_fail(err, HD_EFORMAT,
			"%s: no configuration has a fingerprint that starts with %s, and there is no file of that name",
			hd_db_name(db), start);
	if (rc > 0) {
		text = hd_col_bytes(&r, 0, &n);
		rc = hd_config_parse(c, text ? text : "", n, hd_db_name(db), err);
	}
	if (rc >= 0)
		rc = hd_db_next(&r, err);
	if (rc > 0)
		rc = hd_fail(err, HD_EFORMAT, "%s: more than one fingerprint starts with %s", hd_db_name(db), start);
	hd_db_end(&r);
	return rc;
}

void hd_config_diff_release(struct hd_config_diff *diff)
{
	for (size_t i = 0; i < diff->n; i++) {
		free(diff->items[i].path);
		free(diff->items[i].a);
		free(diff->items[i].b);
	}
	free(diff->items);
	*diff = (struct hd_config_diff){ 0 };
}
