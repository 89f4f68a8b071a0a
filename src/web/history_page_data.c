/*
 * history_page_data.c - the data of the page as JSON; see history_page.h
 *
 * put_text() encodes every text, so that no name can end the script block or the JSON string that contains it.
 */
#include "web/history_page.h"
#include "web/history_page_builder.h"

#include "base/encode.h"
#include "base/mem.h"
#include "base/sha256.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { TEXT_BYTES = 1000 };

/* ---- values ---- */

void hd_history_page_put_int(struct hd_buf *out, int64_t v)
{
	if (v < 0) {
		hd_buf_addc(out, '-');
		hd_buf_addu(out, (uint64_t)-(v + 1) + 1);
	} else {
		hd_buf_addu(out, (uint64_t)v);
	}
}

/* Append a number with six significant digits; charts show fewer. */
static void put_real(struct hd_buf *out, double v)
{
	if (!isfinite(v))
		hd_buf_adds(out, "null");
	else if (v == floor(v) && fabs(v) < 1e6)
		hd_history_page_put_int(out, (int64_t)v);
	else
		hd_buf_addf(out, "%.6g", v);
}

static void put_share(struct hd_buf *out, double pct)
{
	hd_history_page_put_int(out, isfinite(pct) ? llround(fmin(fmax(pct, 0), 1e6) * 1000) : 0);
}

static void put_text(struct hd_buf *out, const char *s)
{
	size_t n = strlen(s);
	struct hd_buf cut = { 0 };
	char hash[HD_SHA256_HEX];
	uint32_t cp;

	if (n <= TEXT_BYTES) {
		hd_enc_json_script(out, s, n);
		return;
	}
	hd_sha256_hex(s, n, hash);
	for (size_t at = 0, len; at < TEXT_BYTES - 16; at += len) {	/* copy whole characters only */
		len = hd_utf8_decode(s + at, n - at, &cp);
		len = len ? len : 1;
		hd_buf_add(&cut, s + at, len);
	}
	hd_buf_addf(&cut, "~%.8s", hash);
	hd_enc_json_script(out, cut.data, cut.len);
	hd_buf_release(&cut);
}

uint32_t hd_history_page_text(struct hd_history_page *h, const char *s)
{
	return s ? hd_strtab_add(h->texts, s) : 0;
}

static void comma(struct hd_buf *out)
{
	if (out->data[out->len - 1] != '[' && out->data[out->len - 1] != '{')
		hd_buf_addc(out, ',');
}

static void key(struct hd_buf *out, const char *name)
{
	comma(out);
	hd_buf_addf(out, "\"%s\":", name);
}

static void text_of(struct hd_history_page *h, struct hd_buf *out, const char *name, const char *s)
{
	key(out, name);
	hd_buf_addu(out, hd_history_page_text(h, s));
}

/* ---- runs and symbols ---- */

#define COLUMN(name, value) do {							\
		key(out, name);								\
		hd_buf_addc(out, '[');							\
		for (size_t i = 0; i < c->nruns; i++) {					\
			const struct hd_overview_run *r = &c->runs[i];			\
											\
			comma(out);							\
			hd_history_page_put_int(out, value);					\
		}									\
		hd_buf_addc(out, ']');							\
	} while (0)

static void add_runs(struct hd_history_page *h, struct hd_buf *out)
{
	const struct hd_overview *c = h->c;

	key(out, "runs");
	hd_buf_addc(out, '{');
	COLUMN("id", hd_history_page_text(h, r->id));
	COLUMN("t", hd_history_page_text(h, r->recorded));
	COLUMN("commit", hd_history_page_text(h, r->commit));
	COLUMN("ct", hd_history_page_text(h, r->committed));
	COLUMN("subject", hd_history_page_text(h, r->subject));
	COLUMN("branch", hd_history_page_text(h, r->branch));
	COLUMN("status", hd_history_page_text(h, r->status));
	COLUMN("config", hd_history_page_text(h, r->config));
	COLUMN("dirty", r->dirty);
	key(out, "work");
	hd_buf_addc(out, '[');
	for (size_t i = 0; i < c->nruns; i++) {
		comma(out);
		put_real(out, c->runs[i].work);
	}
	hd_buf_addc(out, ']');
	hd_buf_addc(out, '}');
}

static void add_symbols(struct hd_history_page *h, struct hd_buf *out)
{
	key(out, "symbols");
	hd_buf_addc(out, '[');
	for (size_t i = 0; i < h->c->nsymbols; i++) {
		comma(out);
		hd_buf_addf(out, "[%u,%u]", hd_history_page_text(h, h->c->symbols[i].name),
			hd_history_page_text(h, h->c->symbols[i].object));
	}
	hd_buf_addc(out, ']');
}

/* ---- lanes ---- */

static void add_changes(struct hd_buf *out, const struct hd_overview_column *col)
{
	key(out, "c");
	hd_buf_addc(out, '[');
	for (size_t i = 0; i < col->nchanges; i++) {
		const struct hd_changepoint *p = &col->changes[i];

		comma(out);
		hd_buf_addf(out, "[%zu,", p->index);
		put_real(out, p->before);
		hd_buf_addc(out, ',');
		put_real(out, p->after);
		hd_buf_addc(out, ',');
		put_real(out, p->magnitude);
		hd_buf_addc(out, ',');
		put_real(out, p->p);
		if (col->costs) {
			const double cost[] = { col->costs[i].pct, col->costs[i].lo, col->costs[i].hi };

			for (size_t k = 0; k < HD_COUNT(cost); k++) {
				hd_buf_addc(out, ',');
				put_real(out, cost[k]);
			}
		}
		hd_buf_addc(out, ']');
	}
	hd_buf_addc(out, ']');
}

/* Append the prediction interval.  Its lower end is at least 0, because no measured value is negative. */
static void add_next(struct hd_buf *out, const struct hd_overview_column *col)
{
	if (!col->next.n)
		return;
	key(out, "next");
	hd_buf_addf(out, "[%zu,%zu,", col->next_from, col->next.n);
	put_real(out, fmax(col->next.lo, 0));
	hd_buf_addc(out, ',');
	put_real(out, col->next.hi);
	hd_buf_addc(out, ']');
}

static void add_column(struct hd_history_page *h, struct hd_buf *out, const struct hd_overview_column *col, size_t n)
{
	comma(out);
	hd_buf_addc(out, '{');
	if (col->symbol != UINT32_MAX) {
		key(out, "sym");
		hd_buf_addu(out, col->symbol);
	} else {
		text_of(h, out, "kind", col->kind);
		text_of(h, out, "name", col->name);
		text_of(h, out, "unit", col->unit);
		text_of(h, out, "stat", col->stat);
	}
	key(out, "v");
	hd_buf_addc(out, '[');
	for (size_t i = 0; i < n; i++) {
		comma(out);
		if (col->symbol != UINT32_MAX)
			put_share(out, col->v[i]);
		else
			put_real(out, col->v[i]);
	}
	hd_buf_addc(out, ']');
	add_changes(out, col);
	add_next(out, col);
	hd_buf_addc(out, '}');
}

static void add_slots(struct hd_buf *out, const struct hd_overview_lane *l)
{
	key(out, "run");
	hd_buf_addc(out, '[');
	for (size_t i = 0; i < l->nslots; i++)
		hd_buf_addf(out, "%s%u", i ? "," : "", l->slots[i].run);
	hd_buf_adds(out, "],\"e\":[");
	for (size_t i = 0; i < l->nslots; i++) {
		comma(out);
		hd_history_page_put_int(out, l->slots[i].event);
	}
	hd_buf_adds(out, "],\"w\":[");
	for (size_t i = 0; i < l->nslots; i++) {
		comma(out);
		hd_history_page_put_int(out, l->slots[i].weight);
	}
	hd_buf_adds(out, "],\"n\":[");
	for (size_t i = 0; i < l->nslots; i++) {
		comma(out);
		hd_history_page_put_int(out, l->slots[i].samples);
	}
	hd_buf_adds(out, "],\"top\":[");
	for (size_t i = 0; i < l->nslots; i++)
		for (size_t t = 0; t < HD_OVERVIEW_TOP; t++) {
			const struct hd_overview_hotspot *s = &l->slots[i].top[t];

			comma(out);
			hd_history_page_put_int(out, s->symbol == UINT32_MAX ? -1 : (int64_t)s->symbol);
			hd_buf_addc(out, ',');
			put_share(out, s->pct);
		}
	hd_buf_addc(out, ']');
}

static void add_lanes(struct hd_history_page *h, struct hd_buf *out)
{
	key(out, "lanes");
	hd_buf_addc(out, '[');
	for (size_t i = 0; i < h->c->nlanes; i++) {
		const struct hd_overview_lane *l = &h->c->lanes[i];
		const struct hd_overview_run *r = &h->c->runs[l->first];

		comma(out);
		hd_buf_addc(out, '{');
		text_of(h, out, "target", r->target);
		text_of(h, out, "mode", r->mode);
		text_of(h, out, "inline", r->inline_mode);
		text_of(h, out, "machine", r->machine);
		text_of(h, out, "config", r->config);
		text_of(h, out, "selection", r->selection);
		text_of(h, out, "cpu", r->cpu_model);
		text_of(h, out, "event", l->event);
		text_of(h, out, "stacks", l->call_graph);
		text_of(h, out, "unit", l->unit);
		add_slots(out, l);
		key(out, "cols");
		hd_buf_addc(out, '[');
		for (size_t k = 0; k < l->ncolumns; k++)
			add_column(h, out, &l->columns[k], l->nslots);
		hd_buf_adds(out, "]}\n");
	}
	hd_buf_addc(out, ']');
}

static void add_verdicts(struct hd_history_page *h, struct hd_buf *out)
{
	key(out, "verdicts");
	hd_buf_addc(out, '[');
	for (size_t i = 0; i < h->c->nverdicts; i++) {
		const struct hd_overview_verdict *v = &h->c->verdicts[i];
		const double real[] = { v->base_pct, v->head_pct, v->change_pct, v->lo, v->hi, v->q };

		comma(out);
		hd_buf_addf(out, "[%u,", v->head);
		hd_history_page_put_int(out, v->base == UINT32_MAX ? -1 : (int64_t)v->base);
		hd_buf_addc(out, ',');
		hd_history_page_put_int(out, v->event);
		hd_buf_addc(out, ',');
		hd_history_page_put_int(out, v->symbol == UINT32_MAX ? -1 : (int64_t)v->symbol);
		hd_buf_addf(out, ",%u,%u", hd_history_page_text(h, v->kind), hd_history_page_text(h, v->verdict));
		for (size_t k = 0; k < HD_COUNT(real); k++) {
			hd_buf_addc(out, ',');
			put_real(out, real[k]);
		}
		hd_buf_addf(out, ",%u]", hd_history_page_text(h, v->series));
	}
	hd_buf_adds(out, "],\"gates\":[");
	for (size_t i = 0; i < h->c->ngates; i++) {
		const struct hd_overview_gate *g = &h->c->gates[i];

		comma(out);
		hd_buf_addf(out, "[%u,%u,%u,%u,%u]", g->head, hd_history_page_text(h, g->event),
			hd_history_page_text(h, g->verdict), hd_history_page_text(h, g->base),
			hd_history_page_text(h, g->reason));
	}
	hd_buf_addc(out, ']');
}

/* ---- all of it ---- */

static void add_left(const struct hd_history_page *h, struct hd_buf *out)
{
	const struct hd_overview *c = h->c;

	key(out, "left");
	hd_buf_addf(out,
		"{\"runs\":%" PRIu64 ",\"lanes\":%" PRIu64 ",\"symbols\":%" PRIu64 ",\"series\":%" PRIu64
		",\"verdicts\":%" PRIu64 ",\"trees\":%" PRIu64 "}",
		c->runs_left_out, c->lanes_left_out, c->symbols_left_out, c->series_left_out, c->verdicts_left_out,
		h->trees_left_out);
}

void hd_history_page_json(struct hd_history_page *h, struct hd_buf *out, const char *title)
{
	uint32_t n;

	hd_buf_adds(out, "{\"format\":\"hotdrift.html\",\"version\":1,\"hotdrift\":\"" HD_VERSION "\"");
	text_of(h, out, "title", title);
	add_runs(h, out);
	hd_buf_addc(out, '\n');
	add_symbols(h, out);
	hd_buf_addc(out, '\n');
	add_lanes(h, out);
	add_verdicts(h, out);
	hd_buf_addc(out, '\n');
	hd_history_page_frames(h, out);
	hd_buf_adds(out, ",\n\"trees\":[");
	hd_buf_add(out, hd_buf_str(&h->trees), h->trees.len);
	hd_buf_adds(out, "]");
	add_left(h, out);
	hd_buf_adds(out, ",\n\"s\":[\n");
	n = hd_strtab_count(h->texts);
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			hd_buf_adds(out, ",\n");
		put_text(out, hd_strtab_get(h->texts, i));
	}
	hd_buf_adds(out, "\n]}\n");
}
