/*
 * annotation_rows.c - see annotation_rows.h
 */
#include "tui/annotation_rows.h"

#include "base/encode.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	CONTEXT = 5,			/* source lines shown before and after each line with instructions or costs */
	NOTE_COLUMNS = 76,
};

static void add(struct hd_annotation_rows *r, const struct hd_annotation_row *row)
{
	HD_GROW(r->v, r->n + 1, r->cap);
	r->v[r->n++] = *row;
}

/* ---- notes ---- */

/* Return the length of the part of an encoded text that fits into one row: it ends at a blank if there is one. */
static size_t line_length(const char *text, size_t n)
{
	size_t cut = hd_enc_cut(text, n, NOTE_COLUMNS), at = cut;

	if (cut == n || !cut)
		return n;
	while (at > 0 && text[at] != ' ')
		at--;
	return at ? at : cut;
}

void hd_annotation_rows_note(struct hd_annotation_rows *r, uint32_t item, const char *text)
{
	struct hd_buf whole = { 0 };

	hd_enc_term(&whole, text, strlen(text));
	for (size_t at = 0; at < whole.len;) {
		size_t n = line_length(whole.data + at, whole.len - at);

		add(r, &(struct hd_annotation_row){ HD_ANNOTATION_ROW_NOTE, item, (uint32_t)r->texts.len, 0, 0 });
		hd_buf_add(&r->texts, whole.data + at, n);
		hd_buf_addc(&r->texts, '\0');
		at += n;
		while (at < whole.len && whole.data[at] == ' ')
			at++;
	}
	hd_buf_release(&whole);
}

static void add_notes(struct hd_annotation_rows *r, uint32_t item, const struct hd_annotation *a)
{
	struct hd_buf text = { 0 };

	for (size_t i = 0; i < a->nnotes; i++)
		hd_annotation_rows_note(r, item, a->notes[i]);
	for (size_t i = 0; i < a->nfiles; i++) {
		if (!a->files[i].problem)
			continue;
		hd_buf_reset(&text);
		hd_buf_addf(&text, "%s: %s", a->files[i].path, a->files[i].problem);
		hd_annotation_rows_note(r, item, text.data);
	}
	hd_buf_release(&text);
}

/* ---- source ---- */

/* Add the rows of the lines [first, end) of the annotation, which are those of one file. */
static void add_file(struct hd_annotation_rows *r, uint32_t item, const struct hd_annotation *a, size_t first,
	size_t end)
{
	uint32_t file = a->lines[first].file, next = 1;
	const struct hd_annotation_file *f = &a->files[file];
	bool begun = false;		/* a line with text was added */

	add(r, &(struct hd_annotation_row){ HD_ANNOTATION_ROW_FILE, item, file, file, 0 });
	for (size_t i = first; i < end; i++) {
		uint32_t number = a->lines[i].number, from = number > CONTEXT ? number - CONTEXT : 1, until = 0;

		if (f->text && number && number <= f->nlines) {
			next = begun ? next : from;
			begun = true;
			if (from > next)
				add(r, &(struct hd_annotation_row){ HD_ANNOTATION_ROW_GAP, item, HD_ANNOTATION_NONE,
					file, from - next });
			for (next = from > next ? from : next; next < number; next++)
				add(r, &(struct hd_annotation_row){ HD_ANNOTATION_ROW_SOURCE, item, HD_ANNOTATION_NONE,
					file, next });
			until = f->nlines + 1;
			if (i + 1 < end && a->lines[i + 1].number < until)
				until = a->lines[i + 1].number;
			if (until - number > CONTEXT)
				until = number + CONTEXT + 1;
		}
		add(r, &(struct hd_annotation_row){ HD_ANNOTATION_ROW_SOURCE, item, (uint32_t)i, file, number });
		for (next = number + 1; next < until; next++)
			add(r, &(struct hd_annotation_row){ HD_ANNOTATION_ROW_SOURCE, item, HD_ANNOTATION_NONE, file,
				next });
	}
}

static bool any_cost(const struct hd_annotation_cost *cost, size_t nevents)
{
	for (size_t e = 0; e < nevents; e++)
		if (cost[e].weight || cost[e].samples)
			return true;
	return false;
}

static void add_source(struct hd_annotation_rows *r, uint32_t item, const struct hd_annotation *a)
{
	for (size_t first = 1, end; first < a->nlines; first = end) {
		for (end = first + 1; end < a->nlines && a->lines[end].file == a->lines[first].file;)
			end++;
		add_file(r, item, a, first, end);
	}
	if (a->nlines && any_cost(a->line_cost, a->nevents))
		add(r, &(struct hd_annotation_row){ HD_ANNOTATION_ROW_SOURCE, item, 0, HD_ANNOTATION_NONE, 0 });
}

/* ---- instructions ---- */

static void add_instructions(struct hd_annotation_rows *r, uint32_t item, const struct hd_annotation *a)
{
	uint32_t line = HD_ANNOTATION_NONE, scope = HD_ANNOTATION_NONE;

	for (uint32_t i = 0; i < a->ninstructions; i++) {
		const struct hd_annotation_instruction *in = &a->instructions[i];

		if (a->nscopes > 1 && in->scope != scope)
			add(r, &(struct hd_annotation_row){ HD_ANNOTATION_ROW_SCOPE, item, i, 0, 0 });
		if (a->nlines > 1 && (in->line != line || in->scope != scope))
			add(r, &(struct hd_annotation_row){ HD_ANNOTATION_ROW_PLACE, item, in->line, 0, 0 });
		add(r, &(struct hd_annotation_row){ HD_ANNOTATION_ROW_INSTRUCTION, item, i, 0, 0 });
		line = in->line;
		scope = in->scope;
	}
}

void hd_annotation_rows_build(struct hd_annotation_rows *r, const struct hd_annotations *found, bool instructions)
{
	r->found = found;
	r->instructions = instructions;
	r->n = 0;
	hd_buf_reset(&r->texts);
	for (uint32_t i = 0; i < found->n; i++) {
		add(r, &(struct hd_annotation_row){ HD_ANNOTATION_ROW_TITLE, i, 0, 0, 0 });
		add_notes(r, i, &found->items[i]);
		(instructions ? add_instructions : add_source)(r, i, &found->items[i]);
	}
}

void hd_annotation_rows_release(struct hd_annotation_rows *r)
{
	free(r->v);
	hd_buf_release(&r->texts);
	*r = (struct hd_annotation_rows){ 0 };
}

/* ---- costs ---- */

const struct hd_annotation_cost *hd_annotation_rows_cost(const struct hd_annotation_rows *r, size_t row)
{
	const struct hd_annotation_row *at = &r->v[row];
	const struct hd_annotation *a = at->item < r->found->n ? &r->found->items[at->item] : NULL;

	if (a && at->kind == HD_ANNOTATION_ROW_SOURCE && at->at != HD_ANNOTATION_NONE)
		return &a->line_cost[at->at * a->nevents];
	if (a && at->kind == HD_ANNOTATION_ROW_INSTRUCTION)
		return &a->instruction_cost[at->at * a->nevents];
	return NULL;
}

uint32_t hd_annotation_rows_line(const struct hd_annotation_rows *r, size_t row)
{
	const struct hd_annotation_row *at = row < r->n ? &r->v[row] : NULL;

	if (!at)
		return HD_ANNOTATION_NONE;
	switch (at->kind) {
	case HD_ANNOTATION_ROW_SOURCE: case HD_ANNOTATION_ROW_PLACE: return at->at;
	case HD_ANNOTATION_ROW_SCOPE: case HD_ANNOTATION_ROW_INSTRUCTION:
		return r->found->items[at->item].instructions[at->at].line;
	default: return HD_ANNOTATION_NONE;
	}
}

size_t hd_annotation_rows_hottest(const struct hd_annotation_rows *r, size_t event, uint32_t item, uint32_t line)
{
	size_t best = r->n;
	uint64_t most = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct hd_annotation_cost *cost = hd_annotation_rows_cost(r, i);
		bool of_line = line == HD_ANNOTATION_NONE ||
			(r->v[i].item == item && hd_annotation_rows_line(r, i) == line);

		if (cost && of_line && (best == r->n || cost[event].weight > most)) {
			most = cost[event].weight;
			best = i;
		}
	}
	return best;
}
