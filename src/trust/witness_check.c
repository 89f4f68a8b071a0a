/*
 * witness_check.c - check the lines of chains and the "bundle" lines of a witness, and compare it with a database
 *
 * witness_check_rows.c checks the rows and texts of a run.
 */
#include "trust/witness_check.h"

#include "base/mem.h"
#include "trust/chain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int hd_witness_checker_fail(struct hd_witness_checker *c, struct hd_err *err, const char *what)
{
	return hd_fail(err, HD_ENO, "%s: line %zu: %s", c->path, c->line, what);
}

/* ---- members ---- */

const char *hd_witness_checker_string(const struct hd_json *o, const char *key)
{
	const struct hd_json *v = hd_json_get(o, key);
	size_t n;
	const char *s;

	if (!v || hd_json_kind(v) != HD_JSON_STRING)
		return NULL;
	s = hd_json_string(v, &n);
	return strlen(s) == n ? s : NULL;
}

static bool is_null(const struct hd_json *o, const char *key)
{
	const struct hd_json *v = hd_json_get(o, key);

	return v && hd_json_kind(v) == HD_JSON_NULL;
}

bool hd_witness_checker_integer(const struct hd_json *v, int64_t *out)
{
	const char *text;
	char *end;

	if (!v || hd_json_kind(v) != HD_JSON_NUMBER)
		return false;
	text = hd_json_number(v);
	errno = 0;
	*out = strtoll(text, &end, 10);
	return !*end && !errno;
}

bool hd_witness_checker_is_hash(const char *s)
{
	return s && strlen(s) == HD_SHA256_HEX - 1 && !s[strspn(s, "0123456789abcdef")];
}

/* ---- the head, and the entries of chains ---- */

static int on_head(struct hd_witness_checker *c, const struct hd_json *o, struct hd_err *err)
{
	int64_t version = 0;

	if (!hd_witness_checker_integer(hd_json_get(o, "version"), &version) || version < 1)
		return hd_fail(err, HD_EFORMAT, "%s: line 1: no version", c->path);
	if (version > HD_WITNESS_VERSION)
		return hd_fail(err, HD_EFORMAT, "%s: a witness of version %lld; this program supports versions up "
			"to %d", c->path,
			(long long)version, HD_WITNESS_VERSION);
	c->state = HD_WITNESS_AT_PLACES;
	return 0;
}

static int on_place(struct hd_witness_checker *c, const struct hd_json *o, bool pruned, struct hd_err *err)
{
	const char *origin = hd_witness_checker_string(o, "origin"), *prev = hd_witness_checker_string(o, "prev"),
		   *content = hd_witness_checker_string(o, "content"), *hash = hd_witness_checker_string(o, "hash");
	struct hd_witness *w = c->w;
	const struct hd_witness_place *before = w->nplaces ? &w->places[w->nplaces - 1] : NULL;
	char want[HD_SHA256_HEX];
	struct hd_witness_place p = { .pruned = pruned, .line = c->line };

	if (c->state != HD_WITNESS_AT_PLACES)
		return hd_witness_checker_fail(c, err, "a place of a chain after the runs");
	if (!origin || strlen(origin) >= sizeof(p.origin) || !hd_witness_checker_is_hash(prev) ||
		!hd_witness_checker_is_hash(content) || !hd_witness_checker_is_hash(hash) ||
		!hd_witness_checker_integer(hd_json_get(o, "seq"), &p.seq))
		return hd_witness_checker_fail(c, err, "a place of a chain lacks its names, hashes or number");
	if (before && strcmp(before->origin, origin))
		before = NULL;
	if (p.seq != (before ? before->seq + 1 : 1) || strcmp(prev, before ? before->hash : HD_CHAIN_START))
		return hd_witness_checker_fail(c, err, "this run does not follow the one before it in its chain");
	hd_chain_link(origin, p.seq, prev, content, want);
	if (strcmp(want, hash))
		return hd_witness_checker_fail(c, err, "the hash of this run is not that of its content and its place");
	snprintf(p.origin, sizeof(p.origin), "%s", origin);
	snprintf(p.hash, sizeof(p.hash), "%s", hash);
	HD_GROW(w->places, w->nplaces + 1, w->places_cap);
	w->places[w->nplaces++] = p;
	hd_strtab_add(c->origins, origin);
	hd_strtab_add(c->hashes, hash);
	return 0;
}

/* ---- a run ---- */

struct hd_witness_run *hd_witness_checker_run(struct hd_witness_checker *c)
{
	return &c->w->runs[c->w->nruns - 1];
}

static bool is_in(struct hd_strtab *t, const char *s)
{
	uint32_t known = hd_strtab_count(t);

	return hd_strtab_add(t, s) < known;
}

/* If the witness has the hash chain of the run, check that the chain contains the run. */
static int check_in_chain(struct hd_witness_checker *c, const struct hd_witness_run *r, struct hd_err *err)
{
	bool has_chain = is_in(c->origins, r->origin);

	return has_chain && !is_in(c->hashes, r->hash) ? hd_witness_checker_fail(c, err, "this run is not in its chain")
						       : 0;
}

static int on_bundle(struct hd_witness_checker *c, struct hd_json_doc **doc, struct hd_err *err)
{
	const struct hd_json *o = hd_json_root(*doc), *inputs = hd_json_get(o, "inputs");
	const char *origin = hd_witness_checker_string(o, "origin"), *prev = hd_witness_checker_string(o, "prev"),
		   *content = hd_witness_checker_string(o, "content"), *hash = hd_witness_checker_string(o, "hash");
	const char *id = hd_witness_checker_string(o, "run"), *commit = hd_witness_checker_string(o, "commit"),
		   *config = hd_witness_checker_string(o, "config");
	char want[HD_SHA256_HEX];
	struct hd_witness_run *r;
	int64_t seq, form = 1;		/* witnesses of version 1 have no "form" */

	if (c->state != HD_WITNESS_AT_PLACES && c->state != HD_WITNESS_AT_BETWEEN)
		return hd_witness_checker_fail(c, err, "a run begins before the previous one has ended");
	if (!origin || !id || !hd_witness_checker_is_hash(prev) || !hd_witness_checker_is_hash(content) ||
		!hd_witness_checker_is_hash(hash) || !hd_witness_checker_integer(hd_json_get(o, "seq"), &seq) ||
		(!commit && !is_null(o, "commit")) || (!config && !is_null(o, "config")) || !inputs ||
		hd_json_kind(inputs) != HD_JSON_ARRAY)
		return hd_witness_checker_fail(c, err,
			"the head of a run lacks names, hashes, commit, config or inputs");
	if (hd_json_get(o, "form") && !hd_witness_checker_integer(hd_json_get(o, "form"), &form))
		return hd_witness_checker_fail(c, err, "the form of a run is not a number");
	if (!hd_content_hash_has_form(form))
		return hd_fail(err, HD_EFORMAT, "%s: line %zu: a run of form %lld was written by a newer hotdrift",
			c->path, c->line, (long long)form);
	hd_chain_link(origin, seq, prev, content, want);
	if (strcmp(want, hash))
		return hd_witness_checker_fail(c, err, "the hash of this run is not that of its content and its place");
	HD_GROW(c->w->runs, c->w->nruns + 1, c->w->runs_cap);
	r = &c->w->runs[c->w->nruns++];
	*r = (struct hd_witness_run){
		.run_id = hd_strdup(id), .hash = hd_strdup(hash), .origin = hd_strdup(origin),
		.content = hd_strdup(content), .prev = hd_strdup(prev),
		.commit = commit ? hd_strdup(commit) : NULL, .config = config ? hd_strdup(config) : NULL, .seq = seq,
		.line = c->line,
	};
	c->state = HD_WITNESS_AT_ROWS;
	c->given = c->inputs = 0;
	c->wanted = hd_strtab_new();
	hd_content_hash_begin(&c->content, (int)form);
	c->hashing = true;
	c->head = *doc;
	*doc = NULL;
	return check_in_chain(c, r, err);
}

/* ---- the file ---- */

static int on_line(struct hd_witness_checker *c, const struct hd_witness_line *l, struct hd_err *err)
{
	struct hd_json_doc *doc;
	struct hd_err why;
	const struct hd_json *o;
	const char *kind;
	int rc;

	if (hd_json_parse(&doc, l->text, l->len, c->path, &why) < 0)
		return hd_fail(err, HD_ENO, "%s: line %zu is not valid JSON", c->path, c->line);
	o = hd_json_root(doc);
	if (hd_json_kind(o) != HD_JSON_OBJECT) {
		hd_json_free(doc);
		return hd_witness_checker_fail(c, err, "it is not an object");
	}
	kind = hd_witness_checker_string(o, "kind");
	if (c->state == HD_WITNESS_AT_HEAD)
		rc = on_head(c, o, err);
	else if (!kind)
		rc = hd_witness_checker_fail(c, err, "it has no kind");
	else if (!strcmp(kind, "run") || !strcmp(kind, "tombstone"))
		rc = on_place(c, o, *kind == 't', err);
	else if (!strcmp(kind, "bundle"))
		rc = on_bundle(c, &doc, err);
	else if (!strcmp(kind, "row"))
		rc = hd_witness_checker_on_row(c, o, err);
	else if (!strcmp(kind, "text"))
		rc = hd_witness_checker_on_text(c, o, err);
	else if (!strcmp(kind, "end"))
		rc = hd_witness_checker_on_end(c, o, err);
	else if (!strcmp(kind, "footer") && c->state != HD_WITNESS_AT_ROWS && c->state != HD_WITNESS_AT_TEXTS)
		rc = 0;
	else
		rc = hd_witness_checker_fail(c, err, "lines of this kind do not belong here");
	hd_json_free(doc);
	return rc;
}

int hd_witness_check(struct hd_witness *w, const char *text, size_t len, const char *path, struct hd_err *err)
{
	struct hd_witness_checker c = { .w = w, .path = path };
	struct hd_witness_line *lines;
	int rc;

	*w = (struct hd_witness){ 0 };
	rc = hd_witness_lines(&lines, &w->lines, text, len, path, err);
	if (rc < 0)
		return rc;
	c.origins = hd_strtab_new();
	c.hashes = hd_strtab_new();
	for (c.line = 1; c.line <= w->lines && rc >= 0; c.line++)
		rc = on_line(&c, &lines[c.line - 1], err);
	hd_witness_checker_end_run(&c);
	memcpy(w->sum, lines[w->lines - 1].text + lines[w->lines - 1].len - 66, 64);
	hd_strtab_free(c.origins);
	hd_strtab_free(c.hashes);
	free(lines);
	return rc;
}

void hd_witness_release(struct hd_witness *w)
{
	for (size_t i = 0; i < w->nruns; i++) {
		struct hd_witness_run *r = &w->runs[i];
		char *const texts[] = { r->run_id, r->hash, r->origin, r->content, r->prev, r->commit, r->config,
			r->recording, r->inline_mode };

		for (size_t k = 0; k < HD_COUNT(texts); k++)
			free(texts[k]);
		for (size_t k = 0; k < r->ntops; k++) {
			free(r->tops[k].name);
			free(r->tops[k].vaddr);
		}
		free(r->tops);
		hd_witness_sums_release(&r->sums);
	}
	free(w->runs);
	free(w->places);
	*w = (struct hd_witness){ 0 };
}

/* ---- against a database ---- */

static int differs(const struct hd_witness_place *p, struct hd_db *db, const char *path, bool there, struct hd_err *err)
{
	return hd_fail(err, HD_ENO, "%s: line %zu: %s %s run %lld of chain %s", path, p->line, hd_db_name(db),
		       there ? "has another hash for" : "has no", (long long)p->seq, p->origin);
}

/* Compare n consecutive entries of one hash chain with the database, which may have more entries after them. */
static int compare_chain(const struct hd_witness_place *p, size_t n, struct hd_db *db, const char *path,
	struct hd_err *err)
{
	struct hd_chain_place there;
	struct hd_db_rows r;
	size_t i = 0;
	int rc;

	rc = hd_chain_places(&r, db, p->origin, err);
	while (rc >= 0 && i < n && (rc = hd_chain_next(&r, &there, err)) > 0) {
		if (there.seq == p[i].seq) {
			if (!there.hash || strcmp(there.hash, p[i].hash))
				rc = differs(&p[i], db, path, true, err);
			i++;
		}
		hd_chain_place_release(&there);
	}
	hd_db_end(&r);
	return rc >= 0 && i < n ? differs(&p[i], db, path, false, err) : rc < 0 ? rc : 0;
}

static int compare_run(const struct hd_witness_run *run, struct hd_db *db, const char *path, struct hd_err *err)
{
	int64_t there;
	int rc;

	rc = hd_db_query_int(db, &there, 0, err,
		"SELECT COUNT(*) FROM run WHERE run_id = $1 AND run_hash = $2 AND origin = $3 AND seq = $4", "ttti",
		run->run_id, run->hash, run->origin, run->seq);
	if (rc >= 0 && !there)
		rc = hd_fail(err, HD_ENO, "%s: line %zu: %s has no run %s with this hash at this place", path,
			run->line, hd_db_name(db), run->run_id);
	return rc;
}

int hd_witness_compare(const struct hd_witness *w, struct hd_db *db, const char *path, struct hd_err *err)
{
	int rc = 0;

	for (size_t i = 0, n; i < w->nplaces && rc >= 0; i += n) {
		for (n = 1; i + n < w->nplaces && !strcmp(w->places[i + n].origin, w->places[i].origin);)
			n++;
		rc = compare_chain(&w->places[i], n, db, path, err);
	}
	for (size_t i = 0; i < w->nruns && rc >= 0; i++)
		rc = compare_run(&w->runs[i], db, path, err);
	return rc;
}
