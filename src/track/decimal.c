/*
 * decimal.c - see decimal.h
 *
 * This is simpler than Ryu or Grisu: print the number with p digits, and increase
 * p until strtod() returns the same number.  glibc's printf and strtod are both
 * correctly rounded, so the p digits are the nearest ones.
 *
 * A decimal of up to DBL_DIG (FLT_DIG) digits is preserved by a conversion to a
 * normal number and back.  So p starts at DBL_DIG, and trailing zeros are removed.
 * For subnormal numbers p starts at 1.
 *
 * A power of two is a special case, because the number below it is only half as
 * far away as the one above.  The nearest p digits can be below it and convert to
 * the lower neighbour, while the next p-digit decimal away from zero converts to
 * the power: 2^-44 is printed as 5.684341886080802e-14, although ...801e-14 is
 * nearer.
 */
#include "track/decimal.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DIGITS = 17 };

/* A decimal number: digits[0] . digits[1..n-1] times 10^exp10.  Trailing zeros are removed. */
struct decimal {
	char digits[MAX_DIGITS + 1];
	int n;
	int exp10;
};

typedef bool reads_back_fn(const char *text, double v);

static bool reads_back_64(const char *text, double v)
{
	return strtod(text, NULL) == v;
}

static bool reads_back_32(const char *text, double v)
{
	return strtof(text, NULL) == (float)v;
}

static bool same(const struct decimal *d, double v, reads_back_fn *reads_back)
{
	char text[MAX_DIGITS + 16];

	snprintf(text, sizeof(text), "%c.%se%d", d->digits[0], d->digits + 1, d->exp10);
	return reads_back(text, v);
}

/* Return the decimal number of p digits that is nearest to v, v > 0. */
static struct decimal nearest(double v, int p)
{
	struct decimal d = { .n = p };
	char text[MAX_DIGITS + 16];

	snprintf(text, sizeof(text), "%.*e", p - 1, v);
	d.digits[0] = text[0];
	if (p > 1)
		memcpy(d.digits + 1, text + 2, (size_t)p - 1);
	d.exp10 = atoi(strchr(text, 'e') + 1);
	return d;
}

/* Move the last digit one step away from zero. */
static void step_up(struct decimal *d)
{
	int i = d->n - 1;

	while (i >= 0 && d->digits[i] == '9')
		d->digits[i--] = '0';
	if (i >= 0) {
		d->digits[i]++;
	} else {
		d->digits[0] = '1';
		d->exp10++;
	}
}

static struct decimal shortest(double v, int from, reads_back_fn *reads_back)
{
	struct decimal d;

	for (int p = from; ; p++) {
		d = nearest(v, p);
		if (p == MAX_DIGITS || same(&d, v, reads_back))
			break;
		step_up(&d);
		if (same(&d, v, reads_back))
			break;
	}
	while (d.n > 1 && d.digits[d.n - 1] == '0')
		d.digits[--d.n] = '\0';
	return d;
}

/* Write the digits, with the decimal point after the first `point` of them.  Missing digits are written as zeros. */
static char *fixed(char *out, const struct decimal *d, int point)
{
	if (point <= 0) {
		*out++ = '0';
		*out++ = '.';
		for (int i = point; i < 0; i++)
			*out++ = '0';
	}
	for (int i = 0; i < d->n; i++) {
		if (i == point && point > 0)
			*out++ = '.';
		*out++ = d->digits[i];
	}
	for (int i = d->n; i < point; i++)
		*out++ = '0';
	return out;
}

static char *scientific(char *out, const struct decimal *d, bool plus)
{
	*out++ = d->digits[0];
	if (d->n > 1)
		*out++ = '.';
	memcpy(out, d->digits + 1, (size_t)d->n - 1);
	out += d->n - 1;
	return out + sprintf(out, plus ? "e%+d" : "e%d", d->exp10);
}

void hd_num_es6(double v, char out[HD_NUM_TEXT])
{
	struct decimal d;
	char *end;

	if (v == 0 || !isfinite(v)) {
		strcpy(out, v == 0 ? "0" : "null");
		return;
	}
	if (v < 0)
		*out++ = '-';
	v = fabs(v);
	d = shortest(v, v >= DBL_MIN ? DBL_DIG : 1, reads_back_64);
	if (d.exp10 >= -6 && d.exp10 <= 20)
		end = fixed(out, &d, d.exp10 + 1);
	else
		end = scientific(out, &d, true);
	*end = '\0';
}

static void rust32(float v, char out[HD_NUM_TEXT], bool plus)
{
	struct decimal d;
	char *end;

	if (!isfinite(v)) {
		strcpy(out, "null");
		return;
	}
	if (signbit(v))
		*out++ = '-';
	v = fabsf(v);
	if (v == 0) {
		strcpy(out, "0.0");
		return;
	}
	d = shortest(v, v >= FLT_MIN ? FLT_DIG : 1, reads_back_32);
	if (d.exp10 >= -6 && d.exp10 <= 12) {
		end = fixed(out, &d, d.exp10 + 1);
		if (d.n <= d.exp10 + 1) {
			*end++ = '.';
			*end++ = '0';
		}
	} else {
		end = scientific(out, &d, plus);
	}
	*end = '\0';
}

void hd_num_ryu32(float v, char out[HD_NUM_TEXT])
{
	rust32(v, out, false);
}

void hd_num_zmij32(float v, char out[HD_NUM_TEXT])
{
	rust32(v, out, true);
}
