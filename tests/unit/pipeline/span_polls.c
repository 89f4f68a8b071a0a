/* span_polls.c - read the polls of asynchronous spans, and find the poll at a time */
#include "pipeline/span_polls.h"
#include "test.h"

#include "base/buf.h"

#include <string.h>

#define HEADER "t_ns,duration_ns,pid,tid,span,parent,name\n"

static struct hd_log warnings;
static struct hd_err err;

static struct hd_span_polls *parsed(const char *text)
{
	struct hd_buf copy = { 0 };
	struct hd_span_polls *polls;

	hd_buf_adds(&copy, text);
	hd_span_polls_parse(&polls, copy.data, copy.len, "s.csv", &warnings, &err);
	hd_buf_release(&copy);
	return polls;
}

static const char *name_at(const struct hd_span_polls *polls, int32_t tid, uint64_t t_ns)
{
	const struct hd_span_poll *poll = hd_span_polls_at(polls, tid, t_ns);

	return poll ? hd_strtab_get(polls->names, poll->name) : "none";
}

TEST(a_time_belongs_to_the_innermost_poll_of_its_thread)
{
	struct hd_span_polls *polls = parsed(HEADER
		"100,100,1,5,1,0,\"outer\"\n"		/*  100 ................ 200	thread 5 */
		"110,20,1,5,2,1,\"first\"\n"		/*     110 .. 130 */
		"130,50,1,5,3,1,\"second\"\n"		/*            130 ... 180 */
		"140,10,1,5,4,3,\"deep\"\n"		/*              140 150 */
		"120,10,1,6,5,0,\"elsewhere\"\n");	/*       120 130		thread 6 */
	static const struct { int32_t tid; uint64_t t_ns; const char *name; } cases[] = {
		{ 5, 99, "none" }, { 5, 100, "outer" }, { 5, 110, "first" }, { 5, 129, "first" }, { 5, 130, "second" },
		{ 5, 140, "deep" }, { 5, 150, "second" }, { 5, 179, "second" }, { 5, 180, "outer" },
		{ 5, 199, "outer" },
		{ 5, 200, "none" }, { 6, 119, "none" }, { 6, 125, "elsewhere" }, { 6, 130, "none" }, { 7, 125, "none" },
		{ 4, 125, "none" }, { 5, UINT64_MAX, "none" },
	};

	EXPECT(polls);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		EXPECT_STR(name_at(polls, cases[i].tid, cases[i].t_ns), cases[i].name);
	EXPECT_INT(polls->items[0].nested_ns, 70);
	hd_span_polls_free(polls);
}

TEST(rows_may_be_in_any_order_and_a_file_may_have_none)
{
	struct hd_span_polls *polls = parsed(HEADER "140,10,1,5,4,3,\"b\"\n100,100,1,5,1,0,\"a\"\n");

	EXPECT_STR(name_at(polls, 5, 145), "b");
	EXPECT_STR(name_at(polls, 5, 155), "a");
	hd_span_polls_free(polls);
	polls = parsed(HEADER);
	EXPECT_STR(name_at(polls, 5, 145), "none");
	hd_span_polls_free(polls);
}

TEST(an_invalid_file_is_rejected_with_its_line)
{
	static const struct { const char *text, *message; } cases[] = {
		{ "", "s.csv: not a file of spans: its first line is not t_ns,duration_ns,pid,tid,span,parent,name "
		      "(hd_spans_write_csv() of libhotdrift writes such files)" },
		{ HEADER "1,2,3,4,5,0,a\nx,2,3,4,5,0,a\n", "s.csv: line 3: t_ns is not a whole number" },
		{ HEADER "1,-2,3,4,5,0,a\n", "s.csv: line 2: duration_ns is not a whole number" },
		{ HEADER "1,2,3,4294967296,5,0,a\n", "s.csv: line 2: tid is too large" },
		{ HEADER "9999999999999999999,9999999999999999999,3,4,5,0,a\n",
			"s.csv: line 2: duration_ns is too large" },
		{ HEADER "10,10,1,5,1,0,a\n15,10,1,5,2,0,b\n",
		  "s.csv: polls of thread 5 at 10 and 15 ns overlap and do not nest" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		EXPECT(!parsed(cases[i].text));
		EXPECT_STR(err.msg, cases[i].message);
	}
}

TEST(polls_that_nest_too_deep_are_rejected)
{
	struct hd_buf text = { 0 };

	hd_buf_adds(&text, HEADER);
	for (int i = 0; i <= HD_SPAN_POLLS_DEPTH; i++)
		hd_buf_addf(&text, "%d,%d,1,5,%d,0,a\n", i, 1000 - 2 * i, i + 1);
	EXPECT(!parsed(hd_buf_str(&text)));
	EXPECT_STR(err.msg, "s.csv: polls of thread 5 nest more than 64 deep");
	hd_buf_release(&text);
}

TEST(rows_of_another_length_are_skipped_and_counted)
{
	struct hd_span_polls *polls = parsed(HEADER "1,2,3\n10,10,1,5,1,0,a\n");

	EXPECT_INT(polls->n, 1);
	EXPECT(warnings.n == 1 && strstr(warnings.items[0].text, "line 2: not a row of 7 cells"));
	hd_span_polls_free(polls);
	hd_log_release(&warnings);
}

TEST_MAIN(RUN(a_time_belongs_to_the_innermost_poll_of_its_thread),
	  RUN(rows_may_be_in_any_order_and_a_file_may_have_none), RUN(an_invalid_file_is_rejected_with_its_line),
	  RUN(polls_that_nest_too_deep_are_rejected), RUN(rows_of_another_length_are_skipped_and_counted))
