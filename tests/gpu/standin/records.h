/*
 * records.h - the activity records that the stand-in for libcupti makes, with NVIDIA's documented layout and our own
 * names of fields
 *
 * tests/gpu/layout.c compares them with the offsets of src/inject/cupti.h, and with NVIDIA's headers if these are
 * installed.  The additional fields of longer versions are not declared: `later` has their bytes.
 */
#ifndef STANDIN_RECORDS_H
#define STANDIN_RECORDS_H

#include <stdint.h>

#define PACKED __attribute__((packed, aligned(8)))

struct PACKED standin_kernel {
	uint32_t kind;
	uint8_t cache[2];
	uint16_t registers;
	uint32_t partitioned[2];
	uint64_t start, end, completed;
	uint32_t device, context, stream;
	uint32_t grid[3], block[3];
	uint32_t static_shared, dynamic_shared, local_per_thread, local_total;
	uint32_t correlation;
	int64_t grid_id;
	const char *name;
	uint64_t reserved, queued, submitted;
	uint8_t launch_type, flags[3];
	uint32_t shared_executed;
	uint64_t graph_node;			/* missing in version 4, which ends here with 144 bytes */
	uint8_t later[64];
};
/* Sizes of CUpti_ActivityKernel4 to 10. */
static const unsigned int standin_kernel_bytes[] = { 144, 160, 168, 176, 200, 208, 216 };

struct PACKED standin_copy {
	uint32_t kind;
	uint8_t copy, from, to, flags;
	uint64_t bytes, start, end;
	uint32_t device, context, stream, correlation;
	uint8_t runtime[16];
	uint64_t graph_node;
	uint8_t later[24];			/* version 6: 96 bytes */
};

struct PACKED standin_copy2 {			/* a copy between two devices */
	uint32_t kind;
	uint8_t copy, from, to, flags;
	uint64_t bytes, start, end;
	uint32_t device, context, stream, source[2], destination[2], correlation;
	uint64_t reserved, graph_node;
	uint8_t later[16];			/* version 4: 96 bytes */
};

struct PACKED standin_set {
	uint32_t kind, value;
	uint64_t bytes, start, end;
	uint32_t device, context, stream, correlation;
	uint16_t flags, memory;
	uint8_t reserved[12];
	uint64_t graph_node;
	uint8_t later[16];			/* version 4: 88 bytes */
};

struct PACKED standin_sync {
	uint32_t kind, sync;
	uint64_t start, end;
	uint32_t correlation, context, stream, event;
	uint8_t later[16];			/* version 2: 56 bytes */
};

struct PACKED standin_device {
	uint32_t kind, flags;
	uint64_t bandwidth, memory;
	uint32_t constant, l2, warp, clock, copy_engines, multiprocessors;
	uint32_t limits[14];
	uint32_t major, minor, id, ecc;
	uint8_t uuid[16];
	const char *name;
	uint8_t later[40];			/* version 5: 184 bytes */
};

/* The argument of the callback for an API function, at entry and at return. */
struct standin_call {
	uint32_t site;
	const char *function;
	const void *params;
	void *result;
	const char *symbol;
	void *context;
	uint32_t context_id;
	uint64_t *data;
	uint32_t correlation;
};

#endif
