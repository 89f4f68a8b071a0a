/*
 * feed.c - see feed.h
 */
#include "gpu/feed.h"

#include "base/mem.h"
#include "gpu/correlation.h"
#include "gpu/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hd_gpu_feed {
	struct hd_gpu_sink sink;
	struct hd_gpu_correlation *match;
	struct hd_gpu_summary *summary;
	hd_gpu_next *next;
	void *context;
	uint32_t copy[HD_GPU_COPIES], sync[HD_GPU_SYNCS], set, graph;	/* dict ids of names such as "[copy HtoD]" */
	/*
	 * what an API call waits for, by its name id; 0: not looked up yet, 1: it does not wait, otherwise enum
	 * hd_gpu_sync + 2
	 */
	uint8_t *sync_of;
	size_t nsync_of, sync_of_cap;
	uint64_t invalid;
};

/* ---- synchronisations that are API calls ---- */

static uint8_t sync_kind(const char *call)
{
	if (!strstr(call, "Synchronize"))
		return 1;
	if (strstr(call, "Stream"))
		return 2 + HD_GPU_SYNC_STREAM;
	return strstr(call, "Event") ? 2 + HD_GPU_SYNC_EVENT : 2 + HD_GPU_SYNC_CONTEXT;
}

/* Return what the API function with this name waits for (enum hd_gpu_sync); -1: it does not wait. */
static int sync_of(struct hd_gpu_feed *f, uint32_t name)
{
	if (name >= f->nsync_of) {
		size_t n = hd_strtab_count(f->sink.dict->names);

		HD_GROW(f->sync_of, n, f->sync_of_cap);
		memset(f->sync_of + f->nsync_of, 0, n - f->nsync_of);
		f->nsync_of = n;
	}
	if (!f->sync_of[name])
		f->sync_of[name] = sync_kind(hd_strtab_get(f->sink.dict->names, name));
	return f->sync_of[name] - 2;
}

/* ---- one activity ---- */

static int hand_on(struct hd_gpu_feed *f, const struct hd_gpu_activity *a, struct hd_err *err)
{
	if (!hd_gpu_summary_add(f->summary, a)) {
		hd_warn(f->sink.log, "lost.gpu-device", "",
			"more than %d GPUs or metrics: activities of device %u were skipped", HD_GPU_DEVICES_MAX,
			a->device);
		return 0;
	}
	return f->next ? f->next(f->context, a, err) : 0;
}

static int on_activity(void *context, const struct hd_gpu_activity *in, struct hd_err *err)
{
	struct hd_gpu_feed *f = context;
	struct hd_gpu_activity a = *in;
	int sync;

	if (a.end_ns < a.start_ns) {
		f->invalid++;
		hd_warn(f->sink.log, "lost.gpu-time", "",
			"an activity that ends before it starts, at %lld ns, was skipped", (long long)a.start_ns);
		return 0;
	}
	switch (a.kind) {
	case HD_GPU_LAUNCH:
		hd_gpu_correlation_add(f->match, &a);
		sync = f->sink.capture->has_sync ? -1 : sync_of(f, a.name);
		if (sync >= 0) {
			struct hd_gpu_activity s = a;
			int rc;

			s.kind = HD_GPU_SYNC;
			s.sync = (uint8_t)sync;
			s.name = f->sync[sync];
			rc = hand_on(f, &s, err);
			if (rc < 0)
				return rc;
		}
		break;
	case HD_GPU_COPY:
		a.copy = a.copy < HD_GPU_COPIES ? a.copy : HD_GPU_COPY_UNKNOWN;
		a.name = f->copy[a.copy];
		break;
	case HD_GPU_SET:
		a.name = f->set;
		break;
	case HD_GPU_GRAPH:
		a.name = a.name ? a.name : f->graph;
		break;
	case HD_GPU_SYNC:
		a.sync = a.sync < HD_GPU_SYNCS ? a.sync : HD_GPU_SYNC_UNKNOWN;
		a.name = f->sync[a.sync];
		break;
	default:
		break;
	}
	if (a.kind <= HD_GPU_SYNC)
		hd_gpu_correlation_lookup(f->match, &a);
	/*
	 * Derive the kind of a synchronisation from the name of its API call, because the capture's own kind can be
	 * wrong: nsys exports of schema 3.24 contain numbers that do not match the table of kinds in the same
	 * file.
	 */
	if (a.kind == HD_GPU_SYNC && a.joined && sync_of(f, a.launch_name) >= 0) {
		a.sync = (uint8_t)sync_of(f, a.launch_name);
		a.name = f->sync[a.sync];
	}
	return hand_on(f, &a, err);
}

/* ---- begin and end ---- */

static uint32_t leaf(struct hd_gpu_dict *d, const char *what, const char *kind)
{
	char name[64];

	snprintf(name, sizeof(name), "[%s%s%s]", what, *kind ? " " : "", kind);
	return hd_strtab_add(d->names, name);
}

struct hd_gpu_feed *hd_gpu_feed_new(struct hd_gpu_dict *dict, struct hd_gpu_capture *capture, struct hd_log *log,
				    hd_gpu_next *next, void *context)
{
	struct hd_gpu_feed *f = hd_new(struct hd_gpu_feed);

	f->sink = (struct hd_gpu_sink){ .dict = dict,
		.capture = capture,
		.log = log,
		.activity = on_activity,
		.context = f };
	f->match = hd_gpu_correlation_new();
	f->summary = hd_gpu_summary_new(dict);
	f->next = next;
	f->context = context;
	for (int i = 0; i < HD_GPU_COPIES; i++)
		f->copy[i] = leaf(dict, "copy", hd_gpu_copy_name((enum hd_gpu_copy)i));
	for (int i = 0; i < HD_GPU_SYNCS; i++)
		f->sync[i] = leaf(dict, "sync", hd_gpu_sync_name((enum hd_gpu_sync)i));
	f->set = leaf(dict, "memset", "");
	f->graph = leaf(dict, "graph", "");
	return f;
}

const struct hd_gpu_sink *hd_gpu_feed_sink(struct hd_gpu_feed *f, bool again)
{
	f->sink.again = again;
	return &f->sink;
}

struct hd_gpu *hd_gpu_feed_end(struct hd_gpu_feed *f)
{
	struct hd_gpu *g = hd_gpu_summary_end(f->summary, f->sink.capture);

	g->invalid = f->invalid;
	if (g->dropped)
		hd_warn_n(f->sink.log, "lost.gpu-records", g->dropped,
			"record for a shorter time, or fewer kinds of activities",
			"the recorder lost %llu GPU records, so counts and times are too small",
			(unsigned long long)g->dropped);
	return g;
}

void hd_gpu_feed_free(struct hd_gpu_feed *f)
{
	if (!f)
		return;
	hd_gpu_correlation_free(f->match);
	hd_gpu_summary_free(f->summary);
	free(f->sync_of);
	free(f);
}
