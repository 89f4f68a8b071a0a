/*
 * cmd_ack.c - hotdrift ack SYMBOL: this rise is known and accepted, up to a level, until a day
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
		"the self share that is accepted, per cent of the total; of a series a value in its unit (default: the "
		"share in the newest runs, rounded up to 0.1 %)",
		offsetof(struct ack_opts, level) },
	{ HD_OPT_STR, 0, "reason", "TEXT", "why; it stands in every report", offsetof(struct ack_opts, reason) },
	{ HD_OPT_STR, 0, "expires", "DATE", "until then, 2026-12-31 or 2026-12-31T12:00:00Z (default: it stays)",
		offsetof(struct ack_opts, expires) },
	{ HD_OPT_STR, 0, "author", "NAME", "who says so", offsetof(struct ack_opts, author) },
	{ HD_OPT_STR, 0, "target", "NAME",
		"only of this target (default: the one whose gate failed by SYMBOL last, else that of the newest runs)",
		offsetof(struct ack_opts, target) },
	{ HD_OPT_FLAG, 0, "all-targets", NULL, "of all targets", offsetof(struct ack_opts, all_targets) },
	{ HD_OPT_STR, 0, "event", "NAME", "only of this event (default: of all)", offsetof(struct ack_opts, event) },
	{ HD_OPT_STR, 0, "object", "NAME", "only in this object, the last part of its path (default: in all)",
		offsetof(struct ack_opts, object) },
	{ HD_OPT_FLAG, 0, "list", NULL, "list all there are, also those that expired or were withdrawn",
		offsetof(struct ack_opts, list) },
	{ HD_OPT_FLAG, 0, "withdraw", NULL, "those of SYMBOL do not count any more; they stay in the list",
		offsetof(struct ack_opts, withdraw) },
	{ HD_OPT_FLAG, 0, "json", NULL, "with --list: JSON, format hotdrift.acks", offsetof(struct ack_opts, json) },
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
			"ack: --level takes a number, per cent of the total or a value of a series, not '%s'", text);
	return 0;
}

/* ---- the level that it has now ---- */

static int share_in(struct hd_db *db, const struct hd_run_set_member *run, const char *symbol, double *pct,
	struct hd_err *err)
{
	int64_t self;
	int rc = hd_run_load_symbol_self(&self, db, run->row, run->event, symbol, err);

	*pct = rc >= 0 && run->weight > 0 ? 100 * (double)self / run->weight : 0;
	return rc;
}

/*
 * Set *target, owned by the caller, to the target that is meant: of --target, of the newest gate that failed by the symbol, or NULL,
 * which level_now() replaces by that of the newest runs.  Set *failed if some gate failed by the symbol.
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

/* The largest share in the newest runs of the target (NULL: set it to theirs), and their commit. */
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

		rc = side.runs[i].event >= 0 ? share_in(db, &side.runs[i], symbol, &pct, err) : 0;
		if (rc >= 0 && side.runs[i].event >= 0)
			*level = fmax(*level, ceil(pct * 10) / 10);
	}
	hd_run_set_release(&side);
	if (rc >= 0 && !o->level && !(*level > 0)) {
		struct hd_nearest n = hd_nearest_to(symbol);

		hd_run_lookup_suggest_symbols(&n, db);
		rc = hd_fail(err, HD_EFORMAT,
			"ack: the newest runs have no symbol '%s'; a name that they lack needs --level (of a series a "
			"value in its unit)%s",
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

	if (o->target && o->all_targets)
		return hd_fail(err, HD_EUSAGE, "ack: --target and --all-targets contradict each other");
	if (!o->reason || !*o->reason)
		return hd_fail(err, HD_EUSAGE, "ack: why is wanted, --reason TEXT");
	if (o->expires)
		rc = read_expiry(o->expires, expires, err);
	if (rc >= 0 && o->level)
		rc = read_level(o->level, &ack.level, err);
	if (rc >= 0)
		rc = hd_db_option_open(&db, &o->db, HD_DB_READ, 0, err);	/* one that is not there is not made */
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
		hd_warn(log, "ack.never-failed", "it is stored all the same; --withdraw takes it back",
			"no gate%s%s has said FAIL of '%s'", o->target ? " of target " : "", o->target ? o->target : "",
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
	rc = hd_ack_withdraw(db, o->target, symbol, o->object, &n, err);
	if (rc >= 0 && !n)
		rc = hd_fail(err, HD_EFORMAT, "ack: no acknowledgement of '%s' counts; --list has all", symbol);
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

static void list_text(struct hd_buf *out, const struct hd_acks *all, const char *now)
{
	if (!all->n)
		hd_buf_adds(out, "nothing is acknowledged\n");
	for (size_t i = 0; i < all->n; i++) {
		const struct hd_ack *a = &all->items[i];

		hd_buf_addf(out, "%-9s  ", state_of(a, now));
		stored(out, a->symbol);
		hd_buf_addf(out, "  up to %.6g", a->level);
		hd_buf_adds(out, a->target ? "  target " : "");
		stored(out, a->target);
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
	struct hd_jsonw w = hd_jsonw_to(out);

	hd_jsonw_open(&w, NULL, '{');
	hd_jsonw_str(&w, "format", "hotdrift.acks");
	hd_jsonw_u64(&w, "version", 1);
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
		return hd_fail(err, HD_EUSAGE, "ack: a symbol is wanted, or --list");
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
		"A row of 'gate' whose share in the head is not above the level does not FAIL any more and is printed "
		"with an A: what is\n"
		"known and accepted. Above the level, after the day it expires, or when it was withdrawn, it counts no "
		"more.\n"
		"\n"
		"SYMBOL is the name as 'gate' prints it (normalised: without .part.0, hashes and the like), or what it "
		"calls a series:\n"
		"'p99 wall_time_us', 'peak_rss_bytes', 'joules'; the level is then in the unit of the series.  Names "
		"that are not\n"
		"in the newest runs need a --level.\n"
		"\n"
		"It counts for one target: --target, else the one whose gate failed by SYMBOL last, else that of the "
		"newest runs.  When\n"
		"all that a gate failed by is acknowledged, its runs may be a baseline again.",
	.examples =
		"hotdrift ack parse_row --reason \"checks UTF-8 now\"\taccept what it costs now\n"
		"hotdrift ack 'p99 wall_time_us' --level 48000 --reason \"larger pages\" --expires 2026-12-31\ta "
		"series, for some time\n"
		"hotdrift ack --list\twhat is acknowledged\n"
		"hotdrift ack parse_row --withdraw\tit was repaired\n",
	HD_CMD_OPTS(ack_opts, ack_defaults),
	.groups = ack_groups,
	.max_args = 1,
	.run = ack_run,
};
