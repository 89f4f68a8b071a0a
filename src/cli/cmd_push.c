/*
 * cmd_push.c - hotdrift push [TO]: send the runs of this database to another one, or a profile to a server
 */
#include "base/encode.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/db_option.h"
#include "cli/ini.h"
#include "cli/input.h"
#include "cli/profile_source.h"
#include "history/merge.h"
#include "remote/profile_push.h"
#include "render/export_format.h"
#include "render/gzip.h"
#include "render/pprof.h"
#include "base/sha256.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct push_opts {
	struct hd_db_option db;
	struct hd_input in;
	struct hd_push_opts push;
	int protocol;
	const char *key, *out, *profile, *token_file;
	bool json, no_spool;
};

static const struct push_opts push_defaults = { .push = { .retries = 3, .http.timeout_s = 30 } };

static const struct hd_opt push_opts[] = {
	{ HD_OPT_STR, 0, "key", "FILE", "also send what was signed with this key", offsetof(struct push_opts, key) },
	{ HD_OPT_STR, 0, "profile", "FILE", "send this recording as a profile to a server, TO is its URL",
		offsetof(struct push_opts, profile) },
	{ HD_OPT_ENUM, 0, "protocol", HD_PUSH_PROTOCOLS, "what the server understands (default pyroscope)",
		offsetof(struct push_opts, protocol) },
	{ HD_OPT_STR, 0, "service", "NAME", "name of the profiled program (default: the file name of the recording)",
		offsetof(struct push_opts, push.name) },
	{ HD_OPT_LIST, 0, "label", "NAME=VALUE", "a label of the profile; may be repeated",
		offsetof(struct push_opts, push.labels) },
	{ HD_OPT_STR, 0, "token-file", "FILE",
		"bearer token, in a file that only its owner can read (default: $HOTDRIFT_TOKEN, if set)",
		offsetof(struct push_opts, token_file) },
	{ HD_OPT_STR, 0, "ca", "FILE", "trust these certificates instead of the system's",
		offsetof(struct push_opts, push.http.ca_file) },
	{ HD_OPT_UINT, 0, "timeout", "SECONDS", "limit for one request (default 30)",
		offsetof(struct push_opts, push.http.timeout_s) },
	{ HD_OPT_UINT, 0, "retries", "N", "repeat a request without an answer N times (default 3)",
		offsetof(struct push_opts, push.retries) },
	{ HD_OPT_STR, 0, "spool", "DIR",
		"keep what cannot be sent in DIR (default $XDG_STATE_HOME/hotdrift or ~/.local/state/hotdrift)",
		offsetof(struct push_opts, push.spool) },
	{ HD_OPT_FLAG, 0, "no-spool", NULL, "fail if the server cannot be reached",
		offsetof(struct push_opts, no_spool) },
	HD_ROW_JSON(struct push_opts, "hotdrift.push"),
	HD_ROW_OUTPUT(struct push_opts),
	{ 0 },
};
static const struct hd_opt_group push_groups[] = { HD_DB_OPTION_GROUP(struct push_opts, db), { NULL, NULL, 0 } };

/* ---- a profile ---- */

/*
 * Set `spool` to the default folder for profiles that wait to be sent, and create its parent folders.  It stays empty
 * if neither XDG_STATE_HOME nor HOME is an absolute path.
 */
static void default_spool(struct hd_buf *spool)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (state && *state == '/')
		hd_buf_adds(spool, state);
	else if (home && *home == '/')
		hd_buf_addf(spool, "%s/.local/state", home);
	else
		return;
	for (char *p = spool->data + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			mkdir(spool->data, 0700);	/* hd_spool_add() reports a folder that cannot be made */
			*p = '/';
		}
	mkdir(spool->data, 0700);
	hd_buf_adds(spool, "/hotdrift");
}

static int read_profile(struct hd_buf *packed, struct push_opts *o, struct hd_log *log, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	struct hd_profile *p;
	int rc;

	o->in.ingest.keys = hd_export_pprof.keys;
	o->in.ingest.lines = true;
	o->in.ingest.no_inline = !hd_input_inlined(&o->in, true);
	rc = hd_profile_source_read_profile(&p, o->profile, &o->in, log, err);
	if (rc < 0)
		return rc;
	rc = hd_export_pprof.check(p, o->profile, err);
	if (rc >= 0) {
		hd_pprof_write(&text, p);
		hd_gzip(packed, hd_buf_str(&text), text.len);
	}
	hd_buf_release(&text);
	hd_profile_free(p);
	return rc;
}

static int push_profile(struct push_opts *o, const char *url, struct hd_buf *text, struct hd_log *log,
	struct hd_err *err)
{
	struct hd_buf packed = { 0 }, token = { 0 }, spool = { 0 };
	const char *slash = strrchr(o->profile, '/'), *variable = getenv("HOTDRIFT_TOKEN");
	struct hd_push_result result;
	int rc = 0;

	o->push.url = url;
	o->push.protocol = (enum hd_push_protocol)o->protocol;
	if (!o->push.name)
		o->push.name = slash ? slash + 1 : o->profile;
	if (!o->no_spool && !o->push.spool) {
		default_spool(&spool);
		o->push.spool = spool.len ? spool.data : NULL;
	} else if (o->no_spool) {
		o->push.spool = NULL;
	}
	if (o->token_file)
		rc = hd_profile_push_token(&token, o->token_file, err);
	else if (variable && *variable)
		hd_buf_adds(&token, variable);
	o->push.http.token = token.len ? token.data : NULL;
	if (rc >= 0)
		rc = hd_profile_push_check(&o->push, err);
	if (rc >= 0)
		rc = read_profile(&packed, o, log, err);
	if (rc >= 0)
		rc = hd_profile_push(&result, &o->push, packed.data, packed.len, log, err);
	if (rc >= 0 && o->json) {
		struct hd_jsonw w = hd_jsonw_document(text, "hotdrift.push-profile", 1);

		hd_jsonw_str(&w, "remote", url);
		hd_jsonw_bool(&w, "sent", result.sent);
		hd_jsonw_u64(&w, "bytes", packed.len);
		hd_jsonw_u64(&w, "resent", result.resent);
		hd_jsonw_u64(&w, "waiting", result.waiting);
		hd_jsonw_close(&w, '}');
	} else if (rc >= 0) {
		hd_enc_term(text, url, strlen(url));
		hd_buf_addf(text, ": profile of %zu bytes %s, %zu sent from the spool, %zu waiting\n", packed.len,
			result.sent ? "sent" : "spooled", result.resent, result.waiting);
	}
	if (token.data)
		hd_wipe(token.data, token.cap);
	hd_buf_release(&token);
	hd_buf_release(&packed);
	hd_buf_release(&spool);
	return rc;
}

/* ---- runs ---- */

/*
 * Return the path or URL of the remote; the caller frees it.  A relative path is resolved from the folder of
 * hotdrift.ini.
 */
static char *from_folder(const char *ini, const char *remote)
{
	const char *slash = strrchr(ini, '/');
	struct hd_buf path = { 0 };

	if (*remote != '/' && !strstr(remote, "://") && slash)
		hd_buf_add(&path, ini, (size_t)(slash + 1 - ini));
	hd_buf_adds(&path, remote);
	return hd_buf_take(&path);
}

/*
 * Set *to to the remote of the hotdrift.ini that applies to the current folder: the value of its key `remote`, where a
 * relative path begins at the folder of that file.  The caller frees *to.  Returns HD_EUSAGE if there is no such file
 * or key.
 */
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

static void report_progress(const struct hd_merge *m, struct hd_err *err)
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
		report_progress(m, err);
	hd_db_close(into);
	hd_db_close(from);
	return rc;
}

static int push_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct push_opts *o = opts;
	struct hd_merge m = { 0 };
	struct hd_buf text = { 0 };
	struct hd_signing_key key = { 0 };
	char *to = argc ? hd_strdup(argv[0]) : NULL;
	int rc = 0;

	if (o->profile && !to)
		rc = hd_fail(err, HD_EUSAGE, "push: --profile needs the URL of a server");
	else if (o->profile)
		rc = push_profile(o, to, &text, log, err);
	if (rc < 0 || o->profile)
		goto out;
	if (o->key) {
		rc = hd_signing_key_read(&key, o->key, false, log, err);
		m.key = &key;
	}
	if (rc >= 0 && !to)
		rc = remote_of_ini(&to, log, err);
	if (rc >= 0)
		rc = push(o, to, &m, &text, err);
out:
	hd_signing_key_release(&key);
	free(to);
	if (rc >= 0)
		rc = hd_output_write(o->out, &text, err);
	hd_buf_release(&text);
	return rc;
}

const struct hd_cmd hd_cmd_push = {
	.name = "push",
	.args = "[TO]",
	.summary = "send the runs of this database to another one, or a profile to a server",
	.details =
		"TO is an SQLite file or postgresql://..., created if missing.  The default is 'remote =' in "
		"[hotdrift] of hotdrift.ini.  A push is a merge in the other direction: each run is copied "
		"unchanged, with its id, its chain and its hashes, in one transaction, and runs that TO already has "
		"are skipped.  So an interrupted push is simply repeated, and many machines may push at once.\n"
		"\n"
		"A run that was altered here is not sent, nor any run after it in its chain (exit 5).  If the remote "
		"cannot be reached, the exit is 6 and nothing is lost.\n"
		"\n"
		"With --profile, TO is the URL of a server for continuous profiles, and FILE (perf.data, or any other "
		"recording) is sent as pprof: to Pyroscope by push.v1.PusherService/Push (pyroscope) or /ingest "
		"(ingest), to Parca by WriteRaw (parca).  A request that gets no answer, or 408, 429 or 5xx, is "
		"repeated after 0.5, 1, 2, ... seconds, or as Retry-After says.  Then the profile is spooled: the "
		"exit is 0, and the next push to the same URL sends it first.  The spool holds 64 MiB or 1000 "
		"profiles.  Any other answer is an error (6).\n"
		"\n"
		"Certificates are verified and redirects are not followed.  A token is sent to https:// or to this "
		"machine only.  The proxy is that of the environment (https_proxy, no_proxy).",
	.examples =
		"hotdrift push postgresql://ci@db.example/hotdrift\tto the history that all machines share\n"
		"hotdrift push --profile perf.data --service parser --label region=eu http://127.0.0.1:4040\ta profile "
		"to Pyroscope\n"
		"hotdrift push\tto the remote of hotdrift.ini\n"
		"",
	HD_CMD_OPTS(push_opts, push_defaults),
	.groups = push_groups,
	.min_args = 0,
	.max_args = 1,
	.run = push_run,
};
