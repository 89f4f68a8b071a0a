/*
 * report.c - write the four forms of a report from synthetic rows, also with hostile names
 */
#include "test.h"

#include "base/buf.h"
#include "base/encode.h"
#include "base/json.h"
#include "track/quantity_text.h"
#include "track/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct row {
	const char *name, *word, *note;
	uint64_t ns, big;
	double share, rate;
	uint32_t threads;
	bool counter;
};

#define COLUMN(key_, title_, type_, unit_, member, ...)							\
	{ .key = (key_), .title = (title_), .type = HD_REPORT_##type_, .unit = HD_REPORT_##unit_,		\
	  .offset = offsetof(struct row, member), ##__VA_ARGS__ }

static const struct hd_report_column columns[] = {
	COLUMN("name", "name", NAME, PLAIN, name),
	COLUMN("word", "word", WORD, PLAIN, word),
	COLUMN("ns", "time", U64, NS, ns),
	COLUMN("big", NULL, U64, PLAIN, big),
	COLUMN("share", "share %", F64, PERCENT, share, .bar = true),
	COLUMN("rate", "rate", F64, PLAIN, rate),
	COLUMN("threads", "threads", U32, PLAIN, threads),
	COLUMN("counter", "counter", BOOL, PLAIN, counter),
};
static const struct hd_report_column listed[] = {
	COLUMN("word", "severity", WORD, PLAIN, word),
	COLUMN("name", "name", NAME, PLAIN, name),
	COLUMN("note", "note", WORD, PLAIN, note, .below = true),
};

static const struct hd_report_head head = { .program = "it<b>", .pid = 7, .timestamp_us = 1700000000000000 };

/* Names that would change the structure of a report if they were not escaped. */
static const char *const hostile[] = {
	"</script><script>alert(1)</script>", "\" onload=\"x", "a|b", "``` x `", "\x1b[31mred", "\xff\xfe", "\n# title",
	"[x](javascript:1)", "caf\xc3\xa9", ("\xe2\x80\xae" "bidi"), "", "back\\slash",
};

static char *render(enum hd_report_form form, const struct hd_report_section *s, size_t n)
{
	struct hd_text text = { 0 };
	char *out = NULL;

	hd_report_render(&text, form, &head, s, n);
	EXPECT_INT(hd_text_take(&text, &out), HD_TRACK_OK);
	return out;
}

static struct hd_report_section section(const struct row *rows, size_t n)
{
	return (struct hd_report_section){ .key = "rows", .title = "Rows", .columns = columns,
		.ncolumns = sizeof(columns) / sizeof(columns[0]), .rows = rows, .n = n, .row_size = sizeof(*rows) };
}

TEST(quantities_have_three_digits_and_a_unit)
{
	char t[HD_QUANTITY_TEXT];

	EXPECT_STR(hd_quantity_ns(t, 0), "0 ns");
	EXPECT_STR(hd_quantity_ns(t, 999), "999 ns");
	EXPECT_STR(hd_quantity_ns(t, 1234567), "1.23 ms");
	EXPECT_STR(hd_quantity_ns(t, 999600), "1.00 ms");
	EXPECT_STR(hd_quantity_ns(t, 12.5), "12.5 ns");
	EXPECT_STR(hd_quantity_ns(t, 3e12), "3000 s");
	EXPECT_STR(hd_quantity_ns(t, 1e300), "1.00e291 s");
	EXPECT_STR(hd_quantity_bytes(t, 1023), "1023 B");
	EXPECT_STR(hd_quantity_bytes(t, 1536), "1.50 KiB");
	EXPECT_STR(hd_quantity_bytes(t, 3e6), "2.86 MiB");
	EXPECT_STR(hd_quantity_real(t, 0.04567), "0.0457");
	EXPECT_STR(hd_quantity_real(t, 99.96), "100");
	EXPECT_STR(hd_quantity_real(t, -1.5), "-1.50");
	EXPECT_STR(hd_quantity_real(t, 1.23456e-7), "1.23e-7");
	EXPECT_STR(hd_quantity_real(t, 1.23456e9), "1.23e9");
	EXPECT_STR(hd_quantity_real(t, NAN), "-");
	EXPECT_STR(hd_quantity_count(t, 1234567), "1,234,567");
	EXPECT_STR(hd_quantity_count(t, -1000), "-1,000");
	EXPECT_STR(hd_quantity_count(t, 999), "999");
	EXPECT_STR(hd_quantity_tenths(t, 41.25), "41.2");
	EXPECT_STR(hd_quantity_tenths(t, -INFINITY), "-");
}

TEST(a_text_table_has_names_last_and_no_column_without_a_value)
{
	const struct row rows[] = {
		{ .name = "parse", .word = "a", .ns = 1500000, .share = 75, .rate = NAN, .threads = 2 },
		{ .name = "x", .word = "bc", .ns = 500, .share = 25, .rate = NAN, .threads = 1, .counter = true },
	};
	const struct hd_report_section s = section(rows, 2);
	char *text = render(HD_REPORT_TEXT, &s, 1);

	EXPECT_STR(text, "libhotdrift report of it<b>, process 7\n"
		   "\n"
		   "Rows\n"
		   "  word     time  share %  threads  counter  name\n"
		   "  a     1.50 ms     75.0        2       no  parse\n"
		   "  bc     500 ns     25.0        1      yes  x\n");
	free(text);
}

TEST(lines_below_a_row_are_indented)
{
	const struct row row = { .name = "parse", .word = "high", .note = "takes long" };
	const struct hd_report_section s = { .key = "k", .title = "List", .columns = listed, .ncolumns = 3,
		.rows = &row, .n = 1, .row_size = sizeof(row) };
	char *text = render(HD_REPORT_TEXT, &s, 1);

	EXPECT(strstr(text, "\nList\n  severity  name\n  high      parse\n      takes long\n"));
	free(text);
	text = render(HD_REPORT_HTML, &s, 1);
	EXPECT(strstr(text, "<li><b class=\"high\">high</b><code>parse</code><p>takes long</p></li>"));
	free(text);
}

TEST(a_report_without_rows_says_so_and_its_json_is_complete)
{
	const struct hd_report_section s = section(NULL, 0);
	struct hd_report_section one = section(NULL, 0), both[2];
	char *text = render(HD_REPORT_TEXT, &s, 1);

	EXPECT(strstr(text, "Nothing was recorded."));
	free(text);
	one.single = true;
	one.key = "one";
	both[0] = s;
	both[1] = one;
	text = render(HD_REPORT_JSON, both, 2);
	EXPECT_STR(text, "{\"format\":\"hotdrift.library\",\"version\":1,\"program\":\"it<b>\",\"boot_id\":\"\","
		   "\"pid\":7,"
		   "\"timestamp_us\":1700000000000000,\"unbalanced\":0,\n\"rows\":[],\n\"one\":null\n}\n");
	free(text);
}

static const struct hd_json *parse(struct hd_json_doc **doc, const char *text)
{
	struct hd_err err;

	EXPECT_INT(hd_json_parse(doc, text, strlen(text), "report", &err), 0);
	return hd_json_root(*doc);
}

TEST(json_has_exact_numbers_and_null_for_what_is_not_finite)
{
	const struct row rows[] = { { .name = "n", .word = NULL, .big = UINT64_MAX, .share = NAN, .rate = INFINITY },
		{ .name = "m", .word = "w", .big = 1, .share = 0.1, .rate = 1e300, .counter = true } };
	const struct hd_report_section s = section(rows, 2);
	char *text = render(HD_REPORT_JSON, &s, 1);
	struct hd_json_doc *doc;
	const struct hd_json *list = hd_json_get(parse(&doc, text), "rows"), *a = hd_json_at(list, 0),
		*b = hd_json_at(list, 1);

	EXPECT_INT(hd_json_count(list), 2);
	EXPECT_STR(hd_json_number(hd_json_get(a, "big")), "18446744073709551615");
	EXPECT_INT(hd_json_kind(hd_json_get(a, "share")), HD_JSON_NULL);
	EXPECT_INT(hd_json_kind(hd_json_get(a, "rate")), HD_JSON_NULL);
	EXPECT_INT(hd_json_kind(hd_json_get(a, "word")), HD_JSON_NULL);
	EXPECT_STR(hd_json_number(hd_json_get(b, "share")), "0.1");
	EXPECT(hd_json_bool(hd_json_get(b, "counter")));
	hd_json_free(doc);
	free(text);
}

TEST(hostile_names_are_escaped_as_in_the_program)
{
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		static const struct { enum hd_text_form form; void (*encode)(struct hd_buf *, const char *, size_t); }
		forms[] = {
			{ HD_TEXT_PLAIN, hd_enc_term }, { HD_TEXT_JSON, hd_enc_json }, { HD_TEXT_XML, hd_enc_xml },
			{ HD_TEXT_MARKDOWN, hd_enc_md },
		};

		for (size_t f = 0; f < 4; f++) {
			struct hd_text t = { 0 };
			struct hd_buf b = { 0 };
			char *ours;

			hd_text_name(&t, forms[f].form, hostile[i]);
			forms[f].encode(&b, hostile[i], strlen(hostile[i]));
			EXPECT_INT(hd_text_take(&t, &ours), HD_TRACK_OK);
			EXPECT_STR(ours, hd_buf_str(&b));
			free(ours);
			hd_buf_release(&b);
		}
	}
}

TEST(hostile_names_add_no_line_to_a_report_and_no_element_to_its_page)
{
	enum { N = sizeof(hostile) / sizeof(hostile[0]) };
	struct row rows[N], plain[N];

	for (size_t i = 0; i < N; i++) {
		rows[i] = (struct row){ .name = hostile[i], .word = "w" };
		plain[i] = (struct row){ .name = "n", .word = "w" };
	}
	for (int form = HD_REPORT_TEXT; form <= HD_REPORT_HTML; form++) {
		const struct hd_report_section a = section(rows, N), b = section(plain, N);
		char *bad = render((enum hd_report_form)form, &a, 1), *good = render((enum hd_report_form)form, &b, 1);
		size_t lines[2] = { 0 }, elements[2] = { 0 };
		const char *const texts[] = { bad, good };

		for (size_t k = 0; k < 2; k++)
			for (const char *s = texts[k]; *s; s++) {
				lines[k] += *s == '\n';
				elements[k] += *s == '<';
			}
		EXPECT_INT(lines[0], lines[1]);
		if (form == HD_REPORT_HTML)
			EXPECT_INT(elements[0], elements[1]);
		EXPECT(!strchr(bad, '\x1b'));
		free(bad);
		free(good);
	}
}

TEST(the_same_rows_give_the_same_bytes)
{
	const struct row rows[] = { { .name = "a", .word = "x", .ns = 1 }, { .name = "b", .word = "y", .ns = 2 } };
	const struct hd_report_section s = section(rows, 2);

	for (int form = HD_REPORT_TEXT; form <= HD_REPORT_HTML; form++) {
		char *first = render((enum hd_report_form)form, &s, 1),
			*second = render((enum hd_report_form)form, &s, 1);

		EXPECT_STR(first, second);
		free(first);
		free(second);
	}
}

TEST_MAIN(RUN(quantities_have_three_digits_and_a_unit),
	  RUN(a_text_table_has_names_last_and_no_column_without_a_value), RUN(lines_below_a_row_are_indented),
	  RUN(a_report_without_rows_says_so_and_its_json_is_complete),
	  RUN(json_has_exact_numbers_and_null_for_what_is_not_finite), RUN(hostile_names_are_escaped_as_in_the_program),
	  RUN(hostile_names_add_no_line_to_a_report_and_no_element_to_its_page),
	  RUN(the_same_rows_give_the_same_bytes))
