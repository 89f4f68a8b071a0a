/*
 * perf_gpu_join.c - see perf_gpu_join.h
 */
#include "pipeline/perf_gpu_join.h"

#include "base/buf.h"
#include "base/mem.h"
#include "gpu/launch_stacks.h"
#include "pipeline/gpu_input.h"
#include "pipeline/pipeline.h"
#include "profile/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NS = 1000000000 };

/*
 * If `gpu` is true, return the names given with --event that select GPU events; otherwise return the other names.  The
 * caller frees .items; the names are borrowed.
 */
static struct hd_string_list events_of(const struct hd_string_list *all, bool gpu)
{
	struct hd_string_list w = { .items = hd_new_array(const char *, all->n + 1) };

	for (size_t i = 0; i < all->n; i++)
		if (hd_gpu_is_event(all->items[i]) == gpu)
			w.items[w.n++] = all->items[i];
	return w;
}

/*
 * Read the recording with the samples of the launch marker (a uprobe at each CUDA launch).  The marker's argument, the
 * correlation id of the launch, becomes an additional key of the rows.
 */
static int read_recording(struct hd_profile **out, const char *path, const struct hd_pipeline_opts *opts,
			  struct hd_err *err)
{
	struct hd_pipeline_opts o = *opts;
	int rc;

	if (opts->fields.n >= HD_FIELDS_MAX)
		return hd_fail(err, HD_EUSAGE,
			       "--gpu-trace uses one of the %d fields that are possible",
			       HD_FIELDS_MAX - 1);
	o.gpu_trace = NULL;
	o.launches = true;
	o.keys |= HD_KEY_PID;
	o.fields = (struct hd_string_list){ .items = hd_new_array(const char *, opts->fields.n + 1),
		.n = opts->fields.n + 1 };
	for (size_t i = 0; i < opts->fields.n; i++)
		o.fields.items[i] = opts->fields.items[i];
	o.fields.items[opts->fields.n] = HD_LAUNCH_FIELD;
	o.select.event = events_of(&opts->select.event, false);
	/*
	 * The launch marker is always read.  An empty list of events would select all CPU events.  So if --event names
	 * GPU events only, the list gets the name of the marker.
	 */
	if (opts->select.event.n && !o.select.event.n)
		o.select.event.items[o.select.event.n++] = HD_LAUNCH_MARKER;
	rc = hd_pipeline_read(out, path, &o, err);
	free(o.fields.items);
	free(o.select.event.items);
	return rc;
}

static int join(struct hd_profile *p, const char *path, const struct hd_pipeline_opts *opts, struct hd_err *err)
{
	struct hd_pipeline_opts o = {
		.select = opts->select, .keys = hd_pipeline_keys(opts), .full_names = opts->full_names,
		.squares = opts->squares
	};
	struct hd_launch_stacks l = { 0 };
	int rc = 0;

	hd_launch_stacks_build(&l, p, opts->fields.n);
	if (!l.samples)
		rc = hd_fail(err, HD_EFORMAT,
			     "%s: has no sample of " HD_LAUNCH_MARKER
			     ", by which %s is joined; docs/gpu.md has the two commands that record it",
			     path, opts->gpu_trace);
	else if (!p->recording.monotonic)
		rc = hd_fail(err, HD_EFORMAT,
			     "%s: its times are not CLOCK_MONOTONIC, as those of %s are; record it with perf record -k "
			     "CLOCK_MONOTONIC",
			     path, opts->gpu_trace);
	o.select.event = events_of(&opts->select.event, true);
	o.select.filter = o.select.weight_field = NULL;
	if (o.select.weight > HD_WEIGHT_SAMPLES)
		o.select.weight = HD_WEIGHT_PERIOD;
	if (rc >= 0 && (o.select.event.n || !opts->select.event.n))
		rc = hd_gpu_input_add(p, opts->gpu_trace, &l, &o, err);
	free(o.select.event.items);
	hd_launch_stacks_release(&l);
	return rc;
}

/* ---- CPU samples in the gaps of a GPU ---- */

enum { GAP_DEVICES = 4, GAP_FRAMES = 4 };

/* Return the first event that has samples and is neither the launch marker nor a GPU event; NULL: none. */
static const char *cpu_event(const struct hd_profile *p)
{
	for (size_t i = 0; i < p->nevents; i++) {
		const char *name = hd_profile_str(p, p->events[i].name);

		if (p->events[i].samples && !hd_gpu_is_event(name) && !hd_launch_stacks_is_marker(name))
			return name;
	}
	return NULL;
}

/* Return the row of event 0 with the largest weight, or NULL. */
static const struct hd_sample_row *costliest(const struct hd_profile *p)
{
	const struct hd_sample_row *best = NULL;

	for (size_t i = 0; i < p->rows.n; i++)
		if (p->rows.items[i].event == 0 && (!best || p->rows.items[i].weight > best->weight))
			best = &p->rows.items[i];
	return best;
}

static void add_finding(struct hd_gpu *g, uint32_t device, const struct hd_gpu_gap *gap,
			const struct hd_profile *during)
{
	const struct hd_sample_row *row = costliest(during);
	hd_stack_id at = row ? row->stack : (hd_stack_id){ 0 };
	struct hd_buf text = { 0 };

	if (!row)
		return;
	hd_buf_addf(&text, "GPU %u: in its largest gap (%.3f ms) the CPU ran ", device,
		    (double)(gap->end_ns - gap->start_ns) / 1e6);
	for (int i = 0; i < GAP_FRAMES && at.v; i++, at = hd_stacks_caller(during->stacks, at))
		hd_buf_addf(&text, "%s%s", i ? " < " : "",
			    hd_profile_frame_name(during, hd_stacks_frame(during->stacks, at), &(bool){ false }));
	hd_buf_addf(&text, "%s in %llu of %llu samples", at.v ? " < ..." : "", (unsigned long long)row->count,
		    (unsigned long long)during->events[0].samples);
	HD_GROW(g->findings, g->nfindings + 1, g->findings_cap);
	g->findings[g->nfindings++] =
		(struct hd_gpu_finding){ "gpu.gap-stack", device, hd_buf_take(&text), hd_strdup("") };
}

/*
 * For the largest gap of each of the first GAP_DEVICES devices, add a finding that names the CPU stack with the largest
 * weight in the gap.
 */
static void explain_gaps(struct hd_profile *p, const char *path, const struct hd_pipeline_opts *opts)
{
	const char *event = cpu_event(p);

	for (size_t d = 0; event && p->gpu && d < p->gpu->ndevices && d < GAP_DEVICES; d++) {
		const struct hd_gpu_device *device = &p->gpu->devices[d];
		struct hd_pipeline_opts o = *opts;
		struct hd_profile *during = NULL;
		struct hd_err ignored;
		char time[64];

		if (!device->ngaps || device->gaps[0].start_ns < 0)
			continue;
		snprintf(time, sizeof(time), "%lld.%09lld,%lld.%09lld", (long long)device->gaps[0].start_ns / NS,
			 (long long)device->gaps[0].start_ns % NS, (long long)device->gaps[0].end_ns / NS,
			 (long long)device->gaps[0].end_ns % NS);
		o.gpu_trace = NULL;
		o.symbol_user = NULL;
		o.details = o.list_fields = false;
		o.fields = (struct hd_string_list){ 0 };
		o.select.time = time;
		o.select.event = (struct hd_string_list){ .items = &event, .n = 1 };
		o.keys = 0;
		o.timed = false;
		if (hd_pipeline_read(&during, path, &o, &ignored) >= 0 && during->nevents)
			add_finding(p->gpu, device->id, &device->gaps[0], during);
		hd_profile_free(during);
	}
}

int hd_perf_gpu_join_read(struct hd_profile **out, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err)
{
	int rc = read_recording(out, path, opts, err);

	if (rc >= 0)
		rc = join(*out, path, opts, err);
	if (rc < 0)
		return rc;
	(*out)->keys = hd_pipeline_keys(opts);
	/* The recording is read again for the findings.  Only commands with opts->details show findings. */
	if (opts->details)
		explain_gaps(*out, path, opts);
	return rc;
}
