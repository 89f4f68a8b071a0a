/*
 * utc.c - see utc.h
 */
#include "base/utc.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z */
static const int64_t first = -62167219200, last = 253402300799;

int64_t hd_utc_now(void)
{
	return (int64_t)time(NULL);
}

void hd_utc_text(int64_t secs, char out[HD_UTC_TEXT])
{
	time_t t = (time_t)(secs < first ? first : secs > last ? last : secs);
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(out, HD_UTC_TEXT, "%Y-%m-%dT%H:%M:%SZ", &tm);
	if (tm.tm_year < -900) {	/* %Y does not pad years below 1000 */
		char year[16];

		snprintf(year, sizeof(year), "%04d", tm.tm_year + 1900);
		strftime(out + 4, HD_UTC_TEXT - 4, "-%m-%dT%H:%M:%SZ", &tm);
		memcpy(out, year, 4);
	}
}

int hd_utc_parse(const char *text, int64_t *secs)
{
	static const char form[] = "dddd-dd-ddTdd:dd:ddZ";
	char again[HD_UTC_TEXT];
	struct tm tm = { 0 };

	if (strlen(text) != sizeof(form) - 1)
		return -1;
	for (size_t i = 0; i < sizeof(form) - 1; i++)
		if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
			return -1;
	sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour, &tm.tm_min,
		&tm.tm_sec);
	tm.tm_year -= 1900;
	tm.tm_mon--;
	*secs = timegm(&tm);
	hd_utc_text(*secs, again);	/* 2026-02-30 would be converted to another day */
	return strcmp(again, text) ? -1 : 0;
}

bool hd_parse_seconds_ns(const char *s, size_t n, uint64_t *ns)
{
	uint64_t v = 0, scale = 1000000000;
	bool point = false, digit = false;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (!isdigit((unsigned char)s[i]))
			return false;
		if (point) {
			if (scale == 1)
				return false;
			scale /= 10;
		}
		if (__builtin_mul_overflow(v, 10u, &v) || __builtin_add_overflow(v, (uint64_t)(s[i] - '0'), &v))
			return false;
		digit = true;
	}
	return digit && !__builtin_mul_overflow(v, scale, ns);
}

bool hd_parse_seconds_range(const char *text, uint64_t *from_ns, uint64_t *to_ns)
{
	size_t a = strcspn(text, ",");

	if (!text[a] || (a && !hd_parse_seconds_ns(text, a, from_ns)))
		return false;
	if (text[a + 1] && !hd_parse_seconds_ns(text + a + 1, strlen(text + a + 1), to_ns))
		return false;
	return *from_ns <= *to_ns;
}
