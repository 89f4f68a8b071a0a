/*
 * stack_quality.c - rate the stacks of a profile as good, fair or poor, by the share that reaches the root and by
 * frames without a symbol
 */
#include "test.h"

#include "profile/stack_quality.h"
#include "base/mem.h"

static struct hd_recording recording(uint64_t root, uint64_t unknown)
{
	return (struct hd_recording){ .nrecords = 1,
		.with_stack = 1000,
		.root_reached = root,
		.frames = 10000,
		.unknown_frames = unknown };
}

TEST(the_grade_falls_with_stacks_that_end_early_and_with_frames_without_a_name)
{
	static const struct { uint64_t root, unknown; enum hd_stack_grade want; } cases[] = {
		{ 1000, 0, HD_STACK_GRADE_GOOD }, { 950, 500, HD_STACK_GRADE_GOOD },
		{ 949, 500, HD_STACK_GRADE_FAIR }, { 950, 501, HD_STACK_GRADE_FAIR },
		{ 800, 2000, HD_STACK_GRADE_FAIR },
		{ 799, 2000, HD_STACK_GRADE_POOR }, { 1000, 2001, HD_STACK_GRADE_POOR },
		{ 0, 10000, HD_STACK_GRADE_POOR },
	};

	for (size_t i = 0; i < HD_COUNT(cases); i++) {
		struct hd_recording r = recording(cases[i].root, cases[i].unknown);

		EXPECT_INT(hd_stack_quality_of(&r).grade, cases[i].want);
	}
}

TEST(a_stitched_root_counts_and_a_guessed_one_does_not)
{
	struct hd_recording r = recording(600, 0);

	r.stitched_root = 380;
	r.guessed_root = 20;
	EXPECT(hd_stack_quality_of(&r).root_pct == 98.0);
	EXPECT(hd_stack_quality_of(&r).stitched_pct == 38.0);
	EXPECT_INT(hd_stack_quality_of(&r).grade, HD_STACK_GRADE_GOOD);
	r.stitched_root = 0;
	r.guessed_root = 400;
	EXPECT(hd_stack_quality_of(&r).root_pct == 60.0);
	EXPECT_INT(hd_stack_quality_of(&r).grade, HD_STACK_GRADE_POOR);
}

TEST(a_recording_without_stacks_is_poor_and_counts_as_0)
{
	struct hd_recording r = recording(0, 0);

	r.with_stack = 0;
	EXPECT_INT(hd_stack_quality_of(&r).grade, HD_STACK_GRADE_POOR);
	EXPECT(hd_stack_quality_of(&r).root_pct == 0.0);
}

TEST(folded_text_has_no_grade)
{
	struct hd_recording r = { .format = "folded" };

	EXPECT_INT(hd_stack_quality_of(&r).grade, HD_STACK_GRADE_NONE);
	EXPECT(hd_stack_grade_word(HD_STACK_GRADE_NONE) == NULL);
	EXPECT_STR(hd_stack_grade_word(HD_STACK_GRADE_GOOD), "good");
	EXPECT_STR(hd_stack_grade_word(HD_STACK_GRADE_FAIR), "fair");
	EXPECT_STR(hd_stack_grade_word(HD_STACK_GRADE_POOR), "poor");
}

TEST_MAIN(RUN(the_grade_falls_with_stacks_that_end_early_and_with_frames_without_a_name),
	  RUN(a_stitched_root_counts_and_a_guessed_one_does_not),
	  RUN(a_recording_without_stacks_is_poor_and_counts_as_0),
	  RUN(folded_text_has_no_grade))
