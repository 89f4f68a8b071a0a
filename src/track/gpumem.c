/*
 * gpumem.c - see gpumem.h
 */
#include "track/gpumem.h"

#include "track/nvml.h"
#include "track/sysfs.h"

#include <math.h>
#include <stdlib.h>

struct device {
	struct hd_gpumem_device d;
	hd_nvml_device handle;
};

struct hd_gpumem {
	struct hd_nvml nvml;
	struct hd_power_clock clock;
	struct device *devices;
	size_t n;
};

static bool ask_memory(const struct hd_gpumem *g, const struct device *d, struct hd_gpumem_sample *out)
{
	struct hd_nvml_memory2 v2 = { .version = HD_NVML_MEMORY_V2 };
	struct hd_nvml_memory1 v1 = { 0 };

	if (d->d.memory_version != 1 && g->nvml.memory2 && g->nvml.memory2(d->handle, &v2) == HD_NVML_SUCCESS) {
		out->has_memory = out->has_reserved = true;
		out->used_bytes = v2.used;
		out->free_bytes = v2.free;
		out->total_bytes = v2.total;
		out->reserved_bytes = v2.reserved;
	} else if (d->d.memory_version != 2 && g->nvml.memory1 && g->nvml.memory1(d->handle, &v1) == HD_NVML_SUCCESS) {
		out->has_memory = true;
		out->used_bytes = v1.used;
		out->free_bytes = v1.free;
		out->total_bytes = v1.total;
	}
	return out->has_memory;
}

static void describe(const struct hd_gpumem *g, struct device *d)
{
	struct hd_gpumem_sample s = { 0 };

	if (!g->nvml.name || g->nvml.name(d->handle, d->d.name, sizeof(d->d.name)) != HD_NVML_SUCCESS)
		d->d.name[0] = '\0';
	if (!g->nvml.uuid || g->nvml.uuid(d->handle, d->d.uuid, sizeof(d->d.uuid)) != HD_NVML_SUCCESS)
		d->d.uuid[0] = '\0';
	d->d.name[sizeof(d->d.name) - 1] = d->d.uuid[sizeof(d->d.uuid) - 1] = '\0';
	hd_sysfs_printable(d->d.name);
	hd_sysfs_printable(d->d.uuid);
	if (ask_memory(g, d, &s)) {
		d->d.memory_bytes = s.total_bytes;
		d->d.memory_version = s.has_reserved ? 2 : 1;
	}
}

int hd_gpumem_open(struct hd_gpumem **out, const struct hd_power_config *config, struct hd_gpumem_status *why)
{
	struct hd_gpumem *g = calloc(1, sizeof(*g));
	unsigned n = 0;

	*out = NULL;
	*why = (struct hd_gpumem_status){ 0 };
	if (!g)
		return HD_TRACK_NOMEM;
	g->clock = hd_power_clock(config);
	why->state = hd_nvml_open(&g->nvml, config->nvml, why->text);
	if (why->state == HD_POWER_USABLE)
		n = hd_nvml_devices(&g->nvml, &why->state, why->text);
	g->devices = calloc(n + 1, sizeof(*g->devices));
	if (!g->devices) {
		hd_gpumem_close(g);
		return HD_TRACK_NOMEM;
	}
	for (; g->n < n; g->n++) {
		struct device *d = &g->devices[g->n];
		int code = g->nvml.handle((unsigned)g->n, &d->handle);

		if (code == HD_NVML_SUCCESS)
			describe(g, d);
		else
			d->handle = NULL;
	}
	if (g->n)
		*out = g;
	else
		hd_gpumem_close(g);
	return HD_TRACK_OK;
}

void hd_gpumem_close(struct hd_gpumem *g)
{
	if (!g)
		return;
	hd_nvml_close(&g->nvml);
	free(g->devices);
	free(g);
}

size_t hd_gpumem_devices(const struct hd_gpumem *g)
{
	return g->n;
}

const struct hd_gpumem_device *hd_gpumem_device(const struct hd_gpumem *g, size_t i)
{
	return &g->devices[i].d;
}

bool hd_gpumem_read(struct hd_gpumem *g, size_t device, struct hd_gpumem_sample *out)
{
	const struct device *d = &g->devices[device];
	uint64_t before = hd_power_clock_ns(&g->clock);
	struct hd_nvml_utilization u;
	bool got = false;

	*out = (struct hd_gpumem_sample){ .util_pct = NAN, .mem_util_pct = NAN };
	if (d->handle && g->nvml.utilization && g->nvml.utilization(d->handle, &u) == HD_NVML_SUCCESS) {
		got = true;
		out->util_pct = u.gpu;
		out->mem_util_pct = u.memory;
	}
	if (d->handle && ask_memory(g, d, out))
		got = true;
	out->t_ns = before + (hd_power_clock_ns(&g->clock) - before) / 2;
	return got;
}
