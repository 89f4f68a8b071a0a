/*
 * layout.c - compare the constants and offsets of src/inject/cupti.h with CUPTI's.  It is compiled, not run.
 *
 *     with the records of the stand-in:           cc -Isrc -Itests -fsyntax-only tests/gpu/layout.c
 *     also with NVIDIA's headers:                 ... -DHAVE_CUPTI -I/usr/local/cuda/include
 *
 * The headers must be those of CUDA 13.  Records of other versions have the same layout up to the end of the shorter
 * one.
 */
#include "gpu/standin/records.h"
#include "inject/cupti.h"

#define SAME(a, b) _Static_assert((a) == (b), #a " is " #b)
#define AT(type, field, at) _Static_assert(offsetof(type, field) == (at), #type "." #field)

AT(struct standin_kernel, registers, HD_KERNEL_REGISTERS);
AT(struct standin_kernel, start, HD_KERNEL_START);
AT(struct standin_kernel, end, HD_KERNEL_END);
AT(struct standin_kernel, device, HD_KERNEL_DEVICE);
AT(struct standin_kernel, context, HD_KERNEL_CONTEXT);
AT(struct standin_kernel, stream, HD_KERNEL_STREAM);
AT(struct standin_kernel, grid, HD_KERNEL_GRID);
AT(struct standin_kernel, block, HD_KERNEL_BLOCK);
AT(struct standin_kernel, static_shared, HD_KERNEL_STATIC);
AT(struct standin_kernel, dynamic_shared, HD_KERNEL_DYNAMIC);
AT(struct standin_kernel, correlation, HD_KERNEL_CORRELATION);
AT(struct standin_kernel, name, HD_KERNEL_NAME);
AT(struct standin_kernel, graph_node, HD_KERNEL_GRAPH_NODE);
AT(struct standin_copy, copy, HD_COPY_KIND);
AT(struct standin_copy, from, HD_COPY_FROM);
AT(struct standin_copy, to, HD_COPY_TO);
AT(struct standin_copy, flags, HD_COPY_FLAGS);
AT(struct standin_copy, bytes, HD_COPY_BYTES);
AT(struct standin_copy, start, HD_COPY_START);
AT(struct standin_copy, end, HD_COPY_END);
AT(struct standin_copy, device, HD_COPY_DEVICE);
AT(struct standin_copy, context, HD_COPY_CONTEXT);
AT(struct standin_copy, stream, HD_COPY_STREAM);
AT(struct standin_copy, correlation, HD_COPY_CORRELATION);
AT(struct standin_copy, graph_node, HD_COPY_GRAPH_NODE);
AT(struct standin_copy2, correlation, HD_COPY2_CORRELATION);
AT(struct standin_copy2, graph_node, HD_COPY2_GRAPH_NODE);
AT(struct standin_set, value, HD_SET_VALUE);
AT(struct standin_set, bytes, HD_COPY_BYTES);
AT(struct standin_set, start, HD_COPY_START);
AT(struct standin_set, end, HD_COPY_END);
AT(struct standin_set, device, HD_COPY_DEVICE);
AT(struct standin_set, correlation, HD_COPY_CORRELATION);
AT(struct standin_set, memory, HD_SET_MEMORY);
AT(struct standin_set, graph_node, HD_SET_GRAPH_NODE);
AT(struct standin_sync, sync, HD_SYNC_KIND);
AT(struct standin_sync, start, HD_SYNC_START);
AT(struct standin_sync, end, HD_SYNC_END);
AT(struct standin_sync, correlation, HD_SYNC_CORRELATION);
AT(struct standin_sync, context, HD_SYNC_CONTEXT);
AT(struct standin_sync, stream, HD_SYNC_STREAM);
AT(struct standin_device, bandwidth, HD_DEVICE_BANDWIDTH);
AT(struct standin_device, memory, HD_DEVICE_MEMORY);
AT(struct standin_device, multiprocessors, HD_DEVICE_MULTIPROCESSORS);
AT(struct standin_device, major, HD_DEVICE_MAJOR);
AT(struct standin_device, minor, HD_DEVICE_MINOR);
AT(struct standin_device, id, HD_DEVICE_ID);
AT(struct standin_device, name, HD_DEVICE_NAME);
AT(struct standin_call, site, HD_CALL_SITE);
AT(struct standin_call, correlation, HD_CALL_CORRELATION);

#ifdef HAVE_CUPTI
#include <cupti.h>

/* kernels: the members that all versions have, and the graph node of versions 5 and later */
#define KERNEL(type)							\
	AT(type, registersPerThread, HD_KERNEL_REGISTERS);		\
	AT(type, start, HD_KERNEL_START);				\
	AT(type, end, HD_KERNEL_END);					\
	AT(type, deviceId, HD_KERNEL_DEVICE);				\
	AT(type, contextId, HD_KERNEL_CONTEXT);				\
	AT(type, streamId, HD_KERNEL_STREAM);				\
	AT(type, gridX, HD_KERNEL_GRID);				\
	AT(type, blockX, HD_KERNEL_BLOCK);				\
	AT(type, staticSharedMemory, HD_KERNEL_STATIC);			\
	AT(type, dynamicSharedMemory, HD_KERNEL_DYNAMIC);		\
	AT(type, correlationId, HD_KERNEL_CORRELATION);			\
	AT(type, name, HD_KERNEL_NAME)
KERNEL(CUpti_ActivityKernel4);
SAME(sizeof(CUpti_ActivityKernel4), 144);
#define KERNEL_AND_NODE(version, bytes)					\
	KERNEL(CUpti_ActivityKernel##version);				\
	AT(CUpti_ActivityKernel##version, graphNodeId, HD_KERNEL_GRAPH_NODE);	\
	SAME(sizeof(CUpti_ActivityKernel##version), bytes)
KERNEL_AND_NODE(5, 160);
KERNEL_AND_NODE(6, 168);
KERNEL_AND_NODE(7, 176);
KERNEL_AND_NODE(8, 200);
KERNEL_AND_NODE(9, 208);
KERNEL_AND_NODE(10, 216);
SAME(sizeof(struct standin_kernel), sizeof(CUpti_ActivityKernel10));

#define COPY(type)							\
	AT(type, copyKind, HD_COPY_KIND);				\
	AT(type, srcKind, HD_COPY_FROM);				\
	AT(type, dstKind, HD_COPY_TO);					\
	AT(type, flags, HD_COPY_FLAGS);					\
	AT(type, bytes, HD_COPY_BYTES);					\
	AT(type, start, HD_COPY_START);					\
	AT(type, end, HD_COPY_END);					\
	AT(type, deviceId, HD_COPY_DEVICE);				\
	AT(type, contextId, HD_COPY_CONTEXT);				\
	AT(type, streamId, HD_COPY_STREAM)
COPY(CUpti_ActivityMemcpy);
COPY(CUpti_ActivityMemcpy4);
COPY(CUpti_ActivityMemcpy5);
COPY(CUpti_ActivityMemcpy6);
COPY(CUpti_ActivityMemcpyPtoP4);
AT(CUpti_ActivityMemcpy, correlationId, HD_COPY_CORRELATION);
AT(CUpti_ActivityMemcpy6, correlationId, HD_COPY_CORRELATION);
AT(CUpti_ActivityMemcpy4, graphNodeId, HD_COPY_GRAPH_NODE);
AT(CUpti_ActivityMemcpy6, graphNodeId, HD_COPY_GRAPH_NODE);
AT(CUpti_ActivityMemcpyPtoP4, correlationId, HD_COPY2_CORRELATION);
AT(CUpti_ActivityMemcpyPtoP4, graphNodeId, HD_COPY2_GRAPH_NODE);
SAME(sizeof(struct standin_copy), sizeof(CUpti_ActivityMemcpy6));
SAME(sizeof(struct standin_copy2), sizeof(CUpti_ActivityMemcpyPtoP4));

AT(CUpti_ActivityMemset4, value, HD_SET_VALUE);
AT(CUpti_ActivityMemset4, bytes, HD_COPY_BYTES);
AT(CUpti_ActivityMemset4, start, HD_COPY_START);
AT(CUpti_ActivityMemset4, end, HD_COPY_END);
AT(CUpti_ActivityMemset4, deviceId, HD_COPY_DEVICE);
AT(CUpti_ActivityMemset4, contextId, HD_COPY_CONTEXT);
AT(CUpti_ActivityMemset4, streamId, HD_COPY_STREAM);
AT(CUpti_ActivityMemset4, correlationId, HD_COPY_CORRELATION);
AT(CUpti_ActivityMemset4, memoryKind, HD_SET_MEMORY);
AT(CUpti_ActivityMemset4, graphNodeId, HD_SET_GRAPH_NODE);
AT(CUpti_ActivityMemset2, graphNodeId, HD_SET_GRAPH_NODE);
SAME(sizeof(struct standin_set), sizeof(CUpti_ActivityMemset4));

AT(CUpti_ActivitySynchronization, type, HD_SYNC_KIND);
AT(CUpti_ActivitySynchronization, start, HD_SYNC_START);
AT(CUpti_ActivitySynchronization, correlationId, HD_SYNC_CORRELATION);
AT(CUpti_ActivitySynchronization2, type, HD_SYNC_KIND);
AT(CUpti_ActivitySynchronization2, start, HD_SYNC_START);
AT(CUpti_ActivitySynchronization2, end, HD_SYNC_END);
AT(CUpti_ActivitySynchronization2, correlationId, HD_SYNC_CORRELATION);
AT(CUpti_ActivitySynchronization2, contextId, HD_SYNC_CONTEXT);
AT(CUpti_ActivitySynchronization2, streamId, HD_SYNC_STREAM);
SAME(sizeof(struct standin_sync), sizeof(CUpti_ActivitySynchronization2));

#define DEVICE(type)							\
	AT(type, globalMemoryBandwidth, HD_DEVICE_BANDWIDTH);		\
	AT(type, globalMemorySize, HD_DEVICE_MEMORY);			\
	AT(type, numMultiprocessors, HD_DEVICE_MULTIPROCESSORS);	\
	AT(type, computeCapabilityMajor, HD_DEVICE_MAJOR);		\
	AT(type, computeCapabilityMinor, HD_DEVICE_MINOR);		\
	AT(type, id, HD_DEVICE_ID);					\
	AT(type, name, HD_DEVICE_NAME)
DEVICE(CUpti_ActivityDevice2);
DEVICE(CUpti_ActivityDevice3);
DEVICE(CUpti_ActivityDevice4);
DEVICE(CUpti_ActivityDevice5);
SAME(sizeof(struct standin_device), sizeof(CUpti_ActivityDevice5));

AT(CUpti_CallbackData, callbackSite, HD_CALL_SITE);
AT(CUpti_CallbackData, correlationId, HD_CALL_CORRELATION);
SAME(sizeof(struct standin_call), sizeof(CUpti_CallbackData));

SAME(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, HD_CUPTI_BUSY);
SAME(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED, HD_CUPTI_FORCED);
SAME(CUPTI_CB_DOMAIN_DRIVER_API, HD_CUPTI_DRIVER);
SAME(CUPTI_CB_DOMAIN_RUNTIME_API, HD_CUPTI_RUNTIME);
SAME(CUPTI_API_ENTER, HD_CUPTI_ENTER);
SAME(CUPTI_API_EXIT, HD_CUPTI_EXIT);
SAME(CUPTI_ACTIVITY_KIND_MEMCPY, HD_CUPTI_MEMCPY);
SAME(CUPTI_ACTIVITY_KIND_MEMSET, HD_CUPTI_MEMSET);
SAME(CUPTI_ACTIVITY_KIND_DEVICE, HD_CUPTI_DEVICE);
SAME(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, HD_CUPTI_CONCURRENT_KERNEL);
SAME(CUPTI_ACTIVITY_KIND_MEMCPY2, HD_CUPTI_MEMCPY2);
SAME(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, HD_CUPTI_SYNCHRONIZATION);
SAME(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020, HD_CUPTI_DEVICE_RESET);

#if CUPTI_API_VERSION >= 130000
#define RUNTIME(name, id) SAME(CUPTI_RUNTIME_TRACE_CBID_##name, id);
HD_RUNTIME_LAUNCHES(RUNTIME)
#define DRIVER(name, id) SAME(CUPTI_DRIVER_TRACE_CBID_##name, id);
HD_DRIVER_LAUNCHES(DRIVER)
#endif
#endif
