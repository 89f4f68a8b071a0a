/* trace_export.c - the parts that both formats of trace_export.h share */
#include "render/trace_export.h"

#include "base/mem.h"
#include "gpu/kineto_event.h"

#include <stdlib.h>
#include <string.h>

/* Return true if the activity is drawn as a slice.  A synchronisation is not: the API call that waits has a slice. */
static bool has_slice(const struct hd_gpu_activity *a)
{
	return a->kind <= HD_GPU_GRAPH || a->kind == HD_GPU_LAUNCH || a->kind == HD_GPU_RANGE;
}

const char *hd_trace_export_category(const struct hd_gpu_activity *a)
{
	return hd_kineto_category_name((enum hd_gpu_kind)a->kind);
}

const char *hd_trace_export_name(struct hd_trace_export *f, const struct hd_gpu_activity *a)
{
	const char *to = hd_gpu_memory_kind_name((enum hd_gpu_memory_kind)a->to);

	hd_buf_reset(&f->name);
	if (a->kind == HD_GPU_COPY)
		hd_buf_addf(&f->name, "Memcpy %s (%s -> %s)", hd_gpu_copy_name((enum hd_gpu_copy)a->copy),
			    hd_gpu_memory_kind_name((enum hd_gpu_memory_kind)a->from), to);
	else if (a->kind == HD_GPU_SET)
		hd_buf_addf(&f->name, "Memset (%s)", to);
	else
		hd_buf_add(&f->name, hd_strtab_get(f->dict->names, a->name), hd_strtab_len(f->dict->names, a->name));
	if (!f->name.len)
		hd_buf_adds(&f->name, "[unknown]");
	return f->name.data;
}

const char *hd_trace_export_group_name(struct hd_trace_export *f, bool device, uint32_t id)
{
	uint32_t name = 0;

	for (size_t i = 0; device && i < f->capture->ndevices; i++)
		name = f->capture->devices[i].id == id ? f->capture->devices[i].name : name;
	for (size_t i = 0; !device && i < f->capture->nprocesses; i++)
		name = f->capture->processes[i].pid == id ? f->capture->processes[i].name : name;
	hd_buf_reset(&f->name);
	if (device)
		hd_buf_addf(&f->name, "GPU %u", id);
	if (name)
		hd_buf_addf(&f->name, "%s%s", device ? ": " : "", hd_strtab_get(f->dict->names, name));
	return hd_buf_str(&f->name);
}

const char *hd_trace_export_track_name(struct hd_trace_export *f, const struct hd_trace_track *k)
{
	hd_buf_reset(&f->name);
	hd_buf_addf(&f->name, k->on_device ? "stream %u" : "thread %u", k->line);
	if (k->lane)
		hd_buf_addf(&f->name, " (%u)", k->lane + 1);
	return f->name.data;
}

static void begin(struct hd_trace_export *f)
{
	const struct hd_gpu_capture *c = f->capture;

	f->begun = true;
	if (c->clock && !strcmp(c->clock, "1970"))
		f->base_ns = c->session_start_ns;
	f->format->begin(f);
}

static void describe_group(struct hd_trace_export *f, bool device, uint32_t id)
{
	if (hd_map_has(&f->groups[device], id))
		return;
	hd_map_put(&f->groups[device], id, 1);
	f->format->group(f, device, id);
}

void hd_trace_export_begin(struct hd_trace_export *f, const struct hd_trace_export_format *format,
	struct hd_outfile *out, const struct hd_gpu_dict *dict, const struct hd_gpu_capture *capture)
{
	*f = (struct hd_trace_export){ .format = format, .out = out, .dict = dict, .capture = capture };
}

int hd_trace_export_add(struct hd_trace_export *f, const struct hd_gpu_activity *a, struct hd_err *err)
{
	size_t track;

	(void)err;
	if (!f->begun)
		begin(f);
	f->any = true;
	if (has_slice(a)) {
		track = hd_trace_tracks_find(&f->tracks, a);
		if (!f->tracks.items[track].described) {
			f->tracks.items[track].described = true;
			describe_group(f, f->tracks.items[track].on_device, f->tracks.items[track].group);
			f->format->track(f, track);
		}
		f->format->slice(f, track, a);
	} else if (a->kind == HD_GPU_ALLOC || a->kind == HD_GPU_FREE) {
		describe_group(f, true, a->device);
		f->format->memory(f, a);
	} else if (a->kind == HD_GPU_METRIC) {
		describe_group(f, true, a->device);
		f->format->metric(f, a);
	}
	return 0;
}

void hd_trace_export_end(struct hd_trace_export *f, bool whole)
{
	if (whole && !f->begun)
		begin(f);
	if (whole)
		f->format->end(f);
	hd_trace_tracks_release(&f->tracks);
	hd_map_release(&f->groups[0]);
	hd_map_release(&f->groups[1]);
	hd_map_release(&f->written_names);
	hd_map_release(&f->counters);
	free(f->values);
	hd_buf_release(&f->text);
	hd_buf_release(&f->inner);
	hd_buf_release(&f->event);
	hd_buf_release(&f->name);
}
