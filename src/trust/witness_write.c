/*
 * witness_write.c - write a witness: see witness.h
 */
#include "trust/witness.h"

#include "base/encode.h"
#include "base/hex.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "db/blob.h"
#include "db/row_reader.h"
#include "trust/chain.h"

#include <stdlib.h>
#include <string.h>

struct writing {
	struct hd_outfile *out;
	struct hd_db *db;
	struct hd_buf line;
	uint64_t n;			/* number of the current line */
	char sum[HD_SHA256_HEX];	/* the "~" of the line before (witness.h) */
};

/* ---- lines ---- */

static void put_n(struct writing *w)
{
	hd_buf_addf(&w->line, ",\"n\":%llu", (unsigned long long)++w->n);
}

static bool is_utf8(const char *p, size_t n)
{
	uint32_t cp;

	for (size_t i = 0; i < n;) {
		size_t len = hd_utf8_decode(p + i, n - i, &cp);

		if (!len)
			return false;
		i += len;
	}
	return true;
}

static void put_hex(struct hd_buf *b, char kind, const char *p, size_t n)
{
	hd_buf_addf(b, "{\"%c\":\"", kind);
	hd_hex((const uint8_t *)p, n, hd_buf_reserve(b, 2 * n));
	b->len += 2 * n;
	hd_buf_adds(b, "\"}");
}

/* Append a text; if it is not UTF-8, which only a foreign database has, append its bytes in hexadecimal. */
static void put_text(struct hd_buf *b, const char *p, size_t n)
{
	if (is_utf8(p, n))
		hd_enc_json_canonical(b, p, n);
	else
		put_hex(b, 't', p, n);
}

static void put_value(struct writing *w, const char *s)
{
	if (s)
		put_text(&w->line, s, strlen(s));
	else
		hd_buf_adds(&w->line, "null");
}

static void put_str(struct writing *w, const char *key, const char *s)
{
	hd_buf_addf(&w->line, ",\"%s\":", key);
	put_value(w, s);
}

static void put_cell(struct hd_buf *b, const struct hd_content_cell *c)
{
	switch (c->kind) {
	case HD_COL_NULL: hd_buf_adds(b, "null"); break;
	case HD_COL_INT: hd_buf_addf(b, "%lld", (long long)c->i); break;
	case HD_COL_DOUBLE: hd_buf_addf(b, "{\"d\":\"%.17g\"}", c->d); break;
	case HD_COL_TEXT: put_text(b, c->p, c->n); break;
	case HD_COL_BLOB: put_hex(b, 'b', c->p, c->n); break;
	}
}

static void end_line(struct writing *w)
{
	hd_witness_next_sum(w->sum, w->line.data, w->line.len, w->sum);
	hd_buf_addf(&w->line, ",\"~\":\"%s\"}\n", w->sum);
	hd_outfile_add(w->out, w->line.data, w->line.len);
	hd_buf_reset(&w->line);
}

/* ---- chains ---- */

static void write_place(struct writing *w, const struct hd_chain_place *p)
{
	hd_buf_addf(&w->line, "{\"content\":\"%s\",\"hash\":\"%s\",\"kind\":\"%s\"", p->content, p->hash,
		p->pruned ? "tombstone" : "run");
	put_n(w);
	put_str(w, "origin", p->origin);
	put_str(w, "prev", p->prev);
	put_str(w, "run", p->name);
	hd_buf_addf(&w->line, ",\"seq\":%lld", (long long)p->seq);
	end_line(w);
}

static bool is_hash(const char *s)
{
	return strlen(s) == HD_SHA256_HEX - 1 && !s[strspn(s, "0123456789abcdef")];
}

static int write_chain(struct writing *w, const char *origin, struct hd_err *err)
{
	struct hd_chain_place p;
	struct hd_db_rows r;
	int rc;

	rc = hd_chain_places(&r, w->db, origin, err);
	while (rc >= 0 && (rc = hd_chain_next(&r, &p, err)) > 0) {
		if (!hd_chain_place_whole(&p) || !is_hash(p.content) || !is_hash(p.hash))
			rc = hd_fail(err, HD_ENO, "%s: a run lacks its hashes; see 'hotdrift verify'",
				hd_db_name(w->db));
		else
			write_place(w, &p);
		hd_chain_place_release(&p);
	}
	hd_db_end(&r);
	return rc;
}

/* ---- a run ---- */

static int write_rows(struct writing *w, int64_t run, int form, struct hd_witness_sums *sums, struct hd_strtab *keys,
	struct hd_err *err)
{
	struct hd_content_cell cells[HD_CONTENT_HASH_COLUMNS];
	int rc = 0;

	for (size_t part = 0; part < hd_content_hash_parts(form) && rc >= 0; part++) {
		struct hd_db_rows r;

		rc = hd_content_hash_query(&r, w->db, form, part, &run, 1, err);
		while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
			int64_t of_run;
			size_t n = hd_content_hash_run_cells(&r, cells, &of_run);
			const struct hd_content_row row = { form, part, cells, n };
			const struct hd_content_cell *key = hd_witness_key_cell(&row);

			hd_buf_adds(&w->line, "{\"kind\":\"row\"");
			put_n(w);
			hd_buf_adds(&w->line, ",\"row\":[");
			for (size_t i = 0; i < n; i++) {
				if (i)
					hd_buf_addc(&w->line, ',');
				put_cell(&w->line, &cells[i]);
			}
			hd_buf_addf(&w->line, "],\"table\":\"%s\"", hd_content_hash_part_name(form, part));
			end_line(w);
			hd_witness_sum_row(sums, &row);
			if (key)
				hd_strtab_addn(keys, key->p, key->n);
		}
		hd_db_end(&r);
	}
	return rc;
}

/*
 * Return the length of the next piece of a text: all that is left, if that is at most HD_WITNESS_TEXT bytes.  Else the
 * piece ends after its last line end or, if it has none, between two characters.
 */
static size_t piece(const char *p, size_t left)
{
	size_t n = left < HD_WITNESS_TEXT ? left : HD_WITNESS_TEXT;
	const char *end = memrchr(p, '\n', n);

	if (n == left)
		return n;
	if (end)
		return (size_t)(end + 1 - p);
	for (size_t back = 0; back < 4 && back < n; back++)
		if (((unsigned char)p[n - back] & 0xc0) != 0x80)
			return n - back;
	return n;
}

static int write_text(struct writing *w, const char *key, struct hd_witness_sums *sums, struct hd_err *err)
{
	struct hd_witness_weights weights = { 0 };
	struct hd_buf text = { 0 };
	int rc = hd_blob_get(w->db, key, &text, err);

	if (rc == 0)
		rc = hd_fail(err, HD_ENO, "%s: the text %s is missing; see 'hotdrift verify'",
			hd_db_name(w->db), key);
	for (size_t at = 0, n = 0; rc > 0 && (at < text.len || !n); at += n) {
		n = piece(text.data + at, text.len - at);
		hd_buf_addf(&w->line, "{\"key\":\"%s\",\"kind\":\"text\"", key);
		put_n(w);
		hd_buf_adds(&w->line, ",\"text\":");
		put_text(&w->line, hd_buf_str(&text) + at, n);
		end_line(w);
		hd_witness_weights_add(&weights, text.data + at, n);
		if (!text.len)
			break;
	}
	if (rc > 0)
		hd_witness_sum_text(sums, key, text.len, &weights);
	hd_buf_release(&text);
	return rc;
}

static int write_inputs(struct writing *w, int64_t run, struct hd_err *err)
{
	struct hd_db_rows r;
	const char *comma = "";
	int rc;

	hd_buf_adds(&w->line, ",\"inputs\":[");
	rc = hd_db_query(&r, w->db, err, "SELECT sha256 FROM artifact WHERE run_id = $1 ORDER BY ordinal", "i", run);
	while (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		char *sum = hd_col_text(&r, 0);

		hd_buf_adds(&w->line, comma);
		put_value(w, sum);
		comma = ",";
		free(sum);
	}
	hd_db_end(&r);
	hd_buf_addc(&w->line, ']');
	return rc;
}

struct head {
	const char *commit, *config, *content, *hash, *origin, *prev, *run;
	int64_t seq, form;
};
static const struct hd_row_field head_fields[] = {
	HD_ROW(struct head, commit, "c.sha", TEXT),
	HD_ROW(struct head, config, "f.sha256", TEXT),
	HD_ROW(struct head, content, "r.content_hash", TEXT),
	HD_ROW(struct head, hash, "r.run_hash", TEXT),
	HD_ROW(struct head, origin, "r.origin", TEXT),
	HD_ROW(struct head, prev, "r.prev_hash", TEXT),
	HD_ROW(struct head, run, "r.run_id", TEXT),
	HD_ROW(struct head, seq, "r.seq", INT_OR_0),
	HD_ROW(struct head, form, "r.form", INT_OR_0),
};
static const struct hd_row_query head_of_run = HD_ROW_QUERY(struct head, head_fields,
	"FROM run r LEFT JOIN commit_info c ON c.id = r.commit_id LEFT JOIN config f ON f.id = r.config_id WHERE "
	"r.id = $1");

static int write_head(struct writing *w, int64_t run, int *form, struct hd_err *err)
{
	struct hd_arena texts = { 0 };
	struct head h = { 0 };
	int rc = hd_row_get(&h, &head_of_run, w->db, &texts, err, "i", run);

	if (rc == 0)
		rc = hd_fail(err, HD_EIO, "%s: a run was deleted meanwhile", hd_db_name(w->db));
	if (rc > 0 && !hd_content_hash_has_form(h.form))
		rc = hd_fail(err, HD_ENO, "%s: a run has content of form %lld, which this hotdrift does not support",
			hd_db_name(w->db), (long long)h.form);
	if (rc > 0) {
		*form = (int)h.form;
		hd_buf_adds(&w->line, "{\"commit\":");
		put_value(w, h.commit);
		put_str(w, "config", h.config);
		put_str(w, "content", h.content);
		hd_buf_addf(&w->line, ",\"form\":%d", *form);
		put_str(w, "hash", h.hash);
		rc = write_inputs(w, run, err);
		hd_buf_adds(&w->line, ",\"kind\":\"bundle\"");
		put_n(w);
		put_str(w, "origin", h.origin);
		put_str(w, "prev", h.prev);
		put_str(w, "run", h.run);
		hd_buf_addf(&w->line, ",\"seq\":%lld", (long long)h.seq);
	}
	hd_arena_release(&texts);
	if (rc >= 0)
		end_line(w);
	return rc;
}

static void write_end(struct writing *w, const struct hd_witness_sums *s)
{
	hd_buf_addc(&w->line, '{');
	hd_witness_sums_json(&w->line, s);
	put_n(w);
	hd_buf_addf(&w->line,
		",\"read\":%lld,\"rows\":%llu,\"series\":%llu,\"summaries\":%llu,\"text_bytes\":%llu,\"texts\":%llu",
		(long long)s->read, (unsigned long long)s->rows, (unsigned long long)s->series,
		(unsigned long long)s->summaries, (unsigned long long)s->text_bytes, (unsigned long long)s->texts);
	end_line(w);
}

static int write_run(struct writing *w, int64_t run, struct hd_err *err)
{
	struct hd_strtab *keys = hd_strtab_new();
	struct hd_witness_sums sums = { 0 };
	int form = HD_CONTENT_HASH_FORM, rc = write_head(w, run, &form, err);

	if (rc >= 0)
		rc = write_rows(w, run, form, &sums, keys, err);
	for (uint32_t i = 1; i < hd_strtab_count(keys) && rc >= 0; i++)
		rc = write_text(w, hd_strtab_get(keys, i), &sums, err);
	hd_witness_sums_finish(&sums);
	if (rc >= 0)
		write_end(w, &sums);
	hd_witness_sums_release(&sums);
	hd_strtab_free(keys);
	return rc;
}

/* ---- the file ---- */

static int origins_of(struct writing *w, const int64_t *runs, size_t n, struct hd_strtab *origins, struct hd_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < n && rc >= 0; i++) {
		struct hd_db_rows r;

		rc = hd_db_query(&r, w->db, err, "SELECT origin FROM run WHERE id = $1", "i", runs[i]);
		if (rc >= 0)
			rc = hd_db_next(&r, err);
		if (rc > 0 && hd_col_kind(&r, 0) == HD_COL_TEXT) {
			char *origin = hd_col_text(&r, 0);

			hd_strtab_add(origins, origin);
			free(origin);
		}
		hd_db_end(&r);
	}
	return rc;
}

int hd_witness_write(struct hd_outfile *out, struct hd_db *db, const int64_t *runs, size_t n, unsigned which,
	struct hd_err *err)
{
	struct writing w = { .out = out, .db = db, .sum = HD_CHAIN_START };
	struct hd_strtab *origins = hd_strtab_new();
	int began = hd_db_begin_reading(db, err), rc = began;

	if (rc >= 0)
		rc = origins_of(&w, runs, n, origins, err);
	hd_buf_addf(&w.line, "{\"format\":\"hotdrift.witness\",\"hotdrift\":\"%s\"", HD_VERSION);
	put_n(&w);
	hd_buf_addf(&w.line, ",\"version\":%d", HD_WITNESS_VERSION);
	end_line(&w);
	for (uint32_t i = 1; i < hd_strtab_count(origins) && rc >= 0 && (which & HD_WITNESS_CHAIN); i++)
		rc = write_chain(&w, hd_strtab_get(origins, i), err);
	for (size_t i = 0; i < n && rc >= 0 && (which & HD_WITNESS_RUNS); i++)
		rc = write_run(&w, runs[i], err);
	hd_buf_adds(&w.line, "{\"kind\":\"footer\"");
	put_n(&w);
	end_line(&w);
	if (began > 0)
		hd_db_rollback(db);
	hd_strtab_free(origins);
	hd_buf_release(&w.line);
	return rc < 0 ? rc : 0;
}
