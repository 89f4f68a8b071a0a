/*
 * expect.c - see expect.h: parse a file
 */
#include "gate/expect.h"

#include "base/mem.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const tiers[HD_TIERS] = { NULL, "primary", "secondary", "tertiary" };

const char *hd_tier_name(enum hd_tier t)
{
	return tiers[t];
}

/* A piece of a line. */
struct piece {
	const char *s;
	size_t n;
};

struct parser {
	struct hd_expect *e;
	const char *path;
	unsigned line;
	struct hd_expect_range tier[HD_TIERS];
	struct hd_err *err;
};

static int __attribute__((format(printf, 2, 3))) fail_here(struct parser *p, const char *fmt, ...)
{
	char text[600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return hd_fail(p->err, HD_EFORMAT, "%s: line %u: %s", p->path, p->line, text);
}

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct piece trim(struct piece t)
{
	while (t.n && blank(t.s[0])) {
		t.s++;
		t.n--;
	}
	while (t.n && blank(t.s[t.n - 1]))
		t.n--;
	return t;
}

static bool is(struct piece t, const char *word)
{
	return t.n == strlen(word) && !memcmp(t.s, word, t.n);
}

/* If the text t begins with `word` and a blank, remove them and return true. */
static bool take_word(struct piece *t, const char *word)
{
	size_t n = strlen(word);

	if (t->n <= n || memcmp(t->s, word, n) || !blank(t->s[n]))
		return false;
	*t = trim((struct piece){ t->s + n, t->n - n });
	return true;
}

/* ---- numbers and ranges ---- */

/* Parse digits with at most one decimal point.  Returns -1 if invalid or above 100000. */
static double number(struct piece t)
{
	char text[32], *end;
	double v;

	if (!t.n || t.n >= sizeof(text) || t.s[0] == '.' || t.s[t.n - 1] == '.')
		return -1;
	memcpy(text, t.s, t.n);
	text[t.n] = '\0';
	if (strspn(text, "0123456789.") < t.n)
		return -1;
	v = strtod(text, &end);
	return *end || v > 100000 ? -1 : v;
}

static bool in_number(char c)
{
	return (c >= '0' && c <= '9') || c == '.';
}

/* Remove digits and points from the end of t and return them. */
static struct piece last_number(struct piece *t)
{
	size_t n = t->n;

	while (n && in_number(t->s[n - 1]))
		n--;
	struct piece digits = { t->s + n, t->n - n };

	t->n = n;
	return digits;
}

static size_t find_dots(struct piece t)
{
	for (size_t i = 0; i + 1 < t.n; i++)
		if (t.s[i] == '.' && t.s[i + 1] == '.')
			return i;
	return t.n;
}

/*
 * Remove one of < <= > >= = from the end of t, and set *r to that range with bound v.  Returns false if there is none.
 */
static bool last_operator(struct piece *t, struct hd_expect_range *r, double v)
{
	static const char *const words[] = { "<=", ">=", "<", ">", "=" };

	for (size_t i = 0; i < HD_COUNT(words); i++) {
		size_t n = strlen(words[i]);

		if (t->n < n || memcmp(t->s + t->n - n, words[i], n))
			continue;
		t->n -= n;
		*r = (struct hd_expect_range){ .lo = i == 1 || i == 3 || i == 4 ? v : -INFINITY,
			.hi = i == 0 || i == 2 || i == 4 ? v : INFINITY,
			.above_lo = i == 3,
			.below_hi = i == 2 };
		return true;
	}
	return false;
}

/*
 * Remove the range from the end of t and store it in *r.  Returns 1; 0 if there is none; < 0 if it is invalid.  If the
 * result is not 1, t and *r are unchanged.
 */
static int last_range(struct parser *p, struct piece *t, struct hd_expect_range *r)
{
	struct hd_expect_range found;
	struct piece rest = *t, digits;
	double lo, hi;
	size_t dots;

	if (rest.n && rest.s[rest.n - 1] == '%')
		rest = trim((struct piece){ rest.s, rest.n - 1 });
	digits = last_number(&rest);
	if (!digits.n)
		return rest.n == t->n ? 0 : fail_here(p, "expected a number before the %%, as in `NAME 15..25 %%`");
	dots = find_dots(digits);
	if (dots < digits.n) {				/* 15..25, or "15 ..25" */
		hi = number((struct piece){ digits.s + dots + 2, digits.n - dots - 2 });
		if (dots) {
			lo = number((struct piece){ digits.s, dots });
		} else {
			rest = trim(rest);
			lo = number(last_number(&rest));
		}
	} else {
		struct piece before = trim(rest);

		hi = number(digits);
		if (hi >= 0 && last_operator(&before, &found, hi)) {
			rest = before;
			goto parted;
		}
		if (before.n < 2 || memcmp(before.s + before.n - 2, "..", 2))
			return 0;			/* a name that ends in a number */
		before = trim((struct piece){ before.s, before.n - 2 });
		lo = number(last_number(&before));
		rest = before;
	}
	if (lo < 0 || hi < 0)
		return fail_here(p, "`%.*s` is no range: expected two percentages, as in 15..25",
			(int)(digits.n < 60 ? digits.n : 60), digits.s);
	if (lo > hi)
		return fail_here(p, "the range %.6g..%.6g is empty: its first number is larger than the second", lo,
			hi);
	found = (struct hd_expect_range){ .lo = lo, .hi = hi };
parted:
	if (rest.n && !blank(rest.s[rest.n - 1]) && rest.s[rest.n - 1] != '"')
		return 0;				/* `foo<5` is a name */
	*t = trim(rest);
	*r = found;
	return 1;
}

/* Format a number with up to six decimals, without trailing zeros. */
static const char *plain(double v, char text[24])
{
	int n = snprintf(text, 24, "%.6f", v);

	while (n > 1 && text[n - 1] == '0')
		text[--n] = '\0';
	if (text[n - 1] == '.')
		text[n - 1] = '\0';
	return text;
}

void hd_expect_range_text(const struct hd_expect_range *r, char out[HD_EXPECT_RANGE_TEXT])
{
	char lo[24], hi[24];

	if (isinf(r->hi))
		snprintf(out, HD_EXPECT_RANGE_TEXT, "%s %s %%",
			r->above_lo ? ">" : ">=", plain(isinf(r->lo) ? 0 : r->lo, lo));
	else if (isinf(r->lo))
		snprintf(out, HD_EXPECT_RANGE_TEXT, "%s %s %%", r->below_hi ? "<" : "<=", plain(r->hi, hi));
	else if (r->lo == r->hi)
		snprintf(out, HD_EXPECT_RANGE_TEXT, "= %s %%", plain(r->lo, lo));
	else
		snprintf(out, HD_EXPECT_RANGE_TEXT, "%s..%s %%", plain(r->lo, lo), plain(r->hi, hi));
}

/* ---- declarations ---- */

static int add_item(struct parser *p, struct piece name, struct hd_expect_item like)
{
	struct hd_expect *e = p->e;
	bool quoted = name.n >= 2 && name.s[0] == '"' && name.s[name.n - 1] == '"';

	if (e->n >= HD_EXPECT_ITEMS)
		return fail_here(p, "more than %d declarations", HD_EXPECT_ITEMS);
	if (quoted)
		name = (struct piece){ name.s + 1, name.n - 2 };
	if (!name.n)
		return fail_here(p, "the name of a function is missing");
	if (memchr(name.s, '"', name.n))
		return fail_here(p, "a quotation mark inside a name; quote the whole name or nothing");
	like.line = p->line;
	like.name = hd_arena_strndup(&e->arena, name.s, name.n);
	like.glob = !quoted && (memchr(name.s, '*', name.n) || memchr(name.s, '?', name.n));
	like.others = !quoted && is(name, "others");
	if (like.glob && like.total)
		return fail_here(p,
			"total of '%s': the totals of several functions overlap; name a single one, in quotes if its "
			"name contains * or ?",
			like.name);
	HD_GROW(e->items, e->n + 1, e->cap);
	e->items[e->n++] = like;
	return 0;
}

/*
 * Split the text at commas outside of brackets and quotes, and add an item for each name.  The other members of the
 * items are copied from `like`.
 */
static int add_names(struct parser *p, struct piece names, struct hd_expect_item like)
{
	size_t from = 0;
	int depth = 0, rc = 0;
	bool quoted = false;

	for (size_t i = 0; i <= names.n && rc >= 0; i++) {
		char c = i < names.n ? names.s[i] : ',';

		quoted ^= c == '"';
		if (i < names.n && (quoted || strchr("<([{", c))) {
			depth += !quoted && c;
			continue;
		}
		depth -= i < names.n && depth > 0 && c && strchr(">)]}", c);
		if (i < names.n && (c != ',' || depth))
			continue;
		rc = add_item(p, trim((struct piece){ names.s + from, i - from }), like);
		from = i + 1;
	}
	return rc;
}

static enum hd_tier tier_word(struct piece t)
{
	for (enum hd_tier k = HD_TIER_PRIMARY; k < HD_TIERS; k++)
		if (is(t, tiers[k]))
			return k;
	return HD_TIER_NONE;
}

static int declaration(struct parser *p, struct piece t)
{
	struct hd_expect_item item = { 0 };
	const char *colon = memchr(t.s, ':', t.n);
	int got;

	if (colon)
		item.tier = tier_word(trim((struct piece){ t.s, (size_t)(colon - t.s) }));
	if (item.tier) {
		t = trim((struct piece){ colon + 1, t.n - (size_t)(colon + 1 - t.s) });
		item.range = p->tier[item.tier];
	}
	got = last_range(p, &t, &item.range);
	if (got < 0)
		return got;
	if (got && !item.tier && tier_word(t)) {
		p->tier[tier_word(t)] = item.range;
		return 0;
	}
	if (!got && !item.tier)
		return fail_here(p,
			"no range at the end of `%.*s`: `NAME 15..25 %%`, `NAME < 2 %%`, or `primary: NAME`",
			(int)(t.n < 100 ? t.n : 100), t.s);
	item.total = take_word(&t, "total");
	if (!item.total)
		take_word(&t, "self");
	return add_names(p, t, item);
}

static int setting_or_declaration(struct parser *p, struct piece t)
{
	struct piece value = t;
	struct hd_expect_range range;
	double points;
	int got = last_range(p, &value, &range);

	if (got < 0)
		return got;
	value = t;
	if (!got && take_word(&value, "tolerance")) {
		points = number(value);
		if (points < 0 || points > 100)
			return fail_here(p, "tolerance takes percentage points from 0 to 100, not `%.*s`",
				(int)(value.n < 60 ? value.n : 60), value.s);
		p->e->tolerance = points;
		return 0;
	}
	if (!got && take_word(&value, "event")) {
		p->e->event = hd_arena_strndup(&p->e->arena, value.s, value.n);
		return 0;
	}
	return declaration(p, t);
}

/* Remove a comment: from a # at the start or after a blank, outside of quotes. */
static struct piece without_comment(struct piece t)
{
	bool quoted = false;

	for (size_t i = 0; i < t.n; i++) {
		quoted ^= t.s[i] == '"';
		if (t.s[i] == '#' && !quoted && (i == 0 || blank(t.s[i - 1])))
			t.n = i;
	}
	return trim(t);
}

int hd_expect_parse(struct hd_expect *e, const char *text, size_t len, const char *path, struct hd_err *err)
{
	struct parser p = { .e = e, .path = path, .err = err };
	size_t at = len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
	int rc = 0;

	*e = (struct hd_expect){ 0 };
	p.tier[HD_TIER_PRIMARY] = (struct hd_expect_range){ .lo = 5, .hi = INFINITY, .above_lo = true };
	p.tier[HD_TIER_SECONDARY] = (struct hd_expect_range){ .lo = 2, .hi = 5 };
	p.tier[HD_TIER_TERTIARY] = (struct hd_expect_range){ .lo = -INFINITY, .hi = 2, .below_hi = true };
	if (len > HD_EXPECT_BYTES)
		rc = hd_fail(err, HD_EFORMAT, "%s: larger than %d bytes; not a file of expectations", path,
			HD_EXPECT_BYTES);
	while (at < len && rc >= 0) {
		const char *end = memchr(text + at, '\n', len - at);
		struct piece t = { text + at, end ? (size_t)(end - text) - at : len - at };

		at += t.n + 1;
		p.line++;
		if (t.n && t.s[t.n - 1] == '\r')
			t.n--;
		if (memchr(t.s, '\0', t.n))
			rc = fail_here(&p, "contains a NUL byte");
		t = without_comment(t);
		if (t.n && rc >= 0)
			rc = setting_or_declaration(&p, t);
	}
	if (rc >= 0 && !e->n)
		rc = hd_fail(err, HD_EFORMAT, "%s: declares nothing; a line is `NAME 15..25 %%`", path);
	if (rc < 0)
		hd_expect_release(e);
	return rc;
}

void hd_expect_release(struct hd_expect *e)
{
	hd_arena_release(&e->arena);
	free(e->items);
	*e = (struct hd_expect){ 0 };
}
