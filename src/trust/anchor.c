/*
 * anchor.c - create, store and check anchors (signatures of the heads of hash chains): see anchor.h
 */
#include "trust/anchor.h"

#include "base/hex.h"
#include "base/mem.h"
#include "db/row_reader.h"
#include "trust/word_lines.h"

#include <stdlib.h>
#include <string.h>

#define WORD "hotdrift-anchor "

static void text_of(struct hd_buf *text, const struct hd_signing_key *key, const struct hd_anchor *a)
{
	hd_buf_addf(text, "hotdrift anchor %d\n%s\n%lld\n%s\n%s\n", key->pair ? 2 : 1, a->origin, (long long)a->seq,
		a->hash, a->signed_utc);
	if (key->pair)
		hd_buf_addf(text, "%s\n", key->id);
}

static void sign(const struct hd_signing_key *key, struct hd_anchor *a)
{
	uint8_t signature[HD_ED25519_SIGNATURE];
	struct hd_buf text = { 0 };

	text_of(&text, key, a);
	if (key->pair) {
		hd_ed25519_sign(key->pair, text.data, text.len, signature);
		hd_hex(signature, sizeof(signature), a->mac);
	} else {
		hd_hmac_sha256_hex(key->bytes, key->n, text.data, text.len, a->mac);
	}
	hd_buf_release(&text);
}

bool hd_anchor_holds(const struct hd_signing_key *key, const struct hd_anchor *a)
{
	uint8_t signature[HD_ED25519_SIGNATURE];
	char mac[HD_SHA256_HEX];
	struct hd_buf text = { 0 };
	bool holds;

	text_of(&text, key, a);
	if (key->pair) {
		holds = strlen(a->mac) == 2 * sizeof(signature) &&
			hd_unhex(a->mac, signature, sizeof(signature)) == sizeof(signature) &&
			hd_ed25519_holds(key->pair, text.data, text.len, signature);
	} else {
		hd_hmac_sha256_hex(key->bytes, key->n, text.data, text.len, mac);
		holds = strlen(a->mac) == sizeof(mac) - 1 && hd_equal_constant_time(mac, a->mac, sizeof(mac));
	}
	hd_buf_release(&text);
	return holds;
}

/* ---- rows ---- */

/*
 * Fields (db/row_reader.h) that read a row of table anchor into a struct hd_anchor.  The query must give the table the
 * alias a.  `type` is the struct that a row fills.  `prefix` is empty if `type` is struct hd_anchor.  Otherwise it is
 * the name of the member of that type, with a dot.
 */
#define ANCHOR_FIELDS(type, prefix)					\
	HD_ROW(type, prefix origin, "a.origin", CHARS),			\
	HD_ROW(type, prefix seq, "a.seq", INT_OR_0),			\
	HD_ROW(type, prefix hash, "a.run_hash", CHARS),			\
	HD_ROW(type, prefix signed_utc, "a.signed_utc", CHARS),		\
	HD_ROW(type, prefix key_id, "a.key_id", CHARS),			\
	HD_ROW(type, prefix mac, "a.mac", CHARS)

static const struct hd_row_field anchor_fields[] = { ANCHOR_FIELDS(struct hd_anchor, ) };
static const struct hd_row_query one_anchor = HD_ROW_QUERY(struct hd_anchor, anchor_fields,
	"FROM anchor a WHERE a.origin = $1 AND a.seq = $2 AND a.key_id = $3");
static const struct hd_row_query chain_anchors = HD_ROW_QUERY(struct hd_anchor, anchor_fields,
	"FROM anchor a WHERE a.origin = $1 AND a.key_id = $2 ORDER BY a.seq");

int hd_anchor_find(struct hd_db *db, const struct hd_signing_key *key, const char *origin, int64_t seq,
	struct hd_anchor *a, struct hd_err *err)
{
	return hd_row_get(a, &one_anchor, db, NULL, err, "tit", origin, seq, key->id);
}

int hd_anchors_load(struct hd_anchors *list, struct hd_db *db, const struct hd_signing_key *key, const char *origin,
	struct hd_err *err)
{
	struct hd_row_list rows = { 0 };
	int rc = hd_row_load(&rows, &chain_anchors, db, NULL, err, "tt", origin, key->id);

	*list = (struct hd_anchors){ rows.items, rows.n, rows.n };
	return rc;
}

/* ---- lines of a file ---- */

void hd_anchor_line(struct hd_buf *out, const struct hd_anchor *a)
{
	hd_buf_addf(out, WORD "%d %s %lld %s %s %s %s\n", strlen(a->mac) == HD_SHA256_HEX - 1 ? 1 : 2, a->origin,
		(long long)a->seq, a->hash, a->signed_utc, a->key_id, a->mac);
}

static bool parse_line(struct hd_anchor *a, struct hd_word_lines *l)
{
	char form[2];
	int64_t secs;

	*a = (struct hd_anchor){ 0 };
	if (!hd_word_lines_skip(l, WORD) || !hd_word_lines_take(l, "12", form, sizeof(form)) ||
		!hd_word_lines_take(l, HD_HEX_DIGITS, a->origin, sizeof(a->origin)) ||
		!hd_word_lines_take_number(l, &a->seq) ||
		!hd_word_lines_take(l, HD_HEX_DIGITS, a->hash, sizeof(a->hash)) ||
		!hd_word_lines_take(l, "0123456789-:TZ", a->signed_utc, sizeof(a->signed_utc)) ||
		!hd_word_lines_take(l, HD_HEX_DIGITS, a->key_id, sizeof(a->key_id)) ||
		!hd_word_lines_take(l, HD_HEX_DIGITS, a->mac, sizeof(a->mac)) || l->at != l->stop)
		return false;
	return strlen(a->hash) == HD_SHA256_HEX - 1 && strlen(a->key_id) == HD_SIGNING_KEY_ID - 1 &&
		strlen(a->mac) == (*form == '1' ? HD_SHA256_HEX - 1 : HD_MAC_MAX - 1) &&
		!hd_utc_parse(a->signed_utc, &secs);
}

int hd_anchors_parse(struct hd_anchors *list, const char *text, size_t len, const char *path, struct hd_err *err)
{
	struct hd_word_lines l = { .next = text, .end = text + len };

	while (hd_word_lines_next(&l)) {
		HD_GROW(list->items, list->n + 1, list->cap);
		if (!parse_line(&list->items[list->n], &l))
			return hd_fail(err, HD_EFORMAT,
				"%s: line %zu is not an anchor: expected '%s ORIGIN SEQ RUN_HASH TIME KEY_ID MAC'",
				path, l.line, "hotdrift-anchor FORM");
		list->n++;
	}
	return 0;
}

int hd_anchors_read(struct hd_anchors *list, const char *path, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	int rc = hd_word_lines_read(&text, path, err);

	if (rc > 0)
		rc = hd_anchors_parse(list, hd_buf_str(&text), text.len, path, err);
	hd_buf_release(&text);
	return rc;
}

void hd_anchors_release(struct hd_anchors *list)
{
	free(list->items);
	*list = (struct hd_anchors){ 0 };
}

/* ---- signing ---- */

int hd_anchor_add(struct hd_db *db, const struct hd_signing_key *key, const char *origin, int64_t seq, const char *hash,
	struct hd_anchor *made, struct hd_err *err)
{
	struct hd_anchor a = { .seq = seq };

	if (!hd_signing_key_can_sign(key))
		return hd_fail(err, HD_EUSAGE, "key %s is a public key, which cannot sign", key->id);
	if (strlen(origin) >= sizeof(a.origin) || strlen(hash) >= sizeof(a.hash))
		return hd_fail(err, HD_ENO, "%s: chain %.40s: its name or hash is too long to be signed",
			hd_db_name(db), origin);
	snprintf(a.origin, sizeof(a.origin), "%s", origin);
	snprintf(a.hash, sizeof(a.hash), "%s", hash);
	snprintf(a.key_id, sizeof(a.key_id), "%s", key->id);
	hd_utc_text(hd_utc_now(), a.signed_utc);
	sign(key, &a);
	if (made)
		*made = a;
	return hd_db_do(db, err,
		"INSERT INTO anchor (origin, seq, run_hash, signed_utc, key_id, mac) VALUES ($1, $2, $3, $4, $5, $6)",
		"titttt", a.origin, a.seq, a.hash, a.signed_utc, a.key_id, a.mac);
}

/* ---- claims: each is an anchor, and the entry that the database has at the anchor's place ---- */

struct claim {
	struct hd_anchor a;
	/* the hash of the entry that the hash chain `origin` has at place `seq`; "" if there is no such entry */
	char there[HD_SHA256_HEX];
	/* the id of the run at that place; HD_ANCHOR_JOURNAL for an entry of the journal; NULL if there is no entry */
	char *run;
};

struct claims {
	struct claim *items;
	size_t n, cap;
};

static void claims_release(struct claims *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->items[i].run);
	free(c->items);
}

/* An entry of a hash chain is a row of table run, tombstone or journal. */
static const struct hd_row_field claim_fields[] = {
	ANCHOR_FIELDS(struct claim, a.),
	HD_ROW(struct claim, there, "COALESCE(r.run_hash, t.run_hash, j.entry_hash)", CHARS),
	HD_ROW(struct claim, run,
		"COALESCE(r.run_id, t.run_id, CASE WHEN j.origin IS NOT NULL THEN '" HD_ANCHOR_JOURNAL "' END)", TEXT),
};
static const struct hd_row_query stored_claims = HD_ROW_QUERY(struct claim, claim_fields,
	"FROM anchor a LEFT JOIN run r ON r.origin = a.origin AND r.seq = a.seq LEFT JOIN tombstone t ON t.origin "
	"= a.origin "
	"AND t.seq = a.seq LEFT JOIN journal j ON j.origin = a.origin AND j.seq = a.seq WHERE a.key_id = $1 "
	"AND ($2 = '' OR a.origin = $2) ORDER BY a.origin, a.seq");

static int from_database(struct claims *c, struct hd_db *db, const struct hd_signing_key *key, const char *origin,
	struct hd_err *err)
{
	struct hd_row_list rows = { 0 };
	int rc = hd_row_load(&rows, &stored_claims, db, NULL, err, "tt", key->id, origin);

	*c = (struct claims){ rows.items, rows.n, rows.n };
	return rc;
}

static const struct hd_row_field place_fields[] = {
	HD_ROW(struct claim, there, "p.hash", CHARS), HD_ROW(struct claim, run, "p.name", TEXT),
};
static const struct hd_row_query stored_place = HD_ROW_QUERY(struct claim, place_fields,
	"FROM (SELECT run_hash AS hash, run_id AS name FROM run WHERE origin = $1 AND seq = $2 UNION ALL SELECT "
	"run_hash, "
	"run_id FROM tombstone WHERE origin = $3 AND seq = $4 UNION ALL SELECT entry_hash, '" HD_ANCHOR_JOURNAL
	"' FROM journal WHERE origin = $5 AND seq = $6) p");

static int look_up(struct hd_db *db, struct claim *c, struct hd_err *err)
{
	const char *origin = c->a.origin;
	int64_t seq = c->a.seq;

	return hd_row_get(c, &stored_place, db, NULL, err, "tititi", origin, seq, origin, seq, origin, seq);
}

static int by_place(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;
	int by = strcmp(x->a.origin, y->a.origin);

	if (!by)
		by = (x->a.seq > y->a.seq) - (x->a.seq < y->a.seq);
	return by ? by : strcmp(x->a.mac, y->a.mac);
}

/*
 * Add a claim for each anchor of the list that was made with this key.  An anchor that is also in the database has a
 * claim already and is skipped.
 */
static int from_file(struct claims *c, struct hd_db *db, const struct hd_signing_key *key,
	const struct hd_anchors *more, struct hd_err *err)
{
	size_t known = c->n;
	int rc = 0;

	if (known)
		qsort(c->items, known, sizeof(*c->items), by_place);
	for (size_t i = 0; more && i < more->n && rc >= 0; i++) {
		struct claim one = { .a = more->items[i] };

		if (strcmp(one.a.key_id, key->id))
			continue;
		if (known && bsearch(&one, c->items, known, sizeof(one), by_place))
			continue;
		HD_GROW(c->items, c->n + 1, c->cap);
		rc = look_up(db, &one, err);
		c->items[c->n++] = one;
	}
	if (c->n)
		qsort(c->items, c->n, sizeof(*c->items), by_place);
	return rc;
}

/*
 * Fail if the anchor c->a is not valid, or if its hash chain does not have the run that it signed.  good: the previous
 * anchor of the same chain, which was judged before; NULL: there is none.
 */
static int judge(struct hd_db *db, const struct hd_signing_key *key, const struct claim *c, const struct claim *good,
	struct hd_err *err)
{
	char since[80] = "from its start";

	if (good)
		snprintf(since, sizeof(since), "after its run %lld, which is unchanged", (long long)good->a.seq);
	if (!hd_anchor_holds(key, &c->a))
		return hd_fail(err, HD_ENO,
			"%s: chain %s: the anchor at %lld was altered: key %s did not sign it", hd_db_name(db),
			c->a.origin, (long long)c->a.seq, key->id);
	if (!*c->there)
		return hd_fail(err, HD_ENO,
			"%s: chain %s: its run %lld, signed at %s, is missing: the history was replaced by an older "
			"or another one",
			hd_db_name(db), c->a.origin, (long long)c->a.seq, c->a.signed_utc);
	if (strcmp(c->there, c->a.hash))
		return hd_fail(err, HD_ENO,
			"%s: run %s (%lld of its chain) is not the one that was signed at %s: the history was "
			"rewritten %s",
			hd_db_name(db), c->run ? c->run : "", (long long)c->a.seq, c->a.signed_utc, since);
	return 0;
}

static int judge_all(struct hd_db *db, const struct hd_signing_key *key, const struct claims *c, struct hd_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < c->n && rc >= 0; i++)
		rc = judge(db, key, &c->items[i],
			i && !strcmp(c->items[i - 1].a.origin, c->items[i].a.origin) ? &c->items[i - 1] : NULL, err);
	return rc;
}

int hd_anchor_check_last(struct hd_db *db, const struct hd_signing_key *key, const char *origin, struct hd_err *err)
{
	struct claims c = { 0 };
	int rc = from_database(&c, db, key, origin, err);

	if (rc >= 0)
		rc = judge_all(db, key, &c, err);
	claims_release(&c);
	return rc < 0 ? rc : 0;
}

/* ---- all chains ---- */

/* Set run, seq and time of `chain` to those of its newest anchor.  The claims are sorted by chain and seq. */
static void note(struct hd_anchor_chain *chain, const struct claims *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (strcmp(c->items[i].a.origin, chain->origin))
			continue;
		free(chain->run);
		chain->run = hd_strdup(c->items[i].run ? c->items[i].run : "");
		chain->seq = c->items[i].a.seq;
		memcpy(chain->signed_utc, c->items[i].a.signed_utc, sizeof(chain->signed_utc));
	}
}

static int list_chains(struct hd_db *db, struct hd_anchor_report *found, const struct claims *c, struct hd_err *err)
{
	struct hd_chain_heads heads;
	int rc = hd_chain_heads(&heads, db, err);

	for (size_t i = 0; i < heads.n && rc >= 0; i++) {
		const struct hd_chain_head *h = &heads.items[i];
		struct hd_anchor_chain chain = {
			.origin = hd_strdup(h->origin ? h->origin : ""), .head = h->seq,
			.journal = hd_chain_head_is_of(h, "journal"),
		};

		note(&chain, c);
		HD_GROW(found->chains, found->n + 1, found->cap);
		found->chains[found->n++] = chain;
	}
	hd_chain_heads_release(&heads);
	return rc < 0 ? rc : 0;
}

static int none_of_this(struct hd_db *db, const struct hd_signing_key *key, const struct hd_anchors *more,
	struct hd_err *err)
{
	int64_t others;
	int rc = hd_db_query_int(db, &others, 0, err, "SELECT COUNT(*) FROM anchor", "");

	if (rc < 0)
		return rc;
	others += more ? (int64_t)more->n : 0;
	if (others)
		return hd_fail(err, HD_ENOBASE,
			"%s: another key: there are %lld anchors, and none was signed with key %s", hd_db_name(db),
			(long long)others, key->id);
	return hd_fail(err, HD_ENOBASE,
		"%s: nothing was signed yet, or the anchors were deleted; see 'hotdrift verify --help'",
		hd_db_name(db));
}

int hd_anchor_check(struct hd_db *db, const struct hd_signing_key *key, const struct hd_anchors *more,
	struct hd_anchor_report *found, struct hd_err *err)
{
	struct claims c = { 0 };
	int rc;

	*found = (struct hd_anchor_report){ 0 };
	rc = from_database(&c, db, key, "", err);
	if (rc >= 0)
		rc = from_file(&c, db, key, more, err);
	if (rc >= 0)
		rc = judge_all(db, key, &c, err);
	found->anchors = (int64_t)c.n;
	if (rc >= 0 && !c.n)
		rc = none_of_this(db, key, more, err);
	if (rc >= 0)
		rc = list_chains(db, found, &c, err);
	claims_release(&c);
	return rc < 0 ? rc : 0;
}

void hd_anchor_report_release(struct hd_anchor_report *found)
{
	for (size_t i = 0; i < found->n; i++) {
		free(found->chains[i].origin);
		free(found->chains[i].run);
	}
	free(found->chains);
	*found = (struct hd_anchor_report){ 0 };
}
