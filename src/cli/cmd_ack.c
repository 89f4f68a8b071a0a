/*
 * cmd_ack.c - hotdrift ack SYMBOL: accept that a symbol costs more, up to a level and until a date
 */
#include "base/encode.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/utc.h"
#include "cli/db_option.h"
#include "cli/input.h"
#include "render/stored_text.h"
#include "history/acks.h"
#include "history/run_set.h"
#include "render/table.h"
#include "history/run_lookup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ack_opts {
	struct hd_db_option db;
	const char *level, *reason, *expires, *author, *target, *event, *object, *out;
	bool list, withdraw, json, all_targets;
};

static const struct ack_opts ack_defaults = { 0 };

static const struct hd_opt ack_opts[] = {
	{ HD_OPT_STR, 0, "level", "PCT",
		"accepted self share in per cent of the total; for a series a value in its unit (default: the "
		"share in the newest runs, rounded up to 0.1 %)",
		offsetof(struct ack_opts, level) },
	{ HD_OPT_STR, 0, "reason", "TEXT", "reason, shown in every report", offsetof(struct ack_opts, reason) },
	{ HD_OPT_STR, 0, "expires", "DATE", "end of validity, 2026-12-31 or 2026-12-31T12:00:00Z (default: none)",
		offsetof(struct ack_opts, expires) },
	{ HD_OPT_STR, 0, "author", "NAME", "name of the author", offsetof(struct ack_opts, author) },
	{ HD_OPT_STR, 0, "target", "NAME",
		"only for this target (default: the target whose gate failed because of SYMBOL last, otherwise "
		"that of the newest runs)",
		offsetof(struct ack_opts, target) },
	{ HD_OPT_FLAG, 0, "all-targets", NULL, "for all targets", offsetof(struct ack_opts, all_targets) },
	{ HD_OPT_STR, 0, "event", "NAME", "only for this event (default: for all)", offsetof(struct ack_opts, event) },
	{ HD_OPT_STR, 0, "object", "NAME", "only in this object, the last part of its path (default: in all)",
		offsetof(struct ack_opts, object) },
	{ HD_OPT_FLAG, 0, "list", NULL, "list all acknowledgements, expired and withdrawn ones included",
		offsetof(struct ack_opts, list) },
	{ HD_OPT_FLAG, 0, "withdraw", NULL, "withdraw those of SYMBOL in one target; they stay in the list",
		offsetof(struct ack_opts, withdraw) },
	{ HD_OPT_FLAG, 0, "json", NULL, "with --list: print JSON, format "
		"hotdrift.acks", offsetof(struct ack_opts, json) },
	HD_ROW_OUTPUT(struct ack_opts),
	{ 0 },
};
static const struct hd_opt_group ack_groups[] = { HD_DB_OPTION_GROUP(struct ack_opts, db), { NULL, NULL, 0 } };

/* ---- options ---- */

static int read_expiry(const char *text, char utc[HD_UTC_TEXT], struct hd_err *err)
{
	int64_t secs;

	if (strlen(text) == 10)
		snprintf(utc, HD_UTC_TEXT, "%.10sT23:59:59Z", text);
	else
		snprintf(utc, HD_UTC_TEXT, "%.20s", text);
	if (strlen(text) > 20 || hd_utc_parse(utc, &secs) < 0)
		return hd_fail(err, HD_EUSAGE,
			"ack: --expires takes a day like 2026-12-31 or a time like 2026-12-31T12:00:00Z, not '%s'",
			text);
	return 0;
}

static int read_level(const char *text, double *level, struct hd_err *err)
{
	char *end;

	*level = strtod(text, &end);
	end += strspn(end, " ");
	end += *end == '%';
	if (end == text || *end || !(*level >= 0 && *level < 1e300))
		return hd_fail(err, HD_EUSAGE,
			"ack: --level takes a number: per cent of the total, or a value of a series; not '%s'", text);
	return 0;
}

/* ---- the current level ---- */

static int share_in(struct hd_db *db, const struct hd_run_set_member *run, const char *symbol, const char *object,
	double *pct, struct hd_err *err)
{
	int64_t self;
	int rc = hd_run_load_symbol_self(&self, db, run->row, run->event, symbol, object, err);

	*pct = rc >= 0 && run->weight > 0 ? 100 * (double)self / run->weight : 0;
	return rc;
}

/*
 * Choose the target (the measured program) of the acknowledgement: --target, or else the target of the newest
 * `hotdrift gate` that failed because of the symbol.  Set *target to it; the caller frees it.  If there is neither,
 * *target is NULL, and level_now() sets it later.  *failed becomes true if a gate, of --target if given, failed because
 * of the symbol.
 */
static int choose_target(struct hd_db *db, const struct ack_opts *o, const char *symbol, char **target, bool *failed,
	struct hd_err *err)
{
	int rc = hd_acks_failed_in(db, o->target, symbol, target, err);

	if (rc < 0)
		return rc;
	*failed = *target;
	if (o->target) {
		free(*target);
		*target = hd_strdup(o->target);
	}
	return 0;
}

/*
 * Look up the newest runs of *target, or of any target if *target is NULL.  Set `commit` to their commit.  If *target
 * is NULL, set it to their target.  Without --level, set *level to the largest share of the event's weight that the
 * symbol has in one of these runs, in per cent and rounded up to 0.1; HD_EFORMAT if no run has the symbol.
 */
static int level_now(struct hd_db *db, const struct ack_opts *o, const char *symbol, char **target, double *level,
	char commit[65], struct hd_err *err)
{
	struct hd_run_set_filter ask = { .target = *target, .event = o->event };
	struct hd_run_set side;
	int rc = hd_run_set_find(&side, db, "latest", &ask, err);

	if (rc < 0)
		return o->level ? 0 : rc;
	if (!*target && side.runs[0].like[HD_RUN_FIELD_TARGET])
		*target = hd_strdup(side.runs[0].like[HD_RUN_FIELD_TARGET]);
	snprintf(commit, 65, "%s", side.commit);
	for (size_t i = 0; i < side.n && !o->level && rc >= 0; i++) {
		double pct;

		rc = side.runs[i].event >= 0 ? share_in(db, &side.runs[i], symbol, o->object, &pct, err) : 0;
		if (rc >= 0 && side.runs[i].event >= 0)
			*level = fmax(*level, ceil(pct * 10) / 10);
	}
	hd_run_set_release(&side);
	if (rc >= 0 && !o->level && !(*level > 0)) {
		struct hd_nearest n = hd_nearest_to(symbol);

		hd_run_lookup_suggest_symbols(&n, db);
		rc = hd_fail(err, HD_EFORMAT,
			"ack: the newest runs have no symbol '%s'; pass --level for a name that they lack (for "
				"a series a value in its unit)%s",
			symbol, hd_nearest_hint(&n));
	}
	return rc;
}

static int add(struct hd_buf *out, const struct ack_opts *o, const char *symbol, struct hd_log *log, struct hd_err *err)
{
	struct hd_ack ack = { .event = o->event,
		.object = o->object,
		.symbol = symbol,
		.reason = o->reason,
		.author = o->author };
	char expires[HD_UTC_TEXT], commit[65] = "", *target = NULL;
	struct hd_db *db;
	bool failed = false;
	int rc = 0;

	if (!o->reason || !*o->reason)
		return hd_fail(err, HD_EUSAGE, "ack: --reason TEXT is missing");
	if (o->expires)
		rc = read_expiry(o->expires, expires, err);
	if (rc >= 0 && o->level)
		rc = read_level(o->level, &ack.level, err);
	if (rc >= 0)
		rc = hd_db_option_open(&db, &o->db, HD_DB_READ, 0, err);	/* do not create a missing database */
	if (rc < 0)
		return rc;
	rc = choose_target(db, o, symbol, &target, &failed, err);
	if (rc >= 0)
		rc = level_now(db, o, symbol, &target, &ack.level, commit, err);
	hd_db_close(db);
	if (rc >= 0)
		rc = hd_db_option_open(&db, &o->db, HD_DB_WRITE, 0, err);
	if (rc < 0) {
		free(target);
		return rc;
	}
	ack.target = o->all_targets ? NULL : target;
	ack.expires = o->expires ? expires : NULL;
	ack.commit = *commit ? commit : NULL;
	rc = hd_ack_add(db, &ack, err);
	hd_db_close(db);
	if (rc >= 0) {
		hd_buf_adds(out, "acknowledged  ");
		hd_enc_term(out, symbol, strlen(symbol));
		hd_buf_addf(out, " up to %.6g%s%s", ack.level, ack.expires ? " until " : "",
			ack.expires ? ack.expires : "");
		hd_buf_adds(out, ack.target ? " in target " : " in all targets");
		if (ack.target)
			hd_enc_term(out, ack.target, strlen(ack.target));
		hd_buf_addc(out, '\n');
	}
	if (rc >= 0 && !failed)
		hd_warn(log, "ack.never-failed", "it is stored; --withdraw undoes it",
			"no gate%s%s has failed because of '%s'", o->target ? " of target "
				"" : "", o->target ? o->target : "",
			symbol);
	free(target);
	return rc < 0 ? rc : 0;
}

static int withdraw(struct hd_buf *out, const struct ack_opts *o, const char *symbol, struct hd_err *err)
{
	struct hd_db *db;
	int64_t n;
	int rc = hd_db_option_open(&db, &o->db, HD_DB_READ, 0, err);

	if (rc < 0)
		return rc;
	hd_db_close(db);
	rc = hd_db_option_open(&db, &o->db, HD_DB_WRITE, 0, err);
	if (rc < 0)
		return rc;
	rc = hd_ack_withdraw(db, o->target, o->all_targets, symbol, o->event, o->object, &n, err);
	if (rc >= 0 && !n)
		rc = hd_fail(err, HD_EFORMAT, "ack: no acknowledgement of '%s' is in effect%s%s; --list "
			"prints all", symbol, o->target ? " for target " : "", o->target ? o->target : "");
	hd_db_close(db);
	if (rc < 0)
		return rc;
	hd_buf_addf(out, "withdrawn     %lld of ", (long long)n);
	hd_enc_term(out, symbol, strlen(symbol));
	hd_buf_addc(out, '\n');
	return 0;
}

/* ---- the list ---- */

static const char *state_of(const struct hd_ack *a, const char *now)
{
	return a->withdrawn ? "withdrawn" : a->expires && strcmp(a->expires, now) <= 0 ? "expired" : "counts";
}

static void stored(struct hd_buf *out, const char *s)
{
	if (s && *s)
		hd_stored_text_term(out, s, strlen(s));
}

static void named(struct hd_buf *out, const char *what, const char *s)
{
	if (!s || !*s)
		return;
	hd_buf_addf(out, "  %s ", what);
	stored(out, s);
}

static void list_text(struct hd_buf *out, const struct hd_acks *all, const char *now)
{
	if (!all->n)
		hd_buf_adds(out, "nothing is acknowledged\n");
	for (size_t i = 0; i < all->n; i++) {
		const struct hd_ack *a = &all->items[i];

		hd_buf_addf(out, "%-9s  ", state_of(a, now));
		stored(out, a->symbol);
		hd_buf_addf(out, "  up to %.6g", a->level);
		named(out, "target", a->target);
		named(out, "event", a->event);
		named(out, "object", a->object);
		hd_buf_adds(out, a->expires ? "  until " : "");
		stored(out, a->expires);
		hd_buf_adds(out, a->author ? "  by " : "");
		stored(out, a->author);
		hd_buf_adds(out, "  ");
		stored(out, a->reason);
		hd_buf_addc(out, '\n');
	}
}

static void member(struct hd_jsonw *w, const char *key, const char *text)
{
	struct hd_buf b = { 0 };

	if (text)
		hd_stored_text_json(&b, text, strlen(text));
	hd_jsonw_raw(w, key, text ? b.data : "null");
	hd_buf_release(&b);
}

static void list_json(struct hd_buf *out, const struct hd_acks *all, const char *now)
{
	struct hd_jsonw w = hd_jsonw_document(out, "hotdrift.acks", 1);

	hd_jsonw_open(&w, "acknowledgements", '[');
	for (size_t i = 0; i < all->n; i++) {
		const struct hd_ack *a = &all->items[i];

		hd_jsonw_row(&w, NULL, '{');
		member(&w, "symbol", a->symbol);
		hd_jsonw_num(&w, "level", a->level, 6);
		member(&w, "state", state_of(a, now));
		member(&w, "reason", a->reason);
		member(&w, "author", a->author);
		member(&w, "target", a->target);
		member(&w, "event", a->event);
		member(&w, "object", a->object);
		member(&w, "commit", a->commit);
		member(&w, "created", a->created);
		member(&w, "expires", a->expires);
		member(&w, "withdrawn", a->withdrawn);
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
}

static int list(struct hd_buf *out, const struct ack_opts *o, struct hd_err *err)
{
	char now[HD_UTC_TEXT];
	struct hd_acks all;
	struct hd_db *db;
	int rc = hd_db_option_open(&db, &o->db, HD_DB_READ, 0, err);

	if (rc < 0)
		return rc;
	hd_utc_text(hd_utc_now(), now);
	rc = hd_acks_load(&all, db, o->target, o->event, NULL, err);
	hd_db_close(db);
	if (rc < 0)
		return rc;
	if (o->json)
		list_json(out, &all, now);
	else
		list_text(out, &all, now);
	hd_acks_release(&all);
	return 0;
}

static int ack_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	const struct ack_opts *o = opts;
	struct hd_buf out = { 0 };
	int rc;

	if (o->list ? argc || o->withdraw : !argc)
		return hd_fail(err, HD_EUSAGE, "ack: a symbol or --list is missing");
	if (o->target && o->all_targets)
		return hd_fail(err, HD_EUSAGE, "ack: --target and --all-targets exclude each other");
	if (o->list)
		rc = list(&out, o, err);
	else
		rc = o->withdraw ? withdraw(&out, o, argv[0], err) : add(&out, o, argv[0], log, err);
	if (rc >= 0)
		rc = hd_output_write(o->out, &out, err);
	hd_buf_release(&out);
	return rc;
}

const struct hd_cmd hd_cmd_ack = {
	.name = "ack",
	.args = "[SYMBOL]",
	.summary = "acknowledge that a symbol costs more, up to a level",
	.details =
		"A row of 'gate' whose share in the head does not exceed the level no longer FAILs and is marked "
		"with an A.  The acknowledgement ends when the level is exceeded, at its expiry date, or when it is "
		"withdrawn.\n"
		"\n"
		"SYMBOL is the name that 'gate' prints (normalised: without .part.0, hashes and the like), or its "
		"name of a series: 'p99 wall_time_us', 'peak_rss_bytes', 'joules'.  The level is then in the unit of "
		"the series.  Names that the newest runs do not have need a --level.\n"
		"\n"
		"An acknowledgement applies to one target: --target, otherwise the target whose gate failed because "
		"of SYMBOL last, otherwise that of the newest runs.  When everything that failed a gate is "
		"acknowledged, its runs may be a baseline again.\n"
		"\n"
		"--withdraw without --target withdraws those of the only target that has any.  If several have, it "
		"names them and withdraws none; --all-targets withdraws all.",
	.examples =
		"hotdrift ack parse_row --reason \"checks UTF-8 now\"\taccept the current cost\n"
		"hotdrift ack 'p99 wall_time_us' --level 48000 --reason \"larger pages\" --expires 2026-12-31\ta "
		"series, for some time\n"
		"hotdrift ack --list\tall acknowledgements\n"
		"hotdrift ack parse_row --withdraw\tit was fixed\n"
		"",
	HD_CMD_OPTS(ack_opts, ack_defaults),
	.groups = ack_groups,
	.max_args = 1,
	.run = ack_run,
};
