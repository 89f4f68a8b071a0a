/*
 * judge_history.c - see judgement.h: earlier runs that show how much runs vary
 *
 * If base or head is a single run, the part of the history that is at the level of the base is used: runs whose
 * symbols have about the same shares.  Runs at another level do not show the variance at this level.  So the history is
 * walked backwards from the base.  Each run is compared with the runs that were kept so far, symbol by symbol, by the
 * logarithm of the symbol's share.  The walk ends at the first two successive runs that are at another level; a single
 * such run is skipped as an outlier.  A run is at another level only if neither counting nor ordinary noise can explain
 * its difference: it is at least TENTH, and at least FAR standard deviations of a model in which runs vary by NOISE in
 * addition to counting.  Runs with smaller differences are kept and widen the intervals instead.  Of the runs that are
 * kept, those before the last change point of the total are dropped, too.
 *
 * If each side is one session, earlier sessions are used (stats/session_variance.h).  If both sides have runs of the
 * same sessions, only those are compared.
 */
#include "gate/judgement.h"

#include "base/mem.h"
#include "history/run_set_base.h"
#include "history/turns.h"
#include "stats/changepoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TENTH 0.0953101798		/* ln 1.1 */
#define NOISE 0.05
#define FAR 4.0

struct level {
	const struct hd_judgement *j;
	bool *kept;			/* a flag for each column of the matrix */
	size_t nkept;
};

static double log_share(const struct hd_symbol_matrix *m, size_t row, size_t run)
{
	return log((m->y[row * m->runs + run] + 0.5) / (m->samples[run] + 0.5));
}

/*
 * Return true if this run resembles the runs in l->kept.  For each symbol whose share reaches o->floor, the logarithm
 * of the share in this run is compared with its mean over the kept runs.  The run does not resemble them if, for some
 * symbol, the difference is at least TENTH and at least FAR standard deviations.
 */
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

/*
 * Walk from the newest run of the history to the oldest.  Set stay[i] for each run that resembles the base and the runs
 * kept so far.  The walk ends after two consecutive runs that do not.  Returns the number of runs with stay[i] set.
 */
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

size_t hd_judge_last_level(const double *v, size_t n, double min_magnitude)
{
	struct hd_changepoint *points = hd_new_array(struct hd_changepoint, n + 1);
	struct hd_changepoint_opts o = hd_changepoint_defaults;
	size_t at;
	long found;

	o.min_magnitude = min_magnitude;
	found = hd_changepoints(points, v, n, &o);
	if (found == HD_STATS_NOMEM)
		hd_out_of_memory("drift");
	at = found > 0 ? points[found - 1].index : 0;
	free(points);
	return n - at < 2 ? 0 : at;
}

double hd_judge_total_of(const struct hd_symbol_matrix *m, size_t run)
{
	double sum = 0;

	for (size_t i = 0; i < m->n; i++)
		sum += m->y[i * m->runs + run];
	return sum / m->per_weight / (m->work ? m->work[run] : 1);
}

/*
 * Of the runs with l->kept set, find those before the last change point of the total, and clear stay[i] of those in the
 * history.  The runs of the judgement are sorted by time.  Returns the number of runs of the history that were dropped.
 */
static size_t drop_other_totals(const struct level *l, const struct hd_run_set *history, bool *stay)
{
	const struct hd_judgement *j = l->j;
	double *total = hd_zalloc(j->nbase + 1, sizeof(*total));
	size_t n = 0, at, dropped = 0;

	for (size_t r = 0; r < j->nbase; r++)
		if (l->kept[r])
			total[n++] = hd_judge_total_of(&j->m, r);
	at = hd_judge_last_level(total, n, j->o->limit_total / 2);
	for (size_t r = 0; r < j->nbase && at; r++) {
		if (!l->kept[r])
			continue;
		at--;
		if (j->runs[r] < history->runs || j->runs[r] >= history->runs + history->n)
			continue;
		stay[j->runs[r] - history->runs] = false;
		dropped++;
	}
	free(total);
	return dropped;
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
	n -= drop_other_totals(&l, &c->history, stay);
	for (size_t i = 0; i < all; i++)
		if (stay[i])
			c->history.runs[to++] = c->history.runs[i];
	c->history.n = to;
	free(l.kept);
	free(stay);
	if (n < all && n + c->base.n < HD_JUDGE_HISTORY_LEAST)
		hd_judge_advise(j, n + c->base.n, " at the level of the base");
	return n < all;
}

/* ---- sessions ---- */

enum { SESSIONS_MOST = 30 };		/* limit for the commits before the head whose sessions are read */

/* Runs that were not given the name of a session belong to the session of their boot.  Returns false if unknown. */
static bool same_session(const struct hd_run_set_member *a, const struct hd_run_set_member *b)
{
	if (a->session && b->session)
		return !strcmp(a->session, b->session);
	return a->boot_id && b->boot_id && !strcmp(a->boot_id, b->boot_id);
}

static bool is_one_session(const struct hd_judgement *j, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (!same_session(j->runs[i], j->runs[from]))
			return false;
	return from < to;
}

/* Return true if a run has a session that is named and that a run of `other` has, too. */
static bool is_in_turns_with(const struct hd_run_set_member *r, const void *other)
{
	const struct hd_run_set *s = other;

	for (size_t i = 0; i < s->n; i++)
		if (hd_turns_in_one_session(r->session, s->runs[i].session))
			return true;
	return false;
}

static size_t count_in_turns(const struct hd_run_set *s, const struct hd_run_set *other)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += is_in_turns_with(&s->runs[i], other);
	return n;
}

void hd_judge_keep_turns(struct hd_judgement *j)
{
	struct hd_run_set *base = &j->c->base, *head = &j->c->head;
	size_t nbase = count_in_turns(base, head), nhead = count_in_turns(head, base),
	       others = base->n - nbase + head->n - nhead;

	if (!others || nbase < HD_TURNS_LEAST || nhead < HD_TURNS_LEAST || (j->o->base && strchr(j->o->base, ',')))
		return;
	hd_run_set_keep(base, is_in_turns_with, head);
	hd_run_set_keep(head, is_in_turns_with, base);
	hd_warn_n(j->log, "gate.set-aside", others, "",
		"runs of sessions that only one side has are left out: the machine may have been faster or slower "
		"then");
}

bool hd_judge_in_turns(const struct hd_comparison *c)
{
	struct hd_turn *runs = hd_new_array(struct hd_turn, c->base.n + c->head.n + 1);
	bool turns;

	for (size_t i = 0; i < c->base.n + c->head.n; i++) {
		const struct hd_run_set_member *r = i < c->base.n ? &c->base.runs[i] : &c->head.runs[i - c->base.n];

		runs[i] = (struct hd_turn){ r->session, r->recorded };
	}
	turns = !c->history.n && hd_turns(runs, c->base.n, c->head.n);
	free(runs);
	return turns;
}

bool hd_judge_own_sessions(const struct hd_judgement *j)
{
	return is_one_session(j, 0, j->nbase) && is_one_session(j, j->nbase, j->nruns) &&
		!same_session(j->runs[0], j->runs[j->nbase]);
}

/*
 * Keep the earlier runs of other sessions than those of the compared runs, and number these sessions.  If the compared
 * runs have samples, so must the earlier ones; if they know their work, too.
 */
static void number_sessions(struct hd_judgement *j)
{
	struct hd_run_set *s = &j->earlier;
	size_t n = 0;

	j->session = hd_zalloc(s->n + 1, sizeof(*j->session));
	for (size_t i = 0; i < s->n; i++) {
		const struct hd_run_set_member *r = &s->runs[i];
		size_t of = 0;

		if (!same_session(r, r) || (j->m.runs && !hd_judge_has_samples(r)) ||
			(j->worked && !(r->work > 0)) || same_session(r, j->runs[0]) ||
			same_session(r, j->runs[j->nbase]))
			continue;
		while (of < n && !same_session(&s->runs[of], r))
			of++;
		j->session[n] = of < n ? j->session[of] : (uint32_t)j->nsessions++;
		s->runs[n++] = *r;
	}
	s->n = n;
}

/*
 * Load the earlier runs and the compared runs as one matrix, so that they have the same rows.  Then split the matrix
 * into the earlier runs, from which the variance is estimated, and the compared runs (j->m).
 */
static int fit_sessions(struct hd_judgement *j, struct hd_err *err)
{
	size_t past = j->earlier.n;
	const struct hd_run_set_member **runs = hd_zalloc(past + j->nruns, sizeof(*runs));
	struct hd_symbol_matrix all, sides = j->m;
	double *y;
	int rc;

	for (size_t i = 0; i < past; i++)
		runs[i] = &j->earlier.runs[i];
	memcpy(runs + past, j->runs, j->nruns * sizeof(*runs));
	rc = hd_symbol_matrix_load(&all, j->db, runs, past + j->nruns, past + j->nbase, err);
	free(runs);
	if (rc < 0)
		return rc;
	y = hd_zalloc(all.n * past + 1, sizeof(*y));
	for (size_t i = 0; i < all.n; i++) {
		memcpy(y + i * past, all.y + i * all.runs, past * sizeof(*y));
		memmove(all.y + i * j->nruns, all.y + i * all.runs + past, j->nruns * sizeof(*y));
	}
	memmove(all.samples, all.samples + past, j->nruns * sizeof(*all.samples));
	all.runs = j->nruns;
	if (hd_session_variance_fit(&j->fitted, y, all.n, past, j->session, j->nsessions, all.work) ==
		HD_STATS_NOMEM)
		hd_out_of_memory("drift");
	free(all.work);
	all.work = sides.work;
	all.per_work = sides.per_work;
	sides.work = NULL;
	j->m = all;
	hd_symbol_matrix_release(&sides);
	if (j->fitted.v)
		j->sessions = &j->fitted;
	free(y);
	return 0;
}

int hd_judge_find_sessions(struct hd_judgement *j, struct hd_err *err)
{
	int rc;

	if (!hd_judge_own_sessions(j) || j->c->advisory)
		return 0;
	rc = hd_run_set_sessions(&j->earlier, j->db, &j->c->head, &j->o->filter, SESSIONS_MOST, err);
	if (rc < 0)
		return rc;
	number_sessions(j);
	j->own_sessions = j->nsessions < HD_SESSION_VARIANCE_LEAST;
	if (!j->own_sessions && j->m.runs) {
		rc = fit_sessions(j, err);
		j->own_sessions = !j->sessions;
	}
	j->c->earlier_sessions = j->nsessions;
	if (rc >= 0 && j->own_sessions)
		hd_warn(j->log, "gate.sessions",
			"record runs of both sides in turns (hotdrift bench --add), or keep a history of sessions",
			"the base is one session and the head another, and %zu of %d earlier sessions are known: what "
			"differs may be the session, so nothing FAILs",
			j->nsessions, HD_SESSION_VARIANCE_LEAST);
	return rc;
}
