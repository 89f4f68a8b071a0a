/*
 * callgrind.c - write a profile in callgrind's format, for callgrind_annotate and KCachegrind
 *
 *     fn=(2) work
 *     0x1118 7 200              self cost at an instruction and line, one number per event
 *     cfn=(3) leaf
 *     calls=1 0x1200 0          number of samples with this call; address and line of leaf
 *     0x1120 8 100              inclusive cost of the calls from 0x1120 to leaf
 *
 * A function is a symbol and a source file (source_functions.h).  An inlined function is written like a called
 * function.  The outermost functions are called by a function `(root)`.  callgrind_annotate computes the inclusive cost
 * of a function as the sum of the calls to it.  If a function occurs in a stack several times, only the call to its
 * outermost occurrence gets the cost of the stack, so that recursion counts once.
 *
 * Format: valgrind.org/docs/manual/cl-format.html, with name compression.  Names are in visible form (base/encode.h).
 */
#include "render/export_format.h"
#include "render/source_functions.h"

#include "base/encode.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* All calls from one frame to one function. */
struct call {
	uint32_t frame, callee;
	uint64_t samples;
};

struct writing {
	const struct hd_profile *p;
	struct hd_outfile *out;
	struct hd_buf text, name;
	struct hd_source_functions functions;
	uint64_t *self;			/* self[frame * events + event] */
	bool *has_self;			/* indexed by frame */
	struct call *calls;
	size_t ncalls, calls_cap;
	uint64_t *costs;		/* costs[call * events + event] */
	uint32_t *call_of;		/* indexed by stack: the call to its innermost frame */
	uint32_t *path;			/* reused: a stack and its callers */
	size_t path_cap;
	bool *named_file, *named_object, *named_function;
};

static uint32_t function_of(const struct writing *w, uint32_t frame)
{
	return w->functions.of_frame[frame];
}

/* ---- costs ---- */

/* Find the calls in all stacks.  Calls of outermost functions have frame 0 as caller, which stands for `(root)`. */
static void find_calls(struct writing *w)
{
	const struct hd_stack_node *nodes = hd_stacks_nodes(w->p->stacks);
	uint32_t n = hd_stacks_count(w->p->stacks);
	struct hd_map ids = { 0 };

	w->call_of = hd_new_array(uint32_t, n);
	for (uint32_t s = 1; s < n; s++) {
		struct call call = { nodes[nodes[s].caller].frame, function_of(w, nodes[s].frame), 0 };
		uint64_t key = (uint64_t)call.frame << 32 | call.callee;
		uint32_t id = hd_map_get(&ids, key);

		if (id == HD_MAP_NONE) {
			id = (uint32_t)w->ncalls;
			hd_map_put(&ids, key, id);
			HD_GROW(w->calls, w->ncalls + 1, w->calls_cap);
			w->calls[w->ncalls++] = call;
		}
		w->call_of[s] = id;
	}
	hd_map_release(&ids);
}

static void add_up(struct writing *w)
{
	const struct hd_profile *p = w->p;
	const struct hd_stack_node *nodes = hd_stacks_nodes(p->stacks);
	/* indexed by function: 1 + the last row whose stack contains it */
	uint32_t *seen = hd_new_array(uint32_t, w->functions.n);

	w->self = hd_new_array(uint64_t, p->nframes * p->nevents);
	w->has_self = hd_new_array(bool, p->nframes);
	w->costs = hd_new_array(uint64_t, w->ncalls * p->nevents);
	for (uint32_t i = 0; i < p->rows.n; i++) {
		const struct hd_sample_row *row = &p->rows.items[i];
		uint32_t leaf = nodes[row->stack.v].frame;
		size_t n = 0;

		w->self[leaf * p->nevents + row->event] += row->weight;
		w->has_self[leaf] = true;
		w->path = hd_grow(w->path, nodes[row->stack.v].depth + 1, &w->path_cap, sizeof(*w->path));
		for (uint32_t s = row->stack.v; s; s = nodes[s].caller)
			w->path[n++] = s;
		while (n-- > 0) {
			uint32_t s = w->path[n], function = function_of(w, nodes[s].frame);

			if (seen[function] == i + 1)
				continue;
			seen[function] = i + 1;
			w->costs[w->call_of[s] * p->nevents + row->event] += row->weight;
			w->calls[w->call_of[s]].samples += row->count;
		}
	}
	free(seen);
}

/* ---- text ---- */

static void add_visible(struct hd_buf *b, const char *name)
{
	if (*name)
		hd_enc_visible(b, name, strlen(name));
	else
		hd_buf_adds(b, "\\e");
	hd_buf_addc(b, '\n');
}

/* Write "key=(id) name", or without the name if it was written before. */
static void add_name(struct writing *w, const char *key, uint32_t id, bool *named, const char *name)
{
	hd_buf_addf(&w->text, "%s=(%u)", key, id + 1);
	if (named[id]) {
		hd_buf_addc(&w->text, '\n');
		return;
	}
	named[id] = true;
	hd_buf_addc(&w->text, ' ');
	add_visible(&w->text, name);
}

/* Write object, file and name of a function.  `call`: prefix of the keys, "c" for a called function, else "". */
static void add_function(struct writing *w, const char *call, uint32_t id)
{
	const struct hd_source_function *f = &w->functions.items[id];
	uint32_t object = w->p->symbols[f->symbol].object;
	char key[8];

	hd_buf_reset(&w->name);
	if (f->symbol)
		hd_source_functions_name(&w->name, w->p, f->symbol);
	else
		hd_buf_adds(&w->name, "(root)");
	snprintf(key, sizeof(key), "%sob", call);
	add_name(w, key, object, w->named_object, hd_profile_str(w->p, w->p->objects[object].name));
	snprintf(key, sizeof(key), "%s", *call ? "cfi" : "fl");
	add_name(w, key, f->file, w->named_file, f->file ? hd_profile_str(w->p, f->file) : "???");
	snprintf(key, sizeof(key), "%sfn", call);
	add_name(w, key, id, w->named_function, hd_buf_str(&w->name));
}

static void add_costs(struct writing *w, uint32_t frame, const uint64_t *costs)
{
	const struct hd_frame *f = &w->p->frames[frame];

	hd_buf_addf(&w->text, "0x%llx %u", (unsigned long long)(f->vaddr ? f->vaddr : w->p->symbols[f->symbol].start),
		f->line);
	for (size_t e = 0; e < w->p->nevents; e++)
		hd_buf_addf(&w->text, " %llu", (unsigned long long)costs[e]);
	hd_buf_addc(&w->text, '\n');
}

static int by_function(const void *va, const void *vb, void *ctx)
{
	const struct writing *w = ctx;
	uint32_t ia = *(const uint32_t *)va, ib = *(const uint32_t *)vb;
	uint32_t fa = function_of(w, ia), fb = function_of(w, ib);
	const struct hd_frame *a = &w->p->frames[ia], *b = &w->p->frames[ib];

	if (fa != fb)
		return fa < fb ? -1 : 1;
	if (a->vaddr != b->vaddr)
		return a->vaddr < b->vaddr ? -1 : 1;
	return ia < ib ? -1 : ia > ib;
}

static int by_frame(const void *va, const void *vb)
{
	const struct call *a = *(const struct call *const *)va, *b = *(const struct call *const *)vb;

	if (a->frame != b->frame)
		return a->frame < b->frame ? -1 : 1;
	return a->callee < b->callee ? -1 : a->callee > b->callee;
}

/* Return the calls that have samples, sorted by frame.  *n is set to their number.  The caller frees the array. */
static const struct call **calls_by_frame(const struct writing *w, size_t *n)
{
	const struct call **calls = hd_new_array(const struct call *, w->ncalls);

	*n = 0;
	for (size_t i = 0; i < w->ncalls; i++)
		if (w->calls[i].samples)
			calls[(*n)++] = &w->calls[i];
	qsort(calls, *n, sizeof(*calls), by_frame);
	return calls;
}

static void write_functions(struct writing *w)
{
	const struct hd_profile *p = w->p;
	size_t n, last = SIZE_MAX;
	const struct call **calls = calls_by_frame(w, &n);
	uint32_t *order = hd_new_array(uint32_t, p->nframes), *first = hd_new_array(uint32_t, p->nframes);

	for (size_t i = n; i-- > 0; )
		first[calls[i]->frame] = (uint32_t)i + 1;
	for (uint32_t i = 0; i < p->nframes; i++)
		order[i] = i;
	qsort_r(order, p->nframes, sizeof(*order), by_function, w);
	for (size_t i = 0; i < p->nframes; i++) {
		uint32_t frame = order[i], function = function_of(w, frame);

		if (!w->has_self[frame] && !first[frame])
			continue;
		if (function != last) {
			hd_buf_addc(&w->text, '\n');
			add_function(w, "", function);
		}
		last = function;
		if (w->has_self[frame])
			add_costs(w, frame, &w->self[frame * p->nevents]);
		for (size_t c = first[frame]; c && c <= n && calls[c - 1]->frame == frame; c++) {
			const struct call *call = calls[c - 1];

			add_function(w, "c", call->callee);
			hd_buf_addf(&w->text, "calls=%llu 0x%llx %u\n", (unsigned long long)call->samples,
				(unsigned long long)p->symbols[w->functions.items[call->callee].symbol].start,
				w->functions.items[call->callee].line);
			add_costs(w, frame, &w->costs[(size_t)(call - w->calls) * p->nevents]);
		}
		hd_export_drain(w->out, &w->text);
	}
	free(calls);
	free(order);
	free(first);
}

/* Append the name of an event with `_` for each blank: blanks separate the names in the line `events:`. */
static void add_event_name(struct hd_buf *b, const char *name)
{
	size_t at = b->len;

	hd_enc_visible(b, name, strlen(name));
	for (; at < b->len; at++)
		if (b->data[at] == ' ')
			b->data[at] = '_';
}

static void write_header(struct writing *w)
{
	const struct hd_profile *p = w->p;
	struct hd_buf *b = &w->text;

	hd_buf_adds(b, "# callgrind format\nversion: 1\ncreator: hotdrift " HD_VERSION "\n");
	if (p->recording.path) {
		hd_buf_adds(b, "cmd: ");
		add_visible(b, p->recording.path);
	}
	hd_buf_adds(b, "positions: instr line\nevents:");
	for (size_t e = 0; e < p->nevents; e++) {
		hd_buf_addc(b, ' ');
		add_event_name(b, hd_profile_str(p, p->events[e].name));
	}
	hd_buf_adds(b, "\nsummary:");
	for (size_t e = 0; e < p->nevents; e++)
		hd_buf_addf(b, " %llu", (unsigned long long)p->events[e].weight);
	hd_buf_addc(b, '\n');
}

static void write_file(struct hd_outfile *out, const struct hd_profile *p)
{
	struct writing w = { .p = p, .out = out, .named_object = hd_new_array(bool, p->nobjects),
			     .named_file = hd_new_array(bool, hd_strtab_count(p->names)) };

	hd_source_functions_init(&w.functions, p);
	w.named_function = hd_new_array(bool, w.functions.n);
	find_calls(&w);
	add_up(&w);
	write_header(&w);
	write_functions(&w);
	hd_export_finish(out, &w.text);
	hd_source_functions_release(&w.functions);
	hd_buf_release(&w.name);
	free(w.self);
	free(w.has_self);
	free(w.calls);
	free(w.costs);
	free(w.call_of);
	free(w.path);
	free(w.named_file);
	free(w.named_object);
	free(w.named_function);
}

const struct hd_export_format hd_export_callgrind = { .write = write_file };
