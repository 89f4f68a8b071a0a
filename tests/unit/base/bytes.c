/* bytes.c - no read goes past the end, whatever the bytes are */
#include "test.h"

#include "base/bytes.h"

static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

TEST(numbers_are_read_in_the_order_of_the_bytes)
{
	struct hd_bytes b = hd_bytes_over(bytes, sizeof(bytes), false);

	EXPECT_INT(hd_bytes_u8(&b), 0x01);
	EXPECT_INT(hd_bytes_u16(&b), 0x0302);
	EXPECT_INT(hd_bytes_u32(&b), 0x07060504);
	EXPECT(hd_bytes_u64(&b) == 0x0f0e0d0c0b0a0908u);
	EXPECT_INT(hd_bytes_left(&b), 0);
	EXPECT(!b.bad);
}

TEST(a_recording_of_the_other_byte_order_is_turned_around)
{
	struct hd_bytes b = hd_bytes_over(bytes, sizeof(bytes), true);

	EXPECT_INT(hd_bytes_u8(&b), 0x01);
	EXPECT_INT(hd_bytes_u16(&b), 0x0203);
	EXPECT_INT(hd_bytes_u32(&b), 0x04050607);
	EXPECT(hd_bytes_u64(&b) == 0x08090a0b0c0d0e0fu);
	EXPECT(!b.bad);
}

TEST(a_read_past_the_end_gives_0_and_takes_nothing_but_the_rest)
{
	struct hd_bytes b = hd_bytes_over(bytes, 7, false);

	EXPECT(hd_bytes_u64(&b) == 0);
	EXPECT(b.bad);
	EXPECT_INT(hd_bytes_left(&b), 0);
}

TEST(bad_sticks_however_little_is_asked_for_afterwards)
{
	struct hd_bytes b = hd_bytes_over(bytes, 3, false);

	hd_bytes_u32(&b);
	EXPECT_INT(hd_bytes_u8(&b), 0);
	EXPECT(hd_bytes_skip(&b, 0) != NULL);
	EXPECT(b.bad);
}

TEST(skipping_gives_the_bytes_as_they_are_or_nothing)
{
	struct hd_bytes b = hd_bytes_over(bytes, sizeof(bytes), true);
	const uint8_t *p = hd_bytes_skip(&b, 5);

	EXPECT(p == bytes && p[4] == 5);
	EXPECT(hd_bytes_skip(&b, 11) == NULL);
	EXPECT(b.bad);
}

TEST(a_size_close_to_the_largest_number_is_too_much_and_does_not_wrap)
{
	struct hd_bytes b = hd_bytes_over(bytes, sizeof(bytes), false);

	EXPECT(hd_bytes_skip(&b, SIZE_MAX) == NULL);
	EXPECT(b.bad);
	EXPECT_INT(hd_bytes_left(&b), 0);
}

TEST(no_bytes_at_all_can_be_read_from)
{
	struct hd_bytes b = hd_bytes_over(NULL, 0, false);

	EXPECT_INT(hd_bytes_left(&b), 0);
	EXPECT_INT(hd_bytes_u16(&b), 0);
	EXPECT(b.bad);
}

TEST_MAIN(RUN(numbers_are_read_in_the_order_of_the_bytes),
	  RUN(a_recording_of_the_other_byte_order_is_turned_around),
	  RUN(a_read_past_the_end_gives_0_and_takes_nothing_but_the_rest),
	  RUN(bad_sticks_however_little_is_asked_for_afterwards),
	  RUN(skipping_gives_the_bytes_as_they_are_or_nothing),
	  RUN(a_size_close_to_the_largest_number_is_too_much_and_does_not_wrap),
	  RUN(no_bytes_at_all_can_be_read_from))
