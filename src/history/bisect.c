/*
 * bisect.c - see bisect.h
 */
#include "history/bisect.h"

#include "base/encode.h"
#include "base/mem.h"
#include "history/trend.h"
#include "history/stored_function.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The stored runs, as of the last load(). */
struct known {
	struct hd_trend t;
	double *v;			/* the value of each run of t */
	/* largest standard error of a run's value due to counting samples, in percentage points; 0: unknown */
	double counting;
	struct hd_bisect_class_spread spread;
};

static void known_release(struct known *k)
{
	hd_trend_release(&k->t);
	free(k->v);
	*k = (struct known){ 0 };
}

struct search {
	struct hd_bisect *b;
	struct hd_bisect_git *g;
	const struct hd_bisect_opts *o;
	struct known k;
	struct hd_shas good, passed;	/* commits that are good; commits that were skipped */
	/*
	 * The error of the search for the symbol; valid if is_absent.  It is reported only after the good and the bad
	 * commit were measured, because the symbol may occur in the runs of only one of them.
	 */
	struct hd_err absent;
	bool is_absent;
	struct hd_err *err;
};

/* ---- stored runs ---- */

/* Find the newest run of a commit with status ok, of the target if one is given; *run is 0 if there is none. */
static int newest_of(struct search *s, struct hd_db *db, const char *sha, int64_t *run)
{
	char *target = hd_enc_visible_new(s->o->target);
	int rc;

	rc = hd_db_query_int(db, run, 0, s->err,
		"SELECT r.id FROM run r JOIN commit_info c ON c.id = r.commit_id WHERE c.sha = $1 AND r.status = 'ok' "
		"AND ($2 = '' OR r.target = $2) ORDER BY r.recorded_utc DESC, r.id DESC LIMIT 1",
		"tt", sha, target ? target : "");
	free(target);
	return rc;
}

static int read_values(struct search *s, struct hd_db *db)
{
	struct known *k = &s->k;
	struct hd_stored_function f;
	int rc;

	k->v = hd_new_array(double, k->t.nruns + 1);
	if (s->o->figure->name)
		return hd_trend_series_runs(k->v, &k->t, db, s->o->figure->kind, s->o->figure->name, s->o->figure->stat,
			s->err);
	rc = hd_stored_function_find(&f, db, s->o->symbol, s->o->object, &s->absent);
	s->is_absent = rc == HD_EFORMAT;
	if (rc < 0)		/* HD_EFORMAT: the database does not have the symbol, or has several of this name */
		return s->is_absent ? 0 : hd_fail(s->err, rc, "%s", s->absent.msg);
	rc = hd_trend_symbol_runs(k->v, &k->t, db, f.ids, f.n, s->err);
	hd_stored_function_release(&f);
	for (size_t i = 0; i < k->t.nruns && rc >= 0; i++) {
		double n = hd_trend_counted(&k->t, &k->t.runs[i]), p = k->v[i] / 100;

		if (n > 0 && p > 0 && p < 1)
			k->counting = fmax(k->counting, 100 * sqrt(p * (1 - p) / n));
	}
	return rc;
}

static size_t values_of(const struct known *k, const char *sha, double **v);

static int load(struct search *s)
{
	struct hd_trend_scope scope = { .event = s->o->figure->name ? "" : s->o->event };
	struct hd_err why;
	struct hd_db *db;
	int rc;

	known_release(&s->k);
	rc = s->o->open(&db, s->o->open_context, &why);
	if (rc < 0 && s->o->command)
		return 0;			/* the command will create the database */
	if (rc < 0)
		return hd_fail(s->err, rc, "%s", why.msg);
	rc = newest_of(s, db, s->b->bad, &scope.like);
	if (rc >= 0 && !scope.like)
		rc = newest_of(s, db, s->b->good, &scope.like);
	if (rc >= 0 && scope.like) {
		rc = hd_trend_open(&s->k.t, db, &scope, s->err);
		if (rc >= 0)
			rc = read_values(s, db);
	}
	hd_db_close(db);
	for (size_t i = 0; i < s->k.t.npoints && rc >= 0; i++) {
		const struct hd_trend_point *p = &s->k.t.points[i];
		double *v = NULL;
		size_t n = p->commit && !p->dirty ? values_of(&s->k, p->commit, &v) : 0;

		hd_bisect_class_add(&s->k.spread, v, n);
		free(v);
	}
	s->k.spread.counting = s->k.counting;
	return rc;
}

/*
 * Copy the values of a commit's runs, without runs of a modified tree and runs that have no value; return how many.  *v
 * is NULL if there are none.  The caller frees it.
 */
static size_t values_of(const struct known *k, const char *sha, double **v)
{
	size_t n = 0;

	*v = NULL;
	for (size_t i = 0; i < k->t.npoints; i++) {
		const struct hd_trend_point *p = &k->t.points[i];

		if (!p->commit || p->dirty || strcmp(p->commit, sha))
			continue;
		*v = hd_new_array(double, p->runs);
		for (size_t r = p->first; r < p->first + p->runs; r++)
			if (!isnan(k->v[r]))
				(*v)[n++] = k->v[r];
	}
	if (!n) {
		free(*v);
		*v = NULL;
	}
	return n;
}

/* ---- making runs ---- */

static struct hd_bisect_step *step_of(struct search *s, const char *sha)
{
	struct hd_bisect *b = s->b;

	for (size_t i = 0; i < b->n; i++)
		if (!strcmp(b->steps[i].sha, sha))
			return &b->steps[i];
	HD_GROW(b->steps, b->n + 1, b->cap);
	b->steps[b->n] = (struct hd_bisect_step){ .sha = hd_strdup(sha),
		.mean = NAN,
		.p = NAN,
		.side = HD_BISECT_CLASS_UNSURE };
	return &b->steps[b->n++];
}

static int run_command(struct search *s, const char *sha)
{
	struct hd_buf commit = { 0 }, db = { 0 }, target = { 0 };
	int rc;

	hd_buf_addf(&commit, "HOTDRIFT_COMMIT=%s", sha);
	hd_buf_addf(&db, "HOTDRIFT_DB=%s", s->o->db);
	hd_buf_addf(&target, "HOTDRIFT_TARGET=%s", s->o->target ? s->o->target : "default");
	rc = hd_bisect_git_run(s->g, s->o->command, (const char *const[]){ commit.data, db.data, target.data, NULL },
		s->err);
	hd_buf_release(&commit);
	hd_buf_release(&db);
	hd_buf_release(&target);
	return rc;
}

/*
 * Run the command until the commit has `want` values.  Returns 1; 0 if the command exits with a status from 1 to 128;
 * < 0 if a signal killed it (a status above 128), and on other errors.
 */
static int make_runs(struct search *s, const char *sha, size_t want)
{
	struct hd_bisect_step *step = step_of(s, sha);
	size_t have, before;
	double *v;
	int rc = 0;

	have = values_of(&s->k, sha, &v);
	free(v);
	while (have < want) {
		if (!step->built)
			rc = hd_bisect_git_checkout(s->g, sha, s->o->clean, s->err);
		step->built = true;
		if (rc >= 0)
			rc = run_command(s, sha);
		if (rc > 128 || rc < 0)
			return rc < 0
				? rc
				: hd_fail(s->err, HD_EIO,
					  "'%s' was killed by signal %d at commit %.12s; run the same command line to "
					  "continue",
					  s->o->command[0], rc - 128, sha);
		if (rc > 0) {
			step->failed = rc;
			return 0;
		}
		before = have;
		rc = load(s);
		if (rc < 0)
			return rc;
		have = values_of(&s->k, sha, &v);
		free(v);
		if (have <= before)
			return hd_fail(s->err, HD_EIO,
				"'%s' succeeded at commit %.12s, but no comparable run with the figure is in %s; "
				"it must add one: hotdrift add ... --db \"$HOTDRIFT_DB\" "
				"--target \"$HOTDRIFT_TARGET\" --commit \"$HOTDRIFT_COMMIT\"",
				s->o->command[0], sha, s->o->db);
	}
	return 1;
}

/* ---- judging ---- */

static void progress(const struct hd_bisect_step *step, size_t left)
{
	if (!isatty(STDERR_FILENO))
		return;
	if (step->failed)
		fprintf(stderr, "bisect: %.12s is skipped, its command failed with status %d; %zu left\n", step->sha,
			step->failed, left);
	else
		fprintf(stderr, "bisect: %.12s is %s (%.6g, %zu runs); %zu left\n", step->sha,
			hd_bisect_class_name(step->side), step->mean, step->runs, left);
}

/* Classify a commit by its runs. */
static void judge(struct search *s, const char *sha)
{
	struct hd_bisect_step *step = step_of(s, sha);
	double *v, sum = 0;
	size_t n = values_of(&s->k, sha, &v);

	step->runs = n;
	step->side = HD_BISECT_CLASS_UNSURE;
	for (size_t i = 0; i < n; i++)
		sum += v[i];
	if (n) {
		step->mean = sum / (double)n;
		step->side = hd_bisect_class_of(&s->b->ends, &s->k.spread, v, n);
		step->p = hd_bisect_class_p(&s->b->ends, &s->k.spread, v, n);
	}
	free(v);
}

static void set_ends(struct search *s)
{
	double *good, *bad;
	size_t ng = values_of(&s->k, s->b->good, &good), nb = values_of(&s->k, s->b->bad, &bad);

	s->b->ends = hd_bisect_class_between(good, ng, bad, nb, s->o->limit);
	free(good);
	free(bad);
}

/*
 * Measure the good and the bad commit until they differ significantly and the bad one is beyond the threshold
 * (hd_bisect_class_moved()).  Returns 1 if they do.  Returns 0 if they do not, after `most` runs of each or, without a
 * command, with the stored runs.  Returns < 0 on error, also if the command fails at one of the two commits.
 */
static int measure_ends(struct search *s)
{
	const char *end[2] = { s->b->bad, s->b->good };
	int rc = 1;

	for (size_t want = s->o->runs; rc > 0; want++) {
		for (int i = 0; i < 2 && rc > 0; i++) {
			double *v;
			size_t n = values_of(&s->k, end[i], &v);

			free(v);
			if (s->o->command)
				rc = make_runs(s, end[i], want);
			else if (!n)
				return hd_fail(s->err, HD_ENOBASE,
					"no run of commit %.12s (%s) with status ok in %s; add a command after -- that "
					"records them",
					end[i], i ? "--good" : "--bad", s->o->db);
			if (rc == 0)
				return hd_fail(s->err, HD_EIO,
					"'%s' failed with status %d at commit %.12s (%s): it must succeed at both ends",
					s->o->command[0], step_of(s, end[i])->failed, end[i], i ? "--good" : "--bad");
		}
		if (rc < 0)
			return rc;
		set_ends(s);
		judge(s, s->b->bad);
		judge(s, s->b->good);
		if (s->is_absent)
			return hd_fail(s->err, HD_EFORMAT, "%s", s->absent.msg);
		if (hd_bisect_class_moved(&s->b->ends, &s->k.spread))
			return 1;
		if (!s->o->command || want >= s->o->most)
			return 0;
	}
	return rc;
}

/*
 * Return the next commit: the best candidate that its stored runs classify as good or bad.  If there is none, return
 * the best candidate for which the command can record runs; NULL if there is neither.
 */
static const char *next_commit(struct search *s, const struct hd_shas *candidates, const char *bad)
{
	for (size_t i = 0; i < candidates->n; i++) {
		const char *sha = candidates->items[i];

		if (!strcmp(sha, bad) || hd_shas_have(&s->passed, sha))
			continue;
		judge(s, sha);
		if (step_of(s, sha)->side != HD_BISECT_CLASS_UNSURE)
			return sha;
	}
	for (size_t i = 0; i < candidates->n && s->o->command; i++)
		if (strcmp(candidates->items[i], bad) && !hd_shas_have(&s->passed, candidates->items[i]))
			return candidates->items[i];
	return NULL;
}

/*
 * Measure a commit until its class (good or bad) is certain, with at most `most` runs.  Returns 1, also if the class is
 * still unsure; 0 if the command fails; < 0 on error.
 */
static int decide(struct search *s, const char *sha)
{
	int rc = 1;

	judge(s, sha);
	for (size_t want = s->o->runs;
		rc > 0 && step_of(s, sha)->side == HD_BISECT_CLASS_UNSURE && want <= s->o->most && s->o->command;
		want++) {
		rc = make_runs(s, sha, want);
		if (rc > 0)
			judge(s, sha);
	}
	return rc;
}

static int search(struct search *s)
{
	char *bad = hd_strdup(s->b->bad);
	int rc = 0;

	hd_shas_add(&s->good, s->b->good);
	for (;;) {
		struct hd_shas candidates = { 0 };
		const struct hd_bisect_step *step;
		const char *sha;

		rc = hd_bisect_git_candidates(s->g, &candidates, bad, &s->good, s->err);
		sha = rc >= 0 ? next_commit(s, &candidates, bad) : NULL;
		if (rc < 0 || !sha) {
			bool built = s->o->command || s->passed.n;

			s->b->left = candidates;
			s->b->verdict = candidates.n == 1 ? HD_BISECT_FOUND
				: built                   ? HD_BISECT_ONE_OF
							  : HD_BISECT_NO_RUNS;
			break;
		}
		rc = decide(s, sha);
		step = step_of(s, sha);
		progress(step, candidates.n);
		if (rc >= 0 && step->side == HD_BISECT_CLASS_BAD) {
			free(bad);
			bad = hd_strdup(sha);
		} else if (rc >= 0) {
			hd_shas_add(step->side == HD_BISECT_CLASS_GOOD ? &s->good : &s->passed, sha);
		}
		hd_shas_release(&candidates);
		if (rc < 0)
			break;
	}
	free(bad);
	return rc < 0 ? rc : 0;
}

/*
 * Compute the uncertainty of the result from all runs.  Turn NOT_MOVED into UNSURE if the runs do not exclude a change
 * of the limit.
 */
static void set_sureness(struct search *s)
{
	struct hd_bisect *b = s->b;

	b->limit = s->o->limit > 0 ? s->o->limit : HD_BISECT_CLASS_SMALL_PCT;
	b->change = hd_bisect_class_change(&b->ends, &s->k.spread);
	b->counting_only = !(s->k.spread.df > 0);
	b->p = 0;
	for (size_t i = 0; i < b->n; i++)
		if (b->steps[i].side != HD_BISECT_CLASS_UNSURE)
			b->p += b->steps[i].p;
	b->p = b->p > 1 ? 1 : b->p;
	if (b->verdict == HD_BISECT_NOT_MOVED && !hd_bisect_class_unmoved(&b->ends, &s->k.spread, b->limit))
		b->verdict = HD_BISECT_UNSURE;
}

int hd_bisect(struct hd_bisect *b, struct hd_bisect_git *g, const struct hd_bisect_opts *o, struct hd_err *err)
{
	struct search s = { .b = b, .g = g, .o = o, .err = err };
	int rc;

	*b = (struct hd_bisect){ 0 };
	rc = hd_bisect_git_commit(g, &b->good, o->good, err);
	if (rc >= 0)
		rc = hd_bisect_git_commit(g, &b->bad, o->bad, err);
	if (rc >= 0)
		rc = hd_bisect_git_is_ancestor(g, b->good, b->bad, err);
	if (rc == 0)
		rc = hd_fail(err, HD_EUSAGE,
			"bisect: --good %s must be an ancestor of --bad %s; 'git merge-base %s %s' prints a common one",
			o->good, o->bad, o->good, o->bad);
	else if (rc > 0 && !strcmp(b->good, b->bad))
		rc = hd_fail(err, HD_EUSAGE, "bisect: --good %s must be an ancestor of --bad %s, not the same commit",
			o->good, o->bad);
	if (rc >= 0)
		rc = load(&s);
	if (rc >= 0)
		rc = measure_ends(&s);
	if (rc > 0)
		rc = search(&s);
	else if (rc == 0)
		b->verdict = HD_BISECT_NOT_MOVED;
	if (rc >= 0)
		set_sureness(&s);
	known_release(&s.k);
	hd_shas_release(&s.good);
	hd_shas_release(&s.passed);
	if (rc < 0)
		hd_bisect_release(b);
	return rc;
}

void hd_bisect_release(struct hd_bisect *b)
{
	for (size_t i = 0; i < b->n; i++)
		free(b->steps[i].sha);
	free(b->steps);
	free(b->good);
	free(b->bad);
	hd_shas_release(&b->left);
	*b = (struct hd_bisect){ 0 };
}
