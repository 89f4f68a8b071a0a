/*
 * config_text.c - see config_text.h
 *
 * The reader makes an array of values in the order of the text.  The values of a container are a linked list; when an
 * object ends, its list is sorted.  The writer then follows the lists.
 */
#include "track/config_text.h"

#include "track/decimal.h"
#include "track/digest.h"
#include "track/utf8.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum kind { WORD, NUMBER, STRING, ARRAY, OBJECT };	/* WORD: null, true or false */

#define NONE UINT32_MAX

/* A growing array of bytes.  After a failed allocation nothing is added any more. */
struct bytes {
	char *data;
	size_t len, cap;
	bool failed;
};

struct value {
	enum kind kind;
	/* for a word, number or string: offset and length of its text in reader.texts; a NUL follows */
	uint32_t text, len;
	uint32_t key, key_len;		/* of a member */
	uint32_t parent, next;		/* NONE: the root; the last one of its container */
	uint32_t first, last, n;	/* of a container */
};

struct member {
	const char *key;
	uint32_t len, value;
};

struct reader {
	const char *json;
	size_t n, at;
	struct bytes texts;
	struct value *values;
	size_t nvalues, values_cap;
	struct member *members;		/* scratch space for sorting */
	size_t members_cap;
};

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

static void add(struct bytes *b, const char *s, size_t n)
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

static void add_byte(struct bytes *b, char c)
{
	add(b, &c, 1);
}

/* ---- reading ---- */

static bool is_digit(const struct reader *r, size_t i)
{
	return i < r->n && r->json[i] >= '0' && r->json[i] <= '9';
}

/* Return the next byte that is not white space, or 0 at the end. */
static char peek(struct reader *r)
{
	while (r->at < r->n && r->json[r->at] && strchr(" \t\r\n", r->json[r->at]))
		r->at++;
	return r->at < r->n ? r->json[r->at] : '\0';
}

/* Skip digits.  Returns false if there is none. */
static bool skip_digits(struct reader *r)
{
	size_t from = r->at;

	while (is_digit(r, r->at))
		r->at++;
	return r->at > from;
}

/* -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)? */
static bool skip_number(struct reader *r)
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

static bool hex4(const struct reader *r, size_t at, uint32_t *v)
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

static void add_utf8(struct bytes *b, uint32_t cp)
{
	if (cp < 0x80) {
		add_byte(b, (char)cp);
	} else if (cp < 0x800) {
		add_byte(b, (char)(0xc0 | cp >> 6));
	} else if (cp < 0x10000) {
		add_byte(b, (char)(0xe0 | cp >> 12));
		add_byte(b, (char)(0x80 | (cp >> 6 & 0x3f)));
	} else {
		add_byte(b, (char)(0xf0 | cp >> 18));
		add_byte(b, (char)(0x80 | (cp >> 12 & 0x3f)));
		add_byte(b, (char)(0x80 | (cp >> 6 & 0x3f)));
	}
	if (cp >= 0x80)
		add_byte(b, (char)(0x80 | (cp & 0x3f)));
}

/* Read the escape after a backslash. */
static bool read_escape(struct reader *r)
{
	static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
	char c = r->at < r->n ? r->json[r->at] : '\0';
	const char *name = c ? strchr(names, c) : NULL;
	uint32_t cp, low;

	r->at++;
	if (name) {
		add_byte(&r->texts, bytes[name - names]);
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

/* Read the string at r->at, which may be something else. */
static bool read_string(struct reader *r, uint32_t *text, uint32_t *len)
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
		add(&r->texts, s, step);
		r->at += step;
	}
	if (r->at >= r->n)
		return false;
	r->at++;
	*len = (uint32_t)r->texts.len - *text;
	add_byte(&r->texts, '\0');
	return true;
}

static bool read_word(struct reader *r)
{
	static const char *const words[] = { "null", "true", "false" };

	for (size_t i = 0; i < COUNT(words); i++) {
		size_t n = strlen(words[i]);

		if (r->n - r->at >= n && !memcmp(r->json + r->at, words[i], n)) {
			r->at += n;
			return true;
		}
	}
	return false;
}

/*
 * Read a value at a position that has one into *v; for a container, read only its opening bracket.
 * Returns HD_TRACK_OK or INVALID.
 */
static int read_value(struct reader *r, struct value *v)
{
	char c = peek(r);
	size_t from = r->at;
	bool valid = true;

	v->text = (uint32_t)r->texts.len;
	if (c == '[' || c == '{') {
		v->kind = c == '[' ? ARRAY : OBJECT;
		r->at++;
	} else if (c == '"') {
		v->kind = STRING;
		valid = read_string(r, &v->text, &v->len);
	} else {
		v->kind = c == '-' || is_digit(r, r->at) ? NUMBER : WORD;
		valid = v->kind == NUMBER ? skip_number(r) : read_word(r);
		v->len = (uint32_t)(r->at - from);
		add(&r->texts, r->json + from, v->len);
		add_byte(&r->texts, '\0');
	}
	return valid ? HD_TRACK_OK : HD_TRACK_INVALID;
}

/* The order of UTF-16 units is that of code points, except that surrogates (D800..DFFF) sort before E000..FFFF. */
static uint32_t first_unit(uint32_t cp)
{
	return cp < 0x10000 ? cp : 0xd7c0 + (cp >> 10);
}

static int by_utf16(const void *pa, const void *pb)
{
	const struct member *a = pa, *b = pb;
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

/* Sort the list of an object that has ended.  Returns HD_TRACK_OK, NOMEM, or INVALID if a key occurs twice. */
static int sort_members(struct reader *r, struct value *object)
{
	void *scratch = r->members;
	uint32_t *link = &object->first;
	size_t n = 0;
	int rc = reserve(&scratch, &r->members_cap, object->n, sizeof(*r->members));

	r->members = scratch;
	if (rc < 0)
		return rc;
	for (uint32_t i = object->first; i != NONE; i = r->values[i].next)
		r->members[n++] = (struct member){ r->texts.data + r->values[i].key, r->values[i].key_len, i };
	if (n > 1)
		qsort(r->members, n, sizeof(*r->members), by_utf16);
	for (size_t i = 0; i < n; i++) {
		if (i && !by_utf16(&r->members[i - 1], &r->members[i]))
			return HD_TRACK_INVALID;
		*link = r->members[i].value;
		link = &r->values[*link].next;
	}
	*link = NONE;
	return HD_TRACK_OK;
}

/* Add a value to the list of `parent`. */
static int add_value(struct reader *r, struct value v, uint32_t parent)
{
	void *values = r->values;
	uint32_t at = (uint32_t)r->nvalues;
	int rc = reserve(&values, &r->values_cap, r->nvalues + 1, sizeof(v));

	r->values = values;
	if (rc < 0)
		return rc;
	v.parent = parent;
	v.next = v.first = v.last = NONE;
	r->values[r->nvalues++] = v;
	if (parent != NONE) {
		struct value *p = &r->values[parent];

		*(p->n++ ? &r->values[p->last].next : &p->first) = at;
		p->last = at;
	}
	return HD_TRACK_OK;
}

/* Read the next item of `parent`: a value, with its key if `parent` is an object. */
static int read_item(struct reader *r, uint32_t parent)
{
	struct value v = { .kind = WORD };
	int rc;

	if (parent != NONE && r->values[parent].kind == OBJECT) {
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

/* End all containers that end at r->at.  *open is the innermost one that has not ended. */
static int read_ends(struct reader *r, uint32_t *open, unsigned *depth)
{
	while (*open != NONE) {
		struct value *v = &r->values[*open];
		int rc = HD_TRACK_OK;

		if (peek(r) != (v->kind == ARRAY ? ']' : '}'))
			return HD_TRACK_OK;
		r->at++;
		--*depth;
		*open = v->parent;
		if (v->kind == OBJECT)
			rc = sort_members(r, v);
		if (rc < 0)
			return rc;
	}
	return HD_TRACK_OK;
}

static int read_document(struct reader *r)
{
	uint32_t open = NONE;
	unsigned depth = 0;
	int rc;

	do {
		if (open != NONE && r->values[open].n) {
			if (peek(r) != ',')
				return HD_TRACK_INVALID;
			r->at++;
		}
		rc = read_item(r, open);
		if (rc >= 0 && r->values[r->nvalues - 1].kind >= ARRAY) {
			open = (uint32_t)r->nvalues - 1;
			rc = ++depth > HD_CONFIG_DEPTH_MAX ? HD_TRACK_INVALID : rc;
		}
		if (rc >= 0)
			rc = read_ends(r, &open, &depth);
		if (rc < 0)
			return rc;
	} while (open != NONE);
	return peek(r) || r->at < r->n ? HD_TRACK_INVALID : HD_TRACK_OK;
}

/* ---- writing ---- */

struct writer {
	const struct reader *r;
	struct hd_config_text *out;
	struct bytes text;
	enum hd_float_form form;
};

static void put_text(struct writer *w, const char *s)
{
	add(&w->text, s, strlen(s));
}

static void put_string(struct writer *w, uint32_t text, uint32_t len)
{
	static const char short_form[32] = { ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r' };
	const char *s = w->r->texts.data + text;

	add_byte(&w->text, '"');
	for (uint32_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c >= 0x20 && c != '"' && c != '\\') {
			add_byte(&w->text, (char)c);
		} else if (c >= 0x20 || short_form[c]) {
			add_byte(&w->text, '\\');
			add_byte(&w->text, c >= 0x20 ? (char)c : short_form[c]);
		} else {
			put_text(w, c < 0x10 ? "\\u000" : "\\u001");
			add_byte(&w->text, "0123456789abcdef"[c & 15]);
		}
	}
	add_byte(&w->text, '"');
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

/* Write a value; for a container, write only its opening bracket. */
static int put_begin(struct writer *w, const struct value *v)
{
	switch (v->kind) {
	case WORD:
		add(&w->text, w->r->texts.data + v->text, v->len);
		break;
	case NUMBER:
		return put_number(w, w->r->texts.data + v->text);
	case STRING:
		put_string(w, v->text, v->len);
		break;
	case ARRAY:
	case OBJECT:
		add_byte(&w->text, v->kind == ARRAY ? '[' : '{');
		break;
	}
	return HD_TRACK_OK;
}

/* Write the value with the index `root` by RFC 8785. */
static int put_jcs(struct writer *w, uint32_t root)
{
	const struct value *values = w->r->values, *v;
	uint32_t at = root;
	int rc;

	for (;;) {
		v = &values[at];
		if (at != root && values[v->parent].kind == OBJECT) {
			put_string(w, v->key, v->key_len);
			add_byte(&w->text, ':');
		}
		rc = put_begin(w, v);
		if (rc < 0)
			return rc;
		if (v->kind >= ARRAY && v->n) {
			at = v->first;
			continue;
		}
		for (;;) {
			if (v->kind >= ARRAY)
				add_byte(&w->text, v->kind == ARRAY ? ']' : '}');
			if (at == root)
				return HD_TRACK_OK;
			if (v->next != NONE)
				break;
			at = v->parent;
			v = &values[at];
		}
		add_byte(&w->text, ',');
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
	return w->r->values[at].kind == STRING ? put_jcs(w, at) : wrong(w, key, "a string");
}

static int put_f32(struct writer *w, const char *key, uint32_t at)
{
	const struct value *v = &w->r->values[at];
	char out[HD_NUM_TEXT];
	float f;

	if (v->kind != NUMBER)
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
	const struct value *v = &w->r->values[at];
	const char *text = w->r->texts.data + v->text;

	if (v->kind != NUMBER || text[strspn(text, "0123456789")])
		return wrong(w, key, "an unsigned 64-bit integer, written in digits only");
	/* JSON has no leading zeros. */
	if (v->len > strlen(most) || (v->len == strlen(most) && strcmp(text, most) > 0))
		return wrong(w, key, "at most 18446744073709551615");
	put_text(w, text);
	return HD_TRACK_OK;
}

static int put_flags(struct writer *w, const char *key, uint32_t at)
{
	const struct value *values = w->r->values;
	bool valid = values[at].kind == STRING || values[at].kind == ARRAY;

	for (uint32_t i = valid ? values[at].first : NONE; i != NONE; i = values[i].next)
		valid &= values[i].kind == STRING;
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

/* Return the member of the root with that key, or NONE. */
static uint32_t member_of(const struct reader *r, const char *key)
{
	for (uint32_t i = r->values[0].first; i != NONE; i = r->values[i].next)
		if (r->values[i].key_len == strlen(key) && !strcmp(r->texts.data + r->values[i].key, key))
			return i;
	return NONE;
}

static bool is_struct(const struct reader *r)
{
	if (r->values[0].kind != OBJECT || r->values[0].n != COUNT(fields))
		return false;
	for (size_t i = 0; i < COUNT(fields); i++)
		if (member_of(r, fields[i].key) == NONE)
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
	add_byte(&w->text, '}');
	return rc;
}

static int write_text(struct writer *w)
{
	int rc;

	w->out->is_struct = is_struct(w->r);
	rc = w->out->is_struct ? put_struct(w) : put_jcs(w, 0);
	w->out->len = w->text.len;
	add_byte(&w->text, '\0');
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
	struct reader r = { .json = json, .n = n };
	struct writer w = { .r = &r, .out = out, .form = form };
	/* In glibc and musl this locale is a constant, so it need not be freed. */
	locale_t before = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
	int errno_was = errno, rc;

	*out = (struct hd_config_text){ 0 };
	rc = n > HD_CONFIG_BYTES_MAX ? HD_TRACK_INVALID : read_document(&r);
	if (rc >= 0)
		rc = write_text(&w);
	free(r.texts.data);
	free(r.values);
	free(r.members);
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
