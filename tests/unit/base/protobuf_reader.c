/* protobuf_reader.c - an invalid field ends the message and is reported with its place */
#include "test.h"

#include "base/protobuf_reader.h"

/*
 * Read a message.  Returns the number of valid fields, and sets *bad to the offset of the invalid field, or to -1 if
 * there is none.
 */
static int fields_of(const char *bytes, size_t n, int *bad, struct hd_protobuf_field *last)
{
	struct hd_protobuf_reader r = hd_protobuf_over(bytes, n);
	int fields = 0;

	while (hd_protobuf_next(&r, last))
		fields++;
	*bad = r.bad ? (int)((const char *)r.at - bytes) : -1;
	return fields;
}

/* Expect this many valid fields, and then an invalid one at offset `at`, or the end if `at` is -1. */
#define EXPECT_FIELDS(bytes, n, at)                                                                                    \
	do {                                                                                                           \
		struct hd_protobuf_field f_;                                                                           \
		int bad_;                                                                                              \
		EXPECT_INT(fields_of(bytes, sizeof(bytes) - 1, &bad_, &f_), n);                                        \
		EXPECT_INT(bad_, at);                                                                                  \
	} while (0)

TEST(fields_have_a_number_and_a_value_of_four_kinds)
{
	static const char all[] = "\x08\x96\x01" "\x12\x02hi" "\x19\x01\x02\0\0\0\0\0\0" "\x25\x03\0\0\0";
	struct hd_protobuf_reader r = hd_protobuf_over(all, sizeof(all) - 1);
	struct hd_protobuf_field f;

	EXPECT(hd_protobuf_next(&r, &f) && f.number == 1 && f.v == 150 && !f.bytes);
	EXPECT(hd_protobuf_next(&r, &f) && f.number == 2 && f.v == 2 && !memcmp(f.bytes, "hi", 2));
	EXPECT(hd_protobuf_next(&r, &f) && f.number == 3 && f.v == 0x201 && !f.bytes);
	EXPECT(hd_protobuf_next(&r, &f) && f.number == 4 && f.v == 3 && !f.bytes);
	EXPECT(!hd_protobuf_next(&r, &f) && !r.bad);
	EXPECT_FIELDS("\x0a\x00", 1, -1);
}

TEST(field_numbers_are_1_to_29_bits)
{
	struct hd_protobuf_field f;
	int bad;

	EXPECT_INT(fields_of("\xf8\xff\xff\xff\x0f\x01", 6, &bad, &f), 1);
	EXPECT(f.number == (1u << 29) - 1 && f.v == 1 && bad == -1);
	EXPECT_FIELDS("\x08\x01" "\x00\x01" "\x08\x01", 1, 2);
	EXPECT_FIELDS("\x08\x01" "\x02\x00", 1, 2);
	EXPECT_FIELDS("\x08\x01" "\x80\x80\x80\x80\x10\x01", 1, 2);
	EXPECT_FIELDS("\x08\x01" "\x88\x80\x80\x80\x10\x01", 1, 2);
	EXPECT_FIELDS("\x08\x01" "\x8a\x80\x80\x80\x10\x00", 1, 2);
	EXPECT_FIELDS("\x08\x01" "\x88\x80\x80\x80\x80\x01\x01", 1, 2);
}

TEST(a_group_an_unknown_type_and_a_cut_field_are_invalid)
{
	EXPECT_FIELDS("\x08\x01" "\x0b", 1, 2);
	EXPECT_FIELDS("\x08\x01" "\x0c", 1, 2);
	EXPECT_FIELDS("\x08\x01" "\x0e", 1, 2);
	EXPECT_FIELDS("\x08\x01" "\x0f", 1, 2);
	EXPECT_FIELDS("\x08\x01" "\x88", 1, 2);
	EXPECT_FIELDS("\x08\x01" "\x08", 1, 2);
	EXPECT_FIELDS("\x08\x01" "\x0a", 1, 2);
	EXPECT_FIELDS("\x08\x01" "\x0a\x03hi", 1, 2);
	EXPECT_FIELDS("\x08\x01" "\x09\0\0\0\0\0\0\0", 1, 2);
	EXPECT_FIELDS("\x08\x01" "\x0d\0\0\0", 1, 2);
	EXPECT_FIELDS("\x08\x01" "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 1, 2);
}

TEST_MAIN(
	RUN(fields_have_a_number_and_a_value_of_four_kinds),
	RUN(field_numbers_are_1_to_29_bits),
	RUN(a_group_an_unknown_type_and_a_cut_field_are_invalid),
)
