/* heap_counters.c - compute live memory over time from the moves of heap recordings */
#include "unit/heap/synthetic_heap.h"

#include <stdlib.h>

static void header(struct hd_buf *b, void (*change)(struct hd_heap_header *h))
{
	struct hd_heap_header h;

	memcpy(&h, b->data, sizeof(h));
	change(&h);
	memcpy(b->data, &h, sizeof(h));
}

static void clocked(struct hd_heap_header *h)
{
	h->begin_monotonic_ns = 5000000000;
	h->loaded_monotonic_ns = 4000000000;
	h->stride = 20;
}

static const struct hd_heap_node nodes[] = { { 0 }, { 0, 0, 0x1100 }, { 1, 0, 0x1200 } };

/*
 * Make a recording in which two threads have a counter at node 2.  The last move of the first
 * counter, 200 bytes at tick 40, is not in the block of moves.
 */
static void usual(struct hd_buf *b)
{
	const struct hd_heap_move moves[] = { { 2, 10, 300 }, { 1, 10, 8 }, { 2, 30, -100 }, { 2, 10, 50 },
		{ 0, 99, 99 } };

	made_begin(b, HD_HEAP_EXACT, 1);
	header(b, clocked);
	made_nodes(b, nodes, 3);
	made_counter(b,
		(struct hd_heap_counter){ .node = 2,
			.n = 5,
			.bytes = 500,
			.freed_n = 1,
			.freed_bytes = 100,
			.counted = 200,
			.tick = 40 });
	made_counter(b, (struct hd_heap_counter){ .node = 2, .n = 1, .bytes = 50, .counted = 50, .tick = 10 });
	made_counter(b, (struct hd_heap_counter){ .node = 1, .n = 1, .bytes = 8, .counted = 8, .tick = 10 });
	made_block(b, HD_HEAP_MOVES_BLOCK, 0, moves, sizeof(moves));
	made_end(b, 0, 1);
}

TEST(moves_come_by_time_and_those_of_one_stack_and_tick_are_one)
{
	struct hd_buf b = { 0 };
	struct hd_log log = { 0 };
	struct hd_heap *h;

	usual(&b);
	h = made_read(&b, &log);
	EXPECT_INT(h->monotonic_ns, 5000000000);
	EXPECT_INT(h->loaded_ns, 4000000000);
	EXPECT_INT(h->nmoves, 4);
	EXPECT(h->moves[0].ms == 10 && h->moves[0].node == 1 && h->moves[0].bytes == 8);
	EXPECT(h->moves[1].ms == 10 && h->moves[1].node == 2 && h->moves[1].bytes == 350);
	EXPECT(h->moves[2].ms == 30 && h->moves[2].node == 2 && h->moves[2].bytes == -100);
	EXPECT(h->moves[3].ms == 40 && h->moves[3].node == 2 && h->moves[3].bytes == 200);
	EXPECT_INT(log.n, 0);
	hd_heap_free(h);
	hd_buf_release(&b);
}

TEST(the_moves_of_a_stack_add_up_to_what_it_leaked)
{
	struct hd_buf b = { 0 };
	struct hd_log log = { 0 };
	struct hd_heap *h;

	usual(&b);
	h = made_read(&b, &log);
	for (size_t i = 0; i < h->ncounters; i++) {
		int64_t sum = 0;

		for (size_t k = 0; k < h->nmoves; k++)
			sum += h->moves[k].node == h->counters[i].node ? h->moves[k].bytes : 0;
		EXPECT_INT(sum, (int64_t)h->counters[i].leaked.bytes);
	}
	hd_heap_free(h);
	hd_buf_release(&b);
}

TEST(a_move_of_a_stack_that_is_not_there_is_left_out_and_told)
{
	const struct hd_heap_move moves[] = { { 3, 10, 300 }, { UINT32_MAX, 10, 8 } };
	struct hd_buf b = { 0 };
	struct hd_log log = { 0 };
	struct hd_heap *h;

	made_begin(&b, HD_HEAP_EXACT, 1);
	header(&b, clocked);
	made_nodes(&b, nodes, 3);
	made_block(&b, HD_HEAP_MOVES_BLOCK, 0, moves, sizeof(moves));
	made_end(&b, 0, 1);
	h = made_read(&b, &log);
	EXPECT_INT(h->nmoves, 0);
	EXPECT_INT(hd_log_find(&log, "lost.heap-move")->count, 2);
	hd_heap_free(h);
	hd_log_release(&log);
	hd_buf_release(&b);
}

static void version_1(struct hd_heap_header *h)
{
	h->version = 1;
	h->counter_bytes = offsetof(struct hd_heap_counter, counted) + (h->flags & HD_HEAP_EXACT ? 0 : 32);
}

/* Version 1 has shorter counters, and the reader ignores the bytes after its shorter header. */
TEST(version_1_is_read_and_has_no_moves)
{
	const struct hd_heap_counter c = { .node = 2, .n = 1, .bytes = 50, .counted = 7, .tick = 7 };
	struct {
		uint8_t c[offsetof(struct hd_heap_counter, counted)];
		uint64_t seen, seen_freed;
		int64_t seen_peak;
		uint64_t seen_temp;
	} sampled = {
		.seen = 1,
	};
	struct hd_log log = { 0 };

	for (int exact = 0; exact < 2; exact++) {
		struct hd_buf b = { 0 };
		struct hd_heap *h;

		made_begin(&b, exact ? HD_HEAP_EXACT : 0, exact ? 1 : 65536);
		header(&b, clocked);
		header(&b, version_1);
		made_nodes(&b, nodes, 3);
		memcpy(sampled.c, &c, sizeof(sampled.c));
		made_block(&b, HD_HEAP_COUNTERS_BLOCK, 0, &sampled, exact ? sizeof(sampled.c) : sizeof(sampled));
		made_end(&b, 0, 1);
		h = made_read(&b, &log);
		EXPECT_INT(h->ncounters, 1);
		EXPECT_INT(h->counters[0].leaked.bytes, 50);
		EXPECT_INT(h->counters[0].leaked.seen, 1);
		EXPECT_INT(h->nmoves, 0);
		EXPECT_INT(h->monotonic_ns, 0);
		hd_heap_free(h);
		hd_buf_release(&b);
	}
	EXPECT_INT(log.n, 0);
}

TEST_MAIN(RUN(moves_come_by_time_and_those_of_one_stack_and_tick_are_one),
	  RUN(the_moves_of_a_stack_add_up_to_what_it_leaked),
	  RUN(a_move_of_a_stack_that_is_not_there_is_left_out_and_told),
	  RUN(version_1_is_read_and_has_no_moves))
