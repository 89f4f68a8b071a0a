/*
 * witness_check_rows.c - check the rows, texts and sums of a run in a witness: see witness.h
 */
#include "trust/witness_check.h"

#include "base/hex.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Decode a value of a row.  Its bytes belong to the JSON document or to `room`.  Returns false if it is invalid. */
static bool cell_of(const struct hd_json *v, struct hd_content_cell *cell, struct hd_buf *room)
{
	const struct hd_json *inner = NULL;
	const char *key, *text;
	size_t n, start = room->len;

	*cell = (struct hd_content_cell){ .kind = HD_COL_NULL };
	switch (hd_json_kind(v)) {
	case HD_JSON_NULL:
		return true;
	case HD_JSON_NUMBER:
		cell->kind = HD_COL_INT;
		return hd_witness_checker_integer(v, &cell->i);
	case HD_JSON_STRING:
		cell->kind = HD_COL_TEXT;
		cell->p = hd_json_string(v, &cell->n);
		return true;
	case HD_JSON_OBJECT:
		break;
	default:
		return false;
	}
	if (hd_json_count(v) != 1)
		return false;
	inner = hd_json_member(v, 0, &key, &n);
	if (n != 1 || hd_json_kind(inner) != HD_JSON_STRING)
		return false;
	text = hd_json_string(inner, &n);
	if (*key == 'd') {
		char *end;

		cell->kind = HD_COL_DOUBLE;
		cell->d = strtod(text, &end);
		return n && strlen(text) == n && !*end;
	}
	cell->kind = *key == 't' ? HD_COL_TEXT : HD_COL_BLOB;
	cell->n = n / 2;
	hd_buf_reserve(room, n / 2 + 1);
	cell->p = room->data + start;
	room->len += n / 2;
	return (*key == 't' || *key == 'b') && n % 2 == 0 && strlen(text) == n &&
		hd_unhex(text, (uint8_t *)room->data + start, n / 2) == n / 2;
}

static bool same_text(const struct hd_json *v, const struct hd_content_cell *cell)
{
	size_t n;
	const char *s;

	if (!v || hd_json_kind(v) != HD_JSON_STRING)
		return v && hd_json_kind(v) == HD_JSON_NULL && cell->kind == HD_COL_NULL;
	s = hd_json_string(v, &n);
	return cell->kind == HD_COL_TEXT && cell->n == n && !memcmp(s, cell->p, n);
}

/*
 * A run begins with a "bundle" line, which repeats values of the rows of the run.  Return true if the values that it
 * repeats from `row` are those of `row`.
 */
static bool agrees(struct hd_witness_checker *c, const struct hd_content_row *row)
{
	const struct hd_json *head = hd_json_root(c->head), *inputs = hd_json_get(head, "inputs");

	if (hd_content_row_is_of(row, "commit"))
		return row->n > 0 && same_text(hd_json_get(head, "commit"), hd_content_row_cell(row, "sha"));
	if (hd_content_row_is_of(row, "config"))
		return row->n > 0 && same_text(hd_json_get(head, "config"), hd_content_row_cell(row, "sha256"));
	if (hd_content_row_is_of(row, "artifact"))
		return row->n > 5 && c->inputs < hd_json_count(inputs) &&
			same_text(hd_json_at(inputs, c->inputs++), hd_content_row_cell(row, "sha256"));
	return true;
}

/*
 * If the row is one of the costliest symbols of its event, add it to r->tops.  Users of the witness compare them with a
 * report.
 */
static void keep_top(struct hd_witness_run *r, const struct hd_content_row *row)
{
	struct hd_witness_top t = {
		.event = hd_content_row_int(row, "event"), .rank = hd_content_row_int(row, "rank"),
		.self = hd_content_row_int(row, "self"), .samples = hd_content_row_int(row, "samples"),
	};

	if (t.rank > HD_WITNESS_TOP || !t.samples)
		return;
	t.name = hd_content_row_text(row, "name");
	if (!t.name)
		t.name = hd_content_row_text(row, "linkage");
	t.vaddr = hd_content_row_text(row, "vaddr");
	HD_GROW(r->tops, r->ntops + 1, r->tops_cap);
	r->tops[r->ntops++] = t;
}

static void keep(struct hd_witness_checker *c, const struct hd_content_row *row)
{
	struct hd_witness_run *r = hd_witness_checker_run(c);

	if (hd_content_row_is_of(row, "hotspot")) {
		keep_top(r, row);
	} else if (hd_content_row_is_of(row, "run") && !r->inline_mode) {
		r->inline_mode = hd_content_row_text(row, "inline_mode");
	} else if (hd_content_row_is_of(row, "artifact") && !r->recording) {
		char *kind = hd_content_row_text(row, "kind");

		if (kind && !strcmp(kind, "recording"))
			r->recording = hd_content_row_text(row, "sha256");
		free(kind);
	}
}

int hd_witness_checker_on_row(struct hd_witness_checker *c, const struct hd_json *o, struct hd_err *err)
{
	const struct hd_json *row = hd_json_get(o, "row");
	const char *table = hd_witness_checker_string(o, "table");
	struct hd_content_cell cells[HD_CONTENT_HASH_COLUMNS];
	struct hd_buf room = { 0 };
	const struct hd_content_cell *key;
	struct hd_content_row of;
	size_t n, part;
	int rc = 0;

	if (c->state != HD_WITNESS_AT_ROWS)
		return hd_witness_checker_fail(c, err, "a row without its run");
	if (!table || !row || hd_json_kind(row) != HD_JSON_ARRAY || hd_json_count(row) > HD_CONTENT_HASH_COLUMNS)
		return hd_witness_checker_fail(c, err, "a row lacks its table or its columns");
	part = hd_content_hash_find_part(c->content.form, table);
	if (part == hd_content_hash_parts(c->content.form))
		return hd_fail(err, HD_EFORMAT,
			"%s: line %zu: rows of '%.40s' are unknown: the file was written by a newer hotdrift", c->path,
			c->line, table);
	n = hd_json_count(row);
	hd_buf_reserve(&room, 1 + strlen(table));
	for (size_t i = 0, bytes = 0; i < n; i++) {	/* reserve all memory first: cells point into it */
		const struct hd_json *v = hd_json_at(row, i);
		size_t len = 0;
		const char *k;

		if (hd_json_kind(v) == HD_JSON_OBJECT && hd_json_count(v) == 1 &&
		    hd_json_kind(hd_json_member(v, 0, &k, &len)) == HD_JSON_STRING)
			hd_json_string(hd_json_member(v, 0, &k, &len), &len);
		bytes += len / 2 + 2;
		hd_buf_reserve(&room, bytes);
	}
	for (size_t i = 0; i < n && rc >= 0; i++)
		if (!cell_of(hd_json_at(row, i), &cells[i], &room))
			rc = hd_witness_checker_fail(c, err, "a column is not a valid value");
	if (rc >= 0 && hd_content_hash_row(&c->content, part, cells, n) < 0)
		rc = hd_witness_checker_fail(c, err, "a row follows those of a later table");
	of = (struct hd_content_row){ c->content.form, part, cells, n };
	if (rc >= 0 && !agrees(c, &of))
		rc = hd_witness_checker_fail(c, err, "this row contradicts the head of its run");
	if (rc >= 0) {
		key = hd_witness_key_cell(&of);
		if (key)
			hd_strtab_addn(c->wanted, key->p, key->n);
		hd_witness_sum_row(&hd_witness_checker_run(c)->sums, &of);
		keep(c, &of);
	}
	hd_buf_release(&room);
	return rc;
}

/* ---- texts ---- */

static int end_text(struct hd_witness_checker *c, struct hd_err *err)
{
	uint8_t bytes[HD_SHA256_BYTES];
	char got[HD_SHA256_HEX], key[HD_SHA256_HEX];

	if (!*c->key)
		return 0;
	hd_sha256_end(c->sum, bytes);
	c->sum = NULL;
	hd_hex(bytes, sizeof(bytes), got);
	memcpy(key, c->key, sizeof(key));
	*c->key = '\0';
	if (strcmp(got, key))
		return hd_witness_checker_fail(c, err, "the text before it does not match its key");
	hd_witness_sum_text(&hd_witness_checker_run(c)->sums, key, c->bytes, &c->weights);
	return 0;
}

static int begin_text(struct hd_witness_checker *c, const char *key, struct hd_err *err)
{
	int rc = end_text(c, err);

	if (rc < 0)
		return rc;
	/* Texts must come in the order in which the rows refer to them. */
	if (c->given + 1 >= hd_strtab_count(c->wanted) || strcmp(hd_strtab_get(c->wanted, (uint32_t)c->given + 1), key))
		return hd_witness_checker_fail(c, err, "no row refers to this text, or the texts are not in order");
	c->given++;
	memcpy(c->key, key, sizeof(c->key));
	c->sum = hd_sha256_new();
	c->weights = (struct hd_witness_weights){ 0 };
	c->bytes = 0;
	return 0;
}

int hd_witness_checker_on_text(struct hd_witness_checker *c, const struct hd_json *o, struct hd_err *err)
{
	const struct hd_json *text = hd_json_get(o, "text");
	const char *key = hd_witness_checker_string(o, "key");
	struct hd_buf room = { 0 };
	struct hd_content_cell cell;
	int rc = 0;

	if (c->state != HD_WITNESS_AT_ROWS && c->state != HD_WITNESS_AT_TEXTS)
		return hd_witness_checker_fail(c, err, "a text without its run");
	c->state = HD_WITNESS_AT_TEXTS;
	if (!hd_witness_checker_is_hash(key) || !text || !cell_of(text, &cell, &room) || cell.kind != HD_COL_TEXT)
		rc = hd_witness_checker_fail(c, err, "a text lacks its key or its content");
	else if (strcmp(key, c->key))
		rc = begin_text(c, key, err);
	if (rc >= 0) {
		hd_sha256_add(c->sum, cell.p, cell.n);
		hd_witness_weights_add(&c->weights, cell.p, cell.n);
		c->bytes += cell.n;
	}
	hd_buf_release(&room);
	return rc;
}

/* ---- the end of a run ---- */

static int compare_number(struct hd_witness_checker *c, const struct hd_json *o, const char *key, uint64_t want,
	int64_t event, struct hd_err *err)
{
	char of[40] = "";
	int64_t got;

	if (hd_witness_checker_integer(hd_json_get(o, key), &got) && (uint64_t)got == want)
		return 0;
	if (event >= 0)
		snprintf(of, sizeof(of), " of event %lld", (long long)event);
	return hd_fail(err, HD_ENO, "%s: line %zu: the sum '%s'%s differs from that of the lines of its run, %llu",
		c->path,
		c->line, key, of, (unsigned long long)want);
}

static int compare_sums(struct hd_witness_checker *c, const struct hd_json *o, const struct hd_witness_sums *s,
	struct hd_err *err)
{
	const struct { const char *key; uint64_t want; } all[] = {
		{ "rows", s->rows }, { "texts", s->texts }, { "text_bytes", s->text_bytes },
		{ "read", (uint64_t)s->read },
		{ "kept", (uint64_t)s->kept }, { "dropped", s->dropped }, { "series", s->series },
		{ "summaries", s->summaries },
	};
	const struct hd_json *events = hd_json_get(o, "events");
	int rc = 0;

	if (!events || hd_json_kind(events) != HD_JSON_ARRAY || hd_json_count(events) != s->nevents)
		return hd_witness_checker_fail(c, err, "the sums have another number of events than the run");
	for (size_t i = 0; i < s->nevents && rc >= 0; i++) {
		const struct hd_witness_event *e = &s->events[i];
		const struct { const char *key; uint64_t want; } of_event[] = {
			{ "event", (uint64_t)e->event }, { "hotspots", e->hotspots }, { "self", e->self },
			{ "stacks", e->lines },
			{ "stack_weight", e->line_weight }, { "weight", (uint64_t)e->weight },
		};

		for (size_t k = 0; k < HD_COUNT(of_event) && rc >= 0; k++)
			rc = compare_number(c, hd_json_at(events, i), of_event[k].key, of_event[k].want, e->event, err);
	}
	for (size_t k = 0; k < HD_COUNT(all) && rc >= 0; k++)
		rc = compare_number(c, o, all[k].key, all[k].want, -1, err);
	return rc;
}

void hd_witness_checker_end_run(struct hd_witness_checker *c)
{
	uint8_t bytes[HD_SHA256_BYTES];
	char hex[HD_SHA256_HEX];

	if (c->hashing)
		hd_content_hash_end(&c->content, hex);
	c->hashing = false;
	if (c->sum)
		hd_sha256_end(c->sum, bytes);
	c->sum = NULL;
	hd_strtab_free(c->wanted);
	c->wanted = NULL;
	hd_json_free(c->head);
	c->head = NULL;
}

int hd_witness_checker_on_end(struct hd_witness_checker *c, const struct hd_json *o, struct hd_err *err)
{
	const struct hd_json *inputs;
	char hex[HD_SHA256_HEX];
	int rc;

	if (c->state != HD_WITNESS_AT_ROWS && c->state != HD_WITNESS_AT_TEXTS)
		return hd_witness_checker_fail(c, err, "the end of a run that has not begun");
	rc = end_text(c, err);
	hd_witness_sums_finish(&hd_witness_checker_run(c)->sums);
	inputs = hd_json_get(hd_json_root(c->head), "inputs");
	if (rc >= 0 && c->given + 1 != hd_strtab_count(c->wanted))
		rc = hd_witness_checker_fail(c, err, "a text that the rows refer to is missing");
	if (rc >= 0 && c->inputs != hd_json_count(inputs))
		rc = hd_witness_checker_fail(c, err, "the head of the run lists inputs that no row has");
	if (rc >= 0)
		rc = compare_sums(c, o, &hd_witness_checker_run(c)->sums, err);
	if (rc < 0)
		return rc;
	hd_content_hash_end(&c->content, hex);
	c->hashing = false;
	if (strcmp(hex, hd_witness_checker_run(c)->content))
		return hd_fail(err, HD_ENO,
			"%s: lines %zu to %zu: the rows of run %s do not match its hash", c->path,
			hd_witness_checker_run(c)->line, c->line, hd_witness_checker_run(c)->run_id);
	hd_witness_checker_end_run(c);
	c->state = HD_WITNESS_AT_BETWEEN;
	return 0;
}

