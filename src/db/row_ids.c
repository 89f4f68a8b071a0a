/*
 * row_ids.c - see row_ids.h
 */
#include "db/row_ids.h"

#include "base/mem.h"
#include "base/strtab.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct hd_row_ids {
	struct hd_db *db;
	const char *find;
	const struct hd_new_ids *fresh;
	struct hd_strtab *keys;
	int64_t *ids;			/* indexed by the place of a key, its index in `keys`; 0: not found */
	size_t n, cap;			/* number of ids, and of ids that fit */
	uint32_t looked_up;		/* keys with a smaller index were looked up */
	struct hd_db_rows started;	/* the query that hd_row_ids_start() started */
	int64_t *new_ids;		/* reserved for the keys without an id; NULL: none are reserved yet */
	size_t nnew, used;		/* number of new_ids, and how many of them were assigned */
	uint32_t *assigned;		/* indices of the keys that got new ids, in this order; `used` many */
};

struct hd_row_ids *hd_row_ids_new(struct hd_db *db, const char *find, const struct hd_new_ids *fresh)
{
	struct hd_row_ids *k = hd_new(struct hd_row_ids);

	k->db = db;
	k->find = find;
	k->fresh = fresh;
	k->keys = hd_strtab_new();
	k->looked_up = 1;		/* the key with index 0 is "", which is not a real key */
	HD_GROW(k->ids, 1, k->cap);
	k->ids[k->n++] = 0;
	return k;
}

void hd_row_ids_free(struct hd_row_ids *k)
{
	if (!k)
		return;
	hd_db_end(&k->started);
	hd_strtab_free(k->keys);
	free(k->ids);
	free(k->new_ids);
	free(k->assigned);
	free(k);
}

uint32_t hd_row_ids_want(struct hd_row_ids *k, const char *key)
{
	uint32_t place = hd_strtab_add(k->keys, key);

	if (place == k->n) {
		HD_GROW(k->ids, k->n + 1, k->cap);
		k->ids[k->n++] = 0;
	}
	return place;
}

size_t hd_row_ids_count(const struct hd_row_ids *k)
{
	return k->n - 1;
}

/*
 * Store the id that the database has for the key of the current row.  A hostile file can return keys that were not
 * looked up; they are added.
 */
static void take(struct hd_row_ids *k, const struct hd_db_rows *r)
{
	size_t known = k->n, len;
	const char *key = hd_col_bytes(r, 0, &len);
	uint32_t place = key ? hd_strtab_addn(k->keys, key, len) : 0;

	if (place >= known) {
		HD_GROW(k->ids, k->n + 1, k->cap);
		k->ids[k->n++] = 0;
	}
	if (place)
		k->ids[place] = hd_col_int(r, 1);
}

/* Store the ids that a started query returns, and end it. */
static int take_all(struct hd_row_ids *k, struct hd_db_rows *r, int rc, struct hd_err *err)
{
	while (rc >= 0 && r->stmt && (rc = hd_db_next(r, err)) > 0)
		take(k, r);
	hd_db_end(r);
	return rc < 0 ? rc : 0;
}

static int find_texts(struct hd_row_ids *k, const char *const *texts, size_t n, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc = hd_db_query_list(&r, k->db, err, k->find, texts, n);

	return take_all(k, &r, rc, err);
}

/* Start to look up the next keys with an index below `end`. */
static int start(struct hd_row_ids *k, uint32_t end, struct hd_db_rows *r, struct hd_err *err)
{
	const char *texts[HD_DB_LIST_MAX];
	size_t most = hd_db_list_size(k->db), n = 0;

	for (; n < most && k->looked_up < end; k->looked_up++)
		texts[n++] = hd_strtab_get(k->keys, k->looked_up);
	return n ? hd_db_query_list(r, k->db, err, k->find, texts, n) : 0;
}

int hd_row_ids_find(struct hd_row_ids *k, struct hd_err *err)
{
	uint32_t end = (uint32_t)k->n;
	int rc = 0;

	while (k->looked_up < end && rc >= 0) {
		struct hd_db_rows r = { 0 };

		rc = start(k, end, &r, err);
		rc = take_all(k, &r, rc, err);
	}
	return rc;
}

/* Append a key, in quotes, to the text of a PostgreSQL array. */
static void add_item(struct hd_buf *array, const char *key)
{
	hd_buf_adds(array, array->len > 1 ? ",\"" : "\"");
	for (; *key; key++) {
		if (*key == '"' || *key == '\\')
			hd_buf_addc(array, '\\');
		hd_buf_addc(array, *key);
	}
	hd_buf_addc(array, '"');
}

int hd_row_ids_start(struct hd_row_ids *k, struct hd_err *err)
{
	struct hd_buf array = { 0 };
	int rc;

	if (!hd_db_has_writers(k->db) || k->looked_up == k->n)
		return 0;
	hd_buf_addc(&array, '{');
	for (; k->looked_up < k->n; k->looked_up++)
		add_item(&array, hd_strtab_get(k->keys, k->looked_up));
	hd_buf_addc(&array, '}');
	rc = hd_db_query(&k->started, k->db, err, k->fresh->find, "t", hd_buf_str(&array));
	hd_buf_release(&array);
	return rc;
}

int hd_row_ids_finish(struct hd_row_ids *k, struct hd_err *err)
{
	int rc = 0;

	if (!k->started.stmt)
		return hd_row_ids_find(k, err);
	k->new_ids = hd_new_array(int64_t, k->n);
	k->assigned = hd_new_array(uint32_t, k->n);
	while (rc >= 0 && (rc = hd_db_next(&k->started, err)) > 0) {
		take(k, &k->started);
		if (hd_col_kind(&k->started, 2) != HD_COL_NULL && k->nnew < k->looked_up)
			k->new_ids[k->nnew++] = hd_col_int(&k->started, 2);
	}
	hd_db_end(&k->started);
	return rc;
}

int hd_row_ids_find_again(struct hd_row_ids *k, struct hd_err *err)
{
	const char *texts[HD_DB_LIST_MAX];
	size_t most = hd_db_list_size(k->db), n = 0;
	int rc = 0;

	for (size_t i = 0; i < k->used && rc >= 0; i++) {
		texts[n++] = hd_strtab_get(k->keys, k->assigned[i]);
		if (n < most && i + 1 < k->used)
			continue;
		rc = find_texts(k, texts, n, err);
		n = 0;
	}
	return rc;
}

int64_t hd_row_ids_id(const struct hd_row_ids *k, uint32_t place)
{
	return k->ids[place];
}

/* Get new ids for all keys that have none. */
static int reserve(struct hd_row_ids *k, struct hd_err *err)
{
	int rc;

	for (size_t i = 1; i < k->n; i++)
		k->nnew += !k->ids[i];
	k->new_ids = hd_new_array(int64_t, k->nnew);
	k->assigned = hd_new_array(uint32_t, k->nnew);
	rc = hd_new_ids_get(k->db, k->fresh, k->new_ids, k->nnew, err);
	if (rc < 0) {
		free(k->new_ids);
		free(k->assigned);
		k->new_ids = NULL;
		k->assigned = NULL;
		k->nnew = 0;
	}
	return rc;
}

int hd_row_ids_assign(struct hd_row_ids *k, uint32_t place, int64_t *id, struct hd_err *err)
{
	int rc = k->new_ids ? 0 : reserve(k, err);

	if (rc < 0)
		return rc;
	if (k->used == k->nnew)
		return hd_fail(err, HD_EIO, "%s: the server gave too few new ids", hd_db_name(k->db));
	*id = k->ids[place] = k->new_ids[k->used];
	k->assigned[k->used++] = place;
	return 0;
}

const char *hd_row_ids_key(const struct hd_row_ids *k, uint32_t place)
{
	return hd_strtab_get(k->keys, place);
}

int hd_row_id_order(const void *pa, const void *pb)
{
	int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;

	return (a > b) - (a < b);
}
