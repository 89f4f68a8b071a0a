/*
 * quantity_text.c - see quantity_text.h
 */
#include "track/quantity_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct scale {
	double least;			/* the unit is used for numbers of at least this magnitude */
	double size;
	const char *unit;
};

static char *not_finite(char *out)
{
	return strcpy(out, "-");
}

/* Write v with this number of decimals (0 to 6), for |v| 10^decimals <= 1e15.  Returns the length. */
static size_t put_fixed(char *out, double v, unsigned decimals)
{
	static const uint64_t tens[] = { 1, 10, 100, 1000, 10000, 100000, 1000000 };
	double scaled = nearbyint(fabs(v) * (double)tens[decimals]);
	uint64_t n = (uint64_t)scaled;
	int len = snprintf(out, HD_QUANTITY_TEXT, "%s%llu", v < 0 && n ? "-" : "",
			   (unsigned long long)(n / tens[decimals]));

	if (decimals)
		len += snprintf(out + len, HD_QUANTITY_TEXT - (size_t)len, ".%0*llu", (int)decimals,
				(unsigned long long)(n % tens[decimals]));
	return (size_t)len;
}

/*
 * Write v with three significant digits or, from 1000 on, all whole digits; for |v| in [1e-4, 1e15).  Returns the
 * length.
 */
static size_t put_significant(char *out, double v)
{
	double a = fabs(v);
	unsigned decimals = a >= 99.95 ? 0 : a >= 9.995 ? 1 : a >= 0.9995 ? 2 : a >= 0.09995 ? 3 : a >= 0.009995 ? 4 :
		a >= 0.0009995 ? 5 : 6;

	return put_fixed(out, v, decimals);
}

char *hd_quantity_real(char out[HD_QUANTITY_TEXT], double v)
{
	double a = fabs(v), mantissa;
	int exponent;
	size_t n;

	if (!isfinite(v))
		return not_finite(out);
	if (v == 0)
		return strcpy(out, "0");
	if (a >= 1e-4 && a < 1e6) {
		put_significant(out, v);
		return out;
	}
	exponent = (int)floor(log10(a));
	mantissa = v / pow(10, exponent);
	if (fabs(mantissa) >= 9.995) {		/* it would be written as 10.0 */
		mantissa /= 10;
		exponent++;
	}
	n = isfinite(mantissa) ? put_significant(out, mantissa) : put_fixed(out, 0, 0);	/* subnormal numbers */
	snprintf(out + n, HD_QUANTITY_TEXT - n, "e%d", exponent);
	return out;
}

static char *scaled(char *out, double v, const struct scale *scales, size_t n)
{
	size_t i = 0, len;

	if (!isfinite(v))
		return not_finite(out);
	while (i + 1 < n && fabs(v) < scales[i].least)
		i++;
	v /= scales[i].size;
	if (fabs(v) >= 1e15) {
		hd_quantity_real(out, v);
		len = strlen(out);
	} else if (scales[i].size == 1 && v == nearbyint(v)) {
		len = put_fixed(out, v, 0);
	} else {
		len = put_significant(out, v);
	}
	snprintf(out + len, HD_QUANTITY_TEXT - len, " %s", scales[i].unit);
	return out;
}

/*
 * The limit between two units takes rounding into account: 999.5 ns would be written as "1000 ns", so it is written
 * in us.
 */
char *hd_quantity_ns(char out[HD_QUANTITY_TEXT], double ns)
{
	static const struct scale scales[] = {
		{ 0.9995e9, 1e9, "s" }, { 0.9995e6, 1e6, "ms" }, { 0.9995e3, 1e3, "us" }, { 0, 1, "ns" },
	};

	return scaled(out, ns, scales, sizeof(scales) / sizeof(scales[0]));
}

char *hd_quantity_bytes(char out[HD_QUANTITY_TEXT], double bytes)
{
	static const struct scale scales[] = {
		{ 1099511627776.0 * 0.9995, 1099511627776.0, "TiB" }, { 1073741824 * 0.9995, 1073741824, "GiB" },
		{ 1048576 * 0.9995, 1048576, "MiB" }, { 1024, 1024, "KiB" }, { 0, 1, "B" },
	};

	return scaled(out, bytes, scales, sizeof(scales) / sizeof(scales[0]));
}

char *hd_quantity_count(char out[HD_QUANTITY_TEXT], double v)
{
	char digits[HD_QUANTITY_TEXT];
	size_t n, sign, to = 0;

	if (!isfinite(v))
		return not_finite(out);
	if (fabs(v) >= 1e15)
		return hd_quantity_real(out, v);
	n = put_fixed(digits, v, 0);
	sign = digits[0] == '-';
	for (size_t i = 0; i < n; i++) {
		if (i > sign && (n - i) % 3 == 0)
			out[to++] = ',';
		out[to++] = digits[i];
	}
	out[to] = '\0';
	return out;
}

char *hd_quantity_tenths(char out[HD_QUANTITY_TEXT], double v)
{
	if (!isfinite(v))
		return not_finite(out);
	if (fabs(v) >= 1e14)
		return hd_quantity_real(out, v);
	put_fixed(out, v, 1);
	return out;
}
