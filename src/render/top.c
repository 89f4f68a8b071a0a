/*
 * top.c - see top.h
 */
#include "render/top.h"

#include "profile/sampling_error.h"
#include "base/encode.h"
#include "render/table.h"
#include "render/unit_text.h"

#include <string.h>

void hd_selection_note(struct hd_buf *out, const struct hd_profile *p)
{
	bool selected = false;

	for (size_t i = 0; i < p->ndropped; i++)
		selected |= !strcmp(p->dropped[i].reason, "not selected");
	if (!selected)
		return;
	hd_buf_adds(out, "; 100 % is what was selected: ");
	hd_unit_text_count(out, p->kept);
	hd_buf_adds(out, " of ");
	hd_unit_text_count(out, p->read);
	hd_buf_adds(out, " samples");
}

void hd_event_line(struct hd_buf *out, const struct hd_profile *p, uint32_t event, bool markdown)
{
	const struct hd_event *e = &p->events[event];

	/* An event's name is a text of the recording: in Markdown it must not become a link or a tag. */
	(markdown ? hd_enc_md : hd_enc_term)(out, hd_profile_str(p, e->name), hd_strtab_len(p->names, e->name));
	hd_buf_adds(out, ": ");
	hd_unit_text_count(out, e->samples);
	hd_buf_adds(out, e->samples == 1 ? " sample" : " samples");
	if (strcmp(hd_profile_str(p, e->unit), "samples")) {
		hd_buf_adds(out, ", ");
		hd_unit_text_add(out, e->weight, hd_profile_str(p, e->unit));
		if (e->samples && hd_sampling_error_applies(p, event))
			hd_buf_addf(out, " ± %.1f%%",
				hd_sampling_error_sd_pct(p, event, e->weight, e->samples, e->var));
	} else if (e->weight != e->samples) {
		hd_buf_adds(out, ", weight ");
		hd_unit_text_count(out, e->weight);
	}
	if (e->lost) {
		hd_buf_adds(out, ", ");
		hd_unit_text_count(out, e->lost);
		hd_buf_adds(out, " lost while recording");
	}
}

/* The last part of a path says enough in a table; pseudo-names stay whole. */
static const char *short_dso(const char *path)
{
	const char *slash = path[0] == '/' ? strrchr(path, '/') : NULL;

	return slash && slash[1] ? slash + 1 : path;
}

/* How many rows to print.  Rows are sorted by the cost that percent_limit refers to; shares are of `whole`. */
static size_t rows_shown(const struct hd_top *top, const struct hd_top_opts *o, uint64_t whole, bool skipped)
{
	size_t most = o->limit && o->limit < top->n ? o->limit : top->n, n = 0;

	while (n < most &&
		hd_share_pct(o->by_total && !skipped ? top->rows[n].total : top->rows[n].self, whole) >=
			o->percent_limit)
		n++;
	return n;
}

/* skipped: the list of hd_top_skipped(), which has no totals; its shares are of the event, too. */
static void fill(struct hd_table *t, const struct hd_profile *p, const struct hd_top *top, const struct hd_top_opts *o,
	bool skipped)
{
	uint64_t whole = skipped ? p->events[top->event].weight : top->weight;
	size_t n = rows_shown(top, o, whole, skipped);
	bool estimates = hd_sampling_error_applies(p, top->event);
	char address[24];

	for (size_t i = 0; i < n; i++) {
		const struct hd_top_row *r = &top->rows[i];
		const struct hd_profile_symbol *s = &p->symbols[r->symbol];

		hd_table_cellf(t, "%u", r->rank);
		hd_table_cellf(t, "%.2f%%", hd_share_pct(r->self, whole));
		if (estimates)
			hd_table_cellf(t, "%.1f%%",
				hd_sampling_error_sd_pct(p, top->event, r->self, r->samples, r->var));
		if (!skipped)
			hd_table_cellf(t, "%.2f%%", hd_share_pct(r->total, whole));
		p->recording.stored && !o->tops ? hd_table_string(t, "-")
						: hd_table_cellf(t, "%llu", (unsigned long long)r->samples);
		if (p->objects[s->object].unknown)
			hd_table_pseudo(t, HD_UNKNOWN);
		else
			hd_table_string(t, short_dso(hd_profile_str(p, p->objects[s->object].name)));
		/* Last, so that a long C++ name pushes nothing aside; never cut, as scripts read it too. */
		if (s->no_address)
			hd_table_pseudo(t, HD_UNKNOWN);
		else
			hd_table_string(t, hd_symbol_text(p, r->symbol, o->full_names, address, sizeof(address)));
	}
}

static const struct hd_column columns[] = {
	{ "rank", true, false }, { "self", true, false }, { "total", true, false }, { "samples", true, false },
	{ "object", false, true }, { "symbol", false, true },
};

/* Estimates have their relative standard deviation after them. */
static const struct hd_column estimate_columns[] = {
	{ "rank", true, false }, { "self", true, false }, { "±", true, false }, { "total", true, false },
	{ "samples", true, false },
	{ "object", false, true }, { "symbol", false, true },
};

static const struct hd_column skipped_columns[] = {
	{ "rank", true, false }, { "cost", true, false }, { "samples", true, false }, { "object", false, true },
	{ "symbol", false, true },
};

static const struct hd_column skipped_estimate_columns[] = {
	{ "rank", true, false }, { "cost", true, false }, { "±", true, false }, { "samples", true, false },
	{ "object", false, true },
	{ "symbol", false, true },
};

void hd_top_rows(struct hd_table *t, const struct hd_profile *p, const struct hd_top *top, const struct hd_top_opts *o)
{
	if (hd_sampling_error_applies(p, top->event))
		hd_table_init(t, estimate_columns, sizeof(estimate_columns) / sizeof(estimate_columns[0]));
	else
		hd_table_init(t, columns, sizeof(columns) / sizeof(columns[0]));
	fill(t, p, top, o, false);
}

/* The second table: the functions of libraries in which the samples of the first one were taken. */
static bool skipped_rows(struct hd_table *t, struct hd_buf *title, const struct hd_profile *p, uint32_t event,
	const struct hd_top_opts *o)
{
	struct hd_top top;

	hd_top_skipped(&top, p, event, o->limit);
	if (top.n) {
		hd_buf_addf(title,
			"%.2f%% of it in functions of libraries that these called (skipped: --skip none lists them "
			"instead)",
			hd_share_pct(top.weight, p->events[event].weight));
		if (hd_sampling_error_applies(p, event))
			hd_table_init(t, skipped_estimate_columns,
				sizeof(skipped_estimate_columns) / sizeof(skipped_estimate_columns[0]));
		else
			hd_table_init(t, skipped_columns, sizeof(skipped_columns) / sizeof(skipped_columns[0]));
		fill(t, p, &top, o, true);
	}
	hd_top_release(&top);
	return title->len > 0;
}

void hd_top_text(struct hd_buf *out, const struct hd_profile *p, const struct hd_top *top, const struct hd_top_opts *o)
{
	struct hd_buf title = { 0 };
	struct hd_table t;

	hd_event_line(out, p, top->event, false);
	hd_selection_note(out, p);
	hd_buf_addc(out, '\n');
	hd_top_rows(&t, p, top, o);
	hd_table_text(out, &t, "");
	hd_table_release(&t);
	if (skipped_rows(&t, &title, p, top->event, o)) {
		hd_buf_addf(out, "  %s\n", title.data);
		hd_table_text(out, &t, "  ");
		hd_table_release(&t);
	}
	hd_buf_release(&title);
}

void hd_top_markdown(struct hd_buf *out, const struct hd_profile *p, const struct hd_top *top,
	const struct hd_top_opts *o)
{
	struct hd_table t;
	struct hd_buf line = { 0 };

	hd_event_line(&line, p, top->event, true);
	hd_selection_note(&line, p);
	hd_buf_adds(out, "### ");
	hd_buf_add(out, line.data, line.len);
	hd_buf_adds(out, "\n\n");
	hd_top_rows(&t, p, top, o);
	hd_table_markdown(out, &t);
	hd_table_release(&t);
	hd_buf_reset(&line);
	if (skipped_rows(&t, &line, p, top->event, o)) {
		hd_buf_addf(out, "\n%s\n\n", line.data);
		hd_table_markdown(out, &t);
		hd_table_release(&t);
	}
	hd_buf_release(&line);
}

void hd_dso_json(struct hd_jsonw *w, const char *key, const struct hd_profile *p, uint32_t object)
{
	hd_jsonw_str(w, key, hd_profile_str(p, p->objects[object].name));
	if (p->objects[object].unknown)
		hd_jsonw_bool(w, "dso_unknown", true);
}

static void json_row(struct hd_jsonw *w, const struct hd_profile *p, const struct hd_top_row *r, uint32_t event,
	uint64_t whole, bool skipped, const struct hd_top_opts *o)
{
	const struct hd_profile_symbol *s = &p->symbols[r->symbol];
	char address[24];

	hd_jsonw_row(w, NULL, '{');
	hd_jsonw_u64(w, "rank", r->rank);
	hd_jsonw_str(w, "symbol", hd_symbol_text(p, r->symbol, o->full_names, address, sizeof(address)));
	hd_dso_json(w, "dso", p, s->object);
	hd_jsonw_u64(w, "self", r->self);
	hd_jsonw_num(w, "self_pct", hd_share_pct(r->self, whole), 6);
	if (hd_sampling_error_applies(p, event))
		hd_jsonw_num(w, "self_sd_pct", hd_sampling_error_sd_pct(p, event, r->self, r->samples, r->var), 6);
	if (!skipped) {
		hd_jsonw_u64(w, "total", r->total);
		hd_jsonw_num(w, "total_pct", hd_share_pct(r->total, whole), 6);
	}
	p->recording.stored && !o->tops ? hd_jsonw_null(w, "samples") : hd_jsonw_u64(w, "samples", r->samples);
	if (s->unresolved)
		hd_jsonw_bool(w, "unknown", true);
	else
		hd_jsonw_str(w, "linkage", hd_profile_str(p, s->linkage));
	hd_jsonw_close(w, '}');
}

static void json_rows(struct hd_jsonw *w, const char *key, const struct hd_profile *p, const struct hd_top *top,
	uint64_t whole, bool skipped, const struct hd_top_opts *o)
{
	size_t n = rows_shown(top, o, whole, skipped);

	hd_jsonw_open(w, key, '[');
	for (size_t i = 0; i < n; i++)
		json_row(w, p, &top->rows[i], top->event, whole, skipped, o);
	hd_jsonw_close(w, ']');
}

void hd_top_json(struct hd_jsonw *w, const struct hd_profile *p, const struct hd_top *top, const struct hd_top_opts *o)
{
	const struct hd_event *e = &p->events[top->event];
	struct hd_top skipped;

	hd_jsonw_str(w, "event", hd_profile_str(p, e->name));
	hd_jsonw_str(w, "unit", hd_profile_str(p, e->unit));
	hd_jsonw_u64(w, "samples", top->samples);
	hd_jsonw_u64(w, "weight", top->weight);
	hd_jsonw_u64(w, "symbols", top->symbols);
	hd_jsonw_bool(w, "inline", o->inlined);
	json_rows(w, "rows", p, top, top->weight, false, o);
	if (!p->recording.skips)
		return;
	hd_top_skipped(&skipped, p, top->event, o->limit);
	json_rows(w, "skipped", p, &skipped, e->weight, true, o);
	hd_top_release(&skipped);
}

/* ---- all events ---- */

static size_t events_with_samples(const struct hd_profile *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->nevents; i++)
		n += p->events[i].samples > 0;
	return n;
}

/* The list of an event: one of those made before, or `own`, which is made and then the caller's. */
static const struct hd_top *list_of(const struct hd_profile *p, uint32_t event, const struct hd_top_opts *o,
				    const struct hd_functions *fn, struct hd_top *own)
{
	*own = (struct hd_top){ 0 };
	if (o->tops)
		return &o->tops->of[event];
	if (o->by_total)
		hd_top_build_inlined(own, p, event, true, fn);
	else
		hd_top_first(own, p, event, o->limit, fn);
	return own;
}

static void write_json(struct hd_buf *out, const struct hd_profile *p, const struct hd_top_opts *o,
	const struct hd_functions *fn)
{
	struct hd_jsonw w = hd_jsonw_to(out);
	bool several = events_with_samples(p) > 1;

	hd_jsonw_open(&w, NULL, '{');
	hd_jsonw_str(&w, "format", "hotdrift.top");
	hd_jsonw_u64(&w, "version", 1);
	if (several)
		hd_jsonw_open(&w, "reports", '[');
	for (uint32_t e = 0; e < p->nevents; e++) {
		struct hd_top own;

		if (!p->events[e].samples)
			continue;
		if (several)
			hd_jsonw_open(&w, NULL, '{');
		hd_top_json(&w, p, list_of(p, e, o, fn, &own), o);
		if (several)
			hd_jsonw_close(&w, '}');
		hd_top_release(&own);
	}
	if (several)
		hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
}

static void write_tables(struct hd_buf *out, const struct hd_profile *p, const struct hd_top_opts *o,
	const struct hd_functions *fn, bool markdown)
{
	bool later = false;

	for (uint32_t e = 0; e < p->nevents; e++) {
		const struct hd_top *top;
		struct hd_top own;

		if (!p->events[e].samples)
			continue;
		if (later)
			hd_buf_addc(out, '\n');
		later = true;
		top = list_of(p, e, o, fn, &own);
		if (markdown)
			hd_top_markdown(out, p, top, o);
		else
			hd_top_text(out, p, top, o);
		hd_top_release(&own);
	}
}

void hd_top_write(struct hd_buf *out, const struct hd_profile *p, enum hd_format format, const struct hd_top_opts *o)
{
	struct hd_functions fn = { 0 };

	if (o->inlined && !o->tops)
		hd_functions_init(&fn, p);
	if (format == HD_FORMAT_JSON)
		write_json(out, p, o, fn.of ? &fn : NULL);
	else
		write_tables(out, p, o, fn.of ? &fn : NULL, format == HD_FORMAT_MARKDOWN);
	hd_functions_release(&fn);
}
