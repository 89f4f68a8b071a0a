/* heap_reader.c - read heap recordings: sums per stack, accepted values, and warnings about invalid ones */
#include "unit/heap/synthetic_heap.h"

#include <stdlib.h>

/* Make a recording in which main calls f.  Two threads have a counter at f, and one has a counter at main. */
static void usual(struct hd_buf *b)
{
	const struct hd_heap_node nodes[] = { { 0 }, { 0, 1, 0x1100 }, { 1, 1, 0x1200 } };

	made_begin(b, HD_HEAP_EXACT, 1);
	made_module(b, 1, "/bin/app", 0x1000, 0x1000);
	made_nodes(b, nodes, 3);
	made_counter(b,
		(struct hd_heap_counter){ .node = 2,
			.epoch = 7,
			.n = 5,
			.bytes = 500,
			.freed_n = 1,
			.freed_bytes = 100,
			.peak_n = 2,
			.peak_bytes = 200 });
	made_counter(b,
		(struct hd_heap_counter){ .node = 2,
			.epoch = 3,
			.n = 1,
			.bytes = 10,
			.freed_n = 3,
			.freed_bytes = 300,
			.temp_n = 1,
			.temp_bytes = 10 });
	made_counter(b, (struct hd_heap_counter){ .node = 1, .n = 1, .bytes = 8 });
	made_end(b, 0, 7);
}

TEST(the_threads_of_a_stack_are_added_up)
{
	struct hd_buf b = { 0 };
	struct hd_log log = { 0 };
	struct hd_heap *h;

	usual(&b);
	h = made_read(&b, &log);
	EXPECT_INT(h->ncounters, 2);
	EXPECT_INT(h->counters[0].node, 1);
	EXPECT_INT(h->counters[1].node, 2);
	EXPECT_INT(h->counters[1].allocated.bytes, 510);
	EXPECT_INT(h->counters[1].allocated.blocks, 6);
	/* This is the sum over both threads: one of them freed memory that the other one had allocated. */
	EXPECT_INT(h->counters[1].leaked.bytes, 110);
	EXPECT_INT(h->counters[1].leaked.blocks, 2);
	EXPECT_INT(h->counters[1].temporary.blocks, 1);
	EXPECT_INT(h->nmodules, 1);
	EXPECT_INT(h->modules[0].loads[0].start, 0x1000);
	EXPECT_STR(h->comm, "app");
	EXPECT_INT(log.n, 0);
	hd_heap_free(h);
	hd_buf_release(&b);
}

TEST(the_first_block_of_stacks_has_number_0_and_an_unused_entry_or_number_1)
{
	const struct hd_heap_node nodes[] = { { 0 }, { 0, 0, 0x1100 }, { 1, 0, 0x1200 } };

	for (uint32_t first = 0; first < 4; first++) {
		struct hd_buf b = { 0 };
		struct hd_log log = { 0 };
		struct hd_heap *h;

		made_begin(&b, HD_HEAP_EXACT, 1);
		made_block(&b, HD_HEAP_NODES_BLOCK, first, nodes + (first > 0), (first ? 2 : 3) * sizeof(nodes[0]));
		made_counter(&b, (struct hd_heap_counter){ .node = 2, .n = 1, .bytes = 8 });
		made_end(&b, 0, 1);
		h = made_read(&b, &log);
		if (first < 2) {
			EXPECT_INT(h->nodes[2].address, 0x1200);
			EXPECT_INT(h->ncounters, 1);
		}
		EXPECT((first >= 2) == (hd_log_find(&log, "lost.heap-block") != NULL));
		hd_heap_free(h);
		hd_log_release(&log);
		hd_buf_release(&b);
	}
}

TEST(a_stack_deeper_than_the_recorder_writes_is_invalid_and_its_allocations_are_counted_as_lost)
{
	enum { NODES = HD_HEAP_DEPTH + 10 };
	struct hd_heap_node nodes[NODES] = { { 0 } };
	struct hd_buf b = { 0 };
	struct hd_log log = { 0 };
	struct hd_heap *h;

	for (uint32_t i = 1; i < NODES; i++)
		nodes[i] = (struct hd_heap_node){ i - 1, 0, 0x1000 + i };
	made_begin(&b, HD_HEAP_EXACT, 1);
	made_nodes(&b, nodes, NODES);
	made_counter(&b, (struct hd_heap_counter){ .node = HD_HEAP_DEPTH, .n = 1, .bytes = 8 });
	made_counter(&b, (struct hd_heap_counter){ .node = HD_HEAP_DEPTH + 1, .n = 3, .bytes = 24 });
	made_end(&b, 0, 1);
	h = made_read(&b, &log);
	EXPECT_INT(h->ncounters, 1);
	EXPECT_INT(h->counters[0].node, HD_HEAP_DEPTH);
	EXPECT_INT(hd_log_find(&log, "lost.heap-node")->count, 3);
	hd_heap_free(h);
	hd_log_release(&log);
	hd_buf_release(&b);
}

TEST(a_counter_that_did_not_change_after_the_peak_holds_it_still)
{
	struct hd_buf b = { 0 };
	struct hd_log log = { 0 };
	struct hd_heap *h;

	usual(&b);
	h = made_read(&b, &log);
	/*
	 * Node 2 has two counters.  The first one changed after the peak and stored the 200 bytes of the peak.  The
	 * second one did not change, so its value at the peak is 10 - 300.  The sum is negative and becomes 0.
	 */
	EXPECT_INT(h->counters[1].peak.bytes, 0);
	EXPECT_INT(h->counters[0].peak.bytes, 8);
	hd_heap_free(h);
	hd_buf_release(&b);
}

/*
 * Make a sampled recording of one stack and read it.  The caller frees the result and *b.  half_epoch: the epochs of
 * the two halves of the samples; used only from version 3 on.
 */
static struct hd_heap *sampled(struct hd_buf *b, struct hd_log *log, const struct hd_heap_sampled *s, uint32_t version,
	const uint32_t half_epoch[2])
{
	const struct hd_heap_node nodes[] = { { 0 }, { 0, 0, 0x1100 } };
	size_t bytes = version < 3 ? offsetof(struct hd_heap_sampled, var_n) : sizeof(*s);
	struct hd_heap_header h;

	made_begin(b, 0, 65536);
	made_nodes(b, nodes, 2);
	made_block(b, HD_HEAP_COUNTERS_BLOCK, 0, s, bytes);
	made_end(b, 0, 5);
	memcpy(&h, b->data, sizeof(h));
	h.version = version;
	h.counter_bytes = (uint32_t)bytes;
	memcpy(h.half_epoch, half_epoch, sizeof(h.half_epoch));
	memcpy(b->data, &h, sizeof(h));
	return made_read(b, log);
}

TEST(each_half_is_read_at_the_peak_of_the_other_one)
{
	/*
	 * Half 0 changed after the fourth peak of half 1, so it has stored its values at this peak.  Half 1 has not
	 * changed since the ninth peak of half 0, so its current values are used.
	 */
	const struct hd_heap_sampled s = {
		.c = { .node = 1,
			.epoch = 5,
			.n = 9 << 16,
			.bytes = 900,
			.freed_n = 2 << 16,
			.freed_bytes = 200,
			.peak_bytes = 777 },
		.seen = 9,
		.seen_freed = 2,
		.var_n = 50,
		.var_bytes = 4000,
		.freed_var_n = 20,
		.freed_var_bytes = 1000,
		.half = { { .bytes = 1000,
				  .n = 10 << 16,
				  .seen = 5,
				  .held_bytes = 600,
				  .held_n = 6 << 16,
				  .held_seen = 3,
				  .held_var_bytes = 800,
				  .epoch = 4 },
			{ .bytes = 400,
				.n = 4 << 16,
				.seen = 2,
				.held_bytes = 1,
				.held_n = 1,
				.held_seen = 1,
				.var_bytes = 400,
				.epoch = 8 } },
	};
	struct hd_log log = { 0 };
	struct hd_buf b = { 0 };
	struct hd_heap *h = sampled(&b, &log, &s, 3, (const uint32_t[]){ 9, 4 });

	EXPECT_INT(h->counters[0].peak.bytes, 500);
	EXPECT_INT(h->counters[0].peak.blocks, 5);
	EXPECT_INT(h->counters[0].peak.seen, 5);
	EXPECT(h->counters[0].peak.var_bytes == 300);		/* the variance of a mean of two: (800 + 400) / 4 */
	EXPECT(h->counters[0].allocated.var_bytes == 4000 && h->counters[0].leaked.var_bytes == 3000 &&
		h->counters[0].leaked.var_blocks == 30);
	EXPECT(h->has_var);
	hd_heap_free(h);
	hd_buf_release(&b);
	hd_log_release(&log);
}

TEST(a_half_without_samples_chooses_no_moment)
{
	const struct hd_heap_sampled s = {
		.c = { .node = 1, .n = 1 << 16, .bytes = 100 }, .seen = 1,
		.half = { { .bytes = 200, .n = 2 << 16, .seen = 1, .epoch = 1u << 31 } },
	};
	struct hd_log log = { 0 };
	struct hd_buf b = { 0 };
	struct hd_heap *h = sampled(&b, &log, &s, 3, (const uint32_t[]){ 1, 0 });

	EXPECT_INT(h->counters[0].peak.bytes,
		100); /* half 0 did not change after its own peak, so the peak is the mean of its 200 bytes and 0 */
	EXPECT_INT(h->counters[0].peak.blocks, 1);
	hd_heap_free(h);
	hd_buf_release(&b);
	hd_log_release(&log);
}

TEST(a_sampled_recording_of_version_2_has_its_own_peak_and_no_variance)
{
	const struct hd_heap_sampled s = {
		.c = { .node = 1, .epoch = 5, .n = 9 << 16, .bytes = 900, .peak_n = 3 << 16, .peak_bytes = 300 },
		.seen = 9,
		.seen_peak = 3
	};
	struct hd_log log = { 0 };
	struct hd_buf b = { 0 };
	struct hd_heap *h = sampled(&b, &log, &s, 2, (const uint32_t[]){ 0, 0 });

	EXPECT_INT(h->counters[0].peak.bytes, 300);
	EXPECT_INT(h->counters[0].peak.seen, 3);
	EXPECT(!h->has_var && h->counters[0].allocated.var_bytes == 0);
	hd_heap_free(h);
	hd_buf_release(&b);
	hd_log_release(&log);
}

TEST(counts_of_a_sampled_recording_are_65536ths)
{
	const struct hd_heap_node nodes[] = { { 0 }, { 0, 0, 0x1100 } };
	struct hd_heap_sampled s = { .c = { .node = 1, .n = 3 << 15, .bytes = 70000 }, .seen = 1 };
	struct hd_buf b = { 0 };
	struct hd_log log = { 0 };
	struct hd_heap *h;

	made_begin(&b, 0, 65536);
	made_nodes(&b, nodes, 2);
	made_block(&b, HD_HEAP_COUNTERS_BLOCK, 0, &s, sizeof(s));
	made_end(&b, 0, 1);
	h = made_read(&b, &log);
	EXPECT(!h->exact);
	EXPECT_INT(h->interval, 65536);
	EXPECT_INT(h->counters[0].allocated.blocks, 2);		/* 1.5, rounded */
	EXPECT_INT(h->counters[0].allocated.seen, 1);
	EXPECT_INT(h->counters[0].leaked.bytes, 70000);
	hd_heap_free(h);
	hd_buf_release(&b);
}

TEST(recordings_stand_behind_each_other)
{
	struct hd_buf b = { 0 }, other = { 0 };
	struct hd_log log = { 0 };
	struct hd_heap *h;
	struct hd_err err;
	size_t at = 0;
	int n = 0;

	usual(&b);
	usual(&other);
	hd_buf_add(&b, other.data, other.len);
	while (hd_heap_next(&h, (const uint8_t *)b.data, b.len, &at, "t.heap", &log, &err) > 0) {
		n++;
		hd_heap_free(h);
	}
	EXPECT_INT(n, 2);
	EXPECT_INT(at, b.len);
	hd_buf_release(&other);
	hd_buf_release(&b);
}

TEST(a_stack_that_calls_itself_or_nobody_is_left_out_and_told)
{
	const struct hd_heap_node nodes[] = { { 0 }, { 1, 0, 0x1100 }, { 9, 0, 0x1200 }, { 1, 0, 0x1300 },
		{ 0, 77, 0x1400 } };
	struct hd_buf b = { 0 };
	struct hd_log log = { 0 };
	struct hd_heap *h;

	made_begin(&b, HD_HEAP_EXACT, 1);
	made_nodes(&b, nodes, 5);
	for (uint32_t node = 1; node < 7; node++)
		made_counter(&b, (struct hd_heap_counter){ .node = node, .n = 1, .bytes = 1 });
	made_end(&b, 0, 1);
	h = made_read(&b, &log);
	EXPECT_INT(h->ncounters, 1);		/* if the module is missing, only its name is lost */
	EXPECT_INT(h->counters[0].node, 4);
	EXPECT_INT(h->nodes[4].module, 0);
	EXPECT(hd_log_find(&log, "lost.heap-node"));
	EXPECT_INT(hd_log_find(&log, "lost.heap-node")->count, 5);
	hd_heap_free(h);
	hd_log_release(&log);
	hd_buf_release(&b);
}

TEST(a_guess_is_told_from_a_module)
{
	const struct hd_heap_node nodes[] = { { 0 }, { 0, 1, 0x1100 }, { 1, 1 | HD_HEAP_GUESS, 0x1200 },
		{ 2, HD_HEAP_GUESS | HD_HEAP_PC, 0x9000 } };
	struct hd_buf b = { 0 };
	struct hd_log log = { 0 };
	struct hd_heap *h;

	made_begin(&b, HD_HEAP_EXACT, 1);
	made_module(&b, 1, "/bin/app", 0x1000, 0x1000);
	made_nodes(&b, nodes, 4);
	made_end(&b, 0, 1);
	h = made_read(&b, &log);
	EXPECT(!h->nodes[1].guess && h->nodes[2].guess && h->nodes[3].guess);
	EXPECT_INT(h->nodes[2].module, 1);
	EXPECT_INT(h->nodes[3].module, 0);
	EXPECT(!h->nodes[2].exact && h->nodes[3].exact);
	EXPECT_INT(log.n, 0);
	hd_heap_free(h);
	hd_buf_release(&b);
}

TEST(a_block_larger_than_the_file_ends_the_reading_and_is_told)
{
	struct hd_buf b = { 0 };
	struct hd_log log = { 0 };
	struct hd_heap_block block = { .type = HD_HEAP_COUNTERS_BLOCK, .bytes = 1 << 30 };
	struct hd_heap *h;

	usual(&b);
	hd_buf_add(&b, &block, sizeof(block));
	made_end(&b, 0, 7);
	h = made_read(&b, &log);
	EXPECT_INT(h->ncounters, 2);
	EXPECT_INT(hd_log_find(&log, "lost.heap-block")->count, 1);
	hd_heap_free(h);
	hd_log_release(&log);
	hd_buf_release(&b);
}

TEST(a_file_that_was_cut_is_read_as_far_as_it_goes)
{
	struct hd_buf b = { 0 };
	struct hd_log log = { 0 };
	struct hd_heap *h;

	usual(&b);
	b.len -= 40;
	h = made_read(&b, &log);
	EXPECT_INT(h->ncounters, 1);
	EXPECT(hd_log_find(&log, "heap.cut"));
	hd_heap_free(h);
	hd_log_release(&log);
	hd_buf_release(&b);
}

TEST(another_version_is_refused_by_name)
{
	struct hd_buf b = { 0 };
	struct hd_log log = { 0 };
	struct hd_err err;
	struct hd_heap *h;
	size_t at = 0;

	usual(&b);
	b.data[8] = 9;
	EXPECT_INT(hd_heap_next(&h, (const uint8_t *)b.data, b.len, &at, "t.heap", &log, &err), HD_EFORMAT);
	EXPECT(strstr(err.msg, "version 9"));
	hd_buf_release(&b);
}

/* A recording with a damaged byte is read or rejected; it causes no crash. */
TEST(any_byte_may_be_damaged)
{
	struct hd_buf b = { 0 }, damaged = { 0 };

	usual(&b);
	for (size_t i = 8; i < b.len; i++) {
		struct hd_log log = { 0 };
		struct hd_err err;
		struct hd_heap *h;
		size_t at = 0;

		hd_buf_reset(&damaged);
		hd_buf_add(&damaged, b.data, b.len);
		damaged.data[i] ^= 0xff;
		hd_heap_next(&h, (const uint8_t *)damaged.data, damaged.len, &at, "t.heap", &log, &err);
		hd_heap_free(h);
		hd_log_release(&log);
	}
	hd_buf_release(&b);
	hd_buf_release(&damaged);
}

TEST_MAIN(RUN(a_stack_deeper_than_the_recorder_writes_is_invalid_and_its_allocations_are_counted_as_lost),
	RUN(the_threads_of_a_stack_are_added_up),
	RUN(the_first_block_of_stacks_has_number_0_and_an_unused_entry_or_number_1),
	RUN(a_counter_that_did_not_change_after_the_peak_holds_it_still),
	RUN(each_half_is_read_at_the_peak_of_the_other_one), RUN(a_half_without_samples_chooses_no_moment),
	RUN(a_sampled_recording_of_version_2_has_its_own_peak_and_no_variance),
	RUN(counts_of_a_sampled_recording_are_65536ths), RUN(recordings_stand_behind_each_other),
	RUN(a_stack_that_calls_itself_or_nobody_is_left_out_and_told), RUN(a_guess_is_told_from_a_module),
	RUN(a_block_larger_than_the_file_ends_the_reading_and_is_told),
	RUN(a_file_that_was_cut_is_read_as_far_as_it_goes), RUN(another_version_is_refused_by_name),
	RUN(any_byte_may_be_damaged))
