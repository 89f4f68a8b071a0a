/* table.c - write rows of aligned cells, in which names are encoded for the output format */
#include "test.h"

#include "base/mem.h"
#include "render/table.h"

#include <stdlib.h>
#include <string.h>

static const struct hd_column columns[] = { { "self", true, false }, { "symbol", false, true },
	{ "note", false, false } };

static void fill(struct hd_table *t)
{
	hd_table_init(t, columns, HD_COUNT(columns));
	hd_table_cellf(t, "%.1f%%", 12.5);
	hd_table_string(t, "parse");
	hd_table_string(t, "one");
	hd_table_cellf(t, "%.1f%%", 2.25);
	hd_table_string(t, "\xe6\x97\xa5\xe6\x9c\xac");	/* two characters, four columns */
	hd_table_string(t, "two");
}

static void expect_text(const struct hd_table *t, const char *indent, const char *want)
{
	struct hd_buf b = { 0 };

	hd_table_text(&b, t, indent);
	EXPECT_STR(b.data, want);
	hd_buf_release(&b);
}

static void expect_markdown(const struct hd_table *t, const char *want)
{
	struct hd_buf b = { 0 };

	hd_table_markdown(&b, t);
	EXPECT_STR(b.data, want);
	hd_buf_release(&b);
}

TEST(numbers_stand_right_names_left_and_no_line_ends_in_blanks)
{
	struct hd_table t;

	fill(&t);
	expect_text(&t, "", " self  symbol  note\n12.5%  parse   one\n 2.2%  \xe6\x97\xa5\xe6\x9c\xac    two\n");
	expect_text(&t, "> ",
		">  self  symbol  note\n> 12.5%  parse   one\n>  2.2%  \xe6\x97\xa5\xe6\x9c\xac    two\n");
	hd_table_release(&t);
}

TEST(in_markdown_a_name_is_a_code_span)
{
	struct hd_table t;

	fill(&t);
	expect_markdown(&t, "| self | symbol | note |\n|--:|---|---|\n| 12.5% | `parse` | one |\n"
			    "| 2.2% | `\xe6\x97\xa5\xe6\x9c\xac` | two |\n");
	hd_table_release(&t);
}

TEST(a_table_without_rows_is_its_titles)
{
	struct hd_table t;

	hd_table_init(&t, columns, HD_COUNT(columns));
	expect_text(&t, "", "self  symbol  note\n");
	expect_markdown(&t, "| self | symbol | note |\n|--:|---|---|\n");
	hd_table_release(&t);
}

TEST(a_name_cannot_end_its_row_or_its_cell)
{
	static const struct hd_column one[] = { { "symbol", false, true } };
	struct hd_table t;

	hd_table_init(&t, one, 1);
	hd_table_cell(&t, "a\nb\0|`\033", 7);
	hd_table_string(&t, "");
	expect_text(&t, "", "symbol\na\\x0ab\\x00|`\\x1b\n\\e\n");
	expect_markdown(&t, "| symbol |\n|---|\n| ``a\\x0ab\\x00\\|`\\x1b`` |\n| `\\e` |\n");
	hd_table_release(&t);
}

TEST(our_pseudo_name_differs_from_a_name_with_the_same_text)
{
	static const struct hd_column one[] = { { "object", false, true } };
	struct hd_table t;

	hd_table_init(&t, one, 1);
	hd_table_pseudo(&t, "[unknown]");
	hd_table_string(&t, "[unknown]");
	expect_text(&t, "", "object\n[unknown]\n\\x5bunknown]\n");
	expect_markdown(&t, "| object |\n|---|\n| `[unknown]` |\n| `\\x5bunknown]` |\n");
	hd_table_release(&t);
}

TEST(one_long_name_is_written_whole_and_does_not_widen_every_row)
{
	static const struct hd_column two[] = { { "symbol", false, true }, { "n", true, false } };
	struct hd_table t;
	struct hd_buf b = { 0 }, name = { 0 };

	while (name.len < 70000)
		hd_buf_addc(&name, 'A');
	hd_table_init(&t, two, 2);
	hd_table_cell(&t, name.data, name.len);
	hd_table_string(&t, "1");
	for (int i = 0; i < 1000; i++) {
		hd_table_string(&t, "short");
		hd_table_string(&t, "2");
	}
	hd_table_text(&b, &t, "");
	EXPECT(b.len < 70000 + 1002 * 130);
	EXPECT(strstr(b.data, name.data) != NULL);
	EXPECT_STR(b.data + b.len - 4, "  2\n");
	hd_buf_release(&b);
	hd_buf_release(&name);
	hd_table_release(&t);
}

TEST(in_html_a_name_is_text_in_a_code_element)
{
	static const struct hd_column two[] = { { "a<b", false, true }, { "n", true, false } };
	struct hd_table t;
	struct hd_buf b = { 0 };

	hd_table_init(&t, two, 2);
	hd_table_string(&t, "</code><script>\n\"&'");
	hd_table_string(&t, "1");
	hd_table_pseudo(&t, "[unknown]");
	hd_table_string(&t, "<2");
	hd_table_html(&b, &t);
	EXPECT_STR(b.data,
		"<table>\n"
		"<thead><tr><th scope=\"col\">a&lt;b</th><th scope=\"col\" class=\"num\">n</th></tr></thead>\n"
		"<tbody>\n"
		"<tr><td><code>&lt;/code&gt;&lt;script&gt;\\x0a&quot;&amp;&#39;</code></td><td "
		"class=\"num\">1</td></tr>\n"
		"<tr><td>[unknown]</td><td class=\"num\">&lt;2</td></tr>\n"
		"</tbody>\n"
		"</table>\n");
	hd_buf_release(&b);
	hd_table_release(&t);
}

TEST(names_are_shortened_in_the_middle_until_rows_fit_the_terminal)
{
	static const struct hd_column two[] = { { "n", true, false }, { "symbol", false, true } };
	struct hd_buf out = { .columns = 24 };
	struct hd_table t;

	hd_table_init(&t, two, 2);
	hd_table_string(&t, "1");
	hd_table_string(&t, "a_name_that_is_longer_than_the_terminal");
	hd_table_string(&t, "2");
	hd_table_string(&t, "short");
	hd_table_text(&out, &t, "");
	EXPECT_STR(out.data, "n  symbol\n1  a_name_tha~e_terminal\n2  short\n");
	hd_buf_reset(&out);
	out.columns = 0;
	hd_table_text(&out, &t, "");
	EXPECT_STR(out.data, "n  symbol\n1  a_name_that_is_longer_than_the_terminal\n2  short\n");
	hd_table_release(&t);
	hd_buf_release(&out);
}

TEST(lines_of_a_tree_stay_whole_while_names_are_shortened_and_take_half_of_the_column_at_most)
{
	static const struct hd_column shares[] = { { "total", true, false }, { "symbol", false, true } };
	static const char *const guides[] = { NULL, "├ ", "│ └ ", "│ │ │ │ │ │ │ │ │ └ " };
	struct hd_buf out = { .columns = 30 };
	struct hd_table t;

	hd_table_init(&t, shares, 2);
	for (size_t i = 0; i < sizeof(guides) / sizeof(guides[0]); i++) {
		hd_table_string(&t, "1.00%");
		hd_table_guide(&t, guides[i]);
		hd_table_string(&t, "a_function_with_a_long\x1bname");
	}
	hd_table_text(&out, &t, "");
	EXPECT_STR(hd_buf_str(&out),
		"total  symbol\n"
		"1.00%  a_function_~ong\\x1bname\n"
		"1.00%  ├ a_function~ng\\x1bname\n"
		"1.00%  │ └ a_functio~g\\x1bname\n"
		"1.00%   │ │ │ │ └ a_func~name\n");
	hd_buf_release(&out);
	hd_table_markdown(&out, &t);
	EXPECT(strstr(out.data, "| │\302\240└\302\240`a_function_with_a_long\\x1bname` |\n") != NULL);
	hd_buf_release(&out);
	hd_table_release(&t);
}

TEST_MAIN(RUN(names_are_shortened_in_the_middle_until_rows_fit_the_terminal),
	  RUN(numbers_stand_right_names_left_and_no_line_ends_in_blanks),
	  RUN(in_markdown_a_name_is_a_code_span),
	  RUN(a_table_without_rows_is_its_titles),
	  RUN(a_name_cannot_end_its_row_or_its_cell),
	  RUN(our_pseudo_name_differs_from_a_name_with_the_same_text),
	  RUN(one_long_name_is_written_whole_and_does_not_widen_every_row),
	  RUN(in_html_a_name_is_text_in_a_code_element),
	  RUN(lines_of_a_tree_stay_whole_while_names_are_shortened_and_take_half_of_the_column_at_most))
