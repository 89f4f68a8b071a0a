/*
 * power_nvml.c - power and energy of each NVIDIA GPU, by NVML
 *
 * Watts are from the first of these that the device supports, and the domain records which one:
 *
 *     field 186    instantaneous power
 *     field 185    average over one second
 *     nvmlDeviceGetPowerUsage    an average over one second on Ampere (except GA100) and newer; otherwise instantaneous
 *
 * Joules are from field 83, else from nvmlDeviceGetTotalEnergyConsumption(); devices before Volta have no counter.
 * A quantity that is not supported has no value; it is never 0.  Domains are gpu-0, gpu-1 ... by PCI order;
 * CUDA_VISIBLE_DEVICES has no effect on them.
 */
#include "track/nvml.h"
#include "track/power_source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICE, WATTS, JOULES };			/* indexes of hd_power_item.own[] */
/*
 * Values of own[WATTS] and own[JOULES].  NONE: the quantity is not available.  CALL: it is read by its own NVML
 * function.  Any other value is the number of the NVML field that has it.
 */
enum { NONE = 0, CALL = 1 };

struct nvml_power {
	struct hd_nvml nvml;
	hd_nvml_device devices[HD_POWER_DOMAINS_MAX];
};

/* Read a field of NVML as a whole number.  Returns a return code of NVML. */
static int ask_field(const struct hd_nvml *n, hd_nvml_device d, uint32_t id, uint64_t *out)
{
	struct hd_nvml_field f = { .id = id, .code = HD_NVML_NOT_SUPPORTED };
	int code = n->fields ? n->fields(d, 1, &f) : HD_NVML_FUNCTION_NOT_FOUND;

	if (code == HD_NVML_SUCCESS && !hd_nvml_whole(&f, out))
		code = f.code ? (int)f.code : HD_NVML_NOT_SUPPORTED;
	return code;
}

static int ask_watts(const struct hd_nvml *n, hd_nvml_device d, unsigned how, double *watts)
{
	unsigned mw = 0;
	uint64_t v = 0;
	int code;

	if (how != CALL) {
		code = ask_field(n, d, how, &v);
		*watts = (double)v / 1e3;
		return code;
	}
	code = n->power ? n->power(d, &mw) : HD_NVML_FUNCTION_NOT_FOUND;
	*watts = mw / 1e3;
	return code;
}

static int ask_energy(const struct hd_nvml *n, hd_nvml_device d, unsigned how, uint64_t *mj)
{
	unsigned long long v = 0;
	int code;

	if (how != CALL)
		return ask_field(n, d, how, mj);
	code = n->energy ? n->energy(d, &v) : HD_NVML_FUNCTION_NOT_FOUND;
	*mj = v;
	return code;
}

static void choose(const struct hd_nvml *n, hd_nvml_device d, struct hd_power_item *item)
{
	static const struct { unsigned how; const char *name; } watts[] = {
		{ HD_NVML_FIELD_POWER_INSTANT, "field 186 (instant)" },
		{ HD_NVML_FIELD_POWER_AVERAGE, "field 185 (average of 1 s)" },
		{ CALL, "nvmlDeviceGetPowerUsage" },
	}, joules[] = {
		{ HD_NVML_FIELD_ENERGY, "field 83 (energy)" }, { CALL, "nvmlDeviceGetTotalEnergyConsumption" },
	};
	int code = HD_NVML_NOT_SUPPORTED;
	const char *by_watts = "", *by_joules = "";
	uint64_t mj;
	double w;

	for (size_t i = 0; !item->own[WATTS] && i < sizeof(watts) / sizeof(watts[0]); i++)
		if ((code = ask_watts(n, d, watts[i].how, &w)) == HD_NVML_SUCCESS) {
			item->own[WATTS] = watts[i].how;
			by_watts = watts[i].name;
		}
	for (size_t i = 0; !item->own[JOULES] && i < sizeof(joules) / sizeof(joules[0]); i++)
		if (ask_energy(n, d, joules[i].how, &mj) == HD_NVML_SUCCESS) {
			item->own[JOULES] = joules[i].how;
			by_joules = joules[i].name;
			hd_power_set_counter(item, 1e-3, 0);
		}
	item->d.has_watts = item->own[WATTS] != NONE;
	if (!item->own[WATTS] && !item->own[JOULES])
		item->d.state = hd_nvml_state(code, "power", item->d.why);
	HD_POWER_SET(item->d.quantity, "%.45s%s%.45s", by_watts, *by_watts && *by_joules ? ", " : "", by_joules);
}

static int add_device(struct hd_power_meter *m, struct nvml_power *p, unsigned i)
{
	char name[HD_POWER_NAME];
	struct hd_power_item *item;
	int code;

	HD_POWER_SET(name, "gpu-%u", i);
	item = hd_power_add(m, "nvml", name, "");
	if (!item)
		return HD_TRACK_NOMEM;
	item->own[DEVICE] = i;
	code = p->nvml.handle(i, &p->devices[i]);
	if (code != HD_NVML_SUCCESS) {
		item->d.state = hd_nvml_state(code, name, item->d.why);
		return HD_TRACK_OK;
	}
	if (!p->nvml.uuid || p->nvml.uuid(p->devices[i], item->d.path, 96) != HD_NVML_SUCCESS)
		item->d.path[0] = '\0';
	item->d.path[95] = '\0';
	choose(&p->nvml, p->devices[i], item);
	return HD_TRACK_OK;
}

static int nvml_open(struct hd_power_meter *m, const struct hd_power_config *config, struct hd_power_source *s,
		     void **state)
{
	struct nvml_power *p = calloc(1, sizeof(*p));
	int rc = HD_TRACK_OK;
	unsigned n;

	if (!p)
		return HD_TRACK_NOMEM;
	*state = p;
	s->state = hd_nvml_open(&p->nvml, config->nvml, s->why);
	if (s->state != HD_POWER_USABLE)
		return rc;
	n = hd_nvml_devices(&p->nvml, &s->state, s->why);
	for (unsigned i = 0; rc >= 0 && i < n && !hd_power_full(m); i++)
		rc = add_device(m, p, i);
	return rc;
}

static bool nvml_read(void *state, struct hd_power_item *item, struct hd_power_reading *out)
{
	const struct nvml_power *p = state;
	hd_nvml_device d = p->devices[item->own[DEVICE]];
	int code = HD_NVML_SUCCESS;
	double watts;

	if (item->own[WATTS] && (code = ask_watts(&p->nvml, d, item->own[WATTS], &watts)) == HD_NVML_SUCCESS)
		out->watts = watts;
	if (code != HD_NVML_SUCCESS)
		hd_nvml_state(code, "power", item->d.why);
	if (item->own[JOULES]) {
		code = ask_energy(&p->nvml, d, item->own[JOULES], &out->count);
		out->has_count = code == HD_NVML_SUCCESS;
		if (!out->has_count)
			hd_nvml_state(code, "energy", item->d.why);
	}
	return !isnan(out->watts) || out->has_count;
}

static void nvml_close(void *state)
{
	struct nvml_power *p = state;

	if (p)
		hd_nvml_close(&p->nvml);
	free(p);
}

const struct hd_power_ops hd_power_nvml = { .name = "nvml", .open = nvml_open, .read = nvml_read, .close = nvml_close };
