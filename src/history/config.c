/*
 * config.c - see config.h
 */
#include "history/config.h"

#include "base/encode.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "track/decimal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_BYTES = 4 << 20 };

struct writer {
	struct hd_buf *out;
	const char *path;
	struct hd_err *err;
};

static void put_json_string(struct hd_buf *out, const struct hd_json *v)
{
	size_t len;
	const char *s = hd_json_string(v, &len);

	hd_enc_json_canonical(out, s, len);
}

/* ---- RFC 8785 ---- */

struct member {
	const char *key;
	size_t len;
	const struct hd_json *value;
};

/* The order of UTF-16 units is that of code points, except that surrogates (D800..DFFF) sort before E000..FFFF. */
static uint32_t first_unit(uint32_t cp)
{
	return cp < 0x10000 ? cp : 0xd7c0 + (cp >> 10);
}

static int by_utf16(const void *pa, const void *pb)
{
	const struct member *a = pa, *b = pb;
	size_t n = a->len < b->len ? a->len : b->len, i = 0;
	uint32_t ca, cb;

	while (i < n && a->key[i] == b->key[i])
		i++;
	if (i == n)
		return (a->len > b->len) - (a->len < b->len);
	while (i > 0 && ((unsigned char)a->key[i] & 0xc0) == 0x80)
		i--;			/* to the start of the first different character */
	hd_utf8_decode(a->key + i, a->len - i, &ca);
	hd_utf8_decode(b->key + i, b->len - i, &cb);
	if (first_unit(ca) != first_unit(cb))
		return first_unit(ca) < first_unit(cb) ? -1 : 1;
	return (ca > cb) - (ca < cb);
}

static int put_jcs(struct writer *w, const struct hd_json *v);	/* recursive; json.h limits the depth */

static int put_number(struct writer *w, const char *text)
{
	char out[HD_NUM_TEXT];
	double d = strtod(text, NULL);

	if (!isfinite(d))
		return hd_fail(w->err, HD_EFORMAT, "%s: the number %.40s is beyond the range of a double", w->path,
			text);
	hd_num_es6(d, out);
	hd_buf_adds(w->out, out);
	return 0;
}

static int put_array(struct writer *w, const struct hd_json *v)
{
	hd_buf_addc(w->out, '[');
	for (size_t i = 0; i < hd_json_count(v); i++) {
		int rc;

		if (i)
			hd_buf_addc(w->out, ',');
		rc = put_jcs(w, hd_json_at(v, i));
		if (rc < 0)
			return rc;
	}
	hd_buf_addc(w->out, ']');
	return 0;
}

static int put_object(struct writer *w, const struct hd_json *v)
{
	size_t n = hd_json_count(v);
	struct member *m = hd_new_array(struct member, n);
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		m[i].value = hd_json_member(v, i, &m[i].key, &m[i].len);
	if (n > 1)
		qsort(m, n, sizeof(*m), by_utf16);
	hd_buf_addc(w->out, '{');
	for (size_t i = 0; i < n && rc >= 0; i++) {
		if (i)
			hd_buf_addc(w->out, ',');
		hd_enc_json_canonical(w->out, m[i].key, m[i].len);
		hd_buf_addc(w->out, ':');
		rc = put_jcs(w, m[i].value);
	}
	hd_buf_addc(w->out, '}');
	free(m);
	return rc;
}

static int put_jcs(struct writer *w, const struct hd_json *v)
{
	switch (hd_json_kind(v)) {
	case HD_JSON_NULL:
		hd_buf_adds(w->out, "null");
		return 0;
	case HD_JSON_BOOL:
		hd_buf_adds(w->out, hd_json_bool(v) ? "true" : "false");
		return 0;
	case HD_JSON_NUMBER:
		return put_number(w, hd_json_number(v));
	case HD_JSON_STRING:
		put_json_string(w->out, v);
		return 0;
	case HD_JSON_ARRAY:
		return put_array(w, v);
	case HD_JSON_OBJECT:
		return put_object(w, v);
	}
	return 0;
}

/* ---- the struct ---- */

static int wrong(struct writer *w, const char *key, const char *wanted)
{
	return hd_fail(w->err, HD_EFORMAT, "%s: \"%s\" must be %s", w->path, key, wanted);
}

static int put_text(struct writer *w, const char *key, const struct hd_json *v)
{
	if (hd_json_kind(v) != HD_JSON_STRING)
		return wrong(w, key, "a string");
	put_json_string(w->out, v);
	return 0;
}

static int put_f32(struct writer *w, const char *key, const struct hd_json *v)
{
	char out[HD_NUM_TEXT];
	float f;

	if (hd_json_kind(v) != HD_JSON_NUMBER)
		return wrong(w, key, "a number");
	f = strtof(hd_json_number(v), NULL);	/* not by strtod(), which would round twice */
	if (!isfinite(f))
		return wrong(w, key, "within the range of a 32-bit float (up to 3.4028235e38)");
	hd_num_ryu32(f, out);
	hd_buf_adds(w->out, out);
	return 0;
}

static int put_u64(struct writer *w, const char *key, const struct hd_json *v)
{
	const char *text = hd_json_number(v), *wanted = "an unsigned 64-bit integer, written in digits only";

	if (hd_json_kind(v) != HD_JSON_NUMBER || text[strspn(text, "0123456789")])
		return wrong(w, key, wanted);
	errno = 0;
	strtoull(text, NULL, 10);
	if (errno)
		return wrong(w, key, "at most 18446744073709551615");
	hd_buf_adds(w->out, text);
	return 0;
}

static int put_flags(struct writer *w, const char *key, const struct hd_json *v)
{
	if (hd_json_kind(v) == HD_JSON_STRING)
		return put_text(w, key, v);
	if (hd_json_kind(v) != HD_JSON_ARRAY)
		return wrong(w, key, "a string or an array of strings");
	for (size_t i = 0; i < hd_json_count(v); i++)
		if (hd_json_kind(hd_json_at(v, i)) != HD_JSON_STRING)
			return wrong(w, key, "a string or an array of strings");
	return put_array(w, v);
}

static const struct field {
	const char *key;
	int (*put)(struct writer *w, const char *key, const struct hd_json *v);
} fields[] = {
	{ "model_commit", put_text },
	{ "weights_hash", put_text },
	{ "lambda", put_f32 },
	{ "tau", put_u64 },
	{ "eps", put_f32 },
	{ "compiler_flags", put_flags },
};

static bool is_struct(const struct hd_json *v)
{
	if (hd_json_kind(v) != HD_JSON_OBJECT || hd_json_count(v) != HD_COUNT(fields))
		return false;
	for (size_t i = 0; i < HD_COUNT(fields); i++)
		if (!hd_json_get(v, fields[i].key))
			return false;
	return true;
}

static int put_struct(struct writer *w, const struct hd_json *v)
{
	for (size_t i = 0; i < HD_COUNT(fields); i++) {
		int rc;

		hd_buf_addf(w->out, "%c\"%s\":", i ? ',' : '{', fields[i].key);
		rc = fields[i].put(w, fields[i].key, hd_json_get(v, fields[i].key));
		if (rc < 0)
			return rc;
	}
	hd_buf_addc(w->out, '}');
	return 0;
}

int hd_config_parse(struct hd_config *c, const char *json, size_t len, const char *path, struct hd_err *err)
{
	struct writer w = { &c->text, path, err };
	struct hd_json_doc *doc;
	bool as_struct;
	int rc;

	*c = (struct hd_config){ 0 };
	if (len > MAX_BYTES)
		return hd_fail(err, HD_EFORMAT, "%s: a configuration of %zu bytes; the limit is %d", path, len,
			MAX_BYTES);
	rc = hd_json_parse(&doc, json, len, path, err);
	if (rc < 0)
		return rc;
	as_struct = is_struct(hd_json_root(doc));
	rc = as_struct ? put_struct(&w, hd_json_root(doc)) : put_jcs(&w, hd_json_root(doc));
	hd_json_free(doc);
	if (rc < 0) {
		hd_config_release(c);
		return rc;
	}
	c->form = as_struct ? "struct" : "jcs";
	hd_sha256_hex(c->text.data, c->text.len, c->sha256);
	return 0;
}

int hd_config_read(struct hd_config *c, const char *path, struct hd_err *err)
{
	struct hd_buf json = { 0 };
	int fd = hd_file_open(path, err), rc;

	if (fd < 0)
		return fd;
	rc = hd_file_slurp(fd, path, MAX_BYTES, &json, err);
	close(fd);
	if (rc >= 0)
		rc = hd_config_parse(c, hd_buf_str(&json), json.len, path, err);
	hd_buf_release(&json);
	return rc;
}

void hd_config_release(struct hd_config *c)
{
	hd_buf_release(&c->text);
	*c = (struct hd_config){ 0 };
}
