/* input.c - tests of options that all commands with an input share: --inline, --min-quality */
#include "test.h"

#include "base/mem.h"
#include "cli/input.h"

static struct hd_profile *profile(uint64_t with_stack, uint64_t root, uint64_t stitched)
{
	struct hd_profile *p = hd_profile_new();

	p->recording.nrecords = 1;
	p->recording.records = hd_new(struct hd_record_tally);
	p->recording.with_stack = with_stack;
	p->recording.root_reached = root;
	p->recording.stitched_root = stitched;
	return p;
}

static int asked(struct hd_profile *p, const char *pct, struct hd_err *err)
{
	struct hd_input in = { .min_quality = pct };
	int rc = hd_input_check(&in, "top", err);

	if (rc >= 0)
		rc = hd_input_need_quality(p, "t.data", &in, err);
	hd_profile_free(p);
	return rc;
}

TEST(an_unsaid_inline_is_as_the_command_does_it)
{
	struct hd_input in = { 0 };

	EXPECT(hd_input_inlined(&in, true) && !hd_input_inlined(&in, false));
	in.inlined = 1;
	EXPECT(hd_input_inlined(&in, true) && hd_input_inlined(&in, false));
	in.inlined = -1;
	EXPECT(!hd_input_inlined(&in, true) && !hd_input_inlined(&in, false));
}

TEST(min_quality_is_reached_at_its_number)
{
	struct hd_err err;

	EXPECT_INT(asked(profile(200, 150, 40), "95", &err), 0);
	EXPECT_INT(asked(profile(200, 150, 40), "95.0", &err), 0);
	EXPECT_INT(asked(profile(200, 150, 40), "95.1", &err), HD_ENO);
	EXPECT_STR(err.msg,
		"t.data: 95.00 % of 200 stacks reach their root, but --min-quality requires 95.1 %; 'hotdrift info "
			"t.data' explains why");
	EXPECT_INT(asked(profile(3, 3, 0), "100", &err), 0);
	EXPECT_INT(asked(profile(200, 0, 0), NULL, &err), 0);
	EXPECT_INT(asked(profile(200, 0, 0), "0", &err), 0);
}

TEST(no_stacks_count_as_0)
{
	struct hd_profile *folded = hd_profile_new();
	struct hd_err err;

	EXPECT_INT(asked(profile(0, 0, 0), "1", &err), HD_ENO);
	EXPECT_STR(err.msg,
		"t.data: no sample has a user call chain or a stack copy, which counts as 0 %; "
			"--min-quality requires 1 "
		"%");
	EXPECT_INT(asked(folded, "1", &err), HD_ENO);
	EXPECT_STR(err.msg,
		"t.data: folded stacks do not show whether they reach their root, which counts as 0 %; --min-quality "
		"requires 1 %");
}

TEST(a_percentage_is_a_number_from_0_to_100)
{
	static const char *const bad[] = { "", "x", "-1", "100.1", "5%", "nan", "inf", "1e999" };
	struct hd_err err;

	for (size_t i = 0; i < HD_COUNT(bad); i++)
		EXPECT_INT(asked(profile(1, 1, 0), bad[i], &err), HD_EUSAGE);
	EXPECT_STR(err.msg, "top: --min-quality takes a percentage from 0 to 100, not '1e999'");
}

TEST_MAIN(RUN(an_unsaid_inline_is_as_the_command_does_it),
	  RUN(min_quality_is_reached_at_its_number),
	  RUN(no_stacks_count_as_0),
	  RUN(a_percentage_is_a_number_from_0_to_100))
