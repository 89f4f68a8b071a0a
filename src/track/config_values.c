/*
 * config_values.c - see config_values.h
 */
#include "track/config_values.h"

#include "track/utf8.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

/* Make room for `want` elements.  Returns HD_TRACK_OK or NOMEM. */
static int reserve(void **array, size_t *cap, size_t want, size_t size)
{
	size_t more = *cap ? *cap : 16;
	void *p;

	if (want <= *cap)
		return HD_TRACK_OK;
	while (more < want)
		more *= 2;
	p = realloc(*array, more * size);
	if (!p)
		return HD_TRACK_NOMEM;
	*array = p;
	*cap = more;
	return HD_TRACK_OK;
}

void hd_config_bytes_add(struct hd_config_bytes *b, const char *s, size_t n)
{
	void *data = b->data;

	if (!b->failed && reserve(&data, &b->cap, b->len + n, 1) < 0)
		b->failed = true;
	b->data = data;
	if (b->failed || !n)
		return;
	memcpy(b->data + b->len, s, n);
	b->len += n;
}

void hd_config_bytes_add_byte(struct hd_config_bytes *b, char c)
{
	hd_config_bytes_add(b, &c, 1);
}

/* ---- reading ---- */

static bool is_digit(const struct hd_config_reader *r, size_t i)
{
	return i < r->n && r->json[i] >= '0' && r->json[i] <= '9';
}

/* Skip white space.  Return the byte after it, which is not skipped, or 0 at the end. */
static char peek(struct hd_config_reader *r)
{
	while (r->at < r->n && r->json[r->at] && strchr(" \t\r\n", r->json[r->at]))
		r->at++;
	return r->at < r->n ? r->json[r->at] : '\0';
}

/* Skip digits.  Returns false if there is none. */
static bool skip_digits(struct hd_config_reader *r)
{
	size_t from = r->at;

	while (is_digit(r, r->at))
		r->at++;
	return r->at > from;
}

/* Skip a number: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?  Returns false if there is none. */
static bool skip_number(struct hd_config_reader *r)
{
	size_t from;

	r->at += r->json[r->at] == '-';
	from = r->at;
	if (!skip_digits(r) || (r->json[from] == '0' && r->at > from + 1))
		return false;
	if (r->at < r->n && r->json[r->at] == '.') {
		r->at++;
		if (!skip_digits(r))
			return false;
	}
	if (r->at < r->n && (r->json[r->at] == 'e' || r->json[r->at] == 'E')) {
		r->at++;
		if (r->at < r->n && (r->json[r->at] == '+' || r->json[r->at] == '-'))
			r->at++;
		return skip_digits(r);
	}
	return true;
}

static bool hex4(const struct hd_config_reader *r, size_t at, uint32_t *v)
{
	*v = 0;
	for (size_t i = at; i < at + 4; i++) {
		char c = i < r->n ? r->json[i] : '\0', letter = c | 0x20;

		if (c >= '0' && c <= '9')
			*v = *v << 4 | (uint32_t)(c - '0');
		else if (letter >= 'a' && letter <= 'f')
			*v = *v << 4 | (uint32_t)(letter - 'a' + 10);
		else
			return false;
	}
	return true;
}

static void add_utf8(struct hd_config_bytes *b, uint32_t cp)
{
	if (cp < 0x80) {
		hd_config_bytes_add_byte(b, (char)cp);
	} else if (cp < 0x800) {
		hd_config_bytes_add_byte(b, (char)(0xc0 | cp >> 6));
	} else if (cp < 0x10000) {
		hd_config_bytes_add_byte(b, (char)(0xe0 | cp >> 12));
		hd_config_bytes_add_byte(b, (char)(0x80 | (cp >> 6 & 0x3f)));
	} else {
		hd_config_bytes_add_byte(b, (char)(0xf0 | cp >> 18));
		hd_config_bytes_add_byte(b, (char)(0x80 | (cp >> 12 & 0x3f)));
		hd_config_bytes_add_byte(b, (char)(0x80 | (cp >> 6 & 0x3f)));
	}
	if (cp >= 0x80)
		hd_config_bytes_add_byte(b, (char)(0x80 | (cp & 0x3f)));
}

/* Read the escape after a backslash. */
static bool read_escape(struct hd_config_reader *r)
{
	static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
	char c = r->at < r->n ? r->json[r->at] : '\0';
	const char *name = c ? strchr(names, c) : NULL;
	uint32_t cp, low;

	r->at++;
	if (name) {
		hd_config_bytes_add_byte(&r->texts, bytes[name - names]);
		return true;
	}
	if (c != 'u' || !hex4(r, r->at, &cp) || (cp >= 0xdc00 && cp < 0xe000))
		return false;
	r->at += 4;
	if (cp >= 0xd800 && cp < 0xdc00) {
		if (r->n - r->at < 2 || r->json[r->at] != '\\' || r->json[r->at + 1] != 'u' ||
		    !hex4(r, r->at + 2, &low) || low < 0xdc00 || low >= 0xe000)
			return false;
		r->at += 6;
		cp = 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00);
	}
	add_utf8(&r->texts, cp);
	return true;
}

/* Read the string at r->at and append its text to r->texts.  Returns false if there is no valid string. */
static bool read_string(struct hd_config_reader *r, uint32_t *text, uint32_t *len)
{
	uint32_t cp;

	*text = (uint32_t)r->texts.len;
	if (r->at >= r->n || r->json[r->at] != '"')
		return false;
	for (r->at++; r->at < r->n && r->json[r->at] != '"'; ) {
		const char *s = r->json + r->at;
		size_t step;

		if (*s == '\\') {
			r->at++;
			if (!read_escape(r))
				return false;
			continue;
		}
		step = hd_track_utf8(s, r->n - r->at, &cp);
		if (!step || cp < 0x20)
			return false;
		hd_config_bytes_add(&r->texts, s, step);
		r->at += step;
	}
	if (r->at >= r->n)
		return false;
	r->at++;
	*len = (uint32_t)r->texts.len - *text;
	hd_config_bytes_add_byte(&r->texts, '\0');
	return true;
}

static bool read_word(struct hd_config_reader *r)
{
	static const char *const words[] = { "null", "true", "false" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]);

		if (r->n - r->at >= n && !memcmp(r->json + r->at, words[i], n)) {
			r->at += n;
			return true;
		}
	}
	return false;
}

/*
 * Read the value at r->at into *v.  If it is an array or an object, read only its opening bracket.  Returns HD_TRACK_OK
 * or INVALID.
 */
static int read_value(struct hd_config_reader *r, struct hd_config_value *v)
{
	char c = peek(r);
	size_t from = r->at;
	bool valid = true;

	v->text = (uint32_t)r->texts.len;
	if (c == '[' || c == '{') {
		v->kind = c == '[' ? HD_CONFIG_ARRAY : HD_CONFIG_OBJECT;
		r->at++;
	} else if (c == '"') {
		v->kind = HD_CONFIG_STRING;
		valid = read_string(r, &v->text, &v->len);
	} else {
		v->kind = c == '-' || is_digit(r, r->at) ? HD_CONFIG_NUMBER : HD_CONFIG_WORD;
		valid = v->kind == HD_CONFIG_NUMBER ? skip_number(r) : read_word(r);
		v->len = (uint32_t)(r->at - from);
		hd_config_bytes_add(&r->texts, r->json + from, v->len);
		hd_config_bytes_add_byte(&r->texts, '\0');
	}
	return valid ? HD_TRACK_OK : HD_TRACK_INVALID;
}

/*
 * Return the first UTF-16 unit of a code point.  Keys are sorted by UTF-16 units.  That is the order of code points,
 * except that those above U+FFFF, which begin with a surrogate (D800..DBFF), sort before U+E000..U+FFFF.
 */
static uint32_t first_unit(uint32_t cp)
{
	return cp < 0x10000 ? cp : 0xd7c0 + (cp >> 10);
}

static int by_utf16(const void *pa, const void *pb)
{
	const struct hd_config_member *a = pa, *b = pb;
	size_t n = a->len < b->len ? a->len : b->len, i = 0;
	uint32_t ca = 0, cb = 0;

	while (i < n && a->key[i] == b->key[i])
		i++;
	if (i == n)
		return (a->len > b->len) - (a->len < b->len);
	while (i > 0 && ((unsigned char)a->key[i] & 0xc0) == 0x80)
		i--;			/* to the start of the first different character */
	hd_track_utf8(a->key + i, a->len - i, &ca);
	hd_track_utf8(b->key + i, b->len - i, &cb);
	if (first_unit(ca) != first_unit(cb))
		return first_unit(ca) < first_unit(cb) ? -1 : 1;
	return (ca > cb) - (ca < cb);
}

/* An object has ended: sort its members by key.  Returns HD_TRACK_OK, NOMEM, or INVALID if a key occurs twice. */
static int sort_members(struct hd_config_reader *r, struct hd_config_value *object)
{
	void *scratch = r->members;
	uint32_t *link = &object->first;
	size_t n = 0;
	int rc = reserve(&scratch, &r->members_cap, object->n, sizeof(*r->members));

	r->members = scratch;
	if (rc < 0)
		return rc;
	for (uint32_t i = object->first; i != HD_CONFIG_NONE; i = r->values[i].next)
		r->members[n++] = (struct hd_config_member){ r->texts.data + r->values[i].key, r->values[i].key_len,
			i };
	if (n > 1)
		qsort(r->members, n, sizeof(*r->members), by_utf16);
	for (size_t i = 0; i < n; i++) {
		if (i && !by_utf16(&r->members[i - 1], &r->members[i]))
			return HD_TRACK_INVALID;
		*link = r->members[i].value;
		link = &r->values[*link].next;
	}
	*link = HD_CONFIG_NONE;
	return HD_TRACK_OK;
}

/* Add a value to the list of `parent`. */
static int add_value(struct hd_config_reader *r, struct hd_config_value v, uint32_t parent)
{
	void *values = r->values;
	uint32_t at = (uint32_t)r->nvalues;
	int rc = reserve(&values, &r->values_cap, r->nvalues + 1, sizeof(v));

	r->values = values;
	if (rc < 0)
		return rc;
	v.parent = parent;
	v.next = v.first = v.last = HD_CONFIG_NONE;
	r->values[r->nvalues++] = v;
	if (parent != HD_CONFIG_NONE) {
		struct hd_config_value *p = &r->values[parent];

		*(p->n++ ? &r->values[p->last].next : &p->first) = at;
		p->last = at;
	}
	return HD_TRACK_OK;
}

/* Read the next item of `parent`: a value, with its key if `parent` is an object. */
static int read_item(struct hd_config_reader *r, uint32_t parent)
{
	struct hd_config_value v = { .kind = HD_CONFIG_WORD };
	int rc;

	if (parent != HD_CONFIG_NONE && r->values[parent].kind == HD_CONFIG_OBJECT) {
		peek(r);
		if (!read_string(r, &v.key, &v.key_len) || peek(r) != ':')
			return HD_TRACK_INVALID;
		r->at++;
	}
	rc = read_value(r, &v);
	if (rc >= 0 && r->texts.failed)
		rc = HD_TRACK_NOMEM;
	return rc < 0 ? rc : add_value(r, v, parent);
}

/* Read the closing brackets at r->at.  *open becomes the innermost array or object still open, or HD_CONFIG_NONE. */
static int read_ends(struct hd_config_reader *r, uint32_t *open, unsigned *depth)
{
	while (*open != HD_CONFIG_NONE) {
		struct hd_config_value *v = &r->values[*open];
		int rc = HD_TRACK_OK;

		if (peek(r) != (v->kind == HD_CONFIG_ARRAY ? ']' : '}'))
			return HD_TRACK_OK;
		r->at++;
		--*depth;
		*open = v->parent;
		if (v->kind == HD_CONFIG_OBJECT)
			rc = sort_members(r, v);
		if (rc < 0)
			return rc;
	}
	return HD_TRACK_OK;
}

int hd_config_read_values(struct hd_config_reader *r)
{
	uint32_t open = HD_CONFIG_NONE;
	unsigned depth = 0;
	int rc;

	do {
		if (open != HD_CONFIG_NONE && r->values[open].n) {
			if (peek(r) != ',')
				return HD_TRACK_INVALID;
			r->at++;
		}
		rc = read_item(r, open);
		if (rc >= 0 && r->values[r->nvalues - 1].kind >= HD_CONFIG_ARRAY) {
			open = (uint32_t)r->nvalues - 1;
			rc = ++depth > HD_CONFIG_DEPTH_MAX ? HD_TRACK_INVALID : rc;
		}
		if (rc >= 0)
			rc = read_ends(r, &open, &depth);
		if (rc < 0)
			return rc;
	} while (open != HD_CONFIG_NONE);
	return peek(r) || r->at < r->n ? HD_TRACK_INVALID : HD_TRACK_OK;
}

void hd_config_reader_release(struct hd_config_reader *r)
{
	free(r->texts.data);
	free(r->values);
	free(r->members);
}
