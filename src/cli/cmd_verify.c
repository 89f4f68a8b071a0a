/*
 * cmd_verify.c - hotdrift verify: was the history changed?
 */
#include "base/jsonw.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/dbarg.h"
#include "cli/input.h"
#include "store/anchor.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct verify_opts {
	struct hd_dbarg db;
	const char *head, *key, *anchors, *out;
	bool sign, json;
};

static const struct verify_opts verify_defaults = { 0 };

static const struct hd_opt verify_opts[] = {
	{ HD_OPT_STR, 0, "head", "HASH", "a run's hash that was kept elsewhere: some run must have it (8 digits or more)", offsetof(struct verify_opts, head) },
	{ HD_OPT_STR, 0, "key", "FILE", "a secret of 16 bytes or more: all that was signed with it must still be there", offsetof(struct verify_opts, key) },
	{ HD_OPT_STR, 0, "anchors", "FILE", "anchors that are kept outside of the database; they must hold, too, and --sign adds to them", offsetof(struct verify_opts, anchors) },
	{ HD_OPT_FLAG, 0, "sign", NULL, "when all is in order, sign the heads of all chains with --key", offsetof(struct verify_opts, sign) },
	{ HD_OPT_FLAG, 0, "json", NULL, "JSON, format hotdrift.verify", offsetof(struct verify_opts, json) },
	{ HD_OPT_STR, 'o', "output", "FILE", "write to FILE instead of standard output", offsetof(struct verify_opts, out) },
	{ 0 },
};
static const struct hd_opt_group verify_groups[] = { HD_DBARG_GROUP(struct verify_opts, db), { NULL, NULL, 0 } };

/* What there is to check with, and what came of it. */
struct verifying {
	const struct verify_opts *o;
	struct hd_key key;
	struct hd_anchors kept, made;
	struct hd_chain_walk walk;
	struct hd_anchor_found found;
};

static void add_count(struct hd_buf *out, int64_t n, const char *one)
{
	hd_buf_addf(out, "%lld %s%s", (long long)n, one, n == 1 ? "" : "s");
}

static void print_chain(struct hd_buf *out, const struct hd_anchored *c, const char *key)
{
	if (!c->run) {
		hd_buf_addf(out, "internally consistent, not anchored: chain %s, ", c->origin);
		add_count(out, c->head, "run");
	} else {
		hd_buf_addf(out, "anchored: run %s (%lld of its chain), signed at %s with key %s; ", c->run, (long long)c->seq, c->signed_utc, key);
		add_count(out, c->head - c->seq, "run");
		hd_buf_adds(out, " of its chain came after it");
	}
	hd_buf_addc(out, '\n');
}

static void print_text(struct hd_buf *out, const struct verifying *v)
{
	const struct hd_chain_walk *found = &v->walk;

	add_count(out, found->runs, "run");
	hd_buf_adds(out, " in ");
	add_count(out, found->chains, "chain");
	if (found->pruned)
		hd_buf_addf(out, ", and %lld pruned", (long long)found->pruned);
	hd_buf_addc(out, '\n');
	if (!v->o->head && !v->o->key)
		hd_buf_adds(out, "internally consistent, not anchored\n");
	if (v->o->head) {
		hd_buf_addf(out, "anchored: run %s has this hash; ", found->anchor);
		add_count(out, found->behind, "run");
		hd_buf_adds(out, " of its chain came after it\n");
	}
	for (size_t i = 0; i < v->found.n; i++)
		if (v->found.chains[i].head)
			print_chain(out, &v->found.chains[i], v->key.id);
	if (v->o->sign) {
		hd_buf_adds(out, "signed now: ");
		add_count(out, (int64_t)v->made.n, "chain");
		hd_buf_addc(out, '\n');
	}
}

static void print_json(struct hd_buf *out, const struct verifying *v, const char *db)
{
	const struct hd_chain_walk *found = &v->walk;
	struct hd_jsonw w = hd_jsonw_to(out);

	hd_jsonw_open(&w, NULL, '{');
	hd_jsonw_str(&w, "format", "hotdrift.verify");
	hd_jsonw_u64(&w, "version", 1);
	hd_jsonw_str(&w, "db", db);
	hd_jsonw_i64(&w, "runs", found->runs);
	hd_jsonw_i64(&w, "chains", found->chains);
	hd_jsonw_i64(&w, "pruned", found->pruned);
	hd_jsonw_bool(&w, "anchored", v->o->head || v->o->key);
	hd_jsonw_str(&w, "anchor", v->o->head ? found->anchor : NULL);
	if (v->o->head)
		hd_jsonw_i64(&w, "behind", found->behind);
	if (v->o->key) {
		hd_jsonw_str(&w, "key", v->key.id);
		hd_jsonw_i64(&w, "anchors", v->found.anchors);
		hd_jsonw_u64(&w, "signed", v->made.n);
		hd_jsonw_open(&w, "heads", '[');
		for (size_t i = 0; i < v->found.n; i++) {
			const struct hd_anchored *c = &v->found.chains[i];

			hd_jsonw_row(&w, NULL, '{');
			hd_jsonw_str(&w, "chain", c->origin);
			hd_jsonw_bool(&w, "anchored", c->run);
			hd_jsonw_str(&w, "run", c->run);
			hd_jsonw_str(&w, "signed", c->run ? c->signed_utc : NULL);
			hd_jsonw_i64(&w, "behind", c->head - c->seq);
			hd_jsonw_close(&w, '}');
		}
		hd_jsonw_close(&w, ']');
	}
	hd_jsonw_close(&w, '}');
}

static int check_opts(const struct verify_opts *o, struct hd_err *err)
{
	size_t n = o->head ? strlen(o->head) : 8;

	if (n < 8 || n > 64 || (o->head && o->head[strspn(o->head, "0123456789abcdef")]))
		return hd_fail(err, HD_EUSAGE, "verify: --head takes 8 to 64 hexadecimal digits of a run's hash ('hotdrift show' tells it), not '%s'", o->head);
	if (!o->key && (o->sign || o->anchors))
		return hd_fail(err, HD_EUSAGE, "verify: %s wants --key FILE: 'openssl rand -hex 32' makes a key", o->sign ? "--sign" : "--anchors");
	return 0;
}

/* In one write at the end of the file, so that two that sign at once do not mix their lines. */
static int append(const char *path, const struct hd_anchors *made, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	int fd, rc = 0;

	for (size_t i = 0; i < made->n; i++)
		hd_anchor_line(&text, &made->items[i]);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
	if (fd < 0 || hd_file_write_all(fd, hd_buf_str(&text), text.len) < 0 || (fsync(fd) < 0 && errno != EINVAL && errno != EROFS))
		rc = hd_fail_errno(err, HD_EIO, errno, "%s: cannot keep the anchors there; they are in the database", path);
	if (fd >= 0)
		close(fd);
	hd_buf_release(&text);
	return rc;
}

static int verify(struct verifying *v, struct hd_db *db, struct hd_err *err)
{
	int rc = 0;

	if (v->o->sign)
		rc = hd_anchor_sign(db, &v->key, v->o->anchors ? &v->kept : NULL, &v->made, err);
	if (rc >= 0 && v->made.n && v->o->anchors)
		rc = append(v->o->anchors, &v->made, err);
	if (rc >= 0)
		rc = hd_chain_verify(db, v->o->head, &v->walk, err);
	if (rc >= 0 && v->o->key)
		rc = hd_anchor_check(db, &v->key, &v->kept, &v->found, err);
	if (rc == HD_ENOBASE && v->o->sign)	/* nothing to sign: an empty history */
		rc = 0;
	return rc;
}

static int verify_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct verifying v = { .o = opts };
	struct hd_buf text = { 0 };
	struct hd_db *db = NULL;
	int rc;

	rc = check_opts(v.o, err);
	if (rc >= 0 && v.o->key)
		rc = hd_key_read(&v.key, v.o->key, log, err);
	if (rc >= 0 && v.o->anchors)
		rc = hd_anchors_read(&v.kept, v.o->anchors, err);
	if (rc >= 0)
		rc = hd_dbarg_open(&db, &v.o->db, v.o->sign ? HD_DB_WRITE : HD_DB_READ, 0, err);
	if (rc >= 0)
		rc = verify(&v, db, err);
	if (rc >= 0 && v.o->json)
		print_json(&text, &v, hd_db_name(db));
	else if (rc >= 0)
		print_text(&text, &v);
	hd_db_close(db);
	hd_anchor_found_release(&v.found);
	hd_anchors_release(&v.kept);
	hd_anchors_release(&v.made);
	hd_key_release(&v.key);
	return rc < 0 ? rc : hd_output_write(v.o->out, &text, err);
}

const struct hd_cmd hd_cmd_verify = {
	.name = "verify", .args = "", .summary = "check that the history was not changed",
	.details =
	"Every run's hash covers everything that the run says and the hash of the run before it, in one chain for\n"
	"each database that runs were first written to.  All of it is computed again: exit 0 when it fits, exit 1 with the\n"
	"first run that was altered, removed or inserted.  A run that was pruned leaves its hashes and is told as such.\n"
	"\n"
	"Who can write the database could compute all hashes anew.  Keep one elsewhere, as in a commit message\n"
	"('hotdrift show' tells it): with --head some run must have it, and what is before it is as it was then.\n"
	"\n"
	"Or keep a key elsewhere.  --sign --key signs where each chain ends, 'add --key' each run that it adds; verify --key\n"
	"checks all that was signed.  Anchors are kept in the database, and with --anchors in a file of yours, too: only\n"
	"that tells when the whole database went back to an older day.  Exit 1: an anchor was altered, or the history\n"
	"is not what was signed, from which run on.  Exit 4: nothing was signed with this key, so it is another one, or the\n"
	"anchors are gone.  docs/trust.md has what this proves and what not.",
	.examples = "hotdrift verify\twhole?\n"
		    "hotdrift verify --head 3ffe79e66df5\tand still the one it was when this hash was noted?\n"
		    "hotdrift verify --sign --key ci.key --anchors anchors.txt\tat the end of a CI job: check, then sign\n",
	HD_CMD_OPTS(verify_opts, verify_defaults), .groups = verify_groups, .min_args = 0, .max_args = 0, .run = verify_run,
};
