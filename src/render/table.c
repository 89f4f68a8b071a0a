/*
 * table.c - see table.h
 */
#include "render/table.h"

#include "base/encode.h"
#include "base/mem.h"
#include "render/unit_text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
	/*
	 * Columns are padded to at most this width.  A longer cell is written completely and shifts the rest of its
	 * row, because padding all rows to the longest cell could make the output huge.
	 */
	WIDEST = 120,
	NARROWEST = 12		/* names are not shortened below this width */
};

struct hd_table_cell {
	size_t end;		/* offset in hd_table.bytes where the text of the cell ends */
	size_t guide;		/* size of the guide, the tree lines at the start of the cell; see table.h */
	bool pseudo;
};

static bool is_encoded(const struct hd_column *c)
{
	return c->cells == HD_CELLS_NAME || c->cells == HD_CELLS_ID;
}

static bool may_shorten(const struct hd_column *c)
{
	return c->cells == HD_CELLS_NAME || c->cells == HD_CELLS_LONG;
}

void hd_table_init(struct hd_table *t, const struct hd_column *columns, size_t ncolumns)
{
	*t = (struct hd_table){ .columns = columns, .ncolumns = ncolumns };
}

void hd_table_release(struct hd_table *t)
{
	hd_buf_release(&t->bytes);
	free(t->cells);
	free(t->owned);
	*t = (struct hd_table){ 0 };
}

static void end_cell(struct hd_table *t, bool pseudo)
{
	HD_GROW(t->cells, t->ncells + 1, t->cells_cap);
	t->cells[t->ncells++] = (struct hd_table_cell){ t->bytes.len, t->guide, pseudo };
	t->guide = 0;
}

void hd_table_cell(struct hd_table *t, const char *s, size_t n)
{
	hd_buf_add(&t->bytes, s, n);
	end_cell(t, false);
}

void hd_table_string(struct hd_table *t, const char *s)
{
	hd_table_cell(t, s, strlen(s));
}

void hd_table_take(struct hd_table *t, struct hd_buf *b)
{
	hd_table_string(t, hd_buf_str(b));
	hd_buf_release(b);
}

void hd_table_pseudo(struct hd_table *t, const char *s)
{
	hd_buf_adds(&t->bytes, s);
	end_cell(t, true);
}

void hd_table_guide(struct hd_table *t, const char *guide)
{
	t->guide = guide ? strlen(guide) : 0;
	if (t->guide)
		hd_buf_add(&t->bytes, guide, t->guide);
}

void hd_table_cellf(struct hd_table *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	hd_buf_vaddf(&t->bytes, fmt, ap);
	va_end(ap);
	end_cell(t, false);
}

void hd_table_real(struct hd_table *t, double v)
{
	hd_unit_text_real(&t->bytes, v);
	end_cell(t, false);
}

/*
 * Append the guide of a cell: the lines of a tree before a name (hd_table_guide()).  Markdown drops blanks at the start
 * of a cell, so they become no-break spaces there.
 */
static void add_guide(struct hd_buf *b, const char *guide, size_t n, bool markdown)
{
	for (size_t i = 0; i < n; i++)
		if (markdown && guide[i] == ' ')
			hd_buf_adds(b, "\302\240");
		else
			hd_buf_addc(b, guide[i]);
}

/*
 * Store the output text of a cell in `b`: first its guide (the tree lines before a name, see hd_table_guide()), then
 * the encoded name or text.  Returns the guide's length in the cell, in bytes; 0 if the cell has no guide.
 */
static size_t shown(struct hd_buf *b, const struct hd_table *t, size_t cell, bool markdown)
{
	const struct hd_column *c = &t->columns[cell % t->ncolumns];
	size_t from = cell ? t->cells[cell - 1].end : 0, guide = t->cells[cell].guide;
	size_t n = t->cells[cell].end - from - guide;
	const char *s = hd_buf_str(&t->bytes) + from + guide;

	hd_buf_reset(b);
	add_guide(b, s - guide, guide, markdown);
	if (t->cells[cell].pseudo && markdown && n)
		hd_buf_addf(b, "`%.*s`", (int)n, s);
	else if (!is_encoded(c) || t->cells[cell].pseudo)
		hd_buf_add(b, s, n);
	else if (markdown)
		hd_enc_md(b, s, n);
	else
		hd_enc_term(b, s, n);
	return guide;
}

/*
 * Append the text of a cell in at most `columns` columns.  guide: how many of its n bytes are the guide.  If the guide
 * takes more than half of the columns, its beginning is dropped.
 */
static void add_shortened(struct hd_buf *out, const char *text, size_t n, size_t guide, size_t columns)
{
	size_t w = guide ? hd_enc_width(text, guide) : 0, from = 0;

	for (; columns != SIZE_MAX && w > columns / 2; w--)	/* each character of the guide takes one column */
		for (from++; from < guide && (text[from] & 0xc0) == 0x80;)
			from++;
	hd_buf_add(out, text + from, guide - from);
	hd_enc_shorten(out, text + guide, n - guide, columns == SIZE_MAX ? columns : columns - w);
}

static void pad(struct hd_buf *out, size_t n)
{
	while (n-- > 0)
		hd_buf_addc(out, ' ');
}

static void text_cell(struct hd_buf *out, const struct hd_table *t, size_t column, const char *s, size_t n,
	size_t width)
{
	size_t w = hd_enc_width(s, n), gap = width > w ? width - w : 0;

	if (column)
		hd_buf_adds(out, "  ");
	if (t->columns[column].right)
		pad(out, gap);
	hd_buf_add(out, s, n);
	if (!t->columns[column].right && column + 1 < t->ncolumns)
		pad(out, gap);
}

/* Compute the width of each column from its title and cells, at most `most`. */
static void measure(size_t *width, const struct hd_table *t, size_t most)
{
	struct hd_buf b = { 0 };

	for (size_t c = 0; c < t->ncolumns; c++)
		width[c] = strlen(t->columns[c].title);
	for (size_t i = 0; i < t->ncells; i++) {
		size_t w;

		shown(&b, t, i, false);
		w = hd_enc_width(hd_buf_str(&b), b.len);
		w = w < most ? w : most;
		if (w > width[i % t->ncolumns])
			width[i % t->ncolumns] = w;
	}
	hd_buf_release(&b);
}

/* Reduce the widest column of names until a row fits or no column can be reduced further. */
static void fit(size_t *width, const struct hd_table *t, size_t columns)
{
	size_t total = 2 * (t->ncolumns - 1);

	for (size_t c = 0; c < t->ncolumns; c++)
		total += width[c];
	while (total > columns) {
		size_t widest = t->ncolumns;

		for (size_t c = 0; c < t->ncolumns; c++)
			if (may_shorten(&t->columns[c]) && width[c] > NARROWEST &&
			    width[c] > strlen(t->columns[c].title) &&
			    (widest == t->ncolumns || width[c] > width[widest]))
				widest = c;
		if (widest == t->ncolumns)
			break;
		width[widest]--;
		total--;
	}
}

void hd_table_text(struct hd_buf *out, const struct hd_table *t, const char *indent)
{
	size_t *width = hd_new_array(size_t, t->ncolumns), left = strlen(indent);
	struct hd_buf b = { 0 }, whole = { 0 };

	measure(width, t, out->columns ? SIZE_MAX : WIDEST);
	if (out->columns)
		fit(width, t, out->columns > left ? out->columns - left : 1);
	hd_buf_adds(out, indent);
	hd_buf_colour(out, HD_COLOUR_BOLD);
	for (size_t c = 0; c < t->ncolumns; c++)
		text_cell(out, t, c, t->columns[c].title, strlen(t->columns[c].title), width[c]);
	hd_buf_colour(out, HD_COLOUR_NONE);
	hd_buf_addc(out, '\n');
	for (size_t i = 0; i < t->ncells; i++) {
		size_t c = i % t->ncolumns, guide;

		if (!c)
			hd_buf_adds(out, indent);
		guide = shown(&whole, t, i, false);
		hd_buf_reset(&b);
		add_shortened(&b, hd_buf_str(&whole), whole.len, guide,
			out->columns && may_shorten(&t->columns[c]) ? width[c] : SIZE_MAX);
		text_cell(out, t, c, hd_buf_str(&b), b.len, width[c]);
		if (c + 1 == t->ncolumns)
			hd_buf_addc(out, '\n');
	}
	hd_buf_release(&whole);
	hd_buf_release(&b);
	free(width);
}

void hd_table_markdown(struct hd_buf *out, const struct hd_table *t)
{
	struct hd_buf b = { 0 };

	for (size_t c = 0; c < t->ncolumns; c++)
		hd_buf_addf(out, "| %s ", t->columns[c].title);
	hd_buf_adds(out, "|\n");
	for (size_t c = 0; c < t->ncolumns; c++)
		hd_buf_adds(out, t->columns[c].right ? "|--:" : "|---");
	hd_buf_adds(out, "|\n");
	for (size_t i = 0; i < t->ncells; i++) {
		shown(&b, t, i, true);
		hd_buf_addf(out, "| %s ", hd_buf_str(&b));
		if (i % t->ncolumns + 1 == t->ncolumns)
			hd_buf_adds(out, "|\n");
	}
	hd_buf_release(&b);
}

void hd_table_html(struct hd_buf *out, const struct hd_table *t)
{
	size_t from = 0;

	hd_buf_adds(out, "<table>\n<thead><tr>");
	for (size_t c = 0; c < t->ncolumns; c++) {
		hd_buf_addf(out, "<th scope=\"col\"%s>", t->columns[c].right ? " class=\"num\"" : "");
		if (*t->columns[c].title)
			hd_enc_xml(out, t->columns[c].title, strlen(t->columns[c].title));
		hd_buf_adds(out, "</th>");
	}
	hd_buf_adds(out, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < t->ncells; i++) {
		const struct hd_column *c = &t->columns[i % t->ncolumns];
		bool code = is_encoded(c) && !t->cells[i].pseudo;

		hd_buf_addf(out, "%s<td%s>%s", i % t->ncolumns ? "" : "<tr>", c->right ? " class=\"num\"" : "",
			code ? "<code>" : "");
		if (t->cells[i].pseudo)
			hd_enc_entities(out, hd_buf_str(&t->bytes) + from, t->cells[i].end - from);
		else
			hd_enc_xml(out, hd_buf_str(&t->bytes) + from, t->cells[i].end - from);
		hd_buf_addf(out, "%s</td>%s", code ? "</code>" : "",
			i % t->ncolumns + 1 == t->ncolumns ? "</tr>\n" : "");
		from = t->cells[i].end;
	}
	hd_buf_adds(out, "</tbody>\n</table>\n");
}

void hd_table_name(struct hd_buf *out, const char *s, bool markdown)
{
	(markdown ? hd_enc_md : hd_enc_term)(out, s, strlen(s));
}

void hd_table_write(struct hd_buf *out, struct hd_table *t, bool markdown)
{
	if (markdown)
		hd_table_markdown(out, t);
	else
		hd_table_text(out, t, "");
	hd_table_release(t);
}
