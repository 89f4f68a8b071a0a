/*
 * gpu_input.h - read GPU captures: nsys exports, Kineto traces, recordings of libhotdrift-cuda.so
 *
 * profile/gpu.h lists the events.  A row's stack is the CPU stack of the API call that launched the operation, if the
 * capture has it, a frame `[GPU]`, and the operation:
 *
 *     main;train;gemm;[GPU];ampere_sgemm_128x64_nn        or, without a CPU stack, the kernel alone
 *
 * Processes and threads are those of the launch.  Times are of the capture's own clock, which --time selects in
 * seconds.  Captures have neither CPUs nor fields of samples: a selection by those is an error.  The selection applies
 * to the rows; hd_profile.gpu describes the whole capture.
 *
 * To add a reader, add a row to the table in gpu_input.c.
 */
#ifndef HD_PIPELINE_GPU_INPUT_H
#define HD_PIPELINE_GPU_INPUT_H

#include "gpu/feed.h"
#include "pipeline/options.h"
#include "profile/profile.h"

/*
 * Return the number of the reader for a file that begins with these n bytes, or -1 if it is not a GPU capture.  Pass
 * HD_FILE_HEAD bytes, or all of a shorter file.
 */
int hd_gpu_input_kind(const char *head, size_t n);
/*
 * Return 1 if `path` ("-": standard input) is a regular file with a GPU capture, 0 if it is something else or does not
 * exist, and < 0 if it cannot be read.
 */
int hd_gpu_input_is_capture(const char *path, struct hd_err *err);
/*
 * Add the rows and the summary of a capture to *p.  `kind` is what hd_gpu_input_kind() returned; fd is borrowed and
 * read from any offset; path is for messages.  If the file must be read twice, *p is freed and replaced.
 */
int hd_gpu_input_read(struct hd_profile **p, int kind, int fd, const char *path, const struct hd_pipeline_opts *opts,
		  struct hd_err *err);

struct hd_launch_stacks;
/*
 * Add the events of the trace at `path` to `p`, a recording of the same run.  The CPU stack of an operation is the
 * stack of its launch, which `l` has.  The function fills p->gpu.  It does not change the stack quality and the times
 * of the recording.  Returns HD_EFORMAT if the file is not a GPU capture, or if trace and recording are not of the same
 * run.
 */
int hd_gpu_input_add(struct hd_profile *p, const char *path, const struct hd_launch_stacks *l,
		       const struct hd_pipeline_opts *opts, struct hd_err *err);

/*
 * Read a GPU capture and call `next` for each activity, in the order of start times.  The activities are checked, named
 * and joined with their launches (gpu/feed.h).  Only --time, --pid and --tid of the selection apply.  With
 * opts->strict, damage is an error.  path may be a pipe.  Returns 0, HD_EFORMAT if the file is not a GPU capture, or
 * the negative value with which `next` ended the reading.  Warnings go to log.  The caller initialises dict, and
 * releases dict and capture, also after an error.
 */
int hd_gpu_input_each(const char *path, const struct hd_pipeline_opts *opts, struct hd_gpu_dict *dict,
		       struct hd_gpu_capture *capture, hd_gpu_next *next, void *context, struct hd_log *log,
		       struct hd_err *err);

#endif
