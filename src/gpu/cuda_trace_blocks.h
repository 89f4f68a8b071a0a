/*
 * cuda_trace_blocks.h - the container of a trace of libhotdrift-cuda.so: its header, blocks and records
 *
 * If the file ends within a block, the records before the end are read.  A damaged block ends the walk, a damaged
 * record ends its block.
 */
#ifndef HD_GPU_CUDA_TRACE_BLOCKS_H
#define HD_GPU_CUDA_TRACE_BLOCKS_H

#include "base/err.h"
#include "base/log.h"
#include "gpu/cuda_trace.h"
#include "inject/format.h"

#include <stddef.h>
#include <stdint.h>

/* A walk through the records of the file, from the first block to the last. */
struct hd_cuda_trace_walk {
	int fd;
	const char *path;
	uint64_t bytes;			/* size of the file */
	uint64_t off;			/* offset of the next record or block */
	uint64_t block_end;		/* offset of the end of the current block */
	uint32_t sequence;		/* sequence number that the next block must have */
	char *buffer;
	uint64_t buffer_off;
	size_t filled;
};

/* Read and check the header.  Returns 0, HD_EFORMAT or HD_EIO. */
int hd_cuda_trace_header(struct hd_cuda_header *h, int fd, const char *path, struct hd_err *err);
void hd_cuda_trace_fill_info(struct hd_cuda_trace_info *info, const struct hd_cuda_header *h);
/* Copy a fixed-size text of the header, which may lack its NUL.  `to` has room for n + 1 bytes. */
void hd_cuda_trace_text(char *to, const char *from, size_t n);

/* Begin a walk.  fd and path are borrowed until hd_cuda_trace_walk_release(). */
void hd_cuda_trace_walk_init(struct hd_cuda_trace_walk *w, int fd, const char *path);
void hd_cuda_trace_walk_release(struct hd_cuda_trace_walk *w);
/* Go back to the first block. */
void hd_cuda_trace_rewind(struct hd_cuda_trace_walk *w);
/*
 * Get the next whole record.  It has at least the size of struct hd_cuda_record and is valid until the next call.
 * Returns 1, 0 at the end, or HD_EIO.  Damage is reported to `log`, which is NULL in later walks so that each damage is
 * reported once.
 */
int hd_cuda_trace_next(struct hd_cuda_trace_walk *w, struct hd_log *log, const struct hd_cuda_record **record,
	struct hd_err *err);

#endif
