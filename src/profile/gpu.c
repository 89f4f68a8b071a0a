/*
 * gpu.c - see gpu.h
 */
#include "profile/gpu.h"

#include <stdlib.h>
#include <string.h>

const struct hd_gpu_event_name hd_gpu_events[HD_GPU_EVENTS] = {
	[HD_GPU_EVENT_KERNELS] = { "gpu-kernels", "ns" }, [HD_GPU_EVENT_COPIES] = { "gpu-copies", "ns" },
	[HD_GPU_EVENT_COPY_BYTES] = { "gpu-copy-bytes", "bytes" }, [HD_GPU_EVENT_SETS] = { "gpu-sets", "ns" },
	[HD_GPU_EVENT_SYNC] = { "gpu-sync", "ns" },
};

bool hd_gpu_is_event(const char *name)
{
	for (size_t i = 0; i < HD_GPU_EVENTS; i++)
		if (!strcmp(name, hd_gpu_events[i].name))
			return true;
	return false;
}

void hd_gpu_free(struct hd_gpu *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->ndevices; i++) {
		free(g->devices[i].longest);
		free(g->devices[i].buckets);
	}
	for (size_t i = 0; i < g->nfindings; i++) {
		free(g->findings[i].text);
		free(g->findings[i].fix);
	}
	free(g->version);
	free(g->devices);
	free(g->calls);
	free(g->metrics);
	free(g->findings);
	free(g);
}

uint64_t hd_gpu_window(const struct hd_gpu_busy *w)
{
	return w->end_ns > w->start_ns ? (uint64_t)w->end_ns - (uint64_t)w->start_ns : 0;
}

double hd_gpu_percent(uint64_t ns, const struct hd_gpu_busy *window)
{
	uint64_t length = hd_gpu_window(window);

	return length ? 100.0 * (double)ns / (double)length : 0;
}

double hd_gpu_gbps(const struct hd_gpu_copies *c)
{
	return c->sized && c->sized_ns ? (double)c->bytes / (double)c->sized_ns : -1;
}

bool hd_gpu_copy_is_host(enum hd_gpu_copy kind)
{
	return kind == HD_GPU_HTOD || kind == HD_GPU_DTOH || kind == HD_GPU_UVM_HTOD || kind == HD_GPU_UVM_DTOH;
}

const char *hd_gpu_copy_name(enum hd_gpu_copy kind)
{
	static const char *const names[HD_GPU_COPIES] = {
		"unknown", "HtoD", "DtoH", "DtoD", "HtoH", "PtoP", "UVM HtoD", "UVM DtoH", "UVM DtoD",
	};

	return names[kind < HD_GPU_COPIES ? kind : 0];
}

const char *hd_gpu_memory_kind_name(enum hd_gpu_memory_kind kind)
{
	static const char *const names[HD_GPU_MEMORY_KINDS] = {
		"unknown", "pageable", "pinned", "device", "array", "managed", "device static", "managed static",
	};

	return names[kind < HD_GPU_MEMORY_KINDS ? kind : 0];
}

const char *hd_gpu_sync_name(enum hd_gpu_sync kind)
{
	static const char *const names[HD_GPU_SYNCS] = { "unknown", "event", "wait-event", "stream", "context" };

	return names[kind < HD_GPU_SYNCS ? kind : 0];
}
