/*
 * environment.c - see environment.h
 */
#include "history/environment.h"

#include "base/encode.h"
#include "base/mem.h"
#include "base/sha256.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 255, VALUE_MOST = 1024, VALUE_CUT = 64 };

struct entry {
	char *line;			/* the line to write, without the newline */
	const char *name;		/* the variable's name, a part of `line` */
	size_t name_len;
};

struct entries {
	struct entry *items;
	size_t n, cap;
};

/* ---- writing ---- */

static int by_name(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	size_t n = x->name_len < y->name_len ? x->name_len : y->name_len;
	int d = memcmp(x->name, y->name, n);

	return d ? d : (x->name_len > y->name_len) - (x->name_len < y->name_len);
}

static bool is_shell_variable(const char *name)
{
	static const char *const own[] = { "PWD", "OLDPWD", "SHLVL", "_", "LINES", "COLUMNS" };

	for (size_t i = 0; i < HD_COUNT(own); i++)
		if (!strcmp(name, own[i]))
			return true;
	return false;
}

static void add(struct entries *e, char kind, const char *name, const char *value)
{
	struct hd_buf line = { 0 };
	struct entry *to;
	char sum[HD_SHA256_HEX];
	size_t n = value ? strlen(value) : 0;

	hd_buf_addc(&line, kind);
	hd_enc_visible(&line, name, strlen(name));
	HD_GROW(e->items, e->n + 1, e->cap);
	to = &e->items[e->n++];
	to->name_len = line.len - 1;
	if (value) {
		hd_buf_addc(&line, '=');
		hd_enc_visible(&line, value, n > VALUE_MOST ? VALUE_CUT : n);
	}
	if (n > VALUE_MOST) {
		hd_sha256_hex(value, n, sum);
		hd_buf_addf(&line, "... sha256 %s", sum);
	}
	to->line = hd_buf_take(&line);
	to->name = to->line + 1;
}

static bool is_there(const struct entries *e, const char *name)
{
	char *v = hd_enc_visible_new(name);
	size_t n = strlen(v);
	bool there = false;

	for (size_t i = 0; i < e->n && !there; i++)
		there = e->items[i].name_len == n && !memcmp(e->items[i].name, v, n);
	free(v);
	return there;
}

static bool is_pattern(const char *s)
{
	return strpbrk(s, "*?[") != NULL;
}

/* Copy NAME of NAME=VALUE; NULL if it is empty or too long to be stored.  The caller frees it. */
static char *name_of(const char *pair)
{
	size_t n = strcspn(pair, "=");

	return n && n <= NAME_MOST ? hd_strndup(pair, n) : NULL;
}

/* Add the variables that `named` selects, with their values. */
static void add_named(struct entries *e, char *const *environ, const char *const *named, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *name = name_of(named[i]);
		const char *eq = strchr(named[i], '=');

		if (name && eq && !is_there(e, name))
			add(e, '+', name, eq + 1);
		free(name);
	}
	for (char *const *at = environ; at && *at; at++) {
		char *name = name_of(*at);
		const char *eq = strchr(*at, '=');
		bool wanted = false;

		for (size_t i = 0; name && eq && i < n && !wanted; i++)
			wanted = !strchr(named[i], '=') && !fnmatch(named[i], name, 0);
		if (wanted && e->n < HD_ENVIRONMENT_NAMES && !is_there(e, name))
			add(e, '+', name, eq + 1);
		free(name);
	}
	for (size_t i = 0; i < n; i++)
		if (!strchr(named[i], '=') && !is_pattern(named[i]) && *named[i] && !is_there(e, named[i]))
			add(e, '-', named[i], NULL);
}

void hd_environment_write(struct hd_buf *out, char *const *environ, const char *const *named, size_t n, bool others)
{
	struct entries e = { 0 };
	size_t chosen;

	add_named(&e, environ, named, n);
	chosen = e.n;
	for (char *const *at = others ? environ : NULL; at && *at && e.n < chosen + HD_ENVIRONMENT_NAMES; at++) {
		char *name = name_of(*at);
		const struct entries first = { e.items, chosen, e.cap };

		if (name && strchr(*at, '=') && !is_shell_variable(name) && !is_there(&first, name))
			add(&e, ' ', name, NULL);
		free(name);
	}
	if (e.n)
		qsort(e.items, e.n, sizeof(*e.items), by_name);
	for (size_t i = 0; i < e.n; i++) {
		hd_buf_adds(out, e.items[i].line);
		hd_buf_addc(out, '\n');
		free(e.items[i].line);
	}
	free(e.items);
}

/* ---- reading ---- */

bool hd_environment_is_bounded(const char *text)
{
	size_t lines = 0;

	for (; (text = strchr(text, '\n')); text++)
		lines++;
	return lines <= 2 * HD_ENVIRONMENT_NAMES;
}

bool hd_environment_next(const char **at, struct hd_environment_variable *v)
{
	const char *line = *at, *eq;
	size_t n = strcspn(line, "\n");

	*v = (struct hd_environment_variable){ 0 };
	if (!*line)
		return false;
	*at = line + n + (line[n] == '\n');
	eq = *line == '+' ? memchr(line, '=', n) : NULL;
	v->named = *line == '+' || *line == '-';
	v->name = line + 1;
	v->name_len = (eq ? (size_t)(eq - line) : n ? n : 1) - 1;
	if (eq) {
		v->value = eq + 1;
		v->value_len = n - (size_t)(v->value - line);
	}
	return true;
}

static bool find(const char *text, const struct hd_environment_variable *like, struct hd_environment_variable *v)
{
	while (hd_environment_next(&text, v))
		if (v->name_len == like->name_len && !memcmp(v->name, like->name, v->name_len))
			return true;
	*v = (struct hd_environment_variable){ 0 };
	return false;
}

static bool is_set(const struct hd_environment_variable *v)
{
	return v->name && (v->value || !v->named);
}

enum hd_environment_relation hd_environment_relate(const struct hd_environment_variable *v, const char *text,
	struct hd_environment_variable *other)
{
	find(text, v, other);
	if (is_set(v) != is_set(other))
		return HD_ENVIRONMENT_DIFFERENT;
	if (!is_set(v))
		return HD_ENVIRONMENT_EQUAL;
	if (!v->value || !other->value)
		return HD_ENVIRONMENT_UNKNOWN;
	return v->value_len == other->value_len && !memcmp(v->value, other->value, v->value_len)
		? HD_ENVIRONMENT_EQUAL
		: HD_ENVIRONMENT_DIFFERENT;
}

enum hd_environment_relation hd_environment_compare(const char *a, const char *b)
{
	const char *const texts[] = { a, b };
	enum hd_environment_relation worst = HD_ENVIRONMENT_EQUAL;
	struct hd_environment_variable v, other;

	for (size_t side = 0; side < 2; side++) {
		const char *at = texts[side];

		while (hd_environment_next(&at, &v)) {
			enum hd_environment_relation r = v.named ? hd_environment_relate(&v, texts[1 - side], &other)
								 : HD_ENVIRONMENT_EQUAL;

			worst = r > worst ? r : worst;
		}
	}
	return worst;
}
