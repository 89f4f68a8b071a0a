/*
 * fields.c - write rows as tables, JSON and CSV from one description of the columns
 */
#include "test.h"

#include "base/mem.h"
#include "render/fields.h"

#include <math.h>

struct row {
	size_t rank;
	int64_t samples;
	double self_pct, points;
	struct hd_field_name symbol;
	bool unknown;
};

enum { POINTS = 1 };

static const struct hd_field fields[] = {
	HD_FIELD("rank", "rank", RANK, struct row, rank),
	HD_FIELD("symbol", "symbol", SYMBOL, struct row, symbol, .place = 1),
	HD_FIELD("unknown", NULL, FLAG, struct row, unknown),
	HD_FIELD("self_pct", "self", PERCENT, struct row, self_pct),
	HD_FIELD("points", "points", POINTS, struct row, points, .when = POINTS),
	HD_FIELD("samples", NULL, COUNT, struct row, samples),
};

static const struct row rows[] = {
	{ 1, 12, 75.5, NAN, { "ns::main", "main", false, NULL }, false },
	{ 0, -1, 24.5, -1.25, { "0x10", "[unknown]", true, NULL }, true },
};

static struct hd_fields fields_with(unsigned flags)
{
	return (struct hd_fields){ fields, HD_COUNT(fields), flags };
}

TEST(a_table_sorts_columns_by_place_and_has_only_those_with_a_title)
{
	struct hd_fields f = fields_with(POINTS);
	struct hd_buf out = { 0 };
	struct hd_table t;

	hd_fields_table(&t, &f);
	for (size_t i = 0; i < HD_COUNT(rows); i++)
		hd_fields_cells(&t, &f, &rows[i]);
	hd_table_write(&out, &t, false);
	EXPECT_STR(hd_buf_str(&out),
		"rank    self  points  symbol\n"
		"   1  75.50%          main\n"
		"   -  24.50%   -1.25  [unknown]\n");
	hd_buf_release(&out);
}

TEST(json_has_the_fields_in_the_order_of_the_array_and_null_for_unknown_counts)
{
	struct hd_fields f = fields_with(0);
	struct hd_buf out = { 0 };
	struct hd_jsonw w = hd_jsonw_to(&out);

	hd_jsonw_row(&w, NULL, '[');
	hd_fields_object(&w, &f, &rows[1]);
	hd_jsonw_close(&w, ']');
	EXPECT_STR(hd_buf_str(&out),
		"[{\"rank\": 0, \"symbol\": \"0x10\", \"unknown\": true, \"self_pct\": 24.500000, \"samples\": "
			"null}]\n");
	hd_buf_release(&out);
}

TEST(csv_has_the_order_of_tables_and_no_flags)
{
	struct hd_fields f = fields_with(POINTS);
	struct hd_buf out = { 0 };

	hd_fields_csv(&out, &f, &rows[1]);
	EXPECT_STR(hd_buf_str(&out), "0,24.500000,-1.250000,,\"0x10\"");
	hd_buf_release(&out);
}

struct measured {
	int64_t n;
	uint64_t weight;
	double value;
	struct hd_interval ci;
	const char *why, *name;
};
static const struct hd_fields of_measured = HD_FIELDS(
	HD_FIELD("n", NULL, COUNT, struct measured, n),
	HD_FIELD("weight", NULL, WEIGHT, struct measured, weight),
	HD_FIELD("value", NULL, REAL, struct measured, value),
	HD_FIELD("ci", NULL, INTERVAL, struct measured, ci),
	HD_FIELD("why", NULL, TEXT, struct measured, why),
	HD_FIELD("name", NULL, NAME, struct measured, name));

TEST(csv_has_all_digits_of_numbers_nothing_for_unknown_values_and_no_intervals)
{
	static const struct measured known = { 3, UINT64_MAX, 0.1, { 0, 1 }, "x", "a\"b" },
				     unknown = { -1, 0, NAN, { NAN, NAN }, NULL, NULL };
	struct hd_buf out = { 0 };

	hd_fields_csv_header(&out, &of_measured);
	hd_fields_csv(&out, &of_measured, &known);
	hd_buf_addc(&out, '\n');
	hd_fields_csv(&out, &of_measured, &unknown);
	EXPECT_STR(hd_buf_str(&out),
		"n,weight,value,why,name\n3,18446744073709551615,0.1,x,\"a\"\"b\"\n,0,,,\"\"");
	hd_buf_release(&out);
}

struct item {
	int64_t n, bytes;
	double lo;
	const char *why;
};
static const struct hd_fields of_item = HD_FIELDS(
	HD_FIELD("n", NULL, INT, struct item, n),
	HD_FIELD("bytes", NULL, COUNT_IF, struct item, bytes),
	HD_FIELD("lo", NULL, REAL_IF, struct item, lo),
	HD_FIELD("why", NULL, TEXT_IF, struct item, why));

TEST(an_array_of_rows_has_an_object_each_without_the_optional_members_that_are_unknown)
{
	static const struct item items[] = {
		{ -3, 10, 0.5, "x" },
		{ 4, -1, NAN, NULL },
	};
	struct hd_buf out = { 0 };
	struct hd_jsonw w = hd_jsonw_to(&out);

	hd_jsonw_row(&w, NULL, '{');
	hd_fields_array(&w, "items", &of_item, items, HD_COUNT(items), sizeof(*items));
	hd_fields_array(&w, "none", &of_item, NULL, 0, sizeof(*items));
	hd_jsonw_close(&w, '}');
	EXPECT_STR(hd_buf_str(&out),
		"{\"items\": [{\"n\": -3, \"bytes\": 10, \"lo\": 0.5, \"why\": \"x\"}, {\"n\": 4}], \"none\": []}\n");
	hd_buf_release(&out);
}

TEST_MAIN(RUN(an_array_of_rows_has_an_object_each_without_the_optional_members_that_are_unknown),
	  RUN(a_table_sorts_columns_by_place_and_has_only_those_with_a_title),
	  RUN(json_has_the_fields_in_the_order_of_the_array_and_null_for_unknown_counts),
	  RUN(csv_has_the_order_of_tables_and_no_flags),
	  RUN(csv_has_all_digits_of_numbers_nothing_for_unknown_values_and_no_intervals))
