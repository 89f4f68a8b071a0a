/*
 * annotation_json.c - annotated functions as JSON: see annotation.h
 */
#include "base/encode.h"
#include "render/annotation.h"

#include <stdio.h>

static void index_or_null(struct hd_jsonw *w, const char *key, uint32_t i)
{
	if (i == HD_ANNOTATION_NONE)
		hd_jsonw_null(w, key);
	else
		hd_jsonw_u64(w, key, i);
}

static void address(struct hd_jsonw *w, uint64_t vaddr)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)vaddr);
	hd_jsonw_str(w, "address", text);
}

/*
 * Write a source line as a JSON string.  hd_annotation_source() has encoded its control and invalid bytes already, so
 * the encoding of names, which would double its backslashes, is not applied.
 */
static void plain_text(struct hd_jsonw *w, const char *key, const struct hd_buf *text)
{
	struct hd_buf json = { 0 };

	hd_enc_json_canonical(&json, hd_buf_str(text), text->len);
	hd_jsonw_raw(w, key, json.data);
	hd_buf_release(&json);
}

static void costs(struct hd_jsonw *w, const struct hd_annotation *a, const struct hd_annotation_cost *cost,
	enum hd_percent_type type)
{
	hd_jsonw_open(w, "cost", '[');
	for (size_t e = 0; e < a->nevents; e++) {
		if (!cost[e].samples && !cost[e].weight)
			continue;
		hd_jsonw_row(w, NULL, '{');
		hd_jsonw_u64(w, "event", e);
		hd_jsonw_u64(w, "weight", cost[e].weight);
		hd_jsonw_u64(w, "samples", cost[e].samples);
		hd_jsonw_num(w, "pct", hd_annotation_pct(a, e, cost[e], type), 6);
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
}

static void events(struct hd_jsonw *w, const struct hd_annotation *a)
{
	hd_jsonw_open(w, "events", '[');
	for (size_t e = 0; e < a->nevents; e++) {
		const struct hd_annotation_event *of = &a->events[e];

		hd_jsonw_row(w, NULL, '{');
		hd_jsonw_str(w, "event", of->name);
		hd_jsonw_str(w, "unit", of->unit);
		hd_jsonw_u64(w, "samples", of->symbol.samples);
		hd_jsonw_u64(w, "weight", of->symbol.weight);
		hd_jsonw_u64(w, "event_samples", of->all.samples);
		hd_jsonw_u64(w, "event_weight", of->all.weight);
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
}

static void files_and_scopes(struct hd_jsonw *w, const struct hd_annotation *a)
{
	hd_jsonw_open(w, "files", '[');
	for (size_t i = 0; i < a->nfiles; i++) {
		hd_jsonw_row(w, NULL, '{');
		hd_jsonw_str(w, "path", a->files[i].path);
		hd_jsonw_str(w, "read_from", a->files[i].read_from);
		hd_jsonw_str(w, "problem", a->files[i].problem);
		hd_jsonw_u64(w, "lines", a->files[i].nlines);
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
	hd_jsonw_open(w, "scopes", '[');
	for (size_t i = 0; i < a->nscopes; i++) {
		hd_jsonw_row(w, NULL, '{');
		hd_jsonw_str(w, "name", a->scopes[i].name);
		index_or_null(w, "parent", i ? a->scopes[i].parent : HD_ANNOTATION_NONE);
		hd_jsonw_str(w, "call_file", a->scopes[i].call_file);
		hd_jsonw_u64(w, "call_line", a->scopes[i].call_line);
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
}

static void lines(struct hd_jsonw *w, const struct hd_annotation *a, enum hd_percent_type type)
{
	hd_jsonw_open(w, "lines", '[');
	for (size_t i = 0; i < a->nlines; i++) {
		const struct hd_annotation_line *l = &a->lines[i];
		const struct hd_annotation_file *f = i ? &a->files[l->file] : NULL;
		struct hd_buf text = { 0 };

		hd_jsonw_row(w, NULL, '{');
		index_or_null(w, "file", l->file);
		hd_jsonw_u64(w, "line", l->number);
		if (f && f->text && l->number && l->number <= f->nlines) {
			hd_annotation_source(&text, f->text[l->number]);
			plain_text(w, "text", &text);
		} else {
			hd_jsonw_null(w, "text");
		}
		hd_buf_release(&text);
		hd_jsonw_u64(w, "instructions", l->instructions);
		costs(w, a, &a->line_cost[i * a->nevents], type);
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
}

static void instructions(struct hd_jsonw *w, const struct hd_annotation *a, enum hd_percent_type type)
{
	hd_jsonw_open(w, "instructions", '[');
	for (size_t i = 0; i < a->ninstructions; i++) {
		const struct hd_annotation_instruction *in = &a->instructions[i];

		hd_jsonw_row(w, NULL, '{');
		address(w, in->vaddr);
		hd_jsonw_u64(w, "size", in->size);
		hd_jsonw_str(w, "text", in->text);
		hd_jsonw_u64(w, "line", in->line);
		hd_jsonw_u64(w, "scope", in->scope);
		index_or_null(w, "target", in->target);
		hd_jsonw_str(w, "callee", in->callee);
		costs(w, a, &a->instruction_cost[i * a->nevents], type);
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
}

void hd_annotation_json(struct hd_jsonw *w, const struct hd_annotation *a, const struct hd_annotation_view *view)
{
	hd_jsonw_str(w, "symbol", a->name);
	hd_jsonw_str(w, "linkage", a->linkage);
	hd_jsonw_str(w, "object", a->object);
	hd_jsonw_str(w, "build_id", *a->build_id ? a->build_id : NULL);
	hd_jsonw_str(w, "machine", a->machine);
	address(w, a->start);
	hd_jsonw_u64(w, "size", a->size);
	events(w, a);
	files_and_scopes(w, a);
	lines(w, a, view->percent);
	instructions(w, a, view->percent);
	hd_jsonw_open(w, "notes", '[');
	for (size_t i = 0; i < a->nnotes; i++)
		hd_jsonw_str(w, NULL, a->notes[i]);
	hd_jsonw_close(w, ']');
}
