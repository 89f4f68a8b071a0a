/* svg_text.c - shorten names between characters only */
#include "test.h"

#include "base/mem.h"
#include "render/svg_text.h"

#include <stdlib.h>
#include <string.h>

static void expect_label(const char *text, size_t columns, const char *want)
{
	struct hd_buf b = { 0 };

	hd_svg_label(&b, text, strlen(text), columns);
	EXPECT_STR(hd_buf_str(&b), want);
	hd_buf_release(&b);
}

static void expect_cut(const char *text, size_t columns, const char *want)
{
	struct hd_buf b = { 0 };

	hd_svg_cut(&b, text, strlen(text), columns);
	EXPECT_STR(hd_buf_str(&b), want);
	hd_buf_release(&b);
}

static void expect_px(uint64_t hundredths, const char *want)
{
	struct hd_buf b = { 0 };

	hd_svg_px(&b, hundredths);
	EXPECT_STR(hd_buf_str(&b), want);
	hd_buf_release(&b);
}

TEST(a_name_that_fits_is_not_shortened)
{
	expect_label("parse", 5, "parse");
	expect_cut("parse", 5, "parse");
	expect_cut("", 0, "");
}

TEST(a_cut_is_marked_and_made_before_the_entities)
{
	expect_cut("parse", 4, "par\u2026");
	expect_cut("a<b>c", 3, "a&lt;\u2026");
	expect_cut("&&&&", 3, "&amp;&amp;\u2026");
	expect_cut("parse", 0, "\u2026");
}

TEST(a_cut_divides_no_escape_and_no_character)
{
	expect_cut("a\\x0ab", 5, "a\u2026");
	expect_cut("a\\u{202e}b", 9, "a\u2026");
	expect_cut("\u65e5\u672c", 3, "\u65e5\u2026");
}

TEST(a_label_loses_its_namespaces_first)
{
	expect_label("v8::internal::Heap::Collect", 14, "\u2026Heap::Collect");
	expect_label("v8::internal::Heap::Collect", 24, "\u2026internal::Heap::Collect");
	expect_label("v8::internal::Heap::Collect", 8, "\u2026Collect");
	expect_label("v8::internal::Heap::Collect", 5, "Coll\u2026");
}

TEST(text_in_brackets_is_no_namespace)
{
	expect_label("std::map<a::b, c::d>::find", 24, "\u2026map&lt;a::b, c::d&gt;::find");
	expect_label("std::map<a::b, c::d>::find", 6, "\u2026find");
	expect_label("(anonymous namespace)::run", 5, "\u2026run");
	expect_label("ns::operator<", 10, "\u2026operator&lt;");
	expect_label("a>b::c", 3, "\u2026c");
	expect_label("x::", 2, "x\u2026");
}

TEST(lengths_have_no_trailing_zeros)
{
	expect_px(0, "0");
	expect_px(1600, "16");
	expect_px(1650, "16.5");
	expect_px(1605, "16.05");
	expect_px(7, "0.07");
}

/* Return the shortened form of a name that repeats `unit` up to at least n bytes and ends with `tail`. */
static char *shown(const char *unit, size_t n, const char *tail)
{
	struct hd_buf name = { 0 }, out = { 0 };

	while (name.len < n)
		hd_buf_adds(&name, unit);
	hd_buf_adds(&name, tail);
	hd_svg_name(&out, name.data);
	hd_buf_release(&name);
	return hd_buf_take(&out);
}

TEST(very_long_names_are_cut_and_stay_distinct)
{
	static const char *const units[] = { "A", "<", "\xff", "\xf0\x9f\x99\x82" };
	static const size_t sizes[] = { 1001, 65535, 65536, 70000 };

	for (size_t u = 0; u < HD_COUNT(units); u++)
		for (size_t k = 0; k < HD_COUNT(sizes); k++) {
			char *a = shown(units[u], sizes[k], "x"), *b = shown(units[u], sizes[k], "y");

			EXPECT(strcmp(a, b) != 0);
			EXPECT(strlen(a) <= 4 * 1000 + 24);
			EXPECT(strstr(a, "\u2026 #") != NULL);
			EXPECT(!strstr(units[u], "\xf0") || !strstr(a, "\\x"));	/* no character was divided */
			free(a);
			free(b);
		}
}

TEST(a_short_form_ends_between_characters)
{
	char out[5];

	hd_svg_short(out, 4, "ns");
	EXPECT_STR(out, "ns");
	hd_svg_short(out, 4, "cycles");
	EXPECT_STR(out, "cycl");
	hd_svg_short(out, 4, "ab\u65e5");
	EXPECT_STR(out, "ab");
	hd_svg_short(out, 4, "\xf0\x9f\x99\x82x");
	EXPECT_STR(out, "\xf0\x9f\x99\x82");
	/* no valid character: the function still terminates */
	hd_svg_short(out, 4, "\x80\x80\x80\x80\x80\x80");
	EXPECT_INT(strlen(out), 1);
}

TEST(names_of_a_thousand_bytes_are_whole)
{
	char *a = shown("A", 1000, "");

	EXPECT_INT(strlen(a), 1000);
	free(a);
}

TEST_MAIN(RUN(a_name_that_fits_is_not_shortened),
	  RUN(a_cut_is_marked_and_made_before_the_entities),
	  RUN(a_cut_divides_no_escape_and_no_character),
	  RUN(a_label_loses_its_namespaces_first),
	  RUN(text_in_brackets_is_no_namespace),
	  RUN(lengths_have_no_trailing_zeros),
	  RUN(very_long_names_are_cut_and_stay_distinct),
	  RUN(a_short_form_ends_between_characters),
	  RUN(names_of_a_thousand_bytes_are_whole))
