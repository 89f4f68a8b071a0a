/*
 * judge.c - judge a case by hotdrift's model and by the naive rules, and add the results to the tally; see bench.h
 */
#include "bench.h"

#include "stats/twosample.h"
#include "stats/special_functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLOOR 0.005
#define P_MAX 0.05

/* ---- the naive rules ---- */

static double mean(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum / (double)n;
}

static bool welch_says(const double *share, size_t base, size_t head)
{
	struct hd_welch w = hd_welch(share, base, share + base, head);

	return w.t > 0 && w.p <= P_MAX;
}

static bool ranksum_says(const double *share, size_t base, size_t head)
{
	struct hd_ranksum u;
	size_t above = 0;

	/* Skip the test if more than a quarter of the pairs are in the opposite order: then p is never below 0.05. */
	for (size_t a = 0; a < base; a++)
		for (size_t b = base; b < base + head; b++)
			above += share[b] > share[a];
	return 4 * above >= 3 * base * head && hd_ranksum(&u, share + base, head, share, base) >= 0 && u.p_two <= P_MAX;
}

struct leader {
	double share;
	size_t row;
};

static int hottest_first(const void *a, const void *b)
{
	const struct leader *x = a, *y = b;

	return x->share != y->share ? (x->share > y->share ? -1 : 1) : (x->row > y->row) - (x->row < y->row);
}

static bool set_changed(struct leader *base, struct leader *head, size_t n)
{
	qsort(base, n, sizeof(*base), hottest_first);
	qsort(head, n, sizeof(*head), hottest_first);
	for (size_t i = 0; i < 5 && i < n; i++) {
		size_t k = 0;

		while (k < 5 && head[k].row != base[i].row)
			k++;
		if (k == 5)
			return true;
	}
	return false;
}

static void ask_naive(struct tally *t, const struct profile *p)
{
	size_t runs = p->base + p->head;
	struct leader base[ROWS_MAX], head[ROWS_MAX];
	double all[RUNS_MAX] = { 0 };
	bool any[RULES] = { false };

	for (size_t i = 0; i < p->rows; i++)
		for (size_t k = 0; k < runs; k++)
			all[k] += p->y[i * runs + k];
	for (size_t i = 0; i < p->rows; i++) {
		double share[RUNS_MAX];
		bool says[RULES] = { false };

		for (size_t k = 0; k < runs; k++)
			share[k] = p->y[i * runs + k] / all[k];
		base[i] = (struct leader){ mean(share, p->base), i };
		head[i] = (struct leader){ mean(share + p->base, p->head), i };
		if (fmax(base[i].share, head[i].share) < FLOOR)
			continue;
		says[RULE_TENTH] = head[i].share >= 1.1 * base[i].share;
		says[RULE_WELCH] = head[i].share > base[i].share && welch_says(share, p->base, p->head);
		says[RULE_RANKSUM] = ranksum_says(share, p->base, p->head);
		for (enum rule r = 0; r < RULES; r++) {
			any[r] |= says[r];
			t->found[r] += i == p->planted && says[r];
		}
	}
	any[RULE_SET] = set_changed(base, head, p->rows);
	t->found[RULE_SET] += any[RULE_SET];
	for (enum rule r = 0; r < RULES; r++)
		t->any[r] += any[r];
}

/* ---- the model ---- */

static void count(struct tally *t, const struct hd_symbol_verdict *rows, const struct profile *p)
{
	size_t called = 0, wrong = 0;

	for (size_t i = 0; i < p->rows; i++) {
		bool inside = rows[i].lo <= p->truth[i] - 1 && rows[i].hi >= p->truth[i] - 1;

		if (!rows[i].gated || isnan(p->truth[i]))
			continue;
		t->asked++;
		t->covered += inside;
		t->covered_planted += inside && i == p->planted;
		called += rows[i].q_changed <= P_MAX;
		wrong += rows[i].q_changed <= P_MAX && p->truth[i] == 1;
	}
	t->false_part += called ? (double)wrong / (double)called : 0;
	t->named += rows[p->planted].verdict == HD_FAIL;
	t->changed += rows[p->planted].q_changed <= P_MAX;
}

void bench_judge(struct tally *t, const struct profile *p, struct bench_asks asks)
{
	static struct hd_symbol_verdict rows[ROWS_MAX];
	struct hd_run_counts in = { p->rows, p->base, p->head, p->y, NULL, NULL };
	struct hd_domains domains = { p->domains, p->domain_y, (size_t (*)[HD_DOMAINS_PER_ROW])p->of, 1e-3 };
	struct hd_top_change top = { 0 };
	struct hd_variance_model m;
	struct hd_judged_profile j;

	if (hd_variance_model_fit(&m, &in) < 0 ||
		hd_verdicts(&j, rows, &in, &m, p->domains ? &domains : NULL, &hd_verdict_defaults, true) < 0 ||
		(asks.top && hd_top_change_find(&top, rows, p->rows, &m, &hd_top_change_defaults) < 0))
		exit(6);
	hd_variance_model_release(&m);
	t->n++;
	t->verdict[j.verdict]++;
	t->warned += j.total.level_moved;
	t->material += top.material;
	t->above += top.score > top.score_limit;
	count(t, rows, p);
	if (asks.naive)
		ask_naive(t, p);
}
