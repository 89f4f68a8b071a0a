/*
 * jsonw.c - see jsonw.h
 */
#include "base/jsonw.h"

#include "base/encode.h"
#include "base/mem.h"

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

/* Fast path: write `, "key": ` before a value on one line.  Returns false if another prefix is needed. */
static inline bool lead_in_row(struct hd_jsonw *w, const char *key)
{
	size_t n;
	char *to;

	if (!key || w->first || !w->flat || !w->depth || !hd_enc_json_is_plain(key, n = strlen(key)))
		return false;
	to = hd_buf_reserve(w->out, n + 6);
	memcpy(to, ", \"", 3);
	memcpy(to + 3, key, n);
	memcpy(to + 3 + n, "\": ", 4);
	w->out->len += n + 6;
	return true;
}

static void lead(struct hd_jsonw *w, const char *key)
{
	if (lead_in_row(w, key))
		return;
	if (!w->first && w->flat && w->depth) {
		hd_buf_add(w->out, ", ", 2);
	} else {
		if (!w->first)
			hd_buf_addc(w->out, ',');
		indent(w);
	}
	w->first = false;
	if (key) {
		hd_enc_json(w->out, key, strlen(key));
		hd_buf_add(w->out, ": ", 2);
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

/*
 * Append v with `decimals` decimals like printf(), which rounds the exact binary value half to even.  printf() is slow
 * for tables with a hundred thousand percentages.  Returns false, and appends nothing, if v is negative, too large or
 * too small, or if `decimals` is more than 6.
 */
static bool add_fixed(struct hd_buf *out, double v, unsigned decimals)
{
	static const uint64_t pow10[] = { 1, 10, 100, 1000, 10000, 100000, 1000000 };
	uint64_t bits, mantissa, whole, fraction;
	__uint128_t scaled, rest, half;
	char digits[8];
	int down;

	memcpy(&bits, &v, sizeof(bits));
	mantissa = bits ? (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52 : 0;
	/*
	 * v = mantissa / 2^down.  A negative v is rejected below: bits >> 52 then includes the sign bit, which makes
	 * `down` negative.
	 */
	down = bits ? 1075 - (int)(bits >> 52) : 52;
	if (decimals >= HD_COUNT(pow10) || down < 1 || down > 120)
		return false;
	scaled = (__uint128_t)mantissa * pow10[decimals];
	half = (__uint128_t)1 << (down - 1);
	rest = scaled & (2 * half - 1);
	scaled >>= down;
	if (rest > half || (rest == half && scaled & 1))
		scaled++;
	whole = scaled >> 64 ? (uint64_t)(scaled / pow10[decimals]) : (uint64_t)scaled / pow10[decimals];
	hd_buf_addu(out, whole);
	if (!decimals)
		return true;
	fraction = (uint64_t)(scaled - (__uint128_t)whole * pow10[decimals]);
	digits[0] = '.';
	for (unsigned i = decimals; i > 0; i--) {
		digits[i] = (char)('0' + fraction % 10);
		fraction /= 10;
	}
	hd_buf_add(out, digits, decimals + 1);
	return true;
}

void hd_jsonw_num(struct hd_jsonw *w, const char *key, double v, int decimals)
{
	if (!isfinite(v)) {
		hd_jsonw_null(w, key);
		return;
	}
	lead(w, key);
	if (!add_fixed(w->out, v, (unsigned)decimals))
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

struct hd_jsonw hd_jsonw_document(struct hd_buf *out, const char *format, unsigned version)
{
	struct hd_jsonw w = hd_jsonw_to(out);

	hd_jsonw_open(&w, NULL, '{');
	hd_jsonw_str(&w, "format", format);
	hd_jsonw_u64(&w, "version", version);
	return w;
}
