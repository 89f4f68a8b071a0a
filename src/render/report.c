/*
 * report.c - see report.h
 */
#include "render/report.h"

#include "profile/sampling_error.h"
#include "base/encode.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "render/gpu.h"
#include "render/info.h"
#include "render/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one table by keys ---- */

static const struct { enum hd_by by; struct hd_column column; } key_columns[] = {
	{ HD_BY_COMM, { "comm", false, true } },
	{ HD_BY_PID, { "pid", true, false } },
	{ HD_BY_TID, { "tid", true, false } },
	{ HD_BY_CPU, { "cpu", true, false } },
	{ HD_BY_DSO, { "object", false, true } },
	{ HD_BY_SYMBOL, { "symbol", false, true } },
	{ HD_BY_LINE, { "line", false, true } },
};
/* The first four keys have short values.  In a table, the columns of the sample fields follow those of these keys. */
enum { SHORT_KEYS = 4 };

static void source_line(struct hd_buf *b, const struct hd_profile *p, const struct hd_group_row *r)
{
	hd_buf_reset(b);
	if (r->file)
		hd_buf_addf(b, "%s:%u", hd_profile_str(p, r->file), r->line);
	else
		hd_buf_adds(b, "??");
}

static void key_cell(struct hd_table *t, const struct hd_profile *p, const struct hd_group_row *r, enum hd_by by,
		     const struct hd_report_opts *o, struct hd_buf *scratch)
{
	char address[24];

	switch (by) {
	case HD_BY_COMM:   hd_table_string(t, hd_profile_str(p, r->comm)); break;
	case HD_BY_PID:    hd_table_cellf(t, "%d", r->pid); break;
	case HD_BY_TID:    hd_table_cellf(t, "%d", r->tid); break;
	case HD_BY_CPU:    r->cpu == UINT32_MAX ? hd_table_string(t, "-") : hd_table_cellf(t, "%u", r->cpu); break;
	case HD_BY_DSO:
		r->dso_unknown ? hd_table_pseudo(t, HD_UNKNOWN) : hd_table_string(t, hd_profile_str(p, r->dso));
		break;
	case HD_BY_SYMBOL:
		if (p->symbols[r->symbol].no_address)
			hd_table_pseudo(t, HD_UNKNOWN);
		else
			hd_table_string(t, hd_symbol_text(p, r->symbol, o->full_names, address, sizeof(address)));
		break;
	case HD_BY_LINE:
		source_line(scratch, p, r);
		hd_table_cell(t, hd_buf_str(scratch), scratch->len);
		break;
	case HD_BY_EVENT:
	case HD_BY_FIELDS:
		break;
	}
}

/* Add a value of a sample field; the cell is empty if the sample does not have the field. */
static void value_cell(struct hd_table *t, const struct hd_profile *p, struct hd_value v, struct hd_buf *scratch)
{
	switch (v.kind) {
	case HD_VALUE_NONE:	hd_table_pseudo(t, ""); break;
	case HD_VALUE_SIGNED:	hd_table_cellf(t, "%lld", (long long)v.v); break;
	case HD_VALUE_UNSIGNED:	hd_table_cellf(t, "%llu", (unsigned long long)v.v); break;
	case HD_VALUE_ADDRESS:	hd_table_cellf(t, "0x%llx", (unsigned long long)v.v); break;
	case HD_VALUE_NAMELESS:
		hd_buf_reset(scratch);
		hd_buf_addf(scratch, "[cgroup %llu]", (unsigned long long)v.v);
		hd_table_pseudo(t, hd_buf_str(scratch));
		break;
	case HD_VALUE_TEXT:
		hd_table_cell(t, hd_profile_str(p, (uint32_t)v.v), hd_strtab_len(p->names, (uint32_t)v.v));
		break;
	}
}

/*
 * Return true if some row of the event of row `from` has a text in this sample field.  The column of the field is then
 * aligned left; a column of numbers is aligned right.
 */
static bool is_name(const struct hd_profile *p, const struct hd_groups *g, size_t from, size_t field)
{
	for (size_t i = from; i < g->n && g->rows[i].event == g->rows[from].event; i++)
		if (hd_tuples_get(&p->tuples, g->rows[i].tuple)[field].kind >= HD_VALUE_NAMELESS)
			return true;
	return false;
}

/* Store the columns of a table: cost, short keys, sample fields, then keys with long names. */
static size_t columns_of(struct hd_column *columns, const struct hd_profile *p, const struct hd_groups *g, size_t from)
{
	size_t n = 0;

	columns[n++] = (struct hd_column){ "self", true, false };
	if (hd_sampling_error_applies(p, g->rows[from].event))
		columns[n++] = (struct hd_column){ "±", true, false };
	columns[n++] = (struct hd_column){ "samples", true, false };
	for (size_t k = 0; k < HD_COUNT(key_columns); k++) {
		if (k == SHORT_KEYS && g->by & HD_BY_FIELDS)
			for (size_t i = 0; i < p->nfields; i++)
				columns[n++] = (struct hd_column){ p->fields[i], !is_name(p, g, from, i),
					is_name(p, g, from, i) };
		if (g->by & key_columns[k].by)
			columns[n++] = key_columns[k].column;
	}
	return n;
}

bool hd_report_keeps_row(const struct hd_report_opts *o, const struct hd_profile *p, const struct hd_group_row *r)
{
	return (!o->limit || r->rank <= o->limit) &&
		hd_share_pct(r->self, p->events[r->event].weight) >= o->percent_limit;
}

size_t hd_report_rows(struct hd_table *t, const struct hd_profile *p, const struct hd_groups *g, size_t from,
	const struct hd_report_opts *o)
{
	uint32_t event = g->rows[from].event;
	struct hd_buf scratch = { 0 };
	struct hd_column *columns;
	size_t i;

	columns = hd_new_array(struct hd_column, 3 + HD_COUNT(key_columns) + p->nfields);
	hd_table_init(t, columns, columns_of(columns, p, g, from));
	t->owned = columns;
	for (i = from; i < g->n && g->rows[i].event == event; i++) {
		const struct hd_group_row *r = &g->rows[i];

		if (!hd_report_keeps_row(o, p, r))
			continue;
		hd_table_cellf(t, "%.2f%%", hd_share_pct(r->self, p->events[event].weight));
		if (hd_sampling_error_applies(p, event))
			hd_table_cellf(t, "%.1f%%", hd_sampling_error_sd_pct(p, event, r->self, r->samples, r->var));
		p->recording.stored ? hd_table_string(t, "-")
				    : hd_table_cellf(t, "%llu", (unsigned long long)r->samples);
		for (size_t k = 0; k < HD_COUNT(key_columns); k++) {
			if (k == SHORT_KEYS && g->by & HD_BY_FIELDS)
				for (size_t f = 0; f < p->nfields; f++)
					value_cell(t, p, hd_tuples_get(&p->tuples, r->tuple)[f], &scratch);
			if (g->by & key_columns[k].by)
				key_cell(t, p, r, key_columns[k].by, o, &scratch);
		}
	}
	hd_buf_release(&scratch);
	return i;
}

static size_t one_table(struct hd_buf *out, const struct hd_profile *p, const struct hd_groups *g, size_t from,
	const struct hd_report_opts *o)
{
	struct hd_table t;
	size_t next = hd_report_rows(&t, p, g, from, o);

	hd_table_write(out, &t, o->format == HD_FORMAT_MARKDOWN);
	return next;
}

static void heading(struct hd_buf *out, const struct hd_report_opts *o, int level, const char *text)
{
	/* Put exactly one empty line above the heading. */
	if (out->len && (out->len < 2 || memcmp(out->data + out->len - 2, "\n\n", 2)))
		hd_buf_addc(out, '\n');
	if (o->format == HD_FORMAT_MARKDOWN)
		hd_buf_addf(out, "%.*s %s\n\n", level, "######", text);
	else
		hd_buf_addf(out, "%s\n", text);
}

static void by_keys(struct hd_buf *out, const struct hd_profile *p, unsigned by, const struct hd_report_opts *o)
{
	struct hd_groups g;
	struct hd_buf line = { 0 };

	hd_groups_build(&g, p, by, o->inlined);
	for (size_t i = 0; i < g.n; ) {
		hd_buf_reset(&line);
		hd_event_line(&line, p, g.rows[i].event, o->format == HD_FORMAT_MARKDOWN);
		hd_selection_note(&line, p);
		heading(out, o, 3, hd_buf_str(&line));
		i = one_table(out, p, &g, i, o);
	}
	hd_buf_release(&line);
	hd_groups_release(&g);
}

/* ---- the page ---- */

static void warnings(struct hd_buf *out, const struct hd_profile *p, const struct hd_report_opts *o)
{
	if (!p->log.n)
		return;
	heading(out, o, 2, "Warnings");
	for (size_t i = 0; i < p->log.n; i++) {
		const struct hd_warning *w = &p->log.items[i];

		hd_buf_adds(out, o->format == HD_FORMAT_MARKDOWN ? "- " : "  ");
		hd_table_name(out, w->text, o->format == HD_FORMAT_MARKDOWN);
		if (w->count > 1)
			hd_buf_addf(out, " (%llu in all)", (unsigned long long)w->count);
		hd_buf_addf(out, "%s%s\n", *w->fix ? "; " : "", w->fix);
	}
}

static void gpu_tables(struct hd_buf *out, const struct hd_profile *p, const struct hd_report_opts *o)
{
	for (size_t i = 0; p->gpu && i < hd_gpu_ntables; i++) {
		struct hd_table t;

		hd_table_init(&t, hd_gpu_tables[i].columns, hd_gpu_tables[i].ncolumns);
		hd_gpu_tables[i].fill(&t, p);
		if (t.ncells) {
			heading(out, o, 2, hd_gpu_tables[i].title);
			hd_table_write(out, &t, o->format == HD_FORMAT_MARKDOWN);
		} else {
			hd_table_release(&t);
		}
	}
}

static void page(struct hd_buf *out, const struct hd_profile *p, const struct hd_report_opts *o)
{
	const struct hd_top_opts to = { .limit = o->limit,
		.percent_limit = o->percent_limit,
		.full_names = o->full_names,
		.inlined = o->inlined,
		.tops = o->tops };
	bool md = o->format == HD_FORMAT_MARKDOWN;

	if (md)
		hd_buf_adds(out, "# hotdrift report\n\n```text\n");
	hd_info_text(out, p);
	if (md)
		hd_buf_adds(out, "```\n");
	warnings(out, p, o);
	gpu_tables(out, p, o);
	heading(out, o, 2,
		o->inlined ? "Symbols by self cost, inlined functions for themselves" : "Symbols by self cost");
	hd_top_write(out, p, o->format, &to);
	heading(out, o, 2, "Objects");
	by_keys(out, p, HD_BY_DSO, o);
	heading(out, o, 2, "Commands");
	by_keys(out, p, HD_BY_COMM, o);
}

/*
 * ---- JSON ----
 *
 * A recording of code without symbols can have a hundred thousand rows, one for each address.  Most keys of a row are
 * equal to those of the row before, so their encoded text is reused.
 */

enum { FULL = 32 * 1024 };	/* bytes of JSON after which the text is written to the file */

static void json_value(struct hd_jsonw *w, const struct hd_profile *p, const char *key, struct hd_value v)
{
	char address[24];

	switch (v.kind) {
	case HD_VALUE_NONE:	hd_jsonw_null(w, key); break;
	case HD_VALUE_SIGNED:	hd_jsonw_i64(w, key, (int64_t)v.v); break;
	case HD_VALUE_UNSIGNED:
	case HD_VALUE_NAMELESS:	hd_jsonw_u64(w, key, v.v); break;
	case HD_VALUE_ADDRESS:
		snprintf(address, sizeof(address), "0x%llx", (unsigned long long)v.v);
		hd_jsonw_str(w, key, address);
		break;
	case HD_VALUE_TEXT:
		hd_jsonw_strn(w, key, hd_profile_str(p, (uint32_t)v.v), hd_strtab_len(p->names, (uint32_t)v.v));
		break;
	}
}

/* Append the sample fields.  Returns true if a value is a number because its name is unknown (HD_VALUE_NAMELESS). */
static bool json_fields(struct hd_jsonw *w, const struct hd_profile *p, const struct hd_group_row *r)
{
	const struct hd_value *values = hd_tuples_get(&p->tuples, r->tuple);
	bool nameless = false;

	for (size_t i = 0; i < p->nfields; i++) {
		json_value(w, p, p->fields[i], values[i]);
		nameless |= values[i].kind == HD_VALUE_NAMELESS;
	}
	return nameless;
}

/* Cache of the encoded keys that consecutive rows often share. */
struct json_shared {
	uint32_t event, comm, dso;
	struct hd_buf text;
};

/*
 * Append the keys of a row in order, from "event" to "dso", the object.  Returns true if the value of a sample field is
 * a number because its name is unknown.
 */
static bool json_owner(struct hd_jsonw *w, const struct hd_profile *p, const struct hd_group_row *r, unsigned by)
{
	bool nameless = false;

	hd_jsonw_str(w, "event", hd_profile_str(p, p->events[r->event].name));
	if (by & HD_BY_COMM)
		hd_jsonw_str(w, "comm", hd_profile_str(p, r->comm));
	if (by & HD_BY_PID)
		hd_jsonw_i64(w, "pid", r->pid);
	if (by & HD_BY_TID)
		hd_jsonw_i64(w, "tid", r->tid);
	if (by & HD_BY_CPU)
		r->cpu == UINT32_MAX ? hd_jsonw_null(w, "cpu") : hd_jsonw_u64(w, "cpu", r->cpu);
	if (by & HD_BY_FIELDS)
		nameless = json_fields(w, p, r);
	if (by & HD_BY_DSO)
		hd_jsonw_str(w, "dso", hd_profile_str(p, r->dso));
	return nameless;
}

/*
 * Like json_owner(), for rows whose keys are only event, comm and object.  If these are equal to those of the previous
 * row, their JSON text is reused.
 */
static void json_owner_shared(struct hd_jsonw *w, const struct hd_profile *p, const struct hd_group_row *r, unsigned by,
	struct json_shared *last)
{
	size_t from = w->out->len;

	if (last->text.len && last->event == r->event && last->comm == r->comm && last->dso == r->dso) {
		hd_buf_add(w->out, last->text.data, last->text.len);
		return;
	}
	json_owner(w, p, r, by);
	last->event = r->event;
	last->comm = r->comm;
	last->dso = r->dso;
	hd_buf_reset(&last->text);
	hd_buf_add(&last->text, w->out->data + from, w->out->len - from);
}

static void json_keys(struct hd_jsonw *w, const struct hd_profile *p, const struct hd_group_row *r,
	const struct hd_report_opts *o, unsigned by, struct json_shared *last)
{
	const struct hd_profile_symbol *s = &p->symbols[r->symbol];
	char address[24];
	bool nameless = false;

	if (by & (HD_BY_PID | HD_BY_TID | HD_BY_CPU | HD_BY_FIELDS))
		nameless = json_owner(w, p, r, by);
	else
		json_owner_shared(w, p, r, by, last);
	if (by & HD_BY_SYMBOL)
		hd_jsonw_str(w, "symbol", hd_symbol_text(p, r->symbol, o->full_names, address, sizeof(address)));
	if (by & HD_BY_LINE) {
		struct hd_buf line = { 0 };

		source_line(&line, p, r);
		hd_jsonw_str(w, "line", hd_buf_str(&line));
		hd_buf_release(&line);
	}
	if (nameless || r->dso_unknown || (by & HD_BY_SYMBOL && s->unresolved) || (by & HD_BY_LINE && !r->file))
		hd_jsonw_bool(w, "unknown", true);
}

static void write_json(struct hd_buf *out, struct hd_outfile *file, const struct hd_profile *p, unsigned by,
	const struct hd_report_opts *o)
{
	static const char *const words[] = { "event", "comm", "pid", "tid", "cpu", "dso", "symbol", "line" };
	struct hd_jsonw w = hd_jsonw_document(out, "hotdrift.report", 1);
	struct json_shared shared = { 0 };
	struct hd_groups g;

	hd_groups_build(&g, p, by, o->inlined);
	hd_jsonw_row(&w, "by", '[');
	for (size_t i = 0; i < HD_COUNT(words); i++)
		if (by & 1u << i)
			hd_jsonw_str(&w, NULL, words[i]);
	for (size_t i = 0; by & HD_BY_FIELDS && i < p->nfields; i++)
		hd_jsonw_str(&w, NULL, p->fields[i]);
	hd_jsonw_close(&w, ']');
	hd_jsonw_bool(&w, "inline", o->inlined);
	hd_jsonw_open(&w, "events", '[');
	for (size_t i = 0; i < p->nevents; i++) {
		hd_jsonw_row(&w, NULL, '{');
		hd_jsonw_str(&w, "event", hd_profile_str(p, p->events[i].name));
		hd_jsonw_str(&w, "unit", hd_profile_str(p, p->events[i].unit));
		hd_jsonw_u64(&w, "samples", p->events[i].samples);
		hd_jsonw_u64(&w, "weight", p->events[i].weight);
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_open(&w, "rows", '[');
	for (size_t i = 0; i < g.n; i++) {
		const struct hd_group_row *r = &g.rows[i];

		/* Rows are sorted by cost, so their symbols are scattered in memory: prefetch a later one. */
		if (i + 8 < g.n)
			__builtin_prefetch(&p->symbols[g.rows[i + 8].symbol]);
		if (!hd_report_keeps_row(o, p, r))
			continue;
		if (file && out->len > FULL) {
			hd_outfile_add(file, out->data, out->len);
			hd_buf_reset(out);
		}
		hd_jsonw_row(&w, NULL, '{');
		hd_jsonw_u64(&w, "rank", r->rank);
		json_keys(&w, p, r, o, by, &shared);
		hd_jsonw_u64(&w, "self", r->self);
		hd_jsonw_num(&w, "self_pct", hd_share_pct(r->self, p->events[r->event].weight), 6);
		if (hd_sampling_error_applies(p, r->event))
			hd_jsonw_num(&w, "self_sd_pct",
				hd_sampling_error_sd_pct(p, r->event, r->self, r->samples, r->var), 6);
		p->recording.stored ? hd_jsonw_null(&w, "samples") : hd_jsonw_u64(&w, "samples", r->samples);
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
	hd_buf_release(&shared.text);
	hd_groups_release(&g);
}

/* ---- all forms ---- */

static void report(struct hd_buf *out, struct hd_outfile *file, const struct hd_profile *p,
	const struct hd_report_opts *o)
{
	if (o->format == HD_FORMAT_JSON)
		write_json(out, file, p, o->by ? o->by : HD_BY_COMM | HD_BY_DSO | HD_BY_SYMBOL, o);
	else if (o->by)
		by_keys(out, p, o->by, o);
	else
		page(out, p, o);
}

void hd_report(struct hd_buf *out, const struct hd_profile *p, const struct hd_report_opts *o)
{
	report(out, NULL, p, o);
}

void hd_recording_report_write(struct hd_outfile *file, const struct hd_profile *p, const struct hd_report_opts *o)
{
	struct hd_buf b = { .columns = file->pending.columns, .colour = file->pending.colour };

	report(&b, file, p, o);
	hd_outfile_add(file, hd_buf_str(&b), b.len);
	hd_buf_release(&b);
}
