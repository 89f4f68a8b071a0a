/*
 * blob.c - see blob.h
 */
#include "db/blob.h"

#include "base/mem.h"

#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
	LEVEL = 6,
	MAX_TEXT = 1 << 30,		/* bytes of a text; larger stored sizes are rejected */
	FREE_TEXT = 64 << 20,		/* larger texts may be at most RATIO times as long as their blob */
	RATIO = 96,
	MAX_CELL = 200 << 20,		/* compressed bytes; less than sqlite_open.c allows in a cell */
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

static int insert(struct hd_db *db, const char *text, size_t len, const char *sha256, struct hd_err *err)
{
	struct hd_buf z = { 0 };
	size_t n;
	int rc;

	hd_buf_reserve(&z, ZSTD_compressBound(len));
	n = ZSTD_compress(z.data, ZSTD_compressBound(len), text, len, LEVEL);
	if (ZSTD_getErrorCode(n) == ZSTD_error_memory_allocation)
		hd_out_of_memory("zstd");
	if (ZSTD_isError(n))
		rc = hd_fail(err, HD_EIO, "zstd: %s", ZSTD_getErrorName(n));
	else if (n > MAX_CELL)
		rc = hd_fail(err, HD_EFORMAT, "%zu bytes of stacks are more than the database keeps for one event",
			len);
	else {
		z.len = n;
		pad(&z, len);
		rc = hd_db_do(db, err, "INSERT INTO stack_blob (sha256, bytes, zstd) VALUES ($1, $2, $3)", "tib",
			sha256, (int64_t)len, z.data, z.len);
	}
	hd_buf_release(&z);
	return rc;
}

int hd_blob_add(struct hd_db *db, const char *text, size_t len, char sha256[HD_SHA256_HEX], struct hd_err *err)
{
	int64_t there;
	int rc;

	if (len > MAX_TEXT)
		return hd_fail(err, HD_EFORMAT, "%zu bytes of stacks are more than the database keeps for one event",
			len);
	hd_sha256_hex(text, len, sha256);
	rc = hd_db_query_int(db, &there, 0, err, "SELECT 1 FROM stack_blob WHERE sha256 = $1", "t", sha256);
	if (rc < 0 || there)
		return rc;
	return insert(db, text, len, sha256, err);
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
