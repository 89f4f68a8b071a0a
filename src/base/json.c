/*
 * json.c - see json.h
 *
 * jansson turns numbers into 64-bit integers and doubles and so loses their
 * text.  The text therefore passes through mark() first, which copies it and
 *
 *     "name"   ->  "sname"         every string, keys too, gets a mark
 *     -1.50e3  ->  "n-1.50e3"      every number becomes a marked string
 *     \u0000   ->  \u00010         what jansson refuses in keys; \u0001 -> \u00011
 *
 * so that jansson judges the structure, the escapes, the UTF-8 and the
 * uniqueness of keys, and the number's text comes through.  Whether it *is* a
 * number by RFC 8259 is judged here.  A complaint of jansson is about a place in
 * the marked text; mark() runs again up to there to find the place in ours.
 *
 * What jansson built is then copied into arrays, so that members are reached by
 * index, and dropped.
 */
#include "base/json.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/encode.h"
#include "base/mem.h"

#include <errno.h>
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_BYTES = 64 << 20,
	MAX_DEPTH = 512,	/* make_value() recurses this deep */
	MAX_VALUES = 8 << 20,	/* what 64 MiB of "1," would need is more memory than a reader should take */
};

struct hd_json {
	enum hd_json_kind kind;
	bool truth;
	size_t n;			/* bytes of the text, items of the container */
	union {
		const char *text;	/* NUL-terminated, also when NULs are inside */
		const struct hd_json *items;
	};
	const struct key *keys;		/* of an object, one per item */
};

struct key {
	const char *text;
	size_t len;
};

struct hd_json_doc {
	struct hd_arena arena;
	struct hd_json root;
};

/* ---- the marked text ---- */

struct mark {
	const char *text;
	size_t len, at;			/* in our text */
	size_t token;			/* start of the token before `at` */
	bool number;			/* that token is a number */
	bool open;			/* it is a string that never ends */
	size_t depth, values;
	size_t stop;			/* end when the marked text has this many bytes */
	struct hd_buf out;
};

/* The one place where a message gets its file, line and column (in characters). */
static int fail_at(const struct mark *m, const char *path, size_t at, struct hd_err *err, const char *what)
{
	size_t line = 1, column = 1;

	for (size_t i = 0; i < at && i < m->len; i++) {
		if (m->text[i] == '\n') {
			line++;
			column = 1;
		} else if (((uint8_t)m->text[i] & 0xc0) != 0x80) {
			column++;
		}
	}
	return hd_fail(err, HD_EFORMAT, "%s:%zu:%zu: not valid JSON: %s", path, line, column, what);
}

static bool is_digit(const struct mark *m, size_t i)
{
	return i < m->len && m->text[i] >= '0' && m->text[i] <= '9';
}

static size_t digits(const struct mark *m, size_t i)
{
	while (is_digit(m, i))
		i++;
	return i;
}

/* -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?  Returns its end, or 0 when it is no number. */
static size_t number_end(const struct mark *m)
{
	size_t i = m->at, from;

	if (m->text[i] == '-')
		i++;
	if (!is_digit(m, i))
		return 0;
	i = m->text[i] == '0' ? i + 1 : digits(m, i);
	if (is_digit(m, i))
		return 0;
	if (i < m->len && m->text[i] == '.') {
		from = ++i;
		i = digits(m, i);
		if (i == from)
			return 0;
	}
	if (i < m->len && (m->text[i] == 'e' || m->text[i] == 'E')) {
		i++;
		if (i < m->len && (m->text[i] == '+' || m->text[i] == '-'))
			i++;
		from = i;
		i = digits(m, i);
		if (i == from)
			return 0;
	}
	return i;
}

static bool mark_number(struct mark *m)
{
	size_t end = number_end(m);

	if (!end)
		return false;
	hd_buf_adds(&m->out, "\"n");
	hd_buf_add(&m->out, m->text + m->at, end - m->at);
	hd_buf_addc(&m->out, '"');
	m->at = end;
	return true;
}

/* A string that never ends is copied as far as it goes: jansson will say so. */
static void mark_string(struct mark *m)
{
	size_t i = m->at + 1, from = i;

	hd_buf_adds(&m->out, "\"s");
	for (; i < m->len && m->text[i] != '"'; i++) {
		if (m->text[i] != '\\' || i + 1 >= m->len)
			continue;
		i++;
		if (m->len - i > 4 && (!memcmp(m->text + i, "u0000", 5) || !memcmp(m->text + i, "u0001", 5))) {
			char was = m->text[i + 4];

			hd_buf_add(&m->out, m->text + from, i + 4 - from);
			hd_buf_addc(&m->out, '1');
			hd_buf_addc(&m->out, was);
			i += 4;
			from = i + 1;
		}
	}
	m->open = i >= m->len;
	i += !m->open;
	hd_buf_add(&m->out, m->text + from, i - from);
	m->at = i;
}

static bool is_letter(const struct mark *m, size_t i)
{
	return i < m->len && (m->text[i] | 32) >= 'a' && (m->text[i] | 32) <= 'z';
}

/* One token.  Returns what is wrong with it and jansson would not see, or NULL. */
static const char *mark_token(struct mark *m)
{
	char c = m->text[m->at];
	bool after_number = m->number;

	if (c == ':' && after_number)
		return "a number cannot be a key";
	m->token = m->at;
	m->number = c == '-' || is_digit(m, m->at);
	m->values += m->number || c == '"' || c == '[' || c == '{' || is_letter(m, m->at);
	if (m->number)
		return mark_number(m) ? NULL : "a number is not written as JSON wants it";
	if (c == '"') {
		mark_string(m);
		return NULL;
	}
	if (c == '[' || c == '{')
		m->depth++;
	else if ((c == ']' || c == '}') && m->depth)
		m->depth--;
	do
		hd_buf_addc(&m->out, m->text[m->at++]);
	while (is_letter(m, m->at) && is_letter(m, m->at - 1));
	return NULL;
}

static int mark(struct mark *m, const char *path, struct hd_err *err)
{
	const char *wrong;
	char what[96];

	while (m->at < m->len && m->out.len < m->stop) {
		if (memchr(" \t\r\n", m->text[m->at], 4)) {
			hd_buf_addc(&m->out, m->text[m->at++]);
			continue;
		}
		wrong = mark_token(m);
		if (wrong)
			return fail_at(m, path, m->token, err, wrong);
		if (m->depth > MAX_DEPTH) {
			snprintf(what, sizeof(what), "more than %d arrays and objects inside each other", MAX_DEPTH);
			return fail_at(m, path, m->token, err, what);
		}
		if (m->values > MAX_VALUES) {
			snprintf(what, sizeof(what), "more than %d values", MAX_VALUES);
			return fail_at(m, path, m->token, err, what);
		}
	}
	return 0;
}

/* ---- jansson's complaint, in our words and at our place ---- */

static size_t first_bad_utf8(const struct mark *m, size_t at)
{
	uint32_t cp;
	size_t n = 1;

	for (; at < m->len && n; at += n)
		n = hd_utf8_decode(m->text + at, m->len - at, &cp);
	return at;
}

static int explain(const struct mark *marked, const json_error_t *je, const char *path, struct hd_err *err)
{
	struct mark m = { .text = marked->text, .len = marked->len };
	struct hd_buf what = { 0 };
	size_t shown;
	int rc;

	m.stop = je->position > 0 ? (size_t)je->position : 0;
	mark(&m, path, NULL);
	shown = m.at - m.token;
	if (shown > 40)
		shown = 40;
	switch (m.open ? json_error_premature_end_of_input : json_error_code(je)) {
	case json_error_premature_end_of_input:
		hd_buf_adds(&what, "the text ends too early");
		m.token = m.len;
		break;
	case json_error_invalid_utf8:
		hd_buf_adds(&what, "not UTF-8");
		m.token = first_bad_utf8(&m, m.token);
		break;
	case json_error_duplicate_key:
		hd_buf_addf(&what, "the key %.*s occurs twice", (int)shown, m.text + m.token);
		break;
	case json_error_end_of_input_expected:
		hd_buf_addf(&what, "the value has ended, but '%.*s' follows", (int)shown, m.text + m.token);
		break;
	default:
		hd_buf_addf(&what, "'%.*s' is wrong or does not belong here", (int)shown, m.text + m.token);
	}
	rc = fail_at(&m, path, m.token, err, hd_buf_str(&what));
	hd_buf_release(&what);
	hd_buf_release(&m.out);
	return rc;
}

/* ---- from jansson's values to ours ---- */

/* The bytes behind the mark, \u0001 undone. */
static const char *unmark(struct hd_arena *a, const char *s, size_t n, size_t *len)
{
	char *text = hd_arena_strndup(a, s + 1, n - 1), *to;

	*len = n - 1;
	to = memchr(text, 1, *len);
	if (!to)
		return text;
	for (const char *from = to, *end = text + *len; from < end; from++) {
		if (*from == 1 && from + 1 < end)
			*to++ = (char)(*++from - '0');
		else
			*to++ = *from;
	}
	*to = '\0';
	*len = (size_t)(to - text);
	return text;
}

static void make_value(struct hd_arena *a, json_t *from, struct hd_json *v);

static void make_array(struct hd_arena *a, json_t *from, struct hd_json *v)
{
	size_t n = json_array_size(from);
	struct hd_json *items = hd_arena_alloc(a, n * sizeof(*items));

	*v = (struct hd_json){ .kind = HD_JSON_ARRAY, .n = n, .items = items };
	for (size_t i = 0; i < n; i++)
		make_value(a, json_array_get(from, i), &items[i]);
}

/* jansson iterates in the order of insertion, which is that of the text. */
static void make_object(struct hd_arena *a, json_t *from, struct hd_json *v)
{
	size_t n = json_object_size(from), i = 0;
	struct hd_json *items = hd_arena_alloc(a, n * sizeof(*items));
	struct key *keys = hd_arena_alloc(a, n * sizeof(*keys));

	*v = (struct hd_json){ .kind = HD_JSON_OBJECT, .n = n, .items = items, .keys = keys };
	for (void *it = json_object_iter(from); it && i < n; it = json_object_iter_next(from, it), i++) {
		keys[i].text = unmark(a, json_object_iter_key(it), json_object_iter_key_len(it), &keys[i].len);
		make_value(a, json_object_iter_value(it), &items[i]);
	}
}

static void make_value(struct hd_arena *a, json_t *from, struct hd_json *v)
{
	switch (json_typeof(from)) {
	case JSON_OBJECT:
		make_object(a, from, v);
		break;
	case JSON_ARRAY:
		make_array(a, from, v);
		break;
	case JSON_STRING:
		*v = (struct hd_json){ .kind = *json_string_value(from) == 'n' ? HD_JSON_NUMBER : HD_JSON_STRING };
		v->text = unmark(a, json_string_value(from), json_string_length(from), &v->n);
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		*v = (struct hd_json){ .kind = HD_JSON_BOOL, .truth = json_is_true(from) };
		break;
	case JSON_NULL:
	case JSON_INTEGER:	/* no number is left in the marked text */
	case JSON_REAL:
		*v = (struct hd_json){ .kind = HD_JSON_NULL };
		break;
	}
}

int hd_json_parse(struct hd_json_doc **out, const char *text, size_t len, const char *path, struct hd_err *err)
{
	struct mark m = { .text = text, .len = len, .stop = SIZE_MAX };
	struct hd_json_doc *doc;
	json_error_t je;
	json_t *root;
	int rc;

	if (len > MAX_BYTES)
		return hd_fail(err, HD_EFORMAT, "%s: %zu bytes of JSON are more than the %d that are read", path, len,
			MAX_BYTES);
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		return fail_at(&m, path, 0, err, "it begins with a byte order mark");
	rc = mark(&m, path, err);
	if (rc < 0) {
		hd_buf_release(&m.out);
		return rc;
	}
	errno = 0;
	/* Its strings lose characters, and say nothing, where memory is lacking. */
	json_set_alloc_funcs(hd_alloc, free);
	root = json_loadb(hd_buf_str(&m.out), m.out.len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &je);
	if (!root && errno == ENOMEM)	/* jansson does not always say so */
		hd_out_of_memory("jansson");
	if (!root) {
		rc = explain(&m, &je, path, err);
		hd_buf_release(&m.out);
		return rc;
	}
	hd_buf_release(&m.out);
	doc = hd_new(struct hd_json_doc);
	make_value(&doc->arena, root, &doc->root);
	json_decref(root);
	*out = doc;
	return 0;
}

void hd_json_free(struct hd_json_doc *doc)
{
	if (!doc)
		return;
	hd_arena_release(&doc->arena);
	free(doc);
}

/* ---- reading ---- */

const struct hd_json *hd_json_root(const struct hd_json_doc *doc)
{
	return &doc->root;
}

enum hd_json_kind hd_json_kind(const struct hd_json *v)
{
	return v->kind;
}

bool hd_json_bool(const struct hd_json *v)
{
	return v->kind == HD_JSON_BOOL && v->truth;
}

const char *hd_json_number(const struct hd_json *v)
{
	return v->kind == HD_JSON_NUMBER ? v->text : "";
}

const char *hd_json_string(const struct hd_json *v, size_t *len)
{
	bool yes = v->kind == HD_JSON_STRING;

	if (len)
		*len = yes ? v->n : 0;
	return yes ? v->text : "";
}

size_t hd_json_count(const struct hd_json *v)
{
	return v->kind == HD_JSON_ARRAY || v->kind == HD_JSON_OBJECT ? v->n : 0;
}

const struct hd_json *hd_json_at(const struct hd_json *array, size_t i)
{
	return array->kind == HD_JSON_ARRAY && i < array->n ? &array->items[i] : NULL;
}

const struct hd_json *hd_json_member(const struct hd_json *object, size_t i, const char **key, size_t *key_len)
{
	if (object->kind != HD_JSON_OBJECT || i >= object->n)
		return NULL;
	*key = object->keys[i].text;
	if (key_len)
		*key_len = object->keys[i].len;
	return &object->items[i];
}

const struct hd_json *hd_json_get(const struct hd_json *object, const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 0; i < hd_json_count(object) && object->kind == HD_JSON_OBJECT; i++)
		if (object->keys[i].len == len && !memcmp(object->keys[i].text, key, len))
			return &object->items[i];
	return NULL;
}
