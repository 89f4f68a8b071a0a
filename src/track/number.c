/*
 * number.c - see number.h
 */
#include "track/number.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	EXACT_POW10 = 22,	/* the largest power of ten that a double represents exactly */
	/* at most so many digits are stored; decimal.more is true if any digit after them is not 0 */
	DIGITS = 780,
	EXPONENT_MAX = 100000,	/* with a larger exponent, every number is 0 or too large */
};

/* A decimal number: its digits without leading zeros, times ten to the power of `exponent`. */
struct decimal {
	char digits[DIGITS + 2];
	size_t n;
	bool more;		/* nonzero digits were truncated */
	bool negative, is_whole;
	int64_t exponent;
	uint64_t mantissa;	/* value of the first 19 digits as a whole number */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void add_digit(struct decimal *d, char c, bool after_point)
{
	if (!d->n && c == '0') {
		d->exponent -= after_point;
		return;
	}
	if (d->n < DIGITS) {
		if (d->n < 19)
			d->mantissa = d->mantissa * 10 + (uint64_t)(c - '0');
		d->digits[d->n++] = c;
		d->exponent -= after_point;
	} else {
		d->more |= c != '0';
		d->exponent += !after_point;
	}
}

/* Parse [s, s + n), which has no blanks.  Returns false if it is not a decimal number. */
static bool scan(struct decimal *d, const char *s, size_t n)
{
	int64_t exponent = 0;
	bool any = false, minus;
	size_t i = 0;

	if (i < n && (s[i] == '+' || s[i] == '-'))
		d->negative = s[i++] == '-';
	for (; i < n && is_digit(s[i]); i++, any = true)
		add_digit(d, s[i], false);
	d->is_whole = i == n;
	if (i < n && s[i] == '.')
		for (i++; i < n && is_digit(s[i]); i++, any = true)
			add_digit(d, s[i], true);
	if (!any || i == n)
		return any;
	if (s[i] != 'e' && s[i] != 'E')
		return false;
	i++;
	minus = i < n && s[i] == '-';
	if (i < n && (s[i] == '+' || s[i] == '-'))
		i++;
	if (i == n)
		return false;
	for (; i < n && is_digit(s[i]); i++)
		if (exponent <= INT64_MAX / 20)
			exponent = exponent * 10 + (s[i] - '0');
	d->exponent += minus ? -exponent : exponent;
	return i == n;
}

static bool is_not_finite(const char *s, size_t n)
{
	static const char *const words[] = { "nan", "inf", "infinity" };

	if (n && (*s == '+' || *s == '-'))
		s++, n--;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (n == strlen(words[i]) && !strncasecmp(s, words[i], n))
			return true;
	return false;
}

/* Return the C locale.  In glibc and musl it is a constant, so it need not be freed. */
static locale_t c_locale(void)
{
	return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static double nearest(struct decimal *d)
{
	static const double pow10[EXACT_POW10 + 1] = {
		1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
	};
	char text[DIGITS + 32];
	int64_t e = d->exponent;
	int before = errno;
	double v;

	/* Both operands are exact, so the result is rounded only once. */
	if (d->n <= 19 && d->mantissa <= (1ull << 53) && e >= -EXACT_POW10 && e <= EXACT_POW10)
		return e < 0 ? (double)d->mantissa / pow10[-e] : (double)d->mantissa * pow10[e];
	if (!d->n)
		return 0;
	if (d->more) {
		d->digits[d->n++] = '1';
		e--;
	}
	e = e > EXPONENT_MAX ? EXPONENT_MAX : e < -EXPONENT_MAX ? -EXPONENT_MAX : e;
	snprintf(text, sizeof(text), "%.*se%d", (int)d->n, d->digits, (int)e);
	v = strtod_l(text, NULL, c_locale());
	errno = before;		/* ERANGE is no error here, and libhotdrift leaves errno of the program unchanged */
	return v;
}

enum hd_number_kind hd_number_read(const char *s, size_t n, struct hd_number *out)
{
	struct decimal d;

	*out = (struct hd_number){ 0 };
	while (n && (s[n - 1] == ' ' || s[n - 1] == '\t'))
		n--;
	while (n && (*s == ' ' || *s == '\t'))
		s++, n--;
	if (!n)
		return HD_NUMBER_EMPTY;
	d.n = 0;
	d.more = d.negative = false;
	d.exponent = 0;
	d.mantissa = 0;
	if (!scan(&d, s, n))
		return is_not_finite(s, n) ? HD_NUMBER_NOT_FINITE : HD_NUMBER_TEXT;
	out->negative = d.negative;
	out->is_whole = d.is_whole && d.n <= 19;
	out->whole = d.mantissa;
	out->v = nearest(&d);
	if (!isfinite(out->v))
		return HD_NUMBER_HUGE;
	if (d.negative)
		out->v = -out->v;
	return HD_NUMBER;
}

size_t hd_number_write(char out[HD_NUMBER_TEXT_MAX], double v)
{
	locale_t before = uselocale(c_locale());

	hd_num_es6(v, out);
	uselocale(before);
	return strlen(out);
}
