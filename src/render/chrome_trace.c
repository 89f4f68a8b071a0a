/*
 * chrome_trace.c - write Chrome trace events; see trace_export.h
 *
 * Each event is on one line, so that text tools can process the file.
 *
 *     pid    the number of the device; for calls on the host, the pid of the process
 *     tid    S + 2^32 * LANE.  S is the number of the stream of the device; for calls on the host, the tid of the
 *            thread.  LANE is 0 unless slices of S overlap without nesting.  Viewers cannot draw such slices in one
 *            row, so they are distributed over lanes 0, 1, ..., which are drawn as separate rows (trace_tracks.h)
 *     args   the member `stream` is the number of the stream, without the lane
 */
#include "render/trace_export.h"

#include "base/encode.h"
#include "track/decimal.h"

#include <string.h>

static void add_text(struct hd_buf *b, const char *s)
{
	hd_enc_json(b, s, strlen(s));
}

/* Append the member `key`: nanoseconds, printed as microseconds with three decimals. */
static void add_us(struct hd_buf *b, const char *key, int64_t ns)
{
	uint64_t n = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	hd_buf_addf(b, "\"%s\": %s%llu.%03u", key, ns < 0 ? "-" : "", (unsigned long long)(n / 1000),
		    (unsigned)(n % 1000));
}

static void write_out(struct hd_trace_export *f)
{
	hd_outfile_add(f->out, f->text.data, f->text.len);
	hd_buf_reset(&f->text);
}

/* Begin an event in f->text. The caller adds its members and calls end_event(). */
static struct hd_buf *begin_event(struct hd_trace_export *f, const char *phase)
{
	hd_buf_addf(&f->text, "%s\n{\"ph\": \"%s\"", f->events++ ? "," : "", phase);
	return &f->text;
}

static void end_event(struct hd_trace_export *f)
{
	hd_buf_addc(&f->text, '}');
	write_out(f);
}

static void begin(struct hd_trace_export *f)
{
	const struct hd_gpu_capture *c = f->capture;
	struct hd_buf *b = &f->text;
	int64_t base = f->base_ns ? f->base_ns : c->epoch_ns;

	hd_buf_adds(b, "{\n\"schemaVersion\": 1,\n\"generator\": \"hotdrift " HD_VERSION
		    "\",\n\"displayTimeUnit\": \"ns\",\n");
	if (base)
		hd_buf_addf(b, "\"baseTimeNanoseconds\": %lld,\n", (long long)base);
	hd_buf_adds(b, "\"deviceProperties\": [");
	for (size_t i = 0; i < c->ndevices; i++) {
		hd_buf_addf(b, "%s\n{\"id\": %u, \"name\": ", i ? "," : "", c->devices[i].id);
		add_text(b, hd_strtab_get(f->dict->names, c->devices[i].name));
		if (c->devices[i].total_bytes)
			hd_buf_addf(b, ", \"totalGlobalMem\": %llu", (unsigned long long)c->devices[i].total_bytes);
		hd_buf_addc(b, '}');
	}
	hd_buf_adds(b, "],\n\"traceEvents\": [");
	write_out(f);
}

static void metadata(struct hd_trace_export *f, const char *what, uint32_t pid, uint64_t tid, const char *name)
{
	struct hd_buf *b = begin_event(f, "M");

	hd_buf_addf(b, ", \"name\": \"%s\", \"pid\": %u, \"tid\": %llu, \"args\": {\"name\": ", what, pid,
		    (unsigned long long)tid);
	add_text(b, name);
	hd_buf_addc(b, '}');
	end_event(f);
}

static void group(struct hd_trace_export *f, bool device, uint32_t id)
{
	const char *name = hd_trace_export_group_name(f, device, id);

	if (*name)
		metadata(f, "process_name", id, 0, name);
}

static uint64_t tid_of(const struct hd_trace_track *k)
{
	return k->line + ((uint64_t)k->lane << 32);
}

static void track(struct hd_trace_export *f, size_t index)
{
	const struct hd_trace_track *k = &f->tracks.items[index];

	metadata(f, "thread_name", k->group, tid_of(k), hd_trace_export_track_name(f, k));
}

static void add_args(struct hd_trace_export *f, const struct hd_gpu_activity *a)
{
	struct hd_buf *b = &f->text;
	const char *comma = "";

	hd_buf_adds(b, ", \"args\": {");
	if (a->kind <= HD_GPU_GRAPH) {
		hd_buf_addf(b, "\"device\": %u, \"context\": %u, \"stream\": %u", a->device, a->context, a->stream);
		comma = ", ";
	}
	if (a->correlation) {
		hd_buf_addf(b, "%s\"correlation\": %llu", comma, (unsigned long long)a->correlation);
		comma = ", ";
	}
	if (a->sized) {
		hd_buf_addf(b, "%s\"bytes\": %llu", comma, (unsigned long long)a->bytes);
		comma = ", ";
	}
	if (a->graph) {
		hd_buf_addf(b, "%s\"graph id\": %u", comma, a->graph);
		comma = ", ";
	}
	if (a->full && a->full != a->name) {
		hd_buf_addf(b, "%s\"full name\": ", comma);
		add_text(b, hd_strtab_get(f->dict->names, a->full));
	}
	hd_buf_addc(b, '}');
}

/*
 * Write an arrow from an API call to the operation that it launched.  "bp": "e" makes the arrow end at the slice that
 * contains the time `ts`.  By default it would end at the next slice after `ts`.
 */
static void add_arrow(struct hd_trace_export *f, const struct hd_trace_track *k, const struct hd_gpu_activity *a)
{
	struct hd_buf *b = begin_event(f, "s");

	f->arrows++;
	hd_buf_addf(b, ", \"cat\": \"ac2g\", \"name\": \"ac2g\", \"id\": %llu, \"pid\": %u, \"tid\": %u, ",
		    (unsigned long long)f->arrows, a->pid, a->tid);
	add_us(b, "ts", a->launch_ns - f->base_ns);
	end_event(f);
	b = begin_event(f, "f");
	hd_buf_addf(b, ", \"bp\": \"e\", \"cat\": \"ac2g\", \"name\": \"ac2g\", "
		    "\"id\": %llu, \"pid\": %u, \"tid\": %llu, ",
		    (unsigned long long)f->arrows, k->group, (unsigned long long)tid_of(k));
	add_us(b, "ts", a->start_ns - f->base_ns);
	end_event(f);
}

static void slice(struct hd_trace_export *f, size_t index, const struct hd_gpu_activity *a)
{
	const struct hd_trace_track *k = &f->tracks.items[index];
	struct hd_buf *b = begin_event(f, "X");

	hd_buf_addf(b, ", \"cat\": \"%s\", \"name\": ", hd_trace_export_category(a));
	add_text(b, hd_trace_export_name(f, a));
	hd_buf_addf(b, ", \"pid\": %u, \"tid\": %llu, ", k->group, (unsigned long long)tid_of(k));
	add_us(b, "ts", a->start_ns - f->base_ns);
	hd_buf_adds(b, ", ");
	add_us(b, "dur", a->end_ns - a->start_ns);
	if (a->kind != HD_GPU_RANGE)
		add_args(f, a);
	end_event(f);
	if (a->kind <= HD_GPU_GRAPH && a->joined)
		add_arrow(f, k, a);
}

/*
 * Write an allocation or a free of device memory as an event with the members that PyTorch writes.  "Device Type" 1
 * means GPU.  A free of unknown size has 0 bytes.
 */
static void memory(struct hd_trace_export *f, const struct hd_gpu_activity *a)
{
	struct hd_buf *b = begin_event(f, "i");

	hd_buf_addf(b, ", \"s\": \"t\", \"cat\": \"cpu_instant_event\", \"name\": \"[memory]\", "
		    "\"pid\": %u, \"tid\": %u, ", a->pid, a->tid);
	add_us(b, "ts", a->start_ns - f->base_ns);
	hd_buf_addf(b, ", \"args\": {\"Addr\": %llu, \"Bytes\": %s%llu, \"Device Type\": 1, \"Device Id\": %u}",
		    (unsigned long long)a->address, a->kind == HD_GPU_FREE && a->bytes ? "-" : "",
		    (unsigned long long)a->bytes, a->device);
	end_event(f);
}

static void metric(struct hd_trace_export *f, const struct hd_gpu_activity *a)
{
	struct hd_buf *b = begin_event(f, "C");
	char value[HD_NUM_TEXT];

	hd_num_es6(a->value, value);
	hd_buf_addf(b, ", \"pid\": %u, \"tid\": 0, \"name\": ", a->device);
	add_text(b, hd_trace_export_name(f, a));
	hd_buf_adds(b, ", ");
	add_us(b, "ts", a->start_ns - f->base_ns);
	hd_buf_addf(b, ", \"args\": {\"value\": %s}", value);
	end_event(f);
}

/* The session is an event, as in Kineto's traces, so that idle time at its ends is visible. */
static void end(struct hd_trace_export *f)
{
	const struct hd_gpu_capture *c = f->capture;
	struct hd_buf *b;

	if (c->session_end_ns > c->session_start_ns) {
		b = begin_event(f, "X");
		hd_buf_adds(b, ", \"cat\": \"Trace\", \"name\": \"session\", \"pid\": \"Spans\", "
			       "\"tid\": \"session\", ");
		add_us(b, "ts", c->session_start_ns - f->base_ns);
		hd_buf_adds(b, ", ");
		add_us(b, "dur", c->session_end_ns - c->session_start_ns);
		end_event(f);
	}
	hd_outfile_add(f->out, "\n]\n}\n", 5);
}

const struct hd_trace_export_format hd_trace_export_chrome = { begin, group, track, slice, memory, metric, end };
