/*
 * cmd_prune.c - hotdrift prune: delete old runs
 */
#include "base/encode.h"
#include "base/jsonw.h"
#include "base/utc.h"
#include "cli/cmd.h"
#include "cli/db_option.h"
#include "cli/input.h"
#include "history/prune.h"

#include <string.h>

struct prune_opts {
	struct hd_db_option db;
	unsigned keep;
	const char *target, *before, *out;
	bool dry_run, json;
};

static const struct prune_opts prune_defaults = { 0 };

static const struct hd_opt prune_opts[] = {
	{ HD_OPT_UINT, 0, "keep", "N", "keep the newest N runs of each target and mode (at least 1)",
		offsetof(struct prune_opts, keep) },
	{ HD_OPT_STR, 0, "before", "TIME", "and keep all runs recorded since TIME, as 2026-11-20T14:01:02Z",
		offsetof(struct prune_opts, before) },
	{ HD_OPT_STR, 0, "target", "NAME", "only runs of this target", offsetof(struct prune_opts, target) },
	{ HD_OPT_FLAG, 0, "dry-run", NULL, "print what would be deleted, and delete nothing",
		offsetof(struct prune_opts, dry_run) },
	HD_ROW_JSON(struct prune_opts, "hotdrift.prune"),
	HD_ROW_OUTPUT(struct prune_opts),
	{ 0 },
};
static const struct hd_opt_group prune_groups[] = { HD_DB_OPTION_GROUP(struct prune_opts, db), { NULL, NULL, 0 } };

static void print_text(struct hd_buf *out, const struct hd_prune_list *list, const struct prune_opts *o)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct hd_prune_run *r = &list->items[i];

		hd_buf_addf(out, "%s  %s  ", r->stays ? "stays" : "goes ", r->run_id ? r->run_id : "");
		hd_buf_adds(out, r->target ? r->target : "");	/* already escaped */
		hd_buf_addf(out, "  %s", r->mode ? r->mode : "");
		if (r->stays)
			hd_buf_addf(out, "  (%s)", r->stays);
		hd_buf_addc(out, '\n');
	}
	hd_buf_addf(out, "%zu of %zu runs %s\n", list->going, list->all, o->dry_run ? "would go" : "deleted");
}

static void print_json(struct hd_buf *out, const struct hd_prune_list *list, const struct prune_opts *o, const char *db)
{
	struct hd_jsonw w = hd_jsonw_document(out, "hotdrift.prune", 1);

	hd_jsonw_str(&w, "db", db);
	hd_jsonw_bool(&w, "dry_run", o->dry_run);
	hd_jsonw_u64(&w, "runs", list->all);
	hd_jsonw_u64(&w, "going", list->going);
	hd_jsonw_open(&w, "rows", '[');
	for (size_t i = 0; i < list->n; i++) {
		const struct hd_prune_run *r = &list->items[i];

		hd_jsonw_row(&w, NULL, '{');
		hd_jsonw_str(&w, "run", r->run_id);
		hd_jsonw_str(&w, "recorded", r->recorded_utc);
		hd_jsonw_str(&w, "target", r->target);
		hd_jsonw_str(&w, "mode", r->mode);
		hd_jsonw_bool(&w, "goes", !r->stays);
		hd_jsonw_str(&w, "stays", r->stays);
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
}

/*
 * Append the rule, as options, in the form that is stored with the tombstone (the remaining record) of each deleted
 * run.
 */
static void add_rule(struct hd_buf *rule, const struct prune_opts *o)
{
	hd_buf_addf(rule, "--keep %u", o->keep);
	if (o->before)
		hd_buf_addf(rule, " --before %s", o->before);
	if (o->target) {
		hd_buf_adds(rule, " --target ");
		hd_enc_visible(rule, o->target, strlen(o->target));
	}
}

static int prune(struct hd_db *db, const struct prune_opts *o, struct hd_buf *text, struct hd_err *err)
{
	struct hd_buf target = { 0 }, rule = { 0 };
	struct hd_prune_opts how = { .keep = o->keep, .before_utc = o->before };
	struct hd_prune_list list;
	int rc;

	if (o->target) {
		hd_enc_visible(&target, o->target, strlen(o->target));
		how.target = hd_buf_str(&target);
	}
	add_rule(&rule, o);
	rc = hd_prune_find(db, &how, &list, err);
	if (rc >= 0 && !o->dry_run && list.going)
		rc = hd_prune_do(db, &list, rule.data, err);
	if (rc >= 0 && o->json)
		print_json(text, &list, o, hd_db_name(db));
	else if (rc >= 0)
		print_text(text, &list, o);
	hd_prune_release(&list);
	hd_buf_release(&rule);
	hd_buf_release(&target);
	return rc;
}

static int prune_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct prune_opts *o = opts;
	struct hd_buf text = { 0 };
	struct hd_db *db;
	int64_t secs;
	int rc;

	if (!o->keep)
		return hd_fail(err, HD_EUSAGE, "prune: --keep N is missing: the number of runs to keep per "
			"target and mode");
	if (o->before && hd_utc_parse(o->before, &secs) < 0)
		return hd_fail(err, HD_EUSAGE, "prune: --before takes a time like 2026-11-20T14:01:02Z, not '%s'",
			o->before);
	rc = hd_db_option_open(&db, &o->db, o->dry_run ? HD_DB_READ : HD_DB_WRITE, 0, err);
	if (rc < 0)
		return rc;
	rc = prune(db, o, &text, err);
	hd_db_close(db);
	return rc < 0 ? rc : hd_output_write(o->out, &text, err);
}

const struct hd_cmd hd_cmd_prune = {
	.name = "prune",
	.args = "",
	.summary = "delete old runs",
	.details =
		"Keeps the newest N runs of each target and mode and, with --before, all runs recorded since TIME.  "
		"It always keeps the last run of a commit (and its last run with status ok), runs that a finding "
		"refers to, and runs of a commit with an acknowledged change.  So only repeated runs, and runs "
		"without a commit, are deleted.\n"
		"\n"
		"Everything is one transaction.  The hashes of a deleted run stay, so that 'hotdrift verify' reports "
		"it as pruned and not as removed.  Its stacks are deleted unless another run shares them.  An SQLite "
		"file does not shrink, but its free space is reused (VACUUM in sqlite3 shrinks it).",
	.examples =
		"hotdrift prune --keep 20 --dry-run\twhat would be deleted?\n"
		"hotdrift prune --keep 20 --before 2026-06-01T00:00:00Z\tonly old runs\n"
		"",
	HD_CMD_OPTS(prune_opts, prune_defaults),
	.groups = prune_groups,
	.min_args = 0,
	.max_args = 0,
	.run = prune_run,
};
