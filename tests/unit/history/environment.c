/*
 * environment.c - decide which variables are stored, and whether two environments are equal
 */
#include "test.h"

#include "history/environment.h"

#include <string.h>

static void expect_written(char *const *environ, const char *const *named, size_t n, const char *want)
{
	struct hd_buf out = { 0 };

	hd_environment_write(&out, environ, named, n, true);
	EXPECT_STR(hd_buf_str(&out), want);
	hd_buf_release(&out);
}

TEST(values_are_stored_of_named_variables_only_and_all_are_sorted_by_name)
{
	char *environ[] = { "TOKEN=secret", "HARDENED=1", "HOME=/root", NULL };
	const char *named[] = { "HARDENED" };

	expect_written(environ, named, 1, "+HARDENED=1\n HOME\n TOKEN\n");
}

TEST(a_named_variable_that_is_not_set_is_stored_as_such)
{
	char *environ[] = { "HOME=/root", NULL };
	const char *named[] = { "HARDENED" };

	expect_written(environ, named, 1, "-HARDENED\n HOME\n");
}

TEST(without_the_others_only_named_variables_are_written)
{
	char *environ[] = { "HOME=/root", "HARDENED=1", NULL };
	const char *named[] = { "HARDENED" };
	struct hd_buf out = { 0 };

	hd_environment_write(&out, environ, named, 1, false);
	EXPECT_STR(hd_buf_str(&out), "+HARDENED=1\n");
	hd_buf_release(&out);
}

TEST(a_pattern_names_what_it_matches_and_a_value_may_be_given)
{
	char *environ[] = { "SERVE_A=1", "SERVE_B=", "OTHER=3", NULL };
	const char *named[] = { "SERVE_*", "MODE=fast" };

	expect_written(environ, named, 2, "+MODE=fast\n OTHER\n+SERVE_A=1\n+SERVE_B=\n");
}

TEST(variables_that_shells_set_for_themselves_are_skipped_unless_they_are_named)
{
	char *environ[] = { "PWD=/a", "OLDPWD=/b", "SHLVL=2", "_=/bin/x", "A=1", NULL };
	const char *named[] = { "PWD" };

	expect_written(environ, NULL, 0, " A\n");
	expect_written(environ, named, 1, " A\n+PWD=/a\n");
}

TEST(no_byte_of_a_variable_ends_a_line)
{
	char *environ[] = { "A=1\n+B=2", "C\nD=3", NULL };
	const char *named[] = { "A" };
	struct hd_buf out = { 0 };
	struct hd_environment_variable v;
	const char *at;
	size_t lines = 0;

	hd_environment_write(&out, environ, named, 1, true);
	for (at = out.data; hd_environment_next(&at, &v); lines++)
		EXPECT(v.name_len > 0);
	EXPECT_INT(lines, 2);
	hd_buf_release(&out);
}

TEST(a_long_value_is_cut_and_still_differs_from_another)
{
	char a[4000] = "A=", b[4000] = "A=", *ea[] = { a, NULL }, *eb[] = { b, NULL };
	const char *named[] = { "A" };
	struct hd_buf x = { 0 }, y = { 0 };

	memset(a + 2, 'x', sizeof(a) - 3);
	memset(b + 2, 'x', sizeof(b) - 3);
	b[3000] = 'y';
	hd_environment_write(&x, ea, named, 1, true);
	hd_environment_write(&y, eb, named, 1, true);
	EXPECT(x.len < 200);
	EXPECT_INT(hd_environment_compare(x.data, y.data), HD_ENVIRONMENT_DIFFERENT);
	EXPECT_INT(hd_environment_compare(x.data, x.data), HD_ENVIRONMENT_EQUAL);
	hd_buf_release(&x);
	hd_buf_release(&y);
}

TEST(environments_are_compared_by_what_either_names)
{
	static const struct { const char *a, *b; enum hd_environment_relation want; } cases[] = {
		{ "+A=1\n", "+A=1\n", HD_ENVIRONMENT_EQUAL },	{ "+A=1\n", "+A=2\n", HD_ENVIRONMENT_DIFFERENT },
		{ "+A=1\n", "-A\n", HD_ENVIRONMENT_DIFFERENT }, { "+A=1\n", " B\n", HD_ENVIRONMENT_DIFFERENT },
		{ "+A=1\n", " A\n", HD_ENVIRONMENT_UNKNOWN },	{ "-A\n", " A\n", HD_ENVIRONMENT_DIFFERENT },
		{ "-A\n", " B\n", HD_ENVIRONMENT_EQUAL },	{ " A\n", " B\n", HD_ENVIRONMENT_EQUAL },
		{ "+A=\n", "-A\n", HD_ENVIRONMENT_DIFFERENT },	{ "", "", HD_ENVIRONMENT_EQUAL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		EXPECT_INT(hd_environment_compare(cases[i].a, cases[i].b), cases[i].want);
		EXPECT_INT(hd_environment_compare(cases[i].b, cases[i].a), cases[i].want);
	}
}

TEST(a_text_of_another_hand_is_read_to_its_end)
{
	static const char *const texts[] = { "\n", "+\n", "-", "+=\n", "+A", "\n\n A\n", "=\n" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *at = texts[i];
		struct hd_environment_variable v;

		for (size_t lines = 0; hd_environment_next(&at, &v); lines++)
			EXPECT(lines < 4);
		EXPECT(!*at);
		EXPECT(hd_environment_compare(texts[i], texts[i]) != HD_ENVIRONMENT_DIFFERENT);
	}
}

TEST_MAIN(RUN(values_are_stored_of_named_variables_only_and_all_are_sorted_by_name),
	RUN(a_named_variable_that_is_not_set_is_stored_as_such),
	RUN(without_the_others_only_named_variables_are_written),
	RUN(a_pattern_names_what_it_matches_and_a_value_may_be_given),
	RUN(variables_that_shells_set_for_themselves_are_skipped_unless_they_are_named),
	RUN(no_byte_of_a_variable_ends_a_line),
	RUN(a_long_value_is_cut_and_still_differs_from_another), RUN(environments_are_compared_by_what_either_names),
	RUN(a_text_of_another_hand_is_read_to_its_end))
