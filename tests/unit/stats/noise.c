/*
 * noise.c - estimate the noise of one symbol from all symbols, to test each statement of stats/noise.h and
 * stats/run_sizes.h
 */
#include "test.h"

#include "stats/variance_model.h"
#include "stats/noise.h"
#include "stats/run_sizes.h"
#include "stats/random.h"

#include <math.h>
#include <string.h>

enum { SYMBOLS = 60, DF = 8, RUNS = 10 };

static double normal(struct hd_random *r)
{
	return sqrt(-2 * log(hd_random_unit(r))) * cos(2 * M_PI * hd_random_unit(r));
}

/*
 * Draw the sample variances s2 of symbols whose counting variance is `counting` (stored in v) and whose own noise is
 * cv exp(spread z), with normal z.
 */
static void draw(double *v, double *s2, double counting, double cv, double spread, uint64_t seed)
{
	struct hd_random r = hd_random_from(seed);

	for (size_t i = 0; i < SYMBOLS; i++) {
		double c = cv * exp(spread * normal(&r));

		v[i] = counting;
		s2[i] = 0;
		for (size_t k = 0; k < DF; k++)
			s2[i] += pow(normal(&r), 2) * (counting + c * c) / DF;
	}
}

static double v[SYMBOLS], s2[SYMBOLS];

TEST(noise_is_found_among_symbols)
{
	struct hd_noise n;

	draw(v, s2, 1e-5, 0.02, 0.5, 1);
	EXPECT_INT(hd_noise_fit(&n, v, s2, SYMBOLS, DF), 0);
	EXPECT(n.cv > 0.016 && n.cv < 0.025 && n.spread > 0.3 && n.spread < 0.75);
	draw(v, s2, 1e-5, 0.10, 0.2, 2);
	EXPECT_INT(hd_noise_fit(&n, v, s2, SYMBOLS, DF), 0);
	EXPECT(n.cv > 0.085 && n.cv < 0.115 && n.spread < 0.4);
}

TEST(no_symbol_is_quieter_than_its_counting)
{
	struct hd_noise n;

	draw(v, s2, 4e-4, 0.001, 0.1, 3);
	EXPECT_INT(hd_noise_fit(&n, v, s2, SYMBOLS, DF), 0);
	EXPECT(hd_noise_of(&n, 4e-4, 4e-4, 0, DF, 1).var >= 4e-4);
	/* If counting explains all noise, the variance is known, even if the variance of a few runs is larger. */
	EXPECT(hd_noise_of(&n, 1e-2, 1e-2, 2e-2, DF, 1).df > 1000 &&
		hd_noise_of(&n, 1e-2, 1e-2, 2e-2, DF, 1).var < 1.05e-2);
}

TEST(a_noisy_symbol_stays_noisy_and_has_few_degrees_of_freedom)
{
	struct hd_noise_variance quiet, noisy;
	struct hd_noise n;

	draw(v, s2, 1e-5, 0.02, 0.5, 4);
	EXPECT_INT(hd_noise_fit(&n, v, s2, SYMBOLS, DF), 0);
	quiet = hd_noise_of(&n, 1e-5, 1e-5, 4e-4, DF, 3 * 0.02);
	noisy = hd_noise_of(&n, 1e-5, 1e-5, 1e-2, DF, 3 * 0.02);
	EXPECT(sqrt(quiet.var) > 0.017 && sqrt(quiet.var) < 0.022 && sqrt(noisy.var) > 0.06);
	EXPECT(noisy.df > DF / 2 && noisy.df < 20 && hd_noise_of(&n, 1e-2, 1e-2, 1e-2, DF, 0).df > 10 * noisy.df);
	EXPECT(noisy.tail > 10 * quiet.tail && quiet.tail > 0.00135);
}

TEST(few_symbols_give_a_vague_answer)
{
	struct hd_noise one, many;
	double v1 = 1e-5, s1 = 4e-4;

	draw(v, s2, 1e-5, 0.02, 0.15, 5);
	EXPECT_INT(hd_noise_fit(&many, v, s2, SYMBOLS, DF), 0);
	EXPECT_INT(hd_noise_fit(&one, &v1, &s1, 1, DF), 0);
	EXPECT(hd_noise_of(&one, v1, v1, s1, DF, 0).df < hd_noise_of(&many, v1, v1, s1, DF, 0).df);
	EXPECT_INT(hd_noise_fit(&one, NULL, NULL, 0, DF), 0);
	EXPECT(hd_noise_of(&one, v1, v1, s1, DF, 0).df >= DF - 1);
}

/* ---- sizes ---- */

static double y[SYMBOLS * RUNS];

static void fill(uint64_t seed)
{
	struct hd_random r = hd_random_from(seed);

	for (size_t k = 0; k < RUNS; k++)
		for (size_t i = 0; i < SYMBOLS; i++) {
			double mean = 10000 / (double)(i + 1) * (1 + 0.1 * (double)k);

			y[i * RUNS + k] = round(mean + sqrt(mean) * normal(&r));
		}
}

TEST(a_size_is_where_symbols_agree_and_not_what_one_did)
{
	struct hd_run_counts in = { SYMBOLS, 5, 5, y, NULL, NULL };
	struct hd_variance_model a, b;

	fill(6);
	EXPECT_INT(hd_variance_model_fit(&a, &in), 0);
	for (size_t k = 1; k < RUNS; k++)
		EXPECT(fabs(a.size[k] - a.size[0] - log(1 + 0.1 * (double)k)) < 0.03);
	/*
	 * The hottest symbol doubles in the head, and another symbol has an outlier in one run.  The estimated sizes
	 * of runs must change by less than 0.6 %.
	 */
	for (size_t k = 5; k < RUNS; k++)
		y[k] *= 2;
	y[1 * RUNS + 2] *= 1.6;
	EXPECT_INT(hd_variance_model_fit(&b, &in), 0);
	for (size_t k = 0; k < RUNS; k++)
		EXPECT(fabs(b.size[k] - a.size[k]) < 0.006);
	hd_variance_model_release(&a);
	hd_variance_model_release(&b);
}

TEST(new_and_vanished_symbols_do_not_affect_the_sizes_and_known_work_determines_them)
{
	double work[RUNS] = { 1, 1, 1, 1, 1, 2, 2, 2, 2, 2 };
	struct hd_run_counts in = { SYMBOLS, 5, 5, y, NULL, NULL };
	struct hd_variance_model m;

	/* a symbol that only some runs of a side have does not distort the sizes of the others */
	fill(7);
	for (size_t k = 0; k < 9; k++)
		y[3 * RUNS + k] = k ? 0 : 1e6;
	EXPECT_INT(hd_variance_model_fit(&m, &in), 0);
	EXPECT(fabs(m.size[9] - m.size[0] - log(1.9)) < 0.03);
	hd_variance_model_release(&m);
	fill(7);
	in.work = work;
	EXPECT_INT(hd_variance_model_fit(&m, &in), 0);
	EXPECT(m.size[0] == 0 && m.size[9] == log(2) && m.information == 0);
	hd_variance_model_release(&m);
}

TEST_MAIN(
	RUN(noise_is_found_among_symbols),
	RUN(no_symbol_is_quieter_than_its_counting),
	RUN(a_noisy_symbol_stays_noisy_and_has_few_degrees_of_freedom),
	RUN(few_symbols_give_a_vague_answer),
	RUN(a_size_is_where_symbols_agree_and_not_what_one_did),
	RUN(new_and_vanished_symbols_do_not_affect_the_sizes_and_known_work_determines_them),
)
