/* mode.c - tests of the table of profile modes, which help, profile.sh and the session page read */
#include "test.h"

#include "profile/mode.h"

#include <limits.h>
#include <string.h>

TEST(the_words_are_those_that_profile_accepts)
{
	struct hd_buf words = { 0 }, all = { 0 };

	hd_profile_mode_words(&words);
	EXPECT_STR(hd_buf_str(&words), "cpu, memory, async, syscall, gpu, power, all");
	hd_profile_mode_words_of_all(&all, " ");
	EXPECT_STR(hd_buf_str(&all), "cpu memory gpu async syscall power");
	hd_buf_release(&words);
	hd_buf_release(&all);
}

TEST(words_and_positions_are_unique_and_unknown_words_come_last)
{
	for (const struct hd_profile_mode *m = hd_profile_modes; m->word; m++) {
		EXPECT(hd_profile_mode_find(m->word) == m);
		for (const struct hd_profile_mode *o = m + 1; o->word; o++)
			EXPECT(!m->position || m->position != o->position);
	}
	EXPECT(!hd_profile_mode_find("cpuu"));
	EXPECT(hd_profile_mode_position("cpu") < hd_profile_mode_position("faults"));
	EXPECT_INT(hd_profile_mode_position("all"), UINT_MAX);
	EXPECT_INT(hd_profile_mode_position("cpuu"), UINT_MAX);
}

TEST(a_row_is_printed_as_lines_without_the_fields_that_do_not_apply)
{
	struct hd_buf out = { 0 };

	hd_profile_mode_print(&out, hd_profile_mode_find("syscall"));
	EXPECT_STR(hd_buf_str(&out),
		"word=syscall\nrecorder=perf\nartifact=perf.data\n"
		"events=raw_syscalls:sys_enter,raw_syscalls:sys_exit\ncall_graph=dwarf,1024\nperiod=1\ncompress=1\n"
		"weight=syscalls\nskips_frames=yes\n"
		"table=syscalls --by syscall,error\ntable=callers --by syscall,symbol\n");
	hd_buf_release(&out);
}

TEST(the_help_has_each_selectable_mode_in_lines_of_a_terminal)
{
	struct hd_buf out = { 0 };

	hd_profile_mode_help(&out);
	for (const struct hd_profile_mode *m = hd_profile_modes; m->word; m++) {
		char begin[32];

		snprintf(begin, sizeof(begin), "  %s ", m->word);
		EXPECT(!strstr(hd_buf_str(&out), begin) == !m->help);
	}
	for (const char *line = hd_buf_str(&out); *line; line += strcspn(line, "\n") + 1)
		EXPECT(strcspn(line, "\n") <= 100);
	hd_buf_release(&out);
}

TEST_MAIN(RUN(the_words_are_those_that_profile_accepts),
	RUN(words_and_positions_are_unique_and_unknown_words_come_last),
	RUN(a_row_is_printed_as_lines_without_the_fields_that_do_not_apply),
	RUN(the_help_has_each_selectable_mode_in_lines_of_a_terminal))
