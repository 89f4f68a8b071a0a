/*
 * perfetto_samples.c - write samples as Perfetto PerfSample packets
 *
 * PerfSample was chosen over StreamingProfilePacket, because it has pid, tid, CPU and an event; trace_processor reads
 * it into its table perf_sample, and ui.perfetto.dev draws it by thread and as a flamegraph.  Each event is a sequence
 * of packets of its own, whose defaults name the event.  Names, mappings, frames and stacks are written once per
 * sequence, with the first packet that uses them.
 *
 * Weight: timebase_count is the value of the counter of the CPU, so the weight of a sample is the difference to the
 * previous sample of this event on this CPU.
 *
 * Field numbers: protos/perfetto/trace/{trace_packet,trace_packet_defaults}.proto, interned_data/interned_data.proto,
 * profiling/{profile_common,profile_packet}.proto, ps/process_tree.proto and common/perf_events.proto of
 * github.com/google/perfetto.
 */
#include "render/export_format.h"
#include "render/sample_tracks.h"
#include "render/source_functions.h"

#include "base/encode.h"
#include "base/mem.h"
#include "render/protobuf.h"

#include <stdlib.h>
#include <string.h>

enum {
	TRACE_PACKET = 1,
	PACKET_PROCESS_TREE = 2, PACKET_TIMESTAMP = 8, PACKET_SEQUENCE = 10, PACKET_INTERNED = 12, PACKET_FLAGS = 13,
	PACKET_DEFAULTS = 59, PACKET_PERF_SAMPLE = 66, PACKET_FIRST = 87,
	TREE_PROCESS = 1, TREE_THREAD = 2, PROCESS_PID = 1, PROCESS_CMDLINE = 3,
	THREAD_TID = 1, THREAD_NAME = 2, THREAD_TGID = 3,
	DEFAULTS_PERF_SAMPLE = 12, PERF_SAMPLE_TIMEBASE = 1, TIMEBASE_PERIOD = 1, TIMEBASE_FREQUENCY = 2,
	TIMEBASE_NAME = 10,
	INTERNED_FUNCTION = 5, INTERNED_FRAME = 6, INTERNED_STACK = 7, INTERNED_BUILD_ID = 16, INTERNED_PATH = 17,
	INTERNED_SOURCE = 18, INTERNED_MAPPING = 19,
	STRING_IID = 1, STRING_TEXT = 2,
	MAPPING_IID = 1, MAPPING_BUILD_ID = 2, MAPPING_END = 5, MAPPING_PATH = 7,
	FRAME_IID = 1, FRAME_FUNCTION = 2, FRAME_MAPPING = 3, FRAME_PC = 4, FRAME_SOURCE = 5, FRAME_LINE = 6,
	STACK_IID = 1, STACK_FRAME = 2,
	SAMPLE_CPU = 1, SAMPLE_PID = 2, SAMPLE_TID = 3, SAMPLE_STACK = 4, SAMPLE_MODE = 5, SAMPLE_COUNT = 6,
	MODE_KERNEL = 1, MODE_USER = 2,
	STATE_CLEARED = 1, STATE_NEEDED = 2,
};

/*
 * The items that were written.  Each event has its own sequence of packets and writes the items that it uses again.
 * Element `id` of an array is 1 + the last event for which this item was written.
 */
struct interned {
	uint32_t *function, *frame, *stack, *object, *source;
};

struct writing {
	const struct hd_profile *p;
	struct hd_outfile *out;
	struct hd_buf text, packet, interned, inner, name;
	struct interned known;
	uint32_t event;
	uint64_t *counts;		/* indexed by CPU + 1: value of the counter of the current event */
	size_t ncounts, counts_cap;
	uint32_t *path;
	size_t path_cap;
};

/* Write a field even if its value is 0, because Perfetto treats an absent field differently from 0. */
static void number(struct hd_buf *b, unsigned field, uint64_t v)
{
	hd_protobuf_varint(b, field << 3);
	hd_protobuf_varint(b, v);
}

/* Write a text in its visible form, because protobuf strings must be valid UTF-8. */
static void string(struct hd_buf *b, unsigned field, const char *s)
{
	struct hd_buf v = { 0 };

	hd_enc_visible(&v, s, strlen(s));
	hd_protobuf_bytes(b, field, hd_buf_str(&v), v.len);
	hd_buf_release(&v);
}

static void end_packet(struct writing *w, bool first)
{
	hd_protobuf_u64(&w->packet, PACKET_SEQUENCE, w->event + 1);
	hd_protobuf_u64(&w->packet, PACKET_FLAGS, first ? STATE_CLEARED | STATE_NEEDED : STATE_NEEDED);
	if (first)
		hd_protobuf_u64(&w->packet, PACKET_FIRST, 1);
	hd_protobuf_message(&w->text, TRACE_PACKET, &w->packet);
	hd_export_drain(w->out, &w->text);
}

/* Return true at the first call with this id for the current event. */
static bool is_new(const struct writing *w, uint32_t *known, uint32_t id)
{
	bool news = known[id] != w->event + 1;

	known[id] = w->event + 1;
	return news;
}

static void intern_string(struct writing *w, unsigned table, uint64_t iid, const char *s)
{
	hd_protobuf_u64(&w->inner, STRING_IID, iid);
	string(&w->inner, STRING_TEXT, s);
	hd_protobuf_message(&w->interned, table, &w->inner);
}

static void intern_object(struct writing *w, uint32_t id)
{
	const struct hd_object *o = &w->p->objects[id];

	if (!is_new(w, w->known.object, id))
		return;
	intern_string(w, INTERNED_PATH, id + 1, hd_profile_str(w->p, o->name));
	if (o->build_id)
		intern_string(w, INTERNED_BUILD_ID, id + 1, hd_profile_str(w->p, o->build_id));
	hd_protobuf_u64(&w->inner, MAPPING_IID, id + 1);
	hd_protobuf_u64(&w->inner, MAPPING_BUILD_ID, o->build_id ? id + 1 : 0);
	/* addresses of frames are as linked, so each mapping covers 0 to INT64_MAX */
	hd_protobuf_u64(&w->inner, MAPPING_END, INT64_MAX);
	hd_protobuf_u64(&w->inner, MAPPING_PATH, id + 1);
	hd_protobuf_message(&w->interned, INTERNED_MAPPING, &w->inner);
}

static void intern_frame(struct writing *w, uint32_t id)
{
	const struct hd_frame *f = &w->p->frames[id];
	const struct hd_profile_symbol *s = &w->p->symbols[f->symbol];

	if (!is_new(w, w->known.frame, id))
		return;
	intern_object(w, s->object);
	if (is_new(w, w->known.function, f->symbol)) {
		hd_buf_reset(&w->name);
		hd_source_functions_name(&w->name, w->p, f->symbol);
		intern_string(w, INTERNED_FUNCTION, f->symbol + UINT64_C(1), hd_buf_str(&w->name));
	}
	if (f->file && is_new(w, w->known.source, f->file))
		intern_string(w, INTERNED_SOURCE, f->file, hd_profile_str(w->p, f->file));
	hd_protobuf_u64(&w->inner, FRAME_IID, id + UINT64_C(1));
	hd_protobuf_u64(&w->inner, FRAME_FUNCTION, f->symbol + UINT64_C(1));
	hd_protobuf_u64(&w->inner, FRAME_MAPPING, s->object + UINT64_C(1));
	number(&w->inner, FRAME_PC, f->vaddr ? f->vaddr : s->start);
	hd_protobuf_u64(&w->inner, FRAME_SOURCE, f->file);
	hd_protobuf_u64(&w->inner, FRAME_LINE, f->line);
	hd_protobuf_message(&w->interned, INTERNED_FRAME, &w->inner);
}

static void intern_stack(struct writing *w, uint32_t stack)
{
	const struct hd_stack_node *nodes = hd_stacks_nodes(w->p->stacks);
	size_t n = 0;

	if (!is_new(w, w->known.stack, stack))
		return;
	w->path = hd_grow(w->path, nodes[stack].depth + 1, &w->path_cap, sizeof(*w->path));
	for (uint32_t s = stack; s; s = nodes[s].caller)
		w->path[n++] = nodes[s].frame;
	for (size_t i = 0; i < n; i++)
		intern_frame(w, w->path[i]);
	hd_protobuf_u64(&w->inner, STACK_IID, stack + UINT64_C(1));
	while (n-- > 0)		/* outermost first */
		hd_protobuf_u64(&w->inner, STACK_FRAME, w->path[n] + UINT64_C(1));
	hd_protobuf_message(&w->interned, INTERNED_STACK, &w->inner);
}

/* Add the weight of a sample to the counter of its CPU, and return the counter.  Unknown CPUs share one counter. */
static uint64_t count(struct writing *w, uint32_t cpu, uint64_t weight)
{
	size_t at = cpu < 1 << 16 ? cpu + (size_t)1 : 0, had = w->ncounts;

	if (at >= had) {
		HD_GROW(w->counts, at + 1, w->counts_cap);
		memset(w->counts + had, 0, (at + 1 - had) * sizeof(*w->counts));
		w->ncounts = at + 1;
	}
	return w->counts[at] += weight;
}

static void write_sample(struct writing *w, const struct hd_timed_sample *t)
{
	const struct hd_profile *p = w->p;
	const struct hd_sample_row *row = &p->rows.items[t->row];
	uint32_t leaf = hd_stacks_frame(p->stacks, row->stack).v;

	intern_stack(w, row->stack.v);
	number(&w->packet, PACKET_TIMESTAMP, t->time_ns);
	if (w->interned.len)
		hd_protobuf_message(&w->packet, PACKET_INTERNED, &w->interned);
	if (t->cpu != UINT32_MAX)
		number(&w->inner, SAMPLE_CPU, t->cpu);
	number(&w->inner, SAMPLE_PID, (uint32_t)row->pid);
	number(&w->inner, SAMPLE_TID, (uint32_t)row->tid);
	hd_protobuf_u64(&w->inner, SAMPLE_STACK, row->stack.v + UINT64_C(1));
	hd_protobuf_u64(&w->inner, SAMPLE_MODE, p->symbols[p->frames[leaf].symbol].kernel ? MODE_KERNEL : MODE_USER);
	number(&w->inner, SAMPLE_COUNT, count(w, t->cpu, t->weight));
	hd_protobuf_message(&w->packet, PACKET_PERF_SAMPLE, &w->inner);
	end_packet(w, false);
}

/* The first packet of a sequence names the event. */
static void write_event(struct writing *w)
{
	const struct hd_event *e = &w->p->events[w->event];
	struct hd_buf sample = { 0 }, defaults = { 0 };

	hd_protobuf_u64(&w->inner, TIMEBASE_FREQUENCY, e->rate.frequency_hz);
	hd_protobuf_u64(&w->inner, TIMEBASE_PERIOD, e->rate.frequency_hz ? 0 : e->rate.period);
	string(&w->inner, TIMEBASE_NAME, hd_profile_str(w->p, e->name));
	hd_protobuf_message(&sample, PERF_SAMPLE_TIMEBASE, &w->inner);
	hd_protobuf_message(&defaults, DEFAULTS_PERF_SAMPLE, &sample);
	hd_protobuf_message(&w->packet, PACKET_DEFAULTS, &defaults);
	end_packet(w, true);
	hd_buf_release(&sample);
	hd_buf_release(&defaults);
}

/* Write the names of the processes and threads. */
static void write_threads(struct writing *w)
{
	struct hd_sample_tracks tracks;
	struct hd_buf tree = { 0 };

	hd_sample_tracks_init(&tracks, w->p);
	for (size_t i = 0; i < tracks.n; i++) {
		const struct hd_sample_track *t = &tracks.items[i];
		const char *name = hd_profile_str(w->p, t->comm);

		if (t->merged)
			continue;
		if (t->pid == t->tid) {
			number(&w->inner, PROCESS_PID, (uint32_t)t->pid);
			string(&w->inner, PROCESS_CMDLINE, name);
			hd_protobuf_message(&tree, TREE_PROCESS, &w->inner);
		}
		number(&w->inner, THREAD_TID, (uint32_t)t->tid);
		string(&w->inner, THREAD_NAME, name);
		number(&w->inner, THREAD_TGID, (uint32_t)t->pid);
		hd_protobuf_message(&tree, TREE_THREAD, &w->inner);
	}
	hd_sample_tracks_release(&tracks);
	hd_protobuf_message(&w->packet, PACKET_PROCESS_TREE, &tree);
	hd_buf_release(&tree);
	hd_protobuf_message(&w->text, TRACE_PACKET, &w->packet);
}

static void write_samples(struct hd_outfile *out, const struct hd_profile *p)
{
	struct writing w = { .p = p, .out = out, .known = {
		.function = hd_new_array(uint32_t, p->nsymbols), .frame = hd_new_array(uint32_t, p->nframes),
		.stack = hd_new_array(uint32_t, hd_stacks_count(p->stacks)),
		.object = hd_new_array(uint32_t, p->nobjects),
		.source = hd_new_array(uint32_t, hd_strtab_count(p->names)) } };

	write_threads(&w);
	for (w.event = 0; w.event < p->nevents; w.event++) {
		bool any = false;

		w.ncounts = 0;
		for (size_t i = 0; i < p->timed->n; i++) {
			if (p->rows.items[p->timed->items[i].row].event != w.event)
				continue;
			if (!any)
				write_event(&w);
			any = true;
			write_sample(&w, &p->timed->items[i]);
		}
	}
	hd_export_finish(out, &w.text);
	hd_buf_release(&w.packet);
	hd_buf_release(&w.interned);
	hd_buf_release(&w.inner);
	hd_buf_release(&w.name);
	free(w.known.function);
	free(w.known.frame);
	free(w.known.stack);
	free(w.known.object);
	free(w.known.source);
	free(w.counts);
	free(w.path);
}

const struct hd_export_format hd_export_perfetto = {
	.keys = HD_KEY_COMM,
	.timed = true,
	.needs_times = true,
	.write = write_samples,
	.timeline = &hd_trace_export_perfetto,
};
