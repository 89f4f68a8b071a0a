/*
 * special_functions.c - compare distribution functions with published tables and closed forms
 */
#include "test.h"

#include "stats/special_functions.h"

#include <stdbool.h>
#include <math.h>

static bool close_to(double got, double want, double relative)
{
	if (fabs(got - want) <= relative * fabs(want))
		return true;
	print_message("got %.17g, want %.17g\n", got, want);
	return false;
}

TEST(the_normal_distribution_is_that_of_the_tables)
{
	/* Abramowitz and Stegun, table 26.1 and 26.2 */
	EXPECT(hd_normal_upper(0) == 0.5);
	EXPECT(close_to(hd_normal_upper(1.96), 0.024997895148220435, 1e-14));
	EXPECT(close_to(hd_normal_upper(5), 2.866515718791939e-7, 1e-13));
	EXPECT(close_to(hd_normal_upper(-1), 0.8413447460685429, 1e-14));
	EXPECT(close_to(hd_normal_quantile(0.975), 1.959963984540054, 1e-14));
	EXPECT(close_to(hd_normal_quantile(0.0013498980316300933), -3, 1e-12));
	EXPECT(hd_normal_quantile(0.5) == 0);
	EXPECT(isnan(hd_normal_quantile(1.5)) && isinf(hd_normal_quantile(1)));
}

TEST(students_t_is_that_of_the_tables)
{
	/* With 1 degree of freedom, t is the Cauchy distribution; with 2 it has a closed form. */
	EXPECT(close_to(hd_t_upper(1, 1), 0.25, 1e-14));
	EXPECT(close_to(hd_t_upper(2, 1), 0.5 - atan(2) / M_PI, 1e-13));
	EXPECT(close_to(hd_t_upper(3, 2), 0.5 - 3 / (2 * sqrt(2 + 9)), 1e-13));
	EXPECT(close_to(hd_t_upper(-3, 2), 0.5 + 3 / (2 * sqrt(2 + 9)), 1e-13));
	/* the printed tables: t(0.975; 4), t(0.995; 10), t(0.95; 29), t(0.999; 5) */
	EXPECT(close_to(hd_t_quantile(0.975, 4), 2.7764451051977987, 1e-12));
	EXPECT(close_to(hd_t_quantile(0.995, 10), 3.1692726726169509, 1e-12));
	EXPECT(close_to(hd_t_quantile(0.95, 29), 1.6991270265334972, 1e-12));
	EXPECT(close_to(hd_t_quantile(0.999, 5), 5.893429531356011, 1e-12));
	EXPECT(close_to(hd_t_quantile(0.025, 4), -2.7764451051977987, 1e-12));
	EXPECT(close_to(hd_t_quantile(0.975, INFINITY), 1.959963984540054, 1e-13));
	EXPECT(close_to(hd_t_upper(1.5, 1e7), hd_normal_upper(1.5), 1e-6));
	EXPECT(isnan(hd_t_upper(1, 0)) && isnan(hd_t_quantile(0.5, -1)));
}

TEST(the_incomplete_beta_function_is_its_closed_forms)
{
	EXPECT(close_to(hd_beta_inc(1, 1, 0.3), 0.3, 1e-15));
	EXPECT(close_to(hd_beta_inc(2, 3, 0.4), 0.5248, 1e-14));
	EXPECT(close_to(hd_beta_inc(0.5, 0.5, 0.25), 1.0 / 3, 1e-13));
	EXPECT(hd_beta_inc(3, 4, 0) == 0 && hd_beta_inc(3, 4, 1) == 1);
	EXPECT(isnan(hd_beta_inc(0, 1, 0.5)) && isnan(hd_beta_inc(1, 1, 2)));
	for (double a = 0.7; a < 1e6; a *= 3.1)		/* I_x(a, b) + I_{1-x}(b, a) = 1 */
		EXPECT(fabs(hd_beta_inc(a, 2 * a, 0.33) + hd_beta_inc(2 * a, a, 0.67) - 1) < 1e-10);
	EXPECT(close_to(hd_beta_inc(5e5, 5e5, 0.5), 0.5, 1e-9));
}

TEST(binomial_tails_are_sums_of_their_terms)
{
	double sum = 0, term = pow(0.7, 12);

	for (size_t k = 0; k <= 12; k++) {
		EXPECT(fabs(hd_binomial_upper(k, 12, 0.3) - (1 - sum)) < 1e-14);
		sum += term;
		term *= (double)(12 - k) / (double)(k + 1) * 0.3 / 0.7;
	}
	EXPECT(hd_binomial_upper(13, 12, 0.3) == 0 && hd_binomial_upper(12, 12, 1) == 1 &&
		hd_binomial_upper(1, 12, 0) == 0);
}

/* DLMF 5.4.12, 5.4.13: psi(1) is minus Euler's constant, psi'(1) is pi^2 / 6. */
TEST(digamma_and_trigamma_have_their_constants)
{
	EXPECT(close_to(hd_digamma(1), -0.57721566490153286, 1e-14) &&
		close_to(hd_digamma(0.5), -1.9635100260214235, 1e-14));
	EXPECT(close_to(hd_trigamma(1), M_PI * M_PI / 6, 1e-13) && close_to(hd_trigamma(0.5), M_PI * M_PI / 2, 1e-13));
	for (double x = 0.01; x < 1e6; x *= 7)
		EXPECT(close_to(hd_trigamma_inverse(hd_trigamma(x)), x, 1e-10));
	EXPECT(isnan(hd_digamma(0)) && isnan(hd_trigamma(-1)) && isnan(hd_trigamma_inverse(0)));
}

/* The approximation is compared with the exact quantile, at the levels of intervals and of bounds. */
TEST(the_quick_t_quantile_is_close_enough_for_an_interval)
{
	for (double df = 1; df < 2e4; df *= 1.3) {
		EXPECT(fabs(hd_t_of_normal(1.9599639845400545, df) - hd_t_quantile(0.975, df)) < 0.0015);
		EXPECT(fabs(hd_t_of_normal(1.6448536269514722, df) - hd_t_quantile(0.95, df)) < 0.0015);
	}
	EXPECT(close_to(hd_t_of_normal(1.9599639845400545, INFINITY), 1.9599639845400545, 1e-15));
}

TEST_MAIN(
	RUN(the_normal_distribution_is_that_of_the_tables),
	RUN(students_t_is_that_of_the_tables),
	RUN(the_incomplete_beta_function_is_its_closed_forms),
	RUN(binomial_tails_are_sums_of_their_terms),
	RUN(digamma_and_trigamma_have_their_constants),
	RUN(the_quick_t_quantile_is_close_enough_for_an_interval),
)
