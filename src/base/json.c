/*
 * json.c - see json.h
 *
 * This is a recursive-descent parser.  The items of all open arrays and objects are on one stack; when a container
 * ends, its items move from the stack to an array in the document's arena.
 *
 * jansson is not used: it converts numbers to 64-bit integers and doubles and loses their text.
 */
#include "base/json.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/encode.h"
#include "base/hash.h"
#include "base/hash_index.h"
#include "base/hex.h"
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_BYTES = 64 << 20,
	MAX_DEPTH = 512,	/* read_value() recurses this deep */
	/* maximum number of values, which bounds the memory: 64 MiB of "1," would be 33 million values */
	MAX_VALUES = 8 << 20,
	FEW_KEYS = 8,		/* the keys of an object with at most 8 are compared in pairs, without a hash table */
	SHOWN = 40,		/* bytes of a token in a message */
};

struct hd_json {
	enum hd_json_kind kind;
	bool truth;
	size_t n;			/* length of the text in bytes, or number of items of the container */
	union {
		const char *text;	/* NUL-terminated, also if it contains NULs */
		const struct hd_json *items;
	};
	const struct key *keys;		/* for an object: the key of each item */
};

struct key {
	const char *text;
	size_t len;
};

struct hd_json_doc {
	struct hd_arena arena;
	struct hd_json root;
};

/* An item of a container that has not ended. */
struct item {
	struct key key;			/* key of the current member */
	size_t key_at;			/* offset of the key in the text */
	struct hd_json value;
};

struct parser {
	const char *text;
	size_t len, at;			/* len: size of the text; at: offset of the next byte */
	const char *path;
	struct hd_err *err;
	struct hd_arena *arena;
	struct hd_buf scratch;		/* the string that is being read */
	size_t depth, values;
	struct item *stack;
	size_t n, cap;
};

/* ---- messages */

/* Format a message with file, line and column (in characters). */
static int fail_at(const struct parser *p, size_t at, const char *what)
{
	size_t line = 1, column = 1;

	for (size_t i = 0; i < at && i < p->len; i++) {
		if (p->text[i] == '\n') {
			line++;
			column = 1;
		} else if (((uint8_t)p->text[i] & 0xc0) != 0x80) {
			column++;
		}
	}
	return hd_fail(p->err, HD_EFORMAT, "%s:%zu:%zu: not valid JSON: %s", p->path, line, column, what);
}

static bool is_digit(const struct parser *p, size_t i)
{
	return i < p->len && p->text[i] >= '0' && p->text[i] <= '9';
}

static bool is_letter(const struct parser *p, size_t i)
{
	return i < p->len && (p->text[i] | 32) >= 'a' && (p->text[i] | 32) <= 'z';
}

static size_t digits(const struct parser *p, size_t i)
{
	while (is_digit(p, i))
		i++;
	return i;
}

/*
 * Return the offset of the end of the number at i, or 0 if there is none: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]?
 * [0-9]+)?
 */
static size_t number_end(const struct parser *p, size_t i)
{
	size_t from;

	if (p->text[i] == '-')
		i++;
	if (!is_digit(p, i))
		return 0;
	i = p->text[i] == '0' ? i + 1 : digits(p, i);
	if (is_digit(p, i))
		return 0;
	if (i < p->len && p->text[i] == '.') {
		from = ++i;
		i = digits(p, i);
		if (i == from)
			return 0;
	}
	if (i < p->len && (p->text[i] == 'e' || p->text[i] == 'E')) {
		i++;
		if (i < p->len && (p->text[i] == '+' || p->text[i] == '-'))
			i++;
		from = i;
		i = digits(p, i);
		if (i == from)
			return 0;
	}
	return i;
}

/* Return the offset after the closing quote of the string at i, or 0 if it is not closed. */
static size_t string_end(const struct parser *p, size_t i)
{
	for (i++; i < p->len && p->text[i] != '"'; i++)
		i += p->text[i] == '\\';
	return i < p->len ? i + 1 : 0;
}

/* Return the length of the token at i: a string, a number, a word or one character.  0: a string that is not closed. */
static size_t token_length(const struct parser *p, size_t i)
{
	size_t end = i;
	uint32_t cp;

	if (p->text[i] == '"') {
		end = string_end(p, i);
		return end ? end - i : 0;
	}
	if (is_letter(p, i)) {
		while (is_letter(p, end))
			end++;
		return end - i;
	}
	if (is_digit(p, i))
		end = number_end(p, i);
	else
		end = i + hd_utf8_decode(p->text + i, p->len - i, &cp);
	return end > i ? end - i : 1;
}

/* Fail with a message about the token at `at`.  `format` must contain "%.*s" once; the token replaces it. */
static int fail_token(const struct parser *p, size_t at, const char *format)
{
	size_t n = at < p->len ? token_length(p, at) : 0;
	char what[SHOWN + 80];
	uint32_t cp;

	if (!n)
		return fail_at(p, p->len, "the text ends too early");
	if (!hd_utf8_decode(p->text + at, p->len - at, &cp))
		return fail_at(p, at, "not UTF-8");
	snprintf(what, sizeof(what), format, (int)(n < SHOWN ? n : SHOWN), p->text + at);
	return fail_at(p, at, what);
}

static int fail_unexpected(const struct parser *p, size_t at)
{
	return fail_token(p, at, "'%.*s' is wrong or does not belong here");
}

/* ---- values */

/* Skip white space.  Return the next byte, or -1 at the end of the text. */
static int next_byte(struct parser *p)
{
	while (p->at < p->len && memchr(" \t\r\n", p->text[p->at], 4))
		p->at++;
	return p->at < p->len ? (unsigned char)p->text[p->at] : -1;
}

static bool hex4(const struct parser *p, size_t at, uint32_t *v)
{
	uint8_t b[2];

	if (p->len < at + 4 || hd_unhex(p->text + at, b, 2) < 2)
		return false;
	*v = (uint32_t)b[0] << 8 | b[1];
	return true;
}

/* Append the bytes of the escape at p->at, which is a backslash.  Return false if it is invalid. */
static bool read_escape(struct parser *p, struct hd_buf *out)
{
	static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
	char c = p->at + 1 < p->len ? p->text[p->at + 1] : '\0';
	const char *name = c ? strchr(names, c) : NULL;
	uint32_t cp, low;

	if (name) {
		p->at += 2;
		hd_buf_addc(out, bytes[name - names]);
		return true;
	}
	if (c != 'u' || !hex4(p, p->at + 2, &cp) || (cp >= 0xdc00 && cp < 0xe000))
		return false;
	p->at += 6;
	if (cp >= 0xd800 && cp < 0xdc00) {
		if (p->len - p->at < 2 || p->text[p->at] != '\\' || p->text[p->at + 1] != 'u' ||
		    !hex4(p, p->at + 2, &low) || low < 0xdc00 || low >= 0xe000)
			return false;
		p->at += 6;
		cp = 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00);
	}
	hd_utf8_add(out, cp);
	return true;
}

/* Read the string at p->at into the arena. */
static int read_string(struct parser *p, const char **text, size_t *len)
{
	size_t from = p->at, end = string_end(p, from), step;
	struct hd_buf *out = &p->scratch;
	uint32_t cp;

	if (!end)
		return fail_unexpected(p, p->len);
	hd_buf_reset(out);
	for (p->at++; p->at < end - 1; ) {
		const char *s = p->text + p->at;

		if ((unsigned char)*s < 0x20 || (*s == '\\' && !read_escape(p, out)))
			return fail_unexpected(p, from);
		if (*s == '\\')
			continue;
		step = hd_utf8_decode(s, p->len - p->at, &cp);
		if (!step)
			return fail_at(p, p->at, "not UTF-8");
		hd_buf_add(out, s, step);
		p->at += step;
	}
	p->at = end;
	*len = out->len;
	*text = hd_arena_strndup(p->arena, hd_buf_str(out), out->len);
	return 0;
}

static int read_value(struct parser *p, struct hd_json *v);

/* Read one item (a value, or a key and a value) and push it onto the stack. */
static int read_item(struct parser *p, bool member)
{
	struct item item = { .key_at = p->at };
	int rc;

	if (member) {
		if (p->text[p->at] == '-' || is_digit(p, p->at))
			return fail_at(p, p->at, "a number cannot be a key");
		if (p->text[p->at] != '"')
			return fail_unexpected(p, p->at);
		rc = read_string(p, &item.key.text, &item.key.len);
		if (rc < 0)
			return rc;
		if (next_byte(p) != ':')
			return fail_unexpected(p, p->at);
		p->at++;
	}
	rc = read_value(p, &item.value);
	if (rc < 0)
		return rc;
	HD_GROW(p->stack, p->n + 1, p->cap);
	p->stack[p->n++] = item;
	return 0;
}

static bool same_key(const struct key *a, const struct key *b)
{
	return a->len == b->len && !memcmp(a->text, b->text, a->len);
}

/* Fail if two members of an object have the same key. */
static int check_keys(const struct parser *p, const struct item *items, size_t n)
{
	struct hd_index index = { 0 };
	int rc = 0;
	size_t at;

	for (size_t i = 0; i < n && rc == 0 && n <= FEW_KEYS; i++)
		for (size_t k = 0; k < i && rc == 0; k++)
			if (same_key(&items[i].key, &items[k].key))
				rc = fail_token(p, items[i].key_at, "the key %.*s occurs twice");
	for (size_t i = 0; i < n && rc == 0 && n > FEW_KEYS; i++) {
		uint64_t hash = hd_hash_bytes(items[i].key.text, items[i].key.len);

		for (uint32_t k = hd_index_first(&index, hash, &at); k != HD_INDEX_NONE && rc == 0;
		     k = hd_index_next(&index, hash, &at))
			if (same_key(&items[i].key, &items[k].key))
				rc = fail_token(p, items[i].key_at, "the key %.*s occurs twice");
		hd_index_add(&index, hash, (uint32_t)i);
	}
	hd_index_release(&index);
	return rc;
}

/* A container has ended: move its items from the stack to the arena. */
static void take_items(struct parser *p, size_t first, struct hd_json *v)
{
	size_t n = p->n - first;
	struct hd_json *items = hd_arena_alloc(p->arena, n * sizeof(*items));
	struct key *keys = v->kind == HD_JSON_OBJECT ? hd_arena_alloc(p->arena, n * sizeof(*keys)) : NULL;

	for (size_t i = 0; i < n; i++) {
		items[i] = p->stack[first + i].value;
		if (keys)
			keys[i] = p->stack[first + i].key;
	}
	v->n = n;
	v->items = items;
	v->keys = keys;
	p->n = first;
}

static int read_container(struct parser *p, struct hd_json *v)
{
	bool object = p->text[p->at] == '{';
	int end = object ? '}' : ']', rc = 0;
	size_t first = p->n, start = p->at++;
	char what[64];

	*v = (struct hd_json){ .kind = object ? HD_JSON_OBJECT : HD_JSON_ARRAY };
	if (++p->depth > MAX_DEPTH) {
		snprintf(what, sizeof(what), "more than %d arrays and objects inside each other", MAX_DEPTH);
		return fail_at(p, start, what);
	}
	if (next_byte(p) != end) {
		for (;;) {
			if (next_byte(p) < 0)
				return fail_unexpected(p, p->len);
			rc = read_item(p, object);
			if (rc < 0)
				return rc;
			if (next_byte(p) != ',')
				break;
			p->at++;
		}
		if (next_byte(p) != end)
			return fail_unexpected(p, p->at);
	}
	p->at++;
	p->depth--;
	if (object && p->n > first)
		rc = check_keys(p, p->stack + first, p->n - first);
	take_items(p, first, v);
	return rc;
}

static int read_word(struct parser *p, struct hd_json *v)
{
	size_t n = token_length(p, p->at);
	const char *s = p->text + p->at;

	if (n == 4 && !memcmp(s, "null", 4))
		*v = (struct hd_json){ .kind = HD_JSON_NULL };
	else if (n == 4 && !memcmp(s, "true", 4))
		*v = (struct hd_json){ .kind = HD_JSON_BOOL, .truth = true };
	else if (n == 5 && !memcmp(s, "false", 5))
		*v = (struct hd_json){ .kind = HD_JSON_BOOL };
	else
		return fail_unexpected(p, p->at);
	p->at += n;
	return 0;
}

static int read_value(struct parser *p, struct hd_json *v)
{
	int c = next_byte(p);
	size_t end;
	char what[64];

	if (c < 0)
		return fail_unexpected(p, p->len);
	if (++p->values > MAX_VALUES) {
		snprintf(what, sizeof(what), "more than %d values", MAX_VALUES);
		return fail_at(p, p->at, what);
	}
	if (c == '[' || c == '{')
		return read_container(p, v);
	if (c == '"') {
		*v = (struct hd_json){ .kind = HD_JSON_STRING };
		return read_string(p, &v->text, &v->n);
	}
	if (c != '-' && !is_digit(p, p->at))
		return read_word(p, v);
	end = number_end(p, p->at);
	if (!end)
		return fail_at(p, p->at, "a number is not written as JSON wants it");
	*v = (struct hd_json){ .kind = HD_JSON_NUMBER, .n = end - p->at };
	v->text = hd_arena_strndup(p->arena, p->text + p->at, v->n);
	p->at = end;
	return 0;
}

int hd_json_parse(struct hd_json_doc **out, const char *text, size_t len, const char *path, struct hd_err *err)
{
	struct parser p = { .text = text, .len = len, .path = path, .err = err };
	struct hd_json_doc *doc;
	int rc;

	if (len > MAX_BYTES)
		return hd_fail(err, HD_EFORMAT, "%s: %zu bytes of JSON exceed the limit of %d", path, len,
			MAX_BYTES);
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		return fail_at(&p, 0, "it begins with a byte order mark");
	doc = hd_new(struct hd_json_doc);
	p.arena = &doc->arena;
	rc = read_value(&p, &doc->root);
	if (rc == 0 && next_byte(&p) >= 0)
		rc = fail_token(&p, p.at, "the value has ended, but '%.*s' follows");
	free(p.stack);
	hd_buf_release(&p.scratch);
	if (rc < 0) {
		hd_json_free(doc);
		return rc;
	}
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

/* ---- access */

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
