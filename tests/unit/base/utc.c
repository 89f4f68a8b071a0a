/*
 * utc.c - format times as UTC text, which sorts by time, and read it back
 */
#include "test.h"

#include "base/utc.h"

#include <stdint.h>

static void both_ways(int64_t secs, const char *text)
{
	char out[HD_UTC_TEXT];
	int64_t back = 1;

	hd_utc_text(secs, out);
	EXPECT_STR(out, text);
	EXPECT_INT(hd_utc_parse(text, &back), 0);
	EXPECT(back == secs);
}

TEST(a_time_becomes_text_and_back)
{
	both_ways(0, "1970-01-01T00:00:00Z");
	both_ways(1792764062, "2026-10-23T14:01:02Z");
	both_ways(951782400, "2000-02-29T00:00:00Z");
	both_ways(-1, "1969-12-31T23:59:59Z");
	both_ways(-62167219200, "0000-01-01T00:00:00Z");
	both_ways(253402300799, "9999-12-31T23:59:59Z");
}

TEST(a_time_beyond_four_digits_of_year_is_cut_to_the_end)
{
	char out[HD_UTC_TEXT];

	hd_utc_text(INT64_MAX, out);
	EXPECT_STR(out, "9999-12-31T23:59:59Z");
	hd_utc_text(INT64_MIN, out);
	EXPECT_STR(out, "0000-01-01T00:00:00Z");
}

TEST(what_is_no_time_is_refused)
{
	static const char *const wrong[] = {
		"", "now", "2026-11-20", "2026-11-20 14:01:02Z", "2026-11-20T14:01:02", "2026-11-20T14:01:02ZZ",
		"2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-01T24:00:00Z",
		"2026-01-01T00:60:00Z", "+026-01-01T00:00:00Z", "2026-01-01T00:00:-1Z",
	};
	int64_t secs;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		EXPECT_INT(hd_utc_parse(wrong[i], &secs), -1);
}

TEST_MAIN(RUN(a_time_becomes_text_and_back),
	  RUN(a_time_beyond_four_digits_of_year_is_cut_to_the_end),
	  RUN(what_is_no_time_is_refused))
