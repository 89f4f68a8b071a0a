/* lbr.c - make call chains from the last branches that the processor recorded */
#include "recording.h"

enum { LBR_FIELDS = FIELDS | PERF_SAMPLE_BRANCH_STACK, ID = 1 };

static struct image calls(bool call_stack)
{
	struct image im = pipe_image(false);

	attr_record(&im,
		(struct attr){ .type = PERF_TYPE_HARDWARE,
			.config = PERF_COUNT_HW_CPU_CYCLES,
			.sample_type = LBR_FIELDS,
			.flags = ID_ALL,
			.branch_type = PERF_SAMPLE_BRANCH_USER |
				(call_stack ? PERF_SAMPLE_BRANCH_CALL_STACK : PERF_SAMPLE_BRANCH_ANY) },
		ID);
	map(&im, -1, KERNEL, 0xffffffff81000000u, 0x1000000, 0xffffffff81000000u, "[kernel.kallsyms]_text");
	comm(&im, 10, 10, "app", 0);
	map(&im, 10, USER, 0x1000, 0x2000, 0, "//anon");
	return im;
}

struct branch { uint64_t from, to; };

#define CALLS(...) (const struct branch[]){ __VA_ARGS__ }, \
	sizeof((const struct branch[]){ __VA_ARGS__ }) / sizeof(struct branch)

static void called(struct image *im, struct taken s, const struct branch *b, size_t n)
{
	size_t r = rec(im, PERF_RECORD_SAMPLE, s.mode);

	u64(im, ID);
	u64(im, s.ip);
	u32(im, 10);
	u32(im, 10);
	u64(im, SECOND);
	u64(im, 0);
	u64(im, 1);
	u64(im, s.n);
	for (size_t i = 0; i < s.n; i++)
		u64(im, s.chain[i]);
	u64(im, n);
	for (size_t i = 0; i < n; i++) {
		u64(im, b[i].from);
		u64(im, b[i].to);
		u64(im, 0);
	}
	end(im, r);
}

static void expect(struct image *im, const char *want)
{
	expect_folded(im, (struct hd_pipeline_opts){ 0 }, 0, want);
	hd_buf_release(&im->b);
}

/*
 * 0x10ff is the last byte of main, and 0x11ff that of work.  A call instruction that ends there belongs to that
 * function, although the return address is in the next function.
 */
TEST(the_stack_is_the_sampled_address_and_the_calls_that_have_not_returned)
{
	struct image im = calls(true);

	called(&im, (struct taken){ .mode = USER, .ip = 0x1210, CHAIN(HD_CONTEXT_USER, 0x1210, 0x10) },
		CALLS({ 0x11ff, 0x1200 }, { 0x10ff, 0x1100 }));
	expect(&im, "app;main;work;leaf 1\n");
}

TEST(the_kernels_part_is_taken_from_the_chain_and_the_users_part_of_the_chain_is_not)
{
	struct image im = calls(true);

	called(&im,
		(struct taken){ .mode = KERNEL,
			.ip = KERNEL_IP,
			CHAIN(HD_CONTEXT_KERNEL, KERNEL_IP, HD_CONTEXT_USER, 0x1110, 0x1290, 0x1290) },
		CALLS({ 0x1010, 0x1100 }));
	expect(&im, "app;main;work;[unknown]_[k] 1\n");
}

TEST(without_a_user_part_the_last_called_function_is_the_innermost_user_frame_of_a_kernel_sample)
{
	struct image im = calls(true);

	called(&im, (struct taken){ .mode = KERNEL, .ip = KERNEL_IP, NO_CHAIN },
		CALLS({ 0x1110, 0x1200 }, { 0x1010, 0x1100 }));
	called(&im, (struct taken){ .mode = USER, .ip = 0x1110, NO_CHAIN }, CALLS({ 0x1010, 0x1100 }));
	expect(&im, "app;main;work 1\napp;main;work;leaf;[unknown]_[k] 1\n");
}

TEST(a_sample_without_branches_has_its_recorded_chain)
{
	struct image im = calls(true);

	called(&im, (struct taken){ .mode = USER, .ip = 0x1110, CHAIN(HD_CONTEXT_USER, 0x1110, 0x1010) }, NULL, 0);
	expect(&im, "app;main;work 1\n");
}

TEST(branches_of_any_kind_are_no_stack)
{
	struct image im = calls(false);

	called(&im, (struct taken){ .mode = USER, .ip = 0x1110, CHAIN(HD_CONTEXT_USER, 0x1110, 0x1010) },
		CALLS({ 0x1290, 0x1210 }));
	expect(&im, "app;main;work 1\n");
}

TEST(a_call_from_nowhere_ends_the_stack)
{
	struct image im = calls(true);

	called(&im, (struct taken){ .mode = USER, .ip = 0x1210, NO_CHAIN },
		CALLS({ 0x1110, 0x1200 }, { 0, 0x1100 }, { 0x1010, 0x1100 }));
	called(&im, (struct taken){ .mode = USER, .ip = 0x1210, NO_CHAIN },
		CALLS({ 0x1110, 0x1200 }, { UINT64_MAX, 0x1100 }, { 0x1010, 0x1100 }));
	expect(&im, "app;work;leaf 2\n");
}

TEST(such_stacks_are_counted_as_stacks_and_may_reach_their_root)
{
	struct image im = calls(true);
	struct hd_profile *p;
	struct place at;

	called(&im, (struct taken){ .mode = USER, .ip = 0x1110, NO_CHAIN }, CALLS({ 0x1010, 0x1100 }));
	called(&im, (struct taken){ .mode = USER, .ip = 0x1210, NO_CHAIN }, CALLS({ 0x1110, 0x1200 }));
	at = place_of(&im);
	p = ingest(&at, (struct hd_pipeline_opts){ 0 });
	EXPECT_INT(p->recording.with_stack, 2);
	EXPECT_INT(p->recording.root_reached, 1);
	hd_profile_free(p);
	place_release(&at);
	hd_buf_release(&im.b);
}

TEST_MAIN(RUN(the_stack_is_the_sampled_address_and_the_calls_that_have_not_returned),
	  RUN(the_kernels_part_is_taken_from_the_chain_and_the_users_part_of_the_chain_is_not),
	  RUN(without_a_user_part_the_last_called_function_is_the_innermost_user_frame_of_a_kernel_sample),
	  RUN(a_sample_without_branches_has_its_recorded_chain),
	  RUN(branches_of_any_kind_are_no_stack),
	  RUN(a_call_from_nowhere_ends_the_stack),
	  RUN(such_stacks_are_counted_as_stacks_and_may_reach_their_root))
