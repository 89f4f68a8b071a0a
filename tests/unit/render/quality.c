/* quality.c - report how many stacks reach their root, and why the others do not */
#include "test.h"

#include "profile/stack_quality.h"
#include "base/json.h"
#include "base/mem.h"
#include "render/quality.h"

#include <stdlib.h>
#include <string.h>

static char gap_name[] = "/opt/libold.so";

/* Return a recording with each way in which a stack can end. */
static struct hd_recording mixed(void)
{
	static struct hd_unwind_gap gaps[9];
	struct hd_recording r = {
		.nrecords = 1, .with_stack = 12998, .copied_stacks = 12998, .stack_copy_bytes = 8192,
		.root_reached = 12000, .stitched_root = 900, .guessed_root = 40, .stacks_cut = 950, .stitched = 920,
		.guessed = 60,
		.no_unwind = 30, .frames = 200000, .unknown_frames = 400, .gaps = gaps, .ngaps = 1,
	};

	for (size_t i = 0; i < HD_COUNT(gaps); i++)
		gaps[i] = (struct hd_unwind_gap){ .name = gap_name,
			.samples = 30 - i,
			.why = "it has no .eh_frame",
			.fix = "" };
	gaps[0].fix = "build it with -fasynchronous-unwind-tables";
	return r;
}

static void expect_text(const struct hd_recording *r, uint64_t kept, const char *want)
{
	struct hd_buf b = { 0 };

	hd_quality_text(&b, r, kept);
	EXPECT_STR(hd_buf_str(&b), want);
	hd_buf_release(&b);
}

TEST(each_thing_that_happened_to_stacks_is_a_line_with_what_helps)
{
	struct hd_recording r = mixed();

	expect_text(&r, 13000,
		"stacks      12,998 samples (99.98%) have a stack copy of 8,192 bytes\n"
		"            92.32% of them reach their root, 6.92% more stitched, 0.31% more guessed\n"
		"            7.31% cut, the copy ended before the stack (7.08% stitched on from other samples); "
		"--call-graph dwarf,16384 holds more\n"
		"            0.46% hold guessed frames, found through frame pointers alone\n"
		"            0.23% ended where there is no unwind information, or where it proved wrong\n"
		"                  30  /opt/libold.so\n"
		"                      it has no .eh_frame\n"
		"                      build it with -fasynchronous-unwind-tables\n"
		"quality     good: 99.25% of 12,998 stacks reach their root (6.92% stitched), 0.20% of the frames have "
		"no symbol\n");
}

TEST(chains_that_lack_a_caller_lower_the_grade_and_name_what_helps)
{
	struct hd_recording r = {
		.nrecords = 1, .with_stack = 100, .root_reached = 100, .caller_hidden = 10, .hidden_root = 10,
		.frames = 700,
	};

	expect_text(&r, 100,
		"stacks      100 samples (100.00%) have a user call chain\n"
		"            100.00% of them reach their root\n"
		"            10.00% lack the caller of their innermost function, which had set up no frame pointer: "
		"record with --call-graph dwarf or lbr\n"
		"quality     fair: 100.00% of 100 stacks reach their root, 10.00% lack a caller, 0.00% of the frames "
		"have no symbol\n");
	r.caller_hidden = r.hidden_root = 5;
	EXPECT_INT(hd_stack_quality_of(&r).grade, HD_STACK_GRADE_GOOD);
	r.caller_hidden = r.hidden_root = 21;
	EXPECT_INT(hd_stack_quality_of(&r).grade, HD_STACK_GRADE_POOR);
}

TEST(counts_of_zero_are_not_mentioned)
{
	struct hd_recording r = { .nrecords = 1,
		.with_stack = 1,
		.copied_stacks = 1,
		.stack_copy_bytes = 8192,
		.root_reached = 1,
		.frames = 7 };

	expect_text(&r, 1,
		    "stacks      1 sample (100.00%) has a stack copy of 8,192 bytes\n"
		    "            100.00% of them reach their root\n"
		    "quality     good: 100.00% of 1 stack reaches its root, 0.00% of the frames have no symbol\n");
}

TEST(the_advice_for_cut_stacks_ends_at_the_largest_copy)
{
	static const struct { uint32_t bytes; const char *want; } cases[] = {
		{ 1024, "; --call-graph dwarf,2048 holds more\n" },
		{ 32760, "; --call-graph dwarf,65520 holds more\n" },
		{ 32768, "; --call-graph dwarf,65528 holds more\n" },
		{ 65528, "; it is the largest that perf makes\n" }, { 0, "before the stack\n" },
	};

	for (size_t i = 0; i < HD_COUNT(cases); i++) {
		struct hd_recording r = { .nrecords = 1,
			.with_stack = 2,
			.copied_stacks = 2,
			.stacks_cut = 1,
			.stack_copy_bytes = cases[i].bytes };
		struct hd_buf b = { 0 };

		hd_quality_text(&b, &r, 2);
		if (!strstr(hd_buf_str(&b), cases[i].want))
			fail_msg("%u bytes: %s", cases[i].bytes, hd_buf_str(&b));
		hd_buf_release(&b);
	}
}

TEST(chains_that_end_early_are_reported_with_the_reason)
{
	struct hd_recording r = { .nrecords = 1,
		.with_stack = 800,
		.root_reached = 600,
		.frames = 4000,
		.unknown_frames = 40 };

	expect_text(&r, 1000,
		"stacks      800 samples (80.00%) have a user call chain\n"
		"            75.00% of them reach their root\n"
		"            the others end in code without frame pointers (-fno-omit-frame-pointer, or --call-graph "
		"dwarf) or without symbols\n"
		"quality     poor: 75.00% of 800 stacks reach their root, 1.00% of the frames have no symbol\n");
	r.copied_stacks = 100;
	r.root_reached = 790;
	expect_text(&r, 1000,
		    "stacks      800 samples (80.00%) have a stack copy or a user call chain\n"
		    "            98.75% of them reach their root\n"
		    "quality     good: 98.75% of 800 stacks reach their root, 1.00% of the frames have no symbol\n");
}

TEST(no_stacks_at_all_is_poor_and_says_how_to_get_some)
{
	struct hd_recording r = { .nrecords = 3 };

	expect_text(&r, 5,
		    "stacks      none: recorded without call chains; add --call-graph fp (or dwarf) to perf record\n"
		    "quality     poor: self costs only, as no sample has a user call chain or a stack copy\n");
	expect_text(&r, 0, "");
}

TEST(folded_text_has_no_quality_section)
{
	struct hd_recording r = { .format = "folded" };

	expect_text(&r, 9, "");
}

TEST(more_than_eight_objects_are_counted_in_text)
{
	struct hd_recording r = mixed();
	struct hd_buf b = { 0 };

	r.ngaps = 9;
	hd_quality_text(&b, &r, 13000);
	EXPECT(strstr(b.data, "\n                      and 1 more objects\nquality ") != NULL);
	hd_buf_release(&b);
}

TEST(an_objects_name_cannot_leave_its_line)
{
	struct hd_recording r = mixed();
	char name[] = "/opt/a\n\033[31mquality good";
	struct hd_buf b = { 0 };

	r.gaps[0].name = name;
	hd_quality_text(&b, &r, 13000);
	EXPECT(!strchr(b.data, '\033'));
	EXPECT(strstr(b.data, "/opt/a\\x0a\\x1b[31mquality good") != NULL);
	hd_buf_release(&b);
}

/* ---- JSON ---- */

static struct hd_json_doc *json_of(const struct hd_recording *r)
{
	struct hd_buf b = { 0 };
	struct hd_jsonw w = hd_jsonw_to(&b);
	struct hd_json_doc *doc;
	struct hd_err err;

	hd_jsonw_open(&w, NULL, '{');
	hd_quality_json(&w, r);
	hd_jsonw_close(&w, '}');
	EXPECT_INT(hd_json_parse(&doc, b.data, b.len, "info", &err), 0);
	hd_buf_release(&b);
	return doc;
}

TEST(json_has_every_number)
{
	static const char *const numbers[][2] = {
		{ "with_stack", "12998" }, { "root_reached", "12000" }, { "stitched_root", "900" },
		{ "guessed_root", "40" },
		{ "copied", "12998" }, { "stack_copy_bytes", "8192" }, { "truncated", "950" }, { "stitched", "920" },
		{ "guessed", "60" },
		{ "no_unwind", "30" }, { "unknown_frames", "400" }, { "frames", "200000" },
	};
	struct hd_recording r = mixed();
	struct hd_json_doc *doc = json_of(&r);
	const struct hd_json *stacks = hd_json_get(hd_json_root(doc), "stacks"),
			     *q = hd_json_get(hd_json_root(doc), "quality"), *gap;
	size_t n;

	for (size_t i = 0; i < HD_COUNT(numbers); i++)
		EXPECT_STR(hd_json_number(hd_json_get(stacks, numbers[i][0])), numbers[i][1]);
	EXPECT_INT(hd_json_count(hd_json_get(stacks, "gaps")), 1);
	gap = hd_json_at(hd_json_get(stacks, "gaps"), 0);
	EXPECT_STR(hd_json_string(hd_json_get(gap, "object"), &n), "/opt/libold.so");
	EXPECT_STR(hd_json_number(hd_json_get(gap, "samples")), "30");
	EXPECT_STR(hd_json_string(hd_json_get(gap, "why"), &n), "it has no .eh_frame");
	EXPECT_STR(hd_json_string(hd_json_get(gap, "fix"), &n), "build it with -fasynchronous-unwind-tables");
	EXPECT_STR(hd_json_string(hd_json_get(q, "grade"), &n), "good");
	EXPECT_STR(hd_json_number(hd_json_get(q, "root_pct")), "99.246038");
	EXPECT_STR(hd_json_number(hd_json_get(q, "stitched_pct")), "6.924142");
	EXPECT_STR(hd_json_number(hd_json_get(q, "unknown_pct")), "0.200000");
	hd_json_free(doc);
}

TEST(the_grade_of_folded_text_is_null)
{
	struct hd_recording r = { .format = "folded" };
	struct hd_json_doc *doc = json_of(&r);

	EXPECT_INT(hd_json_kind(hd_json_get(hd_json_get(hd_json_root(doc), "quality"), "grade")), HD_JSON_NULL);
	hd_json_free(doc);
}

TEST_MAIN(RUN(each_thing_that_happened_to_stacks_is_a_line_with_what_helps),
	  RUN(chains_that_lack_a_caller_lower_the_grade_and_name_what_helps), RUN(counts_of_zero_are_not_mentioned),
	  RUN(the_advice_for_cut_stacks_ends_at_the_largest_copy),
	  RUN(chains_that_end_early_are_reported_with_the_reason),
	  RUN(no_stacks_at_all_is_poor_and_says_how_to_get_some),
	  RUN(folded_text_has_no_quality_section),
	  RUN(more_than_eight_objects_are_counted_in_text),
	  RUN(an_objects_name_cannot_leave_its_line),
	  RUN(json_has_every_number),
	  RUN(the_grade_of_folded_text_is_null))
