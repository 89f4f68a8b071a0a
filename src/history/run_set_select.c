/* run_set_select.c - see run_set.h: operations on a set, and the selection of runs by the name that the user gives */
#include "history/run_set.h"

#include "base/mem.h"
#include "history/run_set_load.h"
#include "history/git_commit.h"
#include "history/git_revision.h"
#include "history/run_lookup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- operations on a set ---- */

static bool is_of_side(const struct hd_run_set_member *r, const void *arg)
{
	const char *side = arg;

	return r->side && side ? !strcmp(r->side, side) : r->side == side;
}

void hd_run_set_keep_newest_side(struct hd_run_set *s)
{
	if (s->n)
		hd_run_set_keep(s, is_of_side, s->runs[s->n - 1].side);
}

void hd_run_set_keep(struct hd_run_set *s, bool (*keep)(const struct hd_run_set_member *r, const void *arg),
	const void *arg)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (keep(&s->runs[i], arg))
			s->runs[n++] = s->runs[i];
	s->set_aside += s->n - n;
	s->partial |= n < s->n;
	s->n = n;
}

void hd_run_set_set_name(struct hd_run_set *s)
{
	const struct hd_run_set_member *r = s->n ? &s->runs[0] : NULL;
	bool same = r && r->commit;

	s->commit[0] = '\0';
	for (size_t i = 1; i < s->n && same; i++)
		same = s->runs[i].commit && !strcmp(s->runs[i].commit, r->commit) && s->runs[i].dirty == r->dirty;
	if (same)
		snprintf(s->commit, sizeof(s->commit), "%s", r->commit);
	if (same)
		snprintf(s->name, sizeof(s->name), "%.12s%s", r->commit, r->dirty ? "+" : "");
	else if (s->n == 1)
		snprintf(s->name, sizeof(s->name), "%s", r->id);
	else
		snprintf(s->name, sizeof(s->name), "%zu runs", s->n);
}

void hd_run_set_ref(struct hd_buf *out, const struct hd_run_set *s)
{
	if (s->commit[0])
		hd_buf_addf(out, "%s%s", s->commit, s->runs[0].dirty ? "+" : "");
	for (size_t i = 0; i < s->n && !s->commit[0]; i++)
		hd_buf_addf(out, "%s%s", i ? "," : "", s->runs[i].id);
	hd_buf_adds(out, "");
}

void hd_run_set_release(struct hd_run_set *s)
{
	free(s->runs);
	hd_arena_release(&s->arena);
	*s = (struct hd_run_set){ 0 };
}

/* ---- selecting ---- */

static bool same(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/* ---- filters ---- */

static bool is_ok(const struct hd_run_set_member *r, const void *arg)
{
	(void)arg;
	return !strcmp(r->status, "ok");
}

static bool is_modified(const struct hd_run_set_member *r, const void *arg)
{
	return r->dirty == *(const bool *)arg;
}

static bool is_of_session(const struct hd_run_set_member *r, const void *arg)
{
	return same(r->session, arg);
}

struct field {
	enum hd_run_field f;
	const char *value;
};

static bool has_value(const struct hd_run_set_member *r, const void *arg)
{
	const struct field *f = arg;

	return same(r->like[f->f], f->value);
}

/* Keep the runs of the requested target.  If none was requested, HD_EUSAGE unless all runs have the same target. */
static int choose_target(struct hd_run_set *s, const char *requested, struct hd_err *err)
{
	struct field f = { HD_RUN_FIELD_TARGET, requested };
	struct hd_buf names = { 0 };
	size_t n = 1;
	int rc = 0;

	if (!requested && s->n)
		f.value = s->runs[s->n - 1].like[HD_RUN_FIELD_TARGET];
	for (size_t i = 0; i < s->n && !requested; i++) {
		const char *target = s->runs[i].like[HD_RUN_FIELD_TARGET];
		bool seen = same(target, f.value);

		for (size_t k = 0; k < i && !seen; k++)
			seen = same(target, s->runs[k].like[HD_RUN_FIELD_TARGET]);
		if (seen)
			continue;
		n++;
		if (names.len < 400)
			hd_buf_addf(&names, ", %s", target ? target : "");
	}
	if (n > 1)
		rc = hd_fail(err, HD_EUSAGE, "there are runs of %zu targets; name one with --target: %s%s", n,
			f.value ? f.value : "", hd_buf_str(&names));
	else
		hd_run_set_keep(s, has_value, &f);
	hd_buf_release(&names);
	return rc;
}

static void choose_mode(struct hd_run_set *s, const char *requested)
{
	struct field f = { HD_RUN_FIELD_MODE, requested };

	for (size_t i = 0; i < s->n && !f.value; i++)
		if (same(s->runs[i].like[HD_RUN_FIELD_MODE], "cpu"))
			f.value = "cpu";
	if (!f.value && s->n)
		f.value = s->runs[s->n - 1].like[HD_RUN_FIELD_MODE];
	hd_run_set_keep(s, has_value, &f);
}

/*
 * Select the runs that represent this side of the comparison.  modified: take only runs of a modified tree (true) or of
 * a clean one (false); NULL: both.  If the tree was modified, only the runs of one session are used, because the tree
 * may have had other changes in other sessions.  named: the user named each run.  If not, only the runs that were
 * recorded for the same side (`add --side`) as the newest run are kept.
 */
static int choose(struct hd_run_set *s, const struct hd_run_set_filter *filter, const bool *modified, bool named,
	struct hd_err *err)
{
	int rc;

	hd_run_set_keep(s, is_ok, NULL);
	if (modified)
		hd_run_set_keep(s, is_modified, modified);
	rc = choose_target(s, filter->target, err);
	if (rc < 0)
		return rc;
	choose_mode(s, filter->mode);
	if (modified && *modified && s->n && s->runs[s->n - 1].session)
		hd_run_set_keep(s, is_of_session, s->runs[s->n - 1].session);
	if (!named)
		hd_run_set_keep_newest_side(s);
	return 0;
}

static int fail_without_runs(const struct hd_run_set *s, struct hd_db *db, const char *what,
	const struct hd_run_set_filter *filter, struct hd_err *err)
{
	struct hd_nearest n = hd_nearest_to(filter->target ? filter->target : "");
	char aside[96] = "";

	if (filter->target)
		hd_run_lookup_suggest_targets(&n, db);
	if (n.best[0] && n.distance)
		return hd_fail(err, HD_ENOBASE, "no run of %s, target %s%s", what, filter->target, hd_nearest_hint(&n));

	if (s->set_aside)
		snprintf(aside, sizeof(aside), " (%zu failed, were of modified files or of another kind)",
			s->set_aside);
	return hd_fail(err, HD_ENOBASE,
		"no run of %s%s%s that could be compared%s; see 'hotdrift add --help' for how to add one", what,
		filter->target ? ", target " : "", filter->target ? filter->target : "", aside);
}

/* ---- the runs of a commit, or of the commit or session of the latest run ---- */

static int find_commit(struct hd_run_set *s, struct hd_db *db, const char *sha, bool modified,
	const struct hd_run_set_filter *filter, struct hd_err *err)
{
	int rc = hd_run_set_load_commit(s, db, sha, filter->event, err);

	return rc < 0 ? rc : choose(s, filter, &modified, false, err);
}

static int find_latest(struct hd_run_set *s, struct hd_db *db, const char *spec, const struct hd_run_set_filter *filter,
	struct hd_err *err)
{
	char *commit = NULL, *session = NULL, *target = NULL;
	struct hd_buf name = { 0 };
	bool modified;
	int64_t row;
	int rc;

	hd_buf_adds(&name, spec);
	if (filter->target && !strncmp(spec, "latest", 6) && spec[6] != ':') {
		hd_buf_reset(&name);
		hd_buf_addf(&name, "latest:%s%s", filter->target, spec + 6);
	}
	rc = hd_run_lookup(db, name.data, &row, err);
	hd_buf_release(&name);
	if (rc >= 0)
		rc = hd_run_set_load_run(s, db, row, filter->event, err);
	if (rc < 0 || !s->n)
		return rc;
	modified = s->runs[0].dirty;
	commit = s->runs[0].commit ? hd_strdup(s->runs[0].commit) : NULL;
	session = s->runs[0].session ? hd_strdup(s->runs[0].session) : NULL;
	target = s->runs[0].like[HD_RUN_FIELD_TARGET] ? hd_strdup(s->runs[0].like[HD_RUN_FIELD_TARGET]) : NULL;
	if (commit || session) {
		struct hd_run_set_filter with_target = *filter;

		with_target.target = target;
		s->n = 0;
		if (commit)
			rc = find_commit(s, db, commit, modified, &with_target, err);
		else
			rc = hd_run_set_load_session(s, db, session, filter->event, err);
		if (rc >= 0 && !commit)
			rc = choose(s, &with_target, NULL, false, err);
	} else {
		rc = choose(s, filter, NULL, true, err);
	}
	free(commit);
	free(session);
	free(target);
	return rc;
}

/* ---- runs by id, or by any name ---- */

static int find_runs(struct hd_run_set *s, struct hd_db *db, const char *spec, const struct hd_run_set_filter *filter,
	struct hd_err *err)
{
	char *list = hd_strdup(spec), *save = NULL;
	int rc = 0;

	for (char *one = strtok_r(list, ",", &save); one && rc >= 0; one = strtok_r(NULL, ",", &save)) {
		int64_t row;
		bool there = false;

		rc = hd_run_lookup(db, one, &row, err);
		for (size_t i = 0; i < s->n && rc >= 0; i++)
			there = there || s->runs[i].row == row;
		if (rc >= 0 && there)
			rc = hd_fail(err, HD_EUSAGE, "run '%s' is named twice", one);
		if (rc >= 0)
			rc = hd_run_set_load_run(s, db, row, filter->event, err);
	}
	free(list);
	if (rc >= 0)
		rc = choose(s, filter, NULL, true, err);
	return rc;
}

/*
 * Look up a commit in the database by sha or prefix; git may not know it.  Returns 1; 0 if there is none; < 0 on error.
 */
static int known_commit(struct hd_db *db, const char *start, char sha[HD_GIT_REVISION_SHA], struct hd_err *err)
{
	struct hd_db_rows r;
	size_t n = strspn(start, "0123456789abcdef"), len;
	int rc, found = 0;

	if (start[n] || n < 4 || n >= HD_GIT_REVISION_SHA)
		return 0;
	rc = hd_db_query(&r, db, err, "SELECT sha FROM commit_info WHERE SUBSTR(sha, 1, LENGTH($1)) = $1 LIMIT 2", "t",
		start);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		const char *s = hd_col_bytes(&r, 0, &len);

		snprintf(sha, HD_GIT_REVISION_SHA, "%s", s ? s : "");
		found++;
	}
	hd_db_end(&r);
	if (rc >= 0 && found > 1)
		return hd_fail(err, HD_EFORMAT, "%s: '%s' begins the name of more than one commit", hd_db_name(db),
			start);
	return rc < 0 ? rc : found;
}

static int find_named(struct hd_run_set *s, struct hd_db *db, const char *spec, const struct hd_run_set_filter *filter,
	struct hd_err *err)
{
	size_t n = strlen(spec);
	bool modified = n && spec[n - 1] == '+';
	char *name = hd_strndup(spec, n - modified), sha[HD_GIT_REVISION_SHA] = "";
	struct hd_err no_run = { 0 };
	int64_t row;
	int rc = 1;

	if (!hd_git_revision_resolve(filter->dir ? filter->dir : ".", name, sha))
		rc = known_commit(db, name, sha, err);
	if (rc > 0)
		rc = find_commit(s, db, sha, modified, filter, err);
	else if (rc == 0 && modified)
		rc = hd_fail(err, HD_EFORMAT, "'%s' is not a commit that git or %s knows", name, hd_db_name(db));
	free(name);
	if (rc < 0 || s->n)
		return rc;
	/*
	 * The name is not a commit with runs, so look up a run.  If there is none and git knows the name as a commit,
	 * the caller reports that the commit has no runs.
	 */
	rc = hd_run_lookup(db, spec, &row, &no_run);
	if (rc == HD_EIO)
		return hd_fail(err, rc, "%s", no_run.msg);
	if (rc < 0 && !*sha)
		return hd_fail(err, HD_EFORMAT, "git knows no commit '%s', and %s", spec, no_run.msg);
	return rc < 0 ? 0 : find_runs(s, db, spec, filter, err);
}

static int find_head(struct hd_run_set *s, struct hd_db *db, const struct hd_run_set_filter *filter, struct hd_err *err)
{
	struct hd_git_commit g;
	struct hd_log quiet = { 0 };
	int rc = hd_git_commit_read(&g, filter->dir ? filter->dir : ".", NULL, &quiet, err);

	hd_log_release(&quiet);
	if (rc >= 0 && !g.sha) {
		snprintf(s->how, sizeof(s->how), "latest");
		rc = find_latest(s, db, "latest", filter, err);
	} else if (rc >= 0) {
		snprintf(s->how, sizeof(s->how), "HEAD");
		if (g.dirty == 1) {
			rc = find_commit(s, db, g.sha, true, filter, err);
			if (rc >= 0 && s->n)
				snprintf(s->how, sizeof(s->how), "HEAD, modified");
		}
		if (rc >= 0 && !s->n) {
			s->set_aside = 0;
			s->partial = false;
			rc = find_commit(s, db, g.sha, false, filter, err);
			if (rc >= 0 && s->n && g.dirty == 1)
				snprintf(s->how, sizeof(s->how), "HEAD; the modified tree has no runs");
		}
		if (rc >= 0 && !s->n) {
			char what[80];

			snprintf(what, sizeof(what), "HEAD (%.12s)", g.sha);
			rc = fail_without_runs(s, db, what, filter, err);
		}
	}
	hd_git_commit_release(&g);
	return rc;
}

int hd_run_set_find(struct hd_run_set *out, struct hd_db *db, const char *spec, const struct hd_run_set_filter *filter,
	struct hd_err *err)
{
	size_t n = spec ? strlen(spec) : 0;
	char *what;
	int rc;

	*out = (struct hd_run_set){ .how = "as named" };
	if (!spec)
		rc = find_head(out, db, filter, err);
	else if (strchr(spec, ','))
		rc = find_runs(out, db, spec, filter, err);
	else if (!strncmp(spec, "latest", 6) && (!spec[6] || spec[6] == ':' || spec[6] == '~'))
		rc = find_latest(out, db, spec, filter, err);
	else
		rc = find_named(out, db, spec, filter, err);
	if (rc >= 0 && !out->n) {
		while (n && spec[n - 1] == ',')		/* a list of one run ends with a comma */
			n--;
		what = spec ? hd_strndup(spec, n) : hd_strdup("the newest");
		rc = fail_without_runs(out, db, what, filter, err);
		free(what);
	}
	if (rc < 0)
		hd_run_set_release(out);
	else
		hd_run_set_set_name(out);
	return rc < 0 ? rc : 0;
}
