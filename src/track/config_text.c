/*
 * config_text.c - see config_text.h; config_values.c reads the JSON, this file writes it
 */
#include "track/config_text.h"

#include "track/config_values.h"
#include "track/decimal.h"
#include "track/digest.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct writer {
	const struct hd_config_reader *r;
	struct hd_config_text *out;
	struct hd_config_bytes text;
	enum hd_float_form form;
};

static void put_text(struct writer *w, const char *s)
{
	hd_config_bytes_add(&w->text, s, strlen(s));
}

static void put_string(struct writer *w, uint32_t text, uint32_t len)
{
	static const char short_form[32] = { ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r' };
	const char *s = w->r->texts.data + text;

	hd_config_bytes_add_byte(&w->text, '"');
	for (uint32_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c >= 0x20 && c != '"' && c != '\\') {
			hd_config_bytes_add_byte(&w->text, (char)c);
		} else if (c >= 0x20 || short_form[c]) {
			hd_config_bytes_add_byte(&w->text, '\\');
			hd_config_bytes_add_byte(&w->text, c >= 0x20 ? (char)c : short_form[c]);
		} else {
			put_text(w, c < 0x10 ? "\\u000" : "\\u001");
			hd_config_bytes_add_byte(&w->text, "0123456789abcdef"[c & 15]);
		}
	}
	hd_config_bytes_add_byte(&w->text, '"');
}

static int put_number(struct writer *w, const char *text)
{
	char out[HD_NUM_TEXT];
	double d = strtod(text, NULL);

	if (!isfinite(d)) {
		strncpy(w->out->number, text, sizeof(w->out->number) - 1);
		return HD_TRACK_INVALID;
	}
	hd_num_es6(d, out);
	put_text(w, out);
	return HD_TRACK_OK;
}

/* Write a value.  For an array or an object, write only its opening bracket. */
static int put_begin(struct writer *w, const struct hd_config_value *v)
{
	switch (v->kind) {
	case HD_CONFIG_WORD:
		hd_config_bytes_add(&w->text, w->r->texts.data + v->text, v->len);
		break;
	case HD_CONFIG_NUMBER:
		return put_number(w, w->r->texts.data + v->text);
	case HD_CONFIG_STRING:
		put_string(w, v->text, v->len);
		break;
	case HD_CONFIG_ARRAY:
	case HD_CONFIG_OBJECT:
		hd_config_bytes_add_byte(&w->text, v->kind == HD_CONFIG_ARRAY ? '[' : '{');
		break;
	}
	return HD_TRACK_OK;
}

/* Write the value with the index `root` by RFC 8785. */
static int put_jcs(struct writer *w, uint32_t root)
{
	const struct hd_config_value *values = w->r->values, *v;
	uint32_t at = root;
	int rc;

	for (;;) {
		v = &values[at];
		if (at != root && values[v->parent].kind == HD_CONFIG_OBJECT) {
			put_string(w, v->key, v->key_len);
			hd_config_bytes_add_byte(&w->text, ':');
		}
		rc = put_begin(w, v);
		if (rc < 0)
			return rc;
		if (v->kind >= HD_CONFIG_ARRAY && v->n) {
			at = v->first;
			continue;
		}
		for (;;) {
			if (v->kind >= HD_CONFIG_ARRAY)
				hd_config_bytes_add_byte(&w->text, v->kind == HD_CONFIG_ARRAY ? ']' : '}');
			if (at == root)
				return HD_TRACK_OK;
			if (v->next != HD_CONFIG_NONE)
				break;
			at = v->parent;
			v = &values[at];
		}
		hd_config_bytes_add_byte(&w->text, ',');
		at = v->next;
	}
}

/* ---- the struct ---- */

typedef int put_field_fn(struct writer *w, const char *key, uint32_t at);

static int wrong(struct writer *w, const char *key, const char *wanted)
{
	w->out->key = key;
	w->out->wanted = wanted;
	return HD_TRACK_INVALID;
}

static int put_string_field(struct writer *w, const char *key, uint32_t at)
{
	return w->r->values[at].kind == HD_CONFIG_STRING ? put_jcs(w, at) : wrong(w, key, "a string");
}

static int put_f32(struct writer *w, const char *key, uint32_t at)
{
	const struct hd_config_value *v = &w->r->values[at];
	char out[HD_NUM_TEXT];
	float f;

	if (v->kind != HD_CONFIG_NUMBER)
		return wrong(w, key, "a number");
	f = strtof(w->r->texts.data + v->text, NULL);	/* not by strtod(), which would round twice */
	if (!isfinite(f))
		return wrong(w, key, "within the range of a 32-bit float (up to 3.4028235e38)");
	(w->form == HD_FLOAT_ZMIJ ? hd_num_zmij32 : hd_num_ryu32)(f, out);
	put_text(w, out);
	return HD_TRACK_OK;
}

static int put_u64(struct writer *w, const char *key, uint32_t at)
{
	static const char most[] = "18446744073709551615";
	const struct hd_config_value *v = &w->r->values[at];
	const char *text = w->r->texts.data + v->text;

	if (v->kind != HD_CONFIG_NUMBER || text[strspn(text, "0123456789")])
		return wrong(w, key, "an unsigned 64-bit integer, written in digits only");
	/* JSON has no leading zeros. */
	if (v->len > strlen(most) || (v->len == strlen(most) && strcmp(text, most) > 0))
		return wrong(w, key, "at most 18446744073709551615");
	put_text(w, text);
	return HD_TRACK_OK;
}

static int put_flags(struct writer *w, const char *key, uint32_t at)
{
	const struct hd_config_value *values = w->r->values;
	bool valid = values[at].kind == HD_CONFIG_STRING || values[at].kind == HD_CONFIG_ARRAY;

	for (uint32_t i = valid ? values[at].first : HD_CONFIG_NONE; i != HD_CONFIG_NONE; i = values[i].next)
		valid &= values[i].kind == HD_CONFIG_STRING;
	return valid ? put_jcs(w, at) : wrong(w, key, "a string or an array of strings");
}

static const struct field {
	const char *key;
	put_field_fn *put;
} fields[] = {
	{ "model_commit", put_string_field },
	{ "weights_hash", put_string_field },
	{ "lambda", put_f32 },
	{ "tau", put_u64 },
	{ "eps", put_f32 },
	{ "compiler_flags", put_flags },
};

/* Return the index of the root's member that has this key, or HD_CONFIG_NONE. */
static uint32_t member_of(const struct hd_config_reader *r, const char *key)
{
	for (uint32_t i = r->values[0].first; i != HD_CONFIG_NONE; i = r->values[i].next)
		if (r->values[i].key_len == strlen(key) && !strcmp(r->texts.data + r->values[i].key, key))
			return i;
	return HD_CONFIG_NONE;
}

static bool is_struct(const struct hd_config_reader *r)
{
	if (r->values[0].kind != HD_CONFIG_OBJECT || r->values[0].n != COUNT(fields))
		return false;
	for (size_t i = 0; i < COUNT(fields); i++)
		if (member_of(r, fields[i].key) == HD_CONFIG_NONE)
			return false;
	return true;
}

static int put_struct(struct writer *w)
{
	int rc = HD_TRACK_OK;

	for (size_t i = 0; i < COUNT(fields) && rc >= 0; i++) {
		put_text(w, i ? ",\"" : "{\"");
		put_text(w, fields[i].key);
		put_text(w, "\":");
		rc = fields[i].put(w, fields[i].key, member_of(w->r, fields[i].key));
	}
	hd_config_bytes_add_byte(&w->text, '}');
	return rc;
}

static int write_text(struct writer *w)
{
	int rc;

	w->out->is_struct = is_struct(w->r);
	rc = w->out->is_struct ? put_struct(w) : put_jcs(w, 0);
	w->out->len = w->text.len;
	hd_config_bytes_add_byte(&w->text, '\0');
	if (rc >= 0 && w->text.failed)
		rc = HD_TRACK_NOMEM;
	if (rc >= 0)
		w->out->text = w->text.data;
	else
		free(w->text.data);
	return rc;
}

int hd_config_text(struct hd_config_text *out, const char *json, size_t n, enum hd_float_form form)
{
	struct hd_config_reader r = { .json = json, .n = n };
	struct writer w = { .r = &r, .out = out, .form = form };
	/* In glibc and musl the C locale is a constant, so it need not be freed. */
	locale_t before = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
	int errno_was = errno, rc;

	*out = (struct hd_config_text){ 0 };
	rc = n > HD_CONFIG_BYTES_MAX ? HD_TRACK_INVALID : hd_config_read_values(&r);
	if (rc >= 0)
		rc = write_text(&w);
	hd_config_reader_release(&r);
	uselocale(before);
	errno = errno_was;	/* strtod() sets it for numbers that are too small */
	return rc;
}

int hd_config_digest(const char *json, size_t n, enum hd_float_form form, char out[HD_DIGEST_TEXT])
{
	struct hd_config_text t;
	int rc;

	if (!json || !out || (form != HD_FLOAT_RYU && form != HD_FLOAT_ZMIJ))
		return HD_TRACK_INVALID;
	rc = hd_config_text(&t, json, n, form);
	if (rc < 0)
		return rc;
	hd_digest_sha256(t.text, t.len, out);
	free(t.text);
	return HD_TRACK_OK;
}
