/* glob.c - patterns with * ? and [sets], as filters use them */
#include "test.h"

#include "base/glob.h"

#include <string.h>

static bool glob(const char *pattern, const char *text)
{
	return hd_glob(pattern, strlen(pattern), text, strlen(text));
}

TEST(stars_and_marks_stand_for_bytes)
{
	EXPECT(glob("", "") && !glob("", "a") && !glob("a", ""));
	EXPECT(glob("*", "") && glob("*", "abc") && glob("**", "x"));
	EXPECT(glob("a*c", "ac") && glob("a*c", "abbc") && !glob("a*c", "abcd"));
	EXPECT(glob("*ab*ab", "aababab") && !glob("*ab*ab", "ab"));
	EXPECT(glob("k?orker/?:*", "kworker/0:1") && !glob("?", "") && !glob("?", "ab"));
}

TEST(sets_have_ranges_and_can_be_turned_over)
{
	EXPECT(glob("[abc]x", "bx") && !glob("[abc]x", "dx"));
	EXPECT(glob("[a-c]", "b") && !glob("[a-c]", "d") && glob("[!a-c]", "d") && !glob("[!a-c]", "b") &&
		glob("[^a]", "b"));
	EXPECT(glob("[]a]", "]") && glob("[a-]", "-") && glob("[-a]", "-"));
	EXPECT(glob("[", "[") && glob("[a", "[a") && !glob("[a", "a"));
	EXPECT(glob("[\x80-\xff]", "\xfe"));
}

TEST(a_backslash_takes_what_follows_as_it_is)
{
	EXPECT(glob("a\\*", "a*") && !glob("a\\*", "ab"));
	EXPECT(glob("\\[x]", "[x]") && glob("\\", "\\"));
}

TEST(many_stars_over_a_long_text_take_no_time)
{
	char pattern[201], text[20001];

	memset(text, 'a', 20000);
	text[20000] = 0;
	for (int i = 0; i < 200; i += 2)
		memcpy(pattern + i, "*a", 2);
	pattern[199] = 'b';
	pattern[200] = 0;
	EXPECT(!glob(pattern, text));
}

TEST_MAIN(RUN(stars_and_marks_stand_for_bytes),
	  RUN(sets_have_ranges_and_can_be_turned_over),
	  RUN(a_backslash_takes_what_follows_as_it_is),
	  RUN(many_stars_over_a_long_text_take_no_time))
