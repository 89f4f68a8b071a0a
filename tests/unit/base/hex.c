/*
 * hex.c - bytes to digits and back
 */
#include "test.h"

#include "base/hex.h"

TEST(bytes_become_two_lower_case_digits_each)
{
	char text[9];

	hd_hex((const uint8_t *)"\x00\x9f\xab\xff", 4, text);
	EXPECT_STR(text, "009fabff");
}

TEST(digits_of_either_case_become_bytes_again)
{
	uint8_t bytes[4] = { 1, 1, 1, 1 };

	EXPECT_INT(hd_unhex("009fABff", bytes, 4), 4);
	EXPECT_MEM(bytes, "\x00\x9f\xab\xff", 4);
}

TEST(what_is_no_digit_ends_them)
{
	uint8_t bytes[4];

	EXPECT_INT(hd_unhex("00fg", bytes, 4), 1);
	EXPECT_INT(hd_unhex("0", bytes, 4), 0);
	EXPECT_INT(hd_unhex("", bytes, 4), 0);
	EXPECT_INT(hd_unhex("@0`0", bytes, 2), 0);
}

TEST_MAIN(RUN(bytes_become_two_lower_case_digits_each), RUN(digits_of_either_case_become_bytes_again), RUN(what_is_no_digit_ends_them))
