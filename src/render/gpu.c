/*
 * gpu.c - see gpu.h
 */
#include "render/gpu.h"

#include "base/encode.h"
#include "base/mem.h"
#include "render/unit_text.h"
#include "profile/gpu.h"

#include <string.h>

enum { CALL_ROWS = 10, GAP_ROWS = 5, GAP_FRAMES = 3 };

static void units_cell(struct hd_table *t, uint64_t v, const char *unit)
{
	struct hd_buf b = { 0 };

	hd_unit_text_add(&b, v, unit);
	hd_table_take(t, &b);
}

static void count_cell(struct hd_table *t, uint64_t n)
{
	struct hd_buf b = { 0 };

	hd_unit_text_count(&b, n);
	hd_table_take(t, &b);
}

static void name_cell(struct hd_table *t, const struct hd_profile *p, uint32_t name)
{
	if (name)
		hd_table_cell(t, hd_profile_str(p, name), hd_strtab_len(p->names, name));
	else
		hd_table_pseudo(t, "");
}

static void percent_cell(struct hd_table *t, uint64_t ns, const struct hd_gpu_busy *w)
{
	hd_table_cellf(t, "%.2f%%", hd_gpu_percent(ns, w));
}

/* ---- the tables ---- */

static const struct hd_column device_columns[] = {
	{ "device", false, true },  { "window", false, false },       { "length", true, false },
	{ "compute", true, false }, { "copy", true, false },          { "overlap", true, false },
	{ "idle", true, false },    { "communication", true, false }, { "host copies alone", true, false },
};

static void window_row(struct hd_table *t, const struct hd_profile *p, const struct hd_gpu_device *d,
		       const struct hd_gpu_busy *w, const char *name)
{
	if (!hd_gpu_window(w))
		return;
	hd_table_cellf(t, "%u%s%s", d->id, d->name ? " " : "", d->name ? hd_profile_str(p, d->name) : "");
	hd_table_string(t, name);
	units_cell(t, hd_gpu_window(w), "ns");
	percent_cell(t, w->compute_ns, w);
	percent_cell(t, w->copy_ns, w);
	percent_cell(t, w->overlap_ns, w);
	percent_cell(t, w->idle_ns, w);
	percent_cell(t, w->comm_ns, w);
	percent_cell(t, w->host_copy_alone_ns, w);
}

static void fill_devices(struct hd_table *t, const struct hd_profile *p)
{
	for (size_t i = 0; i < p->gpu->ndevices; i++) {
		const struct hd_gpu_device *d = &p->gpu->devices[i];

		window_row(t, p, d, &d->active, "first to last operation");
		window_row(t, p, d, &d->session, "whole capture");
	}
}

static const struct hd_column operation_columns[] = {
	{ "device", true, false }, { "operation", false, false }, { "count", true, false },    { "time", true, false },
	{ "bytes", true, false },  { "GB/s", true, false },       { "pageable", true, false },
};

static void sum_row(struct hd_table *t, const struct hd_gpu_device *d, const char *name, const struct hd_gpu_sum *s)
{
	if (!s->count)
		return;
	hd_table_cellf(t, "%u", d->id);
	hd_table_string(t, name);
	count_cell(t, s->count);
	units_cell(t, s->ns, "ns");
	for (int i = 0; i < 3; i++)
		hd_table_pseudo(t, "");
}

static void copy_row(struct hd_table *t, const struct hd_gpu_device *d, enum hd_gpu_copy kind)
{
	const struct hd_gpu_copies *c = &d->copies[kind];

	if (!c->count)
		return;
	hd_table_cellf(t, "%u", d->id);
	hd_table_cellf(t, "copy %s", hd_gpu_copy_name(kind));
	count_cell(t, c->count);
	units_cell(t, c->ns, "ns");
	if (c->sized) {
		units_cell(t, c->bytes, "bytes");
		hd_table_cellf(t, "%.3f", hd_gpu_gbps(c));
	} else {
		hd_table_string(t, "n/a");
		hd_table_string(t, "n/a");
	}
	if (hd_gpu_copy_is_host(kind))
		count_cell(t, c->pageable);
	else
		hd_table_pseudo(t, "");
}

static void fill_operations(struct hd_table *t, const struct hd_profile *p)
{
	for (size_t i = 0; i < p->gpu->ndevices; i++) {
		const struct hd_gpu_device *d = &p->gpu->devices[i];

		sum_row(t, d, "kernels", &d->kernels);
		sum_row(t, d, "of these, communication", &d->comm);
		for (int k = 0; k < HD_GPU_COPIES; k++)
			copy_row(t, d, (enum hd_gpu_copy)k);
		sum_row(t, d, "memset", &d->sets);
		sum_row(t, d, "whole graphs", &d->graphs);
	}
}

static const struct hd_column memory_columns[] = {
	{ "device", true, false },  { "used at the end", true, false },  { "peak", true, false },
	{ "peak at", true, false }, { "free at the peak", true, false }, { "total", true, false },
	{ "change", true, false },  { "allocations", true, false },      { "frees", true, false },
};

static void change_cell(struct hd_table *t, int64_t bytes)
{
	struct hd_buf b = { 0 };

	hd_buf_addc(&b, bytes < 0 ? '-' : '+');
	hd_unit_text_add(&b, bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes, "bytes");
	hd_table_take(t, &b);
}

static void fill_memory(struct hd_table *t, const struct hd_profile *p)
{
	for (size_t i = 0; i < p->gpu->ndevices; i++) {
		const struct hd_gpu_device *d = &p->gpu->devices[i];
		const struct hd_gpu_memory_use *m = &d->memory;

		if (!m->known)
			continue;
		hd_table_cellf(t, "%u", d->id);
		units_cell(t, m->used_bytes, "bytes");
		units_cell(t, m->peak_bytes, "bytes");
		units_cell(t, m->peak_ns > d->timeline_ns ? (uint64_t)(m->peak_ns - d->timeline_ns) : 0, "ns");
		if (d->total_bytes >= m->peak_bytes)
			units_cell(t, d->total_bytes - m->peak_bytes, "bytes");
		else
			hd_table_string(t, "n/a");
		if (d->total_bytes)
			units_cell(t, d->total_bytes, "bytes");
		else
			hd_table_string(t, "n/a");
		change_cell(t, m->delta_bytes);
		count_cell(t, m->allocs);
		count_cell(t, m->frees);
	}
}

static const struct hd_column sync_columns[] = { { "waits for", false, false },
						 { "count", true, false },
						 { "time of the host", true, false } };

static void fill_syncs(struct hd_table *t, const struct hd_profile *p)
{
	for (int k = 0; k < HD_GPU_SYNCS; k++) {
		if (!p->gpu->syncs[k].count)
			continue;
		hd_table_string(t, hd_gpu_sync_name((enum hd_gpu_sync)k));
		count_cell(t, p->gpu->syncs[k].count);
		units_cell(t, p->gpu->syncs[k].ns, "ns");
	}
}

static const struct hd_column call_columns[] = { { "time", true, false },
						 { "count", true, false },
						 { "call", false, true } };

static void fill_calls(struct hd_table *t, const struct hd_profile *p)
{
	for (size_t i = 0; i < p->gpu->ncalls && i < CALL_ROWS; i++) {
		units_cell(t, p->gpu->calls[i].ns, "ns");
		count_cell(t, p->gpu->calls[i].count);
		name_cell(t, p, p->gpu->calls[i].name);
	}
}

static const struct hd_column gap_columns[] = {
	{ "device", true, false }, { "length", true, false }, { "after", false, true }, { "before", false, true },
	{ "on the CPU meanwhile", false, true },
};

/*
 * Add a cell about the host in a gap: the NVTX range of the program, the longest API calls, and the stack that launched
 * the operation after the gap.
 */
static void meanwhile_cell(struct hd_table *t, const struct hd_profile *p, const struct hd_gpu_gap *g)
{
	hd_stack_id stack = { g->stack };
	struct hd_buf b = { 0 };

	if (g->range)
		hd_buf_addf(&b, "in %s", hd_profile_str(p, g->range));
	for (int k = 0; k < HD_GPU_GAP_CALLS && g->call[k]; k++) {
		hd_buf_addf(&b, "%s%s ", b.len ? ", " : "", hd_profile_str(p, g->call[k]));
		hd_unit_text_add(&b, g->call_ns[k], "ns");
	}
	for (int k = 0; k < GAP_FRAMES && stack.v; k++, stack = hd_stacks_caller(p->stacks, stack))
		hd_buf_addf(&b, "%s%s", k ? " < " : b.len ? "; ended by " : "ended by ",
			    hd_profile_frame_name(p, hd_stacks_frame(p->stacks, stack), &(bool){ false }));
	hd_table_cell(t, hd_buf_str(&b), b.len);
	hd_buf_release(&b);
}

static void fill_gaps(struct hd_table *t, const struct hd_profile *p)
{
	for (size_t i = 0; i < p->gpu->ndevices; i++) {
		const struct hd_gpu_device *d = &p->gpu->devices[i];

		for (size_t k = 0; k < d->ngaps && k < GAP_ROWS; k++) {
			const struct hd_gpu_gap *g = &d->gaps[k];

			hd_table_cellf(t, "%u", d->id);
			units_cell(t, (uint64_t)(g->end_ns - g->start_ns), "ns");
			name_cell(t, p, g->before);
			name_cell(t, p, g->after);
			meanwhile_cell(t, p, g);
		}
	}
}

static const struct hd_column metric_columns[] = {
	{ "device", true, false }, { "metric", false, true }, { "samples", true, false },
	{ "mean", true, false },   { "max", true, false },
};

static void fill_metrics(struct hd_table *t, const struct hd_profile *p)
{
	for (size_t i = 0; i < p->gpu->nmetrics; i++) {
		const struct hd_gpu_metric *m = &p->gpu->metrics[i];

		hd_table_cellf(t, "%u", m->device);
		name_cell(t, p, m->name);
		count_cell(t, m->count);
		hd_table_real(t, m->mean);
		hd_table_real(t, m->max);
	}
}

const struct hd_gpu_table hd_gpu_tables[] = {
	{ "Devices", device_columns, HD_COUNT(device_columns), fill_devices },
	{ "Operations", operation_columns, HD_COUNT(operation_columns), fill_operations },
	{ "Device memory", memory_columns, HD_COUNT(memory_columns), fill_memory },
	{ "Longest gaps of a device", gap_columns, HD_COUNT(gap_columns), fill_gaps },
	{ "Waiting for a device", sync_columns, HD_COUNT(sync_columns), fill_syncs },
	{ "API calls", call_columns, HD_COUNT(call_columns), fill_calls },
	{ "Hardware metrics", metric_columns, HD_COUNT(metric_columns), fill_metrics },
};
const size_t hd_gpu_ntables = HD_COUNT(hd_gpu_tables);

/* ---- lines ---- */

void hd_gpu_finding_text(struct hd_buf *out, const struct hd_gpu_finding *f)
{
	hd_buf_addf(out, "%s%s%s", f->text, *f->fix ? "; " : "", f->fix);
}

void hd_gpu_info_text(struct hd_buf *out, const struct hd_profile *p)
{
	const struct hd_gpu *g = p->gpu;

	if (!g)
		return;
	hd_buf_addf(out, "%-11s %s", "gpu", g->source);
	if (g->version) {
		hd_buf_addc(out, ' ');
		hd_enc_term(out, g->version, strlen(g->version));
	}
	hd_buf_addf(out, ", %zu device%s; time 0 is %s\n", g->ndevices, g->ndevices == 1 ? "" : "s", g->clock);
	if (g->joinable) {
		hd_buf_addf(out, "%-11s ", "launches");
		hd_unit_text_count(out, g->joined);
		hd_buf_adds(out, " of ");
		hd_unit_text_count(out, g->joinable);
		hd_buf_adds(out, " operations have their API call, ");
		hd_unit_text_count(out, g->with_stack);
		hd_buf_adds(out, " its CPU stack\n");
	}
	if (g->latency.count) {
		hd_buf_addf(out, "%-11s launch to start: mean ", "");
		hd_unit_text_add(out, (uint64_t)(g->latency.mean_ns + 0.5), "ns");
		hd_buf_adds(out, ", p50 ");
		hd_unit_text_add(out, g->latency.p50_ns, "ns");
		hd_buf_adds(out, ", p95 ");
		hd_unit_text_add(out, g->latency.p95_ns, "ns");
		hd_buf_adds(out, ", max ");
		hd_unit_text_add(out, g->latency.max_ns, "ns");
		hd_buf_addc(out, '\n');
	}
	for (size_t i = 0; i < g->nfindings; i++) {
		struct hd_buf b = { 0 };

		hd_gpu_finding_text(&b, &g->findings[i]);
		hd_buf_addf(out, "%-11s ", i ? "" : "findings");
		hd_enc_term(out, hd_buf_str(&b), b.len);
		hd_buf_addf(out, " (%s)\n", g->findings[i].code);
		hd_buf_release(&b);
	}
}
