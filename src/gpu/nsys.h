/*
 * nsys.h - exports of Nsight Systems: `nsys export --type sqlite`, schema versions 3.4 to 3.25
 *
 * The schema is documented at docs.nvidia.com/nsight-systems ("SQLite Schema Reference").  Tables exist only if they
 * have rows, and columns come and go between versions, so that every column is looked up (PRAGMA table_info) and a
 * missing one reads as unknown.  Tables that are read:
 *
 *     CUPTI_ACTIVITY_KIND_KERNEL, _MEMCPY, _MEMSET, _GRAPH_TRACE   operations of the devices
 *     CUPTI_ACTIVITY_KIND_RUNTIME, _DRIVER                         API calls; CUDA_CALLCHAINS: their stacks
 *     CUPTI_ACTIVITY_KIND_SYNCHRONIZATION                          waits of the host
 *     CUDA_GPU_MEMORY_USAGE_EVENTS                                 allocations and frees
 *     GPU_METRICS, TARGET_INFO_GPU_METRICS                         sampled hardware metrics
 *     NVTX_EVENTS                                                  ranges
 *     StringIds, PROCESSES, TARGET_INFO_GPU, TARGET_INFO_SESSION_START_TIME, ANALYSIS_DETAILS,
 *     META_DATA_EXPORT (older: EXPORT_META_DATA)                   names, devices, session, version
 *     DIAGNOSTIC_EVENT                                             messages about lost records
 *
 * The reader has cursors, which follow the rowids of the tables, and merges them by start.  The rows of a table are in
 * one of three orders:
 *
 *     sorted          one cursor reads them
 *     nearly sorted   the cursor looks some rows ahead
 *     sorted parts    for example the calls of one thread after those of another: each part has a cursor of its own
 *
 * The reader tests rows at 256 places of a table to find out which order it has.  If that test was wrong,
 * hd_gpu_nsys_read() returns HD_GPU_AGAIN.  The caller then calls it again with a new consumer and sink->again set,
 * and the reader first examines all rows of each table.  If there are too many parts, it sorts all rows
 * (activity_sorter.h).
 *
 * The file is hostile.  SQLite reads it through a descriptor, with a file system (VFS) that cannot open or write any
 * other file.  Views are disabled, and a schema with virtual tables is rejected.  Rowids must rise, because a page
 * cycle would otherwise repeat rows without end.  The size of the file limits the number of steps.  A damaged table is
 * read up to the damage (lost.gpu-rows).
 */
#ifndef HD_GPU_NSYS_H
#define HD_GPU_NSYS_H

#include "gpu/activity.h"

/* Return true if the file begins as an SQLite database does. */
bool hd_gpu_is_sqlite(const char *head, size_t n);

/* Read an export.  Returns 0, HD_GPU_AGAIN, or a negative code: HD_EFORMAT if the file is not an export of nsys. */
int hd_gpu_nsys_read(int fd, const char *path, const struct hd_gpu_sink *sink, struct hd_err *err);

#endif
