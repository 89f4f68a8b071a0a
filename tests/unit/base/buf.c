/*
 * buf.c - tests of the growing byte buffer, which always ends in a NUL
 */
#include "test.h"

#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

TEST(what_is_appended_stands_in_order)
{
	struct hd_buf b = { 0 };

	hd_buf_adds(&b, "main");
	hd_buf_addc(&b, ';');
	hd_buf_add(&b, "read", 4);
	hd_buf_addf(&b, " %d", 42);
	EXPECT_STR(b.data, "main;read 42");
	EXPECT_INT(b.len, 12);
	hd_buf_release(&b);
	EXPECT(!b.data && !b.len && !b.cap);
}

TEST(an_empty_buffer_reads_as_an_empty_string)
{
	struct hd_buf b = { 0 };
	char *s;

	EXPECT_STR(hd_buf_str(&b), "");
	s = hd_buf_take(&b);
	EXPECT_STR(s, "");
	free(s);
}

TEST(appending_nothing_makes_data_an_empty_string)
{
	struct hd_buf a = { 0 }, b = { 0 }, c = { 0 };

	hd_buf_add(&a, NULL, 0);
	hd_buf_adds(&b, "");
	hd_buf_addf(&c, "%s", "");
	EXPECT_STR(a.data, "");
	EXPECT_STR(b.data, "");
	EXPECT_STR(c.data, "");
	hd_buf_release(&a);
	hd_buf_release(&b);
	hd_buf_release(&c);
}

TEST(room_that_was_only_reserved_still_ends_in_a_nul)
{
	struct hd_buf b = { 0 };
	char *s;

	hd_buf_reserve(&b, 1000);
	EXPECT_STR(hd_buf_str(&b), "");
	s = hd_buf_take(&b);
	EXPECT_STR(s, "");
	free(s);
}

TEST(any_byte_can_be_appended)
{
	struct hd_buf b = { 0 };

	hd_buf_add(&b, "a\0b", 3);
	hd_buf_addc(&b, '\0');
	EXPECT_INT(b.len, 4);
	EXPECT_MEM(b.data, "a\0b\0\0", 5);
	hd_buf_release(&b);
}

TEST(a_number_is_written_in_decimal_up_to_the_largest)
{
	static const uint64_t values[] = { 0, 1, 9, 10, 99, 100, 12345678901234567890u, UINT64_MAX };
	struct hd_buf b = { 0 };
	char want[32];

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		hd_buf_reset(&b);
		hd_buf_addu(&b, values[i]);
		snprintf(want, sizeof(want), "%llu", (unsigned long long)values[i]);
		EXPECT_STR(b.data, want);
	}
	hd_buf_release(&b);
}

TEST(numbers_of_our_own_files_are_little_endian)
{
	struct hd_buf b = { 0 };

	hd_buf_le16(&b, 0x0102);
	hd_buf_le32(&b, 0x03040506);
	hd_buf_le64(&b, 0x0708090a0b0c0d0e);
	EXPECT_INT(b.len, 14);
	EXPECT_MEM(b.data, "\x02\x01\x06\x05\x04\x03\x0e\x0d\x0c\x0b\x0a\x09\x08\x07", 14);
	hd_buf_release(&b);
}

TEST(a_formatted_text_may_be_longer_than_any_buffer_before_it)
{
	struct hd_buf b = { 0 };
	char *big = malloc(100001);

	memset(big, 'x', 100000);
	big[100000] = '\0';
	hd_buf_addf(&b, "<%s>", big);
	EXPECT_INT(b.len, 100002);
	EXPECT(b.data[0] == '<' && b.data[100001] == '>' && !b.data[100002]);
	free(big);
	hd_buf_release(&b);
}

TEST(a_reset_buffer_is_empty_and_keeps_its_memory)
{
	struct hd_buf b = { 0 };
	size_t cap;

	hd_buf_adds(&b, "something");
	cap = b.cap;
	hd_buf_reset(&b);
	EXPECT_STR(b.data, "");
	EXPECT_INT(b.len, 0);
	EXPECT_INT(b.cap, cap);
	hd_buf_release(&b);
}

TEST(a_taken_string_is_the_takers_and_the_buffer_begins_anew)
{
	struct hd_buf b = { 0 };
	char *first;

	hd_buf_adds(&b, "first");
	first = hd_buf_take(&b);
	hd_buf_adds(&b, "second");
	EXPECT_STR(first, "first");
	EXPECT_STR(b.data, "second");
	free(first);
	hd_buf_release(&b);
}

TEST_MAIN(RUN(what_is_appended_stands_in_order),
	  RUN(an_empty_buffer_reads_as_an_empty_string),
	  RUN(appending_nothing_makes_data_an_empty_string),
	  RUN(room_that_was_only_reserved_still_ends_in_a_nul),
	  RUN(any_byte_can_be_appended),
	  RUN(a_number_is_written_in_decimal_up_to_the_largest),
	  RUN(numbers_of_our_own_files_are_little_endian),
	  RUN(a_formatted_text_may_be_longer_than_any_buffer_before_it),
	  RUN(a_reset_buffer_is_empty_and_keeps_its_memory),
	  RUN(a_taken_string_is_the_takers_and_the_buffer_begins_anew))
