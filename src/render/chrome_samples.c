/*
 * chrome_samples.c - write samples as CPU profiles of Chrome's trace events
 *
 * Each track of sample_tracks.h is a V8 CPU profile: an event `Profile`, then events `ProfileChunk` with the new nodes
 * of the call tree, the samples and the times between them.  ui.perfetto.dev, trace_processor, Chrome's performance
 * panel and speedscope read this form.  The "Trace Event Format" also has a form for samples (`stackFrames` and
 * `samples`).  It was rejected, because only chrome://tracing reads it.
 *
 * A CPU profile has no weights, so consumers count samples.  Times are microseconds; deltas are differences of rounded
 * times, so that rounding does not add up.  Node 1 is the root; stack s of the profile is node s + 1.
 *
 * Format: chromedevtools.github.io/devtools-protocol, Profiler.Profile.  The events are those that V8 writes.
 */
#include "render/export_format.h"
#include "render/sample_tracks.h"
#include "render/source_functions.h"

#include "base/encode.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 4096 };			/* maximum number of samples in one ProfileChunk */

struct writing {
	const struct hd_profile *p;
	struct hd_outfile *out;
	struct hd_buf text, name;
	struct hd_sample_tracks tracks;
	uint32_t *node_of;		/* indexed by stack: 1 + the last track in which its node was written */
	uint32_t *path;			/* reused: the stacks of one path */
	size_t path_cap;
	bool any;			/* at least one event was written, so the next one needs a comma */
};

/* Begin an event.  Every event has a category, because speedscope rejects a file whose first event has none. */
static void begin_event(struct writing *w, const char *phase, const char *name, const struct hd_sample_track *track)
{
	hd_buf_addf(&w->text, "%s\n{\"ph\": \"%s\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %d, \"tid\": %d",
		w->any ? "," : "", phase, *phase == 'M' ? "__metadata" : "disabled-by-default-v8.cpu_profiler", name,
		track->pid, track->tid);
	w->any = true;
}

static void end_event(struct writing *w)
{
	hd_buf_addc(&w->text, '}');
	hd_export_drain(w->out, &w->text);
}

static void write_name(struct writing *w, const char *what, const struct hd_sample_track *track)
{
	const char *name = hd_profile_str(w->p, track->comm);

	begin_event(w, "M", what, track);
	hd_buf_adds(&w->text, ", \"args\": {\"name\": ");
	hd_enc_json(&w->text, name, strlen(name));
	hd_buf_addc(&w->text, '}');
	end_event(w);
}

static void add_node(struct writing *w, uint32_t stack, bool first)
{
	const struct hd_profile *p = w->p;
	const struct hd_stack_node *node = &hd_stacks_nodes(p->stacks)[stack];
	const struct hd_frame *f = &p->frames[node->frame];
	const char *url = hd_profile_str(p, f->file ? f->file : p->objects[p->symbols[f->symbol].object].name);

	hd_buf_reset(&w->name);
	hd_source_functions_name(&w->name, p, f->symbol);
	hd_buf_addf(&w->text, "%s{\"id\": %llu, \"parent\": %llu, \"callFrame\": {\"functionName\": ",
		first ? "" : ", ", (unsigned long long)stack + 1, (unsigned long long)node->caller + 1);
	hd_enc_json(&w->text, hd_buf_str(&w->name), w->name.len);
	hd_buf_adds(&w->text, ", \"url\": ");
	hd_enc_json(&w->text, url, strlen(url));
	/* in this format, lines count from 0, and -1 is unknown */
	hd_buf_addf(&w->text, ", \"scriptId\": 0, \"lineNumber\": %lld, \"columnNumber\": -1}}",
		(long long)f->line - 1);
}

/*
 * Write the nodes of a stack and its callers that were not written in this track yet, outermost first.  first: the list
 * of nodes is still empty.  Returns `first` for the next call.
 */
static bool add_nodes(struct writing *w, uint32_t stack, uint32_t track, bool first)
{
	const struct hd_stack_node *nodes = hd_stacks_nodes(w->p->stacks);
	size_t n = 0;

	w->path = hd_grow(w->path, nodes[stack].depth + 1, &w->path_cap, sizeof(*w->path));
	for (; stack && w->node_of[stack] != track + 1; stack = nodes[stack].caller) {
		w->node_of[stack] = track + 1;
		w->path[n++] = stack;
	}
	for (; n > 0; first = false)
		add_node(w, w->path[--n], first);
	return first;
}

static uint64_t us_of(const struct writing *w, const struct hd_sample_track *track, size_t i)
{
	return hd_sample_tracks_get(&w->tracks, track, i).time_ns / 1000;
}

static void write_chunk(struct writing *w, uint32_t t, size_t from, size_t to)
{
	const struct hd_sample_track *track = &w->tracks.items[t];
	bool first = from > 0;

	begin_event(w, "P", "ProfileChunk", track);
	hd_buf_addf(&w->text, ", \"id\": \"0x%x\", \"ts\": %llu, "
		"\"args\": {\"data\": {\"cpuProfile\": {\"nodes\": [", t + 1,
		(unsigned long long)us_of(w, track, from));
	if (!from)
		hd_buf_adds(&w->text, "{\"id\": 1, \"callFrame\": {\"functionName\": \"(root)\", \"url\": \"\", "
				      "\"scriptId\": 0, \"lineNumber\": -1, \"columnNumber\": -1}}");
	for (size_t i = from; i < to; i++)
		first = add_nodes(w, hd_sample_tracks_get(&w->tracks, track, i).row->stack.v, t, first);
	hd_buf_adds(&w->text, "], \"samples\": [");
	for (size_t i = from; i < to; i++)
		hd_buf_addf(&w->text, "%s%u", i > from ? ", " : "",
			hd_sample_tracks_get(&w->tracks, track, i).row->stack.v + 1);
	hd_buf_adds(&w->text, "]}, \"timeDeltas\": [");
	for (size_t i = from; i < to; i++)
		hd_buf_addf(&w->text, "%s%llu", i > from ? ", " : "",
			i ? (unsigned long long)(us_of(w, track, i) - us_of(w, track, i - 1)) : 0);
	hd_buf_adds(&w->text, "]}}");
	end_event(w);
}

static void write_track(struct writing *w, uint32_t t)
{
	const struct hd_sample_track *track = &w->tracks.items[t];
	unsigned long long start = us_of(w, track, 0);

	write_name(w, "thread_name", track);
	if (track->pid == track->tid)
		write_name(w, "process_name", track);
	begin_event(w, "P", "Profile", track);
	hd_buf_addf(&w->text, ", \"id\": \"0x%x\", \"ts\": %llu, "
		"\"args\": {\"data\": {\"startTime\": %llu}}", t + 1, start, start);
	end_event(w);
	for (size_t i = 0; i < track->n; i += CHUNK)
		write_chunk(w, t, i, i + CHUNK < track->n ? i + CHUNK : track->n);
}

static void write_samples(struct hd_outfile *out, const struct hd_profile *p)
{
	struct writing w = { .p = p, .out = out };

	hd_sample_tracks_init(&w.tracks, p);
	w.node_of = hd_new_array(uint32_t, hd_stacks_count(p->stacks));
	hd_buf_adds(&w.text, "{\n\"generator\": \"hotdrift " HD_VERSION "\",\n\"displayTimeUnit\": \"ns\",\n"
			     "\"traceEvents\": [");
	for (uint32_t i = 0; i < w.tracks.n; i++)
		if (!w.tracks.items[i].merged)
			write_track(&w, i);
	hd_buf_adds(&w.text, "\n]\n}\n");
	hd_export_finish(out, &w.text);
	hd_sample_tracks_release(&w.tracks);
	hd_buf_release(&w.name);
	free(w.node_of);
	free(w.path);
}

const struct hd_export_format hd_export_chrome = {
	.keys = HD_KEY_COMM,
	.timed = true,
	.needs_times = true,
	.write = write_samples,
	.timeline = &hd_trace_export_chrome,
};
