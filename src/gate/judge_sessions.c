/*
 * judge_sessions.c - see judgement.h: sides that are sessions of their own, and the sessions before them
 */
#include "gate/judgement.h"

#include "base/mem.h"
#include "history/run_set_base.h"

#include <stdlib.h>
#include <string.h>

enum { SESSIONS_MOST = 30 };		/* earlier sessions that are read, the newest */

static bool same_session(const struct hd_run_set_member *a, const struct hd_run_set_member *b)
{
	return a->session && b->session && !strcmp(a->session, b->session);
}

static bool is_one_session(const struct hd_run_set *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!same_session(&s->runs[i], &s->runs[0]))
			return false;
	return s->n > 0;
}

bool hd_judge_own_sessions(const struct hd_comparison *c)
{
	return is_one_session(&c->base) && is_one_session(&c->head) &&
		!same_session(&c->base.runs[0], &c->head.runs[0]);
}

/* Keep the runs of sessions other than those of the sides, and of runs like the head's; number their sessions. */
static size_t number_sessions(struct hd_judgement *j, const struct hd_run_set *earlier,
	const struct hd_run_set_member **runs, uint32_t *number, size_t *nruns)
{
	const struct hd_comparison *c = j->c;
	size_t sessions = 0;

	*nruns = 0;
	for (size_t i = 0; i < earlier->n; i++) {
		const struct hd_run_set_member *r = &earlier->runs[i];
		size_t of = 0;

		if (!r->session || r->event < 0 || !(r->weight > 0) || same_session(r, &c->base.runs[0]) ||
			same_session(r, &c->head.runs[0]))
			continue;
		while (of < *nruns && !same_session(runs[of], r))
			of++;
		number[*nruns] = of < *nruns ? number[of] : (uint32_t)sessions++;
		runs[(*nruns)++] = r;
	}
	return sessions;
}

/* Read the rows of all runs at once, so that they are the same rows, and split them: earlier runs, and those of the sides. */
static int fit(struct hd_judgement *j, const struct hd_run_set_member **runs, size_t past, const uint32_t *number,
	size_t sessions, struct hd_err *err)
{
	struct hd_symbol_matrix all, sides = j->m;
	double *y;
	int rc;

	memcpy(runs + past, j->runs, j->nruns * sizeof(*runs));
	rc = hd_symbol_matrix_load(&all, j->db, runs, past + j->nruns, past + j->nbase, err);
	if (rc < 0)
		return rc;
	y = hd_zalloc(all.n * past + 1, sizeof(*y));
	for (size_t i = 0; i < all.n; i++) {
		memcpy(y + i * past, all.y + i * all.runs, past * sizeof(*y));
		memmove(all.y + i * j->nruns, all.y + i * all.runs + past, j->nruns * sizeof(*y));
	}
	memmove(all.samples, all.samples + past, j->nruns * sizeof(*all.samples));
	all.runs = j->nruns;
	free(all.work);		/* known for the sides, whether or not the earlier runs know theirs */
	all.work = sides.work;
	sides.work = NULL;
	j->m = all;
	hd_symbol_matrix_release(&sides);
	if (hd_session_variance_fit(&j->fitted, y, all.n, past, number, sessions) == HD_STATS_NOMEM)
		hd_out_of_memory("drift");
	if (j->fitted.v)
		j->sessions = &j->fitted;
	free(y);
	return 0;
}

int hd_judge_find_sessions(struct hd_judgement *j, struct hd_err *err)
{
	struct hd_run_set earlier = { 0 };
	const struct hd_run_set_member **runs = NULL;
	uint32_t *number = NULL;
	size_t past, sessions = 0;
	int rc;

	if (!hd_judge_own_sessions(j->c) || j->advisory)
		return 0;
	rc = hd_run_set_sessions(&earlier, j->db, &j->c->head, &j->o->ask, SESSIONS_MOST, err);
	if (rc >= 0) {
		runs = hd_zalloc(earlier.n + j->nruns + 1, sizeof(*runs));
		number = hd_zalloc(earlier.n + 1, sizeof(*number));
		sessions = number_sessions(j, &earlier, runs, number, &past);
	}
	if (rc >= 0 && sessions >= HD_SESSION_VARIANCE_LEAST)
		rc = fit(j, runs, past, number, sessions, err);
	j->own_sessions = !j->sessions;
	j->c->earlier_sessions = sessions;
	if (rc >= 0 && j->own_sessions)
		hd_warn(j->log, "gate.sessions",
			"record runs of both sides in turns (hotdrift bench --add), or keep a history of sessions",
			"the base is one session and the head another, and %zu of %d earlier sessions are known: what "
			"differs may be the session, so nothing FAILs",
			sessions, HD_SESSION_VARIANCE_LEAST);
	free(runs);
	free(number);
	hd_run_set_release(&earlier);
	return rc;
}
