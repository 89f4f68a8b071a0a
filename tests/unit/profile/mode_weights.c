/*
 * mode_weights.c - parse the weights of profile modes
 */
#include "test.h"

#include "profile/mode_weights.h"

#include <math.h>

static struct hd_mode_weights w;

static int parse(const char *text, struct hd_err *err)
{
	return hd_mode_weights_parse(&w, text, "weights", err);
}

static double of(const char *mode)
{
	size_t i = hd_mode_weights_find(&w, mode);

	return i < w.n ? w.of[i].weight : NAN;
}

TEST(only_the_ratios_of_weights_matter)
{
	struct hd_err err = { 0 };

	EXPECT_INT(parse("cpu=3,memory=1, syscall = 1", &err), 0);
	EXPECT(w.n == 3 && fabs(of("cpu") - 0.6) < 1e-12 && fabs(of("syscall") - 0.2) < 1e-12);
	EXPECT_INT(parse("cpu=1e308\nmemory=1e308", &err), 0);
	EXPECT(of("cpu") == 0.5 && of("memory") == 0.5);
	EXPECT_INT(parse(HD_MODE_WEIGHTS_DEFAULT, &err), 0);
	EXPECT(fabs(of("cpu") - 0.6) < 1e-12 && fabs(of("memory") - 0.2) < 1e-12);
}

TEST(a_mode_of_weight_zero_does_not_count)
{
	struct hd_err err = { 0 };

	EXPECT_INT(parse("cpu=0,async=2", &err), 0);
	EXPECT(w.n == 1 && of("async") == 1 && isnan(of("cpu")));
}

TEST(an_invalid_weight_is_rejected)
{
	static const char *const bad[][2] = {
		{ "", "weights: no mode has a weight above 0" },
		{ "cpu=0", "weights: no mode has a weight above 0" },
		{ "cpu", "weights: weights are MODE=NUMBER, not 'cpu'" },
		{ "cpu=1,cpu=2", "weights: cpu has two weights" },
		{ "cpu=-1", "weights: the weight of cpu is not a number of 0 or more" },
		{ "cpu=", "weights: the weight of cpu is not a number of 0 or more" },
		{ "cpu = ", "weights: the weight of cpu is not a number of 0 or more" },
		{ "cpu=nan", "weights: the weight of cpu is not a number of 0 or more" },
		{ "cpu=1e999", "weights: the weight of cpu is not a number of 0 or more" },
		{ "cpu=0x10", "weights: the weight of cpu is not a number of 0 or more" },
		{ "cpu=1 2", "weights: the weight of cpu is not a number of 0 or more" },
		{ "all=1", "weights: 'all' is no mode with hotspots; weights of cpu, memory, faults, async, syscall "
			"and gpu are possible" },
		{ "power=1", "weights: 'power' is no mode with hotspots; weights of cpu, memory, faults, async, "
			"syscall and gpu are possible" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct hd_err err = { 0 };

		EXPECT_INT(parse(bad[i][0], &err), HD_EUSAGE);
		EXPECT_STR(err.msg, bad[i][1]);
	}
}

TEST_MAIN(
	RUN(only_the_ratios_of_weights_matter),
	RUN(a_mode_of_weight_zero_does_not_count),
	RUN(an_invalid_weight_is_rejected),
)
