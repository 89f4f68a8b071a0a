/*
 * hex.c - convert bytes to hexadecimal digits and back
 */
#include "test.h"

#include "base/hex.h"

#include <stdio.h>

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

TEST(a_number_is_written_as_printf_writes_it)
{
	static const uint64_t numbers[] = { 0, 1, 9, 10, 15, 16, 0x0123456789abcdef, 0xfedcba9876543210,
		0xffffffff00000000, UINT64_MAX };
	char got[HD_HEX64], want[HD_HEX64];

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		hd_hex64(numbers[i], got);
		snprintf(want, sizeof(want), "0x%016llx", (unsigned long long)numbers[i]);
		EXPECT_STR(got, want);
	}
}

TEST_MAIN(RUN(bytes_become_two_lower_case_digits_each), RUN(digits_of_either_case_become_bytes_again),
	RUN(what_is_no_digit_ends_them), RUN(a_number_is_written_as_printf_writes_it))
