/*
 * pipeline.h - read any input into a profile: selects the reader
 *
 *     perf.data   a side-band pass, then the samples: stacks are interned and summed, and each distinct address is
 *                 symbolized once (perf_input.h)
 *     bundle      a perf.data file with its symbols (bundle/bundled_recording.h)
 *     folded      lines of the form `frame;frame;frame COUNT` (folded_input.h)
 *     others      the text of perf script, pprof, speedscope, callgrind (perf_script_input.h, pprof_input.h,
 *                 speedscope_input.h, callgrind_input.h)
 *     flamegraph  an SVG or HTML file of `flame`, with its stacks (flame_input.h)
 *     heap        recordings of libhotdrift-heap.so (heap_input.h)
 *     GPU         captures of Nsight Systems, Kineto and libhotdrift-cuda.so (gpu_input.h)
 *
 * The first bytes of the file decide which reader is used, never the name of the file.  A folder is read as perf.data.
 */
#ifndef HD_PIPELINE_PIPELINE_H
#define HD_PIPELINE_PIPELINE_H

#include "base/err.h"
#include "pipeline/options.h"
#include "profile/profile.h"

/*
 * Read the file or folder at `path` into a new profile.  The caller frees *out, also after an error: its log has the
 * warnings so far.
 *
 * Errors: HD_EFORMAT if nothing can be read, or if the input lacks an event or a field that `opts` names; HD_EIO for
 * problems outside the input; HD_EUSAGE for an invalid selection.  A damaged input is read as far as possible, and the
 * losses are warnings in the log.  Only the readers of perf.data and of pprof also set recording.truncated.  With
 * opts->strict damage is HD_EFORMAT.
 *
 * opts->timed fills hd_profile.timed (profile/timed_samples.h) for perf.data, bundles and the text of perf script.
 * opts->ordered fills it, in file order, for the other formats of named_samples.h, such as folded text.  Otherwise, and
 * always for heap recordings and GPU captures, it is NULL.  Too many samples are HD_EFORMAT.
 *
 * opts->gpu_trace is ignored: perf_gpu_join.h reads a recording with a trace.
 */
int hd_pipeline_read(struct hd_profile **out, const char *path, const struct hd_pipeline_opts *opts,
	struct hd_err *err);

/*
 * If standard input is a pipe or a socket, replace it by a temporary file with its content, so that it can be read
 * twice.  Otherwise do nothing.  Returns 0 or < 0.  Content that hd_pipeline_read() cannot read is HD_EFORMAT, and is
 * not copied.
 */
int hd_pipeline_spool_stdin(struct hd_err *err);

/* Return the keys of the profile's rows: opts->keys, and those that opts->timed needs. */
unsigned hd_pipeline_keys(const struct hd_pipeline_opts *opts);

#endif
