/*
 * acks.c - see acks.h
 */
#include "history/acks.h"

#include "base/encode.h"
#include "base/mem.h"
#include "base/utc.h"
#include "db/row_reader.h"
#include "trust/journal.h"

#include <stdlib.h>
#include <string.h>

static bool any_or_same(const char *of, const char *wanted)
{
	return !of || !wanted || !strcmp(of, wanted);
}

static bool counts(const struct hd_ack *a, const char *target, const char *event, const char *now)
{
	if (!any_or_same(a->target, target) || !any_or_same(a->event, event))
		return false;
	return !now || (!a->withdrawn && (!a->expires || strcmp(a->expires, now) > 0));
}

/*
 * Fail if an acknowledgement has no matching entry in the journal (trust/journal.h): then it was inserted or altered
 * by hand.  This is an error because an acknowledgement can turn a FAIL into a PASS.
 */
static int check_noted(const struct hd_acks *a, struct hd_db *db, struct hd_err *err)
{
	int rc = a->n ? hd_db_check_types(db, "journal", NULL, err) : 0;

	if (rc >= 0 && a->n)
		rc = hd_db_check_types(db, "acknowledgement", NULL, err);
	if (rc == HD_ENO)
		return hd_fail(err, HD_EIO, "%s: its acknowledgements or its journal were edited by hand; 'hotdrift "
			"verify' tells more", hd_db_name(db));
	for (size_t i = 0; i < a->n && rc >= 0; i++) {
		rc = hd_journal_holds(db, HD_JOURNAL_ACKNOWLEDGEMENT, "", a->items[i].id, err);
		if (rc == 0)
			return hd_fail(err, HD_EIO,
				"%s: acknowledgement %lld (%.200s) was inserted or altered by hand; 'hotdrift verify' "
				"tells more",
				hd_db_name(db), (long long)a->items[i].id, a->items[i].symbol);
	}
	return rc < 0 ? rc : 0;
}

static const struct hd_row_field ack_fields[] = {
	HD_ROW(struct hd_ack, id, "id", INT),
	HD_ROW(struct hd_ack, target, "target", TEXT),
	HD_ROW(struct hd_ack, event, "event", TEXT),
	HD_ROW(struct hd_ack, object, "object", TEXT),
	HD_ROW(struct hd_ack, symbol, "symbol", TEXT),
	HD_ROW(struct hd_ack, level, "level_pct", REAL_OR_0),
	HD_ROW(struct hd_ack, commit, "commit_sha", TEXT),
	HD_ROW(struct hd_ack, reason, "reason", TEXT),
	HD_ROW(struct hd_ack, author, "author", TEXT),
	HD_ROW(struct hd_ack, created, "created_utc", TEXT),
	HD_ROW(struct hd_ack, expires, "expires_utc", TEXT),
	HD_ROW(struct hd_ack, withdrawn, "withdrawn_utc", TEXT),
};
static const struct hd_row_query all_acks = HD_ROW_QUERY(struct hd_ack, ack_fields,
	"FROM acknowledgement ORDER BY id");

int hd_acks_load(struct hd_acks *a, struct hd_db *db, const char *target, const char *event, const char *now,
	struct hd_err *err)
{
	char *vt = hd_enc_visible_new(target), *ve = hd_enc_visible_new(event);
	struct hd_ack one = { 0 };
	struct hd_db_rows r;
	int rc;

	*a = (struct hd_acks){ 0 };
	rc = hd_row_query(&r, &all_acks, db, err, "");
	while (rc >= 0 && (rc = hd_row_next(&r, &all_acks, &a->arena, &one, err)) > 0) {
		if (!one.symbol || !counts(&one, vt, ve, now))
			continue;
		HD_GROW(a->items, a->n + 1, a->cap);
		a->items[a->n++] = one;
	}
	hd_db_end(&r);
	if (rc >= 0 && now)
		rc = check_noted(a, db, err);
	free(vt);
	free(ve);
	if (rc < 0)
		hd_acks_release(a);
	return rc;
}

void hd_acks_release(struct hd_acks *a)
{
	free(a->items);
	hd_arena_release(&a->arena);
	*a = (struct hd_acks){ 0 };
}

const struct hd_ack *hd_acks_find(const struct hd_acks *a, const char *symbol, const char *object)
{
	const struct hd_ack *best = NULL;
	char *vs, *vo;

	if (!a->n)
		return NULL;
	vs = hd_enc_visible_new(symbol);
	vo = hd_enc_visible_new(object);
	for (size_t i = 0; i < a->n; i++) {
		const struct hd_ack *one = &a->items[i];

		if (!strcmp(one->symbol, vs) && (!one->object || (vo && !strcmp(one->object, vo))) &&
			(!best || one->level > best->level))
			best = one;
	}
	free(vs);
	free(vo);
	return best;
}

bool hd_acks_covers(const struct hd_ack *a, double value)
{
	return value <= a->level * (1 + 1e-9);
}

int hd_acks_failed_in(struct hd_db *db, const char *target, const char *symbol, char **found, struct hd_err *err)
{
	char *vt = hd_enc_visible_new(target ? target : ""), *vs = hd_enc_visible_new(symbol);
	struct hd_db_rows r;
	int rc;

	*found = NULL;
	rc = hd_db_query(&r, db, err,
		"SELECT x.target FROM gate_result x JOIN drift_event d ON d.gate_id = x.id LEFT JOIN symbol s ON s.id "
		"= d.symbol_id WHERE x.command = 'gate' AND d.verdict = 'FAIL' AND d.kind NOT IN ('order', 'score') "
		"AND ($1 = '' OR x.target = $2) AND COALESCE(d.series, s.normal, s.name, '[unknown] in ' || s.object, "
		"'[unknown]') = $3 ORDER BY x.id DESC LIMIT 1",
		"ttt", vt, vt, vs);
	if (rc >= 0 && (rc = hd_db_next(&r, err)) > 0)
		*found = hd_col_text(&r, 0);
	hd_db_end(&r);
	free(vt);
	free(vs);
	return rc < 0 ? rc : 0;
}

/* ---- writing ---- */

int hd_ack_add(struct hd_db *db, struct hd_ack *ack, struct hd_err *err)
{
	const char *const raw[] = { ack->target, ack->event, ack->object, ack->symbol, ack->reason, ack->author };
	char *v[HD_COUNT(raw)], now[HD_UTC_TEXT];
	int rc = hd_journal_begin(db, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < HD_COUNT(raw); i++)
		v[i] = hd_enc_visible_new(raw[i]);
	hd_utc_text(hd_utc_now(), now);
	rc = hd_db_query_int(db, &ack->id, 0, err, "SELECT MAX(id) FROM acknowledgement", "");
	if (rc >= 0)
		rc = hd_db_do(db, err,
			"INSERT INTO acknowledgement (id, target, event, object, symbol, level_pct, commit_sha, "
			"reason, author, created_utc, expires_utc) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, "
			"$11)",
			"ittttdttttt", ++ack->id, v[0], v[1], v[2], v[3], ack->level, ack->commit, v[4], v[5], now,
			ack->expires);
	if (rc >= 0)
		rc = hd_journal_note(db, HD_JOURNAL_ACKNOWLEDGEMENT, "", ack->id, err);
	if (rc >= 0)
		rc = hd_db_commit(db, err);
	hd_db_rollback(db);
	for (size_t i = 0; i < HD_COUNT(raw); i++)
		free(v[i]);
	return rc;
}

/* Fail unless the acknowledgements of the symbol are for the same target, or all of them for all targets. */
static int need_one_target(const struct hd_acks *all, const char *symbol, struct hd_err *err)
{
	struct hd_buf names = { 0 };
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < all->n; i++) {
		const char *target = hd_or_empty(all->items[i].target);
		bool again = false;

		for (size_t j = 0; j < i && !again; j++)
			again = !strcmp(hd_or_empty(all->items[j].target), target);
		if (!again)
			hd_buf_addf(&names, "%s%s%s", n++ ? ", " : "", *target ? "target " : "all targets", target);
	}
	if (n > 1)
		rc = hd_fail(err, HD_EUSAGE,
			"ack: '%s' is acknowledged in %s; select one by --target NAME, or withdraw all by "
			"--all-targets", symbol, names.data);
	hd_buf_release(&names);
	return rc;
}

/* Return true if `wanted` is NULL (any) or equals `value`. */
static bool is_wanted(const char *wanted, const char *value)
{
	return !wanted || (value && !strcmp(value, wanted));
}

/* Drop the acknowledgements that hd_ack_withdraw() does not withdraw. */
static void keep_matching(struct hd_acks *all, const char *target, const char *symbol, const char *event,
	const char *object)
{
	char *vs = hd_enc_visible_new(symbol), *ve = hd_enc_visible_new(event), *vo = hd_enc_visible_new(object);
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct hd_ack *a = &all->items[i];

		if (!strcmp(a->symbol, vs) && (!target || a->target) && is_wanted(ve, a->event) &&
			is_wanted(vo, a->object))
			all->items[n++] = *a;
	}
	all->n = n;
	free(vs);
	free(ve);
	free(vo);
}

int hd_ack_withdraw(struct hd_db *db, const char *target, bool all_targets, const char *symbol, const char *event,
	const char *object, int64_t *n, struct hd_err *err)
{
	struct hd_acks all = { 0 };
	char now[HD_UTC_TEXT];
	int rc = hd_journal_begin(db, err);

	*n = 0;
	hd_utc_text(hd_utc_now(), now);
	if (rc >= 0)
		rc = hd_acks_load(&all, db, target, NULL, now, err);
	keep_matching(&all, target, symbol, event, object);
	if (rc >= 0 && !all_targets)
		rc = need_one_target(&all, symbol, err);
	for (size_t i = 0; rc >= 0 && i < all.n; i++) {
		int64_t id = all.items[i].id;

		rc = hd_db_do(db, err, "UPDATE acknowledgement SET withdrawn_utc = $1 WHERE id = $2", "ti", now, id);
		if (rc >= 0)
			rc = hd_journal_note(db, HD_JOURNAL_ACKNOWLEDGEMENT, "", id, err);
		++*n;
	}
	hd_acks_release(&all);
	if (rc >= 0)
		rc = hd_db_commit(db, err);
	hd_db_rollback(db);
	return rc;
}
