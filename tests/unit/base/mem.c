/*
 * mem.c - allocation that answers, or ends the program with status 6
 */
#include "unit/tmpdir.h"

TEST(nothing_is_something_too)
{
	char *a = hd_alloc(0), *b = hd_zalloc(0, 8), *c = hd_realloc(NULL, 0, 8);

	EXPECT(a && b && c);
	free(a);
	free(b);
	free(c);
}

TEST(new_memory_is_zero)
{
	uint64_t *v = hd_new_array(uint64_t, 100);

	for (int i = 0; i < 100; i++)
		EXPECT_INT(v[i], 0);
	free(v);
}

TEST(large_memory_is_like_small)
{
	enum { LARGE = 5 << 20 };
	uint8_t *z = hd_zalloc(LARGE, 1), *p = hd_alloc(LARGE);

	for (size_t i = 0; i < LARGE; i += 997) {
		EXPECT_INT(z[i], 0);
		p[i] = (uint8_t)(i * 31);
	}
	EXPECT_INT(z[LARGE - 1], 0);
	p[LARGE - 1] = 1;
	p = hd_realloc(p, 2, LARGE);
	p[2 * LARGE - 1] = 2;
	p = hd_realloc(p, LARGE, 1);
	for (size_t i = 0; i < LARGE; i += 997)
		EXPECT_INT(p[i], (uint8_t)(i * 31));
	EXPECT_INT(p[LARGE - 1], 1);
	free(z);
	free(p);
}

TEST(a_copied_string_ends_where_it_was_told_to)
{
	char *whole = hd_strdup("main"), *part = hd_strndup("main", 2);

	EXPECT_STR(whole, "main");
	EXPECT_STR(part, "ma");
	free(whole);
	free(part);
}

TEST(an_array_grows_to_what_is_needed_and_keeps_what_it_holds)
{
	uint32_t *v = NULL;
	size_t cap = 0, moves = 0;

	for (uint32_t i = 0; i < 10000; i++) {
		size_t before = cap;

		HD_GROW(v, (size_t)i + 1, cap);
		EXPECT(cap > i);
		moves += cap != before;
		v[i] = i;
	}
	for (uint32_t i = 0; i < 10000; i++)
		EXPECT_INT(v[i], i);
	EXPECT(moves < 30);		/* by half again, not by one */
	HD_GROW(v, 5, cap);		/* asking for less changes nothing */
	EXPECT_INT(v[9999], 9999);
	free(v);
}

static int overflow(void *pipe_end)
{
	dup2(*(int *)pipe_end, STDERR_FILENO);
	hd_realloc(NULL, SIZE_MAX / 2, 4);
	return 0;
}

TEST(a_size_that_does_not_fit_ends_the_program_with_one_line_and_status_6)
{
	char line[200];
	int ends[2];
	ssize_t n;

	EXPECT(pipe(ends) == 0);
	EXPECT_INT(in_child(overflow, &ends[1]), 6);
	close(ends[1]);
	n = read(ends[0], line, sizeof(line) - 1);
	EXPECT(n > 0);
	line[n] = '\0';
	EXPECT(strstr(line, "hotdrift: error: out of memory") == line);
	EXPECT(strchr(line, '\n') == line + n - 1);
	close(ends[0]);
}

TEST_MAIN(RUN(nothing_is_something_too),
	  RUN(new_memory_is_zero),
	RUN(large_memory_is_like_small),
	  RUN(a_copied_string_ends_where_it_was_told_to),
	  RUN(an_array_grows_to_what_is_needed_and_keeps_what_it_holds),
	  RUN(a_size_that_does_not_fit_ends_the_program_with_one_line_and_status_6))
