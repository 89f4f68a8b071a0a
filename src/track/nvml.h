/*
 * nvml.h - the NVIDIA Management Library, loaded at run time, without its headers
 *
 * The layouts and numbers below are the stable binary interface that NVIDIA documents in the NVML API reference
 * (docs.nvidia.com/deploy/nvml-api).  They are declared here in our own words, because most machines lack nvml.h.
 * tests/unit/track/nvml.c compares them with the real header where there is one.
 *
 *     nvmlFieldValue_t     40 bytes; each field has its own return code, and its value is read by its type
 *     nvmlMemory_t         version 1: total, free, used; version 2: 40 bytes, with `reserved`
 *     nvmlUtilization_t    two percentages
 *
 * Calls that the library lacks are NULL.  Not thread-safe.  The library counts nvmlInit() calls, so that several
 * hd_nvml may be open at once.
 */
#ifndef HD_TRACK_NVML_H
#define HD_TRACK_NVML_H

#include "track/power.h"

enum {
	HD_NVML_SUCCESS = 0,
	HD_NVML_UNINITIALIZED = 1,
	HD_NVML_INVALID_ARGUMENT = 2,
	HD_NVML_NOT_SUPPORTED = 3,
	HD_NVML_NO_PERMISSION = 4,
	HD_NVML_NOT_FOUND = 6,
	HD_NVML_DRIVER_NOT_LOADED = 9,
	HD_NVML_LIBRARY_NOT_FOUND = 12,
	HD_NVML_FUNCTION_NOT_FOUND = 13,
	HD_NVML_GPU_IS_LOST = 15,
	HD_NVML_LIB_RM_VERSION_MISMATCH = 18,
};

enum {
	HD_NVML_FIELD_ENERGY = 83,		/* energy in mJ since the driver was loaded */
	HD_NVML_FIELD_POWER_AVERAGE = 185,	/* mean power in mW over one second */
	HD_NVML_FIELD_POWER_INSTANT = 186,	/* power in mW */
};

enum { HD_NVML_DOUBLE, HD_NVML_UINT, HD_NVML_ULONG, HD_NVML_ULONGLONG, HD_NVML_LONGLONG, HD_NVML_INT, HD_NVML_USHORT };

enum { HD_NVML_MEMORY_V2 = 0x02000028 };	/* low bytes: size of the struct; high byte: version 2 */

struct hd_nvml_field {
	uint32_t id, scope;
	int64_t timestamp_us, latency_us;
	uint32_t type;			/* type of the value: HD_NVML_DOUBLE ... HD_NVML_USHORT */
	/* return code for this field; the value is undefined unless it is HD_NVML_SUCCESS */
	uint32_t code;
	union {
		double d;
		uint32_t ui;
		unsigned long ul;
		uint64_t ull;
		int64_t sll;
		int32_t si;
		uint16_t us;
	} value;
};

struct hd_nvml_memory1 {
	uint64_t total, free, used;
};

struct hd_nvml_memory2 {
	uint32_t version;		/* HD_NVML_MEMORY_V2, set by the caller */
	uint64_t total, reserved, free, used;
};

struct hd_nvml_utilization {
	/* percent of the last sample period in which a kernel ran (gpu), or device memory was accessed (memory) */
	uint32_t gpu, memory;
};

_Static_assert(sizeof(struct hd_nvml_field) == 40, "nvmlFieldValue_t has 40 bytes");
_Static_assert(sizeof(struct hd_nvml_memory1) == 24, "nvmlMemory_t has 24 bytes");
_Static_assert(sizeof(struct hd_nvml_memory2) == 40, "nvmlMemory_v2_t has 40 bytes");
_Static_assert(sizeof(struct hd_nvml_utilization) == 8, "nvmlUtilization_t has 8 bytes");

typedef void *hd_nvml_device;

struct hd_nvml {
	void *library;
	int (*init)(void);
	int (*shutdown)(void);
	int (*count)(unsigned *n);
	int (*handle)(unsigned i, hd_nvml_device *out);
	/* the calls from here on are NULL if the library lacks them */
	int (*name)(hd_nvml_device d, char *out, unsigned size);
	int (*uuid)(hd_nvml_device d, char *out, unsigned size);
	int (*fields)(hd_nvml_device d, int n, struct hd_nvml_field *f);
	int (*power)(hd_nvml_device d, unsigned *mw);
	int (*energy)(hd_nvml_device d, unsigned long long *mj);
	int (*utilization)(hd_nvml_device d, struct hd_nvml_utilization *u);
	int (*memory1)(hd_nvml_device d, struct hd_nvml_memory1 *mem);
	int (*memory2)(hd_nvml_device d, struct hd_nvml_memory2 *mem);
};

/*
 * Load the library (NULL: libnvidia-ml.so.1) and initialise it.  Returns HD_POWER_USABLE, or another state with the
 * reason in `why`.  In that case nothing is open.
 */
enum hd_power_state hd_nvml_open(struct hd_nvml *out, const char *library, char why[HD_POWER_WHY]);
void hd_nvml_close(struct hd_nvml *n);		/* does nothing if `n` is not open */

/* Return the number of GPUs, at most HD_POWER_DOMAINS_MAX.  If it is 0, *state and `why` have the reason. */
unsigned hd_nvml_devices(const struct hd_nvml *n, enum hd_power_state *state, char why[HD_POWER_WHY]);

/*
 * Return the state for an error code of NVML, and set the reason: "WHAT: not supported by the device (NVML 3)".  A code
 * without a row in the table of nvml.c has the state HD_POWER_BROKEN.
 */
enum hd_power_state hd_nvml_state(int code, const char *what, char why[HD_POWER_WHY]);

/* Get the value of a field as a whole number.  Returns false if the device did not report one, or if it is negative. */
bool hd_nvml_whole(const struct hd_nvml_field *f, uint64_t *out);

#endif
