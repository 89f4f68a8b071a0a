/*
 * progress.c - print the progress line on a terminal, with the remaining time
 *
 * A pseudo-terminal takes the place of stderr.  The tests move the times at which the work and its pass began, so they
 * do not wait.
 */
#include "pipeline/progress.h"

#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECOND 1000000000ull

/*
 * Show the progress of reading 400 bytes on a terminal, and store what is printed in `text`.  The passes before the
 * current one have read `base` bytes in `before_s` seconds, and the current one has read `at` bytes in elapsed_s
 * seconds.
 */
static void show(char *text, size_t size, uint64_t base, uint64_t before_s, uint64_t at, uint64_t elapsed_s)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), line, saved = dup(STDERR_FILENO);
	struct hd_progress g;
	ssize_t n;

	assert_true(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal));
	line = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	assert_true(line >= 0 && saved >= 0 && dup2(line, STDERR_FILENO) == STDERR_FILENO);
	hd_progress_start(&g, "reading", 400);
	g.pass_started_ns -= before_s * SECOND;
	hd_progress_pass(&g, base);
	g.started_ns -= (before_s + elapsed_s) * SECOND;
	g.pass_started_ns -= elapsed_s * SECOND;
	hd_progress_show(&g, at);
	dup2(saved, STDERR_FILENO);
	assert_true(g.shown);
	n = read(terminal, text, size - 1);
	assert_true(n > 0);
	text[n] = '\0';
	close(saved);
	close(line);
	close(terminal);
}

TEST(the_time_left_follows_from_the_speed_of_the_current_pass)
{
	char text[256];
	double left;

	/* 100 bytes took 1,000 s, and 300 are left.  A busy machine adds seconds of its own. */
	show(text, sizeof(text), 0, 0, 100, 1000);
	assert_int_equal(sscanf(text, "\rreading: 25 %%, about %lf min left", &left), 1);
	assert_true(left >= 50 && left <= 55);
	/* 100 bytes of the second pass took 20 s, and 100 are left. */
	show(text, sizeof(text), 200, 5, 100, 20);
	assert_int_equal(sscanf(text, "\rreading: 75 %%, about %lf s left", &left), 1);
	assert_true(left >= 20 && left < 60);
}

TEST(a_pass_that_has_just_begun_or_has_ended_has_no_estimate)
{
	char text[256];

	show(text, sizeof(text), 200, 5, 0, 20);
	EXPECT_STR(text, "\rreading: 50 %\033[K");
	show(text, sizeof(text), 200, 5, 200, 20);
	EXPECT_STR(text, "\rreading: 100 %\033[K");
}

TEST(a_pass_of_no_time_does_not_count)
{
	char text[256];
	double left;

	show(text, sizeof(text), 200, 0, 50, 30);
	assert_int_equal(sscanf(text, "\rreading: 25 %%, about %lf min left", &left), 1);
}

TEST_MAIN(RUN(the_time_left_follows_from_the_speed_of_the_current_pass),
	  RUN(a_pass_that_has_just_begun_or_has_ended_has_no_estimate),
	  RUN(a_pass_of_no_time_does_not_count))
