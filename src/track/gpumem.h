/*
 * gpumem.h - utilisation and memory of each GPU, by NVML
 *
 *     struct hd_power_config config = hd_power_config();
 *     hd_gpumem_open(&gpus, &config, &why);
 *     every 100 ms: for each device d: if (hd_gpumem_read(gpus, d, &s)) ...
 *     hd_gpumem_close(gpus);
 *
 * Memory is that of the whole device, used by all processes.  NVML's memory information of version 2 also reports what
 * the driver reserves for itself.  Drivers differ in whether `used` includes the reserved memory: it does not if used +
 * free + reserved is total.  Version 1 does not report `reserved`, and its `used` includes the reserved memory.
 *
 * Times, ownership, errors and environment: as in track/power.h.
 */
#ifndef HD_TRACK_GPUMEM_H
#define HD_TRACK_GPUMEM_H

#include "track/power.h"

struct hd_gpumem_device {
	char name[96];			/* "NVIDIA H100 80GB HBM3" */
	char uuid[96];
	uint64_t memory_bytes;		/* 0: unknown */
	unsigned memory_version;	/* version of NVML's memory information: 2 or 1; 0: the driver reports none */
};

struct hd_gpumem_sample {
	uint64_t t_ns;
	double util_pct, mem_util_pct;		/* NaN: not supported */
	bool has_memory, has_reserved;
	uint64_t used_bytes, free_bytes, total_bytes, reserved_bytes;	/* valid with has_memory, has_reserved */
};

struct hd_gpumem_status {
	enum hd_power_state state;
	char text[HD_POWER_WHY];	/* why there is no device; empty if there is one */
};

struct hd_gpumem;

/*
 * Open all GPUs; the caller owns *out.  If NVML cannot be used or lists no GPU, *out is NULL and *why has the reason.
 * Returns HD_TRACK_OK or HD_TRACK_NOMEM.
 */
int hd_gpumem_open(struct hd_gpumem **out, const struct hd_power_config *config, struct hd_gpumem_status *why);
void hd_gpumem_close(struct hd_gpumem *g);	/* accepts NULL */

size_t hd_gpumem_devices(const struct hd_gpumem *g);
const struct hd_gpumem_device *hd_gpumem_device(const struct hd_gpumem *g, size_t i);

/* Returns true if the device reported anything. */
bool hd_gpumem_read(struct hd_gpumem *g, size_t device, struct hd_gpumem_sample *out);

#endif
