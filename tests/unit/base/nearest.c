/* nearest.c - find the names that a misspelt word resembles, for "did you mean" */
#include "base/nearest.h"
#include "test.h"

#include <string.h>

static const char *hint(struct hd_nearest *n, const char *word)
{
	*n = hd_nearest_to(word);
	hd_nearest_try(n, "history");
	hd_nearest_try(n, "hash");
	hd_nearest_try(n, "top");
	return hd_nearest_hint(n);
}

TEST(inserted_deleted_replaced_and_swapped_characters_are_one_edit_each)
{
	EXPECT(hd_nearest_distance("history", "history") == 0);
	EXPECT(hd_nearest_distance("histry", "history") == 1);
	EXPECT(hd_nearest_distance("hisstory", "history") == 1);
	EXPECT(hd_nearest_distance("hystory", "history") == 1);
	EXPECT(hd_nearest_distance("histroy", "history") == 1);
	EXPECT(hd_nearest_distance("", "top") == 3);
	EXPECT(hd_nearest_distance("kitten", "sitting") == 3);
}

TEST(upper_and_lower_case_are_equal)
{
	EXPECT(hd_nearest_distance("Parse_Row", "parse_row") == 0);
}

TEST(the_hint_names_the_closest_candidate)
{
	struct hd_nearest n;

	EXPECT_STR(hint(&n, "histroy"), "; did you mean 'history'?");
	EXPECT_STR(hint(&n, "hsah"), "; did you mean 'hash'?");
}

TEST(a_word_that_is_like_no_candidate_gets_no_hint)
{
	struct hd_nearest n;

	EXPECT_STR(hint(&n, "flamegraph"), "");
	EXPECT_STR(hint(&n, ""), "");
	EXPECT_STR(hint(&n, "x"), "");
}

TEST(a_word_beyond_the_limit_gets_no_hint)
{
	struct hd_nearest n;
	char word[HD_NEAREST_MAX + 2];

	memset(word, 'h', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	EXPECT_STR(hint(&n, word), "");
}

TEST_MAIN(RUN(inserted_deleted_replaced_and_swapped_characters_are_one_edit_each), RUN(upper_and_lower_case_are_equal),
	  RUN(the_hint_names_the_closest_candidate), RUN(a_word_that_is_like_no_candidate_gets_no_hint),
	  RUN(a_word_beyond_the_limit_gets_no_hint))
