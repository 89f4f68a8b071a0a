/* verdict.c - judge synthetic profiles, to test each statement of stats/verdict.h and top_change.h */
#include "test.h"

#include "stats/top_change.h"
#include "stats/verdict.h"
#include "stats/random.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { SYMBOLS = 40, RUNS_MAX = 24, DOMAINS = SYMBOLS };

struct profile {
	size_t base, head, domains;
	double y[SYMBOLS * RUNS_MAX], domain_y[DOMAINS * RUNS_MAX], work[RUNS_MAX];
	size_t of[SYMBOLS][HD_DOMAINS_PER_ROW];
	struct hd_symbol_verdict rows[SYMBOLS];
	struct hd_judged_profile judged;
	struct hd_variance_model model;
	struct hd_top_change top;
};

static double normal(struct hd_random *r)
{
	return sqrt(-2 * log(hd_random_unit(r))) * cos(2 * M_PI * hd_random_unit(r));
}

/*
 * Fill in base + head runs of n samples, in which symbol i has a share proportional to 1/(i + 1).  Counting noise is
 * normal.
 * The size of each run and each symbol also vary by the relative noise cv.
 */
static void fill(struct profile *p, size_t base, size_t head, double n, double cv, uint64_t seed)
{
	struct hd_random r = hd_random_from(seed);
	double all = 0, size;

	memset(p, 0, sizeof(*p));
	p->base = base;
	p->head = head;
	for (size_t i = 0; i < SYMBOLS; i++) {
		all += 1 / (double)(i + 1);
		p->of[i][0] = p->of[i][1] = p->of[i][HD_DOMAIN_OLD_NAME] = HD_NO_DOMAIN;
	}
	for (size_t k = 0; k < base + head; k++) {
		size = exp(0.02 * normal(&r));
		for (size_t i = 0; i < SYMBOLS; i++) {
			double mean = n / (double)(i + 1) / all * size * exp(cv * normal(&r));

			p->y[i * (base + head) + k] = fmax(0, round(mean + sqrt(mean) * normal(&r)));
		}
	}
}

static void multiply(struct profile *p, size_t symbol, size_t from, size_t to, double factor)
{
	for (size_t k = from; k < to; k++)
		p->y[symbol * (p->base + p->head) + k] = round(p->y[symbol * (p->base + p->head) + k] * factor);
}

static void grow(struct profile *p, size_t symbol, double factor)
{
	multiply(p, symbol, p->base, p->base + p->head, factor);
}

static void sum_into_domain(struct profile *p, size_t a, size_t b)
{
	size_t runs = p->base + p->head;

	for (size_t k = 0; k < runs; k++)
		p->domain_y[p->domains * runs + k] = p->y[a * runs + k] + p->y[b * runs + k];
	p->of[a][0] = p->of[b][0] = p->domains++;
}

static void judge_with(struct profile *p, const double *work, bool comparable)
{
	struct hd_run_counts in = { SYMBOLS, p->base, p->head, p->y, work, NULL };
	struct hd_domains d = { p->domains, p->domain_y, p->of, 1e-3 };

	EXPECT_INT(hd_variance_model_fit(&p->model, &in), 0);
	EXPECT_INT(hd_verdicts(&p->judged, p->rows, &in, &p->model, &d, &hd_verdict_defaults, comparable), 0);
	EXPECT_INT(hd_top_change_find(&p->top, p->rows, SYMBOLS, &p->model, &hd_top_change_defaults), 0);
	hd_variance_model_release(&p->model);
}

static void judge(struct profile *p)
{
	judge_with(p, NULL, true);
}

static struct profile p;

/* Judge counts without domains.  The results are in rows and p.judged. */
static void judge_counts(struct hd_symbol_verdict *rows, const struct hd_run_counts *in,
	const struct hd_verdict_opts *o)
{
	EXPECT_INT(hd_variance_model_fit(&p.model, in), 0);
	EXPECT_INT(hd_verdicts(&p.judged, rows, in, &p.model, NULL, o, true), 0);
	hd_variance_model_release(&p.model);
}

TEST(nothing_changed_passes)
{
	fill(&p, 5, 5, 30000, 0.01, 1);
	judge(&p);
	EXPECT_INT(p.judged.verdict, HD_PASS);
	EXPECT(!p.judged.total.level_moved && !p.top.material && p.top.score <= p.top.score_limit &&
		p.top.moved < 0.01);
}

TEST(a_symbol_that_costs_a_fifth_more_fails_and_is_named)
{
	fill(&p, 5, 5, 30000, 0.01, 2);
	grow(&p, 2, 1.2);
	judge(&p);
	EXPECT_INT(p.judged.verdict, HD_FAIL);
	EXPECT(p.judged.failed == 1 && p.rows[2].verdict == HD_FAIL && p.rows[2].q < 0.01);
	EXPECT(p.rows[2].lo < 0.2 && p.rows[2].hi > 0.2 && fabs(p.rows[2].change - 0.2) < 0.06);
}

TEST(with_a_limit_of_0_any_growth_fails)
{
	struct hd_run_counts in = { SYMBOLS, 5, 5, p.y, NULL, NULL };
	struct hd_verdict_opts any = { .limit = 0, .floor = 0, .q = 0.05, .alpha = 0.003, .total = { 0.06, 0.005 } };

	fill(&p, 5, 5, 30000, 0.01, 2);
	grow(&p, 2, 1.2);
	judge_counts(p.rows, &in, &any);
	EXPECT(p.judged.verdict == HD_FAIL && p.rows[2].verdict == HD_FAIL && p.rows[2].q < 0.01);
}

TEST(an_improvement_never_fails)
{
	fill(&p, 5, 5, 30000, 0.01, 3);
	grow(&p, 0, 0.5);
	judge(&p);
	EXPECT_INT(p.judged.verdict, HD_PASS);
	EXPECT(p.rows[0].q_changed < 1e-6 && p.judged.net < -0.05);
}

/*
 * The limit of small symbols is the floor, a share of the total.  Growth of a symbol by 120 % is above the floor, and
 * by 40 % it is not.
 */
TEST(small_symbols_have_the_floor_for_a_limit)
{
	fill(&p, 5, 5, 100000, 0.005, 4);
	grow(&p, 37, 2.2);
	grow(&p, 38, 1.4);
	judge(&p);
	EXPECT(p.rows[37].verdict == HD_FAIL && p.rows[37].limit > 0.7);
	EXPECT(p.rows[38].verdict == HD_PASS && p.rows[38].q_changed < 0.05);
}

TEST(a_new_symbol_above_the_floor_fails)
{
	fill(&p, 5, 5, 30000, 0.01, 5);
	multiply(&p, 6, 0, 5, 0);
	judge(&p);
	EXPECT(p.rows[6].is_new && p.rows[6].verdict == HD_FAIL && p.judged.verdict == HD_FAIL);
	fill(&p, 5, 5, 30000, 0.01, 5);
	grow(&p, 6, 0);
	judge(&p);
	EXPECT(p.rows[6].is_gone && p.judged.verdict == HD_PASS);
}

/* One symbol of the domain gains what the other one loses, so their sum is constant. */
TEST(cost_that_moved_within_a_domain_is_a_shift)
{
	size_t runs = 10;

	fill(&p, 5, 5, 30000, 0.01, 6);
	for (size_t k = 5; k < runs; k++) {
		double part = round(p.y[1 * runs + k] * 0.6);

		p.y[1 * runs + k] -= part;
		p.y[9 * runs + k] += part;
	}
	sum_into_domain(&p, 1, 9);
	judge(&p);
	EXPECT_INT(p.rows[9].verdict, HD_SHIFT);
	EXPECT_INT(p.rows[9].shift_domain, 0);
	EXPECT_INT(p.judged.verdict, HD_PASS);
	EXPECT(p.top.material);
	/* without the domain, the symbol that grew fails */
	p.domains = 0;
	p.of[1][0] = p.of[9][0] = HD_NO_DOMAIN;
	judge(&p);
	EXPECT_INT(p.judged.verdict, HD_FAIL);
}

/*
 * The limit of 0.5 % of the total is small compared with the noise of a large symbol, so the symbol's own limit is
 * used.
 */
TEST(a_large_symbol_that_is_renamed_is_a_shift)
{
	size_t runs = 10;

	for (uint64_t seed = 1; seed <= 50; seed++) {
		fill(&p, 5, 5, 10000, 0.01, seed);
		for (size_t k = 0; k < runs; k++) {
			p.y[30 * runs + k] = k < 5 ? 0 : p.y[0 * runs + k];
			p.y[0 * runs + k] = k < 5 ? p.y[0 * runs + k] : 0;
		}
		sum_into_domain(&p, 0, 30);
		judge(&p);
		EXPECT_INT(p.rows[30].verdict, HD_SHIFT);
		EXPECT(p.judged.verdict != HD_FAIL);
	}
}

/* A large symbol is inlined into a small one. */
TEST(a_large_symbol_that_is_inlined_is_a_shift)
{
	size_t runs = 10;

	for (uint64_t seed = 1; seed <= 50; seed++) {
		fill(&p, 5, 5, 10000, 0.01, seed);
		for (size_t k = 5; k < runs; k++) {
			p.y[9 * runs + k] += p.y[0 * runs + k];
			p.y[0 * runs + k] = 0;
		}
		sum_into_domain(&p, 0, 9);
		judge(&p);
		EXPECT_INT(p.rows[9].verdict, HD_SHIFT);
		EXPECT(p.judged.verdict != HD_FAIL);
	}
}

/*
 * The sum of a domain of nearly the whole profile has an error of more than 0.5 %, so it must not excuse a new symbol
 * of 1 %.
 */
TEST(a_small_new_symbol_is_not_hidden_by_a_domain_of_nearly_everything)
{
	size_t runs = 10, failed = 0;

	for (uint64_t seed = 1; seed <= 50; seed++) {
		fill(&p, 5, 5, 30000, 0.02, seed);
		multiply(&p, 24, 0, 5, 0);
		for (size_t i = 0; i < 30; i++)
			for (size_t k = 0; k < runs; k++)
				p.domain_y[k] += p.y[i * runs + k];
		p.of[24][0] = 0;
		p.domains = 1;
		judge(&p);
		failed += p.rows[24].verdict == HD_FAIL;
	}
	EXPECT(failed >= 45);
}

TEST(a_new_symbol_beside_a_large_one_that_stayed_fails)
{
	fill(&p, 5, 5, 30000, 0.01, 8);
	multiply(&p, 9, 0, 5, 0);
	sum_into_domain(&p, 0, 9);
	judge(&p);
	EXPECT(p.rows[9].is_new && p.rows[9].verdict == HD_FAIL);
}

/* A large domain (sum of rows) does not hide the growth of one symbol in it. */
TEST(a_domain_that_grew_as_well_hides_nothing)
{
	fill(&p, 5, 5, 30000, 0.01, 7);
	grow(&p, 9, 1.6);
	sum_into_domain(&p, 0, 9);
	judge(&p);
	EXPECT_INT(p.rows[9].verdict, HD_FAIL);
}

/*
 * Cost moved from one symbol of the domain to a new one.  The sum of the domain is so noisy that it shows neither a
 * move nor a growth.
 */
TEST(growth_that_may_have_come_from_beside_is_no_failure)
{
	size_t runs = 10;

	fill(&p, 5, 5, 30000, 0.01, 16);
	for (size_t k = 0; k < runs; k++) {
		double moved = k < 5 ? 0 : round(p.y[0 * runs + k] * 0.3);

		p.y[0 * runs + k] -= moved;
		p.y[9 * runs + k] = moved;
	}
	sum_into_domain(&p, 0, 9);
	for (size_t k = 0; k < runs; k++)
		p.domain_y[k] = round(p.domain_y[k] * (k % 3 ? 1.12 : 0.86));
	judge(&p);
	EXPECT(p.rows[9].is_new && p.rows[9].verdict == HD_INCONCLUSIVE && p.rows[9].runs_needed > 5);
	EXPECT_INT(p.judged.verdict, HD_INCONCLUSIVE);
}

/* One symbol varies by 20 % from run to run among stable ones: a random rise of 15 % is not significant. */
TEST(a_noisy_symbol_among_quiet_ones_is_not_called_slower)
{
	static const double swing[10] = { 0.8, 1.1, 0.9, 1.2, 0.85, 1.3, 0.9, 1.25, 1.0, 1.15 };

	fill(&p, 5, 5, 30000, 0.01, 17);
	for (size_t k = 0; k < 10; k++)
		multiply(&p, 2, k, k + 1, swing[k]);
	judge(&p);
	EXPECT(p.rows[2].change > p.rows[2].limit && p.rows[2].verdict == HD_INCONCLUSIVE);
}

TEST(one_bad_run_is_no_regression)
{
	fill(&p, 5, 5, 30000, 0.01, 8);
	multiply(&p, 2, 7, 8, 1.6);
	judge(&p);
	EXPECT(p.judged.verdict == HD_PASS || p.judged.verdict == HD_INCONCLUSIVE);
}

TEST(a_level_that_moved_is_undecided_and_fails_no_row)
{
	for (int faster = 0; faster < 2; faster++) {
		fill(&p, 5, 5, 30000, 0.01, 9);
		for (size_t i = 0; i < SYMBOLS; i++)
			grow(&p, i, faster ? 0.7 : 1.2);
		judge(&p);
		EXPECT(p.judged.total.level_moved && p.judged.verdict == HD_INCONCLUSIVE && p.judged.failed == 0);
		/* the verdict if a second observation comes (total.h) */
		EXPECT_INT(p.judged.total.observed, faster ? HD_PASS : HD_FAIL);
	}
}

/*
 * If the level fell by 1.5 standard errors, half of the fall is subtracted from each rise.  Nothing is subtracted for
 * a fall of 1 standard error, and the whole fall for 2.
 */
TEST(a_fall_of_the_level_by_one_and_a_half_standard_errors_counts_by_half)
{
	struct hd_run_counts in = { SYMBOLS, 5, 5, p.y, NULL, NULL };
	double t;

	fill(&p, 5, 5, 30000, 0.01, 2);
	grow(&p, 2, 1.2);
	EXPECT_INT(hd_variance_model_fit(&p.model, &in), 0);
	for (size_t i = 0; i < SYMBOLS; i++)
		grow(&p, i, exp(-p.model.level - 1.5 * p.model.level_test.se));
	hd_variance_model_release(&p.model);
	judge(&p);
	t = -p.model.level / p.model.level_test.se;
	EXPECT(t > 1.4 && t < 1.6);
	EXPECT(fabs(log1p(p.rows[2].change) - log1p(p.rows[2].least) + p.model.level * (t - 1)) < 1e-9);
}

/* The rest of the profile gets cheaper, so a symbol that did not change has a larger share.  It must not fail. */
TEST(a_row_that_did_not_change_is_not_slower_because_most_got_cheaper)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		fill(&p, 5, 5, 30000, 0.02, seed);
		for (size_t i = 0; i < SYMBOLS; i++)
			if (i % 3)
				grow(&p, i, 0.6);
		judge(&p);
		EXPECT_INT(p.judged.failed, 0);
		EXPECT(p.judged.verdict == HD_INCONCLUSIVE || !p.judged.total.level_moved);
	}
}

/*
 * Most of the cost grows, in few symbols or in most of them.  The verdict must not be PASS.
 */
TEST(a_broad_slow_down_does_not_pass)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		fill(&p, 5, 5, 30000, 0.01, seed);
		for (size_t i = 0; i < 4; i++)
			grow(&p, i, 1.3);
		judge(&p);
		EXPECT(p.judged.verdict != HD_PASS && p.judged.net > 0.1);
		fill(&p, 5, 5, 30000, 0.01, seed);
		for (size_t i = 0; i < 30; i++)
			grow(&p, i, 1.3);
		judge(&p);
		EXPECT(p.judged.verdict != HD_PASS && p.judged.net > 0.2);
	}
}

/* A symbol grows from 0.4 % of the profile to 20 %.  It fails, although it was below the floor in the base. */
TEST(a_cold_symbol_that_becomes_hot_fails)
{
	fill(&p, 5, 5, 30000, 0.01, 21);
	for (size_t k = 0; k < 10; k++)
		p.y[20 * 10 + k] = k < 5 ? 115 + (double)k : 6900 + 20 * (double)k;
	judge(&p);
	EXPECT(p.rows[20].share_base < 0.005 && p.rows[20].gated);
	EXPECT_INT(p.rows[20].verdict, HD_FAIL);
	EXPECT_INT(p.judged.verdict, HD_FAIL);
}

/* The rate of false failures must be at most 0.5 %, which is 2 of 400; chance may make it up to 4. */
TEST(profiles_of_500_samples_hardly_ever_fail_by_chance)
{
	size_t failed = 0;

	for (uint64_t seed = 1; seed <= 400; seed++) {
		fill(&p, 3 + seed % 3, 5, 500, 0.02, 1000 + seed);
		judge(&p);
		failed += p.judged.verdict == HD_FAIL;
	}
	EXPECT(failed <= 4);
}

TEST(if_the_work_is_known_slower_code_everywhere_is_a_regression)
{
	double work[10] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };

	fill(&p, 5, 5, 100000, 0.005, 10);
	for (size_t i = 0; i < SYMBOLS; i++)
		grow(&p, i, 1.25);
	judge_with(&p, work, true);
	EXPECT(!p.judged.total.level_moved && p.judged.verdict == HD_FAIL && p.judged.failed > 5);
}

TEST(one_run_against_one_says_nothing_and_one_against_twenty_does)
{
	fill(&p, 1, 1, 30000, 0.01, 11);
	grow(&p, 2, 1.5);
	judge(&p);
	EXPECT_INT(p.judged.verdict, HD_INCONCLUSIVE);
	fill(&p, 20, 1, 30000, 0.01, 12);
	judge(&p);
	EXPECT(p.judged.verdict != HD_FAIL);
	grow(&p, 2, 1.25);
	judge(&p);
	EXPECT(p.judged.verdict == HD_FAIL && p.rows[2].verdict == HD_FAIL);
}

TEST(noise_is_inconclusive_and_says_how_many_runs_it_takes)
{
	fill(&p, 3, 3, 30000, 0.15, 13);
	judge(&p);
	EXPECT_INT(p.judged.verdict, HD_INCONCLUSIVE);
	for (size_t i = 0; i < SYMBOLS; i++)
		if (p.rows[i].verdict == HD_INCONCLUSIVE)
			EXPECT(p.rows[i].runs_needed > 3);
}

TEST(a_profile_that_is_not_comparable_is_not_judged)
{
	fill(&p, 5, 5, 30000, 0.01, 14);
	judge_with(&p, NULL, false);
	EXPECT_INT(p.judged.verdict, HD_NOT_COMPARABLE);
	EXPECT_STR(hd_verdict_name(HD_NOT_COMPARABLE), "NOT_COMPARABLE");
}

/* The 5th and 6th symbol have equal cost and swap by chance in half of the pairs; that is not material. */
TEST(near_ties_that_swap_are_not_material)
{
	size_t swaps = 0;

	for (uint64_t seed = 100; seed < 160; seed++) {
		fill(&p, 5, 5, 30000, 0.02, seed);
		for (size_t k = 0; k < 10; k++)
			p.y[5 * 10 + k] = round(p.y[5 * 10 + k] * 1.2);
		judge(&p);
		swaps += p.top.set_changed;
		EXPECT(!p.top.material);
	}
	EXPECT(swaps > 10);
}

/*
 * Nothing changed.  Return the number of comparisons, of 40, that fail a row: sides that are one session of `runs` runs
 * each and whose symbols vary by cv, after six sessions of four runs whose symbols vary by past_cv.
 */
static size_t failures_after_sessions(size_t runs, double cv, double past_cv)
{
	static struct profile past;
	uint32_t session[RUNS_MAX];
	size_t failed = 0;

	for (uint32_t k = 0; k < RUNS_MAX; k++)
		session[k] = k / 4;
	for (uint64_t seed = 300; seed < 340; seed++) {
		struct hd_session_variance s;
		struct hd_run_counts in = { SYMBOLS, runs, runs, p.y, NULL, &s };

		fill(&past, RUNS_MAX / 2, RUNS_MAX / 2, 30000, past_cv, seed);
		EXPECT_INT(hd_session_variance_fit(&s, past.y, SYMBOLS, RUNS_MAX, session, 6, NULL), 0);
		fill(&p, runs, runs, 30000, cv, 1000 + seed);
		EXPECT_INT(hd_variance_model_fit(&p.model, &in), 0);
		EXPECT_INT(hd_verdicts(&p.judged, p.rows, &in, &p.model, NULL, &hd_verdict_defaults, true), 0);
		failed += p.judged.failed > 0;
		hd_variance_model_release(&p.model);
		hd_session_variance_release(&s);
	}
	return failed;
}

/* Nothing changed: sessions of 6 and 2 runs in turns, or runs of 1 and 3 units of work, have the same level. */
TEST(the_level_of_a_session_depends_on_neither_its_runs_nor_its_work)
{
	static const uint32_t uneven[RUNS_MAX] = { 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 4, 4, 4, 4, 4, 4, 5,
		5 };
	static struct profile past;
	uint32_t even[RUNS_MAX];
	double work[RUNS_MAX];
	struct hd_session_variance s;

	fill(&past, RUNS_MAX / 2, RUNS_MAX / 2, 30000, 0.01, 8);
	EXPECT_INT(hd_session_variance_fit(&s, past.y, SYMBOLS, RUNS_MAX, uneven, 6, NULL), 0);
	EXPECT(s.level_s2 < 0.1 * 0.1);
	hd_session_variance_release(&s);
	for (uint32_t r = 0; r < RUNS_MAX; r++) {
		even[r] = r / 4;
		work[r] = even[r] % 2 ? 3 : 1;
		for (size_t i = 0; i < SYMBOLS; i++)
			past.y[i * RUNS_MAX + r] *= work[r];
	}
	EXPECT_INT(hd_session_variance_fit(&s, past.y, SYMBOLS, RUNS_MAX, even, 6, work), 0);
	EXPECT(s.level_s2 < 0.1 * 0.1);
	hd_session_variance_release(&s);
}

TEST(sessions_with_fewer_or_noisier_runs_than_the_earlier_ones_fail_nothing)
{
	EXPECT(failures_after_sessions(5, 0.08, 0.01) <= 1);
	EXPECT(failures_after_sessions(2, 0.06, 0.06) <= 1);
}

/* Multiply the runs from .. to - 1 of each symbol by a factor that varies by 4 %, as a t distribution with 5 df. */
static void shift_session(struct profile *of, size_t from, size_t to, struct hd_random *r)
{
	for (size_t i = 0; i < SYMBOLS; i++) {
		double squares = 0, factor = normal(r);

		for (int k = 0; k < 5; k++)
			squares += pow(normal(r), 2);
		multiply(of, i, from, to, exp(0.04 * factor / sqrt(squares / 5) * sqrt(3.0 / 5)));
	}
}

/* Nothing changed but the sessions, a few symbols of which are far out. */
TEST(sessions_that_differ_by_heavy_tails_fail_in_at_most_one_of_two_hundred)
{
	enum { CASES = 1000, SESSIONS = RUNS_MAX / 2 };
	static struct profile past;
	uint32_t session[RUNS_MAX];
	struct hd_random r = hd_random_from(3);
	size_t failed = 0;

	for (uint32_t k = 0; k < RUNS_MAX; k++)
		session[k] = k / 2;
	for (uint64_t seed = 0; seed < CASES; seed++) {
		struct hd_session_variance s;
		struct hd_run_counts in = { SYMBOLS, 2, 2, p.y, NULL, &s };

		fill(&past, RUNS_MAX / 2, RUNS_MAX / 2, 30000, 0.01, seed);
		for (size_t k = 0; k < SESSIONS; k++)
			shift_session(&past, 2 * k, 2 * k + 2, &r);
		EXPECT_INT(hd_session_variance_fit(&s, past.y, SYMBOLS, RUNS_MAX, session, SESSIONS, NULL), 0);
		fill(&p, 2, 2, 30000, 0.01, CASES + seed);
		shift_session(&p, 0, 2, &r);
		shift_session(&p, 2, 4, &r);
		EXPECT_INT(hd_variance_model_fit(&p.model, &in), 0);
		EXPECT_INT(hd_verdicts(&p.judged, p.rows, &in, &p.model, NULL, &hd_verdict_defaults, true), 0);
		failed += p.judged.failed > 0;
		hd_variance_model_release(&p.model);
		hd_session_variance_release(&s);
	}
	EXPECT(failed <= CASES / 200);
}

TEST(a_symbol_that_climbs_past_others_is_material)
{
	fill(&p, 5, 5, 30000, 0.01, 15);
	grow(&p, 9, 3);
	judge(&p);
	EXPECT(p.top.material && p.top.set_changed && p.top.above == 9 && p.top.score > p.top.score_limit);
}

/*
 * Three functions have 97 % of the samples, and many others have a burst of samples now and then.  A run of the head is
 * compared with twelve of the base.  Often some cold function has three samples in the head, 0.6 % of that run.
 */
TEST(one_run_against_many_does_not_fail_by_cold_functions_that_chance_selects)
{
	enum { ROWS = 200, BASE = 12, RUNS = BASE + 1, SAMPLES = 500, CASES = SANITIZED ? 300 : 2000 };
	static double y[ROWS * RUNS];
	static struct hd_symbol_verdict rows[ROWS];
	struct hd_run_counts in = { ROWS, BASE, 1, y, NULL, NULL };
	struct hd_random r = hd_random_from(5);
	size_t failed = 0;

	for (size_t c = 0; c < CASES; c++) {
		memset(y, 0, sizeof(y));
		for (size_t k = 0; k < RUNS; k++)
			for (size_t i = 0; i < SAMPLES;) {
				double u = hd_random_unit(&r);
				size_t cold = 3 + hd_random_below(&r, ROWS - 3);
				size_t row = u < 0.5 ? 0 : u < 0.8 ? 1 : u < 0.97 ? 2 : cold;

				do
					y[row * RUNS + k]++;
				while (++i < SAMPLES && row > 2 && hd_random_unit(&r) < 0.3);
			}
		judge_counts(rows, &in, &hd_verdict_defaults);
		failed += p.judged.verdict == HD_FAIL;
	}
	if (failed * 200 > CASES)
		print_message("%zu of %d cases FAIL\n", failed, CASES);
	EXPECT(failed * 200 <= CASES);

	/* A function that became hot is still found. */
	y[10 * RUNS + BASE] += 40;
	judge_counts(rows, &in, &hd_verdict_defaults);
	EXPECT_INT(rows[10].verdict, HD_FAIL);
}

TEST_MAIN(
	RUN(nothing_changed_passes),
	RUN(a_symbol_that_costs_a_fifth_more_fails_and_is_named),
	RUN(with_a_limit_of_0_any_growth_fails),
	RUN(an_improvement_never_fails),
	RUN(one_run_against_many_does_not_fail_by_cold_functions_that_chance_selects),
	RUN(small_symbols_have_the_floor_for_a_limit),
	RUN(a_new_symbol_above_the_floor_fails),
	RUN(cost_that_moved_within_a_domain_is_a_shift),
	RUN(a_large_symbol_that_is_renamed_is_a_shift),
	RUN(a_large_symbol_that_is_inlined_is_a_shift),
	RUN(a_small_new_symbol_is_not_hidden_by_a_domain_of_nearly_everything),
	RUN(a_new_symbol_beside_a_large_one_that_stayed_fails),
	RUN(a_domain_that_grew_as_well_hides_nothing),
	RUN(growth_that_may_have_come_from_beside_is_no_failure),
	RUN(a_noisy_symbol_among_quiet_ones_is_not_called_slower),
	RUN(one_bad_run_is_no_regression),
	RUN(a_level_that_moved_is_undecided_and_fails_no_row),
	RUN(a_fall_of_the_level_by_one_and_a_half_standard_errors_counts_by_half),
	RUN(a_row_that_did_not_change_is_not_slower_because_most_got_cheaper),
	RUN(a_broad_slow_down_does_not_pass),
	RUN(a_cold_symbol_that_becomes_hot_fails),
	RUN(profiles_of_500_samples_hardly_ever_fail_by_chance),
	RUN(if_the_work_is_known_slower_code_everywhere_is_a_regression),
	RUN(one_run_against_one_says_nothing_and_one_against_twenty_does),
	RUN(noise_is_inconclusive_and_says_how_many_runs_it_takes),
	RUN(a_profile_that_is_not_comparable_is_not_judged),
	RUN(near_ties_that_swap_are_not_material),
	RUN(the_level_of_a_session_depends_on_neither_its_runs_nor_its_work),
		RUN(sessions_with_fewer_or_noisier_runs_than_the_earlier_ones_fail_nothing),
		RUN(sessions_that_differ_by_heavy_tails_fail_in_at_most_one_of_two_hundred),
	RUN(a_symbol_that_climbs_past_others_is_material),
)
