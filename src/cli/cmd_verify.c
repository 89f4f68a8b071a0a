/*
 * cmd_verify.c - hotdrift verify: check that the history was not changed
 */
#include "base/file.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/db_option.h"
#include "cli/input.h"
#include "db/writers.h"
#include "trust/anchor.h"
#include "trust/verified_heads.h"

#include <string.h>
#include <unistd.h>

struct verify_opts {
	struct hd_db_option db;
	const char *head, *since, *key, *anchors, *out;
	bool sign, strict, json;
	unsigned threads;
};

static const struct verify_opts verify_defaults = { 0 };

static const struct hd_opt verify_opts[] = {
	{ HD_OPT_STR, 0, "head", "HASH",
		"a run's hash stored elsewhere: some run must have it (at least 8 digits)",
		offsetof(struct verify_opts, head) },
	{ HD_OPT_STR, 0, "since", "FILE",
		"read only what was added after the heads in FILE, which is then replaced by the present heads; if "
			"FILE does not exist, everything is read",
		offsetof(struct verify_opts, since) },
	{ HD_OPT_UINT, 'j', "threads", "N",
		"read a PostgreSQL server with N connections, each with a thread (default 0: one per core; a file is "
		"read with one); the output does not depend on it",
		offsetof(struct verify_opts, threads) },
	{ HD_OPT_STR, 0, "key", "FILE",
		"an Ed25519 key in PEM form (the public key suffices to check), or a secret of at least 16 bytes; "
		"'-': standard input",
		offsetof(struct verify_opts, key) },
	{ HD_OPT_STR, 0, "anchors", "FILE",
		"anchors stored outside the database; they must hold too, and --sign adds to them",
		offsetof(struct verify_opts, anchors) },
	{ HD_OPT_FLAG, 0, "sign", NULL, "if everything is valid, sign the heads of all chains with --key",
		offsetof(struct verify_opts, sign) },
	{ HD_OPT_FLAG, 0, "strict", NULL,
		"with --key: exit 1 also if something was added after the last signature",
		offsetof(struct verify_opts, strict) },
	HD_ROW_JSON(struct verify_opts, "hotdrift.verify"),
	HD_ROW_OUTPUT(struct verify_opts),
	{ 0 },
};
static const struct hd_opt_group verify_groups[] = { HD_DB_OPTION_GROUP(struct verify_opts, db), { NULL, NULL, 0 } };

/* Options of the check, and its results. */
struct verifying {
	const struct verify_opts *o;
	struct hd_signing_key key;
	struct hd_anchors kept, made;
	/* the heads of --since, and whether the file existed; the present heads */
	struct hd_verified_heads before;
	bool has_before;
	bool is_file;			/* the database is not on a server */
	struct hd_chain_heads heads;
	struct hd_chain_walk walk;
	struct hd_anchor_report found;
};

static void add_count(struct hd_buf *out, int64_t n, const char *one)
{
	hd_buf_addf(out, "%lld %s%s", (long long)n, one, n == 1 ? "" : "s");
}

static void print_chain(struct hd_buf *out, const struct hd_anchor_chain *c, const char *key)
{
	if (c->journal) {
		hd_buf_addf(out, "%s: the journal of gates, acknowledgements and commits",
			c->run ? "anchored" : "internally consistent, not anchored");
		if (c->run)
			hd_buf_addf(out, ", signed at %s with key %s; %lld entr%s came after it", c->signed_utc, key,
				(long long)(c->head - c->seq), c->head - c->seq == 1 ? "y" : "ies");
	} else if (!c->run) {
		hd_buf_addf(out, "internally consistent, not anchored: chain %s, ", c->origin);
		add_count(out, c->head, "run");
	} else {
		hd_buf_addf(out, "anchored: run %s (%lld of its chain), signed at %s with key %s; ", c->run,
			(long long)c->seq, c->signed_utc, key);
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
	if (v->has_before) {
		hd_buf_addf(out, "since %s: ", v->o->since);
		add_count(out, found->unread, "earlier run");
		hd_buf_addf(out, " and %lld entr%s of the journal were not read, nor what only they refer to",
			(long long)found->unread_journal, found->unread_journal == 1 ? "y" : "ies");
		hd_buf_adds(out, v->is_file ? ", nor the structure and the references of the file\n" : "\n");
	}
	if (!v->o->head && !v->o->key && !v->has_before)
		hd_buf_adds(out, "internally consistent, not anchored\n");
	if (v->o->head) {
		hd_buf_addf(out, "anchored: run %s has this hash; ", found->anchor);
		add_count(out, found->after, "run");
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
	struct hd_jsonw w = hd_jsonw_document(out, "hotdrift.verify", 1);

	hd_jsonw_str(&w, "db", db);
	hd_jsonw_i64(&w, "runs", found->runs);
	hd_jsonw_i64(&w, "chains", found->chains);
	hd_jsonw_i64(&w, "pruned", found->pruned);
	if (v->o->since) {
		hd_jsonw_str(&w, "since", v->o->since);
		hd_jsonw_i64(&w, "unread", found->unread);
		hd_jsonw_i64(&w, "unread_journal", found->unread_journal);
		hd_jsonw_bool(&w, "unread_structure", v->has_before && v->is_file);
	}
	hd_jsonw_bool(&w, "anchored", v->o->head || v->o->key);
	hd_jsonw_str(&w, "anchor", v->o->head ? found->anchor : NULL);
	if (v->o->head)
		hd_jsonw_i64(&w, "behind", found->after);
	if (v->o->key) {
		hd_jsonw_str(&w, "key", v->key.id);
		hd_jsonw_i64(&w, "anchors", v->found.anchors);
		hd_jsonw_u64(&w, "signed", v->made.n);
		hd_jsonw_open(&w, "heads", '[');
		for (size_t i = 0; i < v->found.n; i++) {
			const struct hd_anchor_chain *c = &v->found.chains[i];

			hd_jsonw_row(&w, NULL, '{');
			hd_jsonw_str(&w, "chain", c->origin);
			hd_jsonw_str(&w, "kind", c->journal ? "journal" : "runs");
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
		return hd_fail(err, HD_EUSAGE,
			"verify: --head takes 8 to 64 hexadecimal digits of a run's hash (see 'hotdrift show'), "
				"not '%s'",
			o->head);
	if (o->since && o->head)
		return hd_fail(err, HD_EUSAGE,
			"verify: --head cannot be combined with --since, which may not read the run of --head");
	if (o->since && (!*o->since || !strcmp(o->since, "-")))
		return hd_fail(err, HD_EUSAGE, "verify: --since takes the path of a file, which it replaces");
	if (!o->key && (o->sign || o->anchors || o->strict))
		return hd_fail(err, HD_EUSAGE,
			"verify: %s needs --key FILE: 'openssl genpkey -algorithm ed25519 -out FILE' makes a key",
			o->sign              ? "--sign"
				: o->anchors ? "--anchors"
					     : "--strict");
	return 0;
}

static int append(const char *path, const struct hd_anchors *made, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	struct hd_err why = { 0 };
	int rc;

	for (size_t i = 0; i < made->n; i++)
		hd_anchor_line(&text, &made->items[i]);
	rc = hd_file_append(path, &text, &why);
	if (rc < 0)
		rc = hd_fail(err, HD_EIO, "%s (the anchors are in the database, and not in this file)", why.msg);
	hd_buf_release(&text);
	return rc;
}

/* Implement --strict: return HD_ENO unless all entries of all hash chains are signed. */
static int check_signed(const struct verifying *v, struct hd_db *db, struct hd_err *err)
{
	for (size_t i = 0; i < v->found.n; i++) {
		const struct hd_anchor_chain *c = &v->found.chains[i];
		long long after = (long long)(c->head - (c->run ? c->seq : 0));

		if (after > 0)
			return hd_fail(err, HD_ENO, "%s: %lld %s of %s came after the last signature with key %s",
				hd_db_name(db), after, c->journal ? "entries" : "runs",
				c->journal ? "the journal" : c->origin, v->key.id);
	}
	return 0;
}

/* Replace the file of --since by the heads that were verified. */
static int write_heads(const struct verifying *v, struct hd_db *db, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	int rc = hd_verified_heads_text(&text, &v->heads, hd_db_name(db), err);

	if (rc >= 0)
		rc = hd_file_write(v->o->since, &text, err);
	hd_buf_release(&text);
	return rc;
}

static int verify(struct verifying *v, struct hd_db *db, struct hd_err *err)
{
	const struct hd_chain_verify_opts how = {
		.anchor = v->o->head, .since = v->has_before ? &v->before : NULL, .threads = v->o->threads,
		.heads = &v->heads,
	};
	int rc;

	v->is_file = !hd_db_has_writers(db);
	if (v->o->sign)
		rc = hd_anchor_sign(db, &v->key, v->o->anchors ? &v->kept : NULL, &how, &v->walk, &v->made, err);
	else
		rc = hd_chain_verify(db, &how, &v->walk, err);
	if (rc >= 0 && v->made.n && v->o->anchors)
		rc = append(v->o->anchors, &v->made, err);
	if (rc >= 0 && v->o->key)
		rc = hd_anchor_check(db, &v->key, &v->kept, &v->found, err);
	if (rc == HD_ENOBASE && v->o->sign)	/* an empty history has nothing to sign */
		rc = 0;
	if (rc >= 0 && v->o->strict)
		rc = check_signed(v, db, err);
	return rc >= 0 && v->o->since ? write_heads(v, db, err) : rc;
}

static int verify_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct verifying v = { .o = opts };
	struct hd_buf text = { 0 };
	struct hd_db *db = NULL;
	int rc;

	rc = check_opts(v.o, err);
	if (rc >= 0 && v.o->key)
		rc = hd_signing_key_read(&v.key, v.o->key, v.o->sign, log, err);
	if (rc >= 0 && v.o->anchors)
		rc = hd_anchors_read(&v.kept, v.o->anchors, err);
	if (rc >= 0 && v.o->since) {
		rc = hd_verified_heads_read(&v.before, v.o->since, err);
		v.has_before = rc > 0;
	}
	if (rc >= 0)
		rc = hd_db_option_open_unchecked(&db, &v.o->db, v.o->sign ? HD_DB_WRITE : HD_DB_READ, 0, err);
	if (rc >= 0)
		rc = verify(&v, db, err);
	if (rc >= 0 && v.o->json)
		print_json(&text, &v, hd_db_name(db));
	else if (rc >= 0)
		print_text(&text, &v);
	hd_db_close(db);
	hd_anchor_report_release(&v.found);
	hd_anchors_release(&v.kept);
	hd_anchors_release(&v.made);
	hd_verified_heads_release(&v.before);
	hd_chain_heads_release(&v.heads);
	hd_signing_key_release(&v.key);
	return rc < 0 ? rc : hd_output_write(v.o->out, &text, err);
}

const struct hd_cmd hd_cmd_verify = {
	.name = "verify",
	.args = "",
	.summary = "check that the history was not changed",
	.details =
		"The hash of every run covers the content of the run and the hash of the run before it, in one chain "
		"per database in which runs were first stored.  Acknowledgements, results of gates, expectations, "
		"commits and tombstones are entries of a journal, which is another chain.  verify recomputes all "
		"hashes, compares the schema with its own, and checks indexes, references and stored texts.  The "
		"exit is 0 if everything is valid, and 1 with the first altered, removed or inserted item.  The "
		"hashes of pruned runs remain, and these runs are counted as pruned.\n"
		"\n"
		"Anyone who can write the database could recompute all hashes.  So store a hash elsewhere, for "
		"example in a commit message ('hotdrift show' prints it): --head checks that some run has it, which "
		"proves that everything before is unchanged.\n"
		"\n"
		"Or store a key elsewhere.  --sign --key signs the head of each chain, and 'add --key' signs each "
		"run that it adds; verify --key checks all signatures.  The key is an Ed25519 key made by 'openssl "
		"genpkey -algorithm ed25519'.  The owner of the private key signs, and an auditor checks with the "
		"public key ('openssl pkey -pubout').  A private key that every user can read is rejected.  Anchors "
		"are stored in the database and, with --anchors, in a file: only that file reveals that the whole "
		"database was replaced by an older copy.\n"
		"\n"
		"An auditor who verifies a large history again and again keeps FILE of --since where a writer of the "
		"database cannot write.  The first time, everything is verified, and FILE gets the end of each chain.  "
		"Later, each of these runs must still be at its place with its hash, or the exit is 1, and only what "
		"came after it is read.  Chains that are not in FILE are verified whole, and a chain of FILE that is "
		"gone is exit 1.  If everything is valid, FILE is replaced.  An earlier run that was altered without "
		"its hash is not noticed, so verify without --since now and then.  The same holds for what --sign "
		"signs.  --head cannot be combined with --since.\n"
		"\n"
		"Exit: 1 if an anchor was altered or the history differs from what was signed; 4 if nothing was "
		"signed with this key, because it is another key or the anchors were removed.  docs/trust.md "
		"explains what this proves.",
	.examples =
		"hotdrift verify\twas anything altered?\n"
		"hotdrift verify --head 3ffe79e66df5\tis the run with this hash still there?\n"
		"hotdrift verify --sign --key ci.pem --anchors anchors.txt\tat the end of a CI job: check, then sign\n"
		"hotdrift verify --since heads.txt\tonly what was added since the last time\n"
		"hotdrift verify --key ci.pub --anchors anchors.txt --strict\tan auditor: is everything signed?\n"
		"",
	HD_CMD_OPTS(verify_opts, verify_defaults),
	.groups = verify_groups,
	.min_args = 0,
	.max_args = 0,
	.run = verify_run,
};
