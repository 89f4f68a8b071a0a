/* csvout.c - write rows that can be read back, with the same encoding of names in all CSV files */
#include "test.h"

#include "base/encode.h"
#include "track/csvout.h"
#include "track/form.h"
#include "track/number.h"
#include "stats/random.h"
#include "track/status.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

TEST(a_row_is_cells_and_a_line_end)
{
	char room[256];
	struct hd_csvout o = hd_csvout_to(room, sizeof(room));

	EXPECT_INT(hd_csvout_line(&o, hd_form_layout(HD_FORM_POWER)->header), 0);
	hd_csvout_u64(&o, UINT64_MAX);
	hd_csvout_num(&o, 0.5);
	EXPECT_INT(hd_csvout_end(&o), 0);
	hd_csvout_empty(&o);
	hd_csvout_num(&o, NAN);
	hd_csvout_name(&o, "a,\"b\"", 5);
	hd_csvout_u64(&o, 0);
	EXPECT_INT(hd_csvout_end(&o), 0);
	EXPECT(o.len < sizeof(room));
	room[o.len] = '\0';
	EXPECT_STR(room, "timestamp_us,watts\n18446744073709551615,0.5\n,,\"a,\"\"b\"\"\",0\n");
}

TEST(a_row_that_does_not_fit_leaves_the_rows_before_it)
{
	char room[12];
	struct hd_csvout o = hd_csvout_to(room, sizeof(room));

	hd_csvout_u64(&o, 12345);
	EXPECT_INT(hd_csvout_end(&o), 0);
	hd_csvout_u64(&o, 1234567);
	EXPECT_INT(hd_csvout_end(&o), HD_TRACK_FULL);
	EXPECT_INT(o.len, 6);
	hd_csvout_u64(&o, 12345);
	EXPECT_INT(hd_csvout_end(&o), 0);
	EXPECT_MEM(room, "12345\n12345\n", 12);
}

static void expect_as_encode_writes_it(const char *s, size_t n)
{
	static char room[1 << 20];
	struct hd_csvout o = hd_csvout_to(room, sizeof(room));
	struct hd_buf want = { 0 };

	hd_csvout_name(&o, s, n);
	hd_enc_csv(&want, s, n);
	EXPECT(o.len == want.len && !memcmp(room, want.data, want.len));
	hd_buf_release(&want);
}

TEST(a_name_is_written_as_the_csv_sink_of_the_tool_writes_it)
{
	struct hd_random r = hd_random_from(4);
	char text[64];

	expect_as_encode_writes_it("", 0);
	/* Surrogates and numbers above U+10FFFF are included, although they are invalid in UTF-8. */
	for (uint32_t cp = 0; cp < 0x110800; cp += cp < 0x3000 ? 1 : 61) {
		size_t n = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;

		text[0] = (char)(n == 1 ? cp : (0xf00u >> n & 0xff) | cp >> (6 * (n - 1)));
		for (size_t i = 1; i < n; i++)
			text[i] = (char)(0x80 | (cp >> (6 * (n - 1 - i)) & 0x3f));
		expect_as_encode_writes_it(text, n);
		expect_as_encode_writes_it(text, n - (n > 1));
	}
	for (int i = 0; i < 50000; i++) {
		size_t n = hd_random_below(&r, sizeof(text));

		for (size_t k = 0; k < n; k++)
			text[k] = (char)(i % 3
					? hd_random_u64(&r)
					: (uint64_t) "=+-@\"\\,\n\r\xe2\x80\xae\xf0\x9f\xef\xbf\xbe"[hd_random_below(&r,
						  18)]);
		expect_as_encode_writes_it(text, n);
	}
}

TEST(what_is_written_reads_back)
{
	char room[512];
	struct hd_csvout o = hd_csvout_to(room, sizeof(room));
	struct hd_csv_cell cells[4];
	struct hd_number number;
	struct hd_csv csv;
	size_t n;

	hd_csvout_u64(&o, 1234567890123456789u);
	hd_csvout_num(&o, -0x1.123456789abcdp-300);
	hd_csvout_name(&o, "x;\",y\n", 6);
	hd_csvout_empty(&o);
	EXPECT_INT(hd_csvout_end(&o), 0);
	csv = hd_csv_init(room, o.len);
	EXPECT(hd_csv_next(&csv, cells, 4, &n) == HD_CSV_ROW && n == 4);
	EXPECT(hd_number_read(cells[0].s, cells[0].n, &number) == HD_NUMBER && number.whole == 1234567890123456789u);
	EXPECT(hd_number_read(cells[1].s, cells[1].n, &number) == HD_NUMBER && number.v == -0x1.123456789abcdp-300);
	EXPECT(cells[2].n == 9 && !memcmp(cells[2].s, "x;\",y\\x0a", 9));
	EXPECT(cells[3].n == 0 && hd_csv_next(&csv, cells, 4, &n) == HD_CSV_END);
}

TEST(a_form_is_known_by_its_header_and_by_nothing_else)
{
	struct hd_csv_cell cells[8];
	char text[256];
	size_t n;

	for (unsigned f = 0; f < HD_FORM_OTHER; f++) {
		const struct hd_form_layout *rows = hd_form_layout((enum hd_form)f);
		struct hd_csv csv;

		strcpy(text, rows->header);
		csv = hd_csv_init(text, strlen(text));
		EXPECT(hd_csv_next(&csv, cells, 8, &n) == HD_CSV_ROW && n == rows->n);
		EXPECT_INT(hd_form_detect(cells, n), f);
		EXPECT_INT(hd_form_detect(cells, n - 1), HD_FORM_OTHER);
		cells[1].n--;
		EXPECT_INT(hd_form_detect(cells, n), HD_FORM_OTHER);
	}
	EXPECT(!hd_form_layout(HD_FORM_OTHER));
}

TEST_MAIN(
	RUN(a_row_is_cells_and_a_line_end),
	RUN(a_row_that_does_not_fit_leaves_the_rows_before_it),
	RUN(a_name_is_written_as_the_csv_sink_of_the_tool_writes_it),
	RUN(what_is_written_reads_back),
	RUN(a_form_is_known_by_its_header_and_by_nothing_else),
)
