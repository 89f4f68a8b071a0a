/*
 * annotation_text.c - annotated functions as text and Markdown: see annotation.h
 */
#include "base/encode.h"
#include "base/mem.h"
#include "render/annotation.h"
#include "render/jump_arrows.h"
#include "render/unit_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A share of at least RED_PCT per cent is printed in red, one of at least GREEN_PCT in green.  The limits are those of
 * perf (MIN_RED and MIN_GREEN of tools/perf/util/color.h).
 */
#define RED_PCT 5.0
#define GREEN_PCT 0.5
enum { PCT_COLUMNS = 8, TAB = 8, SHORT_LISTING = 40 };

struct listing {
	struct hd_buf *out;
	const struct hd_annotation *a;
	const struct hd_annotation_view *view;
	struct hd_jump_arrows arrows;
	int digits;			/* number of digits of the longest address */
	size_t line_at;			/* start of the current output line in `out` */
};

void hd_annotation_source(struct hd_buf *out, const char *text)
{
	size_t column = 0;

	for (const char *end; *text; text = end) {
		size_t before = out->len;

		end = text + strcspn(text, "\t\\");
		hd_enc_visible(out, text, (size_t)(end - text));
		column += hd_enc_width(hd_buf_str(out) + before, out->len - before);
		if (*end == '\t') {
			size_t n = TAB - column % TAB;

			hd_buf_addf(out, "%*s", (int)n, "");
			column += n;
			end++;
		} else if (*end) {
			hd_buf_addc(out, *end++);
			column++;
		}
	}
}

void hd_annotation_place(struct hd_buf *out, const struct hd_annotation *a, const struct hd_annotation_line *line,
	bool whole_path)
{
	const char *path, *slash;

	if (line->file == HD_ANNOTATION_NONE) {
		hd_buf_adds(out, "[no line]");
		return;
	}
	path = a->files[line->file].path;
	slash = strrchr(path, '/');
	path = whole_path || !slash || !slash[1] ? path : slash + 1;
	hd_enc_term(out, path, strlen(path));
	hd_buf_addf(out, ":%u", line->number);
}

/* ---- the hottest lines ---- */

/* Return the highest share in a row of costs, which has one cost per event. */
static double highest(const struct hd_annotation *a, const struct hd_annotation_cost *cost, enum hd_percent_type type)
{
	double most = 0;

	for (size_t e = 0; e < a->nevents; e++) {
		double pct = hd_annotation_pct(a, e, cost[e], type);

		most = pct > most ? pct : most;
	}
	return most;
}

struct hot { uint64_t weight[2]; uint32_t line; };

static int compare_hot(const void *x, const void *y)
{
	const struct hot *a = x, *b = y;

	for (int i = 0; i < 2; i++)
		if (a->weight[i] != b->weight[i])
			return a->weight[i] > b->weight[i] ? -1 : 1;
	return a->line < b->line ? -1 : 1;
}

uint32_t *hd_annotation_hot_lines(size_t *n, const struct hd_annotation *a, const struct hd_annotation_view *view)
{
	struct hot *hot = hd_new_array(struct hot, a->nlines);
	uint32_t *lines = hd_new_array(uint32_t, a->nlines);
	bool hits = view->percent == HD_PERCENT_LOCAL_HITS || view->percent == HD_PERCENT_GLOBAL_HITS;

	*n = 0;
	for (size_t i = 0; i < a->nlines; i++) {
		const struct hd_annotation_cost *c = &a->line_cost[i * a->nevents];
		double pct = highest(a, c, view->percent);

		if (!(pct > 0) || pct < view->percent_limit)
			continue;
		hot[*n].line = (uint32_t)i;
		for (size_t e = 0; e < a->nevents && e < 2; e++)
			hot[*n].weight[e] = hits ? c[e].samples : c[e].weight;
		++*n;
	}
	qsort(hot, *n, sizeof(*hot), compare_hot);
	for (size_t i = 0; i < *n; i++)
		lines[i] = hot[i].line;
	free(hot);
	return lines;
}

/* ---- rows ---- */

static void begin_line(struct listing *l)
{
	l->line_at = l->out->len;
}

/*
 * End a line.  The text of the line begins at offset `text_at`, after `used` columns, and is cut so that the line fits
 * the terminal.  Escape sequences for colours may only be before `text_at`, because they take no columns.
 */
static void end_line(struct listing *l, size_t text_at, size_t used)
{
	struct hd_buf *b = l->out;

	if (b->columns) {
		size_t room = b->columns > used ? b->columns - used : 0;
		size_t cut = hd_enc_cut(b->data + text_at, b->len - text_at, room);

		if (text_at + cut < b->len) {
			b->len = text_at + hd_enc_cut(b->data + text_at, b->len - text_at, room ? room - 1 : 0);
			hd_buf_adds(b, room ? "~" : "");
		}
	}
	while (b->len > l->line_at && b->data[b->len - 1] == ' ')
		b->len--;
	hd_buf_addc(b, '\n');
}

/* Append the shares of a row, one column for each event.  If there is no cost, the column is blank. */
static void add_shares(struct listing *l, const struct hd_annotation_cost *cost)
{
	for (size_t e = 0; e < l->a->nevents; e++) {
		double pct = cost ? hd_annotation_pct(l->a, e, cost[e], l->view->percent) : 0;
		enum hd_colour colour = pct >= RED_PCT ? HD_COLOUR_RED
			: pct >= GREEN_PCT ? HD_COLOUR_GREEN : HD_COLOUR_NONE;

		if (!cost || !(cost[e].samples || cost[e].weight)) {
			hd_buf_addf(l->out, "%*s", PCT_COLUMNS, "");
			continue;
		}
		if (colour)
			hd_buf_colour(l->out, colour);
		hd_buf_addf(l->out, "%*.2f", PCT_COLUMNS, pct);
		if (colour)
			hd_buf_colour(l->out, HD_COLOUR_NONE);
	}
}

static size_t share_columns(const struct listing *l)
{
	return l->a->nevents * PCT_COLUMNS;
}

const char *hd_annotation_text_of(const struct hd_annotation *a, const struct hd_annotation_line *line)
{
	const struct hd_annotation_file *f = line->file == HD_ANNOTATION_NONE ? NULL : &a->files[line->file];

	return f && f->text && line->number && line->number <= f->nlines ? f->text[line->number] : NULL;
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

/* ---- listings ---- */

static void add_title(struct listing *l, const char *title)
{
	char head[32];

	hd_buf_colour(l->out, HD_COLOUR_BOLD);
	hd_buf_addf(l->out, "%s\n", title);
	hd_buf_colour(l->out, HD_COLOUR_NONE);
	for (size_t e = 0; l->a->nevents > 1 && e < l->a->nevents; e++) {
		snprintf(head, sizeof(head), "[%zu]", e + 1);
		hd_buf_addf(l->out, "%*s", PCT_COLUMNS, head);
	}
	if (l->a->nevents > 1)
		hd_buf_addc(l->out, '\n');
}

static void write_hot_lines(struct listing *l)
{
	const struct hd_annotation *a = l->a;
	struct hd_buf place = { 0 };
	size_t n, width = 0;
	uint32_t *hot = hd_annotation_hot_lines(&n, a, l->view);
	size_t shown = l->view->hot_lines && l->view->hot_lines < n ? l->view->hot_lines : n;

	if (a->nlines > 1 && shown) {
		add_title(l, "hot lines");
		for (size_t i = 0; i < shown; i++) {
			hd_buf_reset(&place);
			hd_annotation_place(&place, a, &a->lines[hot[i]], false);
			if (hd_enc_width(place.data, place.len) > width)
				width = hd_enc_width(place.data, place.len);
		}
	}
	for (size_t i = 0; width && i < shown; i++) {
		const char *text = hd_annotation_text_of(a, &a->lines[hot[i]]);
		size_t text_at, at;

		begin_line(l);
		add_shares(l, &a->line_cost[hot[i] * a->nevents]);
		text_at = l->out->len;
		hd_buf_adds(l->out, "  ");
		at = l->out->len;
		hd_annotation_place(l->out, a, &a->lines[hot[i]], false);
		hd_buf_addf(l->out, "%*s  ", (int)(width - hd_enc_width(l->out->data + at, l->out->len - at)), "");
		if (text)
			hd_annotation_source(l->out, skip_blanks(text));
		end_line(l, text_at, share_columns(l));
	}
	if (width && shown < n)
		hd_buf_addf(l->out, "%*s  (%zu more lines with cost)\n", (int)share_columns(l), "", n - shown);
	if (width)
		hd_buf_addc(l->out, '\n');
	free(hot);
	hd_buf_release(&place);
}

/*
 * Return an array with one element per row: true if the row is shown.  All rows are shown if the view is `full`, or if
 * the listing has at most SHORT_LISTING rows.  Otherwise the hot rows are shown, with `context` rows before and after
 * each of them.  The caller frees the array.
 */
static bool *rows_shown(const struct listing *l, size_t n,
	const struct hd_annotation_cost *(*cost_of)(const struct listing *, size_t))
{
	bool *shown = hd_new_array(bool, n + 1);
	size_t until = 0;

	for (size_t i = 0; i < n; i++) {
		const struct hd_annotation_cost *c = cost_of(l, i);
		double pct = c ? highest(l->a, c, l->view->percent) : 0;

		if (l->view->full || n <= SHORT_LISTING || (pct > 0 && pct >= l->view->percent_limit)) {
			size_t from = i > l->view->context ? i - l->view->context : 0;

			for (size_t k = from > until ? from : until; k <= i; k++)
				shown[k] = true;
			until = i + 1 + l->view->context;
		}
		if (i < until)
			shown[i] = true;
	}
	return shown;
}

static const struct hd_annotation_cost *instruction_cost(const struct listing *l, size_t i)
{
	return &l->a->instruction_cost[i * l->a->nevents];
}

void hd_annotation_scope(struct hd_buf *out, const struct hd_annotation *a, uint32_t scope)
{
	for (;; scope = a->scopes[scope].parent) {
		hd_enc_term(out, a->scopes[scope].name, strlen(a->scopes[scope].name));
		if (!scope)
			break;
		hd_buf_adds(out, " < ");
	}
}

/* Write the rows above instructions: if `new_scope`, first their chain of inlined functions; then their source line. */
static void write_heading(struct listing *l, uint32_t scope, bool new_scope, const struct hd_annotation_line *line)
{
	const char *text = hd_annotation_text_of(l->a, line);
	size_t used = share_columns(l) + 2, text_at;

	if (new_scope && l->a->nscopes > 1) {
		begin_line(l);
		hd_buf_addf(l->out, "%*s", (int)used, "");
		text_at = l->out->len;
		hd_buf_adds(l->out, "[");
		hd_annotation_scope(l->out, l->a, scope);
		hd_buf_adds(l->out, "]");
		end_line(l, text_at, used);
	}
	begin_line(l);
	hd_buf_addf(l->out, "%*s", (int)used, "");
	text_at = l->out->len;
	hd_annotation_place(l->out, l->a, line, false);
	hd_buf_adds(l->out, "  ");
	if (text)
		hd_annotation_source(l->out, text);
	end_line(l, text_at, used);
}

static void write_instruction(struct listing *l, size_t i)
{
	const struct hd_annotation_instruction *in = &l->a->instructions[i];
	const char *text = in->text ? in->text : "";
	size_t text_at;

	begin_line(l);
	add_shares(l, instruction_cost(l, i));
	text_at = l->out->len;
	hd_buf_addf(l->out, "  %*llx: ", l->digits, (unsigned long long)in->vaddr);
	hd_jump_arrows_row(l->out, &l->arrows, i);
	if (in->target != HD_ANNOTATION_NONE && !l->arrows.drawn[i])
		hd_buf_adds(l->out, in->target > i ? "↓ " : "↑ ");
	hd_enc_visible(l->out, text, strlen(text));
	if (in->callee) {
		hd_buf_adds(l->out, " <");
		hd_enc_term(l->out, in->callee, strlen(in->callee));
		hd_buf_adds(l->out, ">");
	}
	end_line(l, text_at, share_columns(l));
}

/* Write a line for `n` instructions that are not shown. */
static void write_gap(struct listing *l, size_t n, bool with_cost)
{
	hd_buf_addf(l->out, "%*s  ... %zu instruction%s ", (int)share_columns(l), "", n, n == 1 ? "" : "s");
	if (with_cost)
		hd_buf_addf(l->out, "below %g %%\n", l->view->percent_limit);
	else
		hd_buf_adds(l->out, "without cost\n");
}

static void write_instructions(struct listing *l)
{
	const struct hd_annotation *a = l->a;
	bool *shown = rows_shown(l, a->ninstructions, instruction_cost);
	uint32_t line = HD_ANNOTATION_NONE, scope = HD_ANNOTATION_NONE;
	bool source = !l->view->asm_only && a->nlines > 1, hidden_cost = false;
	char digits[24];

	add_title(l, "instructions");
	hd_jump_arrows_init(&l->arrows, a);
	l->digits = snprintf(digits, sizeof(digits), "%llx",
		(unsigned long long)a->instructions[a->ninstructions - 1].vaddr);
	for (size_t i = 0, hidden = 0; i < a->ninstructions; i++) {
		const struct hd_annotation_instruction *in = &a->instructions[i];

		if (!shown[i]) {
			hidden++;
			hidden_cost |= highest(a, instruction_cost(l, i), l->view->percent) > 0;
			if (i + 1 == a->ninstructions || shown[i + 1])
				write_gap(l, hidden, hidden_cost);
			continue;
		}
		if (source && (hidden || in->line != line || in->scope != scope))
			write_heading(l, in->scope, hidden || in->scope != scope, &a->lines[in->line]);
		hidden = 0;
		hidden_cost = false;
		line = in->line;
		scope = in->scope;
		write_instruction(l, i);
	}
	hd_jump_arrows_release(&l->arrows);
	free(shown);
}

/* ---- source ---- */

/* The lines of one source file: a->lines[first_line] to a->lines[first_line + nlines - 1]. */
struct source_rows { const struct hd_annotation *a; size_t first_line, nlines; };

static size_t find_line(const struct source_rows *s, uint32_t number)
{
	for (size_t i = 0; i < s->nlines; i++)
		if (s->a->lines[s->first_line + i].number == number)
			return s->first_line + i;
	return 0;
}

static void write_source_line(struct listing *l, uint32_t file, uint32_t number, size_t line)
{
	const struct hd_annotation_line at = { file, number, 0 };
	const char *text = hd_annotation_text_of(l->a, &at);
	size_t text_at;

	begin_line(l);
	add_shares(l, line ? &l->a->line_cost[line * l->a->nevents] : NULL);
	text_at = l->out->len;
	if (number)
		hd_buf_addf(l->out, "  %6u  ", number);
	else
		hd_buf_adds(l->out, "       ?  ");
	if (text)
		hd_annotation_source(l->out, text);
	end_line(l, text_at, share_columns(l));
}

/*
 * Write the hot lines of one file (with `full`: all its lines with instructions) and `context` lines on both sides of
 * each.  "..." replaces the lines in between.
 */
static void write_source_file(struct listing *l, struct source_rows *s)
{
	const struct hd_annotation *a = l->a;
	uint32_t file = a->lines[s->first_line].file, hidden = 0, written = 0;
	/* without the source text, other lines would be numbers only */
	uint32_t context = a->files[file].text ? l->view->context : 0;
	bool any = false;

	begin_line(l);
	hd_enc_term(l->out, a->files[file].path, strlen(a->files[file].path));
	hd_buf_addc(l->out, '\n');
	for (size_t i = 0; i < s->nlines; i++) {
		const struct hd_annotation_line *at = &a->lines[s->first_line + i];
		double pct = highest(a, &a->line_cost[(s->first_line + i) * a->nevents], l->view->percent);
		uint32_t from, to;

		if (!l->view->full && (!(pct > 0) || pct < l->view->percent_limit))
			continue;
		if (!at->number) {		/* code of an unknown line */
			write_source_line(l, file, 0, s->first_line + i);
			continue;
		}
		from = at->number > context + written ? at->number - context : written + 1;
		to = at->number + context;
		hidden = any && from > written + 1 ? from - written - 1 : 0;
		if (hidden)
			hd_buf_addf(l->out, "%*s  ...\n", (int)share_columns(l), "");
		if (to > a->files[file].nlines && to > at->number)
			to = a->files[file].nlines > at->number ? a->files[file].nlines : at->number;
		for (uint32_t number = from ? from : 1; number <= to; number++)
			write_source_line(l, file, number, find_line(s, number));
		written = to > written ? to : written;
		any = true;
	}
}

static void write_source(struct listing *l)
{
	const struct hd_annotation *a = l->a;

	add_title(l, "source");
	for (size_t i = 1, next; i < a->nlines; i = next) {
		struct source_rows s = { .a = a, .first_line = i };
		double hot = 0;

		for (next = i; next < a->nlines && a->lines[next].file == a->lines[i].file; next++) {
			double pct = highest(a, &a->line_cost[next * a->nevents], l->view->percent);

			hot = pct > hot ? pct : hot;
		}
		s.nlines = next - i;
		if (l->view->full || hot > 0)
			write_source_file(l, &s);
	}
}

/* ---- one function ---- */

static void write_head(struct hd_buf *out, const struct hd_annotation *a, const struct hd_annotation_view *view,
	bool markdown)
{
	hd_buf_adds(out, markdown ? "### " : "");
	hd_buf_colour(out, HD_COLOUR_BOLD);
	(markdown ? hd_enc_md : hd_enc_term)(out, a->name, strlen(a->name));
	hd_buf_colour(out, HD_COLOUR_NONE);
	hd_buf_adds(out, " in ");
	(markdown ? hd_enc_md : hd_enc_term)(out, a->object, strlen(a->object));
	hd_buf_addf(out, markdown ? "\n\n" : "\n");
	for (size_t e = 0; e < a->nevents; e++) {
		const struct hd_annotation_event *of = &a->events[e];

		hd_buf_adds(out, markdown ? "- " : "  ");
		if (a->nevents > 1)
			hd_buf_addf(out, "[%zu] ", e + 1);
		(markdown ? hd_enc_md : hd_enc_term)(out, of->name, strlen(of->name));
		hd_buf_adds(out, ": ");
		hd_unit_text_count(out, of->symbol.samples);
		hd_buf_adds(out, of->symbol.samples == 1 ? " sample, " : " samples, ");
		hd_unit_text_share(out, of->symbol.weight, of->all.weight);
		hd_buf_addf(out, " of the event; percent: %s\n",
			(const char *const[]){ "local period", "global period", "local hits", "global hits" }
				[view->percent]);
	}
	for (size_t i = 0; i < a->nfiles; i++) {
		const struct hd_annotation_file *f = &a->files[i];

		if (!f->problem && !(f->read_from && strcmp(f->read_from, f->path)))
			continue;
		hd_buf_adds(out, markdown ? "- source " : "  source ");
		(markdown ? hd_enc_md : hd_enc_term)(out, f->path, strlen(f->path));
		if (f->read_from && strcmp(f->read_from, f->path)) {
			hd_buf_adds(out, " is read from ");
			(markdown ? hd_enc_md : hd_enc_term)(out, f->read_from, strlen(f->read_from));
		}
		if (f->problem) {
			hd_buf_adds(out, ": ");
			(markdown ? hd_enc_md : hd_enc_term)(out, f->problem, strlen(f->problem));
		}
		hd_buf_addc(out, '\n');
	}
	for (size_t i = 0; i < a->nnotes; i++) {
		hd_buf_adds(out, markdown ? "- note: " : "  note: ");
		(markdown ? hd_enc_md : hd_enc_term)(out, a->notes[i], strlen(a->notes[i]));
		hd_buf_addc(out, '\n');
	}
	hd_buf_addc(out, '\n');
}

static void write_one(struct hd_buf *out, const struct hd_annotation *a, const struct hd_annotation_view *view)
{
	struct listing l = { .out = out, .a = a, .view = view };

	if (!view->source_only && !view->asm_only)
		write_hot_lines(&l);
	if (view->source_only)
		write_source(&l);
	else if (a->ninstructions)
		write_instructions(&l);
}

/* Append `text` as an indented Markdown code block.  Unlike a fenced block, no content can end it. */
static void add_block(struct hd_buf *out, const struct hd_buf *text)
{
	const char *end;

	for (const char *at = hd_buf_str(text); *at; at = end + 1) {
		end = strchr(at, '\n');
		hd_buf_adds(out, end > at ? "    " : "");
		hd_buf_add(out, at, (size_t)(end + 1 - at));
	}
}

void hd_annotation_write(struct hd_buf *out, const struct hd_annotations *found, enum hd_format format,
	const struct hd_annotation_view *view)
{
	static const char *const types[] = { "local-period", "global-period", "local-hits", "global-hits" };
	struct hd_jsonw w;

	if (format == HD_FORMAT_JSON) {
		w = hd_jsonw_document(out, "hotdrift.annotate", 1);
		hd_jsonw_str(&w, "percent_type", types[view->percent]);
		hd_jsonw_u64(&w, "matched", found->matched);
		hd_jsonw_open(&w, "symbols", '[');
	}
	for (size_t i = 0; i < found->n; i++) {
		const struct hd_annotation *a = &found->items[i];
		struct hd_buf block = { 0 };

		if (format == HD_FORMAT_JSON) {
			hd_jsonw_open(&w, NULL, '{');
			hd_annotation_json(&w, a, view);
			hd_jsonw_close(&w, '}');
			continue;
		}
		hd_buf_adds(out, i ? "\n" : "");
		write_head(out, a, view, format == HD_FORMAT_MARKDOWN);
		if (format == HD_FORMAT_TEXT) {
			write_one(out, a, view);
			continue;
		}
		write_one(&block, a, view);
		/* a paragraph ends the Markdown list of write_head() */
		hd_buf_adds(out, "Costs by line and instruction:\n\n");
		add_block(out, &block);
		hd_buf_release(&block);
	}
	if (format == HD_FORMAT_JSON) {
		hd_jsonw_close(&w, ']');
		hd_jsonw_close(&w, '}');
	}
}
