/*
 * shares.h - test whether the share of a symbol differs between two profiles
 *
 * On each side (profile), `hits` of n samples are in the symbol.  These tests are for two single runs, whose only error
 * is that of counting:
 *
 *     z     pooled two-proportion z, the root of Pearson's X2  Agresti, Categorical Data Analysis, 3.2
 *     G     likelihood ratio, chi-squared with one degree of freedom                the same, 3.2
 *     p     conditional: given hits_a + hits_b, hits_b is binomial with             Przyborowski and Wilenski 1940
 *           probability n_b / (n_a + n_b); exact, for few hits (HD_SHARES_FEW)
 *
 * Runs vary by more than counting error.  hd_shares_quasi() takes several runs per side and widens the error by their
 * dispersion: phi = Pearson X2 / df over runs, at least 1 (McCullagh and Nelder 1989, 4.5.2); t with R_a + R_b - 2
 * degrees of freedom.
 */
#ifndef HD_STATS_SHARES_H
#define HD_STATS_SHARES_H

#include <stddef.h>
#include <stdint.h>

enum { HD_SHARES_FEW = 10 };	/* with fewer hits on either side, use the conditional test */

struct hd_shares {
	double share_a, share_b;
	double log_ratio;	/* ln(share_b / share_a) */
	double se_log_ratio;	/* binomial standard error of log_ratio */
	double z, p_z, g, p_g, x2, p_x2;
	double p_greater;	/* p-value of the conditional test, one-sided: b is larger */
	double p_two;		/* twice the smaller tail, at most 1 */
};

struct hd_shares hd_shares_compare(uint64_t hits_a, uint64_t n_a, uint64_t hits_b, uint64_t n_b);

struct hd_shares_quasi {
	double phi, df;		/* phi may be below 1 here; the error uses at least 1 */
	double log_ratio, se, t, p;
};

/*
 * Compare the shares of two sides with runs_a and runs_b runs.  hits, n: the hits and the total samples of each run.
 * Needs three runs in total.
 */
struct hd_shares_quasi hd_shares_quasi(const double *hits_a, const double *n_a, size_t runs_a, const double *hits_b,
	const double *n_b, size_t runs_b);

#endif
