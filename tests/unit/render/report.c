/* report.c - report a recording on one page, or as one table with any keys */
#include "test.h"

#include "base/json.h"
#include "base/mem.h"
#include "render/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return a profile with two events, two functions in two objects, and two commands; one function has line numbers. */
static struct hd_profile *small_profile(void)
{
	struct hd_profile *p = hd_profile_new();
	uint32_t app = hd_profile_add_object(p, "/bin/app", "", false),
		 lib = hd_profile_add_object(p, "/lib/l|b.so", "", false);
	struct hd_frame work = { .symbol = hd_profile_add_named_symbol(p, app, "work", false),
		.file = hd_profile_name(p, "w.c"),
		.line = 7 };
	struct hd_frame copy = { .symbol = hd_profile_add_named_symbol(p, lib, "copy", false) };
	struct hd_sample_row row = { .event = 0, .weight = 3000, .count = 3, .pid = 10, .tid = 11, .cpu = 1 };

	p->keys = HD_KEY_COMM | HD_KEY_PID | HD_KEY_TID | HD_KEY_CPU;
	p->recording.path = hd_strdup("t.data");
	p->recording.format = "perf.data";
	p->recording.mode = "file";
	p->recording.endian = "little";
	hd_profile_add_event(p, "cycles", "cycles");
	hd_profile_add_event(p, "faults", "faults");
	row.comm = hd_profile_name(p, "app");
	row.self = hd_profile_add_frame(p, &work);
	row.stack = hd_stacks_add(p->stacks, row.stack, row.self);
	hd_profile_add_sample(p, &row);
	row.event = 1;
	row.weight = row.count = 2;
	hd_profile_add_sample(p, &row);
	row = (struct hd_sample_row){ .weight = 1000, .count = 1, .pid = 10, .tid = 12, .cpu = UINT32_MAX };
	row.comm = hd_profile_name(p, "app-io");
	row.self = hd_profile_add_frame(p, &copy);
	row.stack = hd_stacks_add(p->stacks, row.stack, row.self);
	hd_profile_add_sample(p, &row);
	p->read = p->kept = 6;
	return p;
}

static char *report(const struct hd_profile *p, const struct hd_report_opts *o)
{
	struct hd_buf b = { 0 };

	hd_report(&b, p, o);
	return hd_buf_take(&b);
}

static void expect_report(const struct hd_report_opts *o, const char *want)
{
	struct hd_profile *p = small_profile();
	char *got = report(p, o);

	EXPECT_STR(got, want);
	free(got);
	hd_profile_free(p);
}

TEST(by_keys_there_is_a_table_for_each_event)
{
	expect_report(&(struct hd_report_opts){ .by = HD_BY_DSO | HD_BY_COMM },
		      "cycles: 4 samples, 4,000 cycles\n"
		      "  self  samples  comm    object\n"
		      "75.00%        3  app     /bin/app\n"
		      "25.00%        1  app-io  /lib/l|b.so\n"
		      "\nfaults: 2 samples, 2 faults\n"
		      "   self  samples  comm  object\n"
		      "100.00%        2  app   /bin/app\n");
}

TEST(a_cpu_that_was_not_recorded_is_a_dash_and_an_unknown_line_is_two_question_marks)
{
	expect_report(&(struct hd_report_opts){ .by = HD_BY_PID | HD_BY_TID | HD_BY_CPU | HD_BY_SYMBOL | HD_BY_LINE },
		      "cycles: 4 samples, 4,000 cycles\n"
		      "  self  samples  pid  tid  cpu  symbol  line\n"
		      "75.00%        3   10   11    1  work    w.c:7\n"
		      "25.00%        1   10   12    -  copy    ??\n"
		      "\nfaults: 2 samples, 2 faults\n"
		      "   self  samples  pid  tid  cpu  symbol  line\n"
		      "100.00%        2   10   11    1  work    w.c:7\n");
}

TEST(the_limit_is_for_each_event)
{
	expect_report(&(struct hd_report_opts){ .by = HD_BY_SYMBOL, .limit = 1 },
		      "cycles: 4 samples, 4,000 cycles\n"
		      "  self  samples  symbol\n"
		      "75.00%        3  work\n"
		      "\nfaults: 2 samples, 2 faults\n"
		      "   self  samples  symbol\n"
		      "100.00%        2  work\n");
}

TEST(markdown_names_are_code_spans_also_in_headings)
{
	expect_report(&(struct hd_report_opts){ .format = HD_FORMAT_MARKDOWN, .by = HD_BY_DSO },
		      "### `cycles`: 4 samples, 4,000 cycles\n\n"
		      "| self | samples | object |\n|--:|--:|---|\n"
		      "| 75.00% | 3 | `/bin/app` |\n"
		      "| 25.00% | 1 | `/lib/l\\|b.so` |\n"
		      "\n### `faults`: 2 samples, 2 faults\n\n"
		      "| self | samples | object |\n|--:|--:|---|\n"
		      "| 100.00% | 2 | `/bin/app` |\n");
}

TEST(the_page_says_what_was_recorded_warns_and_lists_symbols_objects_and_commands)
{
	static const char *const parts[] = {
		"file        t.data\n", "\nWarnings\n  a bad thing (3 in all); mend it\n",
		"\nSymbols by self cost\ncycles: 4 samples",
		"   1  75.00%  75.00%        3  app     work\n", "faults: 2 samples, 2 faults\n", "\nObjects\n",
		"75.00%        3  /bin/app\n",
		"\nCommands\n", "25.00%        1  app-io\n",
	};
	struct hd_profile *p = small_profile();
	const char *at;
	char *got;

	hd_warn_n(&p->log, "bad", 3, "mend it", "a bad thing");
	at = got = report(p, &(struct hd_report_opts){ 0 });
	for (size_t i = 0; i < HD_COUNT(parts); i++) {	/* the parts must be in this order */
		const char *next = strstr(at, parts[i]);

		if (!next)
			fail_msg("no '%s' in\n%s", parts[i], at);
		at = next;
	}
	free(got);
	hd_profile_free(p);
}

TEST(the_page_in_markdown_fences_what_was_recorded)
{
	struct hd_profile *p = small_profile();
	char *got, *end;

	hd_warn(&p->log, "bad", "", "<b>|`x`");
	got = report(p, &(struct hd_report_opts){ .format = HD_FORMAT_MARKDOWN });
	EXPECT(strstr(got, "# hotdrift report\n\n```text\nfile        t.data\n") == got);
	end = strstr(got, "\n```\n");
	EXPECT(end != NULL);
	EXPECT(strstr(end, "\n## Warnings\n\n- `` <b>\\|`x` ``\n") != NULL);
	EXPECT(strstr(end, "\n## Symbols by self cost\n\n### `cycles`: ") != NULL);
	free(got);
	hd_profile_free(p);
}

/* ---- JSON ---- */

static const char *string_at(const struct hd_json *object, const char *key)
{
	size_t n;

	return hd_json_string(hd_json_get(object, key), &n);
}

TEST(json_rows_have_the_requested_keys_and_no_other)
{
	struct hd_profile *p = small_profile();
	char *got = report(p, &(struct hd_report_opts){ .format = HD_FORMAT_JSON, .by = HD_BY_CPU | HD_BY_LINE });
	const struct hd_json *root, *rows, *row;
	struct hd_json_doc *doc;
	struct hd_err err;

	EXPECT_INT(hd_json_parse(&doc, got, strlen(got), "report", &err), 0);
	root = hd_json_root(doc);
	EXPECT_STR(string_at(root, "format"), "hotdrift.report");
	EXPECT_STR(hd_json_number(hd_json_get(root, "version")), "1");
	EXPECT_INT(hd_json_count(hd_json_get(root, "by")), 2);
	EXPECT_INT(hd_json_count(hd_json_get(root, "events")), 2);
	EXPECT_STR(hd_json_number(hd_json_get(hd_json_at(hd_json_get(root, "events"), 0), "weight")), "4000");
	rows = hd_json_get(root, "rows");
	EXPECT_INT(hd_json_count(rows), 3);
	row = hd_json_at(rows, 0);
	EXPECT_STR(string_at(row, "event"), "cycles");
	EXPECT_STR(hd_json_number(hd_json_get(row, "cpu")), "1");
	EXPECT_STR(string_at(row, "line"), "w.c:7");
	EXPECT_STR(hd_json_number(hd_json_get(row, "self")), "3000");
	EXPECT_STR(hd_json_number(hd_json_get(row, "self_pct")), "75.000000");
	EXPECT_STR(hd_json_number(hd_json_get(row, "samples")), "3");
	EXPECT(!hd_json_get(row, "comm") && !hd_json_get(row, "dso") && !hd_json_get(row, "symbol") &&
		!hd_json_get(row, "unknown"));
	row = hd_json_at(rows, 1);
	EXPECT_INT(hd_json_kind(hd_json_get(row, "cpu")), HD_JSON_NULL);
	EXPECT_STR(string_at(row, "line"), "??");
	EXPECT(hd_json_bool(hd_json_get(row, "unknown")));
	EXPECT_STR(string_at(hd_json_at(rows, 2), "event"), "faults");
	hd_json_free(doc);
	free(got);
	hd_profile_free(p);
}

/* The writer reuses parts of the text of the previous row.  A row must not get a value of its neighbour. */
TEST(json_rows_that_share_an_object_or_a_command_or_an_event_keep_their_own)
{
	struct hd_profile *p = hd_profile_new();
	uint32_t dso[] = { hd_profile_add_object(p, "/bin/a", "", false),
		hd_profile_add_object(p, "/bin/b", "", false) };
	uint32_t comm[] = { hd_profile_name(p, "one"), hd_profile_name(p, "two") };
	static const uint8_t order[][3] = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 1 }, { 0, 1, 1 }, { 0, 1, 0 },
		{ 1, 1, 0 }, { 1, 1, 0 } };
	struct hd_report_opts o = { .format = HD_FORMAT_JSON, .by = HD_BY_COMM | HD_BY_DSO | HD_BY_SYMBOL };
	const struct hd_json *rows;
	struct hd_json_doc *doc;
	struct hd_err err;
	char *got, name[8];

	p->keys = HD_KEY_COMM;
	hd_profile_add_event(p, "cycles", "cycles");
	hd_profile_add_event(p, "faults", "faults");
	for (size_t i = 0; i < HD_COUNT(order); i++) {
		struct hd_sample_row row = { .event = order[i][0],
			.comm = comm[order[i][1]],
			.weight = 100 - i,
			.count = 1 };

		snprintf(name, sizeof(name), "f%zu", i);
		row.self = hd_profile_add_frame(p,
			&(struct hd_frame){ .symbol = hd_profile_add_named_symbol(p, dso[order[i][2]], name, false) });
		row.stack = hd_stacks_add(p->stacks, row.stack, row.self);
		hd_profile_add_sample(p, &row);
	}
	got = report(p, &o);
	EXPECT_INT(hd_json_parse(&doc, got, strlen(got), "report", &err), 0);
	rows = hd_json_get(hd_json_root(doc), "rows");
	EXPECT_INT(hd_json_count(rows), HD_COUNT(order));
	for (size_t i = 0; i < HD_COUNT(order); i++) {
		const struct hd_json *row = hd_json_at(rows, i);

		snprintf(name, sizeof(name), "f%zu", i);
		EXPECT_STR(string_at(row, "event"), order[i][0] ? "faults" : "cycles");
		EXPECT_STR(string_at(row, "comm"), order[i][1] ? "two" : "one");
		EXPECT_STR(string_at(row, "dso"), order[i][2] ? "/bin/b" : "/bin/a");
		EXPECT_STR(string_at(row, "symbol"), name);
	}
	hd_json_free(doc);
	free(got);
	hd_profile_free(p);
}

TEST(json_without_keys_goes_by_command_object_and_symbol)
{
	struct hd_profile *p = small_profile();
	char *got = report(p, &(struct hd_report_opts){ .format = HD_FORMAT_JSON, .limit = 1 });
	const struct hd_json *rows, *row;
	struct hd_json_doc *doc;
	struct hd_err err;

	EXPECT_INT(hd_json_parse(&doc, got, strlen(got), "report", &err), 0);
	rows = hd_json_get(hd_json_root(doc), "rows");
	EXPECT_INT(hd_json_count(rows), 2);	/* one row per event */
	row = hd_json_at(rows, 0);
	EXPECT_STR(string_at(row, "comm"), "app");
	EXPECT_STR(string_at(row, "dso"), "/bin/app");
	EXPECT_STR(string_at(row, "symbol"), "work");
	hd_json_free(doc);
	free(got);
	hd_profile_free(p);
}

TEST_MAIN(RUN(by_keys_there_is_a_table_for_each_event),
	  RUN(a_cpu_that_was_not_recorded_is_a_dash_and_an_unknown_line_is_two_question_marks),
	  RUN(the_limit_is_for_each_event),
	  RUN(markdown_names_are_code_spans_also_in_headings),
	  RUN(the_page_says_what_was_recorded_warns_and_lists_symbols_objects_and_commands),
	  RUN(the_page_in_markdown_fences_what_was_recorded),
	  RUN(json_rows_have_the_requested_keys_and_no_other),
	  RUN(json_rows_that_share_an_object_or_a_command_or_an_event_keep_their_own),
	  RUN(json_without_keys_goes_by_command_object_and_symbol))
