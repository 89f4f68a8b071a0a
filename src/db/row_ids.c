/*
 * row_ids.c - see row_ids.h
 */
#include "db/row_ids.h"

#include "base/mem.h"
#include "base/strtab.h"

#include <stdlib.h>
#include <string.h>

struct hd_row_ids {
	struct hd_db *db;
	const char *find, *next;
	struct hd_strtab *keys;
	int64_t *ids;			/* by place; 0: not found */
	size_t n, cap;			/* of ids */
	uint32_t looked_up;		/* keys with a smaller index were looked up */
	int64_t next_id;		/* 0: not looked up yet */
};

struct hd_row_ids *hd_row_ids_new(struct hd_db *db, const char *find, const char *next)
{
	struct hd_row_ids *k = hd_new(struct hd_row_ids);

	k->db = db;
	k->find = find;
	k->next = next;
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
	hd_strtab_free(k->keys);
	free(k->ids);
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

/* Store the id of the current row's key.  A hostile file can return keys that were not looked up; add them, too. */
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

int hd_row_ids_find(struct hd_row_ids *k, struct hd_err *err)
{
	const char *texts[HD_DB_LIST_MAX];
	size_t most = hd_db_list_size(k->db);
	uint32_t end = (uint32_t)k->n;
	int rc = 0;

	while (k->looked_up < end && rc >= 0) {
		struct hd_db_rows r;
		size_t n = 0;

		for (; n < most && k->looked_up < end; k->looked_up++)
			texts[n++] = hd_strtab_get(k->keys, k->looked_up);
		rc = hd_db_query_list(&r, k->db, err, k->find, texts, n);
		while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0)
			take(k, &r);
		hd_db_end(&r);
	}
	return rc < 0 ? rc : 0;
}

int64_t hd_row_ids_id(const struct hd_row_ids *k, uint32_t place)
{
	return k->ids[place];
}

int hd_row_ids_assign(struct hd_row_ids *k, uint32_t place, int64_t *id, struct hd_err *err)
{
	int rc = k->next_id ? 0 : hd_db_query_int(k->db, &k->next_id, 1, err, k->next, "");

	if (rc >= 0)
		*id = k->ids[place] = k->next_id++;
	return rc;
}

const char *hd_row_ids_key(const struct hd_row_ids *k, uint32_t place)
{
	return hd_strtab_get(k->keys, place);
}
