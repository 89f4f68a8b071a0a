/*
 * unit_text.c - see unit_text.h
 */
#include "render/unit_text.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define K UINT64_C(1000)
#define KI UINT64_C(1024)

/* Minutes and hours are used only for long times, because 300 s is easier to compare with 290 s than 5 min is. */
static const struct hd_unit_scale_step time_steps[] = {
	{ 0, 1, "ns" },
	{ K, K, "\xc2\xb5s" },
	{ K * K, K * K, "ms" },
	{ K * K * K, K * K * K, "s" },
	{ 1000 * K * K * K, 60 * K * K * K, "min" },
	{ 60000 * K * K * K, 3600 * K * K * K, "h" },
};

static const struct hd_unit_scale_step byte_steps[] = {
	{ 0, 1, "B" },
	{ KI, KI, "KiB" },
	{ KI * KI, KI * KI, "MiB" },
	{ KI * KI * KI, KI * KI * KI, "GiB" },
	{ KI * KI * KI * KI, KI * KI * KI * KI, "TiB" },
	{ KI * KI * KI * KI * KI, KI * KI * KI * KI * KI, "PiB" },
};

/* Counts below ten thousand are not scaled. */
static const struct hd_unit_scale_step count_steps[] = {
	{ 0, 1, "" },
	{ 10 * K, K, "k" },
	{ K * K, K * K, "M" },
	{ K * K * K, K * K * K, "G" },
	{ K * K * K * K, K * K * K * K, "T" },
	{ K * K * K * K * K, K * K * K * K * K, "P" },
};

struct hd_unit_scale hd_unit_scale_of(const char *unit)
{
	if (!strcmp(unit, "ns"))
		return (struct hd_unit_scale){ time_steps, HD_COUNT(time_steps), "" };
	if (!strcmp(unit, "bytes"))
		return (struct hd_unit_scale){ byte_steps, HD_COUNT(byte_steps), "" };
	return (struct hd_unit_scale){ count_steps, HD_COUNT(count_steps), unit };
}

/* Return the length of a counted unit without its plural s.  Units that this program does not know are not changed. */
static int singular_length(const char *unit)
{
	static const char *const plurals[] = { "allocations", "cycles", "events", "instructions", "samples" };
	bool known = false;

	for (size_t i = 0; i < HD_COUNT(plurals); i++)
		known = known || !strcmp(unit, plurals[i]);
	return (int)strlen(unit) - known;
}

/* Return v / div in units of 10^-digits, rounded half up. */
static uint64_t scaled(uint64_t v, uint64_t div, unsigned digits)
{
	static const uint64_t pow10[] = { 1, 10, 100 };

	return (uint64_t)(((__uint128_t)v * pow10[digits] + div / 2) / div);
}

static void add_fixed(struct hd_buf *out, uint64_t v, unsigned digits)
{
	static const uint64_t pow10[] = { 1, 10, 100 };

	hd_unit_text_count(out, v / pow10[digits]);
	if (digits)
		hd_buf_addc(out, '.');
	while (digits-- > 0)
		hd_buf_addc(out, (char)('0' + v / pow10[digits] % 10));
}

void hd_unit_text_add(struct hd_buf *out, uint64_t weight, const char *unit)
{
	struct hd_unit_scale u = hd_unit_scale_of(unit);
	size_t i = u.n - 1;
	unsigned digits = 0;

	while (i > 0 && weight < u.steps[i].from)
		i--;
	/* 999.7 ms is printed as 1.00 s, not as 1,000 ms. */
	if (i > 0 && i + 1 < u.n && scaled(weight, u.steps[i].div, 0) * u.steps[i].div >= u.steps[i + 1].from)
		i++;
	if (u.steps[i].div > 1)
		for (digits = 2; digits && scaled(weight, u.steps[i].div, digits) >= 1000;)
			digits--;
	add_fixed(out, scaled(weight, u.steps[i].div, digits), digits);
	if (*u.steps[i].label)
		hd_buf_addf(out, " %s", u.steps[i].label);
	if (*u.suffix)
		hd_buf_addf(out, " %.*s", weight == 1 ? singular_length(u.suffix) : (int)strlen(u.suffix), u.suffix);
}

void hd_unit_text_count(struct hd_buf *out, uint64_t n)
{
	char text[32];
	size_t at = sizeof(text);
	unsigned digits = 0;

	do {
		if (digits && digits % 3 == 0)
			text[--at] = ',';
		text[--at] = (char)('0' + n % 10);
		n /= 10;
		digits++;
	} while (n);
	hd_buf_add(out, text + at, sizeof(text) - at);
}

void hd_unit_text_share(struct hd_buf *out, uint64_t part, uint64_t all)
{
	uint64_t hundredths = all ? (uint64_t)(((__uint128_t)part * 10000 + all / 2) / all) : 0;

	if (hundredths == 0 && part && all) {
		hd_buf_adds(out, "<0.01%");
		return;
	}
	add_fixed(out, hundredths, 2);
	hd_buf_addc(out, '%');
}

void hd_unit_text_cost(struct hd_buf *out, double cost, const char *unit)
{
	uint64_t whole = (uint64_t)llround(fmin(cost, 1e18));

	if (cost > 0 && cost < 10)
		hd_buf_addf(out, "%.3g", cost);
	else if (!strcmp(unit, "samples"))
		hd_unit_text_count(out, whole);
	else
		hd_unit_text_add(out, whole, unit);
}

void hd_unit_text_real(struct hd_buf *out, double v)
{
	double size = fabs(v);
	char text[64];
	int n, decimals = 0;

	if (!isfinite(v)) {
		hd_buf_addc(out, '-');
		return;
	}
	if (size != 0 && (size < 1e-4 || size >= 1e15)) {
		hd_buf_addf(out, "%.6g", v);
		return;
	}
	for (double most = 1e5; decimals < 9 && size < most && size != 0; most /= 10)
		decimals++;
	n = snprintf(text, sizeof(text), "%.*f", decimals, v);
	if (decimals) {
		while (text[n - 1] == '0')
			n--;
		n -= text[n - 1] == '.';
	}
	hd_buf_add(out, text, (size_t)n);
}
