/*
 * kineto.h - traces of the PyTorch profiler (Kineto): Chrome trace events in JSON, plain or gzipped
 *
 * The file is read as a stream (trace_events.h).  Source of the format: libkineto/src/output_json.cpp of
 * pytorch/kineto, and traces of 2022 to 2024.  The category "cat" of an event with "ph": "X", in upper or lower case,
 * selects the kind of the activity:
 *
 *     kernel                       KERNEL; device, stream and correlation are in args
 *     gpu_memcpy, memcpy           COPY; args.bytes, which traces of ROCm do not have; direction and kinds of memory
 *                                  are in the name: "Memcpy HtoD (Pageable -> Device)"
 *     gpu_memset, memset           SET
 *     gpu_graph                    GRAPH; `hotdrift convert --to chrome` writes these, and args "full name" and
 *                                  "graph id"
 *     cuda_runtime, cuda_driver    LAUNCH: any API call.  Also runtime, the name in old traces
 *     cpu_op, user_annotation      RANGE.  Also operator, the name in old traces
 *     python_function              not delivered; becomes a frame of launch stacks
 *     trace                        the span of the recording
 *
 * An instant event "[memory]" whose "Device Type" is 1 (a GPU) is ALLOC or FREE by PyTorch's allocator.  The reader
 * skips cuda_sync, because the API calls have the time that the host waited.  It also skips flow arrows (ac2g), because
 * the correlation id joins an API call and its device activity.
 *
 * ts and dur are decimal microseconds, which the reader converts to nanoseconds without a double.  It adds
 * baseTimeNanoseconds, which may come after the events, so that times are UNIX times.  A correlation id is unique in a
 * process, but device activities do not state their process.  If several processes made calls with the same correlation
 * id, a device activity is joined with the latest of these calls.
 *
 * Launch stacks are made of the ranges around the call (range_stack.h).  The number of a call in a range's name is
 * dropped: ProfilerStep#17 is ProfilerStep.
 *
 * Memory depends on the distinct names and stacks, whose number is limited, and on activity_sorter.h.
 *
 * Warnings: lost.trace (damage, with the offset), lost.kineto-event (an event without a valid ts or dur),
 * lost.gpu-names and lost.gpu-stacks (the trace exceeds the limit for distinct names or stacks).
 */
#ifndef HD_GPU_KINETO_H
#define HD_GPU_KINETO_H

#include "gpu/activity.h"

/* Return true if a file that begins with these bytes is a Chrome trace, plain or gzipped. */
bool hd_gpu_kineto_is(const char *head, size_t n);
int hd_gpu_kineto_read(int fd, const char *path, const struct hd_gpu_sink *sink, struct hd_err *err);

#endif
