/*
 * top.c - write the list of costliest symbols as text, Markdown and JSON
 */
#include "test.h"

#include "base/json.h"
#include "base/mem.h"
#include "render/top.h"

#include <stdlib.h>
#include <string.h>

/* Return a profile with two functions and an address without a symbol, and 8 samples of 1000 cycles. */
static struct hd_profile *small_profile(void)
{
	struct hd_profile *p = hd_profile_new();
	uint32_t app = hd_profile_add_object(p, "/opt/app/bin/app", "", false);
	struct hd_profile_symbol s[] = {
		{ .object = app, .start = 0x1000, .size = 16, .linkage = hd_profile_name(p, "_ZN2ns4workEi"),
		  .name = hd_profile_name(p, "ns::work"), .full = hd_profile_name(p, "ns::work(int)") },
		{ .object = app, .start = 0x2000, .size = 16, .linkage = hd_profile_name(p, "main"),
		  .name = hd_profile_name(p, "main"), .full = hd_profile_name(p, "main") },
		{ .object = 0, .start = 0xdead, .unresolved = true },
	};
	static const uint64_t weights[] = { 5000, 2000, 1000 };
	hd_frame_id frame[3];

	hd_profile_add_event(p, "cycles:u", "cycles");
	for (int i = 0; i < 3; i++)
		frame[i] = hd_profile_add_frame(p, &(struct hd_frame){ .symbol = hd_profile_add_symbol(p, &s[i]) });
	for (int i = 0; i < 3; i++) {
		struct hd_sample_row row = { .self = frame[i], .weight = weights[i], .count = weights[i] / 1000 };

		row.stack = hd_stacks_add(p->stacks, row.stack, frame[1]);
		if (i != 1)
			row.stack = hd_stacks_add(p->stacks, row.stack, frame[i]);
		hd_profile_add_sample(p, &row);
	}
	return p;
}

static void expect_written(enum hd_format format, const struct hd_profile *p, const struct hd_top_opts *o,
	const char *want)
{
	struct hd_buf b = { 0 };

	hd_top_write(&b, p, format, o);
	EXPECT_STR(hd_buf_str(&b), want);
	hd_buf_release(&b);
}

TEST(the_text_says_event_samples_weight_and_then_the_rows)
{
	struct hd_profile *p = small_profile();

	expect_written(HD_FORMAT_TEXT, p, &(struct hd_top_opts){ 0 },
		       "cycles:u: 8 samples, 8,000 cycles\n"
		       "rank    self    total  samples  object     symbol\n"
		       "   1  62.50%   62.50%        5  app        ns::work\n"
		       "   2  25.00%  100.00%        2  app        main\n"
		       "   3  12.50%   12.50%        1  [unknown]  0x000000000000dead\n");
	expect_written(HD_FORMAT_TEXT, p, &(struct hd_top_opts){ .limit = 1, .full_names = true },
		       "cycles:u: 8 samples, 8,000 cycles\n"
		       "rank    self   total  samples  object  symbol\n"
		       "   1  62.50%  62.50%        5  app     ns::work(int)\n");
	hd_profile_free(p);
}

TEST(markdown_is_a_table_of_code_spans)
{
	struct hd_profile *p = small_profile();

	expect_written(HD_FORMAT_MARKDOWN, p, &(struct hd_top_opts){ .limit = 2, .by_total = true },
		       "### `cycles:u`: 8 samples, 8,000 cycles\n\n"
		       "| rank | self | total | samples | object | symbol |\n|--:|--:|--:|--:|---|---|\n"
		       "| 1 | 25.00% | 100.00% | 2 | `app` | `main` |\n"
		       "| 2 | 62.50% | 62.50% | 5 | `app` | `ns::work` |\n");
	hd_profile_free(p);
}

TEST(the_event_line_says_what_was_lost_and_a_count_only_once)
{
	struct hd_profile *p = small_profile();
	struct hd_buf b = { 0 };

	p->events[0].lost = 1234;
	hd_event_line(&b, p, 0, false);
	EXPECT_STR(b.data, "cycles:u: 8 samples, 8,000 cycles, 1,234 lost while recording");
	hd_buf_reset(&b);
	p->events[0].lost = 0;
	p->events[0].unit = hd_profile_name(p, "samples");
	hd_event_line(&b, p, 0, false);
	EXPECT_STR(b.data, "cycles:u: 8 samples, weight 8,000");
	hd_buf_reset(&b);
	p->events[0].samples = p->events[0].weight = 1;
	hd_event_line(&b, p, 0, false);
	EXPECT_STR(b.data, "cycles:u: 1 sample");
	hd_buf_release(&b);
	hd_profile_free(p);
}

TEST(a_hostile_event_name_is_neither_a_line_nor_markup)
{
	struct hd_profile *p = small_profile();
	struct hd_buf b = { 0 };

	p->events[0].name = hd_profile_name(p, "<img src=x>\n[x](javascript:y)`");
	hd_event_line(&b, p, 0, false);
	EXPECT(strstr(b.data, "<img src=x>\\x0a[x](javascript:y)`: 8 samples") == b.data);
	hd_buf_reset(&b);
	hd_event_line(&b, p, 0, true);
	EXPECT(strstr(b.data, "`` <img src=x>\\x0a[x](javascript:y)` ``: 8 samples") == b.data);
	hd_buf_release(&b);
	hd_profile_free(p);
}

/* ---- JSON ---- */

static const char *string_at(const struct hd_json *object, const char *key)
{
	size_t n;

	return hd_json_string(hd_json_get(object, key), &n);
}

static const char *number_at(const struct hd_json *object, const char *key)
{
	return hd_json_number(hd_json_get(object, key));
}

TEST(json_holds_the_whole_numbers_beside_the_shares)
{
	struct hd_profile *p = small_profile();
	struct hd_buf b = { 0 };
	struct hd_json_doc *doc;
	const struct hd_json *root, *rows, *row;
	struct hd_err err;

	hd_top_write(&b, p, HD_FORMAT_JSON, &(struct hd_top_opts){ 0 });
	EXPECT_INT(hd_json_parse(&doc, b.data, b.len, "top", &err), 0);
	root = hd_json_root(doc);
	EXPECT_STR(string_at(root, "event"), "cycles:u");
	EXPECT_STR(string_at(root, "unit"), "cycles");
	EXPECT_STR(number_at(root, "samples"), "8");
	EXPECT_STR(number_at(root, "weight"), "8000");
	rows = hd_json_get(root, "rows");
	EXPECT_INT(hd_json_count(rows), 3);
	row = hd_json_at(rows, 0);
	EXPECT_STR(number_at(row, "rank"), "1");
	EXPECT_STR(string_at(row, "symbol"), "ns::work");
	EXPECT_STR(string_at(row, "linkage"), "_ZN2ns4workEi");
	EXPECT_STR(string_at(row, "dso"), "/opt/app/bin/app");
	EXPECT_STR(number_at(row, "self"), "5000");
	EXPECT_STR(number_at(row, "self_pct"), "62.500000");
	EXPECT_STR(number_at(row, "total"), "5000");
	EXPECT_STR(number_at(row, "samples"), "5");
	EXPECT(!hd_json_get(row, "unknown") && !hd_json_get(row, "dso_unknown"));
	row = hd_json_at(rows, 2);
	EXPECT_STR(string_at(row, "symbol"), "0x000000000000dead");
	EXPECT_STR(string_at(row, "dso"), "[unknown]");
	EXPECT(hd_json_bool(hd_json_get(row, "unknown")) && hd_json_bool(hd_json_get(row, "dso_unknown")));
	EXPECT(!hd_json_get(row, "linkage"));
	hd_json_free(doc);
	hd_buf_release(&b);
	hd_profile_free(p);
}

TEST_MAIN(RUN(the_text_says_event_samples_weight_and_then_the_rows),
	  RUN(markdown_is_a_table_of_code_spans),
	  RUN(the_event_line_says_what_was_lost_and_a_count_only_once),
	  RUN(a_hostile_event_name_is_neither_a_line_nor_markup),
	  RUN(json_holds_the_whole_numbers_beside_the_shares))
