/*
 * blob.c - see blob.h
 */
#include "db/blob.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
	LEVEL = 6,
	/* maximum size of a text in bytes; a blob that claims a larger size is rejected */
	MAX_TEXT = 1 << 30,
	/* a text longer than this may be at most RATIO times as long as its blob (the compressed text) */
	FREE_TEXT = 64 << 20,
	RATIO = 96,
	/* maximum size of a blob (a compressed text) in bytes; the limit for cells in sqlite_open.c is higher */
	MAX_CELL = 200 << 20,
	/*
	 * limits of hd_blobs_load(): bytes of compressed texts that stay in memory, and number of texts that one
	 * statement reads
	 */
	KEPT = 64 << 20,
	TEXTS_AT_ONCE = 128,
};

/*
 * A hostile blob may claim any unpacked size.  A reader accepts a long text only if its blob is at least 1/RATIO as
 * long.  The writer pads blobs that are smaller with a frame that the decoder skips.
 */
static bool is_plausible(size_t len, size_t packed)
{
	return len <= FREE_TEXT || len / RATIO <= packed;
}

static void pad(struct hd_buf *z, size_t len)
{
	size_t more = is_plausible(len, z->len) ? 0 : len / RATIO - z->len;

	if (!more)
		return;
	hd_buf_le32(z, ZSTD_MAGIC_SKIPPABLE_START);
	hd_buf_le32(z, (uint32_t)more);
	memset(hd_buf_reserve(z, more), 0, more);
	z->len += more;
}

static int too_long(size_t len, struct hd_err *err)
{
	return hd_fail(err, HD_EFORMAT, "%zu bytes of stacks are more than the database keeps for one event", len);
}

int hd_blob_put(struct hd_db *db, const char *text, size_t len, const char *sha256, struct hd_err *err)
{
	struct hd_buf z = { 0 };
	size_t n;
	int rc;

	if (len > MAX_TEXT)
		return too_long(len, err);
	hd_buf_reserve(&z, ZSTD_compressBound(len));
	n = ZSTD_compress(z.data, ZSTD_compressBound(len), text, len, LEVEL);
	if (ZSTD_getErrorCode(n) == ZSTD_error_memory_allocation)
		hd_out_of_memory("zstd");
	if (ZSTD_isError(n))
		rc = hd_fail(err, HD_EIO, "zstd: %s", ZSTD_getErrorName(n));
	else if (n > MAX_CELL)
		rc = too_long(len, err);
	else {
		z.len = n;
		pad(&z, len);
		rc = hd_db_do(db, err,
			"INSERT INTO stack_blob (sha256, bytes, zstd) VALUES ($1, $2, $3) ON CONFLICT (sha256) "
			"DO NOTHING",
			"tib", sha256, (int64_t)len, z.data, z.len);
	}
	hd_buf_release(&z);
	return rc;
}

int hd_blob_add(struct hd_db *db, const char *text, size_t len, char sha256[HD_SHA256_HEX], struct hd_err *err)
{
	int64_t there;
	int rc;

	if (len > MAX_TEXT)
		return too_long(len, err);
	hd_sha256_hex(text, len, sha256);
	rc = hd_db_query_int(db, &there, 0, err, "SELECT 1 FROM stack_blob WHERE sha256 = $1", "t", sha256);
	if (rc < 0 || there)
		return rc;
	return hd_blob_put(db, text, len, sha256, err);
}

static int unpack(struct hd_db *db, const char *sha256, const char *z, size_t n, int64_t bytes, struct hd_buf *text,
		  struct hd_err *err)
{
	char sum[HD_SHA256_HEX];
	size_t got;

	hd_buf_reset(text);
	if (bytes < 0 || bytes > MAX_TEXT || !is_plausible((size_t)bytes, n))
		return hd_fail(err, HD_EIO, "%s: the stored text %.12s claims %lld bytes in %zu", hd_db_name(db),
			sha256, (long long)bytes, n);
	hd_buf_reserve(text, (size_t)bytes);
	got = ZSTD_decompress(text->data, (size_t)bytes, z, n);
	if (ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
		hd_out_of_memory("zstd");
	if (!ZSTD_isError(got)) {
		text->len = got;
		text->data[got] = '\0';
		hd_sha256_hex(text->data, got, sum);
	}
	if (ZSTD_isError(got) || got != (size_t)bytes || strcmp(sum, sha256)) {
		hd_buf_reset(text);
		return hd_fail(err, HD_EIO, "%s: the stored text %.12s is damaged", hd_db_name(db), sha256);
	}
	return 1;
}

int hd_blob_get(struct hd_db *db, const char *sha256, struct hd_buf *text, struct hd_err *err)
{
	struct hd_db_rows r;
	const char *z;
	size_t n;
	int rc;

	rc = hd_db_query(&r, db, err, "SELECT bytes, zstd FROM stack_blob WHERE sha256 = $1", "t", sha256);
	if (rc >= 0)
		rc = hd_db_next(&r, err);
	if (rc > 0) {
		z = hd_col_bytes(&r, 1, &n);
		rc = unpack(db, sha256, z ? z : "", n, hd_col_int(&r, 0), text, err);
	}
	hd_db_end(&r);
	return rc;
}

/* Read the texts with the ids [from, to) in `keys`. */
static int load_some(struct hd_blobs *b, uint32_t from, uint32_t to, struct hd_err *err)
{
	const char *texts[TEXTS_AT_ONCE];
	struct hd_db_rows r;
	size_t len;
	int rc;

	for (uint32_t i = from; i < to; i++)
		texts[i - from] = hd_strtab_get(b->keys, i);
	rc = hd_db_query_list(&r, b->db, err, "SELECT sha256, bytes, zstd FROM stack_blob WHERE sha256 IN", texts,
		to - from);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		char *key = hd_col_text(&r, 0);
		uint32_t id = key ? hd_strtab_add(b->keys, key) : 0;	/* a hostile server may send another key */
		const char *z = hd_col_bytes(&r, 2, &len);

		if (z && id && id < b->n && !b->packed[id].kept && len <= KEPT - b->kept) {
			b->packed[id].kept = true;
			b->packed[id].bytes = hd_col_int(&r, 1);
			hd_buf_add(&b->packed[id].zstd, z, len);
			b->kept += len;
		}
		free(key);
	}
	hd_db_end(&r);
	return rc < 0 ? rc : 0;
}

int hd_blobs_load(struct hd_blobs *b, struct hd_db *db, const char *const *keys, size_t n, struct hd_err *err)
{
	int rc = 0;

	*b = (struct hd_blobs){ .db = db, .keys = hd_strtab_new() };
	for (size_t i = 0; i < n; i++)
		if (keys[i])
			hd_strtab_add(b->keys, keys[i]);
	b->n = hd_strtab_count(b->keys);
	b->packed = hd_new_array(struct hd_blob_packed, b->n);
	/* a statement costs no round trip, so hd_blobs_get() reads each text when it is needed */
	if (hd_db_list_size(db) == 1)
		return 0;
	for (uint32_t i = 1; i < b->n && rc >= 0; i += TEXTS_AT_ONCE)
		rc = load_some(b, i, b->n - i > TEXTS_AT_ONCE ? i + TEXTS_AT_ONCE : b->n, err);
	return rc;
}

int hd_blobs_get(const struct hd_blobs *b, const char *sha256, struct hd_buf *text, struct hd_err *err)
{
	uint32_t id = hd_strtab_add(b->keys, sha256);
	const struct hd_blob_packed *p = id < b->n && b->packed[id].kept ? &b->packed[id] : NULL;

	if (!p)
		return hd_blob_get(b->db, sha256, text, err);
	return unpack(b->db, sha256, hd_buf_str(&p->zstd), p->zstd.len, p->bytes, text, err);
}

void hd_blobs_release(struct hd_blobs *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		hd_buf_release(&b->packed[i].zstd);
	free(b->packed);
	hd_strtab_free(b->keys);
	*b = (struct hd_blobs){ 0 };
}

int hd_blob_check(enum hd_blob_state *state, struct hd_db *db, const char *const *keys, size_t n, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	struct hd_db_rows r;
	size_t len;
	int rc = hd_db_query_list(&r, db, err, "SELECT sha256, bytes, zstd FROM stack_blob WHERE sha256 IN", keys, n);

	for (size_t i = 0; i < n; i++)
		state[i] = HD_BLOB_MISSING;
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		char *key = hd_col_text(&r, 0);
		const char *z = hd_col_bytes(&r, 2, &len);
		bool whole = key && unpack(db, key, z ? z : "", len, hd_col_int(&r, 1), &text, NULL) > 0;

		for (size_t i = 0; key && i < n; i++)
			if (!strcmp(keys[i], key))
				state[i] = whole ? HD_BLOB_WHOLE : HD_BLOB_DAMAGED;
		free(key);
	}
	hd_db_end(&r);
	hd_buf_release(&text);
	return rc;
}
