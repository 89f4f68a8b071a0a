/*
 * firefox.c - write a profile for profiler.firefox.com
 *
 * A track of sample_tracks.h is a thread, with tables of its own: stacks, frames, functions, resources and symbols that
 * its samples use.  Strings and libraries are shared by all threads.  Times are milliseconds since the first sample.
 * Weights are milliseconds if the event counts ns, bytes if it counts bytes, else plain numbers ("samples").  The
 * samples of a track without times are one millisecond apart.
 *
 * Format: "processed profile", version 57: docs-developer/CHANGELOG-formats.md and src/types/profile.ts of
 * github.com/firefox-devtools/profiler, which upgrades older versions when it loads a file.  The Gecko format was
 * rejected because its samples have no weights.
 */
#include "render/export_format.h"
#include "render/sample_tracks.h"
#include "render/source_functions.h"

#include "base/jsonw.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION = 57, GECKO_VERSION = 27, CATEGORY_USER = 0, CATEGORY_KERNEL = 1, LIBRARY = 1 };

/* The entries of a table of the profile (stacks, frames, ...) that one thread uses, with dense indexes of their own. */
struct part {
	/* indexed by id in the profile: index in the thread's table, plus 1; 0: not used */
	uint32_t *index;
	uint32_t *ids;
	size_t n, cap;
};

struct writing {
	const struct hd_profile *p;
	struct hd_outfile *out;
	struct hd_buf text;
	struct hd_jsonw json;
	struct hd_source_functions functions;
	struct hd_sample_tracks tracks;
	struct hd_strtab *strings;
	struct part stacks, frames, functions_used, objects, symbols;
	uint32_t *inline_depth;		/* indexed by stack: how many of its innermost frames are inlined */
	uint32_t *outer_symbol;		/* indexed by stack: symbol of the innermost frame that is not inlined */
	uint32_t *frame_stack;		/* indexed by frame: a stack whose innermost frame is this frame */
	uint64_t first_ns;
	size_t events;			/* number of events that have samples */
};

static void part_add(struct part *part, uint32_t id)
{
	if (part->index[id])
		return;
	HD_GROW(part->ids, part->n + 1, part->cap);
	part->ids[part->n++] = id;
	part->index[id] = (uint32_t)part->n;
}

static void part_clear(struct part *part)
{
	while (part->n)
		part->index[part->ids[--part->n]] = 0;
}

static void part_release(struct part *part)
{
	free(part->index);
	free(part->ids);
}

static uint32_t string(struct writing *w, const char *s)
{
	return hd_strtab_add(w->strings, s);
}

/* ---- the columns of the tables of a thread; `id` is an id in the profile ---- */

static void index_or_null(struct writing *w, const struct part *part, uint32_t id)
{
	if (part->index[id])
		hd_jsonw_u64(&w->json, NULL, part->index[id] - 1);
	else
		hd_jsonw_null(&w->json, NULL);
}

static void null(struct writing *w, uint32_t id)
{
	(void)id;
	hd_jsonw_null(&w->json, NULL);
}

static void zero(struct writing *w, uint32_t id)
{
	(void)id;
	hd_jsonw_u64(&w->json, NULL, 0);
}

static void no(struct writing *w, uint32_t id)
{
	(void)id;
	hd_jsonw_bool(&w->json, NULL, false);
}

static void stack_prefix(struct writing *w, uint32_t id)
{
	index_or_null(w, &w->stacks, hd_stacks_nodes(w->p->stacks)[id].caller);
}

static void stack_frame(struct writing *w, uint32_t id)
{
	index_or_null(w, &w->frames, hd_stacks_nodes(w->p->stacks)[id].frame);
}

static void frame_address(struct writing *w, uint32_t id)
{
	const struct hd_frame *f = &w->p->frames[id];

	if (w->p->symbols[f->symbol].object && f->vaddr)
		hd_jsonw_u64(&w->json, NULL, f->vaddr);
	else
		hd_jsonw_i64(&w->json, NULL, -1);
}

static void frame_inline_depth(struct writing *w, uint32_t id)
{
	hd_jsonw_u64(&w->json, NULL, w->inline_depth[w->frame_stack[id]]);
}

static void frame_category(struct writing *w, uint32_t id)
{
	hd_jsonw_u64(&w->json, NULL,
		w->p->symbols[w->p->frames[id].symbol].kernel ? CATEGORY_KERNEL : CATEGORY_USER);
}

static void frame_function(struct writing *w, uint32_t id)
{
	index_or_null(w, &w->functions_used, w->functions.of_frame[id]);
}

static void frame_symbol(struct writing *w, uint32_t id)
{
	index_or_null(w, &w->symbols, w->outer_symbol[w->frame_stack[id]]);
}

static void frame_line(struct writing *w, uint32_t id)
{
	uint32_t line = w->p->frames[id].line;

	if (line)
		hd_jsonw_u64(&w->json, NULL, line);
	else
		hd_jsonw_null(&w->json, NULL);
}

static void add_symbol_name(struct writing *w, uint32_t symbol)
{
	struct hd_buf name = { 0 };

	hd_source_functions_name(&name, w->p, symbol);
	hd_jsonw_u64(&w->json, NULL, string(w, hd_buf_str(&name)));
	hd_buf_release(&name);
}

static void function_name(struct writing *w, uint32_t id)
{
	add_symbol_name(w, w->functions.items[id].symbol);
}

static void function_resource(struct writing *w, uint32_t id)
{
	uint32_t object = w->p->symbols[w->functions.items[id].symbol].object;

	if (object)
		index_or_null(w, &w->objects, object);
	else
		hd_jsonw_i64(&w->json, NULL, -1);
}

static void function_file(struct writing *w, uint32_t id)
{
	uint32_t file = w->functions.items[id].file;

	if (file)
		hd_jsonw_u64(&w->json, NULL, string(w, hd_profile_str(w->p, file)));
	else
		hd_jsonw_null(&w->json, NULL);
}

static void resource_library(struct writing *w, uint32_t id)
{
	hd_jsonw_u64(&w->json, NULL, id - 1);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void resource_name(struct writing *w, uint32_t id)
{
	hd_jsonw_u64(&w->json, NULL, string(w, base_name(hd_profile_str(w->p, w->p->objects[id].name))));
}

static void resource_type(struct writing *w, uint32_t id)
{
	(void)id;
	hd_jsonw_u64(&w->json, NULL, LIBRARY);
}

static void symbol_library(struct writing *w, uint32_t id)
{
	hd_jsonw_u64(&w->json, NULL, w->p->symbols[id].object - 1);
}

static void symbol_address(struct writing *w, uint32_t id)
{
	hd_jsonw_u64(&w->json, NULL, w->p->symbols[id].start);
}

static void symbol_size(struct writing *w, uint32_t id)
{
	if (w->p->symbols[id].size)
		hd_jsonw_u64(&w->json, NULL, w->p->symbols[id].size);
	else
		hd_jsonw_null(&w->json, NULL);
}

struct column {
	const char *name;
	void (*cell)(struct writing *w, uint32_t id);
};

static const struct column stack_columns[] = {
	{ "prefix", stack_prefix }, { "frame", stack_frame }, { 0 },
};
static const struct column frame_columns[] = {
	{ "address", frame_address }, { "inlineDepth", frame_inline_depth }, { "category", frame_category },
	{ "subcategory", zero }, { "func", frame_function }, { "nativeSymbol", frame_symbol },
	{ "innerWindowID", null }, { "line", frame_line }, { "column", null }, { 0 },
};
static const struct column function_columns[] = {
	{ "name", function_name }, { "isJS", no }, { "relevantForJS", no }, { "resource", function_resource },
	{ "fileName", function_file }, { "lineNumber", null }, { "columnNumber", null }, { 0 },
};
static const struct column resource_columns[] = {
	{ "lib", resource_library }, { "name", resource_name }, { "host", null }, { "type", resource_type }, { 0 },
};
static const struct column symbol_columns[] = {
	{ "libIndex", symbol_library }, { "address", symbol_address }, { "name", add_symbol_name },
	{ "functionSize", symbol_size }, { 0 },
};
/* The marker table has columns but no rows, because recordings have no markers. */
static const struct column marker_columns[] = {
	{ "data", null }, { "name", null }, { "startTime", null }, { "endTime", null }, { "phase", null },
	{ "category", null }, { 0 },
};

static void write_table(struct writing *w, const char *name, const struct column *columns, const struct part *part)
{
	hd_jsonw_open(&w->json, name, '{');
	for (; columns->name; columns++) {
		hd_jsonw_row(&w->json, columns->name, '[');
		for (size_t i = 0; i < part->n; i++) {
			columns->cell(w, part->ids[i]);
			hd_export_drain(w->out, &w->text);
		}
		hd_jsonw_close(&w->json, ']');
	}
	hd_jsonw_u64(&w->json, "length", part->n);
	hd_jsonw_close(&w->json, '}');
}

/* ---- threads ---- */

static int by_number(const void *va, const void *vb)
{
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;

	return a < b ? -1 : a > b;
}

/* Find the stacks, frames and so on that a track uses.  The stacks are sorted by id, so callers precede callees. */
static void find_parts(struct writing *w, const struct hd_sample_track *track)
{
	const struct hd_profile *p = w->p;
	const struct hd_stack_node *nodes = hd_stacks_nodes(p->stacks);

	for (size_t i = 0; i < track->n; i++)
		for (uint32_t s = hd_sample_tracks_get(&w->tracks, track, i).row->stack.v; s && !w->stacks.index[s];
			s = nodes[s].caller)
			part_add(&w->stacks, s);
	if (w->stacks.n)
		qsort(w->stacks.ids, w->stacks.n, sizeof(*w->stacks.ids), by_number);
	for (size_t i = 0; i < w->stacks.n; i++) {
		uint32_t s = w->stacks.ids[i], frame = nodes[s].frame;
		const struct hd_profile_symbol *outer = &p->symbols[w->outer_symbol[s]];

		w->stacks.index[s] = (uint32_t)i + 1;
		part_add(&w->frames, frame);
		part_add(&w->functions_used, w->functions.of_frame[frame]);
		if (p->symbols[p->frames[frame].symbol].object)
			part_add(&w->objects, p->symbols[p->frames[frame].symbol].object);
		if (outer->object && !outer->unresolved && outer->size)
			part_add(&w->symbols, w->outer_symbol[s]);
	}
}

static void write_samples(struct writing *w, const struct hd_sample_track *track)
{
	const char *unit = hd_profile_str(w->p, w->p->events[track->event].unit);
	bool ns = !strcmp(unit, "ns");

	hd_jsonw_open(&w->json, "samples", '{');
	hd_jsonw_row(&w->json, "stack", '[');
	for (size_t i = 0; i < track->n; i++) {
		index_or_null(w, &w->stacks, hd_sample_tracks_get(&w->tracks, track, i).row->stack.v);
		hd_export_drain(w->out, &w->text);
	}
	hd_jsonw_close(&w->json, ']');
	hd_jsonw_row(&w->json, "time", '[');
	for (size_t i = 0; i < track->n; i++) {
		uint64_t time_ns = hd_sample_tracks_get(&w->tracks, track, i).time_ns;

		if (track->merged || !w->p->timed->has_times)
			hd_jsonw_u64(&w->json, NULL, i);
		else
			hd_jsonw_num(&w->json, NULL, time_ns > w->first_ns ? (double)(time_ns - w->first_ns) / 1e6 : 0,
				6);
		hd_export_drain(w->out, &w->text);
	}
	hd_jsonw_close(&w->json, ']');
	hd_jsonw_row(&w->json, "weight", '[');
	for (size_t i = 0; i < track->n; i++) {
		uint64_t weight = hd_sample_tracks_get(&w->tracks, track, i).weight;

		if (ns)
			hd_jsonw_num(&w->json, NULL, (double)weight / 1e6, 6);
		else
			hd_jsonw_u64(&w->json, NULL, weight);
		hd_export_drain(w->out, &w->text);
	}
	hd_jsonw_close(&w->json, ']');
	hd_jsonw_str(&w->json, "weightType", ns ? "tracing-ms" : !strcmp(unit, "bytes") ? "bytes" : "samples");
	hd_jsonw_u64(&w->json, "length", track->n);
	hd_jsonw_close(&w->json, '}');
}

/*
 * Write name and ids of a track.  The viewer identifies a track by its tid.  Tracks of the first event get the thread
 * ID as tid.  Tracks of other events and merged tracks get a tid that also contains the name of the event, because it
 * must be unique.
 */
static void write_identity(struct writing *w, const struct hd_sample_track *track)
{
	const char *event = hd_profile_str(w->p, w->p->events[track->event].name);
	struct hd_buf name = { 0 }, id = { 0 };

	if (!track->merged)
		hd_buf_adds(&name, hd_profile_str(w->p, track->comm));
	if (track->merged || w->events > 1)
		hd_buf_addf(&name, "%s%s", name.len ? " " : "", event);
	hd_jsonw_strn(&w->json, "name", hd_buf_str(&name), name.len);
	hd_jsonw_bool(&w->json, "isMainThread", track->pid == track->tid);
	if (!track->merged && track->pid == track->tid)
		hd_jsonw_str(&w->json, "processName", hd_profile_str(w->p, track->comm));
	hd_buf_addf(&id, "%d", track->pid);
	hd_jsonw_str(&w->json, "pid", id.data);
	if (track->merged || track->event != w->tracks.items[0].event) {
		hd_buf_reset(&id);
		hd_buf_addf(&id, "%d %s", track->tid, event);
		hd_jsonw_strn(&w->json, "tid", id.data, id.len);
	} else {
		hd_jsonw_i64(&w->json, "tid", track->tid);
	}
	hd_buf_release(&name);
	hd_buf_release(&id);
}

static void write_thread(struct writing *w, const struct hd_sample_track *track)
{
	static const struct part none;

	find_parts(w, track);
	hd_jsonw_open(&w->json, NULL, '{');
	hd_jsonw_str(&w->json, "processType", "default");
	hd_jsonw_u64(&w->json, "processStartupTime", 0);
	hd_jsonw_null(&w->json, "processShutdownTime");
	hd_jsonw_u64(&w->json, "registerTime", 0);
	hd_jsonw_null(&w->json, "unregisterTime");
	hd_jsonw_row(&w->json, "pausedRanges", '[');
	hd_jsonw_close(&w->json, ']');
	write_identity(w, track);
	write_samples(w, track);
	write_table(w, "markers", marker_columns, &none);
	write_table(w, "stackTable", stack_columns, &w->stacks);
	write_table(w, "frameTable", frame_columns, &w->frames);
	write_table(w, "funcTable", function_columns, &w->functions_used);
	write_table(w, "resourceTable", resource_columns, &w->objects);
	write_table(w, "nativeSymbols", symbol_columns, &w->symbols);
	hd_jsonw_close(&w->json, '}');
	part_clear(&w->stacks);
	part_clear(&w->frames);
	part_clear(&w->functions_used);
	part_clear(&w->objects);
	part_clear(&w->symbols);
}

/* ---- the head ---- */

static void write_category(struct writing *w, const char *name, const char *color)
{
	hd_jsonw_row(&w->json, NULL, '{');
	hd_jsonw_str(&w->json, "name", name);
	hd_jsonw_str(&w->json, "color", color);
	hd_jsonw_row(&w->json, "subcategories", '[');
	hd_jsonw_str(&w->json, NULL, "Other");
	hd_jsonw_close(&w->json, ']');
	hd_jsonw_close(&w->json, '}');
}

/* Return the usual time between two samples of a thread in milliseconds; 1 if it is unknown. */
static double interval_ms(const struct hd_profile *p)
{
	for (size_t e = 0; e < p->nevents; e++) {
		const struct hd_rate *r = &p->events[e].rate;

		if (p->events[e].samples && r->frequency_hz)
			return 1e3 / (double)r->frequency_hz;
		if (p->events[e].samples && r->period && !strcmp(hd_profile_str(p, p->events[e].unit), "ns"))
			return (double)r->period / 1e6;
	}
	return 1;
}

static void write_meta(struct writing *w)
{
	const struct hd_recording *r = &w->p->recording;
	struct hd_jsonw *j = &w->json;

	hd_jsonw_open(j, "meta", '{');
	hd_jsonw_num(j, "interval", interval_ms(w->p), 6);
	hd_jsonw_u64(j, "startTime", 0);
	hd_jsonw_u64(j, "processType", 0);
	hd_jsonw_str(j, "product", r->path ? base_name(r->path) : "hotdrift");
	hd_jsonw_u64(j, "stackwalk", 1);
	hd_jsonw_u64(j, "version", GECKO_VERSION);
	hd_jsonw_u64(j, "preprocessedProfileVersion", VERSION);
	hd_jsonw_bool(j, "symbolicated", true);
	hd_jsonw_str(j, "importedFrom", "hotdrift " HD_VERSION);
	hd_jsonw_bool(j, "usesOnlyOneStackType", true);
	hd_jsonw_bool(j, "sourceCodeIsNotOnSearchfox", true);
	hd_jsonw_str(j, "platform", "Linux");
	if (r->os_release)
		hd_jsonw_str(j, "oscpu", r->os_release);
	if (r->cpudesc)
		hd_jsonw_str(j, "CPUName", r->cpudesc);
	if (r->nrcpus)
		hd_jsonw_u64(j, "logicalCPUs", r->nrcpus);
	hd_jsonw_open(j, "categories", '[');
	write_category(w, "User", "yellow");
	write_category(w, "Kernel", "orange");
	write_category(w, "Other", "grey");	/* a grey category is required */
	hd_jsonw_close(j, ']');
	hd_jsonw_row(j, "markerSchema", '[');
	hd_jsonw_close(j, ']');
	hd_jsonw_row(j, "sampleUnits", '{');
	hd_jsonw_str(j, "time", "ms");
	hd_jsonw_str(j, "eventDelay", "ms");
	hd_jsonw_str(j, "threadCPUDelta", "ns");
	hd_jsonw_close(j, '}');
	hd_jsonw_close(j, '}');
}

/*
 * Append the id by which Breakpad's symbol files name a build: the first 16 bytes of the build id as a GUID, whose
 * first three fields are little-endian, and the age 0.  A shorter build id is padded with zeros.  Nothing is appended
 * if it is "".
 */
static void add_breakpad_id(struct hd_buf *out, const char *build_id)
{
	static const int order[] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	size_t n = strlen(build_id);

	if (!n)
		return;
	for (size_t i = 0; i < HD_COUNT(order); i++)
		for (int half = 0; half < 2; half++) {
			size_t at = 2 * (size_t)order[i] + (size_t)half;
			char c = at < n ? build_id[at] : '0';

			hd_buf_addc(out, c >= 'a' && c <= 'f' ? (char)(c - 'a' + 'A') : c);
		}
	hd_buf_addc(out, '0');
}

static void write_libraries(struct writing *w)
{
	const struct hd_profile *p = w->p;

	hd_jsonw_open(&w->json, "libs", '[');
	for (size_t i = 1; i < p->nobjects; i++) {
		const char *path = hd_profile_str(p, p->objects[i].name);
		const char *build_id = hd_profile_str(p, p->objects[i].build_id);
		struct hd_buf id = { 0 };

		add_breakpad_id(&id, build_id);
		hd_jsonw_row(&w->json, NULL, '{');
		hd_jsonw_str(&w->json, "arch", p->recording.arch ? p->recording.arch : "");
		hd_jsonw_str(&w->json, "name", base_name(path));
		hd_jsonw_str(&w->json, "path", path);
		hd_jsonw_str(&w->json, "debugName", base_name(path));
		hd_jsonw_str(&w->json, "debugPath", path);
		hd_jsonw_str(&w->json, "breakpadId", hd_buf_str(&id));
		hd_jsonw_str(&w->json, "codeId", *build_id ? build_id : NULL);
		hd_jsonw_close(&w->json, '}');
		hd_export_drain(w->out, &w->text);
		hd_buf_release(&id);
	}
	hd_jsonw_close(&w->json, ']');
}

static void write_shared(struct writing *w)
{
	hd_jsonw_open(&w->json, "shared", '{');
	hd_jsonw_open(&w->json, "stringArray", '[');
	for (uint32_t i = 0; i < hd_strtab_count(w->strings); i++) {
		hd_jsonw_strn(&w->json, NULL, hd_strtab_get(w->strings, i), hd_strtab_len(w->strings, i));
		hd_export_drain(w->out, &w->text);
	}
	hd_jsonw_close(&w->json, ']');
	hd_jsonw_close(&w->json, '}');
}

/* ---- the file ---- */

static void begin(struct writing *w, const struct hd_profile *p)
{
	const struct hd_stack_node *nodes = hd_stacks_nodes(p->stacks);
	uint32_t n = hd_stacks_count(p->stacks);

	hd_source_functions_init(&w->functions, p);
	hd_sample_tracks_init(&w->tracks, p);
	w->strings = hd_strtab_new();
	w->stacks.index = hd_new_array(uint32_t, n);
	w->frames.index = hd_new_array(uint32_t, p->nframes);
	w->functions_used.index = hd_new_array(uint32_t, w->functions.n);
	w->objects.index = hd_new_array(uint32_t, p->nobjects);
	w->symbols.index = hd_new_array(uint32_t, p->nsymbols);
	w->inline_depth = hd_new_array(uint32_t, n);
	w->outer_symbol = hd_new_array(uint32_t, n);
	w->frame_stack = hd_new_array(uint32_t, p->nframes);
	for (uint32_t s = 1; s < n; s++) {
		const struct hd_frame *f = &p->frames[nodes[s].frame];

		w->inline_depth[s] = f->inlined ? w->inline_depth[nodes[s].caller] + 1 : 0;
		w->outer_symbol[s] = f->inlined ? w->outer_symbol[nodes[s].caller] : f->symbol;
		w->frame_stack[nodes[s].frame] = s;
	}
	for (size_t e = 0; e < p->nevents; e++)
		w->events += p->events[e].samples > 0;
	if (p->timed && p->timed->n)
		w->first_ns = p->timed->items[0].time_ns;
	w->json = hd_jsonw_to(&w->text);
}

static void release(struct writing *w)
{
	hd_source_functions_release(&w->functions);
	hd_sample_tracks_release(&w->tracks);
	hd_strtab_free(w->strings);
	part_release(&w->stacks);
	part_release(&w->frames);
	part_release(&w->functions_used);
	part_release(&w->objects);
	part_release(&w->symbols);
	free(w->inline_depth);
	free(w->outer_symbol);
	free(w->frame_stack);
}

static void write_file(struct hd_outfile *out, const struct hd_profile *p)
{
	struct writing w = { .p = p, .out = out };

	begin(&w, p);
	hd_jsonw_open(&w.json, NULL, '{');
	write_meta(&w);
	write_libraries(&w);
	hd_jsonw_open(&w.json, "threads", '[');
	for (size_t i = 0; i < w.tracks.n; i++)
		write_thread(&w, &w.tracks.items[i]);
	hd_jsonw_close(&w.json, ']');
	/* the shared strings are written last, because writing the threads adds to them */
	write_shared(&w);
	hd_jsonw_close(&w.json, '}');
	hd_export_finish(out, &w.text);
	release(&w);
}

const struct hd_export_format hd_export_firefox = {
	.keys = HD_KEY_COMM,
	.timed = true,
	.write = write_file,
};
