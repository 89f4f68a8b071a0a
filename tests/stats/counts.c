/*
 * counts.c DIR - compare the tests of shares and the corrections for multiple tests with the tables in counts/
 */
#include "answers.h"

#include "stats/multiple.h"
#include "stats/shares.h"

static void two_shares(const char *dir)
{
	struct verdict v = { .file = "counts/two_shares.tsv", .tolerance = 1e-9 };
	struct table t;

	if (!answers_open(&t, dir, v.file))
		return;
	for (size_t i = 0; i < t.rows; i++, v.rows++) {
		struct hd_shares s = hd_shares_compare((uint64_t)number(&t, i, "hits_a"),
			(uint64_t)number(&t, i, "n_a"), (uint64_t)number(&t, i, "hits_b"),
			(uint64_t)number(&t, i, "n_b"));

		judge(&v, i, "share_a", s.share_a, number(&t, i, "share_a"));
		judge(&v, i, "share_b", s.share_b, number(&t, i, "share_b"));
		judge(&v, i, "log ratio", s.log_ratio, number(&t, i, "log_ratio"));
		judge(&v, i, "its error", s.se_log_ratio, number(&t, i, "se_log_ratio_binomial"));
		judge(&v, i, "z", s.z, number(&t, i, "z_pooled"));
		judge(&v, i, "p of z", s.p_z, number(&t, i, "p_z"));
		judge(&v, i, "G", s.g, number(&t, i, "G"));
		judge(&v, i, "p of G", s.p_g, number(&t, i, "p_G"));
		judge(&v, i, "X2", s.x2, number(&t, i, "X2"));
		judge(&v, i, "p of X2", s.p_x2, number(&t, i, "p_X2"));
		judge(&v, i, "conditional p, one side", s.p_greater, number(&t, i, "p_greater_conditional_poisson"));
		judge(&v, i, "conditional p, both sides", s.p_two, number(&t, i, "p_two_conditional_poisson"));
	}
	verdict_end(&v);
	answers_close(&t);
}

static void overdispersed(const char *dir)
{
	struct verdict v = { .file = "counts/overdispersed_runs.tsv", .tolerance = 1e-9 };
	static double ya[LIST_MAX], na[LIST_MAX], yb[LIST_MAX], nb[LIST_MAX];
	struct table t;

	if (!answers_open(&t, dir, v.file))
		return;
	for (size_t i = 0; i < t.rows; i++, v.rows++) {
		size_t a = numbers(cell(&t, i, "counts_a"), ya), b = numbers(cell(&t, i, "counts_b"), yb);
		struct hd_shares_quasi q;

		numbers(cell(&t, i, "totals_a"), na);
		numbers(cell(&t, i, "totals_b"), nb);
		q = hd_shares_quasi(ya, na, a, yb, nb, b);
		judge(&v, i, "phi", q.phi, number(&t, i, "phi_pearson"));
		judge(&v, i, "df", q.df, number(&t, i, "df"));
		judge(&v, i, "log ratio", q.log_ratio, number(&t, i, "log_ratio_of_pooled_shares"));
		judge(&v, i, "its error", q.se, number(&t, i, "se_quasi"));
		judge(&v, i, "t", q.t, number(&t, i, "t"));
		judge(&v, i, "p", q.p, number(&t, i, "p_two_sided_t"));
	}
	verdict_end(&v);
	answers_close(&t);
}

static void multiplicity(const char *dir)
{
	static const char *const columns[] = { "bh", "by", "holm", "bonferroni" };
	struct verdict v = { .file = "counts/multiplicity.tsv", .tolerance = 1e-9 };
	static double p[LIST_MAX], want[LIST_MAX], got[LIST_MAX];
	struct table t;

	if (!answers_open(&t, dir, v.file))
		return;
	for (size_t i = 0; i < t.rows; i++, v.rows++) {
		size_t n = numbers(cell(&t, i, "p"), p);

		for (int m = 0; m < 4; m++) {
			size_t k = numbers(cell(&t, i, columns[m]), want);

			hd_multiple_adjust((enum hd_multiple)m, got, p, n);
			if (k != n)
				differ(&v, "row %zu: %zu answers to %zu p-values", i + 1, k, n);
			for (size_t j = 0; j < n && j < k; j++)
				judge(&v, i, columns[m], got[j], want[j]);
		}
	}
	verdict_end(&v);
	answers_close(&t);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	two_shares(argv[1]);
	overdispersed(argv[1]);
	multiplicity(argv[1]);
	return 0;
}
