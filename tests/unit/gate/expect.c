/* expect.c - parse a file of declared shares, and decide which shares violate it */
#include "unit/history/history_test.h"

#include "gate/expect_store.h"

#include <math.h>

static struct hd_expect must_parse(const char *text)
{
	struct hd_expect e;
	struct hd_err err = { 0 };
	int rc = hd_expect_parse(&e, text, strlen(text), "f", &err);

	if (rc < 0)
		print_message("%s\n", err.msg);
	EXPECT_INT(rc, 0);
	return e;
}

static void refuses(const char *text, const char *message)
{
	struct hd_expect e;
	struct hd_err err = { 0 };

	EXPECT_INT(hd_expect_parse(&e, text, strlen(text), "f", &err), HD_EFORMAT);
	EXPECT_STR(err.msg, message);
}

static void is_range(const char *line, const char *name, const char *range)
{
	struct hd_expect e = must_parse(line);
	char text[HD_EXPECT_RANGE_TEXT];

	EXPECT_INT(e.n, 1);
	EXPECT_STR(e.items[0].name, name);
	hd_expect_range_text(&e.items[0].range, text);
	EXPECT_STR(text, range);
	hd_expect_release(&e);
}

TEST(a_range_is_the_end_of_a_line_and_a_name_what_stands_before_it)
{
	is_range("similarity 15..25 %", "similarity", "15..25 %");
	is_range("similarity 15 .. 25%", "similarity", "15..25 %");
	is_range("  parse_row\t> 5 %  # why", "parse_row", "> 5 %");
	is_range("f <= 0.25", "f", "<= 0.25 %");
	is_range("f >=3\r\n", "f", ">= 3 %");
	is_range("f = 3 %", "f", "= 3 %");
	is_range("operator new 2..5 %", "operator new", "2..5 %");
	is_range("operator< < 2 %", "operator<", "< 2 %");
	is_range("foo1 3..4", "foo1", "3..4 %");
	is_range("foo 1 3..4", "foo 1", "3..4 %");
	is_range("std::map<int, std::less<int> >::find < 3", "std::map<int, std::less<int> >::find", "< 3 %");
	is_range("\"a, b # c\" < 3", "a, b # c", "< 3 %");
	is_range("core::fmt::{closure#0} < 3", "core::fmt::{closure#0}", "< 3 %");
}

TEST(a_tier_has_a_range_that_a_line_or_the_file_may_change)
{
	struct hd_expect e = must_parse(
		"primary: a, b\nsecondary: c\ntertiary: d\nprimary: e > 8 %\nprimary > 9 %\nprimary: f\n");
	char text[HD_EXPECT_RANGE_TEXT];
	static const char *const want[] = { "> 5 %", "> 5 %", "2..5 %", "< 2 %", "> 8 %", "> 9 %" };

	EXPECT_INT(e.n, 6);
	for (size_t i = 0; i < 6; i++) {
		hd_expect_range_text(&e.items[i].range, text);
		EXPECT_STR(text, want[i]);
		EXPECT(e.items[i].name[0] == (char)('a' + i) && e.items[i].tier != HD_TIER_NONE);
	}
	hd_expect_release(&e);
	/* The end of a name that looks like a range does not replace the range of the tier. */
	is_range("primary: foo<5", "foo<5", "> 5 %");
	is_range("secondary: foo1..2", "foo1..2", "2..5 %");
}

TEST(settings_are_lines_without_a_range)
{
	struct hd_expect e = must_parse("\xef\xbb\xbf" "event cycles:u\ntolerance 1.5\ntolerance 3..4\n");

	EXPECT_STR(e.event, "cycles:u");
	EXPECT(e.tolerance == 1.5);
	/* A line with a range declares a function, even if it is named like a keyword. */
	EXPECT_INT(e.n, 1);
	EXPECT_STR(e.items[0].name, "tolerance");
	EXPECT_INT(e.items[0].line, 3);
	hd_expect_release(&e);
}

TEST(a_line_without_an_expectation_is_rejected_with_its_number)
{
	refuses("", "f: declares nothing; a line is `NAME 15..25 %`");
	refuses("a 3..4\nb\n",
		"f: line 2: no range at the end of `b`: `NAME 15..25 %`, `NAME < 2 %`, or `primary: NAME`");
	refuses("a 7..3", "f: line 1: the range 7..3 is empty: its first number is larger than the second");
	refuses("a 1..2..3", "f: line 1: `1..2..3` is no range: expected two percentages, as in 15..25");
	refuses("a > %", "f: line 1: expected a number before the %, as in `NAME 15..25 %`");
	refuses("a<5", "f: line 1: no range at the end of `a<5`: `NAME 15..25 %`, `NAME < 2 %`, or `primary: NAME`");
	refuses("> 5", "f: line 1: the name of a function is missing");
	refuses("primary: a,,b", "f: line 1: the name of a function is missing");
	refuses("total a* > 5",
		"f: line 1: total of 'a*': the totals of several functions overlap; name a single one, in quotes if "
		"its name contains * or ?");
	refuses("tolerance 101", "f: line 1: tolerance takes percentage points from 0 to 100, not `101`");
	refuses("a\"b > 5", "f: line 1: a quotation mark inside a name; quote the whole name or nothing");
}

static const struct hd_expect_cost costs[] = {
	{ "parse_row.isra.0", "_ZN9parse_rowE", 20, 40 }, { "std::vector::push_back", NULL, 3, 3 },
	{ "std::vector::pop", NULL, 4, 4 },
	{ "main", "main", 0, 100 }, { "operator*", NULL, 1, 1 }, { "stray", NULL, 2.5, 2.5 },
};

static size_t check(const char *text, struct hd_expect_result *r)
{
	struct hd_expect e = must_parse(text);
	size_t violated = hd_expect_check(r, &e, costs, HD_COUNT(costs));

	hd_expect_release(&e);
	return violated;
}

TEST(a_function_is_judged_by_any_of_its_names)
{
	struct hd_expect_result r[8];

	EXPECT_INT(
		check("parse_row 15..25\nparse_row.isra.0 15..25\n_ZN9parse_rowE 15..25\ntotal parse_row = 40\ntotal "
			"main >= 95\n"
		      "std::* < 8\n\"operator*\" = 1\nnowhere < 1",
			r),
		0);
	EXPECT(r[5].measured == 7 && r[5].functions == 2);
	EXPECT_INT(r[7].functions, 0);
	EXPECT_INT(check("parse_row > 20\nparse_row >= 20\nparse_row < 20\nnowhere > 0", r), 3);
	EXPECT(r[0].verdict == HD_EXPECT_VIOLATED && r[1].verdict == HD_EXPECT_OK);
}

TEST(a_tolerance_is_points_on_both_sides)
{
	struct hd_expect_result r[2];

	EXPECT_INT(check("tolerance 2\nparse_row < 18.5\nparse_row > 22.5", r), 1);
	EXPECT(r[0].verdict == HD_EXPECT_NEAR && r[1].verdict == HD_EXPECT_VIOLATED);
}

TEST(others_are_each_function_that_no_line_matches)
{
	struct hd_expect_result r[4];

	EXPECT_INT(check("others < 2\nparse_row > 1\nstd::* > 1\nmain >= 0", r), 1);
	EXPECT_STR(r[0].worst, "stray");
	EXPECT(r[0].measured == 2.5 && r[0].functions == 2);
}

TEST(expectations_are_kept_for_a_target_and_replace_those_it_had)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_expect
		e = must_parse(
			"event cycles\n"
			"tolerance 1\n"
			"primary: parse_row\n"
			"\"a*\" 1..2\n"
			"std::* < 8\n"
			"total main >= 95\n"
			"others < 2"),
		back;
	struct hd_err err = { 0 };

	EXPECT_INT(hd_expect_load(&back, db, "serve", &err), HD_ENOBASE);
	EXPECT_INT(hd_expect_store(db, &e, "serve", "shares.txt", &err), 0);
	EXPECT_INT(hd_expect_store(db, &e, "serve", "shares.txt", &err), 0);
	EXPECT_INT(count(db, "SELECT COUNT(*) FROM expectation"), 5);
	EXPECT_TEXT(db, "SELECT reason FROM expectation WHERE symbol = 'parse_row'", "shares.txt, line 3, primary");
	EXPECT_INT(hd_expect_load(&back, db, "serve", &err), 0);
	EXPECT_INT(back.n, 5);
	EXPECT_STR(back.event, "cycles");
	EXPECT(back.items[0].range.lo == 4 && isinf(back.items[0].range.hi));
	EXPECT(!back.items[1].glob && back.items[1].range.lo == 0 && back.items[1].range.hi == 3);
	EXPECT_STR(back.items[1].name, "a*");
	EXPECT(back.items[2].glob && back.items[3].total && back.items[4].others);
	hd_expect_release(&back);
	EXPECT_INT(hd_expect_load(&back, db, "other", &err), HD_ENOBASE);
	hd_expect_release(&e);
	hd_db_close(db);
	place_remove(&place);
}

/* The database has the visible form of names (base/encode.h). */
TEST(stored_expectations_have_the_raw_bytes_of_names)
{
	struct place place = place_new();
	struct hd_db *db = must_open(place.db, HD_DB_WRITE);
	struct hd_expect e = must_parse("event cycles\xff\na\\b\xff < 8\n\"x\x01*\" < 2\ny\xe2\x80\xae* < 3"), back;
	struct hd_err err = { 0 };

	EXPECT_INT(hd_expect_store(db, &e, "serve", "shares.txt", &err), 0);
	EXPECT_TEXT(db, "SELECT symbol FROM expectation WHERE id = 1", "a\\\\b\\xff");
	EXPECT_INT(hd_expect_load(&back, db, "serve", &err), 0);
	EXPECT_INT(back.n, 3);
	EXPECT_STR(back.event, "cycles\xff");
	for (size_t i = 0; i < 3; i++)
		EXPECT_STR(back.items[i].name, e.items[i].name);
	EXPECT(!back.items[1].glob && back.items[2].glob);
	hd_expect_release(&back);
	hd_expect_release(&e);
	hd_db_close(db);
	place_remove(&place);
}

TEST_MAIN(RUN(a_range_is_the_end_of_a_line_and_a_name_what_stands_before_it),
	RUN(a_tier_has_a_range_that_a_line_or_the_file_may_change), RUN(settings_are_lines_without_a_range),
	RUN(a_line_without_an_expectation_is_rejected_with_its_number), RUN(a_function_is_judged_by_any_of_its_names),
	RUN(a_tolerance_is_points_on_both_sides), RUN(others_are_each_function_that_no_line_matches),
	RUN(expectations_are_kept_for_a_target_and_replace_those_it_had),
	RUN(stored_expectations_have_the_raw_bytes_of_names))
