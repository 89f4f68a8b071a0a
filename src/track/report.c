/*
 * report.c - cells of a report, and its text, JSON and Markdown forms; see report.h
 */
#include "track/report.h"

#include "track/quantity_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- cells ---- */

const void *hd_report_row(const struct hd_report_section *s, size_t i)
{
	return (const char *)s->rows + i * s->row_size;
}

double hd_report_cell_number(const struct hd_report_column *c, const void *row)
{
	const void *at = (const char *)row + c->offset;

	switch (c->type) {
	case HD_REPORT_U64:	return (double)*(const uint64_t *)at;
	case HD_REPORT_U32:	return *(const uint32_t *)at;
	case HD_REPORT_F64:	return *(const double *)at;
	case HD_REPORT_BOOL:	return *(const bool *)at;
	case HD_REPORT_WORD:
	case HD_REPORT_NAME:	break;
	}
	return NAN;
}

const char *hd_report_cell_string(const struct hd_report_column *c, const void *row)
{
	if (c->type != HD_REPORT_WORD && c->type != HD_REPORT_NAME)
		return NULL;
	return *(const char *const *)(const void *)((const char *)row + c->offset);
}

static void put_number(struct hd_text *out, const struct hd_report_column *c, double v)
{
	char text[HD_QUANTITY_TEXT];

	switch (c->unit) {
	case HD_REPORT_NS:	hd_quantity_ns(text, v); break;
	case HD_REPORT_US:	hd_quantity_ns(text, v * 1e3); break;
	case HD_REPORT_SECONDS:	hd_quantity_ns(text, v * 1e9); break;
	case HD_REPORT_BYTES:	hd_quantity_bytes(text, v); break;
	case HD_REPORT_PERCENT:	hd_quantity_tenths(text, v); break;
	case HD_REPORT_PLAIN:
		if (c->type == HD_REPORT_F64)
			hd_quantity_real(text, v);
		else
			hd_quantity_count(text, v);
		break;
	}
	hd_text_add(out, text);
}

void hd_report_cell_put(struct hd_text *out, enum hd_text_form form, const struct hd_report_column *c, const void *row)
{
	const char *s = hd_report_cell_string(c, row);
	double v = hd_report_cell_number(c, row);

	if (c->type == HD_REPORT_BOOL)
		hd_text_add(out, v != 0 ? "yes" : "no");
	else if (s && c->type == HD_REPORT_NAME)
		hd_text_name(out, form, s);
	else if (s && form == HD_TEXT_XML)
		hd_text_name(out, form, s);
	else if (s)
		hd_text_add(out, s);
	else if (isfinite(v))
		put_number(out, c, v);
}

bool hd_report_has_column(const struct hd_report_section *s, const struct hd_report_column *c)
{
	if (!c->title)
		return false;
	for (size_t i = 0; i < s->n; i++) {
		double v = hd_report_cell_number(c, hd_report_row(s, i));

		if (hd_report_cell_string(c, hd_report_row(s, i)) || c->type == HD_REPORT_BOOL ||
		    (isfinite(v) && v != 0))
			return true;
	}
	return false;
}

static bool is_text(const struct hd_report_column *c)
{
	return c->type == HD_REPORT_WORD || c->type == HD_REPORT_NAME;
}

/* ---- text ---- */

/* Return the width of a text on a terminal, in columns, if every character takes one column. */
static size_t width_of(const char *s, size_t n)
{
	size_t width = 0;

	for (size_t i = 0; i < n; i++)
		width += ((unsigned char)s[i] & 0xc0) != 0x80;
	return width;
}

static void put_spaces(struct hd_text *out, size_t n)
{
	while (n--)
		hd_text_bytes(out, " ", 1);
}

/* One column of a text table, as it is laid out. */
struct laid_out {
	const struct hd_report_column *column;
	size_t width;
};

/* Append a cell: numbers flush right, texts flush left.  A text that is the `last` cell of a line is not padded. */
static void put_aligned(struct hd_text *out, const struct laid_out *l, const char *s, size_t n, bool last)
{
	size_t width = width_of(s, n), fill = width < l->width ? l->width - width : 0;

	hd_text_add(out, "  ");
	if (!is_text(l->column))
		put_spaces(out, fill);
	hd_text_bytes(out, s, n);
	if (is_text(l->column) && !last)
		put_spaces(out, fill);
}

static size_t cell_width(struct hd_text *scratch, const struct hd_report_column *c, const void *row)
{
	scratch->n = 0;
	hd_report_cell_put(scratch, HD_TEXT_PLAIN, c, row);
	return scratch->n ? width_of(scratch->s, scratch->n) : 0;
}

/* Choose the order and the widths of the columns; return their number.  Names are last, because they may be long. */
static size_t lay_out(struct laid_out *to, const struct hd_report_section *s, struct hd_text *scratch)
{
	size_t n = 0;

	for (int names = 0; names < 2; names++)
		for (size_t i = 0; i < s->ncolumns; i++) {
			const struct hd_report_column *c = &s->columns[i];

			if (c->below || (c->type == HD_REPORT_NAME) != (names == 1) || !hd_report_has_column(s, c))
				continue;
			to[n] = (struct laid_out){ c, width_of(c->title, strlen(c->title)) };
			for (size_t k = 0; k < s->n; k++) {
				size_t width = cell_width(scratch, c, hd_report_row(s, k));

				to[n].width = width > to[n].width ? width : to[n].width;
			}
			n++;
		}
	return n;
}

static void text_row(struct hd_text *out, const struct hd_report_section *s, const struct laid_out *l, size_t n,
		     const void *row, struct hd_text *scratch)
{
	for (size_t i = 0; i < n; i++) {
		scratch->n = 0;
		hd_report_cell_put(scratch, HD_TEXT_PLAIN, l[i].column, row);
		put_aligned(out, &l[i], scratch->n ? scratch->s : "", scratch->n, i + 1 == n);
	}
	hd_text_add(out, "\n");
	for (size_t i = 0; i < s->ncolumns; i++)
		if (s->columns[i].below && hd_report_cell_string(&s->columns[i], row)) {
			hd_text_add(out, "      ");
			hd_report_cell_put(out, HD_TEXT_PLAIN, &s->columns[i], row);
			hd_text_add(out, "\n");
		}
}

static void text_section(struct hd_text *out, const struct hd_report_section *s, struct hd_text *scratch)
{
	struct laid_out *l = calloc(s->ncolumns, sizeof(*l));
	size_t n;

	if (!l) {
		out->failed = true;
		return;
	}
	n = lay_out(l, s, scratch);
	hd_text_addf(out, "\n%s\n", s->title);
	for (size_t i = 0; i < n; i++)
		put_aligned(out, &l[i], l[i].column->title, strlen(l[i].column->title), i + 1 == n);
	hd_text_add(out, "\n");
	for (size_t i = 0; i < s->n; i++)
		text_row(out, s, l, n, hd_report_row(s, i), scratch);
	free(l);
	out->failed |= scratch->failed;
}

static void put_title(struct hd_text *out, enum hd_text_form form, const struct hd_report_head *head)
{
	hd_text_add(out, "libhotdrift report of ");
	hd_text_name(out, form, head->program);
	hd_text_addf(out, ", process %llu", (unsigned long long)head->pid);
}

static void put_unbalanced(struct hd_text *out, const struct hd_report_head *head)
{
	if (head->unbalanced)
		hd_text_addf(out, "\n%llu operation%s not stopped, and ended with an outer operation or a thread.\n",
			     (unsigned long long)head->unbalanced, head->unbalanced == 1 ? " was" : "s were");
}

void hd_report_text(struct hd_text *out, const struct hd_report_head *head, const struct hd_report_section *sections,
		    size_t n)
{
	struct hd_text scratch = { 0 };
	bool any = false;

	put_title(out, HD_TEXT_PLAIN, head);
	hd_text_add(out, "\n");
	for (size_t i = 0; i < n; i++)
		if (sections[i].n) {
			any = true;
			text_section(out, &sections[i], &scratch);
		}
	if (!any)
		hd_text_add(out, "\nNothing was recorded.\n");
	put_unbalanced(out, head);
	hd_text_release(&scratch);
}

/* ---- Markdown ---- */

static void markdown_section(struct hd_text *out, const struct hd_report_section *s)
{
	hd_text_addf(out, "\n## %s\n\n|", s->title);
	for (size_t i = 0; i < s->ncolumns; i++)
		if (hd_report_has_column(s, &s->columns[i]))
			hd_text_addf(out, " %s |", s->columns[i].title);
	hd_text_add(out, "\n|");
	for (size_t i = 0; i < s->ncolumns; i++)
		if (hd_report_has_column(s, &s->columns[i]))
			hd_text_add(out, is_text(&s->columns[i]) ? "---|" : "--:|");
	hd_text_add(out, "\n");
	for (size_t k = 0; k < s->n; k++) {
		hd_text_add(out, "|");
		for (size_t i = 0; i < s->ncolumns; i++) {
			if (!hd_report_has_column(s, &s->columns[i]))
				continue;
			hd_text_add(out, " ");
			hd_report_cell_put(out, HD_TEXT_MARKDOWN, &s->columns[i], hd_report_row(s, k));
			hd_text_add(out, " |");
		}
		hd_text_add(out, "\n");
	}
}

void hd_report_markdown(struct hd_text *out, const struct hd_report_head *head,
			const struct hd_report_section *sections, size_t n)
{
	bool any = false;

	hd_text_add(out, "# ");
	put_title(out, HD_TEXT_MARKDOWN, head);
	hd_text_add(out, "\n");
	for (size_t i = 0; i < n; i++)
		if (sections[i].n) {
			any = true;
			markdown_section(out, &sections[i]);
		}
	if (!any)
		hd_text_add(out, "\nNothing was recorded.\n");
	put_unbalanced(out, head);
}

/* ---- JSON ---- */

static void json_cell(struct hd_text *out, const struct hd_report_column *c, const void *row)
{
	const char *s = hd_report_cell_string(c, row);
	const void *at = (const char *)row + c->offset;

	hd_text_addf(out, "\"%s\":", c->key);
	if (c->type == HD_REPORT_U64)		/* a double would round it */
		hd_text_addf(out, "%llu", (unsigned long long)*(const uint64_t *)at);
	else if (c->type == HD_REPORT_BOOL)
		hd_text_add(out, *(const bool *)at ? "true" : "false");
	else if (s)
		hd_text_name(out, HD_TEXT_JSON, s);
	else
		hd_text_number(out, hd_report_cell_number(c, row));
}

static void json_row(struct hd_text *out, const struct hd_report_section *s, const void *row)
{
	for (size_t i = 0; i < s->ncolumns; i++) {
		hd_text_add(out, i ? "," : "{");
		json_cell(out, &s->columns[i], row);
	}
	hd_text_add(out, "}");
}

void hd_report_json(struct hd_text *out, const struct hd_report_head *head, const struct hd_report_section *sections,
		    size_t n)
{
	hd_text_add(out, "{\"format\":\"hotdrift.library\",\"version\":1,\"program\":");
	hd_text_name(out, HD_TEXT_JSON, head->program);
	hd_text_add(out, ",\"boot_id\":");
	hd_text_name(out, HD_TEXT_JSON, head->boot_id ? head->boot_id : "");
	hd_text_addf(out, ",\"pid\":%llu,\"timestamp_us\":%llu,\"unbalanced\":%llu", (unsigned long long)head->pid,
		     (unsigned long long)head->timestamp_us, (unsigned long long)head->unbalanced);
	for (size_t i = 0; i < n; i++) {
		const struct hd_report_section *s = &sections[i];

		hd_text_addf(out, ",\n\"%s\":", s->key);
		if (s->single && s->n) {
			json_row(out, s, s->rows);
			continue;
		}
		if (s->single) {
			hd_text_add(out, "null");
			continue;
		}
		hd_text_add(out, "[");
		for (size_t k = 0; k < s->n; k++) {
			hd_text_add(out, k ? ",\n" : "\n");
			json_row(out, s, hd_report_row(s, k));
		}
		hd_text_add(out, s->n ? "\n]" : "]");
	}
	hd_text_add(out, "\n}\n");
}

/* ---- all forms ---- */

void hd_report_render(struct hd_text *out, enum hd_report_form form, const struct hd_report_head *head,
		      const struct hd_report_section *sections, size_t n)
{
	switch (form) {
	case HD_REPORT_TEXT:	 hd_report_text(out, head, sections, n); break;
	case HD_REPORT_JSON:	 hd_report_json(out, head, sections, n); break;
	case HD_REPORT_MARKDOWN: hd_report_markdown(out, head, sections, n); break;
	case HD_REPORT_HTML:	 hd_report_html(out, head, sections, n); break;
	}
}
