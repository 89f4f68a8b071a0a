/* budget.c - memory and time are proportional to the size of a recording; what exceeds them is dropped and counted */
#include "recording.h"

static uint64_t dropped(const struct hd_profile *p)
{
	return hd_profile_dropped(p, "lost.budget");
}

/* Return a recording with samples of code without names.  Each has another outermost caller, so all stacks differ. */
static struct image distinct_stacks(uint64_t samples, uint64_t depth)
{
	struct image im = side_band();
	uint64_t *chain = hd_new_array(uint64_t, depth);

	map(&im, 10, USER, 0x100000000, 0x100000000, 0, "/no/such/app");
	for (uint64_t i = 0; i < samples; i++) {
		for (uint64_t k = 0; k < depth; k++)
			chain[k] = 0x100000000 + 16 * k;
		chain[depth - 1] += 0x1000000 + 16 * i;
		sample(&im, (struct taken){ 1, USER, chain[0], 10, 10, SECOND, 0, 1, .chain = chain, .n = depth });
	}
	free(chain);
	return im;
}

TEST(samples_beyond_the_budget_are_dropped_with_a_warning_and_the_ones_before_it_stay)
{
	struct image im = distinct_stacks(2000, 400);
	struct place at = place_of(&im);
	struct hd_profile *p = ingest(&at, (struct hd_pipeline_opts){ .budget_bytes = 8 << 20 });

	EXPECT_INT(p->read, 2000);
	EXPECT_INT(p->kept + dropped(p), 2000);
	EXPECT(p->kept > 100);
	EXPECT(dropped(p) > 100);
	EXPECT_INT(p->events[0].weight, p->kept);
	EXPECT(hd_profile_bytes(p) < 9 << 20);
	EXPECT(hd_log_find(&p->log, "lost.budget") != NULL);
	EXPECT_INT(hd_log_find(&p->log, "lost.budget")->count, dropped(p));
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&im.b);
}

TEST(a_small_recording_with_a_hundred_thousand_stack_nodes_loses_nothing)
{
	struct image im = distinct_stacks(1000, 100);
	struct place at = place_of(&im);
	struct hd_profile *p = ingest(&at, (struct hd_pipeline_opts){ 0 });

	EXPECT_INT(p->kept, 1000);
	EXPECT(hd_stacks_count(p->stacks) > 99000);
	EXPECT(!hd_log_find(&p->log, "lost.budget"));
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&im.b);
}

TEST(one_deep_stack_under_many_thread_names_keeps_every_sample_and_the_functions_they_were_taken_in)
{
	enum { THREADS = 400, DEPTH = 100 };
	struct image im = side_band();
	uint64_t chain[DEPTH];

	map(&im, 10, USER, 0x100000000, 0x100000000, 0, "/no/such/app");
	for (uint64_t k = 0; k < DEPTH; k++)
		chain[k] = 0x100000000 + 16 * k;
	for (int32_t i = 0; i < THREADS; i++) {
		char name[16];

		snprintf(name, sizeof(name), "t%d", i);
		comm(&im, 10, 1000 + i, name, SECOND + 2 * (uint64_t)i);
		sample(&im,
			(struct taken){ 1, USER, chain[0], 10, 1000 + i, SECOND + 2 * (uint64_t)i + 1, 0, 1,
				.chain = chain, .n = DEPTH });
	}
	{
		struct place at = place_of(&im);
		struct hd_profile *p = ingest(&at,
			(struct hd_pipeline_opts){ .keys = HD_KEY_COMM, .budget_bytes = 1 << 20 });
		size_t deep = 0;

		EXPECT_INT(p->kept, THREADS);
		for (size_t i = 0; i < p->rows.n; i++) {
			EXPECT_INT(p->rows.items[i].self.v, p->rows.items[0].self.v);
			deep += hd_stacks_depth(p->stacks, p->rows.items[i].stack) == DEPTH;
		}
		EXPECT_INT(deep, (1 << 20) / HD_STACK_BYTES / DEPTH);
		EXPECT(hd_log_find(&p->log, "lost.callers") != NULL);
		EXPECT_INT(hd_log_find(&p->log, "lost.callers")->count, THREADS - deep);
		hd_profile_free(p);
		place_release(&at);
	}
	hd_buf_release(&im.b);
}

TEST(mappings_beyond_the_budget_are_dropped_with_a_warning_and_samples_stay)
{
	struct image im = side_band();
	uint64_t chain[] = { 0x1010 };

	for (uint64_t i = 0; i < 20000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "/x/%llu", (unsigned long long)i);
		map(&im, 20, USER, 0x10000 + 4096 * i, 4096, 0, name);
	}
	sample(&im, (struct taken){ 1, USER, 0x1010, 10, 10, SECOND, 0, 1, .chain = chain, .n = 1 });
	{
		struct place at = place_of(&im);
		struct hd_profile *p = ingest(&at, (struct hd_pipeline_opts){ .budget_bytes = 4 << 20 });

		EXPECT_INT(p->kept, 1);
		EXPECT(hd_log_find(&p->log, "lost.side-band") != NULL);
		EXPECT(hd_profile_bytes(p) < 4 << 20);
		hd_profile_free(p);
		place_release(&at);
	}
	hd_buf_release(&im.b);
}

TEST_MAIN(RUN(samples_beyond_the_budget_are_dropped_with_a_warning_and_the_ones_before_it_stay),
	  RUN(a_small_recording_with_a_hundred_thousand_stack_nodes_loses_nothing),
	  RUN(one_deep_stack_under_many_thread_names_keeps_every_sample_and_the_functions_they_were_taken_in),
	  RUN(mappings_beyond_the_budget_are_dropped_with_a_warning_and_samples_stay))
