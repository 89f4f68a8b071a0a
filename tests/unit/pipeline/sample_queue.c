/*
 * sample_queue.c - decide when a second thread is started, and queue samples without their stack copies
 */
#include "test.h"

#include "pipeline/sample_queue.h"

#include <string.h>

static bool gains(uint64_t add_ms, uint64_t take_ms, uint64_t times_left, unsigned threads)
{
	return hd_sample_queue_gains(&(struct hd_sample_queue_trial){ .add_ns = add_ms * 1000000,
		.take_ns = take_ms * 1000000, .bytes = 1 << 20, .bytes_left = times_left << 20 }, threads);
}

TEST(a_second_thread_needs_its_share_of_the_work)
{
	EXPECT(gains(10, 10, 10, 2));
	EXPECT(gains(6, 4, 10, 2));
	EXPECT(gains(4, 6, 10, 2));
	EXPECT(!gains(7, 3, 10, 2));
	EXPECT(!gains(3, 7, 10, 2));
	EXPECT(!gains(10, 0, 1000, 2));
}

TEST(a_second_thread_needs_work_that_is_left)
{
	EXPECT(gains(5, 5, 2, 2));
	EXPECT(!gains(5, 5, 1, 2));
	EXPECT(!gains(5, 5, 0, 3));
	EXPECT(!hd_sample_queue_gains(&(struct hd_sample_queue_trial){ 0 }, 2));
}

TEST(more_threads_need_only_work_that_is_left)
{
	EXPECT(gains(9, 1, 10, 3));
	EXPECT(!gains(9, 1, 1, 3));
}

TEST(a_detached_sample_has_all_bytes_before_its_stack_copy)
{
	uint8_t body[64], to[64] = { 0 };
	const uint8_t elsewhere[8] = { 0 };
	struct hd_queued_sample q = { .rec = { .data = body, .size = sizeof(body) + 8 },
		.s = { .chain = body + 8, .nchain = 2, .raw = elsewhere, .regs_user = body + 24,
			.stack_user = body + 40, .stack_user_bytes = 16, .regs_intr = body + 56 } };

	for (size_t i = 0; i < sizeof(body); i++)
		body[i] = (uint8_t)i;
	EXPECT_INT(hd_queued_sample_bytes(&q), 40);
	hd_queued_sample_detach(&q, to);
	EXPECT(q.rec.data == to && q.rec.size == 48);
	EXPECT(!memcmp(to, body, 40) && !to[40]);
	EXPECT(q.s.chain == to + 8 && q.s.regs_user == to + 24);
	EXPECT(q.s.raw == elsewhere);
	EXPECT(!q.s.stack_user && !q.s.regs_intr && q.s.stack_user_bytes == 16);
}

TEST(a_sample_without_a_stack_copy_is_detached_whole)
{
	uint8_t body[24] = { 7 }, to[24];
	struct hd_queued_sample q = { .rec = { .data = body, .size = sizeof(body) + 8 }, .s = { .chain = body } };

	EXPECT_INT(hd_queued_sample_bytes(&q), 24);
	hd_queued_sample_detach(&q, to);
	EXPECT(q.s.chain == to && q.rec.size == 32 && to[0] == 7);
}

TEST_MAIN(RUN(a_second_thread_needs_its_share_of_the_work),
	  RUN(a_second_thread_needs_work_that_is_left),
	  RUN(more_threads_need_only_work_that_is_left),
	  RUN(a_detached_sample_has_all_bytes_before_its_stack_copy),
	  RUN(a_sample_without_a_stack_copy_is_detached_whole))
