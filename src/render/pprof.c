/*
 * pprof.c - see pprof.h
 */
#include "render/pprof.h"
#include "render/export_format.h"

#include "base/mem.h"
#include "base/strtab.h"
#include "base/trie.h"
#include "heap/events.h"
#include "render/gzip.h"
#include "render/protobuf.h"
#include "render/source_functions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Field numbers of profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3, PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6, PROFILE_TIME = 9, PROFILE_DURATION = 10, PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD = 12,
	PROFILE_DEFAULT_TYPE = 14,
	VALUE_TYPE = 1, VALUE_UNIT = 2,
	SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3,
	LABEL_KEY = 1, LABEL_STR = 2, LABEL_NUM = 3,
	MAPPING_ID = 1, MAPPING_FILENAME = 5, MAPPING_BUILD_ID = 6, MAPPING_HAS_FUNCTIONS = 7, MAPPING_HAS_FILES = 8,
	MAPPING_HAS_LINES = 9, MAPPING_HAS_INLINED = 10,
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
	uint32_t *type_of;		/* indexed by event: 1 + index of its weight in a sample's values; 0: none */
	/* indexed by event: 1 + index of its number of samples in a sample's values; 0: none */
	uint32_t *count_of;
	/*
	 * A location is a path of numbers, frame id + 1 each: a function, then the functions that were inlined into it
	 * at that address.
	 */
	struct hd_trie locations;
	uint32_t *location_of;		/* stack -> location of its innermost frame */
	struct hd_source_functions functions;
	uint32_t main;			/* the object of the main program, which must be mapping 1 */
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

static const char *unit_of(const struct hd_profile *p, const struct hd_event *event)
{
	const char *unit = hd_profile_str(p, event->unit);

	return !strcmp(unit, "ns") ? "nanoseconds" : !strcmp(unit, "samples") ? "count" : unit;
}

/*
 * Write the default sample type, and the period of the first event with samples.  The period is the requested one.  If
 * a frequency was requested instead, or the period is unknown, it is the average weight of a sample.  A stored profile
 * has no period.
 */
static void write_period(struct writing *w)
{
	const struct hd_profile *p = w->p;

	for (size_t e = 0; e < p->nevents; e++) {
		const struct hd_event *event = &p->events[e];
		const char *name = hd_profile_str(p, event->name);

		if (!event->samples)
			continue;
		hd_protobuf_u64(w->out, PROFILE_DEFAULT_TYPE, text(w, name));
		if (p->recording.stored)
			return;
		value_type(w, PROFILE_PERIOD_TYPE, name, unit_of(p, event));
		hd_protobuf_u64(w->out, PROFILE_PERIOD,
			event->rate.period && !event->rate.frequency_hz ? event->rate.period
									: event->weight / event->samples);
		return;
	}
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
		const struct hd_event *event = &p->events[e];
		const char *event_name = hd_profile_str(p, event->name);

		if (!p->recording.stored && event->samples != event->weight) {
			struct hd_buf name = { 0 };

			hd_buf_addf(&name, "%s%ssamples", p->nevents > 1 ? event_name : "", p->nevents > 1 ? "_" : "");
			value_type(w, PROFILE_SAMPLE_TYPE, name.data, "count");
			hd_buf_release(&name);
			w->count_of[e] = ++w->ntypes;
		}
		value_type(w, PROFILE_SAMPLE_TYPE, event_name, unit_of(p, event));
		w->type_of[e] = ++w->ntypes;
	}
	write_period(w);
}

static void write_times(struct writing *w)
{
	const struct hd_recording *r = &w->p->recording;

	hd_protobuf_u64(w->out, PROFILE_TIME, (uint64_t)r->began_ns);
	hd_protobuf_u64(w->out, PROFILE_DURATION, r->last_ns - r->first_ns);
}

/* ---- functions, locations ---- */

static void write_functions(struct writing *w)
{
	const struct hd_profile *p = w->p;
	struct hd_buf name = { 0 };

	for (uint32_t i = 0; i < w->functions.n; i++) {
		const struct hd_source_function *f = &w->functions.items[i];
		const struct hd_profile_symbol *s = &p->symbols[f->symbol];

		hd_buf_reset(&name);
		hd_source_functions_name(&name, p, f->symbol);
		hd_protobuf_u64(&w->inner, FUNCTION_ID, i + 1);
		hd_protobuf_u64(&w->inner, FUNCTION_NAME, text(w, name.data));
		hd_protobuf_u64(&w->inner, FUNCTION_SYSTEM_NAME,
			text(w, s->unresolved ? name.data : hd_profile_str(p, s->linkage)));
		if (f->file)
			hd_protobuf_u64(&w->inner, FUNCTION_FILENAME, text(w, hd_profile_str(p, f->file)));
		hd_protobuf_message(w->out, PROFILE_FUNCTION, &w->inner);
	}
	hd_buf_release(&name);
}

/*
 * Find the location of each stack's innermost frame.  In the profile, an inlined frame is a frame of its own, called by
 * the frame that contains it.  In pprof, it is one more line in the location of that frame.
 */
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

/*
 * Return the mapping id of an object, which is the object's id with one exception: the main program (w->main) must be
 * mapping 1, so it swaps its id with object 1.
 */
static uint32_t mapping_of(const struct writing *w, uint32_t object)
{
	return object == w->main ? 1 : object == 1 ? w->main : object;
}

static bool may_be_main(const struct hd_profile *p, uint32_t object)
{
	const char *name = hd_profile_str(p, p->objects[object].name), *slash = strrchr(name, '/');
	const char *so = strstr(slash ? slash : name, ".so");

	return !p->objects[object].kernel && *name != '[' && !(so && (!so[3] || so[3] == '.'));
}

/* Return the object of the main program, which pprof.h defines; 1 if no object can be the main program. */
static uint32_t find_main(const struct hd_profile *p)
{
	const struct hd_stack_node *nodes = hd_stacks_nodes(p->stacks);
	uint32_t *seen = hd_new_array(uint32_t, p->nobjects), best = 0;
	/* indexed by object: number of samples whose stacks contain it */
	double *cost = hd_new_array(double, p->nobjects);

	for (uint32_t i = 0; i < p->rows.n; i++)
		for (uint32_t s = p->rows.items[i].stack.v; s; s = nodes[s].caller) {
			uint32_t object = p->symbols[p->frames[nodes[s].frame].symbol].object;

			if (seen[object] != i + 1)
				cost[object] += (double)p->rows.items[i].count;
			seen[object] = i + 1;
		}
	for (uint32_t i = 1; i < p->nobjects; i++)
		if (may_be_main(p, i) && (!best || cost[i] > cost[best]))
			best = i;
	free(seen);
	free(cost);
	return best ? best : 1;
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

			uint32_t frame = w->locations.nodes[at].label - 1;

			f = &p->frames[frame];
			hd_protobuf_u64(&line, LINE_FUNCTION, w->functions.of_frame[frame] + 1);
			hd_protobuf_u64(&line, LINE_LINE, f->line);
			hd_protobuf_message(&w->message, LOCATION_LINE, &line);
			hd_buf_release(&line);
		}
		if (p->symbols[f->symbol].object)
			hd_protobuf_u64(&w->message, LOCATION_MAPPING, mapping_of(w, p->symbols[f->symbol].object));
		hd_protobuf_u64(&w->message, LOCATION_ADDRESS, f->vaddr ? f->vaddr : p->symbols[f->symbol].start);
		hd_protobuf_message(w->out, PROFILE_LOCATION, &w->message);
	}
}

/* What is known of an object, as the booleans of a pprof mapping. */
enum { HAS_FUNCTIONS = 1, HAS_FILES = 2, HAS_LINES = 4, HAS_INLINED = 8 };

static void write_mappings(struct writing *w)
{
	const struct hd_profile *p = w->p;
	unsigned char *known = hd_new_array(unsigned char, p->nobjects);

	for (size_t i = 1; i < p->nframes; i++) {
		const struct hd_frame *f = &p->frames[i];
		const struct hd_profile_symbol *s = &p->symbols[f->symbol];

		known[s->object] |= (s->unresolved ? 0 : HAS_FUNCTIONS) | (f->file ? HAS_FILES : 0) |
				    (f->line ? HAS_LINES : 0) | (f->inlined ? HAS_INLINED : 0);
	}
	for (uint32_t id = 1; id < p->nobjects; id++) {
		uint32_t i = mapping_of(w, id);		/* mapping_of() is its own inverse */

		hd_protobuf_u64(&w->message, MAPPING_ID, id);
		hd_protobuf_u64(&w->message, MAPPING_FILENAME, text(w, hd_profile_str(p, p->objects[i].name)));
		hd_protobuf_u64(&w->message, MAPPING_BUILD_ID, text(w, hd_profile_str(p, p->objects[i].build_id)));
		hd_protobuf_u64(&w->message, MAPPING_HAS_FUNCTIONS, !!(known[i] & HAS_FUNCTIONS));
		hd_protobuf_u64(&w->message, MAPPING_HAS_FILES, !!(known[i] & HAS_FILES));
		hd_protobuf_u64(&w->message, MAPPING_HAS_LINES, !!(known[i] & HAS_LINES));
		hd_protobuf_u64(&w->message, MAPPING_HAS_INLINED, !!(known[i] & HAS_INLINED));
		hd_protobuf_message(w->out, PROFILE_MAPPING, &w->message);
	}
	free(known);
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
 * Return the stack that is written for a row of the profile.  In a heap recording, skipped frames
 * (profile/skip_rules.h) called by the user's code are dropped, so that pprof's flat column names the user's function.
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
			if (w->count_of[r->event])
				values[w->count_of[r->event] - 1] += r->count;
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
		.type_of = hd_new_array(uint32_t, p->nevents),
		.count_of = hd_new_array(uint32_t, p->nevents),
		.main = find_main(p) };

	hd_source_functions_init(&w.functions, p);
	write_types(&w);
	write_times(&w);
	find_locations(&w);
	write_samples(&w);
	write_mappings(&w);
	write_locations(&w);
	write_functions(&w);
	for (uint32_t i = 0; i < hd_strtab_count(w.texts); i++)
		hd_protobuf_bytes(out, PROFILE_STRING, hd_strtab_get(w.texts, i), hd_strtab_len(w.texts, i));
	hd_strtab_free(w.texts);
	hd_trie_release(&w.locations);
	hd_source_functions_release(&w.functions);
	hd_buf_release(&w.message);
	hd_buf_release(&w.inner);
	free(w.type_of);
	free(w.count_of);
	free(w.location_of);
}

/* The values of pprof are signed.  Its readers also add all values of an event. */
static int check(const struct hd_profile *p, const char *path, struct hd_err *err)
{
	for (size_t i = 0; i < p->nevents; i++)
		if (p->events[i].weight > INT64_MAX)
			return hd_fail(err, HD_EFORMAT,
				"%s: the weight of %.200s is %" PRIu64 ", more than a pprof profile can store (%" PRId64
				")", path, hd_profile_str(p, p->events[i].name), p->events[i].weight, INT64_MAX);
	return 0;
}

static void write_file(struct hd_outfile *out, const struct hd_profile *p)
{
	struct hd_buf message = { 0 }, packed = { 0 };

	hd_pprof_write(&message, p);
	hd_gzip(&packed, hd_buf_str(&message), message.len);
	hd_buf_release(&message);
	hd_export_finish(out, &packed);
}

const struct hd_export_format hd_export_pprof = {
	.keys = HD_KEY_COMM | HD_KEY_PID,
	.check = check,
	.write = write_file,
};
