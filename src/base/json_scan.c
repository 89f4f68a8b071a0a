/*
 * json_scan.c - see json_scan.h
 */
#include "base/json_scan.h"

#include "base/json.h"

#include <string.h>

enum { MAX_DEPTH = 64 };

/* The tokens that may come next. */
enum expect { VALUE, VALUE_OR_END, KEY, KEY_OR_END, COLON, COMMA_OR_END };

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

size_t hd_json_scan_blanks(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && is_blank(s[i]))
		i++;
	return i;
}

/* Return the offset after the closing quote of the string at s[i], or n + 1 if it is not closed. */
static size_t string_end(const char *s, size_t n, size_t i)
{
	for (i++; i < n; i++) {
		const char *quote = memchr(s + i, '"', n - i);
		size_t slashes = 0;

		if (!quote)
			break;
		while (quote - slashes > s + i && quote[-1 - (ptrdiff_t)slashes] == '\\')
			slashes++;
		i = (size_t)(quote - s);
		if (slashes % 2 == 0)
			return i + 1;
	}
	return n + 1;
}

/* Return true for the characters of true, false, null, numbers and non-standard values such as inf. */
static bool is_scalar(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' ||
		c == '.';
}

enum hd_json_scan_result hd_json_scan(const char *s, size_t n, size_t *len)
{
	/* the open brackets, one bit each, the innermost one in the lowest bit; 1: an object, 0: an array */
	uint64_t objects = 0;
	unsigned depth = 0;
	enum expect expect = VALUE;
	size_t i = 0;

	while (i < n) {
		char c = s[i];
		bool value = expect == VALUE || expect == VALUE_OR_END;

		if (is_blank(c) && i) {
			i++;
			continue;
		}
		if (c == '"' && (value || expect == KEY || expect == KEY_OR_END)) {
			i = string_end(s, n, i);
			if (i > n)
				break;
			expect = value ? COMMA_OR_END : COLON;
		} else if (c == ':' && expect == COLON) {
			i++;
			expect = VALUE;
			continue;
		} else if (c == ',' && expect == COMMA_OR_END) {
			i++;
			expect = objects & 1 ? KEY : VALUE;
			continue;
		} else if ((c == '{' || c == '[') && value && depth < MAX_DEPTH) {
			i++;
			depth++;
			objects = objects << 1 | (c == '{');
			expect = c == '{' ? KEY_OR_END : VALUE_OR_END;
			continue;
		} else if ((c == '}' || c == ']') && depth && (objects & 1) == (c == '}') &&
			   (expect == COMMA_OR_END || expect == KEY_OR_END || expect == VALUE_OR_END)) {
			i++;
			depth--;
			objects >>= 1;
			expect = COMMA_OR_END;
		} else if (is_scalar(c) && value) {
			while (i < n && is_scalar(s[i]))
				i++;
			if (i == n)
				break;
			expect = COMMA_OR_END;
		} else {
			*len = i;
			return HD_JSON_BAD;
		}
		if (!depth && expect == COMMA_OR_END) {
			*len = i;
			return HD_JSON_WHOLE;
		}
	}
	*len = n;
	return HD_JSON_CUT;
}

/* Get the value at *at and move *at to the byte after the value.  Returns false if the value is not complete. */
static bool take_value(const char **at, const char *end, struct hd_json_text *value)
{
	size_t n;

	*at += hd_json_scan_blanks(*at, (size_t)(end - *at));
	if (hd_json_scan(*at, (size_t)(end - *at), &n) != HD_JSON_WHOLE)
		return false;
	*value = (struct hd_json_text){ *at, n };
	*at += n;
	return true;
}

/* Skip the opening bracket or the comma before the next item.  Returns false after the last item. */
static bool skip_to_next(const char **at, const char *end)
{
	if (*at >= end)
		return false;
	*at += hd_json_scan_blanks(*at, (size_t)(end - *at));
	if (*at >= end || (**at != '{' && **at != '[' && **at != ','))
		return false;
	(*at)++;
	*at += hd_json_scan_blanks(*at, (size_t)(end - *at));
	return *at < end && **at != '}' && **at != ']';
}

bool hd_json_scan_item(const char **at, const char *end, struct hd_json_text *value)
{
	return skip_to_next(at, end) && take_value(at, end, value);
}

bool hd_json_scan_member(const char **at, const char *end, struct hd_json_text *key, struct hd_json_text *value)
{
	size_t n;

	if (!skip_to_next(at, end))
		return false;
	n = string_end(*at, (size_t)(end - *at), 0);
	if (**at != '"' || n > (size_t)(end - *at))
		return false;
	*key = (struct hd_json_text){ *at + 1, n - 2 };
	*at += n;
	*at += hd_json_scan_blanks(*at, (size_t)(end - *at));
	if (*at >= end || **at != ':')
		return false;
	(*at)++;
	return take_value(at, end, value);
}

bool hd_json_text_is(struct hd_json_text t, const char *s)
{
	return strlen(s) == t.len && !memcmp(s, t.s, t.len);
}

bool hd_json_scan_string(struct hd_json_text value, struct hd_buf *out)
{
	struct hd_json_doc *doc;
	const char *text;
	size_t n;

	if (value.len < 2 || value.s[0] != '"')
		return false;
	if (!memchr(value.s, '\\', value.len)) {
		hd_buf_add(out, value.s + 1, value.len - 2);
		return true;
	}
	if (hd_json_parse(&doc, value.s, value.len, "string", NULL) < 0) {
		hd_buf_add(out, value.s + 1, value.len - 2);
		return true;
	}
	text = hd_json_string(hd_json_root(doc), &n);
	hd_buf_add(out, text, n);
	hd_json_free(doc);
	return true;
}

/* ---- numbers ---- */

struct decimal {
	unsigned __int128 digits;
	int exponent;		/* the number is digits * 10^exponent */
	bool negative;
};

enum { MANY_DIGITS = 36, FAR = 100000 };	/* 10^36 * 10 fits in 128 bits */

/*
 * Add the digits of one part of a number, before or after the point.  *kept counts the digits from the first one that
 * is not 0.  After MANY_DIGITS of them, a digit before the point only raises the exponent, and one after it is
 * dropped.  Returns the number of digits in this part.
 */
static size_t add_digits(struct decimal *d, const char *s, size_t n, int *kept, bool fraction)
{
	size_t i = 0;

	for (; i < n && s[i] >= '0' && s[i] <= '9'; i++) {
		if (*kept < MANY_DIGITS) {
			d->digits = d->digits * 10 + (unsigned)(s[i] - '0');
			*kept += d->digits != 0;
			d->exponent -= fraction && d->exponent > -FAR;
		} else {
			d->exponent += !fraction && d->exponent < FAR;
		}
	}
	return i;
}

static bool read_decimal(const char *s, size_t n, struct decimal *d)
{
	size_t i = 0, from;
	int kept = 0, exponent = 0;
	bool minus;

	*d = (struct decimal){ 0 };
	if (i < n && (s[i] == '-' || s[i] == '+'))
		d->negative = s[i++] == '-';
	from = i;
	i += add_digits(d, s + i, n - i, &kept, false);
	if (i == from)
		return false;
	if (i < n && s[i] == '.') {
		i++;
		i += add_digits(d, s + i, n - i, &kept, true);
	}
	if (i < n && (s[i] == 'e' || s[i] == 'E')) {
		i++;
		minus = i < n && s[i] == '-';
		i += i < n && (s[i] == '-' || s[i] == '+');
		from = i;
		for (; i < n && s[i] >= '0' && s[i] <= '9'; i++)
			exponent = exponent < FAR ? exponent * 10 + (s[i] - '0') : exponent;
		if (i == from)
			return false;
		d->exponent += minus ? -exponent : exponent;
	}
	return i == n;
}

bool hd_json_scan_int(struct hd_json_text value, int scale, int64_t *out)
{
	struct decimal d;
	unsigned last = 0;
	int e;

	if (value.len >= 2 && value.s[0] == '"')
		value = (struct hd_json_text){ value.s + 1, value.len - 2 };
	if (!read_decimal(value.s, value.len, &d))
		return false;
	for (e = d.exponent + scale; e > 0 && d.digits; e--) {
		if (d.digits > INT64_MAX)
			return false;
		d.digits *= 10;
	}
	for (; e < 0 && d.digits; e++) {
		last = (unsigned)(d.digits % 10);
		d.digits /= 10;
	}
	d.digits += e == 0 && last >= 5;
	if (d.digits > INT64_MAX)
		return false;
	*out = d.negative ? -(int64_t)d.digits : (int64_t)d.digits;
	return true;
}

