/*
 * speedscope.c - write a profile for speedscope.app
 *
 * Format: www.speedscope.app/file-format-schema.json, profiles of type "sampled".  A profile is a track of
 * sample_tracks.h.  Consecutive samples with equal stacks become one sample with the sum of their weights, so the size
 * of the file depends on how often the stack changes.  A frame is a function of source_functions.h; its file is the
 * source file, or else the object.
 *
 * A profile has the member "hotdrift" with the event and its unit, which hotdrift reads back: the units of the format
 * are those of time and bytes only.  speedscope ignores members that it does not know.
 */
#include "render/export_format.h"
#include "render/sample_tracks.h"
#include "render/source_functions.h"

#include "base/jsonw.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct writing {
	const struct hd_profile *p;
	struct hd_outfile *out;
	struct hd_buf text;
	struct hd_jsonw json;
	struct hd_source_functions functions;
	struct hd_sample_tracks tracks;
	uint32_t *path;			/* reused: functions of a stack, innermost first */
	size_t path_cap;
};

static void write_frames(struct writing *w)
{
	const struct hd_profile *p = w->p;
	struct hd_buf name = { 0 };

	hd_jsonw_open(&w->json, "shared", '{');
	hd_jsonw_open(&w->json, "frames", '[');
	for (uint32_t i = 0; i < w->functions.n; i++) {
		const struct hd_source_function *f = &w->functions.items[i];

		hd_buf_reset(&name);
		hd_source_functions_name(&name, p, f->symbol);
		hd_jsonw_row(&w->json, NULL, '{');
		hd_jsonw_strn(&w->json, "name", hd_buf_str(&name), name.len);
		hd_jsonw_str(&w->json, "file", hd_profile_str(p, f->file ? f->file
			: p->objects[p->symbols[f->symbol].object].name));
		hd_jsonw_close(&w->json, '}');
		hd_export_drain(w->out, &w->text);
	}
	hd_jsonw_close(&w->json, ']');
	hd_jsonw_close(&w->json, '}');
	hd_buf_release(&name);
}

static const char *unit_of(const char *unit)
{
	return !strcmp(unit, "ns") ? "nanoseconds" : !strcmp(unit, "bytes") ? "bytes" : "none";
}

static void write_stack(struct writing *w, hd_stack_id stack)
{
	const struct hd_stack_node *nodes = hd_stacks_nodes(w->p->stacks);
	size_t n = 0;

	w->path = hd_grow(w->path, nodes[stack.v].depth + 1, &w->path_cap, sizeof(*w->path));
	for (uint32_t s = stack.v; s; s = nodes[s].caller)
		w->path[n++] = w->functions.of_frame[nodes[s].frame];
	hd_jsonw_row(&w->json, NULL, '[');
	while (n-- > 0)
		hd_jsonw_u64(&w->json, NULL, w->path[n]);
	hd_jsonw_close(&w->json, ']');
	hd_export_drain(w->out, &w->text);
}

static void write_track(struct writing *w, const struct hd_sample_track *track)
{
	const struct hd_event *event = &w->p->events[track->event];
	struct hd_buf title = { 0 };
	uint64_t weight = 0;

	hd_sample_tracks_title(&title, &w->tracks, track);
	hd_jsonw_open(&w->json, NULL, '{');
	hd_jsonw_str(&w->json, "type", "sampled");
	hd_jsonw_strn(&w->json, "name", title.data, title.len);
	hd_jsonw_str(&w->json, "unit", unit_of(hd_profile_str(w->p, event->unit)));
	hd_jsonw_row(&w->json, "hotdrift", '{');
	hd_jsonw_str(&w->json, "event", hd_profile_str(w->p, event->name));
	hd_jsonw_str(&w->json, "unit", hd_profile_str(w->p, event->unit));
	hd_jsonw_close(&w->json, '}');
	hd_jsonw_u64(&w->json, "startValue", 0);
	hd_jsonw_u64(&w->json, "endValue", track->weight);
	hd_jsonw_open(&w->json, "samples", '[');
	for (size_t i = 0; i < track->n; i++) {
		hd_stack_id stack = hd_sample_tracks_get(&w->tracks, track, i).row->stack;

		if (!i || hd_sample_tracks_get(&w->tracks, track, i - 1).row->stack.v != stack.v)
			write_stack(w, stack);
	}
	hd_jsonw_close(&w->json, ']');
	hd_jsonw_row(&w->json, "weights", '[');
	for (size_t i = 0; i < track->n; i++) {
		struct hd_track_sample s = hd_sample_tracks_get(&w->tracks, track, i);

		weight += s.weight;
		if (i + 1 < track->n && hd_sample_tracks_get(&w->tracks, track, i + 1).row->stack.v == s.row->stack.v)
			continue;
		hd_jsonw_u64(&w->json, NULL, weight);
		weight = 0;
		hd_export_drain(w->out, &w->text);
	}
	hd_jsonw_close(&w->json, ']');
	hd_jsonw_close(&w->json, '}');
	hd_buf_release(&title);
}

static void write_file(struct hd_outfile *out, const struct hd_profile *p)
{
	struct writing w = { .p = p, .out = out };

	hd_source_functions_init(&w.functions, p);
	hd_sample_tracks_init(&w.tracks, p);
	w.json = hd_jsonw_to(&w.text);
	hd_jsonw_open(&w.json, NULL, '{');
	hd_jsonw_str(&w.json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	hd_jsonw_str(&w.json, "exporter", "hotdrift " HD_VERSION);
	hd_jsonw_str(&w.json, "name", p->recording.path ? p->recording.path : "hotdrift");
	hd_jsonw_u64(&w.json, "activeProfileIndex", 0);
	write_frames(&w);
	hd_jsonw_open(&w.json, "profiles", '[');
	for (size_t i = 0; i < w.tracks.n; i++)
		write_track(&w, &w.tracks.items[i]);
	hd_jsonw_close(&w.json, ']');
	hd_jsonw_close(&w.json, '}');
	hd_export_finish(out, &w.text);
	hd_source_functions_release(&w.functions);
	hd_sample_tracks_release(&w.tracks);
	free(w.path);
}

const struct hd_export_format hd_export_speedscope = {
	.keys = HD_KEY_COMM,
	.timed = true,
	.write = write_file,
};
