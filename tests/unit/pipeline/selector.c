/* selector.c - parse the options that select samples, and apply them */
#include "test.h"

#include "pipeline/selector.h"

#include <stdlib.h>
#include <string.h>

#define WORDS(...) { .items = (const char *[]){ __VA_ARGS__ }, \
	.n = sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *) }

/* Return the result of hd_selector_init() for the --time option `text`, and the limits in *from and *to. */
static int time_of(const char *text, uint64_t *from, uint64_t *to)
{
	struct hd_selection o = { .time = text };
	struct hd_selector s;
	struct hd_err err;
	int rc = hd_selector_init(&s, &o, &err);

	*from = s.from_ns;
	*to = s.to_ns;
	if (rc >= 0)
		hd_selector_release(&s);
	else
		EXPECT(strstr(err.msg, "--time takes A,B in seconds of the recording's clock, not '") == err.msg);
	return rc;
}

#define EXPECT_TIME(text, a, b)						\
	do {								\
		uint64_t from_, to_;					\
		EXPECT_INT(time_of(text, &from_, &to_), 0);		\
		EXPECT(from_ == (a) && to_ == (b));			\
	} while (0)

TEST(no_rule_selects_everything)
{
	struct hd_selection o = { 0 };
	struct hd_selector s;
	struct hd_err err;

	EXPECT_INT(hd_selector_init(&s, &o, &err), 0);
	EXPECT(!s.any);
	EXPECT(hd_selector_ids(&s, -1, 7, UINT32_MAX) && hd_selector_time(&s, 0) && hd_selector_time(&s, UINT64_MAX));
	EXPECT(hd_selector_event(&s, "cycles") && hd_selector_comm(&s, "") && hd_selector_dso(&s, "/x"));
	EXPECT(hd_selector_symbol(&s, "main", "main"));
	hd_selector_release(&s);
}

TEST(every_kind_of_rule_must_hold_and_one_word_of_each_is_enough)
{
	struct hd_selection o = { .pid = WORDS("1", "2"), .tid = WORDS("3"), .cpu = WORDS("0") };
	struct hd_selector s;
	struct hd_err err;

	EXPECT_INT(hd_selector_init(&s, &o, &err), 0);
	EXPECT(s.any);
	EXPECT(hd_selector_ids(&s, 1, 3, 0));
	EXPECT(hd_selector_ids(&s, 2, 3, 0));
	EXPECT(!hd_selector_ids(&s, 3, 3, 0));
	EXPECT(!hd_selector_ids(&s, 1, 1, 0));
	EXPECT(!hd_selector_ids(&s, 1, 3, 1));
	EXPECT(!hd_selector_ids(&s, 1, 3, UINT32_MAX));
	EXPECT(!hd_selector_ids(&s, -1, 3, 0));
	hd_selector_release(&s);
}

TEST(a_word_that_is_no_number_is_a_usage_error_that_names_its_option)
{
	static const char *const bad[] = { "", "x", "-1", "+1", " 1", "1 ", "1x", "0x10", "99999999999999999999" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct hd_selection o = { .tid = WORDS("1", bad[i]) };
		struct hd_selector s;
		struct hd_err err;
		char want[80];

		EXPECT_INT(hd_selector_init(&s, &o, &err), HD_EUSAGE);
		snprintf(want, sizeof(want), "--tid takes a number, not '%s'", bad[i]);
		EXPECT_STR(err.msg, want);
	}
}

TEST(times_are_seconds_and_either_may_be_left_open)
{
	EXPECT_TIME("1,2", 1000000000, 2000000000);
	EXPECT_TIME("12.345678,12.345679", 12345678000, 12345679000);
	EXPECT_TIME("0.000000001,", 1, UINT64_MAX);
	EXPECT_TIME(",5.", 0, 5000000000);
	EXPECT_TIME(".5,.5", 500000000, 500000000);
	EXPECT_TIME(",", 0, UINT64_MAX);
	EXPECT_TIME("18446744073.709551615,", UINT64_MAX, UINT64_MAX);
}

TEST(an_invalid_pair_of_times_is_a_usage_error)
{
	static const char *const bad[] = {
		"", "5", "2,1", "1,2,3", "1-2", "a,b", "1e3,", "-1,", ".,5", "5,.", "1.2.3,", "1.0000000001,",
		"18446744073.709551616,", "99999999999999999999,", " 1,2", "1, 2", "0x1,",
	};
	uint64_t from, to;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_INT(time_of(bad[i], &from, &to), HD_EUSAGE);
}

TEST(both_ends_of_a_time_range_belong_to_it)
{
	struct hd_selection o = { .time = "1,2" };
	struct hd_selector s;
	struct hd_err err;

	EXPECT_INT(hd_selector_init(&s, &o, &err), 0);
	EXPECT(s.any);
	EXPECT(!hd_selector_time(&s, 999999999));
	EXPECT(hd_selector_time(&s, 1000000000));
	EXPECT(hd_selector_time(&s, 2000000000));
	EXPECT(!hd_selector_time(&s, 2000000001));
	hd_selector_release(&s);
}

TEST(an_event_is_named_whole_or_without_its_modifiers)
{
	struct hd_selection o = { .event = WORDS("cycles", "sched:sched_switch") };
	struct hd_selector s = { .opts = &o };

	EXPECT(hd_selector_event(&s, "cycles"));
	EXPECT(hd_selector_event(&s, "cycles:u"));
	EXPECT(hd_selector_event(&s, "cycles:ppp"));
	EXPECT(!hd_selector_event(&s, "cycles_more"));
	EXPECT(!hd_selector_event(&s, "cycle"));
	EXPECT(hd_selector_event(&s, "sched:sched_switch"));
	EXPECT(!hd_selector_event(&s, "sched:sched_wakeup"));
	EXPECT(!hd_selector_event(&s, ""));
}

TEST(an_object_is_named_by_its_path_or_the_last_part_of_it)
{
	struct hd_selection o = { .dso = WORDS("libc.so.6", "/opt/app", "[kernel.kallsyms]") };
	struct hd_selector s = { .opts = &o };

	EXPECT(hd_selector_dso(&s, "/usr/lib/x86_64-linux-gnu/libc.so.6"));
	EXPECT(hd_selector_dso(&s, "libc.so.6"));
	EXPECT(hd_selector_dso(&s, "/opt/app"));
	EXPECT(hd_selector_dso(&s, "[kernel.kallsyms]"));
	EXPECT(!hd_selector_dso(&s, "/usr/lib/mylibc.so.6"));
	EXPECT(!hd_selector_dso(&s, "/opt/app/lib"));
	EXPECT(!hd_selector_dso(&s, "app"));
}

TEST(a_function_is_named_as_it_is_shown_or_as_it_is_linked)
{
	struct hd_selection o = { .symbol = WORDS("ns::work", "_Z4evenv") };
	struct hd_selector s = { .opts = &o };

	EXPECT(hd_selector_symbol(&s, "ns::work", "_ZN2ns4workEv"));
	EXPECT(hd_selector_symbol(&s, "even", "_Z4evenv"));
	EXPECT(!hd_selector_symbol(&s, "work", "work"));
}

TEST(a_thread_is_named_exactly)
{
	struct hd_selection o = { .comm = WORDS("app") };
	struct hd_selector s = { .opts = &o };

	EXPECT(hd_selector_comm(&s, "app"));
	EXPECT(!hd_selector_comm(&s, "apps"));
	EXPECT(!hd_selector_comm(&s, ""));
}

TEST(versions_and_clone_suffixes_are_stripped_and_nothing_else)
{
	static const struct { const char *linkage, *want; } cases[] = {
		{ "read", "read" }, { "memcpy@@GLIBC_2.14", "memcpy" }, { "memcpy@GLIBC_2.2.5", "memcpy" },
		{ "memcpy@plt", "memcpy@plt" }, { "work.constprop.0", "work" }, { "work.isra.0.part.3@V1", "work" },
		{ "@odd", "@odd" }, { "odd@", "odd@" }, { "odd@@", "odd@@" },
		{ "run /srv/@scope/index.js:12", "run /srv/@scope/index.js:12" },
		{ "LazyCompile:~f a@b c", "LazyCompile:~f a@b c" },
		{ "", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *got = hd_selector_strip_version(cases[i].linkage);

		EXPECT_STR(got, cases[i].want);
		free(got);
	}
}

TEST_MAIN(RUN(no_rule_selects_everything),
	  RUN(every_kind_of_rule_must_hold_and_one_word_of_each_is_enough),
	  RUN(a_word_that_is_no_number_is_a_usage_error_that_names_its_option),
	  RUN(times_are_seconds_and_either_may_be_left_open),
	  RUN(an_invalid_pair_of_times_is_a_usage_error),
	  RUN(both_ends_of_a_time_range_belong_to_it),
	  RUN(an_event_is_named_whole_or_without_its_modifiers),
	  RUN(an_object_is_named_by_its_path_or_the_last_part_of_it),
	  RUN(a_function_is_named_as_it_is_shown_or_as_it_is_linked),
	  RUN(a_thread_is_named_exactly),
	  RUN(versions_and_clone_suffixes_are_stripped_and_nothing_else))
