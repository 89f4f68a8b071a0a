/*
 * cmd_verify.c - hotdrift verify: was the history changed?
 */
#include "base/jsonw.h"
#include "cli/cmd.h"
#include "cli/dbarg.h"
#include "cli/input.h"
#include "store/chain.h"

#include <string.h>

struct verify_opts {
	struct hd_dbarg db;
	const char *head, *out;
	bool json;
};

static const struct verify_opts verify_defaults = { 0 };

static const struct hd_opt verify_opts[] = {
	{ HD_OPT_STR, 0, "head", "HASH", "a run's hash that was kept elsewhere: some run must have it (8 digits or more)", offsetof(struct verify_opts, head) },
	{ HD_OPT_FLAG, 0, "json", NULL, "JSON, format hotdrift.verify", offsetof(struct verify_opts, json) },
	{ HD_OPT_STR, 'o', "output", "FILE", "write to FILE instead of standard output", offsetof(struct verify_opts, out) },
	{ 0 },
};
static const struct hd_opt_group verify_groups[] = { HD_DBARG_GROUP(struct verify_opts, db), { NULL, NULL, 0 } };

static void add_count(struct hd_buf *out, int64_t n, const char *one)
{
	hd_buf_addf(out, "%lld %s%s", (long long)n, one, n == 1 ? "" : "s");
}

static void print_text(struct hd_buf *out, const struct hd_chain_walk *found, const struct verify_opts *o)
{
	add_count(out, found->runs, "run");
	hd_buf_adds(out, " in ");
	add_count(out, found->chains, "chain");
	if (found->pruned)
		hd_buf_addf(out, ", and %lld pruned", (long long)found->pruned);
	hd_buf_adds(out, o->head ? "\nanchored: run " : "\ninternally consistent, not anchored\n");
	if (!o->head)
		return;
	hd_buf_addf(out, "%s has this hash; ", found->anchor);
	add_count(out, found->behind, "run");
	hd_buf_adds(out, " of its chain came after it\n");
}

static void print_json(struct hd_buf *out, const struct hd_chain_walk *found, const struct verify_opts *o, const char *db)
{
	struct hd_jsonw w = hd_jsonw_to(out);

	hd_jsonw_open(&w, NULL, '{');
	hd_jsonw_str(&w, "format", "hotdrift.verify");
	hd_jsonw_u64(&w, "version", 1);
	hd_jsonw_str(&w, "db", db);
	hd_jsonw_i64(&w, "runs", found->runs);
	hd_jsonw_i64(&w, "chains", found->chains);
	hd_jsonw_i64(&w, "pruned", found->pruned);
	hd_jsonw_bool(&w, "anchored", o->head);
	hd_jsonw_str(&w, "anchor", o->head ? found->anchor : NULL);
	if (o->head)
		hd_jsonw_i64(&w, "behind", found->behind);
	hd_jsonw_close(&w, '}');
}

static int check_head(const char *head, struct hd_err *err)
{
	size_t n = strlen(head);

	if (n < 8 || n > 64 || head[strspn(head, "0123456789abcdef")])
		return hd_fail(err, HD_EUSAGE, "verify: --head takes 8 to 64 hexadecimal digits of a run's hash ('hotdrift show' tells it), not '%s'", head);
	return 0;
}

static int verify_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct verify_opts *o = opts;
	struct hd_chain_walk found;
	struct hd_buf text = { 0 };
	struct hd_db *db;
	int rc;

	rc = o->head ? check_head(o->head, err) : 0;
	if (rc >= 0)
		rc = hd_dbarg_open(&db, &o->db, HD_DB_READ, 0, err);
	if (rc < 0)
		return rc;
	rc = hd_chain_verify(db, o->head, &found, err);
	if (rc >= 0 && o->json)
		print_json(&text, &found, o, hd_db_name(db));
	else if (rc >= 0)
		print_text(&text, &found, o);
	hd_db_close(db);
	return rc < 0 ? rc : hd_output_write(o->out, &text, err);
}

const struct hd_cmd hd_cmd_verify = {
	.name = "verify", .args = "", .summary = "check that the history was not changed",
	.details =
	"Every run's hash covers everything that the run says and the hash of the run before it, in one chain for\n"
	"each database that runs were first written to.  All of it is computed again: exit 0 when it fits, exit 1 with the\n"
	"first run that was altered, removed or inserted.  A run that was pruned leaves its hashes and is told as such.\n"
	"\n"
	"Who can write the database could compute all hashes anew.  Keep one elsewhere, as in a commit message\n"
	"('hotdrift show' tells it): with --head some run must have it, and what is before it is as it was then.",
	.examples = "hotdrift verify\twhole?\n"
		    "hotdrift verify --head 3ffe79e66df5\tand still the one it was when this hash was noted?\n",
	HD_CMD_OPTS(verify_opts, verify_defaults), .groups = verify_groups, .min_args = 0, .max_args = 0, .run = verify_run,
};
