/*
 * pprof.c - see pprof.h
 */
#include "render/pprof.h"
#include "render/export_format.h"

#include "base/mem.h"
#include "base/strtab.h"
#include "base/trie.h"
#include "heap/events.h"
#include "render/protobuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Field numbers of profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3, PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6, PROFILE_TIME = 9, PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD = 12, PROFILE_DEFAULT_TYPE = 14,
	VALUE_TYPE = 1, VALUE_UNIT = 2,
	SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3,
	LABEL_KEY = 1, LABEL_STR = 2, LABEL_NUM = 3,
	MAPPING_ID = 1, MAPPING_FILENAME = 5, MAPPING_BUILD_ID = 6, MAPPING_HAS_FUNCTIONS = 7,
	LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4,
	LINE_FUNCTION = 1, LINE_LINE = 2,
	FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILENAME = 4,
};

static const enum hd_heap_event_id heap_types[] = {
	HD_HEAP_ALLOCATIONS, HD_HEAP_ALLOCATED, HD_HEAP_LEAKED_BLOCKS, HD_HEAP_LEAKED, HD_HEAP_PEAK_BLOCKS,
	HD_HEAP_PEAK,
};

/* Rows with equal stack, comm and pid are one sample. */
struct sample {
	uint32_t stack, comm;
	int32_t pid;
	uint32_t row;
};

struct writing {
	const struct hd_profile *p;
	struct hd_buf *out, message, inner;
	struct hd_strtab *texts;
	uint32_t ntypes;
	uint32_t *type_of;		/* event -> index of its value + 1; 0: not written */
	struct hd_trie
		/* location id -> path of (frame id + 1): a function and the functions inlined into it there */
		locations;
	uint32_t *location_of;		/* stack -> location of its innermost frame */
	struct hd_map functions;	/* symbol and file -> id; see function() */
	uint32_t nfunctions;
	struct hd_buf function_messages;
};

static uint64_t text(struct writing *w, const char *s)
{
	return hd_strtab_add(w->texts, s);
}

static void value_type(struct writing *w, unsigned int field, const char *type, const char *unit)
{
	hd_protobuf_u64(&w->message, VALUE_TYPE, text(w, type));
	hd_protobuf_u64(&w->message, VALUE_UNIT, text(w, unit));
	hd_protobuf_message(w->out, field, &w->message);
}

static uint32_t event_named(const struct hd_profile *p, const char *name)
{
	for (uint32_t e = 0; e < p->nevents; e++)
		if (!strcmp(hd_profile_str(p, p->events[e].name), name))
			return e;
	return UINT32_MAX;
}

static void write_types(struct writing *w)
{
	const struct hd_profile *p = w->p;

	if (p->recording.heap_interval) {
		for (size_t i = 0; i < HD_COUNT(heap_types); i++) {
			const struct hd_heap_event *type = &hd_heap_events[heap_types[i]];
			uint32_t e = event_named(p, type->name);

			value_type(w, PROFILE_SAMPLE_TYPE, type->pprof, type->bytes ? "bytes" : "count");
			if (e != UINT32_MAX)
				w->type_of[e] = w->ntypes + 1;
			w->ntypes++;
		}
		value_type(w, PROFILE_PERIOD_TYPE, "space", "bytes");
		hd_protobuf_u64(w->out, PROFILE_PERIOD, p->recording.heap_interval);
		return;
	}
	for (uint32_t e = 0; e < p->nevents; e++) {
		const char *unit = hd_profile_str(p, p->events[e].unit);

		value_type(w, PROFILE_SAMPLE_TYPE, hd_profile_str(p, p->events[e].name),
			!strcmp(unit, "ns")                ? "nanoseconds"
				: !strcmp(unit, "samples") ? "count"
							   : unit);
		w->type_of[e] = ++w->ntypes;
	}
}

/* ---- functions, locations ---- */

/* Return the id of the function of a symbol and source file. */
static uint32_t function(struct writing *w, const struct hd_frame *f)
{
	const struct hd_profile *p = w->p;
	const struct hd_profile_symbol *s = &p->symbols[f->symbol];
	uint64_t key = (uint64_t)f->symbol << 32 | f->file;
	uint32_t id = hd_map_get(&w->functions, key);
	char address[32];
	const char *name = address;

	if (id != HD_MAP_NONE)
		return id;
	id = ++w->nfunctions;
	hd_map_put(&w->functions, key, id);
	if (!s->unresolved)
		name = hd_profile_str(p, s->name);
	else if (s->no_address)
		name = "[unknown]";
	else
		snprintf(address, sizeof(address), "0x%016llx", (unsigned long long)s->start);
	hd_protobuf_u64(&w->inner, FUNCTION_ID, id);
	hd_protobuf_u64(&w->inner, FUNCTION_NAME, text(w, name));
	hd_protobuf_u64(&w->inner, FUNCTION_SYSTEM_NAME, text(w, s->unresolved ? name : hd_profile_str(p, s->linkage)));
	if (f->file)
		hd_protobuf_u64(&w->inner, FUNCTION_FILENAME, text(w, hd_profile_str(p, f->file)));
	hd_protobuf_message(&w->function_messages, PROFILE_FUNCTION, &w->inner);
	return id;
}

/* An inlined frame follows the frame that contains it and becomes a line of that frame's location. */
static void find_locations(struct writing *w)
{
	const struct hd_stack_node *nodes = hd_stacks_nodes(w->p->stacks);
	uint32_t n = hd_stacks_count(w->p->stacks);

	w->location_of = hd_new_array(uint32_t, n);
	for (uint32_t i = 1; i < n; i++) {
		uint32_t outer = w->p->frames[nodes[i].frame].inlined ? w->location_of[nodes[i].caller] : 0;

		w->location_of[i] = hd_trie_add(&w->locations, outer, nodes[i].frame + 1);
	}
}

static void write_locations(struct writing *w)
{
	const struct hd_profile *p = w->p;

	for (uint32_t id = 1; id < w->locations.n; id++) {
		uint32_t at = id;
		const struct hd_frame *f = NULL;

		hd_protobuf_u64(&w->message, LOCATION_ID, id);
		for (; at; at = w->locations.nodes[at].parent) {
			struct hd_buf line = { 0 };

			f = &p->frames[w->locations.nodes[at].label - 1];
			hd_protobuf_u64(&line, LINE_FUNCTION, function(w, f));
			hd_protobuf_u64(&line, LINE_LINE, f->line);
			hd_protobuf_message(&w->message, LOCATION_LINE, &line);
			hd_buf_release(&line);
		}
		if (p->symbols[f->symbol].object)
			hd_protobuf_u64(&w->message, LOCATION_MAPPING, p->symbols[f->symbol].object);
		hd_protobuf_u64(&w->message, LOCATION_ADDRESS, f->vaddr ? f->vaddr : p->symbols[f->symbol].start);
		hd_protobuf_message(w->out, PROFILE_LOCATION, &w->message);
	}
}

static void write_mappings(struct writing *w)
{
	const struct hd_profile *p = w->p;

	for (uint32_t i = 1; i < p->nobjects; i++) {
		hd_protobuf_u64(&w->message, MAPPING_ID, i);
		hd_protobuf_u64(&w->message, MAPPING_FILENAME, text(w, hd_profile_str(p, p->objects[i].name)));
		hd_protobuf_u64(&w->message, MAPPING_BUILD_ID, text(w, hd_profile_str(p, p->objects[i].build_id)));
		hd_protobuf_u64(&w->message, MAPPING_HAS_FUNCTIONS, 1);
		hd_protobuf_message(w->out, PROFILE_MAPPING, &w->message);
	}
}

/* ---- samples ---- */

static int by_key(const void *va, const void *vb)
{
	const struct sample *a = va, *b = vb;

	if (a->stack != b->stack)
		return a->stack < b->stack ? -1 : 1;
	if (a->comm != b->comm)
		return a->comm < b->comm ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

static void label(struct writing *w, const char *key, const char *str, uint64_t num)
{
	struct hd_buf b = { 0 };

	hd_protobuf_u64(&b, LABEL_KEY, text(w, key));
	if (str)
		hd_protobuf_u64(&b, LABEL_STR, text(w, str));
	else
		hd_protobuf_u64(&b, LABEL_NUM, num);
	hd_protobuf_message(&w->message, SAMPLE_LABEL, &b);
	hd_buf_release(&b);
}

static void write_sample(struct writing *w, const struct sample *s, const uint64_t *values)
{
	const struct hd_profile *p = w->p;
	const struct hd_stack_node *nodes = hd_stacks_nodes(p->stacks);
	uint32_t at = s->stack;

	while (at) {
		hd_protobuf_varint(&w->inner, w->location_of[at]);
		while (p->frames[nodes[at].frame].inlined && nodes[at].caller)
			at = nodes[at].caller;
		at = nodes[at].caller;
	}
	hd_protobuf_message(&w->message, SAMPLE_LOCATION, &w->inner);
	for (uint32_t i = 0; i < w->ntypes; i++)
		hd_protobuf_varint(&w->inner, values[i]);
	hd_protobuf_message(&w->message, SAMPLE_VALUE, &w->inner);
	if (s->comm)
		label(w, "comm", hd_profile_str(p, s->comm), 0);
	if (s->pid)
		label(w, "pid", NULL, (uint64_t)(uint32_t)s->pid);
	hd_protobuf_message(w->out, PROFILE_SAMPLE, &w->message);
}

/*
 * Return the stack of a row.  In a heap recording, skipped frames (profile/skip_rules.h) called by the user's code are
 * dropped, so that pprof's flat column names the user's function.
 */
static uint32_t stack_of(const struct hd_profile *p, const struct hd_sample_row *r)
{
	hd_stack_id s = r->stack;

	while (p->recording.heap_interval && r->inner.v && s.v && hd_stacks_frame(p->stacks, s).v != r->inner.v)
		s = hd_stacks_caller(p->stacks, s);
	return s.v ? s.v : r->stack.v;
}

static void write_samples(struct writing *w)
{
	const struct hd_profile *p = w->p;
	struct sample *all = hd_new_array(struct sample, p->rows.n);
	uint64_t *values = hd_new_array(uint64_t, w->ntypes);

	for (uint32_t i = 0; i < p->rows.n; i++) {
		const struct hd_sample_row *r = &p->rows.items[i];

		all[i] = (struct sample){ stack_of(p, r), r->comm, r->pid, i };
	}
	if (p->rows.n)
		qsort(all, p->rows.n, sizeof(*all), by_key);
	for (size_t i = 0; i < p->rows.n; ) {
		const struct sample first = all[i];

		memset(values, 0, w->ntypes * sizeof(*values));
		for (; i < p->rows.n && all[i].stack == first.stack && all[i].comm == first.comm &&
			all[i].pid == first.pid;
			i++) {
			const struct hd_sample_row *r = &p->rows.items[all[i].row];

			if (w->type_of[r->event])
				values[w->type_of[r->event] - 1] += r->weight;
		}
		write_sample(w, &first, values);
	}
	free(values);
	free(all);
}

void hd_pprof_write(struct hd_buf *out, const struct hd_profile *p)
{
	struct writing w = { .p = p,
		.out = out,
		.texts = hd_strtab_new(),
		.type_of = hd_new_array(uint32_t, p->nevents) };

	write_types(&w);
	find_locations(&w);
	write_samples(&w);
	write_mappings(&w);
	write_locations(&w);
	hd_buf_add(out, hd_buf_str(&w.function_messages), w.function_messages.len);
	for (uint32_t i = 0; i < hd_strtab_count(w.texts); i++)
		hd_protobuf_bytes(out, PROFILE_STRING, hd_strtab_get(w.texts, i), hd_strtab_len(w.texts, i));
	hd_strtab_free(w.texts);
	hd_trie_release(&w.locations);
	hd_map_release(&w.functions);
	hd_buf_release(&w.message);
	hd_buf_release(&w.inner);
	hd_buf_release(&w.function_messages);
	free(w.type_of);
	free(w.location_of);
}

const struct hd_export_format hd_export_pprof = {
	.keys = HD_KEY_COMM | HD_KEY_PID,
	.gzip = true,
	.write = hd_pprof_write,
};
