/*
 * timeline_export.c - write a timeline in Chrome's JSON form or Perfetto's binary form
 *
 * Both forms have begins and ends, which nest on each thread, and instants for the other kinds of events.  For an END,
 * one end is written for each BEGIN that it closes.  An END whose BEGIN was dropped is skipped.  Times are
 * CLOCK_MONOTONIC.
 *
 * Chrome:   "Trace Event Format", the JSON object form; times in microseconds with three decimals.
 * Perfetto: TrackEvent packets; field numbers from protos/perfetto/trace/trace_packet.proto and
 *           track_event/{track_event,track_descriptor,thread_descriptor,debug_annotation}.proto.
 */
#include "track/atomic_file.h"
#include "track/text.h"
#include "track/timeline.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* For each kind of event: the phase in Chrome's form, the type in Perfetto's form, and the category. */
static const struct { const char *phase; unsigned type; const char *category; } kinds[] = {
	[HD_EVENT_BEGIN] = { "B", 1, NULL },
	[HD_EVENT_END] = { "E", 2, NULL },
	[HD_EVENT_INSTANT] = { "i", 3, "instant" },
	[HD_EVENT_ALLOC] = { "i", 3, "alloc" },
	[HD_EVENT_FREE] = { "i", 3, "free" },
	[HD_EVENT_CUSTOM] = { "i", 3, "custom" },
};

/* ---- Chrome ---- */

static void chrome_args(struct hd_text *t, const struct hd_timeline_event *e)
{
	hd_text_add(t, ",\"args\":{");
	for (unsigned i = 0; i < e->nargs; i++) {
		hd_text_add(t, i ? "," : "");
		hd_text_name(t, HD_TEXT_JSON, e->args[i].key);
		hd_text_add(t, ":");
		if (e->args[i].text)
			hd_text_name(t, HD_TEXT_JSON, e->args[i].text);
		else
			hd_text_number(t, e->args[i].number);
	}
	hd_text_add(t, "}");
}

static void chrome_event(struct hd_text *t, const struct hd_timeline_event *e, bool args)
{
	hd_text_addf(t, ",\n{\"ph\":\"%s\",\"ts\":%llu.%03u,\"pid\":%ld,\"tid\":%u", kinds[e->kind].phase,
		(unsigned long long)(e->t_ns / 1000), (unsigned)(e->t_ns % 1000), (long)getpid(), e->tid);
	if (e->kind != HD_EVENT_END) {
		hd_text_add(t, ",\"name\":");
		hd_text_name(t, HD_TEXT_JSON, e->name);
	}
	if (kinds[e->kind].category)
		hd_text_addf(t, ",\"s\":\"t\",\"cat\":\"%s\"", kinds[e->kind].category);
	if (args && e->nargs)
		chrome_args(t, e);
	hd_text_add(t, "}");
}

static void write_chrome(struct hd_text *t, const struct hd_timeline_event *e, size_t n, const uint32_t *closes,
	uint64_t dropped)
{
	hd_text_addf(t, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"clock\":\"CLOCK_MONOTONIC\",\"dropped\":%llu},"
		"\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":%ld,"
		"\"args\":{\"labels\":\"libhotdrift\"}}", (unsigned long long)dropped, (long)getpid());
	for (size_t i = 0; i < n; i++) {
		uint32_t times = e[i].kind == HD_EVENT_END ? closes[i] : 1;

		for (; times; times--)
			/* only the last end, that of the outermost BEGIN, has the arguments */
			chrome_event(t, &e[i], times == 1);
	}
	hd_text_add(t, "\n]}\n");
}

/* ---- Perfetto ---- */

enum {
	TRACE_PACKET = 1,
	PACKET_TIMESTAMP = 8, PACKET_SEQUENCE = 10, PACKET_TRACK_EVENT = 11, PACKET_TRACK_DESCRIPTOR = 60,
	DESCRIPTOR_UUID = 1, DESCRIPTOR_THREAD = 4, THREAD_PID = 1, THREAD_TID = 2,
	EVENT_ANNOTATION = 4, EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_CATEGORY = 22, EVENT_NAME = 23,
	ANNOTATION_DOUBLE = 5, ANNOTATION_STRING = 6, ANNOTATION_NAME = 10,
	WIRE_VARINT = 0, WIRE_DOUBLE = 1, WIRE_BYTES = 2,
};

static void varint(struct hd_text *t, uint64_t v)
{
	char c;

	for (; v >= 0x80; v >>= 7) {
		c = (char)(v | 0x80);
		hd_text_bytes(t, &c, 1);
	}
	c = (char)v;
	hd_text_bytes(t, &c, 1);
}

static void number(struct hd_text *t, unsigned field, uint64_t v)
{
	varint(t, field << 3 | WIRE_VARINT);
	varint(t, v);
}

static void bytes(struct hd_text *t, unsigned field, const char *s, size_t n)
{
	varint(t, field << 3 | WIRE_BYTES);
	varint(t, n);
	hd_text_bytes(t, s ? s : "", n);
}

/* Append the message, and empty it. */
static void message(struct hd_text *t, unsigned field, struct hd_text *m)
{
	bytes(t, field, m->s, m->n);
	t->failed |= m->failed;
	m->n = 0;
}

/* Append a name in its visible form (visible.h), because Perfetto requires UTF-8. */
static void name(struct hd_text *t, unsigned field, const char *s, struct hd_text *visible)
{
	hd_text_name(visible, HD_TEXT_PLAIN, s);
	message(t, field, visible);
}

static uint64_t track_of(uint32_t tid)
{
	return (uint64_t)getpid() << 32 | tid;
}

/* Buffers for nested messages, which are reused from event to event. */
struct nested {
	struct hd_text packet, event, annotation, visible;
};

static void perfetto_thread(struct hd_text *t, uint32_t tid, struct nested *m)
{
	number(&m->annotation, THREAD_PID, (uint64_t)getpid());
	number(&m->annotation, THREAD_TID, tid);
	number(&m->event, DESCRIPTOR_UUID, track_of(tid));
	message(&m->event, DESCRIPTOR_THREAD, &m->annotation);
	number(&m->packet, PACKET_SEQUENCE, 1);
	message(&m->packet, PACKET_TRACK_DESCRIPTOR, &m->event);
	message(t, TRACE_PACKET, &m->packet);
}

static void perfetto_event(struct hd_text *t, const struct hd_timeline_event *e, bool args, struct nested *m)
{
	for (unsigned i = 0; args && i < e->nargs; i++) {
		name(&m->annotation, ANNOTATION_NAME, e->args[i].key, &m->visible);
		if (e->args[i].text) {
			name(&m->annotation, ANNOTATION_STRING, e->args[i].text, &m->visible);
		} else {
			varint(&m->annotation, ANNOTATION_DOUBLE << 3 | WIRE_DOUBLE);
			/*
			 * Copy the bytes: Perfetto requires little-endian, as are all architectures that hotdrift
			 * supports.
			 */
			hd_text_bytes(&m->annotation, (const char *)&e->args[i].number, sizeof(double));
		}
		message(&m->event, EVENT_ANNOTATION, &m->annotation);
	}
	number(&m->event, EVENT_TYPE, kinds[e->kind].type);
	number(&m->event, EVENT_TRACK, track_of(e->tid));
	if (kinds[e->kind].category)
		bytes(&m->event, EVENT_CATEGORY, kinds[e->kind].category, strlen(kinds[e->kind].category));
	if (e->kind != HD_EVENT_END)
		name(&m->event, EVENT_NAME, e->name, &m->visible);
	number(&m->packet, PACKET_TIMESTAMP, e->t_ns);
	number(&m->packet, PACKET_SEQUENCE, 1);
	message(&m->packet, PACKET_TRACK_EVENT, &m->event);
	message(t, TRACE_PACKET, &m->packet);
}

static int compare_tids(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a < b ? -1 : a > b;
}

static int write_perfetto(struct hd_text *t, const struct hd_timeline_event *e, size_t n, const uint32_t *closes)
{
	uint32_t *tids = malloc((n + 1) * sizeof(*tids));
	struct nested m = { .packet = { 0 } };

	if (!tids)
		return HD_TRACK_NOMEM;
	for (size_t i = 0; i < n; i++)
		tids[i] = e[i].tid;
	qsort(tids, n, sizeof(*tids), compare_tids);
	for (size_t i = 0; i < n; i++)
		if (!i || tids[i] != tids[i - 1])
			perfetto_thread(t, tids[i], &m);
	for (size_t i = 0; i < n; i++) {
		uint32_t times = e[i].kind == HD_EVENT_END ? closes[i] : 1;

		for (; times; times--)
			perfetto_event(t, &e[i], times == 1, &m);
	}
	free(tids);
	hd_text_release(&m.packet);
	hd_text_release(&m.event);
	hd_text_release(&m.annotation);
	hd_text_release(&m.visible);
	return HD_TRACK_OK;
}

int hd_timeline_write(struct hd_profiler *p, const char *path, enum hd_timeline_form form)
{
	struct hd_timeline_event *e;
	struct hd_timeline_sum sum;
	struct hd_text t = { 0 };
	uint32_t *closes;
	int64_t n;
	int rc;

	if (!path || (unsigned)form > HD_TIMELINE_PERFETTO)
		return HD_TRACK_INVALID;
	rc = hd_timeline_sum(p, &sum);
	if (rc < 0)
		return rc;
	n = hd_timeline_copy(p, &e);
	if (n < 0)
		return (int)n;
	closes = calloc((size_t)n + 1, sizeof(*closes));
	for (int64_t i = 0; closes && i < n; i++)
		if (e[i].kind == HD_EVENT_BEGIN && e[i].partner >= 0)
			closes[e[i].partner]++;
	rc = closes ? HD_TRACK_OK : HD_TRACK_NOMEM;
	if (closes && form == HD_TIMELINE_CHROME)
		write_chrome(&t, e, (size_t)n, closes, sum.dropped);
	else if (closes)
		rc = write_perfetto(&t, e, (size_t)n, closes);
	if (rc == HD_TRACK_OK && t.failed)
		rc = HD_TRACK_NOMEM;
	if (rc == HD_TRACK_OK)
		rc = hd_atomic_write(path, t.s ? t.s : "", t.n);
	hd_text_release(&t);
	free(closes);
	free(e);
	return rc;
}
