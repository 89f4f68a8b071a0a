/*
 * jsonw.c - see jsonw.h
 */
#include "base/jsonw.h"

#include "base/encode.h"

#include <math.h>
#include <string.h>

struct hd_jsonw hd_jsonw_to(struct hd_buf *out)
{
	return (struct hd_jsonw){ .out = out, .first = true };
}

static void indent(struct hd_jsonw *w)
{
	if (!w->depth)
		return;
	if (w->flat) {
		if (!w->first)
			hd_buf_addc(w->out, ' ');
		return;
	}
	hd_buf_addc(w->out, '\n');
	for (unsigned i = 0; i < w->depth; i++)
		hd_buf_adds(w->out, "  ");
}

static void lead(struct hd_jsonw *w, const char *key)
{
	if (!w->first)
		hd_buf_addc(w->out, ',');
	indent(w);
	w->first = false;
	if (key) {
		hd_enc_json(w->out, key, strlen(key));
		hd_buf_adds(w->out, ": ");
	}
}

void hd_jsonw_open(struct hd_jsonw *w, const char *key, char bracket)
{
	lead(w, key);
	hd_buf_addc(w->out, bracket);
	w->depth++;
	w->first = true;
}

void hd_jsonw_row(struct hd_jsonw *w, const char *key, char bracket)
{
	hd_jsonw_open(w, key, bracket);
	if (!w->flat) {
		w->flat = true;
		w->flat_depth = w->depth;
	}
}

void hd_jsonw_close(struct hd_jsonw *w, char bracket)
{
	bool empty = w->first;

	if (w->flat && w->depth == w->flat_depth) {
		w->flat = false;
		empty = true;		/* no line break before the bracket */
	}
	w->depth--;
	if (!empty && !w->flat) {
		hd_buf_addc(w->out, '\n');
		for (unsigned i = 0; i < w->depth; i++)
			hd_buf_adds(w->out, "  ");
	}
	hd_buf_addc(w->out, bracket);
	w->first = false;
	if (!w->depth)
		hd_buf_addc(w->out, '\n');
}

void hd_jsonw_strn(struct hd_jsonw *w, const char *key, const char *s, size_t n)
{
	lead(w, key);
	hd_enc_json(w->out, s, n);
}

void hd_jsonw_str(struct hd_jsonw *w, const char *key, const char *s)
{
	if (s)
		hd_jsonw_strn(w, key, s, strlen(s));
	else
		hd_jsonw_null(w, key);
}

void hd_jsonw_u64(struct hd_jsonw *w, const char *key, uint64_t v)
{
	lead(w, key);
	hd_buf_addu(w->out, v);
}

void hd_jsonw_i64(struct hd_jsonw *w, const char *key, int64_t v)
{
	lead(w, key);
	hd_buf_addf(w->out, "%lld", (long long)v);
}

void hd_jsonw_num(struct hd_jsonw *w, const char *key, double v, int decimals)
{
	if (!isfinite(v)) {
		hd_jsonw_null(w, key);
		return;
	}
	lead(w, key);
	hd_buf_addf(w->out, "%.*f", decimals, v);
}

void hd_jsonw_bool(struct hd_jsonw *w, const char *key, bool v)
{
	lead(w, key);
	hd_buf_adds(w->out, v ? "true" : "false");
}

void hd_jsonw_null(struct hd_jsonw *w, const char *key)
{
	lead(w, key);
	hd_buf_adds(w->out, "null");
}

void hd_jsonw_raw(struct hd_jsonw *w, const char *key, const char *json)
{
	lead(w, key);
	hd_buf_adds(w->out, json);
}
