/*
 * perfetto_trace.c - write Perfetto TrackEvent packets; see trace_export.h
 *
 * A trace is a message whose only field is a repeated packet, so packets can be written one after the other.  All
 * packets belong to one sequence.  A name is written once, as interned data of the first packet that uses it.  A slice
 * is two packets, begin and end.  The reader sorts packets by time and keeps the order of equal times.  So the end can
 * be written immediately after the begin, because the slices of a track nest (trace_tracks.h).
 *
 * Field numbers: protos/perfetto/trace/{trace,trace_packet}.proto, track_event/{track_event,track_descriptor,
 * process_descriptor,thread_descriptor,counter_descriptor,debug_annotation}.proto, interned_data/interned_data.proto.
 */
#include "render/trace_export.h"

#include "base/encode.h"
#include "base/hash.h"
#include "base/mem.h"
#include "render/protobuf.h"

#include <string.h>

enum {
	TRACE_PACKET = 1,
	PACKET_TIMESTAMP = 8, PACKET_SEQUENCE = 10, PACKET_TRACK_EVENT = 11, PACKET_INTERNED = 12, PACKET_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60, PACKET_FIRST = 87,
	DESCRIPTOR_UUID = 1, DESCRIPTOR_NAME = 2, DESCRIPTOR_PROCESS = 3, DESCRIPTOR_THREAD = 4,
	DESCRIPTOR_PARENT = 5, DESCRIPTOR_COUNTER = 8,
	PROCESS_PID = 1, PROCESS_NAME = 6, THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5,
	EVENT_ANNOTATION = 4, EVENT_TYPE = 9, EVENT_NAME_IID = 10, EVENT_TRACK = 11, EVENT_CATEGORY = 22,
	EVENT_NAME = 23,
	EVENT_COUNTER = 30, EVENT_COUNTER_DOUBLE = 44, EVENT_FLOW = 47,
	ANNOTATION_UINT = 3, ANNOTATION_STRING = 6, ANNOTATION_NAME = 10,
	INTERNED_EVENT_NAME = 2, NAME_IID = 1, NAME_TEXT = 2,
	TYPE_BEGIN = 1, TYPE_END = 2, TYPE_COUNTER = 4,
	COUNTER_UNIT = 3, UNIT_BYTES = 3,
	STATE_CLEARED = 1, STATE_NEEDED = 2,
	SEQUENCE = 1,
};

/*
 * The kinds of tracks; the id of a track is made from its kind and two numbers.  Ids are arbitrary but must be unique.
 * The hash functions of base/hash.h that depend on the load address of the program cannot be used: ids would change.
 */
enum kind { DEVICE = 1, PROCESS, TRACK, COUNTER, MEMORY };

static uint64_t uuid(enum kind kind, uint32_t a, uint32_t b)
{
	return hd_hash_fold(((uint64_t)a << 32 | b) ^ (uint64_t)kind * 0x9e3779b97f4a7c15u, 0xd1b54a32d192ed03u) | 1;
}

static uint64_t uuid_of(size_t track)
{
	return uuid(TRACK, 0, (uint32_t)track);
}

/* Like hd_protobuf_u64(), but also write 0, because a packet with timestamp 0 differs from one without a timestamp. */
static void number(struct hd_buf *b, unsigned field, uint64_t v)
{
	hd_protobuf_varint(b, field << 3);
	hd_protobuf_varint(b, v);
}

static void fixed64(struct hd_buf *b, unsigned field, uint64_t v)
{
	hd_protobuf_varint(b, field << 3 | 1);
	hd_buf_le64(b, v);
}

static void text(struct hd_buf *b, unsigned field, const char *s)
{
	struct hd_buf v = { 0 };

	hd_enc_visible(&v, s, strlen(s));	/* protobuf strings must be valid UTF-8 */
	hd_protobuf_bytes(b, field, hd_buf_str(&v), v.len);
	hd_buf_release(&v);
}

/* Write the packet whose content is in f->text. */
static void write_packet(struct hd_trace_export *f)
{
	/* The first packet declares that no state precedes it. */
	hd_protobuf_u64(&f->text, PACKET_FLAGS, f->any ? STATE_NEEDED : STATE_CLEARED | STATE_NEEDED);
	hd_protobuf_u64(&f->text, PACKET_SEQUENCE, SEQUENCE);
	hd_buf_reset(&f->event);
	hd_protobuf_message(&f->event, TRACE_PACKET, &f->text);
	hd_outfile_add(f->out, f->event.data, f->event.len);
}

static uint64_t time_of(const struct hd_trace_export *f, int64_t ns)
{
	return ns > f->base_ns ? (uint64_t)ns - (uint64_t)f->base_ns : 0;
}

static void begin(struct hd_trace_export *f)
{
	hd_protobuf_u64(&f->text, PACKET_FIRST, 1);
	write_packet(f);
}

/*
 * Write the descriptor of a parent track, which groups the tracks of a process or of a device.  That of a device has a
 * name, but no process id.
 */
static void group(struct hd_trace_export *f, bool device, uint32_t id)
{
	const char *name = hd_trace_export_group_name(f, device, id);
	struct hd_buf process = { 0 };

	hd_protobuf_u64(&f->inner, DESCRIPTOR_UUID, uuid(device ? DEVICE : PROCESS, 0, id));
	if (*name)
		text(&f->inner, DESCRIPTOR_NAME, name);
	if (!device) {
		number(&process, PROCESS_PID, id);
		if (*name)
			text(&process, PROCESS_NAME, name);
		hd_protobuf_message(&f->inner, DESCRIPTOR_PROCESS, &process);
	}
	hd_protobuf_message(&f->text, PACKET_TRACK_DESCRIPTOR, &f->inner);
	write_packet(f);
	hd_buf_release(&process);
}

static void track(struct hd_trace_export *f, size_t index)
{
	const struct hd_trace_track *k = &f->tracks.items[index];
	struct hd_buf thread = { 0 };

	hd_protobuf_u64(&f->inner, DESCRIPTOR_UUID, uuid_of(index));
	hd_protobuf_u64(&f->inner, DESCRIPTOR_PARENT, uuid(k->on_device ? DEVICE : PROCESS, 0, k->group));
	text(&f->inner, DESCRIPTOR_NAME, hd_trace_export_track_name(f, k));
	if (!k->on_device && !k->lane) {	/* a thread is described by its first track only */
		number(&thread, THREAD_PID, k->group);
		number(&thread, THREAD_TID, k->line);
		text(&thread, THREAD_NAME, hd_trace_export_track_name(f, k));
		hd_protobuf_message(&f->inner, DESCRIPTOR_THREAD, &thread);
	}
	hd_protobuf_message(&f->text, PACKET_TRACK_DESCRIPTOR, &f->inner);
	write_packet(f);
	hd_buf_release(&thread);
}

static void annotate(struct hd_buf *event, const char *name, uint64_t value)
{
	struct hd_buf a = { 0 };

	hd_protobuf_bytes(&a, ANNOTATION_NAME, name, strlen(name));
	number(&a, ANNOTATION_UINT, value);
	hd_protobuf_message(event, EVENT_ANNOTATION, &a);
	hd_buf_release(&a);
}

/*
 * Add the id of an event's name.  Copies, memory sets and events without a name have no such id: their name is made
 * from their kind, and is written in full.
 */
static void add_name(struct hd_trace_export *f, struct hd_buf *event, const struct hd_gpu_activity *a)
{
	struct hd_buf entry = { 0 }, interned = { 0 };

	if (a->kind == HD_GPU_COPY || a->kind == HD_GPU_SET || !a->name) {
		text(event, EVENT_NAME, hd_trace_export_name(f, a));
		return;
	}
	hd_protobuf_u64(event, EVENT_NAME_IID, a->name);
	if (hd_map_has(&f->written_names, a->name))
		return;
	hd_map_put(&f->written_names, a->name, 1);
	hd_protobuf_u64(&entry, NAME_IID, a->name);
	text(&entry, NAME_TEXT, hd_trace_export_name(f, a));
	hd_protobuf_message(&interned, INTERNED_EVENT_NAME, &entry);
	hd_protobuf_message(&f->text, PACKET_INTERNED, &interned);
	hd_buf_release(&entry);
	hd_buf_release(&interned);
}

static void add_annotations(struct hd_buf *event, const struct hd_gpu_activity *a)
{
	if (a->correlation)
		annotate(event, "correlation", a->correlation);
	if (a->kind <= HD_GPU_GRAPH) {
		annotate(event, "stream", a->stream);
		if (a->sized)
			annotate(event, "bytes", a->bytes);
	}
}

static void slice(struct hd_trace_export *f, size_t index, const struct hd_gpu_activity *a)
{
	struct hd_buf *event = &f->inner;

	number(&f->text, PACKET_TIMESTAMP, time_of(f, a->start_ns));
	hd_protobuf_u64(event, EVENT_TYPE, TYPE_BEGIN);
	hd_protobuf_u64(event, EVENT_TRACK, uuid_of(index));
	text(event, EVENT_CATEGORY, hd_trace_export_category(a));
	add_name(f, event, a);
	add_annotations(event, a);
	if (a->correlation && (a->kind == HD_GPU_LAUNCH || a->joined))
		fixed64(event, EVENT_FLOW, uuid(TRACK, a->pid, 0) ^ a->correlation);
	hd_protobuf_message(&f->text, PACKET_TRACK_EVENT, event);
	write_packet(f);
	number(&f->text, PACKET_TIMESTAMP, time_of(f, a->end_ns));
	hd_protobuf_u64(event, EVENT_TYPE, TYPE_END);
	hd_protobuf_u64(event, EVENT_TRACK, uuid_of(index));
	hd_protobuf_message(&f->text, PACKET_TRACK_EVENT, event);
	write_packet(f);
}

/* ---- counters ---- */

/* Return the index of a counter of a device in f->values.  If the counter is new, write its track descriptor. */
static size_t counter(struct hd_trace_export *f, enum kind kind, uint32_t device, uint32_t name, const char *title)
{
	uint64_t id = uuid(kind, device, name);
	uint32_t i = hd_map_get(&f->counters, id);
	struct hd_buf unit = { 0 };

	if (i != HD_MAP_NONE)
		return i;
	i = (uint32_t)f->nvalues;
	hd_map_put(&f->counters, id, i);
	HD_GROW(f->values, f->nvalues + 1, f->values_cap);
	f->values[f->nvalues++] = 0;
	hd_protobuf_u64(&f->inner, DESCRIPTOR_UUID, id);
	hd_protobuf_u64(&f->inner, DESCRIPTOR_PARENT, uuid(DEVICE, 0, device));
	text(&f->inner, DESCRIPTOR_NAME, title);
	hd_protobuf_u64(&unit, COUNTER_UNIT, kind == MEMORY ? UNIT_BYTES : 0);
	hd_protobuf_message(&f->inner, DESCRIPTOR_COUNTER, &unit);
	hd_protobuf_message(&f->text, PACKET_TRACK_DESCRIPTOR, &f->inner);
	write_packet(f);
	hd_buf_release(&unit);
	return i;
}

static void begin_value(struct hd_trace_export *f, const struct hd_gpu_activity *a, uint64_t id)
{
	number(&f->text, PACKET_TIMESTAMP, time_of(f, a->start_ns));
	hd_protobuf_u64(&f->inner, EVENT_TYPE, TYPE_COUNTER);
	hd_protobuf_u64(&f->inner, EVENT_TRACK, id);
}

static void end_value(struct hd_trace_export *f)
{
	hd_protobuf_message(&f->text, PACKET_TRACK_EVENT, &f->inner);
	write_packet(f);
}

/* Write the bytes allocated on a device. A free without a size does not change the counter. */
static void memory(struct hd_trace_export *f, const struct hd_gpu_activity *a)
{
	size_t i = counter(f, MEMORY, a->device, 0, "allocated");

	f->values[i] += a->kind == HD_GPU_ALLOC ? a->bytes : -a->bytes;
	begin_value(f, a, uuid(MEMORY, a->device, 0));
	number(&f->inner, EVENT_COUNTER, f->values[i]);
	end_value(f);
}

static void metric(struct hd_trace_export *f, const struct hd_gpu_activity *a)
{
	uint64_t bits;

	counter(f, COUNTER, a->device, a->name, hd_trace_export_name(f, a));
	begin_value(f, a, uuid(COUNTER, a->device, a->name));
	memcpy(&bits, &a->value, sizeof(bits));
	fixed64(&f->inner, EVENT_COUNTER_DOUBLE, bits);
	end_value(f);
}

static void end(struct hd_trace_export *f)
{
	(void)f;
}

const struct hd_trace_export_format hd_trace_export_perfetto = { begin, group, track, slice, memory, metric, end };
