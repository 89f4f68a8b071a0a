/*
 * judge_history.c - see judgement.h: the part of a history that is at the level of the base
 *
 * Runs at another level say nothing about how much runs at this level vary, and their mean is nobody's level.  So the
 * history is walked from the base back, and each run is compared with those that were kept so far: symbol by symbol, by
 * the logarithm of its share.  The walk ends at the first two runs in a row that are at another level.  A single one is
 * left out, as a bad run.
 *
 * Only changes that counting and ordinary noise cannot explain end it: at least TENTH, and FAR standard deviations, where
 * a run varies by NOISE beyond counting.  What is smaller stays and makes the answer less sure instead.
 */
#include "gate/judgement.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

#define TENTH 0.0953101798		/* ln 1.1 */
#define NOISE 0.05
#define FAR 4.0

struct level {
	const struct hd_judgement *j;
	bool *kept;			/* by column of the matrix */
	size_t nkept;
};

static double log_share(const struct hd_symbol_matrix *m, size_t row, size_t run)
{
	return log((m->y[row * m->runs + run] + 0.5) / (m->samples[run] + 0.5));
}

/* Return true if no gated symbol of this run is far from its mean over the runs that were kept. */
static bool is_at_level(const struct level *l, size_t run)
{
	const struct hd_symbol_matrix *m = &l->j->m;

	for (size_t i = 0; i < m->n - m->rest; i++) {
		double mean = 0, count = 0, share = 0, own = m->y[i * m->runs + run], apart, sd;

		for (size_t r = 0; r < m->runs; r++) {
			if (!l->kept[r])
				continue;
			mean += log_share(m, i, r) / (double)l->nkept;
			share += m->y[i * m->runs + r] / (m->samples[r] + 0.5) / (double)l->nkept;
			count += m->y[i * m->runs + r];
		}
		if (fmax(share, own / (m->samples[run] + 0.5)) < l->j->o->floor)
			continue;
		apart = fabs(log_share(m, i, run) - mean);
		sd = sqrt(1 / (own + 0.5) + 1 / (count + 0.5) + NOISE * NOISE * (1 + 1 / (double)l->nkept));
		if (apart >= TENTH && apart >= FAR * sd)
			return false;
	}
	return true;
}

static void keep(struct level *l, size_t run)
{
	l->kept[run] = true;
	l->nkept++;
}

static size_t column_of(const struct hd_judgement *j, const struct hd_run_set_member *run)
{
	size_t i = 0;

	while (j->runs[i] != run)
		i++;
	return i;
}

/* Set stay[i] of the history's runs that are at the level of the base, the newest first; return how many. */
static size_t walk(struct level *l, const struct hd_run_set *history, bool *stay)
{
	size_t unlike = 0, n = 0;

	for (size_t i = history->n; i-- > 0 && unlike < 2;) {
		size_t run = column_of(l->j, &history->runs[i]);

		stay[i] = is_at_level(l, run);
		unlike = stay[i] ? 0 : unlike + 1;
		n += stay[i];
		if (stay[i])
			keep(l, run);
	}
	return n;
}

bool hd_judge_cut_history(struct hd_judgement *j)
{
	struct hd_comparison *c = j->c;
	struct level l = { .j = j, .kept = hd_zalloc(j->nruns + 1, sizeof(*l.kept)) };
	bool *stay = hd_zalloc(c->history.n + 1, sizeof(*stay));
	size_t all = c->history.n, n, to = 0;

	for (size_t i = 0; i < c->base.n; i++)
		keep(&l, column_of(j, &c->base.runs[i]));
	n = walk(&l, &c->history, stay);
	for (size_t i = 0; i < all; i++)
		if (stay[i])
			c->history.runs[to++] = c->history.runs[i];
	c->history.n = to;
	free(l.kept);
	free(stay);
	if (n < all && n + c->base.n < HD_JUDGE_HISTORY_LEAST)
		hd_judge_advise(j, n + c->base.n, "of history at the level of the base");
	return n < all;
}
