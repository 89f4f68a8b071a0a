/* mem.c - allocation succeeds, or ends the program with status 6 */
#include "unit/tmpdir.h"

TEST(a_block_of_0_bytes_is_a_block)
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

/* A new block may be at the address of a freed one. */
TEST(large_memory_is_zero_to_its_last_byte_also_where_something_was)
{
	static const size_t sizes[] = { 2 << 20, (2 << 20) + 1, (5 << 20) - 1, (5 << 20) + 4097 };

	for (size_t k = 0; k < HD_COUNT(sizes) * 3; k++) {
		size_t n = sizes[k % HD_COUNT(sizes)], full = 0;
		uint8_t *before = hd_alloc(n), *z;

		memset(before, 0xff, n);
		free(before);
		z = hd_zalloc(1, n);
		for (size_t i = 0; i < n; i++)
			full += z[i] != 0;
		EXPECT_INT(full, 0);
		memset(z, 0xff, n);
		free(z);
	}
}

TEST(an_array_that_grows_large_keeps_what_it_holds)
{
	uint64_t *v = NULL;
	size_t cap = 0, n = (24 << 20) / sizeof(*v), other = 0;

	for (size_t i = 0; i < n; i++) {
		HD_GROW(v, i + 1, cap);
		v[i] = i * 31;
	}
	for (size_t i = 0; i < n; i++)
		other += v[i] != i * 31;
	EXPECT_INT(other, 0);
	free(v);
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
	EXPECT(moves < 30);		/* the capacity grows by half, not by one */
	HD_GROW(v, 5, cap);		/* a smaller size changes nothing */
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

TEST_MAIN(RUN(a_block_of_0_bytes_is_a_block),
	  RUN(new_memory_is_zero),
	RUN(large_memory_is_like_small),
	  RUN(large_memory_is_zero_to_its_last_byte_also_where_something_was),
	  RUN(an_array_that_grows_large_keeps_what_it_holds),
	  RUN(a_copied_string_ends_where_it_was_told_to),
	  RUN(an_array_grows_to_what_is_needed_and_keeps_what_it_holds),
	  RUN(a_size_that_does_not_fit_ends_the_program_with_one_line_and_status_6))
