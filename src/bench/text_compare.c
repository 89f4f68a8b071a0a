/*
 * text_compare.c - see text_compare.h
 */
#include "bench/text_compare.h"

#include "track/number.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Position in one of the texts. */
struct cursor {
	const char *s, *p, *end;
	uint64_t line;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

/* Return true if a number can begin at t->p: the character before it is not a letter, a digit or a dot. */
static bool at_word(const struct cursor *t)
{
	return t->p == t->s || !(is_digit(t->p[-1]) || is_letter(t->p[-1]) || t->p[-1] == '.');
}

static const char *digits(const char *p, const char *end)
{
	while (p < end && is_digit(*p))
		p++;
	return p;
}

/* Return the length of the word nan, inf or infinity at p, in upper or lower case; 0 if there is no such word. */
static size_t named(const char *p, const char *end)
{
	static const char *const names[] = { "infinity", "inf", "nan" };

	for (int i = 0; i < 3; i++) {
		size_t n = strlen(names[i]), k = 0;

		while (k < n && p + k < end && (p[k] | 0x20) == names[i][k])
			k++;
		if (k == n && (p + n == end || !(is_letter(p[n]) || is_digit(p[n]))))
			return n;
	}
	return 0;
}

/* Return the end of the number that begins at t->p, or t->p if there is none. */
static const char *number_end(const struct cursor *t)
{
	const char *p = t->p, *body, *q;

	if (!at_word(t))
		return t->p;
	if (p < t->end && (*p == '-' || *p == '+'))
		p++;
	body = p;
	if (named(p, t->end))
		return p + named(p, t->end);
	p = digits(p, t->end);
	if (p < t->end && *p == '.') {
		q = digits(p + 1, t->end);
		if (q == p + 1 && p == body)
			return t->p;
		p = q;
	}
	if (p == body)
		return t->p;
	if (p < t->end && (*p | 0x20) == 'e') {
		q = p + 1;
		if (q < t->end && (*q == '-' || *q == '+'))
			q++;
		if (q < t->end && is_digit(*q))
			p = digits(q, t->end);
	}
	return p;
}

static bool same_bytes(const char *a, size_t na, const char *b, size_t nb)
{
	return na == nb && !memcmp(a, b, na);
}

static bool is_minus_inf(const char *s)
{
	return *s == '-';
}

static bool is_nan_word(const char *s)
{
	return (s[*s == '-' || *s == '+'] | 0x20) == 'n';
}

/*
 * Strip the sign and the leading zeros of a whole number, which may have any number of digits.  Returns false if the
 * text is not a whole number.
 */
static bool whole(const char **s, size_t *n, bool *negative)
{
	const char *end = *s + *n;

	*negative = **s == '-';
	*s += **s == '-' || **s == '+';
	if (digits(*s, end) != end)
		return false;
	while (*s < end && **s == '0')
		(*s)++;
	*n = (size_t)(end - *s);
	return true;
}

static bool both_whole(const char *a, size_t na, const char *b, size_t nb, bool *same)
{
	bool minus_a, minus_b;

	if (!whole(&a, &na, &minus_a) || !whole(&b, &nb, &minus_b))
		return false;
	*same = same_bytes(a, na, b, nb) && (minus_a == minus_b || !na);
	return true;
}

/* Compare two numbers and update out->numbers and out->worst. */
static bool same_numbers(struct hd_text_compare *out, const char *a, size_t na, const char *b, size_t nb,
	double relative, double absolute)
{
	struct hd_number x, y;
	enum hd_number_kind kx = hd_number_read(a, na, &x), ky = hd_number_read(b, nb, &y);
	double apart, scale;
	bool same;

	out->numbers++;
	if (same_bytes(a, na, b, nb))
		return true;
	if (both_whole(a, na, b, nb, &same))
		return same;
	if (kx == HD_NUMBER_NOT_FINITE && ky == HD_NUMBER_NOT_FINITE)
		return is_nan_word(a) ? is_nan_word(b) : !is_nan_word(b) && is_minus_inf(a) == is_minus_inf(b);
	if (kx != HD_NUMBER || ky != HD_NUMBER)
		return false;
	apart = fabs(x.v - y.v);
	scale = fmax(fabs(x.v), fabs(y.v));
	if (!(apart <= relative * scale || apart <= absolute))
		return false;
	if (scale > 0 && apart / scale > out->worst)
		out->worst = apart / scale;
	return true;
}

/*
 * Skip blanks in both texts.  Returns true if the blanks match: at their current positions both texts have blanks or
 * neither has, or the blanks are at the start or end of a line.
 */
static bool pass_blanks(struct cursor *a, struct cursor *b)
{
	bool first = (a->p == a->s || a->p[-1] == '\n') && (b->p == b->s || b->p[-1] == '\n'), had_a = false,
	     had_b = false;

	for (; a->p < a->end && is_blank(*a->p); a->p++)
		had_a = true;
	for (; b->p < b->end && is_blank(*b->p); b->p++)
		had_b = true;
	return first || had_a == had_b || a->p == a->end || b->p == b->end || *a->p == '\n' || *b->p == '\n';
}

static void differ(struct hd_text_compare *out, const struct cursor *a, const struct cursor *b)
{
	size_t na = (size_t)(a->end - a->p), nb = (size_t)(b->end - b->p);

	out->same = HD_SAME_NOT;
	out->line = a->line;
	out->a = a->p;
	out->b = b->p;
	for (out->na = 0;
		out->na < na && out->na < HD_SAME_SHOWN && out->a[out->na] != '\n' && !is_blank(out->a[out->na]);)
		out->na++;
	for (out->nb = 0;
		out->nb < nb && out->nb < HD_SAME_SHOWN && out->b[out->nb] != '\n' && !is_blank(out->b[out->nb]);)
		out->nb++;
}

void hd_text_compare(struct hd_text_compare *out, const char *ta, size_t na, const char *tb, size_t nb, double relative,
	double absolute)
{
	struct cursor a = { ta, ta, ta + na, 1 }, b = { tb, tb, tb + nb, 1 };

	*out = (struct hd_text_compare){ .same = HD_SAME_BYTES };
	if (na == nb && (!na || !memcmp(ta, tb, na)))
		return;
	out->same = HD_SAME_WITHIN;
	for (;;) {
		const char *ea, *eb;

		if (!pass_blanks(&a, &b) || (a.p == a.end) != (b.p == b.end)) {
			differ(out, &a, &b);
			return;
		}
		if (a.p == a.end)
			return;
		ea = number_end(&a);
		eb = number_end(&b);
		if (ea > a.p && eb > b.p) {
			if (!same_numbers(out, a.p, (size_t)(ea - a.p), b.p, (size_t)(eb - b.p), relative, absolute)) {
				differ(out, &a, &b);
				return;
			}
			a.p = ea;
			b.p = eb;
			continue;
		}
		if (*a.p != *b.p) {
			differ(out, &a, &b);
			return;
		}
		a.line += *a.p == '\n';
		a.p++;
		b.p++;
	}
}
