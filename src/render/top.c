/*
 * top.c - see top.h
 */
#include "render/top.h"

#include "profile/sampling_error.h"
#include "base/encode.h"
#include "base/mem.h"
#include "render/fields.h"
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
	hd_buf_adds(out, p->read == 1 ? " sample" : " samples");
}

void hd_event_line(struct hd_buf *out, const struct hd_profile *p, uint32_t event, bool markdown)
{
	const struct hd_event *e = &p->events[event];

	/* The name of an event is input.  In Markdown it must not become a link or a tag. */
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

/* Return the last component of a path; pseudo-names stay whole. */
static const char *short_dso(const char *path)
{
	const char *slash = path[0] == '/' ? strrchr(path, '/') : NULL;

	return slash && slash[1] ? slash + 1 : path;
}

/*
 * Return the number of rows to print: at most o->limit, and only rows whose share of `whole` is at least
 * o->percent_limit.  Rows are sorted by the cost that this share is computed from.
 */
static size_t rows_shown(const struct hd_top *top, const struct hd_top_opts *o, uint64_t whole, bool skipped)
{
	size_t most = o->limit && o->limit < top->n ? o->limit : top->n, n = 0;

	while (n < most &&
		hd_share_pct(o->by_total && !skipped ? top->rows[n].total : top->rows[n].self, whole) >=
			o->percent_limit)
		n++;
	return n;
}

/* Properties of a table.  A field is printed if the table has all properties in hd_field.when. */
enum {
	ESTIMATES = 1,		/* weights are estimates with a standard error */
	TOTALS = 2,		/* the table of functions, which has total costs */
	SKIPPED = 4		/* the table of skipped functions, which has no total costs */
};

struct row {
	size_t rank;
	struct hd_field_name symbol, dso;
	bool dso_unknown, unknown;
	uint64_t self, total;
	double self_pct, sd_pct, total_pct;
	int64_t samples;
	const char *linkage;
	char address[24];
};

#define FIELD(key, title, kind, member, ...)	HD_FIELD(key, title, kind, struct row, member, ##__VA_ARGS__)
static const struct hd_field fields[] = {
	FIELD("rank", "rank", RANK, rank),
	/* The symbol is the last column of a table, so that a long C++ name does not shift other columns. */
	FIELD("symbol", "symbol", SYMBOL, symbol, .place = 2),
	FIELD("dso", "object", SYMBOL, dso, .place = 1),
	FIELD("dso_unknown", NULL, FLAG, dso_unknown),
	FIELD("self", NULL, WEIGHT, self),
	FIELD("self_pct", "self", PERCENT, self_pct, .when = TOTALS),
	FIELD("self_pct", "cost", PERCENT, self_pct, .when = SKIPPED),
	FIELD("self_sd_pct", "\302\261", PERCENT_SHORT, sd_pct, .when = ESTIMATES),
	FIELD("total", NULL, WEIGHT, total, .when = TOTALS),
	FIELD("total_pct", "total", PERCENT, total_pct, .when = TOTALS),
	FIELD("samples", "samples", COUNT, samples),
	FIELD("unknown", NULL, FLAG, unknown),
	FIELD("linkage", NULL, TEXT_IF, linkage),
};

/*
 * Return the fields of a table.  If `skipped` is set, it is the table of hd_top_skipped(), which has no total costs and
 * whose shares are of the whole event.
 */
static struct hd_fields fields_of(const struct hd_profile *p, uint32_t event, bool skipped)
{
	bool estimates = hd_sampling_error_applies(p, event);

	return (struct hd_fields){ fields, HD_COUNT(fields),
		(skipped ? SKIPPED : TOTALS) | (estimates ? ESTIMATES : 0) };
}

static void fill_row(struct row *out, const struct hd_profile *p, const struct hd_top_row *r, uint32_t event,
	uint64_t whole, const struct hd_top_opts *o)
{
	const struct hd_profile_symbol *s = &p->symbols[r->symbol];
	const struct hd_object *object = &p->objects[s->object];
	const char *path = hd_profile_str(p, object->name);

	*out = (struct row){
		.rank = r->rank,
		.dso = { .full = path,
			.shown = object->unknown ? HD_UNKNOWN : short_dso(path),
			.pseudo = object->unknown },
		.dso_unknown = object->unknown,
		.unknown = s->unresolved,
		.self = r->self,
		.total = r->total,
		.self_pct = hd_share_pct(r->self, whole),
		.total_pct = hd_share_pct(r->total, whole),
		.samples = p->recording.stored && !o->tops ? -1 : (int64_t)r->samples,
		.linkage = s->unresolved ? NULL : hd_profile_str(p, s->linkage),
	};
	out->symbol.full = hd_symbol_text(p, r->symbol, o->full_names, out->address, sizeof(out->address));
	out->symbol.shown = s->no_address ? HD_UNKNOWN : out->symbol.full;
	out->symbol.pseudo = s->no_address;
	if (hd_sampling_error_applies(p, event))
		out->sd_pct = hd_sampling_error_sd_pct(p, event, r->self, r->samples, r->var);
}

static void fill(struct hd_table *t, const struct hd_profile *p, const struct hd_top *top, const struct hd_top_opts *o,
	bool skipped)
{
	struct hd_fields f = fields_of(p, top->event, skipped);
	uint64_t whole = skipped ? p->events[top->event].weight : top->weight;
	size_t n = rows_shown(top, o, whole, skipped);
	struct row row;

	hd_fields_table(t, &f);
	for (size_t i = 0; i < n; i++) {
		fill_row(&row, p, &top->rows[i], top->event, whole, o);
		hd_fields_cells(t, &f, &row);
	}
}

void hd_top_rows(struct hd_table *t, const struct hd_profile *p, const struct hd_top *top, const struct hd_top_opts *o)
{
	fill(t, p, top, o, false);
}

/*
 * Make the table of the skipped functions in which samples were taken.  The first table shows these samples in their
 * callers.  Returns false if there are no such functions.
 */
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
		fill(t, p, &top, o, true);
	}
	hd_top_release(&top);
	return title->len > 0;
}

static void write_tables(struct hd_buf *out, const struct hd_profile *p, const struct hd_top *top,
	const struct hd_top_opts *o, bool markdown)
{
	struct hd_buf title = { 0 };
	struct hd_table t;

	hd_buf_adds(out, markdown ? "### " : "");
	hd_event_line(out, p, top->event, markdown);
	hd_selection_note(out, p);
	hd_buf_adds(out, markdown ? "\n\n" : "\n");
	hd_top_rows(&t, p, top, o);
	hd_table_write(out, &t, markdown);
	if (skipped_rows(&t, &title, p, top->event, o)) {
		hd_buf_addf(out, markdown ? "\n%s\n\n" : "  %s\n", title.data);
		if (markdown)
			hd_table_markdown(out, &t);
		else
			hd_table_text(out, &t, "  ");
		hd_table_release(&t);
	}
	hd_buf_release(&title);
}

static void json_rows(struct hd_jsonw *w, const char *key, const struct hd_profile *p, const struct hd_top *top,
	uint64_t whole, bool skipped, const struct hd_top_opts *o)
{
	struct hd_fields f = fields_of(p, top->event, skipped);
	size_t n = rows_shown(top, o, whole, skipped);
	struct row row;

	hd_jsonw_open(w, key, '[');
	for (size_t i = 0; i < n; i++) {
		fill_row(&row, p, &top->rows[i], top->event, whole, o);
		hd_fields_object(w, &f, &row);
	}
	hd_jsonw_close(w, ']');
}

/* Append the members of one event's report to an open object. */
static void json_members(struct hd_jsonw *w, const struct hd_profile *p, const struct hd_top *top,
	const struct hd_top_opts *o)
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

/*
 * Return the list of functions of an event: the precomputed one, or one that is made in `own`, which the caller
 * releases.
 */
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
	struct hd_jsonw w = hd_jsonw_document(out, "hotdrift.top", 1);
	bool several = events_with_samples(p) > 1;

	if (several)
		hd_jsonw_open(&w, "reports", '[');
	for (uint32_t e = 0; e < p->nevents; e++) {
		struct hd_top own;

		if (!p->events[e].samples)
			continue;
		if (several)
			hd_jsonw_open(&w, NULL, '{');
		json_members(&w, p, list_of(p, e, o, fn, &own), o);
		if (several)
			hd_jsonw_close(&w, '}');
		hd_top_release(&own);
	}
	if (several)
		hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
}

static void write_all_tables(struct hd_buf *out, const struct hd_profile *p, const struct hd_top_opts *o,
	const struct hd_functions *fn, bool markdown)
{
	bool later = false;

	for (uint32_t e = 0; e < p->nevents; e++) {
		struct hd_top own;

		if (!p->events[e].samples)
			continue;
		if (later)
			hd_buf_addc(out, '\n');
		later = true;
		write_tables(out, p, list_of(p, e, o, fn, &own), o, markdown);
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
		write_all_tables(out, p, o, fn.of ? &fn : NULL, format == HD_FORMAT_MARKDOWN);
	hd_functions_release(&fn);
}
