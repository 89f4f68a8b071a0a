/* tracefield.c - parse declarations of tracepoint fields, and read their values */
#include "synthetic_recording.h"

#include "perfdata/tracefield.h"

struct declared {
	const char *type;
	bool array, is_signed;
	enum hd_tracefield_place place;
	uint32_t bytes;
	const char *want;
};

/* Expect the values of the declared field, which is at offset 8 of `raw`, with this byte order. */
static void expect_reads(const struct declared *d, bool swap, const struct image *raw)
{
	struct hd_tracefield f = { .off = 8,
		.bytes = d->bytes,
		.place = d->place,
		.is_signed = d->is_signed,
		.swap = swap };
	struct hd_buf out = { 0 };
	struct hd_tracevalue v;

	hd_tracefield_type(&f, d->type, d->array, 8);
	EXPECT(hd_tracefield_get(&f, (const uint8_t *)raw->b.data, raw->b.len, &v));
	hd_tracefield_text(&f, &v, &out);
	EXPECT_STR(hd_buf_str(&out), d->want);
	hd_buf_release(&out);
}

TEST(numbers_of_all_sizes_have_their_sign_in_both_byte_orders)
{
	static const struct declared cases[] = {
		{ "char", false, true, HD_PLACE_FIXED, 1, "-2" },
		{ "bool", false, false, HD_PLACE_FIXED, 1, "254" },
		{ "short", false, true, HD_PLACE_FIXED, 2, "-2" },
		{ "u16", false, false, HD_PLACE_FIXED, 2, "65534" },
		{ "pid_t", false, true, HD_PLACE_FIXED, 4, "-2" },
		{ "enum zone_type", false, false, HD_PLACE_FIXED, 4, "4294967294" },
		{ "long", false, true, HD_PLACE_FIXED, 8, "-2" },
		{ "u64", false, false, HD_PLACE_FIXED, 8, "18446744073709551614" },
		{ "size_t", false, false, HD_PLACE_FIXED, 8, "18446744073709551614" },
		{ "unsigned long", false, false, HD_PLACE_FIXED, 8, "0xfffffffffffffffe" },
		{ "const void *", false, false, HD_PLACE_FIXED, 8, "0xfffffffffffffffe" },
	};

	for (int swap = 0; swap < 2; swap++) {
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			struct image raw = { .swap = swap };

			u64(&raw, 0);
			switch (cases[i].bytes) {
			case 1: put(&raw, "\xfe", 1); break;
			case 2: u16(&raw, (uint16_t)-2); break;
			case 4: u32(&raw, (uint32_t)-2); break;
			default: u64(&raw, (uint64_t)-2); break;
			}
			expect_reads(&cases[i], swap, &raw);
			release(&raw);
		}
	}
}

TEST(arrays_are_text_or_numbers_by_their_type)
{
	static const struct declared cases[] = {
		{ "char", true, true, HD_PLACE_FIXED, 8, "ab" },
		{ "u8", true, false, HD_PLACE_FIXED, 4, "{97,98,0,255}" },
		{ "unsigned char", true, false, HD_PLACE_FIXED, 2, "{97,98}" },
		{ "struct in6_addr", false, false, HD_PLACE_FIXED, 3, "{97,98,0}" },
	};
	struct image raw = { 0 };

	u64(&raw, 0);
	put(&raw, "ab\0\xff" "cdef", 8);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_reads(&cases[i], false, &raw);
	release(&raw);
}

TEST(a_long_array_is_cut_as_text)
{
	struct hd_tracefield f = { .bytes = 1000 };
	struct hd_buf out = { 0 };
	struct hd_tracevalue v;
	uint8_t raw[1000] = { 0 };

	hd_tracefield_type(&f, "u8", true, 8);
	EXPECT(hd_tracefield_get(&f, raw, sizeof(raw), &v));
	hd_tracefield_text(&f, &v, &out);
	EXPECT_INT(out.len, 1 + 2 * 256 + 4);
	EXPECT_STR(out.data + out.len - 8, "0,0,...}");
	hd_buf_release(&out);
}

TEST(dynamic_fields_are_behind_the_fixed_ones)
{
	for (int swap = 0; swap < 2; swap++) {
		struct declared text_at = { "char[]", true, true, HD_PLACE_DATA_LOC, 4, "path" };
		struct declared text_from = { "char[]", true, true, HD_PLACE_REL_LOC, 4, "path" };
		struct declared words = { "u32[]", true, false, HD_PLACE_DATA_LOC, 4, "{1,4294967295}" };
		struct image raw = { .swap = swap };

		u64(&raw, 0);
		u32(&raw, 5u << 16 | 16);
		u32(&raw, 0);
		text(&raw, "path", 5);
		expect_reads(&text_at, swap, &raw);
		release(&raw);

		raw = (struct image){ .swap = swap };
		u64(&raw, 0);
		u32(&raw, 5u << 16 | 4);
		u32(&raw, 0);
		text(&raw, "path", 5);
		expect_reads(&text_from, swap, &raw);
		release(&raw);

		raw = (struct image){ .swap = swap };
		u64(&raw, 0);
		u32(&raw, 8u << 16 | 12);
		u32(&raw, 1);
		u32(&raw, UINT32_MAX);
		expect_reads(&words, swap, &raw);
		release(&raw);
	}
}

TEST(what_lies_outside_of_the_raw_data_is_no_value)
{
	struct hd_tracefield f = { .off = 8, .bytes = 4, .place = HD_PLACE_DATA_LOC };
	struct hd_tracevalue v;
	struct image raw = { 0 };

	hd_tracefield_type(&f, "char[]", true, 8);
	u64(&raw, 0);
	u32(&raw, 1u << 16 | 12);
	EXPECT(!hd_tracefield_get(&f, (const uint8_t *)raw.b.data, raw.b.len, &v));
	text(&raw, "x", 1);
	EXPECT(hd_tracefield_get(&f, (const uint8_t *)raw.b.data, raw.b.len, &v));
	EXPECT(!hd_tracefield_get(&f, (const uint8_t *)raw.b.data, 11, &v));
	f.off = UINT32_MAX;
	EXPECT(!hd_tracefield_get(&f, (const uint8_t *)raw.b.data, raw.b.len, &v));
	release(&raw);
}

TEST_MAIN(RUN(numbers_of_all_sizes_have_their_sign_in_both_byte_orders),
	  RUN(arrays_are_text_or_numbers_by_their_type),
	  RUN(a_long_array_is_cut_as_text),
	  RUN(dynamic_fields_are_behind_the_fixed_ones),
	  RUN(what_lies_outside_of_the_raw_data_is_no_value))
