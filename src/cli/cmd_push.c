/*
 * cmd_push.c - hotdrift push [TO]: send the runs of this database to another one
 */
#include "base/encode.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/db_option.h"
#include "cli/ini.h"
#include "cli/input.h"
#include "history/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct push_opts {
	struct hd_db_option db;
	const char *key, *out;
	bool json;
};

static const struct push_opts push_defaults = { 0 };

static const struct hd_opt push_opts[] = {
	{ HD_OPT_STR, 0, "key", "FILE", "also send what was signed with this key", offsetof(struct push_opts, key) },
	HD_ROW_JSON(struct push_opts, "hotdrift.push"),
	HD_ROW_OUTPUT(struct push_opts),
	{ 0 },
};
static const struct hd_opt_group push_groups[] = { HD_DB_OPTION_GROUP(struct push_opts, db), { NULL, NULL, 0 } };

/* Return the path or URL of the remote, caller-owned.  A relative path is resolved from the folder of hotdrift.ini. */
static char *from_folder(const char *ini, const char *remote)
{
	const char *slash = strrchr(ini, '/');
	struct hd_buf path = { 0 };

	if (*remote != '/' && !strstr(remote, "://") && slash)
		hd_buf_add(&path, ini, (size_t)(slash + 1 - ini));
	hd_buf_adds(&path, remote);
	return hd_buf_take(&path);
}

/* Set *to (owned by the caller) to the key `remote` of the hotdrift.ini that applies to the current folder. */
static int remote_of_ini(char **to, struct hd_log *log, struct hd_err *err)
{
	struct hd_buf path = { 0 };
	struct hd_ini ini = { 0 };
	char *cwd = getcwd(NULL, 0);
	int rc;

	if (!cwd)
		return hd_fail_errno(err, HD_EIO, errno, "the current folder");
	rc = hd_ini_locate(&path, cwd, err);
	if (rc == 0) {
		rc = hd_fail(err, HD_EUSAGE,
			"push: no destination: there is no hotdrift.ini here with a remote; name a file or "
				"postgresql://...");
	} else if (rc > 0) {
		rc = hd_ini_read(&ini, path.data, log, err);
		if (rc >= 0 && !ini.remote)
			rc = hd_fail(err, HD_EUSAGE,
				"push: no destination: %s has no 'remote =' in [hotdrift]; name a file or "
					"postgresql://...",
				path.data);
		else if (rc >= 0)
			*to = from_folder(path.data, ini.remote);
		hd_ini_release(&ini);
	}
	free(cwd);
	hd_buf_release(&path);
	return rc;
}

static void print(struct hd_buf *out, const struct hd_merge *m, const struct push_opts *o, const char *from,
	const char *to)
{
	struct hd_jsonw w;

	if (!o->json) {
		hd_enc_term(out, to, strlen(to));
		hd_buf_addf(out, ": %lld added, %lld known", (long long)m->added, (long long)m->known);
		if (m->pruned)
			hd_buf_addf(out, ", %lld pruned", (long long)m->pruned);
		if (m->anchors)
			hd_buf_addf(out, ", %lld anchors", (long long)m->anchors);
		hd_buf_addc(out, '\n');
		return;
	}
	w = hd_jsonw_document(out, "hotdrift.push", 1);
	hd_jsonw_str(&w, "db", from);
	hd_jsonw_str(&w, "remote", to);
	hd_jsonw_i64(&w, "added", m->added);
	hd_jsonw_i64(&w, "known", m->known);
	hd_jsonw_i64(&w, "pruned", m->pruned);
	hd_jsonw_i64(&w, "anchors", m->anchors);
	hd_jsonw_close(&w, '}');
}

static void tell_how_far(const struct hd_merge *m, struct hd_err *err)
{
	size_t n = strlen(err->msg);

	snprintf(err->msg + n, sizeof(err->msg) - n, "; runs sent before: %lld; another push continues after them",
		 (long long)(m->added + m->pruned));
}

static int push(const struct push_opts *o, const char *to, struct hd_merge *m, struct hd_buf *text, struct hd_err *err)
{
	const struct hd_db_option remote = { .db = to, .busy_ms = o->db.busy_ms };
	struct hd_db *from, *into;
	int rc = hd_db_option_open(&from, &o->db, HD_DB_READ, 0, err);

	if (rc < 0)
		return rc;
	rc = hd_db_option_open(&into, &remote, HD_DB_WRITE, 0, err);
	if (rc < 0) {
		hd_db_close(from);
		return rc;
	}
	rc = hd_merge(into, from, m, err);
	if (rc >= 0)
		print(text, m, o, hd_db_name(from), hd_db_name(into));
	else if (m->added + m->pruned)
		tell_how_far(m, err);
	hd_db_close(into);
	hd_db_close(from);
	return rc;
}

static int push_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct push_opts *o = opts;
	struct hd_merge m = { 0 };
	struct hd_buf text = { 0 };
	struct hd_signing_key key = { 0 };
	char *to = argc ? hd_strdup(argv[0]) : NULL;
	int rc = 0;

	if (o->key) {
		rc = hd_signing_key_read(&key, o->key, false, log, err);
		m.key = &key;
	}
	if (rc >= 0 && !to)
		rc = remote_of_ini(&to, log, err);
	if (rc >= 0)
		rc = push(o, to, &m, &text, err);
	hd_signing_key_release(&key);
	free(to);
	return rc < 0 ? rc : hd_output_write(o->out, &text, err);
}

const struct hd_cmd hd_cmd_push = {
	.name = "push",
	.args = "[TO]",
	.summary = "send the runs of this database to another one",
	.details =
		"TO is an SQLite file or postgresql://..., created if missing.  The default is 'remote =' in "
		"[hotdrift] of hotdrift.ini.  A push is a merge in the other direction: each run is copied "
		"unchanged, with its id, its chain and its hashes, in one transaction, and runs that TO already has "
		"are skipped.  So an interrupted push is simply repeated, and many machines may push at once.\n"
		"\n"
		"A run that was altered here is not sent, nor any run after it in its chain (exit 5).  If the remote "
		"cannot be reached, the exit is 6 and nothing is lost.",
	.examples =
		"hotdrift push postgresql://ci@db.example/hotdrift\tto the history that all machines share\n"
		"hotdrift push\tto the remote of hotdrift.ini\n"
		"",
	HD_CMD_OPTS(push_opts, push_defaults),
	.groups = push_groups,
	.min_args = 0,
	.max_args = 1,
	.run = push_run,
};
