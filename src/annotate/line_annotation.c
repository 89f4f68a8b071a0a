/*
 * line_annotation.c - implement hd_annotate_lines(): sum costs by source line, without instructions
 */
#include "annotate/annotation.h"

#include "annotate/annotation_build.h"
#include "annotate/source_text.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "profile/symbol_text.h"

#include <stdlib.h>
#include <string.h>

/* The cost of one row of the profile. */
struct row_cost {
	uint32_t file, line;		/* file: id in `files` of hd_annotate_lines(); both are 0 if unknown */
	uint32_t event;			/* index of the event's column of costs */
	struct hd_annotation_cost cost;
};

static int compare_rows(const void *x, const void *y)
{
	const struct row_cost *a = x, *b = y;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static const char *kept(struct hd_annotation *a, const struct hd_profile *p, uint32_t string)
{
	return hd_arena_strndup(&a->arena, hd_profile_str(p, string), hd_strtab_len(p->names, string));
}

/*
 * Set a->events to the events with samples.  Returns an array that the caller frees: for each event of the profile that
 * has samples, the index of its column of costs.
 */
static uint32_t *make_events(struct hd_annotation *a, const struct hd_profile *p)
{
	uint32_t *column = hd_new_array(uint32_t, p->nevents + 1);

	a->events = hd_arena_alloc(&a->arena, (p->nevents + 1) * sizeof(*a->events));
	for (size_t e = 0; e < p->nevents; e++) {
		if (!p->events[e].samples)
			continue;
		column[e] = (uint32_t)a->nevents;
		a->events[a->nevents++] = (struct hd_annotation_event){
			.name = kept(a, p, p->events[e].name), .unit = kept(a, p, p->events[e].unit),
			.all = { p->events[e].weight, p->events[e].samples },
		};
	}
	return column;
}

/*
 * Fill in the files, the lines, their costs and the costs of the function from n rows, which are sorted by file and
 * line.  `files` has the paths.
 */
static void make_lines(struct hd_annotation *a, const struct hd_strtab *files, const struct row_cost *rows, size_t n)
{
	uint32_t file = 0;

	a->files = hd_arena_alloc(&a->arena, (n + 1) * sizeof(*a->files));
	a->lines = hd_arena_alloc(&a->arena, (n + 1) * sizeof(*a->lines));
	a->line_cost = hd_arena_alloc(&a->arena, (n + 1) * a->nevents * sizeof(*a->line_cost) + 1);
	memset(a->line_cost, 0, (n + 1) * a->nevents * sizeof(*a->line_cost));
	a->lines[a->nlines++] = (struct hd_annotation_line){ .file = HD_ANNOTATION_NONE };
	for (size_t i = 0; i < n; i++) {
		if (rows[i].file && rows[i].file != file)
			a->files[a->nfiles++] = (struct hd_annotation_file){ .path =
				hd_arena_strndup(&a->arena, hd_strtab_get(files, rows[i].file),
					hd_strtab_len(files, rows[i].file)) };
		if (rows[i].file && (rows[i].file != file || a->lines[a->nlines - 1].number != rows[i].line))
			a->lines[a->nlines++] = (struct hd_annotation_line){ (uint32_t)a->nfiles - 1, rows[i].line, 0 };
		file = rows[i].file;
		hd_annotation_add_cost(&a->line_cost[(a->nlines - 1) * a->nevents + rows[i].event], &rows[i].cost);
		hd_annotation_add_cost(&a->events[rows[i].event].symbol, &rows[i].cost);
	}
}

/* Return the innermost frame of a sample: that of the sampled function, or of a function that was inlined there. */
static const struct hd_frame *innermost(const struct hd_profile *p, const struct hd_sample_row *row)
{
	const struct hd_frame *top = row->stack.v ? &p->frames[hd_stacks_frame(p->stacks, row->stack).v] : NULL;

	return top && top->inlined ? top : &p->frames[row->self.v];
}

/*
 * Look up the line of a sampled address.  It belongs to the innermost function there, also if that was inlined.
 * Consecutive rows are often in one object, so *object and *symbols keep the last one.
 */
static struct hd_line_hit line_at(const struct hd_profile *p, const struct hd_symbol_access *access,
	const struct hd_frame *self, uint32_t *object, struct hd_symobj **symbols)
{
	const uint32_t of = p->symbols[self->symbol].object;
	struct hd_line_hit line = { 0 };
	struct hd_symbols_key key;

	if (of != *object)
		*symbols = access->symbols && access->key(access->ctx, of, &key)
			? hd_symbols_object(access->symbols, &key) : NULL;
	*object = of;
	if (*symbols)
		hd_object_line(*symbols, self->vaddr, &line);
	return line;
}

static void explain(struct hd_annotation *a, const struct hd_profile *p, bool inlined)
{
	const char *format = p->recording.format ? p->recording.format : "unknown";

	if (p->recording.stored)
		hd_annotation_note(a, "A stored run has no addresses: annotate its recording.");
	else if (inlined)
		hd_annotation_note(a, "The function was inlined: annotate its callers to see its instructions.");
	else if (a->nfiles)
		hd_annotation_note(a, "There are source lines but no instructions: the input (format %s) has no "
			"addresses in this function.", format);
	else
		hd_annotation_note(a, "There are neither addresses nor source lines (format %s): annotate a "
			"recording of perf or its bundle.", format);
}

void hd_annotate_lines(struct hd_annotations *found, const struct hd_profile *p,
	const struct hd_symbol_access *access, const bool *only)
{
	struct hd_annotation *a = found->items = hd_new_array(struct hd_annotation, 1);
	uint32_t *column = make_events(a, p), symbol = 0, object = UINT32_MAX;
	struct hd_strtab *files = hd_strtab_new();
	struct hd_symobj *symbols = NULL;
	char buf[HD_SYMBOL_TEXT];
	struct row_cost *rows = NULL;
	size_t n = 0, cap = 0;
	bool inlined = false;

	for (size_t i = 0; i < p->rows.n; i++) {
		const struct hd_sample_row *row = &p->rows.items[i];
		const struct hd_frame *f = innermost(p, row);
		struct hd_line_hit line = { f->file ? hd_profile_str(p, f->file) : NULL, f->line };

		if (!only[f->symbol] || !p->events[row->event].samples)
			continue;
		if (!n)
			symbol = f->symbol;
		inlined |= f->inlined;
		if (!line.file && access)
			line = line_at(p, access, &p->frames[row->self.v], &object, &symbols);
		HD_GROW(rows, n + 1, cap);
		rows[n++] = (struct row_cost){ line.file ? hd_strtab_add(files, line.file) : 0,
			line.file ? line.line : 0, column[row->event], { row->weight, row->count } };
	}
	if (n) {
		const char *name = hd_symbol_text(p, symbol, false, buf, sizeof(buf));

		qsort(rows, n, sizeof(*rows), compare_rows);
		a->name = hd_arena_strndup(&a->arena, name, strlen(name));
		a->object = kept(a, p, p->objects[p->symbols[symbol].object].name);
		a->build_id = "";
		a->unresolved = p->symbols[symbol].unresolved;
		make_lines(a, files, rows, n);
		explain(a, p, inlined);
		for (size_t i = 0; i < a->nfiles && !found->opts->no_source; i++)
			hd_source_text_read(&a->files[i], &(struct hd_source_query){ .opts = found->opts }, &a->arena);
	}
	found->n = 1;
	found->matched = n != 0;
	if (!n)
		hd_annotations_release(found);
	hd_strtab_free(files);
	free(rows);
	free(column);
}
