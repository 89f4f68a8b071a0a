/*
 * arena.c - tests of the arena, whose allocations are all released together
 */
#include "test.h"

#include "base/arena.h"

#include <string.h>

TEST(every_allocation_is_aligned_to_16_bytes_and_its_own)
{
	struct hd_arena a = { 0 };
	char *p[1000];

	for (size_t i = 0; i < 1000; i++) {
		p[i] = hd_arena_alloc(&a, i % 37);
		EXPECT((uintptr_t)p[i] % 16 == 0);
		memset(p[i], (int)(i & 0xff), i % 37);
	}
	for (size_t i = 0; i < 1000; i++)
		for (size_t k = 0; k < i % 37; k++)
			EXPECT_INT((unsigned char)p[i][k], i & 0xff);
	hd_arena_release(&a);
	EXPECT(!a.blocks);
}

TEST(an_allocation_larger_than_a_block_gets_a_block_of_its_own)
{
	struct hd_arena a = { 0 };
	char *small = hd_arena_alloc(&a, 10), *big = hd_arena_alloc(&a, 1 << 20), *after = hd_arena_alloc(&a, 10);

	memset(small, 1, 10);
	memset(big, 2, 1 << 20);
	memset(after, 3, 10);
	EXPECT(small[9] == 1 && big[(1 << 20) - 1] == 2 && after[9] == 3);
	hd_arena_release(&a);
}

TEST(a_copied_string_may_hold_any_byte_and_ends_in_a_nul)
{
	struct hd_arena a = { 0 };
	char *s = hd_arena_strndup(&a, "a\0b;", 3), *empty = hd_arena_strndup(&a, NULL, 0);

	EXPECT_MEM(s, "a\0b", 4);
	EXPECT_STR(empty, "");
	hd_arena_release(&a);
}

TEST(a_released_arena_can_be_used_again)
{
	struct hd_arena a = { 0 };

	hd_arena_alloc(&a, 100);
	hd_arena_release(&a);
	hd_arena_release(&a);
	EXPECT(hd_arena_alloc(&a, 100) != NULL);
	hd_arena_release(&a);
}

TEST_MAIN(RUN(every_allocation_is_aligned_to_16_bytes_and_its_own),
	  RUN(an_allocation_larger_than_a_block_gets_a_block_of_its_own),
	  RUN(a_copied_string_may_hold_any_byte_and_ends_in_a_nul),
	  RUN(a_released_arena_can_be_used_again))
