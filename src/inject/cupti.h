/*
 * cupti.h - the part of CUPTI's interface that the recorder uses: numbers, offsets in records, types of functions
 *
 * These are our own declarations of the interface that NVIDIA documents ("CUPTI", Activity and Callback API), so that
 * no header of NVIDIA is needed.  tests/gpu/layout.c compares every number with those headers where they are installed.
 *
 * New versions of CUPTI add fields at the end of a record.  The offsets here are valid in all versions since CUDA 10.0;
 * those of graph nodes only from version HD_CUPTI_GRAPH_NODES on.  The size of a record depends on the version, so only
 * cuptiActivityGetNextRecord() may step from one record to the next.
 */
#ifndef HD_INJECT_CUPTI_H
#define HD_INJECT_CUPTI_H

#include <stddef.h>
#include <stdint.h>

enum {
	HD_CUPTI_BUSY = 39,			/* CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED */
	HD_CUPTI_FORCED = 1,			/* flag of cuptiActivityFlushAll(): also return incomplete records */
	HD_CUPTI_DRIVER = 1, HD_CUPTI_RUNTIME = 2,	/* domains of callbacks */
	HD_CUPTI_ENTER = 0, HD_CUPTI_EXIT = 1,		/* sites of callbacks: entry and exit of a call */
	HD_CUPTI_GRAPH_NODES = 15,		/* versions from CUDA 11.2 on have graph nodes in all records */
	HD_CUPTI_DEVICE_RESET = 164,		/* cudaDeviceReset(), a runtime callback */
};

/* Kinds of activity records: the first 4 bytes of each. */
enum hd_cupti_kind {
	HD_CUPTI_MEMCPY = 1, HD_CUPTI_MEMSET = 2, HD_CUPTI_DEVICE = 8, HD_CUPTI_CONCURRENT_KERNEL = 10,
	HD_CUPTI_MEMCPY2 = 22,			/* between two devices */
	HD_CUPTI_SYNCHRONIZATION = 38,
};

/* Offsets in records. */
enum hd_cupti_kernel {
	HD_KERNEL_REGISTERS = 6,		/* 2 bytes */
	HD_KERNEL_START = 16, HD_KERNEL_END = 24,	/* 8 bytes each */
	/* 4 bytes each, as are the later members for which no other size is stated */
	HD_KERNEL_DEVICE = 40, HD_KERNEL_CONTEXT = 44, HD_KERNEL_STREAM = 48,
	HD_KERNEL_GRID = 52, HD_KERNEL_BLOCK = 64,	/* three each */
	HD_KERNEL_STATIC = 76, HD_KERNEL_DYNAMIC = 80,	/* shared memory */
	HD_KERNEL_CORRELATION = 92,
	HD_KERNEL_NAME = 104,			/* const char * */
	HD_KERNEL_GRAPH_NODE = 144,		/* 8 bytes */
};
/*
 * Offsets in the record of a memory copy.  The record of a memory set has the same offsets, except that it lacks
 * HD_COPY_KIND, HD_COPY_FROM, HD_COPY_TO and HD_COPY_FLAGS.
 */
enum hd_cupti_copy {
	HD_COPY_KIND = 4, HD_COPY_FROM = 5, HD_COPY_TO = 6, HD_COPY_FLAGS = 7,	/* 1 byte each */
	HD_COPY_BYTES = 8, HD_COPY_START = 16, HD_COPY_END = 24,
	HD_COPY_DEVICE = 32, HD_COPY_CONTEXT = 36, HD_COPY_STREAM = 40, HD_COPY_CORRELATION = 44,
	HD_COPY2_CORRELATION = 60,		/* offset for copies between two devices */
	HD_COPY_GRAPH_NODE = 64, HD_COPY2_GRAPH_NODE = 72,
};
enum hd_cupti_set { HD_SET_VALUE = 4, HD_SET_MEMORY = 50 /* 2 bytes */, HD_SET_GRAPH_NODE = 64 };
enum hd_cupti_sync {
	HD_SYNC_KIND = 4, HD_SYNC_START = 8, HD_SYNC_END = 16,
	HD_SYNC_CORRELATION = 24, HD_SYNC_CONTEXT = 28, HD_SYNC_STREAM = 32,
};
enum hd_cupti_device {
	HD_DEVICE_BANDWIDTH = 8, HD_DEVICE_MEMORY = 16, HD_DEVICE_MULTIPROCESSORS = 44,
	HD_DEVICE_MAJOR = 104, HD_DEVICE_MINOR = 108, HD_DEVICE_ID = 112, HD_DEVICE_NAME = 136,
};
/* Offsets in the data that CUPTI passes to a callback (CUpti_CallbackData). */
enum hd_cupti_call { HD_CALL_SITE = 0, HD_CALL_CORRELATION = 64 };

typedef void (*hd_cupti_call_fn)(void *user, uint32_t domain, uint32_t cbid, const void *data);
typedef void (*hd_cupti_request_fn)(uint8_t **buffer, size_t *bytes, size_t *max_records);
typedef void (*hd_cupti_complete_fn)(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid);
typedef uint64_t (*hd_cupti_clock_fn)(void);

/* The functions of libcupti.  Each returns a CUptiResult, 0: success. */
struct hd_cupti {
	uint32_t (*subscribe)(void **subscriber, hd_cupti_call_fn fn, void *user);
	uint32_t (*enable_callback)(uint32_t enable, void *subscriber, uint32_t domain, uint32_t cbid);
	uint32_t (*register_callbacks)(hd_cupti_request_fn request, hd_cupti_complete_fn complete);
	uint32_t (*enable)(uint32_t kind);
	uint32_t (*flush_all)(uint32_t flag);
	uint32_t (*next_record)(uint8_t *buffer, size_t valid, uint8_t **record);
	uint32_t (*dropped)(void *context, uint32_t stream, size_t *n);
	/* the following members are NULL if CUPTI lacks them */
	uint32_t (*register_clock)(hd_cupti_clock_fn fn);
	uint32_t (*version)(uint32_t *version);
	uint32_t (*result_string)(uint32_t result, const char **text);
};

/*
 * The API functions that put work on a GPU.  Their numbers never change.  A version of CUPTI rejects numbers that only
 * later versions have.
 */
#define HD_RUNTIME_LAUNCHES(X) \
	X(cudaLaunch_v3020, 13) X(cudaMemcpy_v3020, 31) X(cudaMemcpy2D_v3020, 32) X(cudaMemcpyToArray_v3020, 33) \
	X(cudaMemcpy2DToArray_v3020, 34) X(cudaMemcpyFromArray_v3020, 35) X(cudaMemcpy2DFromArray_v3020, 36) \
	X(cudaMemcpyArrayToArray_v3020, 37) X(cudaMemcpy2DArrayToArray_v3020, 38) X(cudaMemcpyToSymbol_v3020, 39) \
	X(cudaMemcpyFromSymbol_v3020, 40) X(cudaMemcpyAsync_v3020, 41) X(cudaMemcpyToArrayAsync_v3020, 42) \
	X(cudaMemcpyFromArrayAsync_v3020, 43) X(cudaMemcpy2DAsync_v3020, 44) X(cudaMemcpy2DToArrayAsync_v3020, 45) \
	X(cudaMemcpy2DFromArrayAsync_v3020, 46) X(cudaMemcpyToSymbolAsync_v3020, 47) \
	X(cudaMemcpyFromSymbolAsync_v3020, 48) X(cudaMemset_v3020, 49) X(cudaMemset2D_v3020, 50) \
	X(cudaMemsetAsync_v3020, 51) X(cudaMemset2DAsync_v3020, 52) X(cudaMemset3D_v3020, 142) \
	X(cudaMemset3DAsync_v3020, 143) X(cudaMemcpy3D_v3020, 144) X(cudaMemcpy3DAsync_v3020, 145) \
	X(cudaMemcpyPeer_v4000, 160) X(cudaMemcpyPeerAsync_v4000, 161) X(cudaMemcpy3DPeer_v4000, 162) \
	X(cudaMemcpy3DPeerAsync_v4000, 163) X(cudaLaunchKernel_v7000, 211) X(cudaLaunch_ptsz_v7000, 213) \
	X(cudaLaunchKernel_ptsz_v7000, 214) X(cudaMemcpy_ptds_v7000, 215) X(cudaMemcpy2D_ptds_v7000, 216) \
	X(cudaMemcpyToArray_ptds_v7000, 217) X(cudaMemcpy2DToArray_ptds_v7000, 218) \
	X(cudaMemcpyFromArray_ptds_v7000, 219) X(cudaMemcpy2DFromArray_ptds_v7000, 220) \
	X(cudaMemcpyArrayToArray_ptds_v7000, 221) X(cudaMemcpy2DArrayToArray_ptds_v7000, 222) \
	X(cudaMemcpyToSymbol_ptds_v7000, 223) X(cudaMemcpyFromSymbol_ptds_v7000, 224) \
	X(cudaMemcpyAsync_ptsz_v7000, 225) X(cudaMemcpyToArrayAsync_ptsz_v7000, 226) \
	X(cudaMemcpyFromArrayAsync_ptsz_v7000, 227) X(cudaMemcpy2DAsync_ptsz_v7000, 228) \
	X(cudaMemcpy2DToArrayAsync_ptsz_v7000, 229) X(cudaMemcpy2DFromArrayAsync_ptsz_v7000, 230) \
	X(cudaMemcpyToSymbolAsync_ptsz_v7000, 231) X(cudaMemcpyFromSymbolAsync_ptsz_v7000, 232) \
	X(cudaMemset_ptds_v7000, 233) X(cudaMemset2D_ptds_v7000, 234) X(cudaMemsetAsync_ptsz_v7000, 235) \
	X(cudaMemset2DAsync_ptsz_v7000, 236) X(cudaMemset3D_ptds_v7000, 243) X(cudaMemset3DAsync_ptsz_v7000, 244) \
	X(cudaMemcpy3D_ptds_v7000, 245) X(cudaMemcpy3DAsync_ptsz_v7000, 246) X(cudaMemcpy3DPeer_ptds_v7000, 249) \
	X(cudaMemcpy3DPeerAsync_ptsz_v7000, 250) X(cudaLaunchCooperativeKernel_v9000, 269) \
	X(cudaLaunchCooperativeKernel_ptsz_v9000, 270) X(cudaLaunchCooperativeKernelMultiDevice_v9000, 272) \
	X(cudaGraphLaunch_v10000, 311) X(cudaGraphLaunch_ptsz_v10000, 312) X(cudaLaunchKernelExC_v11060, 430) \
	X(cudaLaunchKernelExC_ptsz_v11060, 431) X(cudaMemcpyBatchAsync_v12080, 482) \
	X(cudaMemcpyBatchAsync_ptsz_v12080, 483) X(cudaMemcpy3DBatchAsync_v12080, 484) \
	X(cudaMemcpy3DBatchAsync_ptsz_v12080, 485) X(__cudaLaunchKernel_v13000, 505) \
	X(__cudaLaunchKernel_ptsz_v13000, 506) X(cudaMemcpyBatchAsync_v13000, 509) \
	X(cudaMemcpyBatchAsync_ptsz_v13000, 510) X(cudaMemcpy3DBatchAsync_v13000, 511) \
	X(cudaMemcpy3DBatchAsync_ptsz_v13000, 512)

#define HD_DRIVER_LAUNCHES(X) \
	X(cuMemcpyHtoD, 43) X(cuMemcpyDtoH, 45) X(cuMemcpyDtoD, 47) X(cuMemcpyDtoA, 49) X(cuMemcpyAtoD, 51) \
	X(cuMemcpyHtoA, 53) X(cuMemcpyAtoH, 54) X(cuMemcpyAtoA, 55) X(cuMemcpy2D, 56) X(cuMemcpy2DUnaligned, 57) \
	X(cuMemcpy3D, 58) X(cuMemcpyHtoDAsync, 60) X(cuMemcpyDtoHAsync, 62) X(cuMemcpyDtoDAsync, 64) \
	X(cuMemcpyHtoAAsync, 66) X(cuMemcpyAtoHAsync, 67) X(cuMemcpy2DAsync, 68) X(cuMemcpy3DAsync, 69) \
	X(cuMemsetD8, 71) X(cuMemsetD16, 73) X(cuMemsetD32, 75) X(cuMemsetD2D8, 77) X(cuMemsetD2D16, 79) \
	X(cuMemsetD2D32, 81) X(cuLaunch, 115) X(cuLaunchGrid, 116) X(cuLaunchGridAsync, 117) X(cuMemsetD8Async, 216) \
	X(cuMemsetD16Async, 218) X(cuMemsetD32Async, 220) X(cuMemsetD2D8Async, 222) X(cuMemsetD2D16Async, 224) \
	X(cuMemsetD2D32Async, 226) X(cuMemcpy_v2, 248) X(cuMemsetD8_v2, 249) X(cuMemsetD16_v2, 250) \
	X(cuMemsetD32_v2, 251) X(cuMemsetD2D8_v2, 252) X(cuMemsetD2D16_v2, 253) X(cuMemsetD2D32_v2, 254) \
	X(cuMemcpyHtoD_v2, 276) X(cuMemcpyHtoDAsync_v2, 277) X(cuMemcpyDtoH_v2, 278) X(cuMemcpyDtoHAsync_v2, 279) \
	X(cuMemcpyDtoD_v2, 280) X(cuMemcpyDtoDAsync_v2, 281) X(cuMemcpyAtoH_v2, 282) X(cuMemcpyAtoHAsync_v2, 283) \
	X(cuMemcpyAtoD_v2, 284) X(cuMemcpyDtoA_v2, 285) X(cuMemcpyAtoA_v2, 286) X(cuMemcpy2D_v2, 287) \
	X(cuMemcpy2DUnaligned_v2, 288) X(cuMemcpy2DAsync_v2, 289) X(cuMemcpy3D_v2, 290) X(cuMemcpy3DAsync_v2, 291) \
	X(cuMemcpyHtoA_v2, 292) X(cuMemcpyHtoAAsync_v2, 293) X(cuMemcpy, 305) X(cuMemcpyAsync, 306) \
	X(cuLaunchKernel, 307) X(cuMemcpyPeer, 318) X(cuMemcpyPeerAsync, 319) X(cuMemcpy3DPeer, 320) \
	X(cuMemcpy3DPeerAsync, 321) X(cuMemcpyHtoD_v2_ptds, 397) X(cuMemcpyDtoH_v2_ptds, 398) \
	X(cuMemcpyDtoD_v2_ptds, 399) X(cuMemcpyDtoA_v2_ptds, 400) X(cuMemcpyAtoD_v2_ptds, 401) \
	X(cuMemcpyHtoA_v2_ptds, 402) X(cuMemcpyAtoH_v2_ptds, 403) X(cuMemcpyAtoA_v2_ptds, 404) \
	X(cuMemcpy2D_v2_ptds, 405) X(cuMemcpy2DUnaligned_v2_ptds, 406) X(cuMemcpy3D_v2_ptds, 407) \
	X(cuMemcpy_ptds, 408) X(cuMemcpyPeer_ptds, 409) X(cuMemcpy3DPeer_ptds, 410) X(cuMemsetD8_v2_ptds, 411) \
	X(cuMemsetD16_v2_ptds, 412) X(cuMemsetD32_v2_ptds, 413) X(cuMemsetD2D8_v2_ptds, 414) \
	X(cuMemsetD2D16_v2_ptds, 415) X(cuMemsetD2D32_v2_ptds, 416) X(cuMemcpyAsync_ptsz, 418) \
	X(cuMemcpyHtoAAsync_v2_ptsz, 419) X(cuMemcpyAtoHAsync_v2_ptsz, 420) X(cuMemcpyHtoDAsync_v2_ptsz, 421) \
	X(cuMemcpyDtoHAsync_v2_ptsz, 422) X(cuMemcpyDtoDAsync_v2_ptsz, 423) X(cuMemcpy2DAsync_v2_ptsz, 424) \
	X(cuMemcpy3DAsync_v2_ptsz, 425) X(cuMemcpyPeerAsync_ptsz, 426) X(cuMemcpy3DPeerAsync_ptsz, 427) \
	X(cuMemsetD8Async_ptsz, 428) X(cuMemsetD16Async_ptsz, 429) X(cuMemsetD32Async_ptsz, 430) \
	X(cuMemsetD2D8Async_ptsz, 431) X(cuMemsetD2D16Async_ptsz, 432) X(cuMemsetD2D32Async_ptsz, 433) \
	X(cuLaunchKernel_ptsz, 442) X(cuLaunchCooperativeKernel, 477) X(cuLaunchCooperativeKernel_ptsz, 478) \
	X(cuLaunchCooperativeKernelMultiDevice, 480) X(cuGraphLaunch, 514) X(cuGraphLaunch_ptsz, 515) \
	X(cuLaunchKernelEx, 652) X(cuLaunchKernelEx_ptsz, 653) X(cuMemcpyBatchAsync, 776) \
	X(cuMemcpyBatchAsync_ptsz, 777) X(cuMemcpy3DBatchAsync, 778) X(cuMemcpy3DBatchAsync_ptsz, 779) \
	X(cuMemcpyBatchAsync_v2, 796) X(cuMemcpyBatchAsync_v2_ptsz, 797) X(cuMemcpy3DBatchAsync_v2, 798) \
	X(cuMemcpy3DBatchAsync_v2_ptsz, 799)

#endif
