/* gpu_json.c - print a GPU capture as JSON; see gpu.h */
#include "render/gpu.h"

#include "profile/gpu.h"

#include <math.h>

static void json_name(struct hd_jsonw *w, const char *key, const struct hd_profile *p, uint32_t name)
{
	if (name)
		hd_jsonw_strn(w, key, hd_profile_str(p, name), hd_strtab_len(p->names, name));
	else
		hd_jsonw_null(w, key);
}

static void json_sum(struct hd_jsonw *w, const char *key, const struct hd_gpu_sum *s)
{
	hd_jsonw_row(w, key, '{');
	hd_jsonw_u64(w, "count", s->count);
	hd_jsonw_u64(w, "ns", s->ns);
	hd_jsonw_close(w, '}');
}

static void json_window(struct hd_jsonw *w, const struct hd_gpu_busy *b, const char *name)
{
	if (!hd_gpu_window(b))
		return;
	hd_jsonw_row(w, NULL, '{');
	hd_jsonw_str(w, "window", name);
	hd_jsonw_i64(w, "start_ns", b->start_ns);
	hd_jsonw_i64(w, "end_ns", b->end_ns);
	hd_jsonw_u64(w, "compute_ns", b->compute_ns);
	hd_jsonw_u64(w, "copy_ns", b->copy_ns);
	hd_jsonw_u64(w, "overlap_ns", b->overlap_ns);
	hd_jsonw_u64(w, "idle_ns", b->idle_ns);
	hd_jsonw_u64(w, "host_copy_ns", b->host_copy_ns);
	hd_jsonw_u64(w, "host_copy_alone_ns", b->host_copy_alone_ns);
	hd_jsonw_u64(w, "communication_ns", b->comm_ns);
	hd_jsonw_u64(w, "communication_alone_ns", b->comm_alone_ns);
	hd_jsonw_close(w, '}');
}

static void json_copies(struct hd_jsonw *w, const struct hd_gpu_device *d)
{
	hd_jsonw_open(w, "copies", '[');
	for (int k = 0; k < HD_GPU_COPIES; k++) {
		const struct hd_gpu_copies *c = &d->copies[k];

		if (!c->count)
			continue;
		hd_jsonw_row(w, NULL, '{');
		hd_jsonw_str(w, "kind", hd_gpu_copy_name((enum hd_gpu_copy)k));
		hd_jsonw_u64(w, "count", c->count);
		hd_jsonw_u64(w, "ns", c->ns);
		c->sized ? hd_jsonw_u64(w, "bytes", c->bytes) : hd_jsonw_null(w, "bytes");
		hd_jsonw_num(w, "gbps", c->sized ? hd_gpu_gbps(c) : NAN, 3);
		hd_jsonw_u64(w, "pageable", c->pageable);
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
}

static void json_memory(struct hd_jsonw *w, const struct hd_gpu_memory_use *m)
{
	if (!m->known) {
		hd_jsonw_null(w, "memory");
		return;
	}
	hd_jsonw_row(w, "memory", '{');
	hd_jsonw_u64(w, "used_bytes", m->used_bytes);
	hd_jsonw_u64(w, "peak_bytes", m->peak_bytes);
	hd_jsonw_i64(w, "peak_ns", m->peak_ns);
	hd_jsonw_i64(w, "delta_bytes", m->delta_bytes);
	hd_jsonw_u64(w, "allocations", m->allocs);
	hd_jsonw_u64(w, "frees", m->frees);
	hd_jsonw_u64(w, "unmatched_frees", m->unmatched_frees);
	hd_jsonw_close(w, '}');
}

static void json_gaps(struct hd_jsonw *w, const struct hd_profile *p, const struct hd_gpu_device *d)
{
	hd_jsonw_u64(w, "all_gaps", d->all_gaps);
	hd_jsonw_open(w, "gaps", '[');
	for (size_t k = 0; k < d->ngaps; k++) {
		const struct hd_gpu_gap *g = &d->gaps[k];

		hd_jsonw_row(w, NULL, '{');
		hd_jsonw_i64(w, "start_ns", g->start_ns);
		hd_jsonw_i64(w, "end_ns", g->end_ns);
		json_name(w, "after", p, g->before);
		json_name(w, "before", p, g->after);
		json_name(w, "range", p, g->range);
		hd_jsonw_open(w, "calls", '[');
		for (int i = 0; i < HD_GPU_GAP_CALLS && g->call[i]; i++) {
			hd_jsonw_open(w, NULL, '{');
			json_name(w, "call", p, g->call[i]);
			hd_jsonw_u64(w, "ns", g->call_ns[i]);
			hd_jsonw_close(w, '}');
		}
		hd_jsonw_close(w, ']');
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
}

static void json_device(struct hd_jsonw *w, const struct hd_profile *p, const struct hd_gpu_device *d)
{
	hd_jsonw_open(w, NULL, '{');
	hd_jsonw_u64(w, "device", d->id);
	json_name(w, "name", p, d->name);
	d->total_bytes ? hd_jsonw_u64(w, "total_bytes", d->total_bytes) : hd_jsonw_null(w, "total_bytes");
	hd_jsonw_open(w, "windows", '[');
	json_window(w, &d->active, "active");
	json_window(w, &d->session, "session");
	hd_jsonw_close(w, ']');
	json_sum(w, "kernels", &d->kernels);
	json_sum(w, "communication", &d->comm);
	json_sum(w, "sets", &d->sets);
	json_sum(w, "graphs", &d->graphs);
	json_copies(w, d);
	json_memory(w, &d->memory);
	json_gaps(w, p, d);
	hd_jsonw_close(w, '}');
}

static void json_host(struct hd_jsonw *w, const struct hd_profile *p)
{
	const struct hd_gpu *g = p->gpu;

	hd_jsonw_open(w, "syncs", '[');
	for (int k = 0; k < HD_GPU_SYNCS; k++) {
		if (!g->syncs[k].count)
			continue;
		hd_jsonw_row(w, NULL, '{');
		hd_jsonw_str(w, "kind", hd_gpu_sync_name((enum hd_gpu_sync)k));
		hd_jsonw_u64(w, "count", g->syncs[k].count);
		hd_jsonw_u64(w, "ns", g->syncs[k].ns);
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
	hd_jsonw_open(w, "calls", '[');
	for (size_t i = 0; i < g->ncalls; i++) {
		hd_jsonw_row(w, NULL, '{');
		json_name(w, "call", p, g->calls[i].name);
		hd_jsonw_u64(w, "count", g->calls[i].count);
		hd_jsonw_u64(w, "ns", g->calls[i].ns);
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
	hd_jsonw_row(w, "launch_to_start", '{');
	hd_jsonw_u64(w, "count", g->latency.count);
	hd_jsonw_u64(w, "early", g->latency.early);
	hd_jsonw_num(w, "mean_ns", g->latency.mean_ns, 1);
	hd_jsonw_u64(w, "p50_ns", g->latency.p50_ns);
	hd_jsonw_u64(w, "p95_ns", g->latency.p95_ns);
	hd_jsonw_u64(w, "max_ns", g->latency.max_ns);
	hd_jsonw_close(w, '}');
}

void hd_gpu_json(struct hd_jsonw *w, const struct hd_profile *p)
{
	const struct hd_gpu *g = p->gpu;

	if (!g)
		return;
	hd_jsonw_open(w, "gpu", '{');
	hd_jsonw_str(w, "source", g->source);
	hd_jsonw_str(w, "version", g->version);
	hd_jsonw_str(w, "clock", g->clock);
	hd_jsonw_i64(w, "epoch_ns", g->epoch_ns);
	hd_jsonw_open(w, "devices", '[');
	for (size_t i = 0; i < g->ndevices; i++)
		json_device(w, p, &g->devices[i]);
	hd_jsonw_close(w, ']');
	json_host(w, p);
	hd_jsonw_u64(w, "joined", g->joined);
	hd_jsonw_u64(w, "joinable", g->joinable);
	hd_jsonw_u64(w, "with_stack", g->with_stack);
	hd_jsonw_u64(w, "dropped", g->dropped);
	hd_jsonw_u64(w, "invalid", g->invalid);
	hd_jsonw_open(w, "findings", '[');
	for (size_t i = 0; i < g->nfindings; i++) {
		hd_jsonw_row(w, NULL, '{');
		hd_jsonw_str(w, "code", g->findings[i].code);
		hd_jsonw_u64(w, "device", g->findings[i].device);
		hd_jsonw_str(w, "text", g->findings[i].text);
		hd_jsonw_str(w, "fix", g->findings[i].fix);
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
	hd_jsonw_close(w, '}');
}
