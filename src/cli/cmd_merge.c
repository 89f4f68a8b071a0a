/*
 * cmd_merge.c - hotdrift merge FROM...: copy the runs of other databases into one
 */
#include "base/encode.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/db_option.h"
#include "cli/input.h"
#include "history/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct merge_opts {
	struct hd_db_option db;
	const char *key, *out;
	bool json;
};

static const struct merge_opts merge_defaults = { 0 };

static const struct hd_opt merge_opts[] = {
	{ HD_OPT_STR, 0, "key", "FILE",
		"also copy the anchors of this key, verify everything, and sign the heads of the chains",
		offsetof(struct merge_opts, key) },
	HD_ROW_JSON(struct merge_opts, "hotdrift.merge"),
	HD_ROW_OUTPUT(struct merge_opts),
	{ 0 },
};
static const struct hd_opt_group merge_groups[] = { HD_DB_OPTION_GROUP(struct merge_opts, db), { NULL, NULL, 0 } };

struct source {
	char *name;
	struct hd_merge m;
};

/* Fail if there is no such database, before the database that is merged into is created. */
static int check_source(const char *path, struct hd_err *err)
{
	if (strstr(path, "://") || access(path, F_OK) == 0)
		return 0;
	return hd_fail_errno(err, HD_EIO, errno, "%s: there is no database to merge from", path);
}

static int merge_one(struct hd_db *into, const char *path, unsigned busy_ms, struct source *s, struct hd_err *err)
{
	const struct hd_db_option arg = { .db = path, .busy_ms = busy_ms };
	struct hd_db *from;
	int rc = hd_db_option_open(&from, &arg, HD_DB_READ, 0, err);

	if (rc < 0)
		return rc;
	s->name = hd_strdup(hd_db_name(from));
	rc = hd_merge(into, from, &s->m, err);
	hd_db_close(from);
	return rc;
}

static void print(struct hd_buf *out, const struct source *sources, int n, const struct merge_opts *o, const char *into)
{
	struct hd_jsonw w;

	if (!o->json) {
		for (int i = 0; i < n; i++) {
			hd_enc_term(out, sources[i].name, strlen(sources[i].name));
			hd_buf_addf(out, ": %lld added, %lld known", (long long)sources[i].m.added,
				(long long)sources[i].m.known);
			if (sources[i].m.pruned)
				hd_buf_addf(out, ", %lld pruned", (long long)sources[i].m.pruned);
			if (sources[i].m.anchors)
				hd_buf_addf(out, ", %lld anchors", (long long)sources[i].m.anchors);
			hd_buf_addc(out, '\n');
		}
		return;
	}
	w = hd_jsonw_document(out, "hotdrift.merge", 1);
	hd_jsonw_str(&w, "db", into);
	hd_jsonw_open(&w, "sources", '[');
	for (int i = 0; i < n; i++) {
		hd_jsonw_row(&w, NULL, '{');
		hd_jsonw_str(&w, "db", sources[i].name);
		hd_jsonw_i64(&w, "added", sources[i].m.added);
		hd_jsonw_i64(&w, "known", sources[i].m.known);
		hd_jsonw_i64(&w, "pruned", sources[i].m.pruned);
		hd_jsonw_i64(&w, "anchors", sources[i].m.anchors);
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
}

static int merge_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct merge_opts *o = opts;
	struct hd_anchors made = { 0 };
	struct hd_buf text = { 0 };
	struct hd_signing_key key = { 0 };
	struct source *sources;
	struct hd_db *into;
	int rc;

	rc = o->key ? hd_signing_key_read(&key, o->key, true, log, err) : 0;
	for (int i = 0; i < argc && rc >= 0; i++)
		rc = check_source(argv[i], err);
	if (rc >= 0)
		rc = hd_db_option_open(&into, &o->db, HD_DB_WRITE, 0, err);
	if (rc < 0)
		return rc;
	sources = hd_new_array(struct source, argc);
	for (int i = 0; i < argc && rc >= 0; i++) {
		sources[i].m.key = o->key ? &key : NULL;
		rc = merge_one(into, argv[i], o->db.busy_ms, &sources[i], err);
	}
	if (rc >= 0 && o->key)
		rc = hd_anchor_sign(into, &key, NULL, NULL, NULL, &made, err);
	if (rc >= 0)
		print(&text, sources, argc, o, hd_db_name(into));
	hd_db_close(into);
	hd_anchors_release(&made);
	hd_signing_key_release(&key);
	for (int i = 0; i < argc; i++)
		free(sources[i].name);
	free(sources);
	return rc < 0 ? rc : hd_output_write(o->out, &text, err);
}

const struct hd_cmd hd_cmd_merge = {
	.name = "merge",
	.args = "FROM...",
	.summary = "copy the runs of other databases into this one",
	.details =
		"FROM and --db are SQLite files or postgresql://...; --db is created if missing.  Each run is copied "
		"unchanged, with its id, its chain and its hashes, in one transaction.  Runs that are already there "
		"are skipped, so an interrupted merge is simply repeated.\n"
		"\n"
		"Every run is verified: a run is rejected, and the merge ends (exit 5), if its content does not "
		"match its hash, if it does not follow the run before it, or if it differs from a run stored at the "
		"same place.  Acknowledgements, expectations and drift events are not copied.\n"
		"\n"
		"With --key, what was signed with that key is copied too, then the whole history is verified and the "
		"head of each chain is signed (see 'hotdrift verify --help').",
	.examples =
		"hotdrift merge --db all.db laptop.db ci.db\tone file from two\n"
		"hotdrift merge --db postgresql://ci@db.example/hotdrift results/hotspots.db\ta file to a server\n"
		"",
	HD_CMD_OPTS(merge_opts, merge_defaults),
	.groups = merge_groups,
	.min_args = 1,
	.max_args = -1,
	.run = merge_run,
};
