/*
 * nvml.c - see nvml.h
 */
#include "track/nvml.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct call {
	const char *name, *older;	/* older: the name of the same function in older libraries, or NULL */
	size_t at;
	bool needed;
} calls[] = {
	{ "nvmlInit_v2", "nvmlInit", offsetof(struct hd_nvml, init), true },
	{ "nvmlShutdown", NULL, offsetof(struct hd_nvml, shutdown), true },
	{ "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount", offsetof(struct hd_nvml, count), true },
	{ "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex", offsetof(struct hd_nvml, handle), true },
	{ "nvmlDeviceGetName", NULL, offsetof(struct hd_nvml, name), false },
	{ "nvmlDeviceGetUUID", NULL, offsetof(struct hd_nvml, uuid), false },
	{ "nvmlDeviceGetFieldValues", NULL, offsetof(struct hd_nvml, fields), false },
	{ "nvmlDeviceGetPowerUsage", NULL, offsetof(struct hd_nvml, power), false },
	{ "nvmlDeviceGetTotalEnergyConsumption", NULL, offsetof(struct hd_nvml, energy), false },
	{ "nvmlDeviceGetUtilizationRates", NULL, offsetof(struct hd_nvml, utilization), false },
	{ "nvmlDeviceGetMemoryInfo", NULL, offsetof(struct hd_nvml, memory1), false },
	{ "nvmlDeviceGetMemoryInfo_v2", NULL, offsetof(struct hd_nvml, memory2), false },
};

/* Look up all calls.  Return the name of the first required call that is missing, or NULL. */
static const char *resolve(struct hd_nvml *n)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		void *f = dlsym(n->library, calls[i].name);

		if (!f && calls[i].older)
			f = dlsym(n->library, calls[i].older);
		if (!f && calls[i].needed)
			return calls[i].name;
		memcpy((char *)n + calls[i].at, &f, sizeof(f));
	}
	return NULL;
}

enum hd_power_state hd_nvml_state(int code, const char *what, char why[HD_POWER_WHY])
{
	static const struct {
		int code;
		enum hd_power_state state;
		const char *text;
	} rows[] = {
		{ HD_NVML_NOT_SUPPORTED, HD_POWER_UNSUPPORTED, "not supported by the device" },
		{ HD_NVML_INVALID_ARGUMENT, HD_POWER_UNSUPPORTED, "not known to this driver" },
		{ HD_NVML_FUNCTION_NOT_FOUND, HD_POWER_UNSUPPORTED, "not known to this driver" },
		{ HD_NVML_NO_PERMISSION, HD_POWER_DENIED,
		  "permission denied; run as root, or let the container have the device" },
		{ HD_NVML_NOT_FOUND, HD_POWER_ABSENT, "no such device" },
		{ HD_NVML_DRIVER_NOT_LOADED, HD_POWER_ABSENT, "the NVIDIA driver is not loaded (modprobe nvidia)" },
		{ HD_NVML_LIBRARY_NOT_FOUND, HD_POWER_NO_LIBRARY, "a library of the driver is missing" },
		{ HD_NVML_GPU_IS_LOST, HD_POWER_BROKEN, "the GPU has fallen off the bus; reboot the machine" },
		{ HD_NVML_LIB_RM_VERSION_MISMATCH, HD_POWER_BROKEN,
		  "the library and the loaded driver differ in version; reboot or reload the driver" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].code == code) {
			snprintf(why, HD_POWER_WHY, "%.80s: %s (NVML %d)", what, rows[i].text, code);
			return rows[i].state;
		}
	snprintf(why, HD_POWER_WHY, "%.80s: failed (NVML %d)", what, code);
	return HD_POWER_BROKEN;
}

enum hd_power_state hd_nvml_open(struct hd_nvml *out, const char *library, char why[HD_POWER_WHY])
{
	struct hd_nvml n = { 0 };
	enum hd_power_state state = HD_POWER_USABLE;
	const char *missing;
	int code;

	*out = n;
	library = library ? library : "libnvidia-ml.so.1";
	n.library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!n.library) {
		const char *text = dlerror();

		snprintf(why, HD_POWER_WHY, "%.200s; it is part of the NVIDIA driver", text ? text : library);
		return HD_POWER_NO_LIBRARY;
	}
	missing = resolve(&n);
	if (missing) {
		snprintf(why, HD_POWER_WHY, "%.100s has no %s", library, missing);
		state = HD_POWER_NO_LIBRARY;
	} else if ((code = n.init()) != HD_NVML_SUCCESS) {
		state = hd_nvml_state(code, "nvmlInit", why);
	}
	if (state == HD_POWER_USABLE)
		*out = n;
	else
		dlclose(n.library);
	return state;
}

void hd_nvml_close(struct hd_nvml *n)
{
	if (!n->library)
		return;
	n->shutdown();
	dlclose(n->library);
	*n = (struct hd_nvml){ 0 };
}

unsigned hd_nvml_devices(const struct hd_nvml *n, enum hd_power_state *state, char why[HD_POWER_WHY])
{
	unsigned count = 0;
	int code = n->count(&count);

	*state = HD_POWER_USABLE;
	if (code != HD_NVML_SUCCESS) {
		*state = hd_nvml_state(code, "nvmlDeviceGetCount", why);
		return 0;
	}
	if (!count) {
		*state = HD_POWER_ABSENT;
		snprintf(why, HD_POWER_WHY, "the NVIDIA driver reports no GPU");
	}
	return count < HD_POWER_DOMAINS_MAX ? count : HD_POWER_DOMAINS_MAX;
}

bool hd_nvml_whole(const struct hd_nvml_field *f, uint64_t *out)
{
	if (f->code != HD_NVML_SUCCESS)
		return false;
	switch (f->type) {
	case HD_NVML_UINT: *out = f->value.ui; return true;
	case HD_NVML_ULONG: *out = f->value.ul; return true;
	case HD_NVML_ULONGLONG: *out = f->value.ull; return true;
	case HD_NVML_USHORT: *out = f->value.us; return true;
	case HD_NVML_LONGLONG: *out = (uint64_t)f->value.sll; return f->value.sll >= 0;
	case HD_NVML_INT: *out = (uint64_t)f->value.si; return f->value.si >= 0;
	case HD_NVML_DOUBLE:
		*out = f->value.d >= 0 && f->value.d < 0x1p63 ? (uint64_t)f->value.d : 0;
		return f->value.d >= 0 && f->value.d < 0x1p63;
	}
	return false;
}
